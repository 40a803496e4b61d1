"""The page of a certified workspace: slices in three colors, volumes between proven bounds."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from linkwork.core.text import AngleUnit, number, shown_unit
from linkwork.drawing.style import COLORS, INK, grid, style
from linkwork.reports.inverse import add_robot
from linkwork.reports.page import Page

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from linkwork.certification.workspace import CertifiedWorkspace

# Told apart by every eye, and where only gray is left.
STATES = {"inside": COLORS[2], "outside": "#e9ebee", "undecided": COLORS[4]}


def certified_workspace_report(
    found: CertifiedWorkspace,
    slices: Sequence[CertifiedWorkspace],
    command: str | None = None,
    advance: Callable[[int], None] = lambda done: None,
) -> Page:
    """A page about what is proven of a workspace; slices are those of two coordinates each."""
    page = Page(f"Certified workspace of {found.robot.name}", _raised(f"{found}."), command, advance)
    page.section("Proven")
    every = [found, *(each for each in slices if each.axes != found.axes)]
    rows = []
    for each in every:
        low, high = each.volume
        rows.append(
            [
                ", ".join(each.axes),
                f"{number(low, 6)} {_raised(each.unit)}",
                f"{number(high, 6)} {_raised(each.unit)}",
                f"{number(100 * each.gap, 3)} %",
                f"{each.evaluations}",
                f"{number(each.seconds, 3)} s",
            ]
        )
    page.table(
        ("coordinates", "at least", "at most", "open", "boxes", "time"),
        rows,
        "Lengths, areas and volumes lie between these bounds, by interval arithmetic: not by samples.",
    )
    for each in slices:
        first, second = each.axes
        page.figure(
            certified_figure(each, found.robot.angle_unit),
            f"{first} and {second}{_others(each)}: every position in a box "
            "inside keeps all conditions, every position in a box outside breaks one; undecided boxes "
            "are too large to tell.",
            re.sub(r"[^\w-]", "-", f"certified-{first}-{second}"),
        )
    page.section("Conditions")
    page.text("What belongs to the workspace keeps " + "; ".join(found.conditions) + ".")
    page.section("The robot")
    add_robot(page, found.robot)
    return page


def _raised(text: str) -> str:
    return text.replace("^2", "²").replace("^3", "³")


def _others(found: CertifiedWorkspace) -> str:
    names, units = found.robot.coordinates.by_angles.names, found.robot.coordinates.by_angles.units
    told = []
    for name, unit, value in zip(names, units, found.pose.tolist(), strict=True):
        if name not in found.axes:
            factor, word = shown_unit(unit, found.robot.angle_unit)
            told.append(f"{name} {number(factor * value, 4)} {word}")
    return f", the other coordinates at {', '.join(told)}" if told else ""


def certified_figure(found: CertifiedWorkspace, angles: AngleUnit = "deg") -> Figure:
    """Boxes of two coordinates in three colors."""
    from matplotlib.collections import PolyCollection
    from matplotlib.patches import Patch

    factors, units = zip(*(shown_unit(unit, angles) for unit in found.units), strict=True)
    figure, (ax,) = grid(4.2, 1, 1)
    with style():
        for state, color in STATES.items():
            boxes = getattr(found, state)
            low, high = (boxes[:, k] * factors for k in range(2))
            corners = np.stack(
                [
                    low,
                    np.stack([high[:, 0], low[:, 1]], -1),
                    high,
                    np.stack([low[:, 0], high[:, 1]], -1),
                ],
                axis=1,
            )
            shapes = PolyCollection(list(corners), facecolors=color, edgecolors=color, linewidths=0.2)
            shapes.set_rasterized(True)
            ax.add_collection(shapes)
        names = found.robot.coordinates.by_angles.names
        here = [
            factor * found.pose[names.index(axis)]
            for factor, axis in zip(factors, found.axes, strict=True)
        ]
        ax.plot(*here, "+", color=INK, markersize=8)
        ax.set_xlim(found.low[0] * factors[0], found.high[0] * factors[0])
        ax.set_ylim(found.low[1] * factors[1], found.high[1] * factors[1])
        ax.set_xlabel(f"{found.axes[0]} [{units[0]}]")
        ax.set_ylabel(f"{found.axes[1]} [{units[1]}]")
        if units[0] == units[1] == "m":
            ax.set_aspect("equal")
        ax.grid(False)
        handles = [
            Patch(facecolor=color, label=f"proven {state}" if state != "undecided" else state)
            for state, color in STATES.items()
        ]
        figure.legend(handles=handles, loc="outside lower center", ncols=3)
    return figure
