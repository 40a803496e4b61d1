"""What variants of a robot ask of their actuators along motions, many variants after another."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from linkwork.errors import InputError, LinkworkError
from linkwork.interface.modes import modes_of
from linkwork.interface.robot import Array, Robot
from linkwork.motion.bundled import motion_for
from linkwork.motion.inputs import instants_with_end

# Units, and which end is better: -1 small, +1 great.
METRICS: dict[str, tuple[str, int]] = {
    "peak_effort": ("N or N m", -1),
    "rms_effort": ("N or N m", -1),
    "stroke": ("m or rad", -1),
    "speed": ("m/s or rad/s", -1),
    "power": ("W", -1),
    "condition": ("", -1),
    "margin": ("", 1),
    "footprint": ("m", -1),
    "dead_length": ("m", 1),
    "frequency": ("Hz", 1),
}
OF_LEGS = {"N or N m": "N", "m or rad": "m", "m/s or rad/s": "m/s"}
OF_PLATFORMS = ("condition", "margin", "footprint", "dead_length", "frequency")


@dataclass(frozen=True, eq=False)
class Samples:
    """A motion at instants: position, velocity, acceleration."""

    name: str
    time: Array
    position: Array
    velocity: Array
    acceleration: Array

    @property
    def weights(self) -> Array:
        """Of instants in a mean over time, by trapezia."""
        steps = np.diff(self.time)
        return np.append(steps / 2, 0.0) + np.append(0.0, steps / 2)


@dataclass(frozen=True, eq=False)
class Evaluator:
    """Metrics of a robot's variants; their fields are inputs of kernels, so nothing is compiled anew."""

    robot: Robot
    fields: tuple[str, ...]
    motions: tuple[Samples, ...]
    metrics: tuple[str, ...]
    clearance: float = 0.0
    leg_diameter: float = 0.0

    def __call__(self, values: Array) -> tuple[dict[str, Array], list[str]]:
        """Metrics (V,) by name of variants with these values (V, k), and the reason where one fails."""
        found = {name: np.full(len(values), np.nan) for name in self.metrics}
        reasons = [""] * len(values)
        for row, value in enumerate(values):
            try:
                for name, number in self._one(value).items():
                    found[name][row] = number
            except LinkworkError as error:
                reasons[row] = str(error).splitlines()[0]
        return found, reasons

    def _one(self, value: Array) -> Mapping[str, float]:
        inputs = [np.full(size, x) for size, x in zip(self._sizes, value, strict=True)]
        parts = [self._along(motion, inputs) for motion in self.motions]
        found = {
            "peak_effort": max(part[0] for part in parts),
            "rms_effort": max(part[1] for part in parts),
            "stroke": max(part[3] for part in parts) - min(part[2] for part in parts),
            "speed": max(part[4] for part in parts),
            "power": max(part[5] for part in parts),
        }
        if "dead_length" in self.metrics:  # of an actuator beside its stroke: shortest less stroke
            found["dead_length"] = min(part[2] for part in parts) - found["stroke"]
        if "frequency" in self.metrics:
            found["frequency"] = self._frequency(inputs)
        if {*self.metrics} & {"condition", "margin"}:
            found |= self._margins(inputs)
        if "footprint" in self.metrics:
            base = self.robot.with_fields(dict(zip(self.fields, value, strict=True))).model.points()[0]
            found["footprint"] = float(np.linalg.norm(base[:, :2], axis=1).max())
        bad = [name for name in self.metrics if not np.isfinite(found[name])]
        if bad:
            raise InputError(f"{bad[0]} is not finite: the motion is impossible or singular here.")
        return {name: found[name] for name in self.metrics}

    @cached_property
    def _sizes(self) -> list[int]:
        return [len(self.robot.field(name)) for name in self.fields]

    @cached_property
    def _effort(self) -> Callable[..., Any]:
        method = "demand" if self.robot.noun == "leg" else "inverse_dynamics"
        return self.robot.kernel(method, parameters=self.fields)

    def _along(self, motion: Samples, inputs: list[Array]) -> tuple[float, ...]:
        """Peak and RMS effort, lowest and highest position, speed and power along a motion."""
        position = motion.position
        if self._lift is not None:
            position = position.copy()
            position[:, 2] += inputs[self._lift][0] - self._height
        state = (position, motion.velocity, motion.acceleration)
        found = self._effort(*state, *inputs)
        span = motion.time[-1] - motion.time[0]
        if self.robot.noun == "leg":
            force, square, shortest, longest, speed, power = found
            mean = float(motion.weights @ square) / span
            ends = float(shortest.min()), float(longest.max())
            return float(force.max()), mean**0.5, *ends, float(speed.max()), float(power.max())
        squares = motion.weights @ found**2 / span
        peak, power = float(np.abs(found).max()), float(np.abs(found * motion.velocity).max())
        widest = int(np.argmax(np.ptp(position, axis=0)))
        ends = float(position[:, widest].min()), float(position[:, widest].max())
        return peak, float(np.sqrt(squares.max())), *ends, float(np.abs(motion.velocity).max()), power

    def _frequency(self, inputs: list[Array]) -> float:
        """The lowest natural frequency at home and at the ends of the motions."""
        poses = [self._home(inputs)]
        for motion in self.motions:
            ends = motion.position[[0, -1]].copy()
            ends[:, 2] += poses[0][2] - self._height
            poses += list(ends)
        K, M = (kernel(np.array(poses), *inputs) for kernel in self._vibration)
        return float(modes_of(K, M).frequencies.min())

    @cached_property
    def _vibration(self) -> tuple[Callable[..., Any], Callable[..., Any]]:
        legs = self.robot.model.legs
        if "leg_defaults.stiffness" not in self.fields and any(leg.stiffness is None for leg in legs):
            raise InputError(f"frequency needs the stiffness of the legs of {self.robot.name}.")
        fields = self.fields
        return tuple(self.robot.kernel(name, parameters=fields) for name in ("stiffness", "mass_matrix"))  # type: ignore[return-value]

    def _home(self, inputs: list[Array]) -> Array:
        home = self.robot.home.copy()
        if self._lift is not None:
            home[2] = inputs[self._lift][0]
        return home

    def _margins(self, inputs: list[Array]) -> dict[str, float]:
        """The greatest condition number and the least margin along all motions."""
        home = self._home(inputs)
        J = self._jacobian(home, *inputs)
        settings = [self.clearance, self.leg_diameter, float(np.sign(np.linalg.det(J)))]
        worst, least = 1.0, np.inf
        for motion in self.motions:
            poses = motion.position
            if self._lift is not None:
                poses = poses.copy()
                poses[:, 2] += home[2] - self._height
            found = self._margin(poses, settings, *inputs)
            worst = max(worst, float(found[7].max()))
            least = min(least, *(float(each.min()) for each in found[:6]))
        return {"condition": worst, "margin": least}

    @cached_property
    def _jacobian(self) -> Callable[..., Any]:
        return self.robot.kernel("jacobian", parameters=self.fields)

    @cached_property
    def _margin(self) -> Callable[..., Any]:
        return self.robot.kernel("margins", parameters=self.fields)

    @cached_property
    def _lift(self) -> int | None:
        """Which field moves home, and with it the motions."""
        return self.fields.index("geometry.height") if "geometry.height" in self.fields else None

    @cached_property
    def _height(self) -> float:
        return float(self.robot.home[2])


