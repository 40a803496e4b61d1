"""Straight lines in time with a profile: of joints, of a platform, and those of the papers."""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from linkwork.core.arguments import numbers, one_of, positive
from linkwork.core.checked import checked
from linkwork.core.errors import InputError
from linkwork.core.rotations import (
    from_vector,
    inverse,
    multiply,
    to_angles,
    to_vector,
    unit_poses,
)
from linkwork.model.geometry import frozen
from linkwork.motion.inputs import bounds, vector
from linkwork.motion.profiles import (
    ROUNDING,
    BlendProfile,
    CubicProfile,
    Profile,
    QuinticProfile,
    UniformProfile,
    blend_at_speed,
)
from linkwork.motion.spaces import Triple
from linkwork.motion.trajectory import (
    JointMotion,
    JointTrajectory,
    PoseMotion,
    PoseTrajectory,
    Trajectory,
    Values,
)
from linkwork.robot.robot import Array

Turning = Literal["angles", "axis"]


class Segment(NamedTuple):
    """start + s(t) way: of joints, of a position, of angles, of a turn about one axis."""

    start: Array
    way: Array
    profile: Profile

    def at(self, t: Array) -> Triple:
        """Position, rate and acceleration, (N, k) each, at times (N,)."""
        s, sd, sdd = self.profile.at(t)
        return self.start + s[:, None] * self.way, sd[:, None] * self.way, sdd[:, None] * self.way


class _Line(Trajectory[Values]):
    """Segments side by side: one of all joints, or one of a position and one of an orientation."""

    start: Array
    end: Array
    _segments: tuple[Segment, ...]

    def _coordinates(self, t: Array) -> Triple:
        """Of all segments, (N, n) each."""
        if len(self._segments) == 1:
            return self._segments[0].at(t)
        orders = zip(*(segment.at(t) for segment in self._segments), strict=True)
        position, rate, acceleration = (np.concatenate(parts, axis=1) for parts in orders)
        return position, rate, acceleration

    def _inside(self, t: Array) -> Triple:
        return self.space.of_angles(*self._coordinates(t))


class JointLine(_Line[JointMotion], JointTrajectory):
    """All joints from `start` to `end` together, with any profile."""

    profile: Profile

    def __init__(self, start: ArrayLike, end: ArrayLike, profile: Profile) -> None:
        first = vector(start, "start")
        last = vector(end, "end", like=first)
        way = Segment(first, last - first, profile)
        kept = {"start": first, "end": last, "profile": profile, "_segments": (way,)}
        self._keep(**kept, duration=profile.duration, n=len(first))


class Quintic(JointLine):
    """From rest to rest in `duration` seconds, with no acceleration at the ends."""

    def __init__(self, start: ArrayLike, end: ArrayLike, duration: float) -> None:
        super().__init__(start, end, QuinticProfile(duration))


class Cubic(JointLine):
    """From rest to rest in `duration` seconds; the acceleration jumps at the ends."""

    def __init__(self, start: ArrayLike, end: ArrayLike, duration: float) -> None:
        super().__init__(start, end, CubicProfile(duration))


class LinearParabolicBlend(JointLine):
    """Linear with parabolic blends of `blend` seconds, at most half the duration, at both ends."""

    def __init__(self, start: ArrayLike, end: ArrayLike, duration: float, blend: float) -> None:
        super().__init__(start, end, BlendProfile(duration, blend))


class Trapezoid(JointLine):
    """Joints that start, cruise and stop together, with velocities in the shape of a trapezoid.

    Two of the three determine the motion. Velocity and acceleration are one number or one per joint
    [rad/s, rad/s^2 or m/s, m/s^2]; the joint that needs most of its own sets the pace.

    - velocity and acceleration: the shortest motion; a triangle if the way is too short to cruise.
    - duration and velocity: cruises at that velocity; the acceleration follows.
    - duration and acceleration: the cruising velocity follows.
    """

    @checked
    def __init__(
        self,
        start: ArrayLike,
        end: ArrayLike,
        duration: float | None = None,
        velocity: ArrayLike | None = None,
        acceleration: ArrayLike | None = None,
    ) -> None:
        first = vector(start, "start")
        last = vector(end, "end", like=first)
        way = np.abs(last - first)
        v, a = _pace(way, velocity, "velocity"), _pace(way, acceleration, "acceleration")
        if (duration, v, a).count(None) != 1:
            raise InputError("a trapezoid takes two of duration, velocity and acceleration.")
        super().__init__(first, last, _trapezoid(duration, v, a, moving=bool(way.any())))


