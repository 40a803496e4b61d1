"""A mechanism drawn along its motion, from three sides."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from linkwork.analysis.skeleton import Skeleton, skeleton
from linkwork.interface.robot import Array, Robot
from linkwork.plotting.drawing import FRONT, SLANTED, TOP, Drawing
from linkwork.plotting.lines import literal, look
from linkwork.plotting.style import INK, MUTED, new_figure, style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

INSTANTS = 5
FAINTEST, FAINT = 0.16, 0.42
PATH_SAMPLES = 200
LEGEND_COLUMNS = 7
THICK, THIN = (4.0, 2.2), (1.8, 1.1)  # widths of rods: at the last instant, at the others


def mechanism_figure(robot: Robot, time: Array, position: Array) -> Figure:
    """The mechanism at five instants, faint to strong, and the path of its tip or reference point.

    Args:
        position: joints (N, n) of an arm, poses (N, 7) of a platform.
    """
    shown = np.unique(np.searchsorted(time, np.linspace(time[0], time[-1], INSTANTS)))
    along = np.unique(np.linspace(0, len(time) - 1, PATH_SAMPLES).astype(int))
    parts, path = skeleton(robot, position[shown]), skeleton(robot, position[along]).tip
    names = robot.efforts.names
    figure = new_figure(4.9)
    with style():
        axes = figure.subplot_mosaic([["all", "front"], ["all", "top"]], width_ratios=[1.55, 1])
        for name, view in (("all", SLANTED), ("front", FRONT), ("top", TOP)):
            ax = axes[name]
            drawing = Drawing(ax, view)
            draw_skeleton(drawing, parts, names if name == "all" else ())
            drawing.path(path)
            ax.set_aspect("equal", adjustable="datalim")
            ax.margins(0.06)
            if name == "all":
                drawing.directions()
                box = ax.dataLim
                ax.update_datalim([(box.x0, box.y0 - 0.14 * box.height)])  # room for the directions
                ax.autoscale_view()
                ax.set_axis_off()
            else:
                ax.set_title(name)
                ax.locator_params(nbins=4)
                ax.set_xlabel("x [m]")
                ax.set_ylabel("z [m]" if name == "front" else "y [m]")
        handles, labels = axes["all"].get_legend_handles_labels()
        if handles:
            figure.legend(
                handles, labels, loc="outside lower center", ncols=min(len(labels), LEGEND_COLUMNS)
            )
    return figure


def draw_skeleton(drawing: Drawing, parts: Skeleton, names: tuple[str, ...]) -> None:
    """All instants; actuators of the last one in their colours, with names if there are any."""
    count = len(parts.tip)
    # Actuators are named at their axes or by numbers; cylinders that have neither, by their lines.
    unnamed = {rod.actuator for rod in parts.rods} - {None, *(axis.actuator for axis in parts.axes)}
    unnamed -= {actuator for _, actuator in parts.marks}
    faint = np.linspace(FAINTEST, FAINT, max(count - 1, 1))
    for at, strength in enumerate([*faint[: count - 1], 1.0]):
        last = at == count - 1
        for rod in parts.rods:
            name = None
            if last and names and rod.actuator is not None and rod.actuator in unnamed:
                unnamed.remove(rod.actuator)
                name = literal(names[rod.actuator])
            plain = INK if rod.actuator is None else look(rod.actuator)["color"]
            widths = THICK if rod.thick else THIN
            drawing.line(
                rod.points[at],
                plain if last else MUTED,
                widths[0 if last else 1],
                alpha=strength,
                solid_capstyle="round" if rod.actuator is None else "butt",
                label=name,
            )
        for plate in parts.plates:
            if plate.moves:
                drawing.area(plate.points[at], INK if last else MUTED, strength)
    for plate in parts.plates:
        colour = INK if plate.moves else MUTED
        if not plate.moves:
            drawing.area(plate.points[-1], MUTED, 0.9)
        if parts.marks:
            for point in plate.points[-1]:
                drawing.point(point, colour, 3.5 if plate.moves else 4.0)
    for place in parts.joints:
        drawing.point(place[-1], MUTED, 2.5)
    size = float(np.ptp(np.concatenate([r.points[-1] for r in parts.rods]), axis=0).max()) or 1.0
    for axis in parts.axes:
        half = 0.035 * size * axis.direction[-1]
        drawing.line(
            [axis.point[-1] - half, axis.point[-1] + half],
            look(axis.actuator)["color"],
            4.0 if axis.slides else 7.0,
            lift=0.5,
            solid_capstyle="butt",
            label=literal(names[axis.actuator]) if names else None,
        )
    middle = np.mean([place for place, _ in parts.marks], axis=0) if parts.marks else np.zeros(3)
    for place, actuator in parts.marks if names else ():
        drawing.name(place, str(actuator + 1), drawing.along(place - middle, 9.0))
