"""Poses from a motion of x y z roll pitch yaw."""

from __future__ import annotations

import numpy as np

from linkwork.errors import InputError
from linkwork.interface.robot import Array
from linkwork.motion.trajectory import JointTrajectory, PoseTrajectory
from linkwork.rotations import angular_motion, continuous, with_quaternion


class AnglePath(PoseTrajectory):
    """A motion of six coordinates as poses, twists and accelerations.

    Args:
        path: x y z [m] and roll, pitch, yaw [rad] over time.
    """

    path: JointTrajectory

    def __init__(self, path: JointTrajectory) -> None:
        if path.n != 6:
            raise InputError(f"AnglePath takes six coordinates, x y z roll pitch yaw, not {path.n}.")
        self._keep(path=path, duration=path.duration)

    def _inside(self, t: Array) -> tuple[Array, Array, Array]:
        return poses_of_angles(*self.path.at(t))


def poses_of_angles(six: Array, rates: Array, accelerations: Array) -> tuple[Array, Array, Array]:
    """Pose, twist and acceleration of x y z roll pitch yaw and their derivatives, (N, 6) each."""
    w, al = angular_motion(six[:, 3:], rates[:, 3:], accelerations[:, 3:])
    pose = with_quaternion(six)
    pose[:, 3:] = continuous(pose[:, 3:])
    twist = np.concatenate([rates[:, :3], w], axis=1)
    return pose, twist, np.concatenate([accelerations[:, :3], al], axis=1)
