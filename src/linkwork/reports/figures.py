"""Figures of a study, each a function of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.analysis.conditioning import Conditioning
from linkwork.analysis.study import Study
from linkwork.interface.quantity import Quantity
from linkwork.interface.robot import Array
from linkwork.plotting.lines import (
    draw_channels,
    draw_curve,
    draw_energy,
    draw_limits,
    finish,
    limit_words,
    literal,
    look,
)
from linkwork.plotting.style import COLOURS, INK, MUTED, WIDTH, legend_beside, new_figure, style
from linkwork.reports.mechanism import mechanism_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "conditioning_figure",
    "difference_figure",
    "effort_figure",
    "energy_figure",
    "formulation_figure",
    "mechanism_figure",
    "panels_figure",
    "parts_figure",
    "quantity_figure",
    "stacked_figure",
]

LEGEND_COLUMNS = 4
LEGEND_LINE = 0.22  # inches


def effort_figure(study: Study) -> Figure:
    """Torques or leg forces over time with their limits."""
    return quantity_figure(study.time, study.effort)


def quantity_figure(time: Array, what: Quantity) -> Figure:
    """All channels in one pair of axes if one scale serves them, else a panel for each."""
    return stacked_figure(time, [what]) if what.alike else panels_figure(time, what)


def stacked_figure(time: Array, quantities: Sequence[Quantity], height: float = 2.3) -> Figure:
    """Quantities below each other, all channels of each in one pair of axes."""
    figure = new_figure(0.6 + height * len(quantities))
    with style():
        axes = figure.subplots(len(quantities), 1, sharex=True, squeeze=False)[:, 0]
        one_legend = len({what.channels for what in quantities}) == 1
        for ax, what in zip(axes, quantities, strict=True):
            draw_channels(ax, time, what)
            # One quantity is named at its axis, several above, where long names have room.
            ax.set_ylabel(what.label if len(quantities) == 1 else f"[{what.unit}]")
            if len(quantities) > 1:
                ax.set_title(what.name)
            if not one_legend:
                legend_beside(ax)
        if one_legend:
            figure.legend(*axes[0].get_legend_handles_labels(), loc="outside right center")
        axes[-1].set_xlabel("time [s]")
        figure.align_ylabels()
    return figure


def panels_figure(time: Array, what: Quantity) -> Figure:
    """A panel for each channel, with its own scale and limits."""
    figure, axes = _panels(what)
    with style():
        for k, ax in enumerate(axes):
            one = what.channel(k)
            draw_curve(ax, time, one.values[:, 0], **look(k))
            draw_limits(ax, time, one)
            finish(ax, time)
    return figure


def parts_figure(study: Study) -> Figure:
    """The effort of every joint or leg and what it is for."""
    what = study.effort
    figure, axes = _panels(what, legend=len(study.parts) + 1)
    with style():
        for k, ax in enumerate(axes):
            for j, (name, values) in enumerate(study.parts.items()):
                draw_curve(ax, study.time, values[:, k], label=name, linewidth=1.2, **look(j))
            one = what.channel(k)
            draw_curve(ax, study.time, one.values[:, 0], label="total", color=INK, linewidth=1.8)
            draw_limits(ax, study.time, one)
            finish(ax, study.time)
        _legend_below(figure, axes[0])
    return figure


def formulation_figure(study: Study) -> Figure:
    """The effort of every joint or leg by several formulations."""
    return _compared(study, study.by_formulation, study.effort.name)


def difference_figure(study: Study) -> Figure:
    """How far the formulations are from the first of them."""
    first, *others = study.by_formulation
    reference = study.by_formulation[first]
    differences = {f"{name} − {first}": study.by_formulation[name] - reference for name in others}
    return _compared(study, differences, "difference", first_look=1)


def conditioning_figure(time: Array, found: Sequence[Conditioning]) -> Figure:
    """Numbers that tell how well a mechanism moves, each over time."""
    figure = new_figure(0.6 + 1.9 * len(found))
    with style():
        axes = figure.subplots(len(found), 1, sharex=True, squeeze=False)[:, 0]
        for ax, what in zip(axes, found, strict=True):
            finite = what.values[np.isfinite(what.values) & (what.values > 0)]
            draw_curve(
                ax, time, np.where(np.isfinite(what.values), what.values, np.nan), color=COLOURS[0]
            )
            if finite.size and finite.max() > 20 * finite.min():
                ax.set_yscale("log")
                # Six decades; beyond them a number only says that the position is singular.
                if what.least_is_best:
                    ax.set_ylim(top=min(2 * float(finite.max()), 1e6 * float(finite.min())))
                else:
                    ax.set_ylim(bottom=max(float(finite.min()) / 2, 1e-6 * float(finite.max())))
            else:
                ax.set_ylim(bottom=0)
            ax.set_title(what.name)
            ax.set_ylabel("[–]")
            ax.set_xlim(float(time[0]), float(time[-1]))
        axes[-1].set_xlabel("time [s]")
    return figure


def energy_figure(time: Array, kinetic: Array, potential: Array) -> Figure:
    """Energies over time, the potential from its start."""
    figure = new_figure(2.9)
    with style():
        ax = figure.subplots()
        draw_energy(ax, time, kinetic, potential)
        ax.set_xlabel("time [s]")
    return figure


def _compared(study: Study, curves: Mapping[str, Array], name: str, first_look: int = 0) -> Figure:
    figure, axes = _panels(replace(study.effort, name=name), limits=False, legend=len(curves))
    # Curves that agree lie on each other: the first is widest, so that all can be seen.
    with style():
        for k, ax in enumerate(axes):
            for j, (label, values) in enumerate(curves.items(), first_look):
                options: dict[str, Any] = {"linewidth": max(3.2 - 1.0 * j, 1.2), "alpha": 0.9}
                dashes = ("-", "-", (0, (3.5, 2.2)), (0, (1.2, 1.4)))[min(j, 3)]
                options |= {"color": COLOURS[j % len(COLOURS)], "linestyle": dashes}
                draw_curve(ax, study.time, values[:, k], label=label, **options)
            finish(ax, study.time)
        _legend_below(figure, axes[0])
    return figure


def _panels(what: Quantity, limits: bool = True, legend: int = 0) -> tuple[Figure, list[Axes]]:
    """A panel for each channel, two in a row, with name and limits at its head.

    Panels of equal size have margins that are known beforehand; to let matplotlib find them takes as
    long as drawing the figure. `legend` is the number of its entries, below the panels.
    """
    count = len(what.channels)
    columns = min(2, count)
    rows = -(-count // columns)
    below = 0.55 + LEGEND_LINE * -(-legend // LEGEND_COLUMNS)  # inches
    height = below + 0.3 + 1.7 * rows
    figure = new_figure(height, WIDTH)
    figure.set_layout_engine("none")
    margins = {
        "left": 0.72 / WIDTH,
        "right": 1 - 0.12 / WIDTH,
        "top": 1 - 0.3 / height,
        "bottom": below / height,
        "hspace": 0.3,
        "wspace": 0.3,
    }
    with style():
        grid = figure.subplots(rows, columns, sharex=True, squeeze=False, gridspec_kw=margins)
        axes = list(grid.flat)
        for ax in axes[count:]:
            ax.set_visible(False)
        for k, ax in enumerate(axes[:count]):
            ax.set_title(literal(what.channels[k]))
            if limits:
                ax.set_title(limit_words(what.channel(k)), loc="right", fontsize=7.5, color=MUTED)
            if k % columns == 0 or len(set(what.units)) > 1:
                ax.set_ylabel(f"{what.name} [{what.units[k]}]")
            ax.locator_params(axis="y", nbins=5)
            if k >= count - columns:
                ax.set_xlabel("time [s]")
                ax.tick_params(labelbottom=True)
        figure.align_ylabels()
    return figure, axes[:count]


def _legend_below(figure: Figure, ax: Axes) -> None:
    handles, labels = ax.get_legend_handles_labels()
    columns = min(len(labels), LEGEND_COLUMNS)
    figure.legend(handles, labels, loc="lower center", ncols=columns, fontsize=8.5)
