"""Figures that show what Turney's tables say."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from linkwork.analysis.printed_counts import TURNEY_5
from linkwork.drawing.style import grid, legend_below
from linkwork.papers.panels import BLUE, GREEN, INK, ORANGE, PINK
from linkwork.papers.turney1980.findings import Integration, Total

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SIZES = range(1, 11)


def totals_figure(totals: list[Total]) -> Figure:
    """Table 1 over the number of links: multiplications and additions, printed and traced."""
    figure, axes = grid(3.8, 2, 2, sharey=True)
    for column, (ax, title) in enumerate(zip(axes, ("multiplications", "additions"), strict=True)):
        for total, color, style in zip(totals, (ORANGE, BLUE, GREEN), ("--", "-", "-."), strict=True):
            printed = [float(total.printed[column](n)) for n in SIZES]
            traced = [float(total.traced[column](n)) for n in SIZES]
            ax.semilogy(SIZES, printed, style, color=color, label=f"{total.name}, printed")
            ax.semilogy(SIZES, traced, "o", color=color, markersize=4, label=f"{total.name}, traced")
        ax.set_title(title)
        ax.set_xlabel("number of links n")
        ax.set_xticks(list(SIZES)[1::2])
    axes[0].set_ylabel("operations")
    legend_below(figure, axes[0], 2)
    return figure


def parallel_figure(
    totals: list[Total], sizes: range, chains: list[int], planned: dict[int, int], n: int
) -> Figure:
    """Operations that wait for each other over the links, and the steps that p processors take."""
    figure, (ax, other) = grid(3.8, 2, 2)
    _processors(other, planned, n)
    modified = totals[-1].printed
    one_by_one = [float(modified[0](n) + modified[1](n)) for n in sizes]
    steps = [float(TURNEY_5.multiplications(n) + TURNEY_5.additions(n)) for n in sizes]
    ax.plot(sizes, one_by_one, "-.", color=GREEN, label="Table 4: one operation at a time")
    ax.plot(sizes, steps, "--", color=ORANGE, label="Table 5: simultaneous steps")
    ax.plot(sizes, chains, "o-", color=BLUE, markersize=4, label="longest chain of our kernel")
    ax.set_xlabel("number of links n")
    ax.set_ylabel("operations that wait")
    ax.set_ylim(0, None)
    legend_below(figure, ax, 3)
    return figure


def _processors(ax: Axes, planned: dict[int, int], n: int) -> None:
    count = np.array(list(planned))
    steps = np.array(list(planned.values()))
    ax.loglog(count, steps, "o-", color=BLUE, markersize=4)
    ax.loglog(count, steps[0] / count, ":", color=INK, linewidth=0.9)
    ax.annotate(
        "all busy", (count[-1], steps[0] / count[-1]), (-6, 4), textcoords="offset points", ha="right"
    )
    table = float(TURNEY_5.multiplications(n) + TURNEY_5.additions(n))
    ax.axhline(table, color=ORANGE, linestyle="--", linewidth=1.2)
    ax.annotate("Table 5", (count[-1], table), (0, 3), textcoords="offset points", ha="right")
    ax.set_xticks(count, [str(p) for p in count], minor=False)
    ax.set_xticks([], minor=True)
    ticks = [50, 100, 200, 500, 1000]
    ax.set_yticks(ticks, [str(t) for t in ticks], minor=False)
    ax.set_yticks([], minor=True)
    ax.set_xlabel("processors")
    ax.set_title(f"steps of our kernel, n = {n}")


def integration_figure(found: Integration) -> Figure:
    """Change of energy over the step of a Runge-Kutta integration."""
    figure, (ax,) = grid(3.2)
    ax.loglog(1e3 * found.steps, found.drift, "o", color=BLUE, label="simulated")
    law = found.drift[-1] * (found.steps / found.steps[-1]) ** 4
    ax.loglog(1e3 * found.steps, law, "--", color=INK, label="fourth power of the step")
    ticks = 1e3 * np.sort(found.steps)
    ax.set_xticks(ticks, [f"{t:g}" for t in ticks], minor=False)
    ax.set_xticks([], minor=True)
    ax.set_xlabel("step [ms]")
    ax.set_ylabel("change of energy [J]")
    legend_below(figure, ax)
    return figure


def misprint_figure(rows: list[list[object]]) -> Figure:
    """Median torque errors of the misprints as bars."""
    shown = [row for row in rows if row[0] != "none"]
    figure, (ax,) = grid(2.8)
    values = [float(str(row[-1])) for row in shown]
    places = np.arange(len(shown))[::-1]
    ax.barh(places, values, color=PINK, height=0.6)
    ax.set_yticks(places, [str(row[0]) for row in shown])
    for place, value in zip(places, values, strict=True):
        ax.annotate(f"{value:g} %", (value, place), (4, 0), textcoords="offset points", va="center")
    ax.set_xlim(0, 1.12 * max(values))
    ax.set_xlabel("median error of the torques [%]")
    ax.grid(axis="y", visible=False)
    return figure
