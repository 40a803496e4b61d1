"""The picture of a simulation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from linkwork.simulation.result import Simulation

# Okabe and Ito's colours, told apart by every eye; then black.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")


def simulation_figure(run: Simulation) -> Figure:
    from matplotlib.figure import Figure

    unit = "N m or N" if run.is_arm else "N"
    tracked = run.error is not None
    figure = Figure(figsize=(8, 8), layout="constrained")
    axes = figure.subplots(3, 1, sharex=True)
    where = run.error if run.error is not None else run.position
    names = run.names()["error" if tracked else "position"]
    what = "position error" if tracked else "position"
    for ax, values, labels, title in (
        (axes[0], run.effort, run.labels, f"effort [{unit}]"),
        (axes[1], where, names, f"{what} [rad or m]"),
    ):
        for k, label in enumerate(labels):
            ax.plot(run.time, values[:, k], color=COLOURS[k % len(COLOURS)], label=label)
        ax.set_ylabel(title)
        ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
    for values, label, colour in (
        (run.kinetic, "kinetic", COLOURS[0]),
        (run.potential - run.potential[0], "potential (from start)", COLOURS[1]),
        (run.energy - run.potential[0], "total (from start)", COLOURS[6]),
    ):
        axes[2].plot(run.time, values, color=colour, label=label)
    axes[2].set_ylabel("energy [J]")
    axes[2].set_xlabel("time [s]")
    axes[2].legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
    for ax in axes:
        ax.grid(alpha=0.3)
        ax.spines[["top", "right"]].set_visible(False)
        ax.set_xlim(run.time[0], max(run.time[-1], np.nextafter(run.time[0], np.inf)))
    figure.suptitle(f"{run.robot}: simulation")
    return figure
