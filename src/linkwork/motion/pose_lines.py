"""Straight lines of a platform: position, and orientation by angles or about one axis."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from linkwork.checks import numbers
from linkwork.errors import InputError
from linkwork.interface.robot import Array
from linkwork.motion.lines import Segment
from linkwork.motion.profiles import Profile, UniformProfile, blend_at_speed
from linkwork.motion.trajectory import PoseTrajectory
from linkwork.names import one_of
from linkwork.robots.geometry import frozen
from linkwork.rotations import (
    angular_motion,
    from_angles,
    from_vector,
    inverse,
    multiply,
    to_angles,
    to_vector,
    unit_poses,
)

Turning = Literal["angles", "axis"]


class PoseLine(PoseTrajectory):
    """A straight line with any profiles, one for the position and one for the orientation.

    Args:
        start, end: poses, x y z roll pitch yaw or x y z and unit quaternion w x y z.
        profile: of the position.
        turn_profile: of the orientation; None is the same. Both last equally long.
        turning: "angles" interpolates roll, pitch and yaw; "axis" turns about one axis that stands
            still, the shorter way round.
    """

    start: Array
    end: Array
    turning: Turning
    _move: Segment
    _turn: Segment

    def __init__(
        self,
        start: ArrayLike,
        end: ArrayLike,
        profile: Profile,
        turn_profile: Profile | None = None,
        turning: Turning = "angles",
    ) -> None:
        one_of(turning, ("angles", "axis"), "way of turning")
        turn_profile = profile if turn_profile is None else turn_profile
        if turn_profile.duration != profile.duration:
            raise InputError(
                f"the position takes {profile.duration:g} s, the orientation "
                f"{turn_profile.duration:g} s; give both profiles the same duration."
            )
        first, last = _one_pose(start, "start"), _one_pose(end, "end")
        turn = _angles(first, last) if turning == "angles" else _axis(first, last)
        self._keep(
            start=frozen(unit_poses(first, "start")),
            end=frozen(unit_poses(last, "end")),
            duration=profile.duration,
            turning=turning,
            _move=Segment(first[:3], last[:3] - first[:3], profile),
            _turn=Segment(*turn, turn_profile),
        )

    def _inside(self, t: Array) -> tuple[Array, Array, Array]:
        position, velocity, acceleration = self._move.at(t)
        angles, rates, second = self._turn.at(t)
        if self.turning == "angles":
            turned = from_angles(angles)
            rates, second = angular_motion(angles, rates, second)
        else:
            # About a fixed axis the rates of the rotation vector are the angular velocity.
            turned = multiply(from_vector(angles), np.broadcast_to(self.start[3:], (len(t), 4)))
        return (
            np.concatenate([position, turned], axis=1),
            np.concatenate([velocity, rates], axis=1),
            np.concatenate([acceleration, second], axis=1),
        )


class StraightLine(PoseLine):
    """A straight line with parabolic blends, as Dasgupta and Mruthyunjaya 4.3.

    Roll, pitch and yaw are interpolated; position and orientation have their own blend times.

    Args:
        start, end: poses, x y z roll pitch yaw or x y z and unit quaternion w x y z.
        duration: [s].
        speed: cruising speed of the position [m/s], of no account if it rests.
        turn_rate: cruising rate of the angles, the norm of all three [rad/s].
    """

    def __init__(
        self, start: ArrayLike, end: ArrayLike, duration: float, speed: float, turn_rate: float
    ) -> None:
        first, last = _one_pose(start, "start"), _one_pose(end, "end")
        profiles = _cruise(first, last, _angles(first, last)[1], duration, speed, turn_rate)
        super().__init__(first, last, *profiles, turning="angles")


class QuaternionLine(PoseLine):
    """The same profiles with the orientation turned about one fixed axis, the shorter way round.

    Args:
        turn_rate: cruising angular velocity [rad/s]; the others as in StraightLine.
    """

    def __init__(
        self, start: ArrayLike, end: ArrayLike, duration: float, speed: float, turn_rate: float
    ) -> None:
        first, last = _one_pose(start, "start"), _one_pose(end, "end")
        profiles = _cruise(first, last, _axis(first, last)[1], duration, speed, turn_rate)
        super().__init__(first, last, *profiles, turning="axis")


def _one_pose(value: ArrayLike, name: str) -> Array:
    """A pose as given; six numbers stay six, since angles may count turns that a quaternion cannot."""
    pose = numbers(value, name)
    if pose.shape not in ((6,), (7,)):
        raise InputError(
            f"{name} has shape {pose.shape}; a pose has 6 numbers (x y z roll pitch yaw) or 7 (x y z "
            "and unit quaternion w x y z)."
        )
    return pose if len(pose) == 6 else unit_poses(pose, name)


def _angles(first: Array, last: Array) -> tuple[Array, Array]:
    """Roll, pitch, yaw at the start, and how far they go.

    Those of a quaternion are the equal ones nearest to the other end's.
    """
    start, end = (pose[3:] if len(pose) == 6 else to_angles(pose[3:]) for pose in (first, last))
    turns = 2 * np.pi * np.round((end - start) / (2 * np.pi))
    if len(last) == 7:
        end = end - turns
    elif len(first) == 7:
        start = start + turns
    return start, end - start


def _axis(first: Array, last: Array) -> tuple[Array, Array]:
    """No turn at the start, and the rotation vector in base axes that leads to the end."""
    start, end = (unit_poses(pose, "pose")[3:] for pose in (first, last))
    return np.zeros(3), to_vector(multiply(end, inverse(start)))


def _cruise(
    first: Array, last: Array, turn: Array, duration: float, speed: float, turn_rate: float
) -> tuple[Profile, Profile]:
    """Profiles of position and orientation; a part that rests takes any profile."""
    rest = UniformProfile(duration)
    distance, angle = float(np.linalg.norm(last[:3] - first[:3])), float(np.linalg.norm(turn))
    return (
        blend_at_speed(distance, duration, speed, "speed", ("m", "m/s")) if distance else rest,
        blend_at_speed(angle, duration, turn_rate, "turn_rate", ("rad", "rad/s")) if angle else rest,
    )
