"""What a mechanism looks like: lines and areas through points that are fixed to its bodies.

Body 0 is the base, the others are those of `robot.mechanism`. Points are those at home in base axes;
`analysis/skeleton.py` says where they are at a position.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from linkwork.interface.robot import Array, Robot
from linkwork.robots.mechanism import BASE, Cylinder, MechanismJoint, MechanismModel
from linkwork.robots.mechanism_elements import motor_terms, tool_frame

CYLINDER = 0.55  # share of a cylinder that is drawn as its barrel
GROUND = 0.08  # half the side of the square below a robot on one joint, of its size
SAME = 1e-6  # of the size of a mechanism: points that near are one
FLAT = 0.02  # of its length: a body no wider than this is a line
ASKEW = 0.2  # sine of the angle from which two axes have a common normal worth following
DETOUR = 1.75  # of the distance: the longest way along axes; three edges of a cube are less


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


class Hold(NamedTuple):
    """Where a body is held: a point, and the axis of a joint that turns or slides there; or the tool."""

    at: Array
    axis: Array | None = None
    is_tool: bool = False


def shape(robot: Robot) -> Shape:
    """Every body through the points where joints, rods and cylinders hold it; these as lines."""
    model = robot.mechanism
    number = {BASE: 0, **{part.name: k for k, part in enumerate(model.parts, 1)}}
    motor = motors(model)
    driven = {joint.joins[1]: motor[joint.name] for joint in model.joints if joint.name in motor}
    # In a chain of motors their axes tell whose link is whose; elsewhere the colours of bodies do.
    is_chain = not model.struts and all(joint.name in motor for joint in model.joints)
    rods, plates = [], []
    places = _holds(model)
    if len(places[BASE]) == 1:  # a square on the ground, and what carries the joint there
        corners = GROUND * model.size * np.array([[-1.0, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]])
        plates.append(PlateShape(_pins(0, corners), moves=False))
        places[BASE] = _different([Hold(np.zeros(3)), *places[BASE]], SAME * model.size)
    for body, holds in places.items():
        lines, area = _body_lines(holds)
        if len(area):
            plates.append(PlateShape(_pins(number[body], area), body != BASE))
            lines += [np.array([*area, area[0]])] if body in driven else []
        drive = None if is_chain else driven.get(body)
        rods += [RodShape(_pins(number[body], line), drive, body in driven) for line in lines]
    axes, joints = [], []
    for joint in model.joints:
        pin, other = (Pin(number[body], joint.at) for body in joint.joins)
        if joint.kind == "prismatic":
            rods.append(RodShape((pin, other), None if is_chain else motor.get(joint.name)))
        if joint.name in motor:
            direction = Pin(pin.body, joint.axes[0])
            axes.append(AxisShape(pin, direction, motor[joint.name], not joint.is_revolute))
        elif joint.kind != "fixed":
            joints.append(pin)
    for strut in model.struts:
        a, b = (number[body] for body in strut.joins)
        ends = Pin(a, strut.start), Pin(b, strut.end)
        joints += ends
        if isinstance(strut, Cylinder):
            rods.append(RodShape(ends, motor.get(strut.name), part=(0.0, CYLINDER)))
            rods.append(RodShape(ends, motor.get(strut.name), thick=False, part=(CYLINDER, 1.0)))
        else:
            rods.append(RodShape(ends, driven.get(strut.joins[0]), thick=False))
    body, frame = tool_frame(model)
    tip = Pin(number[body], frame.p)
    return Shape(tip, tuple(rods), tuple(plates), tuple(axes), _marks(model, motor), tuple(joints))


def motors(model: MechanismModel) -> dict[str, int]:
    """The number of the motor that acts on a joint or cylinder; of the first, if several do."""
    terms = reversed([*enumerate(motor_terms(model).values())])
    return {name: k for k, each in terms for name, _ in each}


def _marks(model: MechanismModel, motor: dict[str, int]) -> tuple[tuple[Pin, int], ...]:
    """Cylinders that are all the motors there are and stand on the base have their numbers there."""
    standing = {each.name: each for each in model.cylinders if each.joins[0] == BASE}
    if not motor or not motor.keys() <= standing.keys():
        return ()
    return tuple((Pin(0, standing[name].start), k) for name, k in motor.items())


def _pins(body: int, points: Array) -> tuple[Pin, ...]:
    return tuple(Pin(body, at) for at in points)


def _holds(model: MechanismModel) -> dict[str, list[Hold]]:
    """Different places where every body is held, and the tool; of one place its mass centre too."""
    found: dict[str, list[Hold]] = {BASE: [], **{part.name: [] for part in model.parts}}
    for joint in model.joints:
        for body in joint.joins:
            found[body].append(Hold(joint.at, _axis(joint)))
    for tie in (*model.struts, *model.springs):
        found[tie.joins[0]].append(Hold(tie.start))
        found[tie.joins[1]].append(Hold(tie.end))
    tool, frame = tool_frame(model)
    found[tool].append(Hold(frame.p, is_tool=True))
    near = SAME * model.size
    places = {body: _different(holds, near) for body, holds in found.items()}
    for part in model.parts:
        if len(places[part.name]) == 1:
            holds = [*places[part.name], Hold(part.body.center_of_mass)]
            places[part.name] = _different(holds, near)
    return places


def _axis(joint: MechanismJoint) -> Array | None:
    return joint.axes[0] if len(joint.axes) == 1 else None


def _different(holds: list[Hold], near: float) -> list[Hold]:
    found: list[Hold] = []
    for hold in holds:
        if all(np.linalg.norm(hold.at - other.at) > near for other in found):
            found.append(hold)
    return found


def _body_lines(holds: list[Hold]) -> tuple[list[Array], Array]:
    """Lines through the places of a rigid body, and corners of the area that they span."""
    none, points = np.zeros((0, 3)), np.array([hold.at for hold in holds]).reshape(-1, 3)
    if len(points) < 2:
        return [], none
    if len(points) == 2:
        return [_way(*holds)], none
    centre = points.mean(axis=0)
    _, extent, axes = np.linalg.svd(points - centre)
    flat = (points - centre) @ axes[:2].T
    if extent[1] < FLAT * extent[0]:
        return [points[np.argsort(flat[:, 0])]], none
    from scipy.spatial import ConvexHull

    outer = ConvexHull(flat).vertices  # in order around
    middle = points[outer].mean(axis=0)
    inner = [hold.at for k, hold in enumerate(holds) if k not in outer and not hold.is_tool]
    return [np.array([middle, point]) for point in inner], points[outer]


def _way(one: Hold, other: Hold) -> Array:
    """From joint to joint as links are built: along the first axis, across, along the second."""
    way = other.at - one.at
    distance = float(np.linalg.norm(way))
    for turns in _bends(one, other):
        corners = np.array([one.at, *turns, other.at])
        if np.linalg.norm(np.diff(corners, axis=0), axis=1).sum() <= DETOUR * distance:
            return corners
    return np.array([one.at, other.at])


def _bends(one: Hold, other: Hold) -> list[list[Array]]:
    """Corners on the way: the feet of the common normal of both axes, or an elbow on one of them."""
    found, way = [], other.at - one.at
    if one.axis is not None and other.axis is not None:
        normal = np.cross(one.axis, other.axis)
        size = float(np.linalg.norm(normal))
        if size > ASKEW:
            along, back = (
                float(np.cross(way, axis) @ normal) / size**2 for axis in (other.axis, one.axis)
            )
            found.append([one.at + along * one.axis, other.at + back * other.axis])
    if one.axis is not None:
        found.append([one.at + one.axis * float(way @ one.axis)])
    if other.axis is not None:
        found.append([other.at - other.axis * float(way @ other.axis)])
    return found
