"""Bodies drawn over a robot, each as the solid ellipsoid with its mass and inertia."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from linkwork.drawing.projection import SLANTED, Drawing, sketch
from linkwork.drawing.shape import placed
from linkwork.drawing.style import MUTED, style
from linkwork.drawing.time_plots import look
from linkwork.reports.figures import draw_shape
from linkwork.robot.robot import Array, Robot

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from linkwork.model.geometry import Body, Transform

CIRCLE = np.linspace(0.0, 2 * np.pi, 49)


def ellipsoid(body: Body) -> tuple[Array, Array]:
    """Semi-axes (3,) and their directions (3, 3) of the solid with this mass and inertia."""
    moments, axes = np.linalg.eigh(body.inertia)
    squares = 2.5 * (moments.sum() - 2 * moments) / body.mass
    return np.sqrt(np.maximum(squares, 0.0)), axes


def draw_body(drawing: Drawing, body: Body, frame: Transform | None, color: str, width: float) -> None:
    """Three great circles and the center of mass; a body's numbers are in a frame, or in base axes."""
    R, p = (np.eye(3), np.zeros(3)) if frame is None else (frame.R, frame.p)
    semi, axes = ellipsoid(body)
    center, ways = R @ body.center_of_mass + p, R @ axes * semi
    for k in range(3):
        u, v = ways[:, (k + 1) % 3], ways[:, (k + 2) % 3]
        circle = center + np.outer(np.cos(CIRCLE), u) + np.outer(np.sin(CIRCLE), v)
        drawing.line(circle, color, width, lift=1.0)
    drawing.point(center, color, 2.5 * width)


def payload_figure(robot: Robot, body: Body, frame: Transform) -> Figure:
    """The robot at home with the load at its tool, joined to the tool's origin."""
    figure, drawing = sketch(4.2, SLANTED)
    color = str(look(1)["color"])
    with style():
        draw_shape(drawing, placed(robot, robot.home[None]), ())
        draw_body(drawing, body, frame, color, 1.4)
        center = frame.R @ body.center_of_mass + frame.p
        drawing.line([frame.p, center], color, 1.2, linestyle=(0, (2, 2)))
        drawing.directions()
    return figure


def bodies_figure(before: Robot, after: Robot) -> Figure:
    """The robot at home, with the bodies of the file thin and gray, those of another robot in color."""
    figure, drawing = sketch(4.8, SLANTED)
    with style():
        draw_shape(drawing, placed(after, after.home[None]), ())
        for robot, color, width in ((before, MUTED, 0.8), (after, str(look(1)["color"]), 1.3)):
            for part in robot.mechanism.parts:
                if part.body.mass > 0:
                    draw_body(drawing, part.body, None, color, width)
        drawing.directions()
    return figure
