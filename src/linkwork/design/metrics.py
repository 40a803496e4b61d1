"""What variants of a robot ask of their actuators along motions, many variants after another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np

from linkwork.core.errors import InputError, LinkworkError
from linkwork.kernels import Kernel
from linkwork.motion.bundled import motion_for
from linkwork.motion.inputs import instants_with_end
from linkwork.robot.platform import Platform
from linkwork.robot.results import modes_of
from linkwork.robot.robot import Array, Robot

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
OF_PLATFORMS = ("condition", "margin", "footprint", "dead_length", "frequency")
DEMAND = "demand"


@dataclass(frozen=True, eq=False)
class MotionSamples:
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


class Need(NamedTuple):
    """What a motion asks of the motors of variants (V,): the greatest of any motor, and the lowest and
    highest position (V, k) of each; legs of a platform, which are alike, are one."""

    peak: Array
    rms: Array
    lowest: Array
    highest: Array
    speed: Array
    power: Array


@dataclass(frozen=True, eq=False)
class Evaluator:
    """Metrics of a robot's variants; their fields are inputs of kernels, so nothing is compiled anew."""

    robot: Robot
    fields: tuple[str, ...]
    motions: tuple[MotionSamples, ...]
    metrics: tuple[str, ...]
    clearance: float = 0.0
    leg_diameter: float = 0.0

    def __call__(self, values: Array) -> tuple[dict[str, Array], list[str]]:
        """Metrics (V,) by name of variants with these values (V, k), and the reason where one fails."""
        columns = [values[:, [k]].repeat(size, axis=1) for k, size in enumerate(self._sizes)]
        inputs = list(zip(*columns, strict=True))
        reasons = [""] * len(values)
        along = [self._along(motion, inputs, reasons) for motion in self.motions]
        most = Need(*(np.max(values, axis=0) for values in zip(*along, strict=True)))
        lowest = np.min([each.lowest for each in along], axis=0)
        stroke = (most.highest - lowest).max(axis=1)
        found = {
            "peak_effort": most.peak,
            "rms_effort": most.rms,
            "stroke": stroke,
            "speed": most.speed,
            "power": most.power,
            "dead_length": lowest.min(axis=1) - stroke,  # of an actuator beside its stroke
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
                    base = Platform.expect(variant, "footprint").model.points()[0]
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

    def _along(self, motion: MotionSamples, inputs: list[Inputs], reasons: list[str]) -> Need:
        """What a motion asks of the motors of variants.

        A few variants at a time, in places used again and again, so that they stay in the cache.
        """
        count = min(max(NUMBERS // len(motion.time), 1), MOST, len(inputs))
        results = [
            np.empty((count, len(motion.time), *shape)) for shape in self._effort.outputs.values()
        ]
        places = list(zip(*results, strict=True))
        position, lift = motion.position.copy(), self._lift
        found = []
        for start in range(0, len(inputs), count):
            few = inputs[start : start + count]
            for row, (values, place) in enumerate(zip(few, places, strict=False)):
                if lift is not None:
                    np.add(motion.position[:, 2] - self._height, values[lift], out=position[:, 2])
                arrays = (position, motion.velocity, motion.acceleration, *values)
                _, nonfinite = self._effort.evaluate(arrays, place)
                if nonfinite:
                    reasons[start + row] = (
                        f"{motion.name} has no finite effort: it is impossible or singular here."
                    )
                    for each in place:
                        each[...] = 0.0
            found.append(self._reduced(motion, [each[: len(few)] for each in results]))
        return Need(*(np.concatenate(parts) for parts in zip(*found, strict=True)))

    def _reduced(self, motion: MotionSamples, results: list[Array]) -> Need:
        """Extremes and means over instants of what the kernel says of them."""
        if has_demand(self.robot):  # all but the squares are extremes over the legs
            force, square, shortest, longest, speed, power = results
            low, high = shortest.min(axis=1)[:, None], longest.max(axis=1)[:, None]
            force, speed, power = (each.max(axis=1) for each in (force, speed, power))
            return Need(force, np.sqrt((motion.weights @ square).max(axis=1)), low, high, speed, power)
        # No field that varies here moves the motors: their motion is that of the robot itself.
        (effort,) = results
        position, velocity, _ = self.robot.actuator_motion(motion.position, motion.velocity)
        assert velocity is not None
        each = np.ones((len(effort), 1))
        return Need(
            np.abs(effort).max(axis=(1, 2)),
            np.sqrt(np.einsum("t,vtj->vj", motion.weights, effort**2).max(axis=1)),
            each * position.min(axis=0),
            each * position.max(axis=0),
            each[:, 0] * np.abs(velocity).max(),
            np.abs(effort * velocity).max(axis=(1, 2)),
        )

    def _frequency(self, inputs: Inputs) -> float:
        """The lowest natural frequency at home and at the ends of the motions."""
        poses = [self._home(inputs)]
        for motion in self.motions:
            ends = motion.position[[0, -1]].copy()
            ends[:, 2] += poses[0][2] - self._height
            poses += list(ends)
        K, M = (np.asarray(kernel(np.array(poses), *inputs)) for kernel in self._vibration)
        return float(modes_of(K, M).frequencies.min())

    @cached_property
    def _vibration(self) -> tuple[Kernel, Kernel]:
        legs = Platform.expect(self.robot, "frequency").model.legs
        if "leg_defaults.stiffness" not in self.fields and any(leg.stiffness is None for leg in legs):
            raise InputError(f"frequency needs the stiffness of the legs of {self.robot.name}.")
        kernel = partial(self.robot.kernel, parameters=self.fields)
        return kernel("stiffness"), kernel("mass_matrix")

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
            least = min(least, *(float(each.min()) for each in found[:-1]))
            if "condition" in self.metrics:
                worst = max(worst, float(np.max(self._condition(poses, *inputs))))
        return {"condition": worst, "margin": least}

    @cached_property
    def _jacobian(self) -> Kernel:
        return self.robot.kernel("jacobian", parameters=self.fields)

    @cached_property
    def _condition(self) -> Kernel:
        return self.robot.kernel("condition_number", parameters=self.fields)

    @cached_property
    def _margin(self) -> Kernel:
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
    motions: Sequence[MotionSamples],
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


def sampled(robot: Robot, source: str, period: float) -> MotionSamples:
    """A motion by name or file at instants."""
    motion = motion_for(robot, source)
    time = instants_with_end(motion.duration, period)
    return MotionSamples(source, time, *motion.at(time))
