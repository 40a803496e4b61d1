"""The page of a workspace: excursions, slices, volumes, and what ends them."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.analysis.region import Indices
from linkwork.analysis.workspace import (
    CONDITION,
    FREQUENCY,
    HOLDING,
    KINDS,
    MANIPULABILITY,
    STIFFNESS,
    Reached,
    Slice,
)
from linkwork.core.text import AngleUnit, number, shown, shown_unit
from linkwork.drawing.style import COLORS, INK, grid, style
from linkwork.reports.inverse import add_robot
from linkwork.reports.page import Page
from linkwork.robot.robot import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# What the maps of a slice show.
MEANINGS = {
    CONDITION: "condition number",
    HOLDING: "greatest effort that holds the pose",
    FREQUENCY: "lowest natural frequency with the actuators held",
    STIFFNESS: "minimum translational stiffness",
    MANIPULABILITY: "manipulability at the solution found",
}
POWERS = {1: "", 2: "²", 3: "³"}
PALE = 0.35  # of the colors of limits outside the workspace


def workspace_report(
    found: Reached, command: str | None = None, advance: Callable[[int], None] = lambda done: None
) -> Page:
    """A page about how far a robot, or the tip of an arm, reaches."""
    page = Page(f"Workspace of {found.robot.name}", _summary(found), command, advance)
    if found.excursions:
        page.section(f"Excursions from {found.middle}")
        _excursions(page, found)
    if found.space:
        page.section("In space" + (", with the orientation of home" if found.turns else ""))
        for axes in combinations(found.main_axes, 2):
            _slice(page, found, *axes)
        page.text(_content(found))
    if len(found.turns) > 1 or not found.space:
        page.section("Angles" + (f" at the position of {found.middle}" if found.space else ""))
        for axes in combinations(found.turns[:3], 2):
            _slice(page, found, *axes)
        if not found.space:
            page.text(_content(found))
    if found.tool_box is not None:
        page.section("Where the tool goes")
        page.text(tool_in_words(found.tool_box))
    page.section("Conditions")
    page.text("What belongs to the workspace keeps " + "; ".join(found.conditions) + ".")
    page.section("The robot")
    add_robot(page, found.robot)
    return page


def tool_in_words(box: tuple[Array, Array]) -> str:
    """The box of the tool's places."""
    ranges = [f"{axis} {number(x)} to {number(y)} m" for axis, x, y in zip("xyz", *box, strict=True)]
    return f"At random positions within the limits the tool was found between {', '.join(ranges)}."


def _content(found: Reached) -> str:
    region, axes, unit = found.main, found.main_axes, "m" if found.space else "rad"
    low, high = region.extent
    sizes = " x ".join(number(value, 3) for value in high - low)
    whole = unit + POWERS[len(axes)]
    where = "a box" if len(axes) > 1 else "a range"
    given = f"With the others at {found.middle}" if len(axes) < len(found.axes) else "In all"
    return (
        f"{given}, {', '.join(axes)} reach {number(region.content, 3)} {whole}, found to lie between "
        f"{number(region.bounds[0], 3)} and {number(region.bounds[1], 3)} {whole} by halving the cells "
        f"of the boundary down to {shown(float(region.edges.max()), unit)}; this fits into {where} of "
        f"{sizes} {unit}. {_ended_by(region.kinds)}"
    )


def _summary(found: Reached) -> str:
    if not found.excursions:
        return f"The tip of {found.robot.name}: {_content(found)}"
    words = []
    for one in found.excursions:
        factor, unit = shown_unit(one.unit, found.robot.angle_unit)
        low, high = (factor * (end - found.start(one.axis)) for end in (one.lowest, one.highest))
        words.append(f"{one.axis} {number(low, 3)} to +{number(high, 3)} {unit}")
    ends = [limit for one in found.excursions for limit in (one.lowest_limit, one.highest_limit)]
    named = [kind for kind in dict.fromkeys(ends) if kind]
    return (
        f"How far {found.robot.name} goes from {found.middle}, one coordinate at a time: "
        f"{', '.join(words)}. Ended by: {', '.join(named) or 'nothing'}."
    )


def _excursions(page: Page, found: Reached) -> None:
    rows: list[list[object]] = []
    for one in found.excursions:
        factor, unit = shown_unit(one.unit, found.robot.angle_unit)
        rows.append(
            [
                found.named(one.axis),
                f"{number(factor * (one.lowest - found.start(one.axis)))} {unit}",
                one.lowest_limit or "-",
                f"+{number(factor * (one.highest - found.start(one.axis)))} {unit}",
                one.highest_limit or "-",
            ]
        )
    page.table(
        ("axis", "lowest", "limited by", "highest", "limited by "),
        rows,
        f"How far each coordinate goes alone, from {found.middle}, and which limit ends it.",
    )


