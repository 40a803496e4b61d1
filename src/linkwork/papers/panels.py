"""Plots over time in panels, one per leg or joint, and the colors that all papers draw with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from linkwork.drawing.style import COLORS, legend_below
from linkwork.drawing.time_plots import draw_compared, time_panels
from linkwork.robot.robot import Array

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BLUE, ORANGE, GREEN, PINK, AMBER, SKY, INK = COLORS


def panels(
    time: Array,
    curves: Mapping[str, Array],
    titles: Sequence[str],
    label: str,
    *,
    limits: tuple[float, float] | None = None,
    bound: tuple[float, str] | None = None,
    time_label: str = "time [s]",
    reference: bool = True,
) -> Figure:
    """Values (N, panels) by the names of their curves, a panel for each title and one legend below.

    Args:
        label: of the values, with their unit.
        limits: of the values shown.
        bound: a line on both sides of zero, and its name.
        reference: the first curve is what the others are compared with, drawn broad behind them.
    """
    entries = len(curves) + (bound is not None)
    figure, axes = time_panels(titles, [label] * len(titles), entries, time_label)
    for k, ax in enumerate(axes):
        draw_compared(ax, time, {name: values[:, k] for name, values in curves.items()}, not reference)
        ax.set_xlim(time[0], time[-1])
        if limits is not None:
            ax.set_ylim(*limits)
        if bound is not None:
            level, name = bound
            ax.axhline(level, color=INK, linestyle="--", linewidth=0.8, label=name)
            ax.axhline(-level, color=INK, linestyle="--", linewidth=0.8)
    legend_below(figure, axes[0])
    return figure