def _pace(way: Array, bound: ArrayLike | None, name: str) -> float | None:
    """The tightest of the joints' bounds, as a rate of the fraction of the way."""
    if bound is None:
        return None
    limits = bounds(bound, name, len(way))
    moving = way > 0
    with np.errstate(over="ignore"):  # a way of next to nothing bounds nothing
        pace = float((limits[moving] / way[moving]).min(initial=math.inf))
    if moving.any() and not math.isfinite(pace):
        raise InputError(f"{name} = {bound!r}: a joint that moves must have a finite {name}.")
    return pace


def _trapezoid(T: float | None, v: float | None, a: float | None, moving: bool) -> Profile:
    """A way of 1 in T seconds at cruising rate v or with acceleration a, or with both."""
    if T is None:
        if not moving:
            raise InputError(
                "start and end are equal, which takes no time; give a duration to rest there."
            )
        assert v is not None
        assert a is not None
        v = min(v, math.sqrt(a))  # the peak of the triangle
        return BlendProfile(1 / v + v / a, v / a)
    positive(T, "duration", "s")
    if not moving:
        return UniformProfile(T)  # of a way of zero: rest
    if v is not None:
        blend = T - 1 / v
        if not ROUNDING * T < blend <= T / 2 * (1 + ROUNDING):
            raise InputError(
                f"duration = {T:g} s does not fit the velocity: it must be above {1 / v:.6g} s and "
                f"up to {2 / v:.6g} s; or keep it and multiply the velocity by a factor above "
                f"{1 / (v * T):.6g} and up to {2 / (v * T):.6g}."
            )
        return BlendProfile(T, min(blend, T / 2))
    assert a is not None
    room = 1 - 4 / (a * T * T)
    if room < -ROUNDING:
        raise InputError(
            f"duration = {T:g} s is too short for the acceleration: it must be {2 / math.sqrt(a):.6g} s "
            f"or more; or keep it and multiply the acceleration by {4 / (a * T * T):.6g} or more."
        )
    # (1 - sqrt(room)) / 2 without the cancellation
    return BlendProfile(T, T * 2 / (a * T * T) / (1 + math.sqrt(max(room, 0.0))))


class PoseLine(_Line[PoseMotion], PoseTrajectory):
    """A straight line with any profiles, one for the position and one for the orientation.

    Args:
        start, end: poses, x y z roll pitch yaw or x y z and unit quaternion w x y z.
        profile: of the position.
        turn_profile: of the orientation; None is the same. Both last equally long.
        turning: "angles" interpolates roll, pitch and yaw; "axis" turns about one axis that stands
            still, the shorter way round.
    """

    turning: Turning

    def __init__(
        self,
        start: ArrayLike,
        end: ArrayLike,
        profile: Profile,
        turn_profile: Profile | None = None,
        turning: Turning = "angles",
    ) -> None:
        turn_profile = profile if turn_profile is None else turn_profile
        if turn_profile.duration != profile.duration:
            raise InputError(
                f"the position takes {profile.duration:g} s, the orientation "
                f"{turn_profile.duration:g} s; give both profiles the same duration."
            )
        first, last = _one_pose(start, "start"), _one_pose(end, "end")
        turn = Segment(*_turn(first, last, turning), turn_profile)
        self._keep(
            start=frozen(unit_poses(first, "start")),
            end=frozen(unit_poses(last, "end")),
            duration=profile.duration,
            turning=turning,
            _segments=(Segment(first[:3], last[:3] - first[:3], profile), turn),
        )

    def _inside(self, t: Array) -> Triple:
        if self.turning == "angles":
            return super()._inside(t)
        position, twist, acceleration = self._coordinates(t)
        # About a fixed axis the rates of the rotation vector are the angular velocity.
        turned = multiply(from_vector(position[:, 3:]), np.broadcast_to(self.start[3:], (len(t), 4)))
        return np.concatenate([position[:, :3], turned], axis=1), twist, acceleration


