"""linkwork simulate: how a robot moves under a controller or under given efforts."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from linkwork.cli.arguments import judge_angles, motion_of, numbers_of, robot_of
from linkwork.cli.controllers import CONTROLLERS, ControllerOptions, controller_of
from linkwork.cli.loops import loop_of
from linkwork.cli.options import (
    AsJson,
    Friction,
    Gravity,
    OptionalMotion,
    OutputFile,
    PlotFile,
    ReportFile,
    RobotName,
    Rotors,
    Strict,
)
from linkwork.cli.output import check_files, print_json, put_data
from linkwork.cli.running import FaultFound
from linkwork.cli.simulation_summary import show_simulation, simulation_facts

if TYPE_CHECKING:
    from linkwork.interface.robot import Robot
    from linkwork.robots.urdf_chain import Chain


def controller_names(incomplete: str) -> list[str]:
    return [name for name in CONTROLLERS if name.startswith(incomplete)]


def simulate(
    robot: RobotName,
    motion: OptionalMotion = None,
    controller: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            autocompletion=controller_names,
            help=f"{', '.join(CONTROLLERS)}. With a motion: computed-torque (arms), task-space "
            "(platforms); without: none.",
        ),
    ] = None,
    kp: Annotated[str | None, typer.Option(metavar="GAINS", help="One number or one each.")] = None,
    kv: Annotated[str | None, typer.Option(metavar="GAINS", help="One number or one each.")] = None,
    period: Annotated[
        float | None, typer.Option(metavar="S", help="Of the controller; 0 acts without delay.")
    ] = None,
    effort: Annotated[
        str | None,
        typer.Option(metavar="NUMBERS", help="Constant torques or leg forces."),
    ] = None,
    start: Annotated[
        str | None,
        typer.Option(metavar="NUMBERS", help="Joint positions or a pose; the motion's start, or rest."),
    ] = None,
    duration: Annotated[float | None, typer.Option(metavar="S", help="The motion's, or 1 s.")] = None,
    step: Annotated[float | None, typer.Option(metavar="S", help="Of the integration; 0.001.")] = None,
    integrator: Annotated[str, typer.Option(metavar="NAME", help="rk4 or adaptive.")] = "rk4",
    tolerance: Annotated[float, typer.Option(metavar="X", help="Of the adaptive integrator.")] = 1e-10,
    payload: Annotated[
        float | None,
        typer.Option(
            min=0, metavar="KG", help="A mass in an arm's hand that its controller does not know."
        ),
    ] = None,
    lookahead: Annotated[
        float, typer.Option(metavar="S", help="Of computed torque; half a period centres it.")
    ] = 0.0,
    loop: Annotated[
        str | None,
        typer.Option(
            metavar="LOOP",
            help="Sensors, computer and converters: ideal, lee1982, servo-drive, or settings such as "
            "resolution=1e-4,velocity=differenced,delay=0.003,effort_limits (of lw.DigitalLoop).",
        ),
    ] = None,
    stop_at_limits: Annotated[
        bool, typer.Option("--stop-at-limits", help="Stop when a joint or leg leaves its range.")
    ] = False,
    gravity: Gravity = None,
    friction: Friction = True,
    rotors: Rotors = True,
    chain: Chain | None = None,
    strict: Strict = False,
    output: OutputFile = None,
    report: ReportFile = None,
    plot: PlotFile = None,
    json: AsJson = False,
) -> None:
    """Simulate a robot: under a controller that follows a motion, under constant efforts, or freely.

    A robot that is lost on the way (a singular pose, a limit, a step too large) ends with exit status 1.

    \b
    Examples:
      linkwork simulate puma560 --motion lee1982 -o run.csv
      linkwork simulate planar-2r --duration 2 --start 30deg,0 --plot fall.png
      linkwork simulate dasgupta1998 --motion dasgupta-II --kp 400 --kv 40
      linkwork simulate puma560 --motion lee1982 --loop lee1982 --json
    """
    from linkwork.simulation import SimulationError
    from linkwork.simulation import simulate as run_of

    check_files(output, report, plot)
    found = robot_of(robot, gravity, friction, rotors, chain, strict)
    path = None if motion is None else motion_of(found, motion, strict)
    options = ControllerOptions(controller, kp, kv, period, effort, lookahead)
    law = controller_of(found, path, options)
    held = getattr(law, "period", None)
    try:
        run = run_of(
            found,
            law,
            duration=duration if duration is not None or path is not None else 1.0,
            start=_start(found, start, strict),
            step=_step(held) if step is None else step,
            integrator=integrator,
            tolerance=tolerance,
            payload=payload,
            position_limits="stop" if stop_at_limits else "ignore",
            loop=loop_of(loop),
        )
    except SimulationError as error:
        raise FaultFound(error.reason) from None
    facts: dict[str, Any] = simulation_facts(found, run, motion)
    if output is not None or not json:
        put_data(run.columns(), output, run.arrays())
    if plot is not None or report is not None:
        from linkwork.cli.pictures import draw_simulation

        draw_simulation(found, run, plot, report)
    if json:  # last: one answer, or one error if a file could not be written
        data = {} if output is not None else {"data": run.columns()}
        print_json({**facts, "output": output and str(output), **data})
    else:
        show_simulation(facts, stderr=output is not None or not sys.stdout.isatty())


def _start(robot: Robot, text: str | None, strict: bool) -> Any:
    if text is None:
        return None
    from linkwork.interface.coordinates import POSE

    counts = (6, 7) if robot.coordinates is POSE else (len(robot.coordinates),)
    values = numbers_of(text, "--start", *counts, angles=True)
    judge_angles(robot, values, text, "--start", strict)
    return values


def _step(period: float | None) -> float:
    """A millisecond, or the nearest that fits the controller's period."""
    usual = 1e-3
    return usual if period is None else period / max(1, round(period / usual))
