"""A robot from the front, from the side and from above, at home, with its dimensions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from linkwork.core.text import number
from linkwork.drawing.projection import FRONT, TOP, Drawing, Projection
from linkwork.drawing.shape import placed
from linkwork.drawing.style import INK, MUTED, PAPER, new_figure, style
from linkwork.reports.figures import draw_shape
from linkwork.robot.robot import Array, Robot

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SIDE = Projection(0.0, 0.0)
AWAY = 0.1  # of the size: from the robot to its first dimension, and from that to the next
OUT = 0.02  # how far extension lines go on


def dimension_figure(robot: Robot, positions: Array) -> Figure:
    """Three views at home with dimensions [mm], and the space that the robot takes at `positions`,
    dashed."""
    home = placed(robot, robot.home[None])
    corners, reached = home.corners[0], placed(robot, positions).corners.reshape(-1, 3)
    views = (("front", FRONT, "x", "z"), ("side", SIDE, "y", "z"), ("top", TOP, "x", "y"))
    spans = [np.ptp(view(reached), axis=0) for _, view, _, _ in views]
    figure = new_figure(
        1.2 + 4.2 * max(span[1] for span in spans) / max(sum(span[0] for span in spans), 1e-9) * 1.6
    )
    with style():
        axes = figure.subplots(1, len(views), width_ratios=[span[0] for span in spans])
        for ax, (name, view, across, up) in zip(axes, views, strict=True):
            drawing = Drawing(ax, view).without_axes()
            draw_shape(drawing, home, ())
            ax.set_title(f"{name}: {across} →, {up} ↑")
            _dimensions(ax, view(corners), view(reached))
    return figure


def _dimensions(ax: Axes, here: Array, all_places: Array) -> None:
    """Width below and height to the left of the robot, then those of all that it takes."""
    size = float(np.ptp(all_places, axis=0).max())
    low, high = all_places.min(axis=0), all_places.max(axis=0)
    x, y = [low[0], high[0], high[0], low[0], low[0]], [low[1], low[1], high[1], high[1], low[1]]
    ax.plot(x, y, color=MUTED, linewidth=0.9, linestyle=(0, (4, 2)))
    step = AWAY * size
    for k, points in enumerate((here, all_places)):
        ends = points.min(axis=0), points.max(axis=0)
        for axis in range(2):
            line = float(low[1 - axis]) - step * (k + 1)
            _dimension(
                ax, axis, float(ends[0][axis]), float(ends[1][axis]), line, float(low[1 - axis]), size
            )
    ax.set_xlim(low[0] - 3.2 * step, high[0] + 0.5 * step)
    ax.set_ylim(low[1] - 3.0 * step, high[1] + 0.5 * step)


def _dimension(
    ax: Axes, axis: int, first: float, last: float, line: float, start: float, size: float
) -> None:
    """A dimension line across (axis 0) or up (1) at a distance, with its length in mm."""
    from matplotlib.patheffects import withStroke

    def place(along: float, away: float) -> tuple[float, float]:
        return (along, away) if axis == 0 else (away, along)

    for end in (first, last):
        ax.plot(
            *zip(place(end, start), place(end, line - OUT * size), strict=True),
            color=MUTED,
            linewidth=0.6,
        )
    ax.annotate(
        "",
        place(first, line),
        xytext=place(last, line),
        arrowprops={"arrowstyle": "<|-|>", "color": INK, "linewidth": 0.8, "shrinkA": 0, "shrinkB": 0},
    )
    ax.text(
        *place((first + last) / 2, line),
        number(1000 * (last - first)),
        ha="center",
        va="center",
        rotation=0 if axis == 0 else 90,
        fontsize=8.5,
        path_effects=[withStroke(linewidth=3.5, foreground=PAPER)],
    )
