"""Curves over time: how channels, limits and violations are drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.core.text import AngleUnit, number, shown_unit
from linkwork.drawing.style import (
    COLORS,
    INK,
    LEGEND_COLUMNS,
    MUTED,
    VIOLATION,
    WIDTH,
    grid,
    legend_beside,
    style,
)
from linkwork.robot.limits import Quantity, intervals
from linkwork.robot.robot import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST = 800  # samples drawn of a curve; more cannot be seen
NEAR = 1.6  # a limit within this multiple of the values is drawn, one beyond is named only
DASHES = ("-", (0, (4, 1.5)), (0, (1.2, 1.2)))
LEGEND_LINE = 0.22  # inches


def look(k: int) -> dict[str, Any]:
    """Color of channel k; dashes when colors are used up."""
    return {"color": COLORS[k % len(COLORS)], "linestyle": DASHES[k // len(COLORS) % len(DASHES)]}


def literal(name: str) -> str:
    """A name as matplotlib shows it: no formula, and not left out of legends."""
    name = name.replace("$", r"\$")
    return f" {name}" if name.startswith("_") else name


def thinned(time: Array, values: Array) -> tuple[Array, Array]:
    """A curve with fewer samples that keeps every peak: least and greatest of each bin."""
    if len(time) <= MOST:
        return time, values
    finite = np.flatnonzero(np.isfinite(values))
    edges = np.linspace(0, len(time), MOST // 2 + 1).astype(int)
    bins = np.searchsorted(edges, finite, side="right")
    order = np.lexsort((values[finite], bins))  # within each bin from least to greatest
    ends = np.flatnonzero(np.diff(bins, prepend=-1, append=len(edges) + 1))
    extremes = finite[order][np.concatenate([ends[:-1], ends[1:] - 1])] if len(finite) else finite
    index = np.unique(np.concatenate([[0, len(time) - 1], extremes]))
    return time[index], values[index]


def draw_curve(ax: Axes, time: Array, values: Array, **options: Any) -> None:
    ax.plot(*thinned(time, values), **options)


def draw_compared(ax: Axes, time: Array, curves: Mapping[str, Array], first_look: int = 0) -> None:
    """Curves that may lie on each other, all of them seen: the first broad and pale, others dashed."""
    for j, (label, values) in enumerate(curves.items(), first_look):
        width, strength = (4.5, 0.4) if j == 0 else (1.3, 1.0)
        dashes = ("-", "-", (0, (4, 2)), (0, (1.2, 1.4)))[min(j, 3)]
        options: dict[str, Any] = {"linewidth": width, "alpha": strength, "linestyle": dashes}
        draw_curve(ax, time, values, label=label, color=COLORS[j % len(COLORS)], **options)


def draw_channels(ax: Axes, time: Array, what: Quantity) -> None:
    """All channels of a quantity, its limits where they are near, and where they are broken."""
    for k, name in enumerate(what.channels):
        draw_curve(ax, time, what.values[:, k], label=literal(name), **look(k))
    draw_limits(ax, time, what)
    finish(ax, time)


def draw_energy(ax: Axes, time: Array, kinetic: Array, potential: Array) -> None:
    """Energies from the start of the motion; where two agree, both can be seen."""
    rise = potential - potential[0]
    for values, label, color, width in (
        (kinetic + rise, "total, from start", INK, 2.8),
        (rise, "potential, from start", COLORS[1], 1.4),
        (kinetic, "kinetic", COLORS[0], 1.4),
    ):
        draw_curve(ax, time, values, label=label, color=color, linewidth=width)
    ax.set_ylabel("energy [J]")
    finish(ax, time)
    legend_beside(ax)


def draw_limits(ax: Axes, time: Array, what: Quantity) -> None:
    """Dashed limits, and red where one is broken: a band over its time and behind the curve itself."""
    broken = what.broken
    for start, end in intervals(time, np.asarray(broken.any(axis=1))):
        ax.axvspan(start, end, color=VIOLATION, alpha=0.13, linewidth=0)
    for k in range(len(what.channels)):
        if broken[:, k].any():
            beyond = np.where(broken[:, k], what.values[:, k], np.nan)
            ax.plot(time, beyond, color=VIOLATION, alpha=0.4, linewidth=5.0, zorder=1.8)
    for bound in sorted({*near_limits(what)}):
        ax.axhline(bound, color=VIOLATION, linewidth=1.0, linestyle=(0, (5, 2)), zorder=1.5)


def near_limits(what: Quantity) -> list[float]:
    """Limits that the values come near."""
    finite = what.values[np.isfinite(what.values)]
    if not finite.size:
        return []
    least, most = float(finite.min()), float(finite.max())
    room = max(NEAR * max(abs(least), abs(most)), 1e-300)
    span = max(most - least, 0.25 * room)
    near = [float(b) for b in what.high if np.isfinite(b) and b < max(most + span, most * NEAR)]
    return near + [float(b) for b in what.low if np.isfinite(b) and b > min(least - span, least * NEAR)]


def limit_words(what: Quantity) -> str:
    """The limits of one channel in words, for the head of its panel."""
    low, high, unit = float(what.low[0]), float(what.high[0]), what.units[0]
    if not what.bounded:
        return ""
    return f"limit{'' if low == -high else 's'} {span(low, high)} {unit}"


def span(low: float, high: float) -> str:
    """What is allowed: ±100, or −1 … 2."""
    if low == -high:
        return f"±{number(high)}"
    return f"{number(low)} … {number(high)}".replace("-", "−")


def as_shown(what: Quantity, angles: AngleUnit) -> Quantity:
    """The same quantity in the units in which people read it."""
    factors, units = zip(*(shown_unit(unit, angles) for unit in what.units), strict=True)
    scale = np.array(factors)
    return replace(
        what,
        units=units,
        values=what.values * scale,
        low=what.low * scale,
        high=what.high * scale,
    )


def time_panels(
    titles: Sequence[str], labels: Sequence[str], legend: int = 0, time_label: str = "time [s]"
) -> tuple[Figure, list[Axes]]:
    """Panels over a common time, two in a row, each with its title and the label of its values.

    Panels of equal size have margins that are known beforehand; to let matplotlib find them takes as
    long as drawing the figure. `legend` is the number of its entries, below the panels.
    """
    count = len(titles)
    columns = min(2, count)
    above, below = 0.3, 0.55 + LEGEND_LINE * -(-legend // LEGEND_COLUMNS)  # inches
    figure, axes = grid(1.7, count, columns, above + below, sharex=True)
    figure.set_layout_engine(None)
    height = figure.get_figheight()
    figure.subplots_adjust(
        left=0.72 / WIDTH,
        right=1 - 0.12 / WIDTH,
        top=1 - above / height,
        bottom=below / height,
        hspace=0.3,
        wspace=0.3,
    )
    with style():
        for k, ax in enumerate(axes):
            ax.set_title(literal(titles[k]))
            if k % columns == 0 or len(set(labels)) > 1:
                ax.set_ylabel(labels[k])
            ax.locator_params(axis="y", nbins=5)
            if k >= count - columns:
                ax.set_xlabel(time_label)
                ax.tick_params(labelbottom=True)
        figure.align_ylabels()
    return figure, axes


def finish(ax: Axes, time: Array) -> None:
    """The whole time and no more; zero as a line where it is in sight."""
    ax.set_xlim(float(time[0]), float(time[-1]))
    least, most = ax.get_ylim()
    if most - least < 1e-9 * max(abs(least), abs(most), 1e-300):
        middle = (least + most) / 2
        ax.set_ylim(middle - 1, middle + 1)
    if ax.get_ylim()[0] < 0 < ax.get_ylim()[1]:
        ax.axhline(0.0, color=MUTED, linewidth=0.6, zorder=1.2)
