"""The page of a workspace: excursions, slices, volumes, and what ends them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.analysis.arm_workspace import ArmSlice, ArmWorkspace
from linkwork.analysis.workspace import AXES, KINDS, NAMES, Slice, Workspace
from linkwork.formatting import AngleUnit, number, shown, shown_unit
from linkwork.plotting.style import COLOURS, INK, MUTED, new_figure, style
from linkwork.reports.inverse import add_robot
from linkwork.reports.page import Page

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SPACE = (("x", "y"), ("x", "z"), ("y", "z"))
TURNING = (("roll", "pitch"), ("roll", "yaw"), ("pitch", "yaw"))
BELOW = " Below: vibration and stiffness with the actuators held."
VERBS = {"roll": "rolls", "pitch": "pitches", "yaw": "yaws"}
PALE = 0.35  # of the colours of limits outside the workspace


def workspace_report(
    found: Workspace, command: str | None = None, advance: Callable[[int], None] = lambda done: None
) -> Page:
    """A page about how far a platform reaches."""
    page = Page(f"Workspace of {found.robot.name}", _summary(found), command, advance)
    page.section("Excursions from home")
    _excursions(page, found)
    page.section("In space, with the orientation of home")
    for axes in SPACE:
        _slice(page, found.slice(*axes), found.robot.angle_unit)
    volume = found.volume
    low, high = volume.extent
    sizes = " x ".join(number(value, 3) for value in high - low)
    page.text(
        f"With this orientation the reference point reaches {number(volume.content, 3)} m³, found to "
        f"lie between {number(volume.bounds[0], 3)} and {number(volume.bounds[1], 3)} m³ by halving the "
        f"cells of its boundary down to {shown(float(volume.edges.max()), 'm')}; it fits into a box of "
        f"{sizes} m. {_ended_by(volume.kinds)}"
    )
    page.section("Orientations at home's position")
    for axes in TURNING:
        _slice(page, found.slice(*axes), found.robot.angle_unit)
    page.section("What was asked")
    page.text(_conditions(found))
    page.section("The robot")
    add_robot(page, found.robot)
    return page


def arm_workspace_report(
    found: ArmWorkspace, command: str | None = None, advance: Callable[[int], None] = lambda done: None
) -> Page:
    """A page about where the tip of an arm can go."""
    region, unit = found.region, "m³" if len(found.moving_axes) == 3 else "m²"
    words = f"The tip of {found.arm.name} stays within {shown(found.radius, 'm')} of its first joint."
    words += (
        f" It reaches {number(region.content, 3)} {unit} "
        + ("in any orientation." if found.orientation is None else "in the orientation asked for.")
        + f" (Between {number(region.bounds[0], 3)} and {number(region.bounds[1], 3)} {unit}.)"
    )
    page = Page(f"Workspace of {found.arm.name}", words, command, advance)
    page.section("Slices through the tip's place at home")
    for axes in SPACE:
        if {*axes} <= {*found.moving_axes}:
            one = found.slice(*axes)
            page.figure(
                arm_slice_figure(one),
                f"Reach in {axes[0]} and {axes[1]}: {number(one.region.content, 3)} m². Colour: "
                "manipulability at the solution found, of "
                + ("positions alone." if found.orientation is None else "positions and turns."),
                f"reach-{axes[0]}{axes[1]}",
            )
    page.section("The robot")
    add_robot(page, found.arm)
    return page


def _summary(found: Workspace) -> str:
    heave = found.excursions[2]
    words = [
        f"From home, {found.robot.name} heaves from {number(heave.lowest - found.pose[2], 3)} to "
        f"+{number(heave.highest - found.pose[2], 3)} m"
    ]
    factor, unit = shown_unit("rad", found.robot.angle_unit)
    for k in (3, 4, 5):
        one = found.excursions[k]
        low, high = (factor * float(end - found.pose[k]) for end in (one.lowest, one.highest))
        words.append(f"{VERBS[NAMES[k]]} from {number(low, 3)} to +{number(high, 3)} {unit}")
    ends = [limit for one in found.excursions for limit in (one.lowest_limit, one.highest_limit)]
    named = [kind for kind in dict.fromkeys(ends) if kind]
    return f"{', '.join(words)}. Single-axis excursions are ended by: {', '.join(named) or 'nothing'}."


def _conditions(found: Workspace) -> str:
    limits = found.robot.limits
    asked = [
        "leg lengths" if np.isfinite(limits.position).any() else "",
        "forces that hold the pose at rest" if np.isfinite(limits.effort).any() else "",
        "angles of the joints, as far as the robot file bounds them",
        f"a least singular value of the Jacobian above {number(found.clearance)}, on home's side of "
        "every singularity",
        f"legs of {number(1e3 * found.leg_diameter)} mm do not touch" if found.leg_diameter else "",
    ]
    return "A pose belongs to the workspace if it keeps " + "; ".join(filter(None, asked)) + "."


def _excursions(page: Page, found: Workspace) -> None:
    rows: list[list[object]] = []
    for k, one in enumerate(found.excursions):
        factor, unit = shown_unit(one.unit, found.robot.angle_unit)
        rows.append(
            [
                NAMES[k],
                f"{number(factor * (one.lowest - found.pose[k]))} {unit}",
                one.lowest_limit or "-",
                f"+{number(factor * (one.highest - found.pose[k]))} {unit}",
                one.highest_limit or "-",
            ]
        )
    page.table(
        ("axis", "lowest", "ended by", "highest", "ended by "),
        rows,
        "How far each coordinate goes alone, from home, and which limit ends it.",
    )


def _ended_by(kinds: Any) -> str:
    if not len(kinds):
        return "Nothing ends it."
    counts = np.bincount(kinds, minlength=len(KINDS))
    parts = [
        f"{KINDS[k]} {100 * counts[k] / counts.sum():.0f} %" for k in np.argsort(-counts) if counts[k]
    ]
    return f"Its boundary is made by: {', '.join(parts)}."


def _slice(page: Page, one: Slice, angles: AngleUnit) -> None:
    first, second = one.axes
    unit = "m²" if first in AXES[:3] else "rad²"
    page.figure(
        slice_figure(one, angles),
        f"Workspace in {first} and {second}, the other coordinates at home: "
        f"{number(one.region.content, 3)} {unit}. Left: condition number inside, and the limit that "
        "ends it outside. Right: greatest force that holds the pose."
        + (
            " Below: vibration and stiffness with the actuators held."
            if one.map.stiffness is not None
            else ""
        ),
        f"slice-{first}-{second}",
    )


def slice_figure(one: Slice, angles: AngleUnit = "deg") -> Figure:
    """Condition number and holding force over a slice, and what ends it."""
    maps = [
        (one.map.condition, "condition number"),
        (one.map.holding_force / 1e3, "holding force [kN]"),
    ]
    if one.map.frequency is not None and one.map.stiffness is not None:
        maps += [
            (one.map.frequency, "lowest natural frequency [Hz]"),
            (one.map.stiffness / 1e6, "softest translation [N/µm]"),
        ]
    figure = new_figure(1.7 * len(maps))
    si = ("m" if axis in AXES[:3] else "rad" for axis in one.axes)
    factors, units = zip(*(shown_unit(unit, angles) for unit in si), strict=True)
    x, y = factors[0] * one.map.first, factors[1] * one.map.second
    with style():
        axes = figure.subplots(len(maps) // 2, 2, squeeze=False).flat
        for ax, (values, label) in zip(axes, maps, strict=True):
            _limits(ax, one, x, y)
            if np.isfinite(values).any():
                mesh = ax.pcolormesh(x, y, values.T, shading="nearest", cmap="viridis", rasterized=True)
                figure.colorbar(mesh, ax=ax, label=label, shrink=0.9)
            home = [factors[k] * one.pose[AXES.index(axis)] for k, axis in enumerate(one.axes)]
            ax.plot(*home, "+", color=INK, markersize=8)
            ax.set_xlabel(f"{one.axes[0]} [{units[0]}]")
            ax.set_ylabel(f"{one.axes[1]} [{units[1]}]")
            ax.set_xlim(x[0], x[-1])
            ax.set_ylim(y[0], y[-1])
            if units[0] == units[1] == "m":
                ax.set_aspect("equal")
            ax.grid(False)
        _legend(figure, one)
    return figure


def _limits(ax: Axes, one: Slice, x: Any, y: Any) -> None:
    """Outside, the colour of the limit that is broken most."""
    from matplotlib.colors import BoundaryNorm, ListedColormap

    colours = ListedColormap([_pale(COLOURS[k % len(COLOURS)]) for k in range(len(KINDS))])
    kinds = np.where(one.map.kind < 0, np.nan, one.map.kind)
    norm = BoundaryNorm(np.arange(len(KINDS) + 1) - 0.5, len(KINDS))
    ax.pcolormesh(x, y, kinds.T, cmap=colours, norm=norm, shading="nearest", rasterized=True)


def _pale(colour: str) -> tuple[float, float, float]:
    from matplotlib.colors import to_rgb

    r, g, b = (1 - PALE * (1 - part) for part in to_rgb(colour))
    return r, g, b


def _legend(figure: Figure, one: Slice) -> None:
    from matplotlib.patches import Patch

    present = [k for k in range(len(KINDS)) if (one.map.kind == k).any()]
    handles = [Patch(facecolor=_pale(COLOURS[k % len(COLOURS)]), label=KINDS[k]) for k in present]
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles), title="ended by")


def arm_slice_figure(one: ArmSlice) -> Figure:
    """Manipulability over a slice of an arm's reach."""
    figure = new_figure(4.2)
    with style():
        ax = figure.subplots()
        mesh = ax.pcolormesh(
            one.first,
            one.second,
            one.manipulability.T,
            shading="nearest",
            cmap="viridis",
            rasterized=True,
        )
        figure.colorbar(mesh, ax=ax, label="manipulability")
        boundary = one.region.boundary + one.region.edges / 2
        ax.plot(*boundary.T, ",", color=INK)
        columns = [AXES.index(axis) for axis in one.axes]
        ax.plot(*one.at[columns], "+", color=MUTED, markersize=8)
        ax.set_xlabel(f"{one.axes[0]} [m]")
        ax.set_ylabel(f"{one.axes[1]} [m]")
        ax.set_aspect("equal")
    return figure
