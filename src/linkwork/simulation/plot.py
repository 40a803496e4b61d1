"""The picture of a simulation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linkwork.interface.quantity import quantity
from linkwork.plotting.lines import draw_channels, draw_energy
from linkwork.plotting.style import COLOURS, legend_beside, new_figure, style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from linkwork.simulation.result import Simulation

__all__ = ["COLOURS", "simulation_figure"]


def simulation_figure(run: Simulation) -> Figure:
    """Efforts, position (or its error) and energy over time."""
    tracked = run.error is not None
    names = run.names()["error" if tracked else "position"]
    where = run.error if run.error is not None else run.position
    quantities = (
        quantity("effort", run.labels, "N m or N" if run.is_arm else "N", run.effort),
        quantity("position error" if tracked else "position", names, "rad or m", where),
    )
    figure = new_figure(7.4)
    with style():
        axes = figure.subplots(3, 1, sharex=True)
        for ax, what in zip(axes[:2], quantities, strict=True):
            draw_channels(ax, run.time, what)
            ax.set_ylabel(what.label)
            legend_beside(ax)
        draw_energy(axes[2], run.time, run.kinetic, run.potential)
        axes[2].set_xlabel("time [s]")
        figure.align_ylabels()
        figure.suptitle(f"{run.robot}: simulation")
    return figure
