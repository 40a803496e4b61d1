"""What every trajectory is: a frozen object that tells position, velocity and acceleration at any time.

It moves in a space (`spaces.py`): joints, or poses.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Generic, NamedTuple, NoReturn, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from linkwork.core.arguments import numbers
from linkwork.core.errors import InputError, LinkworkError
from linkwork.motion.inputs import instants_with_end
from linkwork.motion.profiles import ROUNDING, Profile, chained
from linkwork.motion.spaces import JOINTS, POSES, Space, Triple, motion_of_angles
from linkwork.robot.coordinates import POSE, Coordinates
from linkwork.robot.robot import Array


class JointMotion(NamedTuple):
    """Joint positions, rates and accelerations, (..., n) each."""

    q: Array
    qd: Array
    qdd: Array


class PoseMotion(NamedTuple):
    """Poses (..., 7), x y z and unit quaternion w x y z; twists and accelerations (..., 6).

    Linear, then angular, base axes, at the reference point.
    """

    pose: Array
    twist: Array
    acceleration: Array


Values = TypeVar("Values", JointMotion, PoseMotion)


class Trajectory(ABC, Generic[Values]):
    """A motion over [0, duration] seconds; before and after, it rests at its ends.

    Where the acceleration jumps, it is that of the segment that ends there.
    """

    space: ClassVar[Space]
    duration: float
    n: int  # numbers of its velocity
    payload_changes: tuple[tuple[float, float], ...] = ()  # from when on [s] the tool carries what [kg]

    def _keep(self, **values: Any) -> None:
        """Set attributes; the constructor does this once."""
        self.__dict__.update(values)

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        raise AttributeError(f"a {type(self).__name__} is frozen; make another one to change {name}.")

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.kind} trajectory of {self.duration:g} s>"

    @property
    def kind(self) -> str:
        """What it moves: "joint" or "pose"."""
        return self.space.kind

    @abstractmethod
    def at(self, t: ArrayLike) -> Values:
        """The motion at times `t` [s] of any shape."""

    def sample(self, period: float) -> tuple[Array, Values]:
        """Times 0, period, 2 period, ... and the duration, and the motion there.

        The last interval is shorter if the period does not divide the duration; a rest below a
        hundredth of a period is joined to the interval before it. Commands and files sample likewise.
        """
        times = instants_with_end(self.duration, period)
        return times, self.at(times)

    def payload_at(self, t: ArrayLike) -> Array | None:
        """The mass [kg] that the tool carries at times `t`, beside what the robot file has; or None.

        It takes a load up as the load begins to move, and has it still as it puts it down.
        """
        if not self.payload_changes:
            return None
        times, masses = (np.array(each) for each in zip(*self.payload_changes, strict=True))
        now, slack = np.asarray(t, dtype=np.float64), ROUNDING * self.duration
        starts = times + np.where(masses > 0, -slack, slack)
        last = np.searchsorted(starts, now, side="right") - 1
        return np.where(last >= 0, masses[last], 0.0)

    @abstractmethod
    def _inside(self, t: Array) -> Triple:
        """Position, velocity and acceleration, (N, ...), at times (N,) in [0, duration]."""

    def _evaluate(self, t: ArrayLike) -> list[Array]:
        times = numbers(t, "t")
        flat = times.reshape(-1)
        slack = ROUNDING * self.duration
        outside = (flat < -slack) | (flat > self.duration + slack)
        with np.errstate(all="ignore"):  # what overflows is refused below
            position, velocity, acceleration = self._inside(np.clip(flat, 0.0, self.duration))
        motion = (position, velocity, acceleration)
        if not all(np.isfinite(part).all() for part in motion):
            raise LinkworkError(
                f"{self!r}: its velocities or accelerations are too large for double precision; check "
                "its lengths, angles and times."
            )
        velocity[outside] = acceleration[outside] = 0.0
        return [part.reshape(times.shape + part.shape[1:]) for part in motion]


class JointTrajectory(Trajectory[JointMotion]):
    """A motion of n joints, or of the six lengths of a platform's legs."""

    space = JOINTS

    def at(self, t: ArrayLike) -> JointMotion:
        return JointMotion(*self._evaluate(t))


class PoseTrajectory(Trajectory[PoseMotion]):
    """A motion of a platform in space. The quaternion's sign does not jump along time."""

    space = POSES
    n = 6

    def at(self, t: ArrayLike) -> PoseMotion:
        return PoseMotion(*self._evaluate(t))


Motion = JointTrajectory | PoseTrajectory


class _Retimed(Trajectory[Values]):
    """The way of a trajectory, with a profile that says which fraction of its time is when."""

    path: Trajectory[Values]
    profile: Profile

    def __init__(self, path: Trajectory[Values], profile: Profile) -> None:
        if not isinstance(path, Trajectory) or path.space is not self.space:
            raise InputError(f"path = {path!r}: expected a {self.kind} trajectory.")
        self._keep(path=path, profile=profile, duration=profile.duration, n=path.n)

    def _inside(self, t: Array) -> Triple:
        s, sd, sdd = (self.path.duration * value for value in self.profile.at(t))
        return chained(self.path.at(s), sd, sdd)


class Retimed(_Retimed[JointMotion], JointTrajectory):
    """The way of a joint trajectory, with a profile that says which fraction of its time is when."""


class RetimedPoses(_Retimed[PoseMotion], PoseTrajectory):
    """The way of a pose trajectory, with a profile that says which fraction of its time is when."""


class ByAngles(Trajectory[Values]):
    """Positions with quaternions from a motion of roll, pitch and yaw beside other coordinates.

    Args:
        path: all coordinates over time, roll, pitch and yaw [rad] in the places of quaternions.
        coordinates: of the robot that moves.
    """

    path: JointTrajectory
    coordinates: Coordinates

    def __init__(self, path: JointTrajectory, coordinates: Coordinates = POSE) -> None:
        names = coordinates.by_angles.names
        if path.n != len(names):
            raise InputError(f"{path!r} moves {path.n} numbers; {len(names)} are needed: {names}.")
        self._keep(coordinates=coordinates, path=path, n=path.n, duration=path.duration)
        self._keep(payload_changes=path.payload_changes)

    def _inside(self, t: Array) -> Triple:
        return motion_of_angles(self.coordinates, *self.path.at(t))


class AnglePath(ByAngles[PoseMotion], PoseTrajectory):
    """Poses from a motion of x y z [m] and roll, pitch, yaw [rad]."""


class CoordinatePath(ByAngles[JointMotion], JointTrajectory):
    """A robot with orientations among its coordinates, as a hexapod that carries an arm."""


def moving(coordinates: Coordinates, path: JointTrajectory) -> Motion:
    """A motion of all coordinates, orientations by angles, as the robot takes it."""
    if coordinates.is_pose:
        return AnglePath(path)
    return CoordinatePath(path, coordinates) if coordinates.quaternions else path
