"""Poses as controllers of positioning hexapods have them: of an object frame in a user frame.

Physik Instrumente calls the frames work and tool, Symetrie user and object. A pivot is the point about
which rotations turn: both frames stand there, and at zero the robot is where it was.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from linkwork.core.arguments import numbers
from linkwork.core.checked import checked
from linkwork.core.errors import InputError
from linkwork.core.rotations import inverse, multiply, rotation_of, with_quaternion
from linkwork.robot.robot import Array, Robot


def _identity() -> Array:
    return np.eye(1, 7, 3)[0]


@checked
@dataclass(frozen=True, eq=False)
class UserFrames:
    """A user frame on the base and an object frame on the platform.

    Args:
        user: pose of the user frame in base axes, (7,) or x y z roll pitch yaw.
        object: pose of the object frame in the frame of the platform, likewise.
    """

    user: Array = field(default_factory=_identity)
    object: Array = field(default_factory=_identity)

    def __post_init__(self) -> None:
        for name in ("user", "object"):
            pose = with_quaternion(getattr(self, name), name)
            if pose.shape != (7,):
                raise InputError(f"{name} has shape {pose.shape}; a frame is one pose, (7,) or (6,).")
            self.__dict__[name] = pose

    @staticmethod
    @checked
    def about(pivot: ArrayLike, robot: Robot, zero: ArrayLike | None = None) -> UserFrames:
        """Frames at a pivot, in the platform's frame [m]; their zero is a pose, home if left out."""
        point = numbers(pivot, "pivot")
        if point.shape != (3,):
            raise InputError(f"pivot has shape {point.shape}; it is a point x, y, z [m].")
        at = with_quaternion(_posed(robot) if zero is None else zero, "zero")
        place = np.concatenate([point, [1.0, 0.0, 0.0, 0.0]])
        return UserFrames(_joined(at, place), place)

    def to_base(self, pose: ArrayLike) -> Array:
        """Poses (..., 7) of the platform in base axes, from those of the object frame in the user's."""
        return _joined(_joined(self.user, with_quaternion(pose)), _reversed(self.object))

    def from_base(self, pose: ArrayLike) -> Array:
        """Poses (..., 7) of the object frame in the user frame, from those of the platform."""
        return _joined(_joined(_reversed(self.user), with_quaternion(pose)), self.object)

    def motion_to_base(
        self, pose: ArrayLike, twist: ArrayLike, acceleration: ArrayLike
    ) -> tuple[Array, Array, Array]:
        """Pose, twist and acceleration of the platform from those of the object frame in the user
        frame, with velocities of its origin in the axes of the user frame."""
        place = self.to_base(pose)
        turn = rotation_of(self.user)
        v, w = (numbers(twist, "twist")[..., part] @ turn.T for part in (slice(3), slice(3, 6)))
        a, alpha = (
            numbers(acceleration, "acceleration")[..., part] @ turn.T for part in (slice(3), slice(3, 6))
        )
        arm = -(rotation_of(place) @ self.object[:3])  # from the object frame to the platform's origin
        v = v + np.cross(w, arm)
        a = a + np.cross(alpha, arm) + np.cross(w, np.cross(w, arm))
        return place, np.concatenate([v, w], axis=-1), np.concatenate([a, alpha], axis=-1)


def _posed(robot: Robot) -> Array:
    if not robot.coordinates.is_pose:
        raise InputError(
            f"{robot.name} is not placed by a whole pose; frames and pivots are for hexapods and other "
            "robots whose coordinates are x, y, z and an orientation."
        )
    return np.asarray(robot.home)


def _joined(one: Array, other: Array) -> Array:
    """The pose of what stands at `other` in a frame that stands at `one`."""
    place = one[..., :3] + (rotation_of(one) @ other[..., :3, None])[..., 0]
    turn = multiply(one[..., 3:], other[..., 3:])
    return np.concatenate([np.broadcast_to(place, (*turn.shape[:-1], 3)), turn], axis=-1)


def _reversed(pose: Array) -> Array:
    turn = inverse(pose[..., 3:])
    back = np.concatenate([np.zeros(3), turn])
    return np.concatenate([-(rotation_of(back) @ pose[..., :3]), turn])
