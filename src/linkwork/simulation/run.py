"""A running simulation: its state, its record, and what makes it stop."""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

import numpy as np
from numpy.typing import ArrayLike

from linkwork.control.base import Controller, FunctionController, State
from linkwork.control.observers import Observer, Observing
from linkwork.core.arguments import not_negative
from linkwork.core.errors import InputError, LinkworkError
from linkwork.kinematics.singularity import LOST, regularity
from linkwork.robot.robot import Array
from linkwork.simulation.digital_loop import DigitalLoop
from linkwork.simulation.instruments import Measuring
from linkwork.simulation.observing import observers_of
from linkwork.simulation.results import Simulation, SimulationError
from linkwork.simulation.schedule import Instant
from linkwork.simulation.system import Start, System

# Energy may not grow by this many times what was put in and what was there: then the step is too large.
EXPLOSION = 10.0
LARGEST_CHANGE = (
    1e12  # of velocity in a step, [rad/s or m/s]: no step is short enough for such an effort
)

Control = Controller | Callable[[float, State], ArrayLike] | None  # as users give it
LARGEST_VELOCITY = 300.0  # [rad/s or m/s]: no robot under control comes near it


class Run:
    """One robot under one controller."""

    def __init__(
        self,
        system: System,
        controller: Control,
        stop_at_limits: bool,
        loop: DigitalLoop,
        observer: Observer | None = None,
    ) -> None:
        self.system = system
        self.controller: Controller = _controller(controller, system.plant.effort_size)
        self.observer = observer
        self.observers = observers_of(system.robot, self.controller, observer)
        self.measuring = Measuring(loop, system.robot, self.controller)
        self.stop_at_limits = stop_at_limits
        self.advance: Callable[[int], None] = lambda done: None
        self.times: list[float] = []
        self.states: list[Array] = []
        self.efforts: list[Array] = []
        self.observed: list[dict[str, Array]] = []
        self.work = 0.0
        self.side = 0.0

    def length(self, duration: float | None) -> float:
        if duration is None:
            if self.controller.trajectory is None:
                raise InputError(
                    "duration is missing: the controller has no trajectory to take it from."
                )
            duration = self.controller.trajectory.duration
        return not_negative(duration, "duration", "s")

    def begin(self, start: Start) -> None:
        if start is None and self.controller.trajectory is not None:
            first = self.controller.trajectory.at(0.0)
            start = (first[0], first[1])
        self.x = self.system.initial(start)
        self.controller.start()
        self.extra = None if self.observer is None else Observing(self.observer)
        self.measuring.start(self.system.state(self.x))
        kinetic, potential = self.system.energy(self.x)
        self.first_energy = float(kinetic + potential)

    def _change_load(self, load: Array) -> None:
        """Pick up or drop a load that moves with the hand: velocities stay, energy comes or goes."""
        before = sum(map(float, self.system.energy(self.x)))
        self.system.load = load
        self.first_energy += sum(map(float, self.system.energy(self.x))) - before

    def effort_at(self, time: float, x: Array, actual: float | None = None) -> Array:
        """The controller's answer to what its sensors tell, checked, as it leaves the converter.

        `time` is that of the computer's clock, `actual` the time at which the robot is read.
        """
        try:
            wrench = self.system.wrench_at(time if actual is None else actual, x)
            seen = self.measuring.seen(time, self.system.state(x), wrench)
            if self.extra is not None:
                self.extra.sample(seen)
            effort = np.asarray(self.controller.effort(time, seen), dtype=np.float64)
        except LinkworkError as error:
            self.fail(time, f"the controller has no answer ({error}).", error)
        except Exception as error:
            self.fail(time, f"the controller raised {type(error).__name__}: {error}.", error)
        size = self.system.plant.effort_size
        if effort.shape != (size,):
            self.fail(time, f"the controller gave shape {effort.shape} instead of ({size},).")
        if not np.isfinite(effort).all():
            k = int(np.argmin(np.isfinite(effort)))
            self.fail(time, f"the controller gave {effort[k]} for {self.system.robot.efforts.names[k]}.")
        tools = self.measuring.instruments
        self.controller.effort_applied(effort, tools.effort_bound)
        acting = np.asarray(tools.effort_applied(effort))
        if self.extra is not None:
            self.extra.acted = acting
        return acting

    def happening(self, now: Instant, samples: Array, waiting: dict[int, Array], effort: Array) -> Array:
        """The effort that acts from an instant on. What is read there waits for its time to act."""
        if now.change and self.system.external.loads is not None:
            self._change_load(self.system.external.loads.at(now.time))
        if self.controller.period is None:
            return self.effort_at(now.time, self.x)
        for k in now.read:
            waiting[k] = self.effort_at(float(samples[k]), self.x, now.time)
        return effort if now.act is None else waiting.pop(now.act)

    def note(self, time: float, x: Array, effort: Array) -> None:
        self.advance(1)
        self.times.append(time)
        self.states.append(x)
        self.efforts.append(effort)
        told = [each.told for each in (self.controller.observing, self.extra) if each is not None]
        self.observed.append({name: row for part in told for name, row in part.items()})

    def check_limits(self, time: float, x: Array) -> None:
        """Stop at limits if asked to."""
        if self.stop_at_limits:
            fault = self.system.outside(x)
            if fault:
                self.fail(time, fault)

    def account(self, time: float, effort: Array, following: Array, step: float) -> None:
        """Work of actuators and wrenches over a step, by the mean of the velocities at its ends."""
        middle = (self.x + following) / 2
        _, velocity = self.system.split(middle)
        J = self.system.actuator_jacobian(self.system.projected(middle))
        if J is not None:
            self.watch_singularity(J)
            velocity = J @ velocity
        pushed = self.system.wrench_power(time + step / 2, self.system.projected(middle))
        self.work += (float(effort @ velocity) + pushed) * step

    def regularity(self, x: Array) -> float:
        """Inverse condition number of the actuators' Jacobian, with the sign of its determinant."""
        J = self.system.actuator_jacobian(self.system.projected(x))
        return 1.0 if J is None else regularity(self.system.robot, J)

    def watch_singularity(self, J: Array) -> None:
        """A robot that comes to a singular pose is lost: no actuator forces hold it there."""
        value = regularity(self.system.robot, J)
        side = float(np.sign(value))
        if abs(value) < 1 / LOST or side == -self.side != 0:
            self.fail_singular(self.times[-1], value)
        self.side = side

    def fail_singular(self, time: float, regularity: float) -> NoReturn:
        condition = np.inf if regularity == 0 else abs(1 / regularity)
        self.fail(
            time,
            f"the platform comes to a singular pose (condition number {condition:.3g}), where no "
            "leg forces hold it.",
        )

    def watch_energy(self, time: float, step: float, before: Array, effort: Array) -> None:
        """Stop if the last step, from the state `before`, has made energy out of nothing."""
        kinetic, potential = self.system.energy(self.x)
        gained = float(kinetic + potential) - self.first_energy - self.work
        scale = abs(self.work) + abs(self.first_energy) + 1.0
        if not gained <= EXPLOSION * scale:
            self.lose(time, step, before, effort)

    def watch_divergence(self, time: float) -> None:
        """Stop a loop that is unstable, before its numbers overflow."""
        _, velocity = self.system.split(self.x)
        k = int(np.argmax(np.abs(velocity)))
        if self.controller.period is None or abs(velocity[k]) < LARGEST_VELOCITY:
            return
        names = self.system.robot.velocities
        self.fail(
            time,
            f"the loop is unstable: the velocity of {names.names[k]} has grown to {velocity[k]:.3g} "
            f"{names.units[k]}. Lower the gains, shorten the period of {self.controller.period:g} s or "
            f"the delays of the digital loop ({self.measuring.loop.lag:g} s), or use better sensors.",
        )

    def lose(self, time: float, step: float, x: Array, effort: Array) -> NoReturn:
        """The integration has lost the motion: say why."""
        reason = None
        if np.isfinite(x).all():
            reason = self._no_acceleration(time, x, effort, step)
        self.fail(
            time,
            reason
            or f"the energy explodes: the step {step:g} s is too large here; try {step / 10:g} s.",
        )

    def _no_acceleration(self, time: float, x: Array, effort: Array, step: float) -> str | None:
        """Why the plant has no finite acceleration here, or one beyond any step; None if it has."""
        system = self.system
        rate, _, nonfinite = system.rate_at(time, x, effort)
        free_rate, _, freely = system.rate_at(time, x, np.zeros_like(effort))
        if not freely and (nonfinite or step * np.abs(rate - free_rate).max() > LARGEST_CHANGE):
            k = int(np.argmax(np.abs(effort)))
            name, unit = system.robot.efforts.names[k], system.robot.efforts.units[k]
            return f"the effort of {name}, {effort[k]:.3g} {unit}, is too large for any step."
        if not nonfinite:
            return None
        try:
            system.robot.forward_dynamics(*system.split(x), np.zeros_like(effort))
        except LinkworkError as error:
            return f"the robot cannot go on ({error})."
        return "with the payload the mass matrix is singular there, so no acceleration follows."

    def fail(self, time: float, message: str, cause: Exception | None = None) -> NoReturn:
        raise SimulationError(message, time, self.result()) from cause

    def result(self) -> Simulation:
        system = self.system
        robot, n = system.robot, system.plant.effort_size
        time = np.array(self.times)
        x = np.array(self.states).reshape(-1, system.plant.state_size)
        kinetic, potential = system.energy(x) if len(x) else (np.empty(0), np.empty(0))
        position, velocity = system.split(x)
        reference, error = self._tracking(time, position)
        loads = system.external.loads
        return Simulation(
            robot=robot.name,
            coordinates=robot.coordinates,
            velocities=robot.velocities,
            efforts=robot.efforts,
            time=time,
            position=position,
            velocity=velocity,
            effort=np.array(self.efforts).reshape(-1, n),
            kinetic=kinetic,
            potential=potential,
            reference=reference,
            error=error,
            loop=self.measuring.loop,
            period=self.controller.period,
            load=None if loads is None else np.array([loads.at(t) for t in time]).reshape(len(time), -1),
            observed={
                name: np.array([each[name] for each in self.observed]).reshape(-1, len(labels))
                for name, labels in self.observed_names.items()
            },
            observed_names=self.observed_names,
        )

    @property
    def observed_names(self) -> dict[str, tuple[str, ...]]:
        """Of every column of what observers tell."""
        return {name: labels for each in self.observers for name, labels in each.labels.items()}

    def _tracking(self, time: Array, position: Array) -> tuple[Array | None, Array | None]:
        if self.controller.trajectory is None or not len(time):
            return None, None
        wanted = np.asarray(self.controller.trajectory.at(time)[0])
        return wanted, self.system.robot.coordinates.difference(wanted, position)


def _controller(given: Control, size: int) -> Controller:
    if isinstance(given, Controller):
        return given
    if given is None:
        return FunctionController(lambda time, state: np.zeros(size))
    if not callable(given):
        raise InputError(f"controller is {given!r}: expected a Controller or a function.")
    return FunctionController(given)
