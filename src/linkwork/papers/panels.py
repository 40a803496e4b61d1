"""Plots over time in panels, one per leg or joint, drawn alike for all papers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from linkwork.drawing.style import COLOURS
from linkwork.drawing.style import new_figure as empty_figure
from linkwork.robot.robot import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BLUE, ORANGE, GREEN, PINK, AMBER, SKY, INK = COLOURS


@dataclass(frozen=True)
class Series:
    """One curve in every panel: values (N, panels), or (N,) for a single panel."""

    label: str
    values: Array
    colour: str = BLUE
    style: Any = "-"
    width: float = 1.4
    alpha: float = 1.0
    breaks: NDArray[np.bool_] | None = None  # (N - 1, panels): where no line joins two samples

    def draw(self, ax: Axes, time: Array, panel: int | None = None) -> None:
        """The curve in one panel."""
        values = self.values if panel is None else self.values[:, panel]
        if self.breaks is not None:
            cut = np.flatnonzero(self.breaks if panel is None else self.breaks[:, panel]) + 1
            time, values = (np.insert(each, cut, np.nan) for each in (time, values))
        ax.plot(
            time,
            values,
            linestyle=self.style,
            color=self.colour,
            linewidth=self.width,
            alpha=self.alpha,
            label=self.label,
        )


def new_figure(height: float, rows: int = 1, columns: int = 1, **options: Any) -> tuple[Figure, Any]:
    """A figure and its axes as an array of shape (rows, columns)."""
    figure = empty_figure(height)
    return figure, figure.subplots(rows, columns, squeeze=False, **options)


def legend_below(figure: Figure, ax: Axes, columns: int = 4) -> None:
    """The legend of one panel, off the data, for the whole figure."""
    handles, labels = ax.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=min(columns, len(labels)))


def panels(
    time: Array,
    series: Sequence[Series],
    titles: Sequence[str],
    quantity: str,
    *,
    height: float = 6.6,
    log: bool = False,
    limits: tuple[float, float] | None = None,
    time_label: str = "time [s]",
) -> Figure:
    """Two columns of panels with a common time axis and one legend below them."""
    rows = (len(titles) + 1) // 2
    figure, axes = new_figure(height, rows, 2, sharex=True)
    for k, (ax, title) in enumerate(zip(axes.flat, titles, strict=True)):
        for curve in series:
            curve.draw(ax, time, k)
        ax.set_title(title)
        ax.set_xlim(time[0], time[-1])
        if log:
            ax.set_yscale("symlog", linthresh=1e3)
        if limits is not None:
            ax.set_ylim(*limits)
        if k % 2 == 0:
            ax.set_ylabel(quantity)
    for ax in axes[-1]:
        ax.set_xlabel(time_label)
    legend_below(figure, axes[0, 0])
    return figure


def single(
    time: Array, series: Sequence[Series], quantity: str, *, height: float = 3.4, log: bool = False
) -> Figure:
    """One panel with its legend below."""
    figure, axes = new_figure(height)
    ax = axes[0, 0]
    for curve in series:
        curve.draw(ax, time)
    if log:
        ax.set_yscale("log")
    ax.set_xlim(time[0], time[-1])
    ax.set_xlabel("time [s]")
    ax.set_ylabel(quantity)
    if len(series) > 1:
        legend_below(figure, ax)
    return figure
