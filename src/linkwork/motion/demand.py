"""What going along a path asks of a robot's joints or legs, and how much they can give."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from linkwork.errors import InputError
from linkwork.interface.robot import Array, Robot
from linkwork.motion.inputs import bounds
from linkwork.motion.sampled import Sampled, SampledPoses


@dataclass(frozen=True, eq=False)
class Bounds:
    """Bounds of joints or legs by name, (n,) each; infinite is unbounded."""

    names: tuple[str, ...]
    velocity: Array
    acceleration: Array
    effort: Array


def bounds_of(
    robot: Robot,
    velocity: ArrayLike | None,
    acceleration: ArrayLike | None,
    effort: ArrayLike | None,
) -> Bounds:
    """The bounds given; where they are None, those of the robot, which has none on acceleration."""
    if not isinstance(robot, Robot):
        raise InputError(f"robot = {robot!r}: allowed is a robot from lw.load.")
    names, own = robot.efforts.labels, robot.limits
    result = Bounds(
        names,
        _own_or_given(velocity, own.velocity, "velocity", names),
        bounds(np.inf if acceleration is None else acceleration, "acceleration", len(names)),
        _own_or_given(effort, own.effort, "effort", names),
    )
    free = ~np.isfinite(result.acceleration) & ~np.isfinite(result.effort)
    if free.all():
        raise InputError("nothing bounds the accelerations; give a finite acceleration or effort.")
    return result


def _own_or_given(given: ArrayLike | None, own: Array, what: str, names: tuple[str, ...]) -> Array:
    if given is not None:
        return bounds(given, what, len(names))
    missing = [name for name, value in zip(names, own, strict=True) if np.isinf(value)]
    if missing:
        raise InputError(
            f"{', '.join(missing)}: the robot file has no limit of {what}; give {what}= one number or "
            "one each (math.inf is no limit)."
        )
    return own


class Demand:
    """Rates and loads along a path at fractions s of it, by the path's rate sd and acceleration sdd.

    rate = first sd; acceleration = first sdd + second sd^2;
    load = inertia sdd + centrifugal sd^2 + static + friction(sd). All arrays (N, n).
    """

    def __init__(self, robot: Robot, path: Sampled | SampledPoses, s: Array) -> None:
        self._robot = robot
        self._motion = path.at(s)
        moving = robot.actuator_motion(*self._motion)
        assert moving.velocity is not None
        assert moving.acceleration is not None
        self.first, self.second = moving.velocity, moving.acceleration
        zero, one = np.zeros(len(s)), np.ones(len(s))
        self.static = self.load(zero, zero, friction=False)
        self.inertia = self.load(zero, one, friction=False) - self.static
        self.centrifugal = self.load(one, zero, friction=False) - self.static

    def load(self, sd: Array, sdd: Array, friction: bool = True) -> Array:
        """Joint torques or leg forces, (N, n)."""
        place, first, second = self._motion
        rate = first * sd[:, None]
        acceleration = first * sdd[:, None] + second * sd[:, None] ** 2
        return self._robot.inverse_dynamics(place, rate, acceleration, friction=friction)

    def friction(self, sd: Array) -> Array:
        """The part of the load that friction takes at these rates."""
        zero = np.zeros_like(sd)
        return self.load(sd, zero) - self.load(sd, zero, friction=False)
