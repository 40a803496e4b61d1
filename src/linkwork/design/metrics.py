"""What variants of a robot ask of their actuators along motions, many variants after another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from linkwork.errors import InputError, LinkworkError
from linkwork.interface.modes import modes_of
from linkwork.interface.robot import Array, Robot
from linkwork.kernels import Kernel
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
    "tracking_error": ("m or rad", -1),
    "rms_error": ("m or rad", -1),
}
OF_LOOPS = ("tracking_error", "rms_error")
OF_LEGS = {"N or N m": "N", "m or rad": "m", "m/s or rad/s": "m/s"}
OF_ONE = ("condition", "margin", "footprint", "frequency")  # computed a variant at a time
MOST, NUMBERS = 64, 10_000  # variants at once, and their states: so many results stay in the cache
Inputs = tuple[Array, ...]  # values of the fields of one variant
# What `demand` returns of every instant: force, squares, shortest and longest leg, speed, power.
OVER_INSTANTS = (np.maximum, None, np.minimum, np.maximum, np.maximum, np.maximum)
OF_PLATFORMS = ("condition", "margin", "footprint", "dead_length", "frequency")
DEMAND = "demand"


@dataclass(frozen=True, eq=False)
class Samples:
    """A motion at instants: position, velocity, acceleration."""

    name: str
    time: Array
    position: Array
    velocity: Array
    acceleration: Array

    @cached_property
    def weights(self) -> Array:
        """Of instants in a mean over time, by trapezia."""
        steps = np.diff(self.time) / (self.time[-1] - self.time[0])
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
        columns = [values[:, [k]].repeat(size, axis=1) for k, size in enumerate(self._sizes)]
        inputs = list(zip(*columns, strict=True))
        reasons = [""] * len(values)
        along = np.array([self._along(motion, inputs, reasons) for motion in self.motions])
        peak, rms, _, highest, speed, power = along.max(axis=0)
        lowest = along[:, 2].min(axis=0)
        stroke = highest - lowest
        found = {
            "peak_effort": peak,
            "rms_effort": rms,
            "stroke": stroke,
            "speed": speed,
            "power": power,
            "dead_length": lowest - stroke,  # of an actuator beside its stroke
        }
        found |= self._others(values, inputs, reasons)
        failed = np.array([bool(reason) for reason in reasons])
        return {name: np.where(failed, np.nan, found[name]) for name in self.metrics}, reasons

    def _others(self, values: Array, inputs: list[Inputs], reasons: list[str]) -> dict[str, Array]:
        """Metrics that take a variant at a time, as far as they are asked for."""
        asked = [name for name in self.metrics if name in OF_ONE]
        found = {name: np.full(len(values), np.nan) for name in OF_ONE if asked}
        for row, value in enumerate(values if asked else ()):
            if reasons[row]:
                continue
            try:
                one: dict[str, float] = {}
                if "frequency" in asked:
                    one["frequency"] = self._frequency(inputs[row])
                if {"condition", "margin"} & {*asked}:
                    one |= self._margins(inputs[row])
                if "footprint" in asked:
                    variant = self.robot.with_fields(dict(zip(self.fields, value, strict=True)))
                    base = variant.model.points()[0]
                    one["footprint"] = float(np.linalg.norm(base[:, :2], axis=1).max())
                for name, number in one.items():
                    if name in asked and not np.isfinite(number):
                        raise InputError(f"{name} is {number}: singular, or not stable at rest.")
                    found[name][row] = number
            except LinkworkError as error:
                reasons[row] = str(error).splitlines()[0]
        return found

    @cached_property
    def _sizes(self) -> list[int]:
        return [len(self.robot.field(name)) for name in self.fields]

    @cached_property
    def _effort(self) -> Kernel:
        method = DEMAND if has_demand(self.robot) else "inverse_dynamics"
        return self.robot.kernel(method, parameters=self.fields)

    def _along(self, motion: Samples, inputs: list[Inputs], reasons: list[str]) -> Array:
        """Of variants (6, V): peak and RMS effort, lowest and highest position, speed and power.

        A few variants at a time, in places used again and again, so that they stay in the cache.
        """
        count = min(max(NUMBERS // len(motion.time), 1), MOST, len(inputs))
        results = tuple(
            [np.empty((count, len(motion.time), *shape)) for shape in self._effort.outputs.values()]
        )
        places = list(zip(*results, strict=True))
        position = motion.position.copy()
        lift, height = self._lift, position[:, 2] - self._height
        found = np.empty((6, len(inputs)))
        for start in range(0, len(inputs), count):
            few = inputs[start : start + count]
            for row, (values, place) in enumerate(zip(few, places, strict=False)):
                if lift is not None:
                    np.add(height, values[lift], out=position[:, 2])
                arrays = (position, motion.velocity, motion.acceleration, *values)
                _, nonfinite = self._effort.evaluate(arrays, place)
                if nonfinite:
                    reasons[start + row] = (
                        f"{motion.name} has no finite effort: it is impossible or singular here."
                    )
                    for each in place:
                        each[...] = 0.0
            filled = results if len(few) == count else tuple([each[: len(few)] for each in results])
            self._reduce(motion, filled, found[:, start : start + len(few)])
        return found

    def _reduce(self, motion: Samples, results: tuple[Array, ...], found: Array) -> None:
        """Extremes and means over instants of what the kernel says of them."""
        if has_demand(self.robot):
            for k, (each, reduce) in enumerate(zip(results, OVER_INSTANTS, strict=True)):
                if reduce is None:
                    np.sqrt((motion.weights @ each).max(axis=1), out=found[k])
                else:
                    reduce.reduce(each, axis=1, out=found[k])
            return
        (effort,) = results
        widest = motion.position[:, int(np.argmax(np.ptp(motion.position, axis=0)))]
        found[0] = np.abs(effort).max(axis=(1, 2))
        found[1] = np.sqrt(np.einsum("t,vtj->vj", motion.weights, effort**2).max(axis=1))
        found[2], found[3] = widest.min(), widest.max()
        found[4] = np.abs(motion.velocity).max()
        found[5] = np.abs(effort * motion.velocity).max(axis=(1, 2))

    def _frequency(self, inputs: Inputs) -> float:
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

    def _home(self, inputs: Inputs) -> Array:
        home = self.robot.home.copy()
        if self._lift is not None:
            home[2] = inputs[self._lift][0]
        return home

    def _margins(self, inputs: Inputs) -> dict[str, float]:
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


def has_demand(robot: Robot) -> bool:
    """Whether a kernel tells extremes over the legs at once, as that of a Stewart platform."""
    return DEMAND in robot.kernel_methods


def evaluator(
    robot: Robot,
    fields: Sequence[str],
    motions: Sequence[Samples],
    metrics: Sequence[str],
    *,
    clearance: float = 0.0,
    leg_diameter: float = 0.0,
) -> Evaluator:
    """Metrics of a robot's variants along motions, which move with home where its height varies."""
    if wrong := [name for name in metrics if name in OF_LOOPS]:
        raise InputError(
            f"{wrong[0]} is a metric of closed loops; add controller: {{kp, kv}} to the study."
        )
    if not has_demand(robot) and (wrong := [name for name in metrics if name in OF_PLATFORMS]):
        raise InputError(f"{wrong[0]} is a metric of Stewart platforms; {robot.name} is none.")
    settings = (clearance, leg_diameter)
    return Evaluator(robot, tuple(fields), tuple(motions), tuple(metrics), *settings)


def units_of(robot: Robot, metrics: Sequence[str]) -> dict[str, str]:
    """Units of metrics: of legs, or of joints that may turn or slide."""
    units = {name: METRICS[name][0] for name in metrics}
    if has_demand(robot):
        units = {name: OF_LEGS.get(unit, unit) for name, unit in units.items()}
    return units


def sampled(robot: Any, source: str, period: float) -> Samples:
    """A motion by name or file at instants."""
    motion = motion_for(robot, source)
    time = instants_with_end(motion.duration, period)
    return Samples(source, time, *motion.at(time))