class _CruisingLine(PoseLine):
    """Parabolic blends from and to rest, for the position and for the orientation."""

    def __init__(
        self, start: ArrayLike, end: ArrayLike, duration: float, speed: float, turn_rate: float
    ) -> None:
        first, last = _one_pose(start, "start"), _one_pose(end, "end")
        distance = float(np.linalg.norm(last[:3] - first[:3]))
        angle = float(np.linalg.norm(_turn(first, last, self.turning)[1]))
        rest = UniformProfile(duration)  # a part that rests takes any profile
        super().__init__(
            first,
            last,
            blend_at_speed(distance, duration, speed, "speed", ("m", "m/s")) if distance else rest,
            blend_at_speed(angle, duration, turn_rate, "turn_rate", ("rad", "rad/s")) if angle else rest,
            self.turning,
        )


class RpyLine(_CruisingLine):
    """A straight line with parabolic blends, as Dasgupta and Mruthyunjaya 4.3.

    Roll, pitch and yaw are interpolated; position and orientation have their own blend times.

    Args:
        start, end: poses, x y z roll pitch yaw or x y z and unit quaternion w x y z.
        duration: [s].
        speed: cruising speed of the position [m/s], of no account if it rests.
        turn_rate: cruising rate of the angles, the norm of all three [rad/s].
    """

    turning = "angles"


class SlerpLine(_CruisingLine):
    """The same profiles with the orientation turned about one fixed axis, the shorter way round.

    Args:
        turn_rate: cruising angular velocity [rad/s]; the others as in RpyLine.
    """

    turning = "axis"


def _one_pose(value: ArrayLike, name: str) -> Array:
    """A pose as given; six numbers stay six, since angles may count turns that a quaternion cannot."""
    pose = numbers(value, name)
    if pose.shape not in ((6,), (7,)):
        raise InputError(
            f"{name} has shape {pose.shape}; a pose has 6 numbers (x y z roll pitch yaw) or 7 (x y z "
            "and unit quaternion w x y z)."
        )
    return pose if len(pose) == 6 else unit_poses(pose, name)


def _turn(first: Array, last: Array, turning: Turning) -> tuple[Array, Array]:
    """Where an orientation starts, and how far it goes.

    Roll, pitch, yaw of a quaternion are the equal ones nearest to the other end's. About an axis it is
    the rotation vector in base axes that leads to the end.
    """
    if one_of(turning, ("angles", "axis"), "way of turning") == "axis":
        start, end = (unit_poses(pose, "pose")[3:] for pose in (first, last))
        return np.zeros(3), to_vector(multiply(end, inverse(start)))
    start, end = (pose[3:] if len(pose) == 6 else to_angles(pose[3:]) for pose in (first, last))
    turns = 2 * np.pi * np.round((end - start) / (2 * np.pi))
    if len(last) == 7:
        end = end - turns
    elif len(first) == 7:
        start = start + turns
    return start, end - start


_FROM, _TO = (0.1, 0.0, 0.4, 0.0, 0.0, -0.2), (0.3, 0.0, 0.6, 0.0, 0.0, 0.2)
_SLOW = (_FROM, _TO, 6.0, 0.08, 0.08)
_FAST = (_FROM, _TO, 0.6, 0.8, 0.8)
# Start, end, duration, speed, turn rate: Dasgupta and Mruthyunjaya 1998, 5; Pedrammehr et al. 2012,
# Appendix 2, whose Paths 2 and 3 are Paths I and II.
_LINES = {
    "dasgupta-I": _SLOW,
    "dasgupta-II": _FAST,
    "dasgupta-III": ((0.4, 1.4, 1.2, 0.1, 0.2, 0.0), (0.8, 1.8, 1.8, 0.3, 0.4, 0.0), 6.0, 0.2, 0.08),
    "pedrammehr-1": None,
    "pedrammehr-2": _SLOW,
    "pedrammehr-3": _FAST,
}
PAPER_PATHS = tuple(_LINES)


def published_path(name: str) -> PoseLine:
    """A path of the papers; `PAPER_PATHS` lists the names.

    "pedrammehr-1" has constant velocity. It is printed as 0.08 m/s, but 0.5 m in 6 s is 0.0833 m/s, and
    that is taken.
    """
    line = _LINES[one_of(name, PAPER_PATHS, "path of the papers")]
    if line is None:
        return PoseLine((0.1, 0, 0.5, 0, 0, 0), (0.6, 0, 0.5, 0, 0, 0), UniformProfile(6.0))
    return RpyLine(*line)
