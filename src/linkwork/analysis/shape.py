"""What a mechanism looks like: lines and areas through points that are fixed to its bodies.

Body 0 is the base. The others are the links of an arm, the platform, or the bodies of a mechanism, whose
points are those at home in base axes; `analysis/skeleton.py` says where they are at a position.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import singledispatch
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from linkwork.errors import InputError
from linkwork.interface.arm import Arm
from linkwork.interface.platform import Platform
from linkwork.interface.robot import Array, Mechanism, Robot
from linkwork.robots import mechanism as model_of
from linkwork.robots.mechanism import BASE, MechanismModel
from linkwork.robots.mechanism_elements import motor_terms, tool_frame

CYLINDER = 0.55  # share of a leg that is drawn as its lower part
GROUND = 0.07  # half the side of the square below an arm, of the length of its links
SAME = 1e-6  # of the size of a mechanism: points that near are one
FLAT = 0.02  # of its length: a body no wider than this is a line


class Pin(NamedTuple):
    """A point (3,) or a direction of a body, in the body's frame."""

    body: int
    at: Array


@dataclass(frozen=True, eq=False)
class RodShape:
    """A line through points, or the part of a line between two points: from and to by shares of it."""

    pins: tuple[Pin, ...]
    actuator: int | None = None
    thick: bool = True
    part: tuple[float, float] = (0.0, 1.0)


@dataclass(frozen=True, eq=False)
class PlateShape:
    """A rigid area through points."""

    pins: tuple[Pin, ...]
    moves: bool = True


@dataclass(frozen=True, eq=False)
class AxisShape:
    """The axis of an actuated joint: a point and a unit vector."""

    pin: Pin
    direction: Pin
    actuator: int
    slides: bool


@dataclass(frozen=True, eq=False)
class Shape:
    """A mechanism; `marks` are points that do not move, with the number of the actuator there.

    `joints` are the places of joints that have no actuator.
    """

    tip: Pin
    rods: tuple[RodShape, ...]
    plates: tuple[PlateShape, ...] = ()
    axes: tuple[AxisShape, ...] = ()
    marks: tuple[tuple[Pin, int], ...] = ()
    joints: tuple[Pin, ...] = ()


@singledispatch
def shape(robot: Robot) -> Shape:
    """How a robot is drawn."""
    raise InputError(f"{robot.name}: there is no drawing of a {type(robot).__name__}.")


@shape.register
def _arm(robot: Arm) -> Shape:
    """From joint to joint as the links are built: along the joint's axis first, then across it."""
    line, axes = [Pin(0, np.zeros(3))], []
    reach = 0.0
    for k, joint in enumerate(robot.model.joints):
        place = Pin(k, joint.before.p)
        axes.append(AxisShape(place, Pin(k, joint.before.R @ joint.axis), k, not joint.is_revolute))
        inner = joint.after.inverse()
        axis, seat = inner.R @ joint.axis, inner.p  # of the joint, in the frame of its link
        elbow = seat - axis * float(seat @ axis)
        line += [place, Pin(k + 1, seat), Pin(k + 1, elbow), Pin(k + 1, np.zeros(3))]
        reach += float(np.linalg.norm(joint.before.p) + np.linalg.norm(seat))
    corners = GROUND * (reach or 1.0) * np.array([[-1.0, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]])
    ground = PlateShape(tuple(Pin(0, corner) for corner in corners), moves=False)
    return Shape(line[-1], (RodShape(tuple(line)),), (ground,), tuple(axes))


@shape.register
def _platform(robot: Platform) -> Shape:
    """Legs as cylinder and rod between a base and a platform."""
    lower, upper = robot.model.points()
    feet, heads = [Pin(0, point) for point in lower], [Pin(1, point) for point in upper]
    rods = []
    for k, ends in enumerate(zip(feet, heads, strict=True)):
        rods.append(RodShape(ends, k, part=(0.0, CYLINDER)))
        rods.append(RodShape(ends, k, thick=False, part=(CYLINDER, 1.0)))
    plates = (
        PlateShape(tuple(feet[k] for k in around(lower)), moves=False),
        PlateShape(tuple(heads[k] for k in around(upper))),
    )
    return Shape(Pin(1, np.zeros(3)), tuple(rods), plates, (), tuple(zip(feet, range(6), strict=True)))


