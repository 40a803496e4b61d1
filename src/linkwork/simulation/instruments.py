"""What a controller is told, and what becomes of its efforts: a digital loop fitted to a robot.

`Instruments` has readings, estimates of velocity and efforts that leave a converter; `Measuring` uses
them in a single run, `ControlSample` in a compiled batch. The arithmetic is the same for numbers and for
expressions, so that the two cannot differ.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from linkwork.control.base import Controller, State, state_of_actuators
from linkwork.control.feedback import between, unwound
from linkwork.control.laws import LawInputs
from linkwork.control.observers import Watch
from linkwork.core.errors import InputError
from linkwork.mechanics.expressions import SX
from linkwork.mechanics.linear import solve_orthogonal
from linkwork.mechanics.plant import Plant
from linkwork.model.geometry import Values
from linkwork.robot.robot import Array, Robot
from linkwork.simulation.digital_loop import DigitalLoop

TALLIES = ("worst", "squares", "peak")
ACTED = "acted"  # the effort since the last sample, for observers
KEPT = LAST, LARGEST = "final_", "largest_"  # values of what observers tell
MEASURED = "measured"  # the wrench at the wrist, where it does not follow from the state


class Estimate(NamedTuple):
    """Actuator positions and velocities as a computer knows them, kept from sample to sample."""

    position: Values
    velocity: Values


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
                f"jitter = {loop.jitter:g} s: expected less than the controller's period {period:g} s."
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

    def reading(self, position: Values, normal: Values = None) -> Values:
        """What the sensors tell of actuator positions; `normal` are standard normal numbers."""
        position = _disturbed(position, self.bias, self.noise, normal)
        if not np.any(self.step):
            return position
        origin = np.where(np.isfinite(self.low), self.low, 0.0)
        rounded = origin + _rounded(position - origin, self.step)
        return between(rounded, self.low, self.high)

    def first(self, reading: Values, velocity: Values) -> Estimate:
        """Memory before the first sample: as if the start's velocity had always been."""
        return Estimate(reading - self.period * velocity, velocity)

    def estimate(
        self, reading: Values, velocity: Values, acceleration: Values, before: Estimate | None
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

    def wrist(self, wrench: Values, normal: Values) -> Values:
        """What the force-torque sensor tells of a wrench; `normal` are six standard normal numbers."""
        loop = self.loop
        step, noise, bias = (
            np.broadcast_to(np.asarray(part, dtype=np.float64), (6,))
            for part in (loop.wrist_resolution, loop.wrist_noise, loop.wrist_bias)
        )
        return _rounded(_disturbed(wrench, bias, noise, normal), step)

    def effort_applied(self, effort: Values) -> Values:
        """The effort that leaves the converter."""
        return between(_rounded(effort, self.effort_step), -self.effort_bound, self.effort_bound)


def _each(value: ArrayLike, n: int, name: str) -> Array:
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


def _disturbed(values: Values, bias: Array, noise: Array, normal: Values) -> Values:
    """Values with a bias and noise, where there is any."""
    if bias.any():
        values = values + bias
    return values + noise * normal if noise.any() else values


def _rounded(values: Values, step: Array) -> Values:
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


class Measuring:
    """Sensors of one robot under one controller; `start` forgets a former run."""

    def __init__(self, loop: DigitalLoop, robot: Robot, controller: Controller) -> None:
        self.loop, self.robot, self.controller = loop, robot, controller
        self.instruments = Instruments.of(loop, robot, controller.period)

    def start(self, state: State) -> None:
        self._noise = np.random.default_rng(self.loop.seed)
        self._wrist = np.random.default_rng([self.loop.seed, 2])
        self._near = state.position
        self._before: Estimate | None = None

    def seen(self, time: float, state: State, wrench: Array | None = None) -> State:
        """The state as the computer knows it from its readings, with the wrench at the wrist if any."""
        if wrench is not None:
            wrench = self.instruments.wrist(wrench, self._wrist.standard_normal(6))
        if self.loop.exact_sensors:
            return state._replace(wrench=wrench)
        tools = self.instruments
        actual = self.robot.actuator_motion(state.position, state.velocity)
        assert actual.velocity is not None
        reading = tools.reading(actual.position, self._noise.standard_normal(self.robot.n))
        if self._before is None:
            self._before = tools.first(reading, actual.velocity)
        now = tools.estimate(reading, actual.velocity, self._acceleration(time), self._before)
        self._before = now
        found = state_of_actuators(self.robot, now.position, now.velocity, self._near)
        self._near = found.position
        return found._replace(wrench=wrench)

    def _acceleration(self, time: float) -> Array:
        """Of the actuators, along the reference."""
        trajectory = self.controller.trajectory
        if trajectory is None or self.loop.velocity != "observer":
            return np.zeros(self.robot.n)
        found = self.robot.actuator_motion(*trajectory.at(time)).acceleration
        assert found is not None
        return found


@dataclass(frozen=True, eq=False)
class ControlSample:
    """What shapes the kernel of a control sample: a plant, a digital loop and a kind of law."""

    robot: Robot
    plant: Plant
    loop: DigitalLoop
    period: float
    inputs: LawInputs
    watches: tuple[Watch, ...] = ()  # observers; where the law is told of the load, the first finds it

    @cached_property
    def tools(self) -> Instruments:
        return Instruments.of(self.loop, self.robot, self.period)

    @property
    def ingredients(self) -> tuple[object, ...]:
        """Frozen data that names it; when things happen is none of the kernel's business."""
        shaping = replace(self.loop, seed=0, delay=0.0, latency=0.0, jitter=0.0)
        return shaping, self.period, self.inputs, self.plant, self.watches

    @cached_property
    def _touching(self) -> SX | None:
        return self.plant.contact_wrench(SX.sym("x", self.plant.state_size))

    @property
    def memory(self) -> dict[str, int]:
        """What is kept from sample to sample, by name, and its size."""
        n, found = self.plant.effort_size, {}
        if not self.loop.exact_sensors and not self.plant.actuated_coordinates:
            found["near"] = self.plant.position_size
        if self.loop.velocity != "exact":
            found |= {"seen_position": n, "seen_velocity": n}
        if self.inputs.integral:
            found["integrated"] = self.plant.velocity_size
        if self.watches:
            found[ACTED] = n
        for k, watch in enumerate(self.watches):
            found[f"observer_{k}"] = watch.size
        return found | {f"{kind}{name}": size for name, size in self.observed.items() for kind in KEPT}

    @property
    def observed(self) -> dict[str, int]:
        """Names and sizes of what observers tell."""
        return {name: size for watch in self.watches for name, size in watch.results.items()}

    @property
    def given(self) -> dict[str, int]:
        """What a sample is told beside its state: standard normal numbers, the acceleration of the
        reference at the actuators, the gain of the integral, and the wrench at the wrist."""
        n, found = self.plant.effort_size, {}
        if self.tools.noise.any():
            found["normal"] = n
        if self.loop.velocity == "observer":
            found["acceleration"] = n
        if self.inputs.integral:
            found["ki"] = self.plant.velocity_size
        if self.inputs.tip_wrench and np.any(self.loop.wrist_noise):
            found["wrist_normal"] = 6
        if self.inputs.tip_wrench and self._touching is None:
            found[MEASURED] = 6
        return found

    def references(self, law: ca.Function) -> dict[str, SX]:
        """Symbols of the reference and of kp and kv."""
        return {law.name_in(k): SX.sym(law.name_in(k), law.size1_in(k)) for k in range(2, 7)}

    def effort(
        self, law: ca.Function, x: SX, references: dict[str, SX], symbols: dict[str, SX]
    ) -> tuple[SX, dict[str, SX]]:
        """The effort that a sample causes, and the memory after it."""
        position, velocity, after = self._seen(x, symbols)
        observed = self._observed(ca.vertcat(position, velocity), symbols, after)
        signals = [position, velocity, *references.values()]
        if self.inputs.integral:
            signals.append(symbols["ki"] * symbols["integrated"])
        if self.inputs.tip_wrench:
            touch = symbols.get(MEASURED)
            wrench = self.plant.contact_wrench(x) if touch is None else touch
            signals.append(self.tools.wrist(wrench, symbols.get("wrist_normal")))
        if self.inputs.payload:
            signals.append(observed["carried"])
        answer = law(*signals)
        wanted = answer[0] if self.inputs.integral else answer
        if self.inputs.integral:
            own = self.plant.actuated_coordinates
            step = unwound(answer[1], wanted, self.tools.effort_bound, own)
            after["integrated"] = symbols["integrated"] + self.period * step
        effort_applied = self.tools.effort_applied(wanted)
        if self.watches:
            after[ACTED] = effort_applied
        return effort_applied, after

    def _observed(self, seen: SX, symbols: dict[str, SX], after: dict[str, SX]) -> dict[str, SX]:
        """What observers tell; their memories, and the largest values so far, go to `after`."""
        found: dict[str, SX] = {}
        for k, watch in enumerate(self.watches):
            name = f"observer_{k}"
            after[name], results = watch.advanced(seen, symbols[ACTED], symbols[name])
            found |= results
        for name, value in found.items():
            largest = ca.fmax(symbols[f"{LARGEST}{name}"], ca.fabs(value))
            after |= {f"{LAST}{name}": value, f"{LARGEST}{name}": largest}
        return found

    def _seen(self, x: SX, symbols: dict[str, SX]) -> tuple[SX, SX, dict[str, SX]]:
        """Position and velocity as the computer knows them, and its memory."""
        p, plant = self.plant.position_size, self.plant
        if self.loop.exact_sensors:
            return x[0:p], x[p:], {}
        J = plant.actuator_jacobian(x)
        reading = self.tools.reading(plant.actuator_position(x), symbols.get("normal"))
        before, after = None, {}
        if self.loop.velocity != "exact":
            before = Estimate(symbols["seen_position"], symbols["seen_velocity"])
        acceleration = symbols.get("acceleration", SX(0))
        now = self.tools.estimate(reading, ca.mtimes(J, x[p:]), acceleration, before)
        if before is not None:
            after = {"seen_position": now.position, "seen_velocity": now.velocity}
        if plant.actuated_coordinates:
            return now.position, now.velocity, after
        position = plant.position_of_actuators(now.position, symbols["near"])
        there = plant.actuator_jacobian(ca.vertcat(position, x[p:]))
        columns = [there[:, k] for k in range(plant.velocity_size)]
        velocity = solve_orthogonal(columns, now.velocity)
        return position, velocity, {"near": position, **after}
