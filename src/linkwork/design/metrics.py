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
BLOCK, NUMBERS = 64, 20_000  # variants at once, and their states: so many results stay in the cache
OF_PLATFORMS = ("condition", "margin", "footprint", "dead_length", "frequency")


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
        longest = max(len(motion.time) for motion in self.motions)
        block = min(max(NUMBERS // longest, 1), BLOCK)
        shapes = self._effort.outputs.values()
        places = [
            tuple([np.empty((block, len(motion.time), *shape)) for shape in shapes])
            for motion in self.motions
        ]
        parts = [self._block(values[k : k + block], places) for k in range(0, len(values), block)]
        found = {name: np.concatenate([part[name] for part, _ in parts]) for name in self.metrics}
        return found, [reason for _, reasons in parts for reason in reasons]

    def _block(
        self, values: Array, places: list[tuple[Array, ...]]
    ) -> tuple[dict[str, Array], list[str]]:
        """Metrics of a few variants: motions one after another, so that results stay in the cache."""
        inputs = [
            [value[k : k + 1].repeat(size) for k, size in enumerate(self._sizes)] for value in values
        ]
        reasons = [""] * len(values)
        along = [
            self._along(motion, inputs, reasons, tuple([each[: len(values)] for each in place]))
            for motion, place in zip(self.motions, places, strict=True)
        ]
        peak, rms, low, high, speed, power = (list(each) for each in zip(*along, strict=True))
        lowest = np.min(low, axis=0)
        stroke = np.max(high, axis=0) - lowest
        found = {
            "peak_effort": np.max(peak, axis=0),
            "rms_effort": np.max(rms, axis=0),
            "stroke": stroke,
            "speed": np.max(speed, axis=0),
            "power": np.max(power, axis=0),
            "dead_length": lowest - stroke,  # of an actuator beside its stroke
        }
        found |= self._others(values, inputs, reasons)
        failed = np.array([bool(reason) for reason in reasons])
        return {name: np.where(failed, np.nan, found[name]) for name in self.metrics}, reasons

    def _others(self, values: Array, inputs: list[list[Array]], reasons: list[str]) -> dict[str, Array]:
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
        method = "demand" if self.robot.noun == "leg" else "inverse_dynamics"
        return self.robot.kernel(method, parameters=self.fields)

    def _along(
        self,
        motion: Samples,
        inputs: list[list[Array]],
        reasons: list[str],
        results: tuple[Array, ...],
    ) -> tuple[Array, ...]:
        """Of variants (V,): peak and RMS effort, lowest and highest position, speed and power.

        `results` are places for what the kernel returns, used again and again.
        """
        kernel = self._effort
        position = motion.position
        if self._lift is not None:
            height = position[:, 2] - self._height
            position = position.copy()
        for row, values in enumerate(inputs):
            if self._lift is not None:
                np.add(height, values[self._lift][0], out=position[:, 2])
            arrays = (position, motion.velocity, motion.acceleration, *values)
            _, nonfinite = kernel.evaluate(arrays, tuple([each[row] for each in results]))
            if nonfinite:
                reasons[row] = f"{motion.name} has no finite effort: it is impossible or singular here."
                for each in results:
                    each[row] = 0.0
        if self.robot.noun == "leg":
            force, square, shortest, longest, speed, power = results
            ends = (shortest.min(axis=1), longest.max(axis=1))
            rms = np.sqrt(square @ motion.weights)
            return force.max(axis=1), rms, *ends, speed.max(axis=1), power.max(axis=1)
        (effort,) = results
        widest = int(np.argmax(np.ptp(position, axis=0)))
        fastest = float(np.abs(motion.velocity).max())
        return (
            np.abs(effort).max(axis=(1, 2)),
            np.sqrt(np.einsum("t,vtj->vj", motion.weights, effort**2).max(axis=1)),
            np.full(len(inputs), position[:, widest].min()),
            np.full(len(inputs), position[:, widest].max()),
            np.full(len(inputs), fastest),
            np.abs(effort * motion.velocity).max(axis=(1, 2)),
        )

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
    if wrong := [name for name in metrics if name in OF_LOOPS]:
        raise InputError(
            f"{wrong[0]} is a metric of closed loops; add controller: {{kp, kv}} to the study."
        )
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
