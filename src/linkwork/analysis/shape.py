"""What a mechanism looks like: lines and areas through points that are fixed to its bodies.

Body 0 is the base. The others are the links of an arm, the platform, or the platform and the links of a
parallel robot's legs; `analysis/skeleton.py` says where they are at a position.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import singledispatch
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from linkwork.analysis.leg_places import held_at
from linkwork.errors import InputError
from linkwork.interface.arm import Arm
from linkwork.interface.parallel import ParallelRobot
from linkwork.interface.platform import Platform
from linkwork.interface.robot import Array, Robot

CYLINDER = 0.55  # share of a leg that is drawn as its lower part
GROUND = 0.07  # half the side of the square below an arm, of the length of its links


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
    """A mechanism; `marks` are points that do not move, with the number of the actuator there."""

    tip: Pin
    rods: tuple[RodShape, ...]
    plates: tuple[PlateShape, ...] = ()
    axes: tuple[AxisShape, ...] = ()
    marks: tuple[tuple[Pin, int], ...] = ()


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
def _parallel(robot: ParallelRobot) -> Shape:
    """Legs as lines from joint to joint between the base and a platform; frames of links are home's."""
    model, home = robot.model, robot.model.home_frame
    rods, axes, feet, heads = [], [], [], []
    actuator, first_link = 0, 2
    for leg in model.legs:
        bodies = [0, *range(first_link, first_link + len(leg.joints) - 1)]
        first_link += len(leg.joints) - 1
        heads.append(Pin(1, home.R.T @ (held_at(leg, model) - home.p)))
        feet.append(Pin(0, leg.joints[0].at))
        line = [Pin(body, joint.at) for body, joint in zip(bodies, leg.joints, strict=True)]
        line.append(heads[-1])
        driven = [j for j, joint in enumerate(leg.joints) if joint.actuated]
        first = actuator if driven else None
        rods.append(RodShape(tuple(line[:2]), first))
        rods.append(RodShape(tuple(line[1:]), first, thick=False))
        for j in driven:
            joint = leg.joints[j]
            direction = Pin(bodies[j], joint.axis)
            axes.append(AxisShape(line[j], direction, actuator, not joint.is_revolute))
            actuator += 1
    plates = []
    for corners, moves in ((feet, False), (heads, True)):
        places = np.array([corner.at for corner in corners])
        if len(corners) > 2 and np.ptp(places, axis=0).max() > 0:
            plates.append(PlateShape(tuple(corners[k] for k in around(places)), moves))
    return Shape(Pin(1, np.zeros(3)), tuple(rods), tuple(plates), tuple(axes))


def around(points: Array) -> NDArray[np.intp]:
    """Indices of points (k, 3) in the order in which a polygon goes around them."""
    centre = points.mean(axis=0)
    _, _, axes = np.linalg.svd(points - centre)
    flat = (points - centre) @ axes[:2].T
    return np.argsort(np.arctan2(flat[:, 1], flat[:, 0]))
