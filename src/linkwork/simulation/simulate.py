"""One robot under one controller, from start to end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numpy.typing import ArrayLike

from linkwork.control.base import Controller, State
from linkwork.interface.robot import Robot
from linkwork.names import one_of
from linkwork.progress import progress_bar
from linkwork.simulation.adaptive import check_tolerance, integrate
from linkwork.simulation.digital_loop import DigitalLoop, loop_of
from linkwork.simulation.fixed_step import march
from linkwork.simulation.result import Simulation
from linkwork.simulation.run import Run
from linkwork.simulation.system import System
from linkwork.simulation.times import check_times

INTEGRATORS = ("rk4", "adaptive")
LIMITS = ("ignore", "stop")


def simulate(
    robot: Robot,
    controller: Controller | Callable[[float, State], ArrayLike] | None = None,
    *,
    duration: float | None = None,
    start: Any = None,
    step: float = 1e-3,
    integrator: str = "rk4",
    payload: Any = None,
    wrench: Any = None,
    friction: bool = True,
    rotors: bool = True,
    position_limits: str = "ignore",
    loop: DigitalLoop | str | None = None,
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
            tip of an arm, the reference point of a platform), or ten parameters from `point_load`; or a
            list of pairs (time, load), each from its time on, None for nothing: picked up and dropped at
            the velocity of the hand.
        wrench: at the tip of an arm or on the tool of another robot, as `tip_wrench` or `wrench` of
            its dynamics methods: six numbers, a WrenchTable over time, a function f(time, state), or
            what the tip touches, a Contact such as SpringWall.
        friction, rotors: whether the plant has them.
        position_limits: "stop" ends with an error when a joint or leg leaves its limits.
        loop: sensors, computer and converters between robot and controller: a DigitalLoop or the name
            of a preset; None is ideal.
        progress: a progress bar; by default after a second, on a terminal.
    """
    one_of(integrator, INTEGRATORS, "integrator")
    one_of(position_limits, LIMITS, "value of position_limits")
    system = System(robot, payload, friction, rotors, wrench)
    run = Run(system, controller, position_limits == "stop", loop_of(loop))
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
