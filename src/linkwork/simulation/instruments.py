"""A digital loop fitted to a robot: readings, estimates of velocity, and efforts that leave a converter.

The arithmetic is the same for numbers and for expressions, so that a single run and a compiled batch
cannot differ.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import casadi as ca
import numpy as np

from linkwork.control.integral import between
from linkwork.errors import InputError
from linkwork.interface.robot import Array, Robot
from linkwork.mechanics.expressions import SX
from linkwork.simulation.digital_loop import DigitalLoop


class Estimate(NamedTuple):
    """Actuator positions and velocities as a computer knows them, kept from sample to sample."""

    position: Any
    velocity: Any


@dataclass(frozen=True, eq=False)
class Instruments:
    """A loop with a number for every actuator (n,); infinite where there is no bound.

    `forget` and `correction` are the gains of filter and observer at this period.
    """

    loop: DigitalLoop
    period: float
    step: Array
    low: Array
    high: Array
    noise: Array
    bias: Array
    effort_step: Array
    effort_bound: Array

    @classmethod
    def of(cls, loop: DigitalLoop, robot: Robot, period: float | None) -> Instruments:
        """The loop at a robot; a controller without a period can have no memory."""
        if period is None and loop.needs_period:
            raise InputError(
                f"{', '.join(loop.needs_period)} of the digital loop need a controller that samples; "
                "give it a period."
            )
        if period is not None and loop.jitter >= period:
            raise InputError(
                f"jitter = {loop.jitter:g} s: allowed is less than the controller's period {period:g} s."
            )
        n = robot.n
        step, low, high = (
            _each(loop.resolution, n, "resolution"),
            np.full(n, -np.inf),
            np.full(n, np.inf),
        )
        if loop.position_bits is not None:
            low, high = _position_range(loop, robot)
            step = (high - low) / 2**loop.position_bits
            high = high - step  # the highest of 2**bits readings that begin with the lowest
        effort_step, bound = np.zeros(n), np.full(n, np.inf)
        if loop.effort_limits:
            bound = robot.limits.effort
        if loop.effort_bits is not None:
            reach = _effort_range(loop, robot)
            effort_step, bound = 2 * reach / 2**loop.effort_bits, np.minimum(bound, reach)
        noise, bias = _each(loop.noise, n, "noise"), _each(loop.bias, n, "bias")
        return cls(loop, period or 0.0, step, low, high, noise, bias, effort_step, bound)

    def reading(self, position: Any, normal: Any = None) -> Any:
        """What the sensors tell of actuator positions; `normal` are standard normal numbers."""
        if np.any(self.bias):
            position = position + self.bias
        if np.any(self.noise):
            position = position + self.noise * normal
        if not np.any(self.step):
            return position
        origin = np.where(np.isfinite(self.low), self.low, 0.0)
        rounded = origin + _rounded(position - origin, self.step)
        return between(rounded, self.low, self.high)

    def first(self, reading: Any, velocity: Any) -> Estimate:
        """Memory before the first sample: as if the start's velocity had always been."""
        return Estimate(reading - self.period * velocity, velocity)

    def estimate(
        self, reading: Any, velocity: Any, acceleration: Any, before: Estimate | None
    ) -> Estimate:
        """What the computer believes after a sample; `velocity` is the exact one, `acceleration` that of
        the reference."""
        kind, T = self.loop.velocity, self.period
        if kind == "exact":
            return Estimate(reading, velocity)
        assert before is not None
        slope = (reading - before.position) / T
        if kind == "differenced":
            return Estimate(reading, slope)
        assert self.loop.bandwidth is not None
        pole = float(np.exp(-2 * np.pi * self.loop.bandwidth * T))
        if kind == "filtered":
            return Estimate(reading, before.velocity + (1 - pole) * (slope - before.velocity))
        ahead = before.position + T * before.velocity + T * T / 2 * acceleration
        miss = reading - ahead
        speed = before.velocity + T * acceleration + (1 - pole) ** 2 / T * miss
        return Estimate(ahead + (1 - pole * pole) * miss, speed)

    def wrist(self, wrench: Any, normal: Any) -> Any:
        """What the wrist sensor tells of a wrench; `normal` are six standard normal numbers."""
        loop = self.loop
        step, noise, bias = (
            np.broadcast_to(np.asarray(part, dtype=np.float64), (6,))
            for part in (loop.wrist_resolution, loop.wrist_noise, loop.wrist_bias)
        )
        if bias.any():
            wrench = wrench + bias
        if noise.any():
            wrench = wrench + noise * normal
        return _rounded(wrench, step)

    def given_out(self, effort: Any) -> Any:
        """The effort that leaves the converter."""
        return between(_rounded(effort, self.effort_step), -self.effort_bound, self.effort_bound)


def _each(value: Any, n: int, name: str) -> Array:
    array = np.asarray(value, dtype=np.float64)
    if array.shape not in ((), (n,)):
        raise InputError(f"{name} of the digital loop has {len(array)} numbers for {n} actuators.")
    return np.broadcast_to(array, (n,)).copy()


def _position_range(loop: DigitalLoop, robot: Robot) -> tuple[Array, Array]:
    if loop.position_range is not None:
        low, high = loop.position_range
        return np.full(robot.n, low), np.full(robot.n, high)
    low, high = robot.limits.position.T
    _check_finite(np.stack([low, high]), robot, "position")
    return low, high


def _effort_range(loop: DigitalLoop, robot: Robot) -> Array:
    if loop.effort_range is not None:
        return _each(loop.effort_range, robot.n, "effort_range")
    _check_finite(robot.limits.effort[None], robot, "effort")
    return robot.limits.effort


def _check_finite(bounds: Array, robot: Robot, what: str) -> None:
    missing = ~np.isfinite(bounds).all(axis=0)
    if missing.any():
        name = robot.efforts.names[int(np.argmax(missing))]
        raise InputError(
            f"{what}_bits of the digital loop span the limits of the robot file, and {robot.name} has "
            f"no {what} limit at {name}; give {what}_range."
        )


def _rounded(values: Any, step: Array) -> Any:
    """Values to the nearest multiple of `step`, where it is not zero."""
    if not step.any():
        return values
    if isinstance(values, SX):
        parts = [
            size * ca.floor(values[k] / size + 0.5) if size else values[k]
            for k, size in enumerate(step.tolist())
        ]
        return ca.vertcat(*parts)
    fine = np.where(step > 0, step, 1.0)
    return np.where(step > 0, fine * np.floor(values / fine + 0.5), values)
