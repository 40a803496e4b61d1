"""Positions with quaternions from a motion of roll, pitch and yaw beside other coordinates."""

from __future__ import annotations

from linkwork.errors import InputError
from linkwork.interface.coordinates import Coordinates
from linkwork.interface.robot import Array
from linkwork.motion.angle_path import AnglePath, motion_of_angles
from linkwork.motion.trajectory import JointTrajectory, PoseTrajectory


class CoordinatePath(JointTrajectory):
    """A motion of a robot with orientations among its coordinates, as a hexapod that carries an arm.

    Args:
        coordinates: of the robot.
        path: all of them over time, roll, pitch and yaw [rad] in the places of quaternions.
    """

    path: JointTrajectory
    coordinates: Coordinates

    def __init__(self, coordinates: Coordinates, path: JointTrajectory) -> None:
        names = coordinates.by_angles.names
        if path.n != len(names):
            raise InputError(f"{path!r} moves {path.n} numbers; {len(names)} are needed: {names}.")
        self._keep(coordinates=coordinates, path=path, n=path.n, duration=path.duration)

    def _inside(self, t: Array) -> tuple[Array, Array, Array]:
        return motion_of_angles(self.coordinates, *self.path.at(t))


def moving(coordinates: Coordinates, path: JointTrajectory) -> JointTrajectory | PoseTrajectory:
    """A motion of all coordinates, orientations by angles, as the robot takes it."""
    if coordinates.is_pose:
        return AnglePath(path)
    return CoordinatePath(coordinates, path) if coordinates.quaternions else path
