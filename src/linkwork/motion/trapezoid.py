"""Trapezoidal velocity: two of duration, velocity and acceleration determine the third."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from linkwork.checks import positive
from linkwork.errors import InputError
from linkwork.interface.robot import Array
from linkwork.motion.inputs import bounds, vector
from linkwork.motion.lines import JointLine
from linkwork.motion.profiles import BlendProfile, Profile, UniformProfile
from linkwork.motion.trajectory import ROUNDING


class Trapezoid(JointLine):
    """Joints that start, cruise and stop together, with velocities in the shape of a trapezoid.

    Two of the three determine the motion. Velocity and acceleration are one number or one per joint
    [rad/s, rad/s^2 or m/s, m/s^2]; the joint that needs most of its own sets the pace.

    - velocity and acceleration: the shortest motion; a triangle if the way is too short to cruise.
    - duration and velocity: cruises at that velocity; the acceleration follows.
    - duration and acceleration: the cruising velocity follows.
    """

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
        super().__init__(first, last, _profile(duration, v, a, moving=bool(way.any())))


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


def _profile(duration: float | None, v: float | None, a: float | None, moving: bool) -> Profile:
    if duration is not None:
        positive(duration, "duration", "s")
        if not moving:
            return UniformProfile(duration)  # of a way of zero: rest
        return BlendProfile(duration, _blend(duration, v, a))
    if not moving:
        raise InputError("start and end are equal, which takes no time; give a duration to rest there.")
    assert v is not None
    assert a is not None
    v = min(v, math.sqrt(a))  # the peak of the triangle
    return BlendProfile(1 / v + v / a, v / a)


def _blend(T: float, v: float | None, a: float | None) -> float:
    """The blend time of a way of 1 in T seconds at cruising rate v, or with acceleration a."""
    if v is not None:
        blend = T - 1 / v
        if not ROUNDING * T < blend <= T / 2 * (1 + ROUNDING):
            raise InputError(
                f"duration = {T:g} s does not fit the velocity: it must be above {1 / v:.6g} s and "
                f"up to {2 / v:.6g} s; or keep it and multiply the velocity by a factor above "
                f"{1 / (v * T):.6g} and up to {2 / (v * T):.6g}."
            )
        return min(blend, T / 2)
    assert a is not None
    room = 1 - 4 / (a * T * T)
    if room < -ROUNDING:
        raise InputError(
            f"duration = {T:g} s is too short for the acceleration: it must be {2 / math.sqrt(a):.6g} s "
            f"or more; or keep it and multiply the acceleration by {4 / (a * T * T):.6g} or more."
        )
    # (1 - sqrt(room)) / 2 without the cancellation
    return T * 2 / (a * T * T) / (1 + math.sqrt(max(room, 0.0)))
