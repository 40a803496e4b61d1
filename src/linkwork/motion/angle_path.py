"""Poses from a motion of x y z roll pitch yaw."""

from __future__ import annotations

from linkwork.errors import InputError
from linkwork.interface.coordinates import POSE, Coordinates
from linkwork.interface.robot import Array
from linkwork.motion.trajectory import JointTrajectory, PoseTrajectory
from linkwork.rotations import angular_motion, continuous


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
        return motion_of_angles(POSE, *self.path.at(t))


def motion_of_angles(
    coordinates: Coordinates, c: Array, cd: Array, cdd: Array
) -> tuple[Array, Array, Array]:
    """Positions with quaternions and angular velocities from roll, pitch, yaw and their derivatives."""
    if not coordinates.quaternions:
        return c, cd, cdd
    position, cd, cdd = coordinates.from_angles(c), cd.copy(), cdd.copy()
    for four, three in zip(coordinates.quaternions, coordinates.turned, strict=True):
        position[:, four] = continuous(position[:, four])
        cd[:, three], cdd[:, three] = angular_motion(c[:, three], cd[:, three], cdd[:, three])
    return position, cd, cdd
