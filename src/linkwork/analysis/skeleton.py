"""Where the parts of a mechanism are, as points in base axes: what drawings and scenes show of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwork.analysis.shape import Pin, RodShape, shape
from linkwork.interface.robot import Array, Robot
from linkwork.rotations import rotation_of


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
    with the number of the actuator that stands there; `joints` (N, 3) are those without an actuator.
    """

    tip: Array
    rods: tuple[Rod, ...]
    plates: tuple[Plate, ...] = ()
    axes: tuple[Axis, ...] = ()
    marks: tuple[tuple[Array, int], ...] = ()
    joints: tuple[Array, ...] = ()


def skeleton(robot: Robot, position: Array) -> Skeleton:
    """The parts of a robot at positions (N, ...)."""
    drawn, frames = shape(robot), body_frames(robot, position)

    def points(pins: tuple[Pin, ...]) -> Array:
        return np.stack([_place(frames, pin) for pin in pins], axis=1)

    def line(rod: RodShape) -> Array:
        ends = points(rod.pins)
        if rod.part == (0.0, 1.0):
            return ends
        along = ends[:, 1] - ends[:, 0]
        return np.stack([ends[:, 0] + share * along for share in rod.part], axis=1)

    return Skeleton(
        _place(frames, drawn.tip),
        tuple(Rod(line(rod), rod.actuator, rod.thick) for rod in drawn.rods),
        tuple(Plate(points(plate.pins), plate.moves) for plate in drawn.plates),
        tuple(
            Axis(
                _place(frames, axis.pin),
                frames[:, axis.direction.body, :, :3] @ axis.direction.at,
                axis.actuator,
                axis.slides,
            )
            for axis in drawn.axes
        ),
        tuple((pin.at, actuator) for pin, actuator in drawn.marks),
        tuple(_place(frames, pin) for pin in drawn.joints),
    )


def _place(frames: Array, pin: Pin) -> Array:
    frame = frames[:, pin.body]
    return np.asarray(frame[:, :, :3] @ pin.at + frame[:, :, 3])


def body_frames(robot: Robot, position: Array) -> Array:
    """How all bodies, the base first, have gone from home, (N, bodies, 3, 4)."""
    still, parts = np.zeros(robot.freedoms), robot.mechanism.parts
    poses = robot.joint_motion(position, still, still).poses
    home = np.array([part.frame.R for part in parts])
    R = rotation_of(poses) @ np.swapaxes(home, -1, -2)
    moved = R @ np.array([part.frame.p for part in parts])[..., None]
    frames = np.concatenate([R, poses[..., :3, None] - moved], axis=-1)
    base = np.broadcast_to(np.eye(3, 4), (len(frames), 1, 3, 4))
    return np.concatenate([base, frames], axis=1)
