"""What every trajectory is: a frozen object that tells position, rate and acceleration at any time."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Generic, Literal, NamedTuple, NoReturn, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from linkwork.checks import numbers
from linkwork.errors import LinkworkError
from linkwork.interface.robot import Array
from linkwork.motion.inputs import instants_with_end

# A time that misses an instant by less than this share of the duration means the instant: k * period
# and sums of durations carry rounding.
ROUNDING = 1e-12


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


Motion = TypeVar("Motion", JointMotion, PoseMotion)


class Trajectory(ABC, Generic[Motion]):
    """A motion over [0, duration] seconds; before and after, it rests at its ends.

    Where the acceleration jumps, it is that of the segment that ends there.
    """

    kind: ClassVar[Literal["joint", "pose"]]
    duration: float

    def _keep(self, **values: Any) -> None:
        """Set attributes; the constructor does this once."""
        self.__dict__.update(values)

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        raise AttributeError(f"a {type(self).__name__} is frozen; make another one to change {name}.")

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.kind} trajectory of {self.duration:g} s>"

    @abstractmethod
    def at(self, t: ArrayLike) -> Motion:
        """The motion at times `t` [s] of any shape."""

    def sample(self, period: float) -> tuple[Array, Motion]:
        """Times 0, period, 2 period, ... and the duration, and the motion there.

        The last interval is shorter if the period does not divide the duration; a rest below a
        hundredth of a period is joined to the interval before it. Commands and files sample likewise.
        """
        times = instants_with_end(self.duration, period)
        return times, self.at(times)

    @abstractmethod
    def _inside(self, t: Array) -> tuple[Array, Array, Array]:
        """Position, rate and acceleration, (N, ...), at times (N,) in [0, duration]."""

    def _evaluate(self, t: ArrayLike) -> list[Array]:
        times = numbers(t, "t")
        flat = times.reshape(-1)
        slack = ROUNDING * self.duration
        outside = (flat < -slack) | (flat > self.duration + slack)
        with np.errstate(all="ignore"):  # what overflows is refused below
            position, rate, acceleration = self._inside(np.clip(flat, 0.0, self.duration))
        if not all(np.isfinite(part).all() for part in (position, rate, acceleration)):
            raise LinkworkError(
                f"{self!r}: its velocities or accelerations are too large for double precision; check "
                "its lengths, angles and times."
            )
        rate[outside] = acceleration[outside] = 0.0
        return [part.reshape(times.shape + part.shape[1:]) for part in (position, rate, acceleration)]


class JointTrajectory(Trajectory[JointMotion]):
    """A motion of n joints, or of the six lengths of a platform's legs."""

    kind = "joint"
    n: int

    def at(self, t: ArrayLike) -> JointMotion:
        return JointMotion(*self._evaluate(t))


class PoseTrajectory(Trajectory[PoseMotion]):
    """A motion of a platform in space. The quaternion's sign does not jump along time."""

    kind = "pose"

    def at(self, t: ArrayLike) -> PoseMotion:
        return PoseMotion(*self._evaluate(t))
