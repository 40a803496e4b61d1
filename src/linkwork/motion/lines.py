"""The straight way from one point to another, in time with a profile."""

from __future__ import annotations

from typing import NamedTuple

from numpy.typing import ArrayLike

from linkwork.interface.robot import Array
from linkwork.motion.inputs import vector
from linkwork.motion.profiles import BlendProfile, CubicProfile, Profile, QuinticProfile
from linkwork.motion.trajectory import JointTrajectory


class Segment(NamedTuple):
    """start + s(t) way: of joints, of a position, of angles, of a turn about one axis."""

    start: Array
    way: Array
    profile: Profile

    def at(self, t: Array) -> tuple[Array, Array, Array]:
        """Position, rate and acceleration, (N, k) each, at times (N,)."""
        s, sd, sdd = self.profile.at(t)
        return self.start + s[:, None] * self.way, sd[:, None] * self.way, sdd[:, None] * self.way


class JointLine(JointTrajectory):
    """All joints from `start` to `end` together, with any profile."""

    start: Array
    end: Array
    profile: Profile

    def __init__(self, start: ArrayLike, end: ArrayLike, profile: Profile) -> None:
        first = vector(start, "start")
        last = vector(end, "end", like=first)
        self._keep(start=first, end=last, profile=profile, duration=profile.duration, n=len(first))

    def _inside(self, t: Array) -> tuple[Array, Array, Array]:
        return Segment(self.start, self.end - self.start, self.profile).at(t)


class Quintic(JointLine):
    """From rest to rest in `duration` seconds, with no acceleration at the ends."""

    def __init__(self, start: ArrayLike, end: ArrayLike, duration: float) -> None:
        super().__init__(start, end, QuinticProfile(duration))


class Cubic(JointLine):
    """From rest to rest in `duration` seconds; the acceleration jumps at the ends."""

    def __init__(self, start: ArrayLike, end: ArrayLike, duration: float) -> None:
        super().__init__(start, end, CubicProfile(duration))


class Blend(JointLine):
    """Linear with parabolic blends of `blend` seconds, at most half the duration, at both ends."""

    def __init__(self, start: ArrayLike, end: ArrayLike, duration: float, blend: float) -> None:
        super().__init__(start, end, BlendProfile(duration, blend))
