"""One robot under one controller, from start to end; fixed steps are Runge-Kutta's (Turney 7)."""

from __future__ import annotations

import numpy as np

from linkwork.control.observers import Observer
from linkwork.core.arguments import one_of
from linkwork.core.checked import checked
from linkwork.core.progress import progress_bar
from linkwork.robot.robot import Array, Robot
from linkwork.simulation.digital_loop import DigitalLoop, loop_of
from linkwork.simulation.dop853 import check_tolerance, integrate
from linkwork.simulation.loads import Payload, Wrench
from linkwork.simulation.results import Simulation
from linkwork.simulation.run import Control, Run
from linkwork.simulation.schedule import check_times, gap, schedule
from linkwork.simulation.stick_slip import Indices
from linkwork.simulation.system import Start, System

ENERGY_CHECK = 10  # steps between looks at the energy
INTEGRATORS = ("rk4", "adaptive")
LIMITS = ("ignore", "stop")


def march(run: Run, length: float, step: float) -> None:
    """Fill the record of a run; efforts act when the digital loop gives them out, or follow within a
    step."""
    plan = schedule(length, step, run.controller.period, run.measuring.loop, run.system.external.changes)
    waiting: dict[int, Array] = {}
    effort = np.zeros(run.system.plant.effort_size)
    instants = iter(plan)
    now, k = next(instants), 0
    while True:
        effort = run.happening(now, plan.samples, waiting, effort)
        if now.kept:
            run.note(now.time, run.x, effort)
            run.check_limits(now.time, run.x)
        following = next(instants, None)
        if following is None:
            return
        h = gap(now.time, following.time, step)
        if run.controller.period is None or run.system.external.function is not None:
            reached, nonfinite = _following(run, now.time, h, effort)
        else:
            reached, nonfinite = run.system.after(now.time, run.x, effort, h)
        if nonfinite:
            run.lose(now.time, h, run.x, effort)
        run.account(now.time, effort, reached, h)
        before, run.x = run.x, reached
        run.watch_divergence(following.time)
        if k % ENERGY_CHECK == 0:
            run.watch_energy(following.time, h, before, effort)
        now, k = following, k + 1


def _following(run: Run, time: float, h: float, effort: Array) -> tuple[Array, bool]:
    """A step in which controller and wrench act at t, t + h/2, t + h/2 and t + h; a controller that
    samples holds its effort."""
    system, held_effort = run.system, run.controller.period is not None

    def stages(start: Array, begin: float, length: float, slip: Array | None) -> tuple[Array, Array]:
        x, held = start, np.empty(0)
        rates: list[Array] = []
        for share in (0.0, 0.5, 0.5, 1.0):
            if rates:
                x = system.projected(start + share * length * rates[-1])
            now = begin + share * length
            known = held_effort or (begin == time and not rates)
            push = effort if known else run.effort_at(now, x)
            rate, hold, _ = system.rate_at(now, x, push, slip, before=share == 1.0)
            held = held if rates else hold
            rates.append(rate)
        h1, h2, h3, h4 = rates
        return system.projected(start + length / 6 * (h1 + 2 * h2 + 2 * h3 + h4)), held

    if system.friction is None:
        following, _ = stages(run.x, time, h, None)
        return following, not np.isfinite(following).all()

    def step(
        index: Indices, states: Array, gone: Array, lengths: Array, slip: Array
    ) -> tuple[Array, Array]:
        reached, hold = stages(states[0], time + float(gone[0]), float(lengths[0]), slip[0])
        return reached[None], hold[None]

    return system.slipping(run.x, h, step)


@checked
def simulate(
    robot: Robot,
    controller: Control = None,
    *,
    duration: float | None = None,
    start: Start = None,
    step: float = 1e-3,
    integrator: str = "rk4",
    payload: Payload = None,
    wrench: Wrench = None,
    friction: bool = True,
    rotors: bool = True,
    formulation: str | None = None,
    position_limits: str = "ignore",
    loop: DigitalLoop | str | None = None,
    observer: Observer | None = None,
    tolerance: float = 1e-10,
    progress: bool | None = None,
) -> Simulation:
    """Motion of a robot under a controller.

    Args:
        robot: the plant; a controller may believe in another model.
        controller: a Controller, a function f(time, state) -> effort, or None for no effort.
        duration: [s]; the length of the controller's trajectory if None.
        start: position, or (position, velocity); the trajectory's start, else home, if None.
        step: of the Runge-Kutta integration and of the record [s]; a controller's period must be a
            multiple of it. The last step is shorter if it does not divide the duration.
        integrator: "rk4", fixed step as Turney 7; "adaptive", DOP853 within `tolerance`.
        payload: a load that the robot's model does not know: a mass [kg] at the origin of the tool (the
            tip of an arm, the reference point of a platform), or ten parameters from `point_payload`; or
            a list of pairs (time, load), each from its time on, None for nothing: picked up and dropped
            at the velocity of the tool.
        wrench: at the tip of an arm or on the tool of another robot, as `tip_wrench` or `wrench` of
            its dynamics methods: six numbers, a WrenchTable over time, a function f(time, state), or
            what the tip touches, a Contact such as SpringWall.
        friction, rotors: whether the plant has them.
        formulation: of an arm, how its accelerations are found, as in `Arm.forward_dynamics`:
            "strobing" takes the steps of Turney 7; None is the fastest.
        position_limits: "stop" ends with an error when a joint or leg leaves its limits.
        loop: sensors, computer and converters between robot and controller: a DigitalLoop or the name
            of a preset; None is ideal.
        observer: a MomentumObserver or PayloadObserver that is told what the controller is, of its
            period; what it tells is in the result's `observed`.
        progress: a progress bar; by default after a second, on a terminal.
    """
    one_of(integrator, INTEGRATORS, "integrator")
    one_of(position_limits, LIMITS, "value of position_limits")
    system = System(robot, payload, friction, rotors, wrench, formulation)
    run = Run(system, controller, position_limits == "stop", loop_of(loop), observer)
    length = run.length(duration)
    tolerance = check_tolerance(tolerance)
    step = check_times(length, step, run.controller.period)
    run.begin(start)
    with progress_bar(max(0, round(length / step)), "simulation", progress) as run.advance:
        if integrator == "adaptive":
            integrate(run, length, step, tolerance)
        else:
            march(run, length, step)
    return run.result()