def evaluator(
    robot: Robot,
    fields: Sequence[str],
    motions: Sequence[str | Samples],
    metrics: Sequence[str],
    *,
    period: float = 0.02,
    clearance: float = 0.0,
    leg_diameter: float = 0.0,
) -> Evaluator:
    """Metrics of a robot's variants along motions, which move with home where its height varies."""
    samples = tuple(one if isinstance(one, Samples) else sampled(robot, one, period) for one in motions)
    if robot.noun != "leg" and (wrong := [name for name in metrics if name in OF_PLATFORMS]):
        raise InputError(f"{wrong[0]} is a metric of platforms; {robot.name} is an arm.")
    settings = (clearance, leg_diameter)
    return Evaluator(robot, tuple(fields), samples, tuple(metrics), *settings)


def units_of(robot: Robot, metrics: Sequence[str]) -> dict[str, str]:
    """Units of metrics: of legs, or of joints that may turn or slide."""
    units = {name: METRICS[name][0] for name in metrics}
    if robot.noun == "leg":
        units = {name: OF_LEGS.get(unit, unit) for name, unit in units.items()}
    return units


def sampled(robot: Any, source: str, period: float) -> Samples:
    """A motion by name or file at instants."""
    motion = motion_for(robot, source)
    time = instants_with_end(motion.duration, period)
    return Samples(source, time, *motion.at(time))
