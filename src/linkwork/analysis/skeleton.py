"""Where the parts of a mechanism are, as points in base axes: what drawings and scenes show of it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import singledispatch

import numpy as np
from numpy.typing import NDArray

from linkwork.analysis.leg_places import places_of
from linkwork.errors import InputError
from linkwork.interface.arm import Arm
from linkwork.interface.parallel import ParallelRobot
from linkwork.interface.platform import Platform
from linkwork.interface.robot import Array, Robot
from linkwork.rotations import rotation_of

CYLINDER = 0.55  # share of a leg that is drawn as its lower part


@dataclass(frozen=True, eq=False)
class Rod:
    """A line of m points at N positions, (N, m, 3); of an actuator by number, or of the body."""

    points: Array
    actuator: int | None = None
    thick: bool = True


@dataclass(frozen=True, eq=False)
class Plate:
    """A rigid area through k points at N positions, (N, k, 3)."""

    points: Array
    moves: bool = True


@dataclass(frozen=True, eq=False)
class Axis:
    """The axis of an actuated joint at N positions: a point and a unit vector, (N, 3) each."""

    point: Array
    direction: Array
    actuator: int
    slides: bool


@dataclass(frozen=True, eq=False)
class Skeleton:
    """A mechanism at N positions.

    `tip` (N, 3) is the point whose path tells the motion; `marks` are places (3,) that do not move,
    with the number of the actuator that stands there.
    """

    tip: Array
    rods: tuple[Rod, ...]
    plates: tuple[Plate, ...] = ()
    axes: tuple[Axis, ...] = ()
    marks: tuple[tuple[Array, int], ...] = ()


def tip_name(robot: Robot) -> str:
    """What the tip of a skeleton is called."""
    return "tip" if robot.noun == "joint" else "reference point"


@singledispatch
def skeleton(robot: Robot, position: Array) -> Skeleton:
    """The parts of a robot at positions (N, ...)."""
    raise InputError(f"{robot.name}: there is no drawing of a {type(robot).__name__}.")


@skeleton.register
def _arm(robot: Arm, position: Array) -> Skeleton:
    """From joint to joint as the links are built: along the joint's axis first, then across it."""
    base = np.broadcast_to(np.eye(4), (len(position), 1, 4, 4))
    frames = np.concatenate([base, robot.link_frames(position)], axis=1)
    line, axes = [frames[:, 0, :3, 3]], []
    for k, joint in enumerate(robot.model.joints):
        before, after = frames[:, k], frames[:, k + 1]
        place = before[:, :3, 3] + before[:, :3, :3] @ joint.before.p
        direction = before[:, :3, :3] @ (joint.before.R @ joint.axis)
        axes.append(Axis(place, direction, k, not joint.is_revolute))
        inner = joint.after.inverse()
        axis, seat = inner.R @ joint.axis, inner.p  # of the joint, in the frame of its link
        elbow = seat - axis * float(seat @ axis)
        line += [place, *(after[:, :3, 3] + after[:, :3, :3] @ point for point in (seat, elbow))]
        line.append(after[:, :3, 3])
    size = float(np.ptp(np.stack(line).reshape(-1, 3), axis=0).max()) or 1.0
    corners = 0.12 * size * np.array([[-1.0, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]])
    ground = Plate(np.broadcast_to(corners, (len(position), 4, 3)), moves=False)
    return Skeleton(line[-1], (Rod(np.stack(line, axis=1)),), (ground,), tuple(axes))


@skeleton.register
def _platform(robot: Platform, position: Array) -> Skeleton:
    """Legs as cylinder and rod between a base and a platform."""
    lower, points = robot.model.points()
    turns = rotation_of(position)
    upper = position[:, None, :3] + points @ np.swapaxes(turns, -1, -2)
    base = np.broadcast_to(lower, upper.shape)
    middle = base + CYLINDER * (upper - base)
    rods = []
    for k in range(len(lower)):
        rods.append(Rod(np.stack([base[:, k], middle[:, k]], axis=1), k))
        rods.append(Rod(np.stack([middle[:, k], upper[:, k]], axis=1), k, thick=False))
    plates = (Plate(base[:, around(lower)], moves=False), Plate(upper[:, around(points)]))
    marks = tuple((point, k) for k, point in enumerate(lower))
    return Skeleton(position[:, :3], tuple(rods), plates, (), marks)


@skeleton.register
def _parallel(robot: ParallelRobot, position: Array) -> Skeleton:
    """Legs as lines from joint to joint between the base and a platform."""
    found = places_of(robot, position)
    rods, axes, actuator = [], [], 0
    for leg, place in zip(robot.model.legs, found.legs, strict=True):
        driven = [j for j, joint in enumerate(leg.joints) if joint.actuated]
        first = actuator if driven else None
        rods.append(Rod(place.points[:, :2], first))
        rods.append(Rod(place.points[:, 1:], first, thick=False))
        for j in driven:
            point, direction = place.points[:, j], place.axes[:, j]
            axes.append(Axis(point, direction, actuator, not leg.joints[j].is_revolute))
            actuator += 1
    base = np.stack([place.points[:, 0] for place in found.legs], axis=1)
    tips = np.stack([place.points[:, -1] for place in found.legs], axis=1)
    plates = [
        Plate(corners[:, around(corners[0])], moves)
        for corners, moves in ((base, False), (tips, True))
        if corners.shape[1] > 2 and np.ptp(corners[0], axis=0).max() > 0
    ]
    return Skeleton(found.pose[:, :3], tuple(rods), tuple(plates), tuple(axes))


def around(points: Array) -> NDArray[np.intp]:
    """Indices of points (k, 3) in the order in which a polygon goes around them."""
    centre = points.mean(axis=0)
    _, _, axes = np.linalg.svd(points - centre)
    flat = (points - centre) @ axes[:2].T
    return np.argsort(np.arctan2(flat[:, 1], flat[:, 0]))
