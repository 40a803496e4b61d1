"""What variants of a robot ask of their actuators along motions and in poses that they must reach."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from linkwork.core.errors import InputError
from linkwork.kernels import Kernel
from linkwork.motion.bundled import motion_for, unloaded
from linkwork.motion.inputs import instants_with_end
from linkwork.robot.limits import least_margin
from linkwork.robot.platform import Platform
from linkwork.robot.results import needs_stiffness
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
    "stiffness": ("N/m", 1),
    "joint_angle": ("rad", -1),
    "leg_distance": ("m", 1),
    "joint_spacing": ("m", 1),
    "clearance": ("", 1),
    "tracking_error": ("m or rad", -1),
    "rms_error": ("m or rad", -1),
}
LIMIT = "margin_limit"  # the column that says which limit the margin is of
OF_LOOPS = ("tracking_error", "rms_error")
OF_SLIDES = {"N or N m": "N", "m or rad": "m", "m/s or rad/s": "m/s"}
OF_TURNS = {"N or N m": "N m", "m or rad": "rad", "m/s or rad/s": "rad/s"}
# Worst over all samples and poses: the kernel of a pose that tells them.
OF_POSES = {
    "condition": "condition_number",
    "frequency": "lowest_frequency",
    "stiffness": "least_stiffness",
    "joint_angle": "joint_angle",
    "leg_distance": "leg_distance",
    "joint_spacing": "joint_spacing",
    "clearance": "singularity_distance",
}
OF_PLATFORMS = (*OF_POSES, "footprint", "dead_length")
ELASTIC = ("frequency", "stiffness")
MOST, NUMBERS = 64, 10_000  # variants at once, and their states: so many results stay in the cache
Inputs = tuple[Array, ...]  # values of the fields of one variant
DEMAND, DEMAND_AND_LIMITS = "demand", "demand_and_limits"
SINGULARITY, LEG_DIAMETER = "singularity", "leg_diameter"  # limits that a study sets


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
    """What all states ask of the motors of variants (V,): the greatest of any motor, and the lowest and
    highest position (V, k) of each; legs of a platform, which are alike, are one. `margin` is the least
    of the limits of the robot file, `limit` its field."""

    peak: Array
    rms: Array
    lowest: Array
    highest: Array
    speed: Array
    power: Array
    margin: Array
    limit: Array


@dataclass(frozen=True, eq=False)
class Evaluator:
    """Metrics of a robot's variants; their fields are inputs of kernels, so nothing is compiled anew.

    `cover` are states (P, ...) that must be taken beside the motions: positions, velocities,
    accelerations. All metrics are the worst over both, but for the root mean square, which is that of
    the motions.
    """

    robot: Robot
    fields: tuple[str, ...]
    motions: tuple[MotionSamples, ...]
    metrics: tuple[str, ...]
    cover: tuple[Array, Array, Array]
    clearance: float = 0.0
    leg_diameter: float = 0.0

    @property
    def states(self) -> int:
        """Of the robot per variant."""
        return len(self._states[0])

    def __call__(self, values: Array) -> tuple[dict[str, Array], list[str]]:
        """Metrics (V,) by name of variants with these values (V, k), and the reason where one fails.

        Beside the margin stands the name of its limit.
        """
        columns = [values[:, [k]].repeat(size, axis=1) for k, size in enumerate(self._sizes)]
        inputs = list(zip(*columns, strict=True))
        reasons = [""] * len(values)
        need = self._needs(inputs, reasons)
        stroke = (need.highest - need.lowest).max(axis=1)
        found = {
            "peak_effort": need.peak,
            "rms_effort": need.rms,
            "stroke": stroke,
            "speed": need.speed,
            "power": need.power,
            "dead_length": need.lowest.min(axis=1) - stroke,  # of an actuator beside its stroke
        }
        found |= {name: self._worst(name, inputs, reasons) for name in self._of_poses}
        if "footprint" in self.metrics:
            found["footprint"] = self._footprint(values)
        if "margin" in self.metrics:
            found["margin"], found[LIMIT] = self._margin(need, found)
        failed = np.array([bool(reason) for reason in reasons])
        told = {name: np.where(failed, np.nan, found[name]) for name in self.metrics}
        if LIMIT in found:
            told[LIMIT] = np.where(failed, "", found[LIMIT])
        return told, reasons

    @cached_property
    def _sizes(self) -> list[int]:
        return [len(self.robot.field(name)) for name in self.fields]

    @cached_property
    def _states(self) -> tuple[Array, Array, Array]:
        """Of all motions, then those to be taken beside: one call of a kernel has them all."""
        position, velocity, acceleration = self.cover
        return (
            np.concatenate([*(each.position for each in self.motions), position]),
            np.concatenate([*(each.velocity for each in self.motions), velocity]),
            np.concatenate([*(each.acceleration for each in self.motions), acceleration]),
        )

    @cached_property
    def _parts(self) -> list[tuple[slice, MotionSamples | None]]:
        """Which of all states belong to which motion; the last ones to none."""
        ends = np.cumsum([0, *(len(each.time) for each in self.motions), len(self.cover[0])])
        places = [slice(a, b) for a, b in pairwise(ends.tolist())]
        return list(zip(places, [*self.motions, None], strict=True))

    @cached_property
    def _effort(self) -> Kernel:
        method = "inverse_dynamics"
        if has_demand(self.robot):
            if "margin" in self.metrics:
                return self.robot.sweep_kernel(DEMAND_AND_LIMITS, self.fields)
            method = DEMAND
        return self.robot.kernel(method, parameters=self.fields)

    @cached_property
    def _of_poses(self) -> dict[str, Kernel]:
        """Kernels of metrics of poses, those asked for and those of which the margin is made."""
        names = {name for name in OF_POSES if name in self.metrics}
        if "margin" in self.metrics and has_demand(self.robot):
            names |= {"clearance"} | ({"leg_distance"} if self.leg_diameter else set())
        if {*ELASTIC} & names and "leg_defaults.stiffness" not in self.fields:
            legs = Platform.expect(self.robot, "stiffness").model.legs
            stiff = [leg.stiffness for leg in legs]
            needs_stiffness(self.robot.name, self.robot.efforts.names, stiff, "leg_defaults.stiffness")
        kernel = self.robot.sweep_kernel
        return {name: kernel(how, self.fields) for name, how in OF_POSES.items() if name in names}

    @cached_property
    def _jacobian(self) -> Kernel:
        return self.robot.kernel("jacobian", parameters=self.fields)

    def _results(
        self,
        kernel: Kernel,
        arrays: Sequence[Array],
        inputs: list[Inputs],
        reasons: list[str],
        what: str,
    ) -> Iterator[list[Array]]:
        """What a kernel says of all states of some variants after others.

        In places used again and again, so that they stay in the cache. Where it is not finite, `what`
        has failed and all of the variant is zero.
        """
        given = arrays[0]
        count = min(max(NUMBERS // len(given), 1), MOST, len(inputs))
        results = [np.empty((count, len(given), *shape)) for shape in kernel.outputs.values()]
        places = list(zip(*results, strict=True))
        position, lift = given.copy(), self._lift
        for start in range(0, len(inputs), count):
            few = inputs[start : start + count]
            for row, (values, place) in enumerate(zip(few, places, strict=False)):
                if lift is not None:
                    np.add(given[:, 2] - self._height, values[lift], out=position[:, 2])
                _, nonfinite = kernel.evaluate((position, *arrays[1:], *values), place)
                if nonfinite:
                    reasons[start + row] = reasons[start + row] or self._failure(what, place)
                    for each in place:
                        each[...] = 0.0
            yield [each[: len(few)] for each in results]

    def _failure(self, what: str, place: tuple[Array, ...]) -> str:
        """Which motion or pose has no finite number, and of what."""
        wrong = ~np.all([np.isfinite(each).reshape(len(each), -1).all(axis=1) for each in place], axis=0)
        for states, motion in self._parts:
            if wrong[states].any():
                name = "a pose of cover" if motion is None else motion.name
                return f"{name} has no finite {what}: it is impossible or singular here."
        raise AssertionError(what)

    def _needs(self, inputs: list[Inputs], reasons: list[str]) -> Need:
        """What the states ask of the motors of variants."""
        reduce = self._of_legs if has_demand(self.robot) else self._of_motors
        results = self._results(self._effort, self._states, inputs, reasons, "effort")
        return Need(*(np.concatenate(parts) for parts in zip(*map(reduce, results), strict=True)))

    def _rms(self, square: Array) -> Array:
        """The greatest root mean square over time of any motor in any motion, of squares (V, N, k)."""
        of_each = [
            (motion.weights @ square[:, states]).max(axis=1)
            for states, motion in self._parts
            if motion is not None
        ] or [np.zeros(len(square))]
        return np.asarray(np.sqrt(np.max(of_each, axis=0)))

    def _of_legs(self, results: list[Array]) -> Need:
        """Of the kernel that tells extremes over the legs at once; all but squares are extremes."""
        force, square, shortest, longest, speed, power, *used = results
        low, high = shortest.min(axis=1)[:, None], longest.max(axis=1)[:, None]
        force, speed, power = (each.max(axis=1) for each in (force, speed, power))
        margin, limit = np.full(len(force), np.inf), np.full(len(force), "", dtype=object)
        if used:
            shares = np.stack([each.max(axis=1) for each in used], axis=1)
            names = [name.removeprefix("used_") for name in list(self._effort.outputs)[-len(used) :]]
            limit = np.array(names, dtype=object)[shares.argmax(axis=1)]
            margin = 1 - shares.max(axis=1)
        return Need(force, self._rms(square), low, high, speed, power, margin, limit)

    def _of_motors(self, results: list[Array]) -> Need:
        """No field that varies here moves the motors: their motion is that of the robot itself."""
        (effort,) = results
        position, velocity = self._moving
        each = np.ones((len(effort), 1))
        margins = [self._of_limits(one) for one in effort] if "margin" in self.metrics else []
        return Need(
            np.abs(effort).max(axis=(1, 2)),
            self._rms(effort**2),
            each * position.min(axis=0),
            each * position.max(axis=0),
            each[:, 0] * np.abs(velocity).max(),
            np.abs(effort * velocity).max(axis=(1, 2)),
            np.array([value for value, _ in margins] or each[:, 0] * np.inf),
            np.array([limit for _, limit in margins] or [""] * len(effort), dtype=object),
        )

    @cached_property
    def _moving(self) -> tuple[Array, Array]:
        """Positions and velocities of the motors in all states."""
        position, velocity, _ = self.robot.actuator_motion(*self._states[:2])
        assert velocity is not None
        return position, velocity

    def _of_limits(self, effort: Array) -> tuple[float, str]:
        least = least_margin(self.robot.quantities(*self._states[:2], effort))
        return (np.inf, "") if least is None else (least.value, least.limit)

    def _worst(self, metric: str, inputs: list[Inputs], reasons: list[str]) -> Array:
        """A metric of poses (V,), worst over all states."""
        sign = METRICS[metric][1]
        sides = self._sides(inputs) if metric == "clearance" else np.ones((len(inputs), 1))
        results = self._results(self._of_poses[metric], self._states[:1], inputs, reasons, metric)
        found = np.concatenate([each.copy() for (each,) in results]) * sides
        return np.asarray(sign * (sign * found).min(axis=1))

    def _sides(self, inputs: list[Inputs]) -> Array:
        """The sign (V, 1) of det J at home, of which motions must not go to the other side."""
        poses = np.tile(self.robot.home, (len(inputs), 1))
        if self._lift is not None:
            poses[:, 2] = [values[self._lift][0] for values in inputs]
        J, _ = self._jacobian.evaluate((poses, *map(np.array, zip(*inputs, strict=True))))
        return np.asarray(np.sign(np.linalg.det(J)))[:, None]

    def _footprint(self, values: Array) -> Array:
        """The farthest base joint from the middle; what varies sets it by the radius alone."""
        radius = "geometry.base_radius"
        if radius in self.fields:
            return values[:, self.fields.index(radius)]
        base = Platform.expect(self.robot, "footprint").model.points()[0]
        return np.full(len(values), np.linalg.norm(base[:, :2], axis=1).max())

    def _margin(self, need: Need, found: dict[str, Array]) -> tuple[Array, Array]:
        """The least margin of all limits, those that the study sets among them, and which it is."""
        margin, limit = need.margin.copy(), need.limit.copy()
        own: dict[str, Any] = {}
        if "clearance" in found:
            beyond = np.where(found["clearance"] > 0, np.inf, -1.0)
            relative = (found["clearance"] - self.clearance) / (self.clearance or 1.0)
            own[SINGULARITY] = np.minimum(relative, beyond) if self.clearance else beyond
        if self.leg_diameter and "leg_distance" in found:
            own[LEG_DIAMETER] = (found["leg_distance"] - self.leg_diameter) / self.leg_diameter
        for name, values in own.items():
            limit = np.where(values < margin, name, limit)
            margin = np.minimum(values, margin)
        return margin, limit

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
    cover: tuple[Array, Array, Array] | None = None,
    *,
    clearance: float = 0.0,
    leg_diameter: float = 0.0,
) -> Evaluator:
    """Metrics of a robot's variants along motions and in states `cover`; both move with home where its
    height varies."""
    if wrong := [name for name in metrics if name in OF_LOOPS]:
        raise InputError(
            f"{wrong[0]} is a metric of closed loops; add controller: {{kp, kv}} to the study."
        )
    if not has_demand(robot) and (wrong := [name for name in metrics if name in OF_PLATFORMS]):
        raise InputError(f"{wrong[0]} is a metric of Stewart platforms; {robot.name} is none.")
    none = np.empty((0, len(robot.velocities)))
    states = (np.empty((0, len(robot.home))), none, none) if cover is None else cover
    settings = (states, clearance, leg_diameter)
    return Evaluator(robot, tuple(fields), tuple(motions), tuple(metrics), *settings)


def units_of(robot: Robot, metrics: Sequence[str]) -> dict[str, str]:
    """Units of metrics: of motors that all push, that all turn, or of both."""
    own: dict[str, str] = {}
    if has_demand(robot) or {*robot.efforts.units} == {"N"}:
        own = OF_SLIDES
    elif {*robot.efforts.units} == {"N m"}:
        own = OF_TURNS
    return {name: own.get(METRICS[name][0], METRICS[name][0]) for name in metrics}


def sampled(robot: Robot, source: str, period: float) -> MotionSamples:
    """A motion by name or file at instants."""
    motion = unloaded(motion_for(robot, source), source, "a study")
    time = instants_with_end(motion.duration, period)
    return MotionSamples(source, time, *motion.at(time))
