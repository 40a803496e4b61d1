"""One robot under one controller, from start to end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from linkwork.checks import not_negative, positive
from linkwork.control.base import Controller, FunctionController
from linkwork.errors import InputError, LinkworkError
from linkwork.interface.arm import Arm
from linkwork.interface.platform import Platform
from linkwork.interface.robot import Array
from linkwork.interface.singularity import LOST
from linkwork.names import one_of
from linkwork.progress import progress_bar
from linkwork.simulation.adaptive import integrate
from linkwork.simulation.result import Simulation, SimulationError
from linkwork.simulation.system import System

INTEGRATORS = ("rk4", "adaptive")
LIMITS = ("ignore", "stop")
ENERGY_CHECK = 10  # steps between looks at the energy
# Energy may not grow by this many times what was put in and what was there: then the step is too large.
EXPLOSION = 10.0


def simulate(
    robot: Arm | Platform,
    controller: Controller | Callable[[float, Any], ArrayLike] | None = None,
    *,
    duration: float | None = None,
    start: Any = None,
    step: float = 1e-3,
    integrator: str = "rk4",
    payload: ArrayLike | None = None,
    friction: bool = True,
    rotors: bool = True,
    effort_limits: bool = False,
    position_limits: str = "ignore",
    resolution: float = 0.0,
    tolerance: float = 1e-10,
    progress: bool | None = None,
) -> Simulation:
    """Motion of a robot under a controller.

    Args:
        robot: the plant; a controller may believe in another model.
        controller: a Controller, a function f(time, state) -> effort, or None for no effort.
        duration: [s]; the length of the controller's trajectory if None.
        start: position, or (position, rates); the trajectory's start, else zero or home, if None.
        step: of the Runge-Kutta integration [s]; a controller's period must be a multiple of it.
        integrator: "rk4", fixed step as Turney 7; "adaptive", DOP853 within `tolerance`.
        payload: a load in the hand of an arm that its model does not know: a mass [kg] at the tip, or
            ten parameters from `point_load`.
        friction, rotors: whether the plant has them.
        effort_limits: cut efforts at the limits of the robot file.
        position_limits: "stop" ends with an error when a joint or leg leaves its limits.
        resolution: of the arm's position sensors [rad or m]; 0 is exact. Rates are exact.
        progress: a progress bar; by default after a second, on a terminal.
    """
    one_of(integrator, INTEGRATORS, "integrator")
    one_of(position_limits, LIMITS, "value of position_limits")
    system = System(robot, payload, friction, rotors)
    run = _Run(system, controller, effort_limits, position_limits == "stop", resolution)
    length = run.length(duration)
    tolerance = positive(tolerance, "tolerance", "1")
    check_times(length, step, run.controller.period)
    run.begin(start)
    with progress_bar(max(0, round(length / step)), "simulation", progress) as run.advance:
        if integrator == "adaptive":
            integrate(run, length, step, tolerance)
        else:
            run.march(length, step)
    return run.result()


def check_times(duration: float, step: float, period: float | None) -> None:
    """Refuse a step that is none, that makes too many steps, or that does not fit the period."""
    step = positive(step, "step", "s")
    if 0 < duration < 0.999 * step:
        raise InputError(f"the step {step:g} s is longer than the duration {duration:g} s; shorten it.")
    if duration / step > 1e8:
        raise InputError(f"{duration:g} s at steps of {step:g} s are too many; allowed are 1e8 steps.")
    if period is not None:
        ratio = period / step
        if ratio < 0.999 or abs(ratio - round(ratio)) > 1e-6 * ratio:
            raise InputError(
                f"the controller's period {period:g} s is not a multiple of the step {step:g} s; "
                f"take step = {period / max(1, round(ratio)):g} s."
            )


def _no_effort(size: int) -> Callable[[float, Any], Array]:
    return lambda time, state: np.zeros(size)


class _Run:
    """The state of a running simulation and its record."""

    def __init__(
        self,
        system: System,
        controller: Any,
        effort_limits: bool,
        stop_at_limits: bool,
        resolution: float,
    ) -> None:
        self.system = system
        size = self.system.plant.effort_size
        if controller is None:
            controller = _no_effort(size)
        if not isinstance(controller, Controller):
            if not callable(controller):
                raise InputError(f"controller is {controller!r}: allowed is a Controller or a function.")
            controller = FunctionController(controller)
        self.controller: Controller = controller
        self.limits = self.system.effort_limits() if effort_limits else np.full(size, np.inf)
        self.stop_at_limits = stop_at_limits
        resolution = not_negative(resolution, "resolution", "rad or m")
        self.resolution = resolution if self.system.is_arm else 0.0
        self.times: list[float] = []
        self.states: list[Array] = []
        self.efforts: list[Array] = []
        self.work = 0.0
        self.side = 0.0
        self.first_energy = 0.0
        self.advance: Callable[[int], None] = lambda done: None  # told of every row of the record

    def length(self, duration: float | None) -> float:
        if duration is None:
            if self.controller.trajectory is None:
                raise InputError("duration is missing: give it, or a controller with a trajectory.")
            duration = self.controller.trajectory.duration
        return not_negative(duration, "duration", "s")

    def begin(self, start: Any) -> None:
        if start is None and self.controller.trajectory is not None:
            first = self.controller.trajectory.at(0.0)
            start = (first[0], first[1])
        self.x = self.system.initial(start)
        self.controller.start()
        kinetic, potential = self.system.energy(self.x)
        self.first_energy = float(kinetic + potential)

    def effort_at(self, time: float, x: Array) -> Array:
        """The controller's answer, checked and cut at the limits."""
        state = self.system.state(x)
        if self.resolution:
            seen = np.round(state[0] / self.resolution) * self.resolution
            state = state._replace(q=seen)  # type: ignore[call-arg]
        try:
            effort = np.asarray(self.controller.effort(time, state), dtype=np.float64)
        except LinkworkError as error:
            self.fail(time, f"the controller has no answer ({error}).", error)
        except Exception as error:
            self.fail(time, f"the controller raised {type(error).__name__}: {error}.", error)
        size = self.system.plant.effort_size
        if effort.shape != (size,):
            self.fail(time, f"the controller gave shape {effort.shape} instead of ({size},).")
        if not np.isfinite(effort).all():
            k = int(np.argmin(np.isfinite(effort)))
            self.fail(time, f"the controller gave {effort[k]} for {self.system.labels[k]}.")
        return np.clip(effort, -self.limits, self.limits)

    def note(self, time: float, x: Array, effort: Array) -> None:
        self.advance(1)
        self.times.append(time)
        self.states.append(x)
        self.efforts.append(effort)

    def check(self, time: float, x: Array) -> None:
        """Stop at limits if asked to."""
        if self.stop_at_limits:
            trouble = self.system.outside(x)
            if trouble:
                self.fail(time, trouble)

    def march(self, length: float, step: float) -> None:
        """Fixed steps; the effort is held over a period, or follows within a step if there is none."""
        count = max(0, round(length / step))
        hold = None if self.controller.period is None else round(self.controller.period / step)
        h = np.array([step])
        effort = np.zeros(self.system.plant.effort_size)
        for k in range(count):
            time = k * step
            if hold is None or k % hold == 0:
                effort = self.effort_at(time, self.x)
            self.note(time, self.x, effort)
            self.check(time, self.x)
            if hold is None:
                following, nonfinite = self._following(time, step, effort)
            else:
                following, nonfinite = self.system.step.evaluate((self.x, effort, h, *self.system.extra))
            if nonfinite:
                self.lose(time, step)
            self.account(effort, following, step)
            self.x = following
            if k % ENERGY_CHECK == 0:
                self.watch_energy(time + step, step)
        end = count * step
        self.check(end, self.x)
        self.note(
            end, self.x, self.effort_at(end, self.x) if hold is None or count % hold == 0 else effort
        )

    def _following(self, time: float, h: float, effort: Array) -> tuple[Array, bool]:
        """A step in which the controller acts at t, t + h/2, t + h/2 and t + h (Turney 7)."""
        stages: list[Array] = []
        x, nonfinite = self.x, False
        for share in (0.0, 0.5, 0.5, 1.0):
            if stages:
                x = self.settle(self.x + share * h * stages[-1])
                effort = self.effort_at(time + share * h, x)
            rate, bad = self.system.rate.evaluate((x, effort, *self.system.extra))
            nonfinite |= bool(bad)
            stages.append(rate)
        h1, h2, h3, h4 = stages
        return self.settle(self.x + h / 6 * (h1 + 2 * h2 + 2 * h3 + h4)), nonfinite

    def settle(self, x: Array) -> Array:
        if not self.system.is_arm:
            x = x.copy()
            x[3:7] /= np.linalg.norm(x[3:7])
        return x

    def account(self, effort: Array, following: Array, step: float) -> None:
        """Work of the actuators over a step, by the mean of the rates at its ends."""
        middle = (self.x + following) / 2
        velocity = middle[self.system.position_size :]
        if isinstance(self.system.robot, Platform):
            J = self.system.robot.jacobian(self.settle(middle)[:7], errors="nan")
            self.watch_singularity(J)
            velocity = np.asarray(J @ velocity)
        self.work += float(effort @ velocity) * step

    def watch_singularity(self, J: Array) -> None:
        """A platform that comes to a singular pose is lost: no leg forces hold it there."""
        side = float(np.sign(np.linalg.det(J)))
        condition = float(np.linalg.cond(J)) if np.isfinite(J).all() else np.inf
        if condition > LOST or side == -self.side != 0:
            self.fail(
                self.times[-1],
                f"the platform comes to a singular pose (condition number {condition:.3g}), where no "
                "leg forces hold it.",
            )
        self.side = side

    def watch_energy(self, time: float, step: float) -> None:
        kinetic, potential = self.system.energy(self.x)
        gained = float(kinetic + potential) - self.first_energy - self.work
        scale = abs(self.work) + abs(self.first_energy) + 1.0
        if not gained <= EXPLOSION * scale:
            self.lose(time, step)

    def lose(self, time: float, step: float) -> None:
        """The integration has lost the motion: a singular pose, or a step too large."""
        if isinstance(self.system.robot, Platform) and np.isfinite(self.x).all():
            try:
                self.system.robot.inverse_dynamics(self.x[:7], self.x[7:], np.zeros(6))
            except LinkworkError as error:
                self.fail(time, f"the platform cannot go on ({error}).", error)
        self.fail(
            time,
            f"the energy explodes: the step {step:g} s is too large here; try {step / 10:g} s.",
        )

    def fail(self, time: float, message: str, cause: Exception | None = None) -> None:
        raise SimulationError(message, time, self.result()) from cause

    def result(self) -> Simulation:
        size, n = self.system.plant.state_size, self.system.plant.effort_size
        time = np.array(self.times)
        x = np.array(self.states).reshape(-1, size)
        kinetic, potential = self.system.energy(x) if len(x) else (np.empty(0), np.empty(0))
        p = self.system.position_size
        reference, error = self._tracking(time, x[:, :p])
        return Simulation(
            robot=self.system.robot.name,
            labels=self.system.labels,
            time=time,
            position=x[:, :p],
            velocity=x[:, p:],
            effort=np.array(self.efforts).reshape(-1, n),
            kinetic=kinetic,
            potential=potential,
            reference=reference,
            error=error,
        )

    def _tracking(self, time: Array, position: Array) -> tuple[Array | None, Array | None]:
        if self.controller.trajectory is None or not len(time):
            return None, None
        wanted = np.asarray(self.controller.trajectory.at(time)[0])
        if self.system.is_arm:
            return wanted, wanted - position
        return wanted, np.concatenate([wanted[:, :3] - position[:, :3], turns(wanted, position)], axis=1)


def turns(wanted: Array, actual: Array) -> Array:
    """Rotation vectors, in base axes, from the actual to the wanted orientations of poses (N, 7)."""
    w1, v1, w2, v2 = wanted[:, 3:4], wanted[:, 4:], actual[:, 3:4], actual[:, 4:]
    w = w1 * w2 + (v1 * v2).sum(axis=1, keepdims=True)
    v = w2 * v1 - w1 * v2 - np.cross(v1, v2)
    sign = np.where(w < 0, -1.0, 1.0)
    sine = np.linalg.norm(v, axis=1, keepdims=True)
    factor = np.where(sine > 1e-12, 2 * np.arctan2(sine, sign * w) / np.maximum(sine, 1e-300), 2.0)
    return np.asarray(sign * factor * v)
