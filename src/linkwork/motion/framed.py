"""Motions of an object frame in a user frame, or about a pivot, as motions of the platform."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from linkwork.core.errors import InputError
from linkwork.core.rotations import with_quaternion
from linkwork.kinematics.user_frames import UserFrames
from linkwork.motion.header import Expected
from linkwork.motion.spaces import Triple
from linkwork.motion.trajectory import Motion, PoseTrajectory
from linkwork.robot.robot import Array


class FramedMotion(PoseTrajectory):
    """A motion that is written in frames of the user."""

    frames: UserFrames
    inner: PoseTrajectory

    def __init__(self, inner: PoseTrajectory, frames: UserFrames) -> None:
        self._keep(inner=inner, frames=frames, duration=inner.duration)
        self._keep(payload_changes=inner.payload_changes)

    def _inside(self, t: Array) -> Triple:
        return self.frames.motion_to_base(*self.inner.at(t))


def framed(
    parts: Sequence[Motion], expected: Expected, user: ArrayLike | None = None,
    object: ArrayLike | None = None, pivot: ArrayLike | None = None,
) -> FramedMotion:  # fmt: skip
    """One motion of poses in frames of the user.

    Args:
        pivot: a point in the platform's frame at home, about which the motion turns; instead of frames.
    """
    if len(parts) != 1 or not isinstance(parts[0], PoseTrajectory):
        raise InputError("in-frames takes one motion of poses as its part.")
    given = {"user": user, "object": object}
    frames = {name: with_quaternion(pose, name) for name, pose in given.items() if pose is not None}
    if pivot is not None:
        if frames:
            raise InputError("pivot stands for both frames; leave out user and object.")
        place = np.concatenate([np.asarray(pivot, dtype=np.float64), [1.0, 0.0, 0.0, 0.0]])
        home = np.array(expected.home)
        if len(home) != 6:
            raise InputError("a pivot needs the home pose of a robot; read the motion for one.")
        back = np.concatenate([-place[:3], place[3:]])
        frames = {"user": UserFrames(home, back).to_base(np.eye(1, 7, 3)[0]), "object": place}
    return FramedMotion(parts[0], UserFrames(**frames))