@shape.register
def _mechanism(robot: Mechanism) -> Shape:
    """Every body through the points where joints, rods and cylinders hold it; these as lines."""
    model = robot.mechanism
    number = {BASE: 0, **{part.name: k for k, part in enumerate(model.parts, 1)}}
    driver = {
        name: k for k, terms in reversed([*enumerate(motor_terms(model).values())]) for name, _ in terms
    }
    drives = {joint.joins[1]: driver[joint.name] for joint in model.joints if joint.name in driver}
    rods, plates, joints, axes = [], [], [], []
    for body, points in _held_points(model).items():
        lines, area = _body_lines(points)
        if len(area):
            plates.append(PlateShape(_pins(number[body], area), body != BASE))
            lines += [np.array([*area, area[0]])] if body in drives else []
        rods += [RodShape(_pins(number[body], at), drives.get(body), body in drives) for at in lines]
    for joint in model.joints:
        pin = Pin(number[joint.joins[0]], joint.at)
        if joint.name in driver:
            direction = Pin(pin.body, joint.axes[0])
            axes.append(AxisShape(pin, direction, driver[joint.name], not joint.is_revolute))
        elif joint.kind != "fixed":
            joints.append(pin)
    for strut in model.struts:
        a, b = (number[body] for body in strut.joins)
        ends = Pin(a, strut.start), Pin(b, strut.end)
        joints += ends
        if isinstance(strut, model_of.Rod):
            rods.append(RodShape(ends, drives.get(strut.joins[0]), thick=False))
            continue
        rods.append(RodShape(ends, driver.get(strut.name), part=(0.0, CYLINDER)))
        rods.append(RodShape(ends, driver.get(strut.name), thick=False, part=(CYLINDER, 1.0)))
    body, frame = tool_frame(model)
    tip = Pin(number[body], frame.p)
    return Shape(tip, tuple(rods), tuple(plates), tuple(axes), joints=tuple(joints))


def _pins(body: int, points: Array) -> tuple[Pin, ...]:
    return tuple(Pin(body, at) for at in points)


def _held_points(model: MechanismModel) -> dict[str, Array]:
    """Points (k, 3) of every body at home: where it is held, and the tool; else its mass centre too."""
    found: dict[str, list[Array]] = {BASE: [], **{part.name: [] for part in model.parts}}
    for joint in model.joints:
        for body in joint.joins:
            found[body].append(joint.at)
    for tie in (*model.struts, *model.springs):
        found[tie.joins[0]].append(tie.start)
        found[tie.joins[1]].append(tie.end)
    tool, frame = tool_frame(model)
    found[tool].append(frame.p)
    places = {body: _different(points, SAME * model.size) for body, points in found.items()}
    for part in model.parts:
        if len(places[part.name]) == 1:
            points = [*places[part.name], part.body.center_of_mass]
            places[part.name] = _different(points, SAME * model.size)
    corners = GROUND * model.size * np.array([[-1.0, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]])
    if len(places[BASE]) == 1:
        places[BASE] = places[BASE][0] + corners
    return places


def _different(points: list[Array], near: float) -> Array:
    found: list[Array] = []
    for point in points:
        if all(np.linalg.norm(point - other) > near for other in found):
            found.append(point)
    return np.array(found).reshape(-1, 3)


def _body_lines(points: Array) -> tuple[list[Array], Array]:
    """Lines through the points of a rigid body, and corners of the area that they span."""
    none = np.zeros((0, 3))
    if len(points) < 2:
        return [], none
    centre = points.mean(axis=0)
    _, extent, axes = np.linalg.svd(points - centre)
    flat = (points - centre) @ axes[:2].T
    if len(points) < 3 or extent[1] < FLAT * extent[0]:
        return [points[np.argsort(flat[:, 0])]], none
    from scipy.spatial import ConvexHull

    outer = ConvexHull(flat).vertices  # in order around
    middle = points[outer].mean(axis=0)
    inner = [points[k] for k in range(len(points)) if k not in outer]
    return [np.array([middle, point]) for point in inner], points[outer]


def around(points: Array) -> NDArray[np.intp]:
    """Indices of points (k, 3) in the order in which a polygon goes around them."""
    centre = points.mean(axis=0)
    _, _, axes = np.linalg.svd(points - centre)
    flat = (points - centre) @ axes[:2].T
    return np.argsort(np.arctan2(flat[:, 1], flat[:, 0]))
