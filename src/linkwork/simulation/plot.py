"""The picture of a simulation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from linkwork.reports.lines import draw_channels
from linkwork.reports.quantity import quantity
from linkwork.reports.style import COLOURS, legend_beside, new_figure, style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from linkwork.simulation.result import Simulation

__all__ = ["COLOURS", "simulation_figure"]


def simulation_figure(run: Simulation) -> Figure:
    """Efforts, position (or its error) and energy over time."""
    place = "position" if run.error is None else "position error"
    where = run.position if run.error is None else run.error
    names = run.names()["position" if run.error is None else "error"]
    rise = run.potential - run.potential[0]
    energies = np.stack([run.kinetic, rise, run.kinetic + rise], axis=1)
    figure = new_figure(7.4)
    with style():
        axes = figure.subplots(3, 1, sharex=True)
        for ax, what in zip(
            axes,
            (
                quantity("effort", run.labels, "N m or N" if run.is_arm else "N", run.effort),
                quantity(place, names, "rad or m", where),
                quantity(
                    "energy", ("kinetic", "potential, from start", "total, from start"), "J", energies
                ),
            ),
            strict=True,
        ):
            draw_channels(ax, run.time, what)
            ax.set_ylabel(what.label)
            legend_beside(ax)
        axes[-1].set_xlabel("time [s]")
        figure.align_ylabels()
        figure.suptitle(f"{run.robot}: simulation")
    return figure
