"""The report of a platform's assembly modes: all poses with the same leg lengths, side by side."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from linkwork.core.text import listed, number, shown_unit
from linkwork.drawing.shape import placed
from linkwork.drawing.style import VIOLATION, WIDTH, style
from linkwork.kinematics.assembly_modes import AssemblyModes
from linkwork.kinematics.singularity import grade_of
from linkwork.reports.figures import gallery
from linkwork.reports.inverse import add_robot, add_table
from linkwork.reports.page import Page
from linkwork.reports.tables import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FEW, COLUMNS, MORE_COLUMNS = 12, 3, 4  # drawings in a row, for a few poses and for more
SHAPE = 1.05  # height of a drawing with its title, over its width
ROUNDING = 1e-12


def modes_figure(modes: AssemblyModes, columns: int | None = None, width: float = WIDTH) -> Figure:
    """Every pose drawn from the same side and to the same scale, with what tells it from the others.

    Args:
        columns: drawings in a row; as many as suits their number if nothing is said.
        width: of the figure [inches].
    """
    columns = columns or (COLUMNS if len(modes.poses) <= FEW else MORE_COLUMNS)
    shapes = [placed(modes.platform, pose[None]) for pose in modes.poses]
    names = modes.platform.efforts.names
    figure, axes = gallery(shapes, columns, SHAPE * width / columns, names, width)
    with style():
        for k, ax in enumerate(axes):
            first, *others = modes.notes(k)
            ax.set_title(f"{k + 1}: condition {number(modes.condition[k], 3)}", fontweight="bold")
            ax.text(
                0.0,
                1.0,
                ", ".join([first, *others]),
                transform=ax.transAxes,
                va="top",
                fontsize=8.5,
                color=VIOLATION if others or not modes.within_limits[k] else None,
            )
    return figure


def modes_report(
    modes: AssemblyModes,
    command: str | None = None,
    advance: Callable[[int], None] = lambda done: None,
) -> Page:
    """A page about all poses with the same leg lengths; `advance` is told of every figure."""
    platform = modes.platform
    page = Page(f"{platform.name}: same lengths, other poses", _summary(modes), command, advance)
    page.section("The poses side by side")
    if len(modes.poses):
        page.figure(
            modes_figure(modes),
            "Every pose with these leg lengths, nearest to home first, from the same side and to the "
            "same scale; legs have the colors and numbers of the first drawing. Red: limits are "
            "broken, legs cross, or the pose is singular.",
            "modes",
        )
    add_table(
        page,
        judgment_table(modes),
        "The poses compared. Condition number of J with moments over the platform's size; poses with "
        "different signs of det J are parted by singularities; legs cross where their axes come nearer "
        f"than {number(1e3 * modes.leg_diameter)} mm; solutions that meet make a singular pose.",
    )
    add_table(page, pose_table(modes), "Where the platform is.")
    page.section("The lengths")
    add_table(page, _length_table(modes), "Lengths of the legs in all these poses, and their limits.")
    page.section("The robot")
    add_robot(page, platform)
    return page


def _summary(modes: AssemblyModes) -> str:
    count = len(modes.poses)
    if not count:
        return f"No pose has these leg lengths; {modes.reason}."
    usable = modes.within_limits & ~modes.legs_cross & (modes.multiplicity == 1)
    home = np.sign(np.linalg.det(modes.platform.jacobian(modes.platform.home)))
    lines = [
        f"The same six leg lengths belong to **{count} {'pose' if count == 1 else 'poses'}**; "
        f"{modes.reason}.",
        f"- Within limits, not singular, and with legs that do not cross: {_numbered(usable)}.",
        f"- On the side of the home pose (the same sign of det J): {_numbered(modes.side == home)}. The "
        "platform cannot move to the others without meeting a singularity.",
    ]
    return "\n".join(lines)


def _numbered(which: NDArray[np.bool_]) -> str:
    """Numbers of poses, from 1."""
    found = [str(k + 1) for k in np.flatnonzero(which)]
    return listed(found) if found else "none"


def pose_table(modes: AssemblyModes) -> Table:
    """Places and angles."""
    factor, unit = shown_unit("rad", modes.platform.angle_unit)
    header = ("pose", "x [m]", "y [m]", "z [m]", f"roll [{unit}]", f"pitch [{unit}]", f"yaw [{unit}]")
    size = float(modes.lengths.mean())
    rows = []
    for k, (pose, angles) in enumerate(zip(modes.poses, factor * modes.angles, strict=True)):
        place = [0.0 if abs(value) < ROUNDING * size else float(value) for value in pose[:3]]
        turn = [0.0 if abs(value) < 360 * ROUNDING else float(value) for value in angles]
        rows.append((k + 1, *place, *turn))
    return Table(header, tuple(rows))


def judgment_table(modes: AssemblyModes) -> Table:
    """What each pose is good for."""
    header = ("pose", "condition", "grade", "det J", "limits", "legs apart [mm]", "legs", "solutions")
    signs = {1.0: "+", -1.0: "−", 0.0: "0"}
    rows, marks = [], set()
    for k in range(len(modes.poses)):
        kept, crossing = bool(modes.within_limits[k]), bool(modes.legs_cross[k])
        condition, met = float(modes.condition[k]), int(modes.multiplicity[k])
        rows.append(
            (
                k + 1,
                condition,
                "singular" if met > 1 else grade_of(condition),
                signs[float(modes.side[k])],
                "kept" if kept else "broken",
                1e3 * float(modes.leg_distance[k]),
                "cross" if crossing else "free",
                met,
            )
        )
        wrong = ((2, met > 1), (4, not kept), (6, crossing))
        marks |= {(k, column) for column, is_wrong in wrong if is_wrong}
    return Table(header, tuple(rows), frozenset(marks))


def _length_table(modes: AssemblyModes) -> Table:
    low, high = modes.platform.limits.position.T
    rows, marks = [], set()
    for k, name in enumerate(modes.platform.leg_names):
        bounds = [float(value) if np.isfinite(value) else None for value in (low[k], high[k])]
        rows.append((name, float(modes.lengths[k]), *bounds))
        if not low[k] <= modes.lengths[k] <= high[k]:
            marks.add((k, 1))
    return Table(("leg", "length [m]", "least [m]", "greatest [m]"), tuple(rows), frozenset(marks))