def _ended_by(kinds: Indices) -> str:
    if not len(kinds):
        return "Nothing ends it."
    counts = np.bincount(kinds, minlength=len(KINDS))
    parts = [
        f"{KINDS[k]} {100 * counts[k] / counts.sum():.0f} %" for k in np.argsort(-counts) if counts[k]
    ]
    return f"Its boundary is made by: {', '.join(parts)}."


def _slice(page: Page, found: Reached, first: str, second: str) -> None:
    one = found.slice(first, second)
    unit = {("m", "m"): "m²", ("rad", "rad"): "rad²"}.get(one.units, "m rad")
    others = f", the other coordinates at {found.middle}" if len(found.axes) > 2 else ""
    page.figure(
        slice_figure(one, found.robot.angle_unit, found.robot.efforts.units[0]),
        f"Workspace in {first} and {second}{others}: {number(one.region.content, 3)} {unit}. Inside: "
        f"{'; '.join(MEANINGS[name] for name in one.maps)}. Outside: the limit that ends it.",
        re.sub(r"[^\w-]", "-", f"slice-{first}-{second}"),
    )


def slice_figure(one: Slice, angles: AngleUnit = "deg", effort: str = "N") -> Figure:
    """Numbers over a slice, and what ends it."""
    maps = [_scaled(name, values, effort) for name, values in one.maps.items()]
    columns = min(len(maps), 2)
    figure, axes = grid(3.4 if columns > 1 else 4.2, len(maps), columns)
    factors, units = zip(*(shown_unit(unit, angles) for unit in one.units), strict=True)
    x, y = factors[0] * one.first, factors[1] * one.second
    with style():
        for ax, (values, label) in zip(axes, maps, strict=True):
            _limits(ax, one, x, y)
            if np.isfinite(values).any():
                least = float(np.nanmin(values))  # what is constant but for rounding has one color
                most = max(float(np.nanmax(values)), least + 1e-6 * abs(least))
                look: dict[str, Any] = {"shading": "nearest", "cmap": "viridis", "rasterized": True}
                mesh = ax.pcolormesh(x, y, values.T, vmin=least, vmax=most, **look)
                figure.colorbar(mesh, ax=ax, label=label, shrink=0.9)
            ax.plot(
                *(factor * x for factor, x in zip(factors, one.at, strict=True)),
                "+",
                color=INK,
                markersize=8,
            )
            ax.set_xlabel(f"{one.axes[0]} [{units[0]}]")
            ax.set_ylabel(f"{one.axes[1]} [{units[1]}]")
            ax.set_xlim(x[0], x[-1])
            ax.set_ylim(y[0], y[-1])
            if units[0] == units[1] == "m":
                ax.set_aspect("equal")
            ax.grid(False)
        _legend(figure, one)
    return figure


def _scaled(name: str, values: Array, effort: str) -> tuple[Array, str]:
    """Numbers in the unit in which they are drawn, and their label."""
    if name == HOLDING:
        heavy = np.nanmax(values, initial=0.0) >= 1e4
        return (1e-3 * values, f"{name} [k{effort}]") if heavy else (values, f"{name} [{effort}]")
    return (values / 1e6, name.replace("N/m", "N/µm")) if name == STIFFNESS else (values, name)


def _limits(ax: Axes, one: Slice, x: Array, y: Array) -> None:
    """Outside, the color of the limit that is broken most."""
    from matplotlib.colors import BoundaryNorm, ListedColormap

    colors = ListedColormap([_pale(COLORS[k % len(COLORS)]) for k in range(len(KINDS))])
    kinds = np.where(one.kind < 0, np.nan, one.kind)
    norm = BoundaryNorm(np.arange(len(KINDS) + 1) - 0.5, len(KINDS))
    ax.pcolormesh(x, y, kinds.T, cmap=colors, norm=norm, shading="nearest", rasterized=True)


def _pale(color: str) -> tuple[float, float, float]:
    from matplotlib.colors import to_rgb

    r, g, b = (1 - PALE * (1 - part) for part in to_rgb(color))
    return r, g, b


def _legend(figure: Figure, one: Slice) -> None:
    from matplotlib.patches import Patch

    present = [k for k in range(len(KINDS)) if (one.kind == k).any()]
    handles = [Patch(facecolor=_pale(COLORS[k % len(COLORS)]), label=KINDS[k]) for k in present]
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles), title="limited by")
