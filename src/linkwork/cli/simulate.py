"""linkwork simulate: how a robot moves under a controller or under given efforts.

Controllers and digital loops by the text of the command line, a run in a few numbers, and the command.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from linkwork.cli.arguments import (
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
    judge_angles,
    motion_of,
    numbers_of,
    robot_of,
    starting,
)
from linkwork.cli.identify import ColumnMap, columns_of
from linkwork.cli.output import check_files, print_json, print_table, put_data, put_plot, put_report
from linkwork.cli.running import FaultFound
from linkwork.core.errors import InputError
from linkwork.core.text import number

if TYPE_CHECKING:
    from linkwork.analysis.study import ChannelPeak
    from linkwork.core.table_files import Plain
    from linkwork.model.urdf.chain import ChainSelection
    from linkwork.motion.trajectory import Motion
    from linkwork.robot.compiled import CallOptions
    from linkwork.robot.robot import Array, Robot
    from linkwork.simulation import DigitalLoop, Simulation
    from linkwork.simulation.loads import Payload
    from linkwork.simulation.run import Control


def simulation_facts(robot: Robot, run: Simulation, motion: str | None) -> Plain:
    """Peaks of the efforts and of the errors, the end, and the energy."""
    from linkwork.analysis.study import peaks
    from linkwork.robot.limits import quantity

    names = run.names()
    efforts = quantity("effort", run.labels, robot.efforts.units, run.effort)
    facts: Plain = {
        "robot": run.robot,
        "motion": motion,
        "duration": float(run.time[-1]),
        "samples": len(run.time),
        "efforts": [_row(peak) for peak in peaks(run.time, efforts)],
        "loop": run.assumptions(),
        "final_position": dict(zip(names["position"], run.position[-1].tolist(), strict=True)),
        "energy_change": float(run.energy[-1] - run.energy[0]),
    }
    if run.error is not None:
        errors = peaks(run.time, quantity("error", names["error"], _units(robot), run.error))
        facts["errors"] = [{**_row(peak), "final": peak.last} for peak in errors]
        facts["largest_error"] = max(abs(peak.value) for peak in errors)
    return facts


def _units(robot: Robot) -> list[str]:
    """Of the position error, which has as many numbers as the velocity."""
    return [unit.removesuffix("/s") for unit in robot.velocities.units]


def _row(peak: ChannelPeak) -> Plain:
    found = {"name": peak.name, "unit": peak.unit, "peak": peak.value}
    return {**found, "time": peak.time, "rms": peak.rms}


def show_simulation(facts: Plain, stderr: bool) -> None:
    follows = f", following {facts['motion']}" if facts["motion"] else ""
    title = f"{facts['robot']}{follows}: {number(facts['duration'])} s, {facts['samples']} samples"
    print_table(
        ("effort", "unit", "peak", "at [s]", "RMS"),
        [_cells(row) for row in facts["efforts"]],
        title=title,
        left=("unit",),
        stderr=stderr,
    )
    if "errors" in facts:
        print_table(
            ("error", "unit", "peak", "at [s]", "RMS", "at the end"),
            [(*_cells(row), number(row["final"], 3)) for row in facts["errors"]],
            left=("unit",),
            stderr=stderr,
        )
    else:
        print_table(
            ("position at the end", "value"),
            [(name, number(value, 6)) for name, value in facts["final_position"].items()],
            stderr=stderr,
        )

    print_table(
        ("loop", "as simulated"), list(facts["loop"].items()), left=("as simulated",), stderr=stderr
    )


def _cells(row: Plain) -> tuple[str, ...]:
    return row["name"], row["unit"], number(row["peak"]), number(row["time"]), number(row["rms"], 3)


FOLLOWING = ("computed-torque", "adaptive", "gravity-compensation", "task-space")
FOR_ALL = ("constant", "none")
CONTROLLERS = (*FOLLOWING, *FOR_ALL)


@dataclass(frozen=True)
class ControllerOptions:
    """What the command line says of the controller; None is not said."""

    name: str | None = None
    kp: str | None = None
    kv: str | None = None
    period: float | None = None
    effort: str | None = None
    lookahead: float = 0.0


def controller_of(robot: Robot, motion: Motion | None, options: ControllerOptions) -> Control:
    """A controller, a function, or None for no effort."""
    from linkwork.core.arguments import one_of

    of_joints = robot.coordinates.names == robot.efforts.names
    name = options.name or _usual(of_joints, motion, options)
    other = "computed-torque" if robot.coordinates.quaternions else None
    if robot.plant().actuated_coordinates:
        other = "task-space"
    own = tuple(each for each in FOLLOWING if each != other)
    one_of(name, CONTROLLERS, "controller")
    one_of(name, (*own, *FOR_ALL), f"controller of {robot.name}")
    if name != "constant" and options.effort is not None:
        raise InputError("--effort goes with --controller constant.")
    if name in FOR_ALL:
        return _without_motion(robot, motion, name, options)
    if motion is None:
        raise InputError(f"--controller {name} follows a motion; give --motion (linkwork motions).")
    return _following(robot, motion, name, options)


def _usual(of_joints: bool, motion: Motion | None, options: ControllerOptions) -> str:
    if motion is None:
        return "none" if options.effort is None else "constant"
    return "computed-torque" if of_joints else "task-space"


def _without_motion(
    robot: Robot, motion: Motion | None, name: str, options: ControllerOptions
) -> Control:
    if motion is not None:
        raise InputError(f"--controller {name} follows no motion; leave --motion out.")
    for option in ("kp", "kv", "period"):
        if getattr(options, option) is not None:
            flag = "controller-period" if option == "period" else option
            raise InputError(f"--controller {name} takes no --{flag}.")
    if name == "none":
        return None
    if options.effort is None:
        raise InputError("--controller constant needs --effort, one number per joint or leg.")
    effort = numbers_of(options.effort, "--effort", robot.n)
    return lambda time, state: effort


def _following(robot: Robot, motion: Motion, name: str, options: ControllerOptions) -> Control:
    from linkwork import control

    given: CallOptions = {}
    for option in ("kp", "kv"):
        text = getattr(options, option)
        if text is not None:
            gains = numbers_of(text, f"--{option}")
            given[option] = gains if len(gains) > 1 else float(gains[0])
    if options.period is not None:
        given["period"] = options.period or None
    missing = [f"--{option}" for option in ("kp", "kv") if option not in given]
    if name == "gravity-compensation" and missing:
        raise InputError(f"--controller {name} needs {' and '.join(missing)} [N m/rad, N m s/rad].")
    if name == "task-space":
        return control.TaskSpaceControl(robot, motion, **given)
    if name == "computed-torque":
        return control.ComputedTorque(robot, motion, **given, lookahead=options.lookahead)
    of_joints = robot.plant().actuated_coordinates
    if name == "gravity-compensation":
        law = control.GravityCompensation if of_joints else control.TaskSpacePD
        return law(robot, motion, **given)
    if options.period == 0:
        raise InputError(
            "--controller adaptive learns between samples; --controller-period must be above 0."
        )
    learning = control.AdaptiveComputedTorque if of_joints else control.AdaptiveTaskSpaceControl
    return learning(robot, motion, **given)


WHOLE = ("position_bits", "effort_bits", "seed")
PER_ACTUATOR = ":"  # between numbers of one setting, since commas are between settings


def loop_of(text: str | None) -> DigitalLoop | None:
    """A preset, or settings `name=value` with commas between, or a preset and what differs from it.

    A setting that is a truth value may stand alone; one number for every actuator has colons between.
    """
    from dataclasses import replace

    from linkwork.core.arguments import one_of
    from linkwork.simulation.digital_loop import PRESETS, option_names

    if text is None:
        return None
    first, *others = [part.strip() for part in text.split(",") if part.strip()] or [""]
    names = option_names()
    begin = PRESETS["ideal"]
    if "=" in first or first in names:
        others = [first, *others]
    else:
        begin = PRESETS[one_of(first, PRESETS, "digital loop")]
    given: CallOptions = {}
    for part in others:
        name, equals, value = part.partition("=")
        one_of(name, names, "setting of --loop")
        given[name] = _value(name, value if equals else "yes")
    return replace(begin, **given)


def _value(name: str, text: str) -> str | float | tuple[float, ...]:
    if name == "velocity":
        return text
    if name == "effort_limits":
        if text not in ("yes", "no"):
            raise InputError(f"--loop effort_limits={text}: expected yes and no.")
        return text == "yes"
    values = numbers_of(text.replace(PER_ACTUATOR, ","), f"--loop {name}")
    if name in WHOLE and len(values) == 1 and values[0] == round(values[0]):
        return int(values[0])
    return float(values[0]) if len(values) == 1 else tuple(float(each) for each in values)


def controller_names(incomplete: str) -> list[str]:
    return starting(CONTROLLERS, incomplete)


def forward_names(incomplete: str) -> list[str]:
    from linkwork.mechanics.chain.dynamics import FORWARD

    return starting(tuple(FORWARD), incomplete)


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
    kp: Annotated[
        str | None, typer.Option(metavar="GAINS", help="One number, or one per actuator.")
    ] = None,
    kv: Annotated[
        str | None, typer.Option(metavar="GAINS", help="One number, or one per actuator.")
    ] = None,
    period: Annotated[
        float | None,
        typer.Option("--controller-period", metavar="S", help="Controller period (0: continuous)."),
    ] = None,
    effort: Annotated[
        str | None,
        typer.Option(metavar="NUMBERS", help="Constant efforts of the actuators."),
    ] = None,
    start: Annotated[
        str | None,
        typer.Option(
            metavar="NUMBERS", help="Initial position or pose; default: start of the motion, or home."
        ),
    ] = None,
    duration: Annotated[
        float | None,
        typer.Option(metavar="S", help="Simulated time; default: that of the motion, or 1 s."),
    ] = None,
    step: Annotated[
        float | None, typer.Option(metavar="S", help="Integration step (default 0.001).")
    ] = None,
    integrator: Annotated[str, typer.Option(metavar="NAME", help="rk4 or adaptive.")] = "rk4",
    tolerance: Annotated[
        float, typer.Option(metavar="X", help="Error tolerance of the adaptive integrator.")
    ] = 1e-10,
    payload: Annotated[
        float | None,
        typer.Option(
            min=0, metavar="KG", help="Payload mass at the tool that the controller does not know."
        ),
    ] = None,
    lookahead: Annotated[
        float,
        typer.Option(
            metavar="S", help="Lookahead of computed torque; half a period compensates the hold."
        ),
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
        bool, typer.Option("--stop-at-limits", help="Stop when an actuator leaves its position range.")
    ] = False,
    formulation: Annotated[
        str | None,
        typer.Option(
            "--formulation",
            "-f",
            metavar="NAME",
            autocompletion=forward_names,
            help="Forward dynamics of arms: composite, articulated, strobing (Turney 7), "
            "lagrange or natural-complement; default: the fastest.",
        ),
    ] = None,
    columns: ColumnMap = None,
    gravity: Gravity = None,
    friction: Friction = True,
    rotors: Rotors = True,
    chain: ChainSelection | None = None,
    strict: Strict = False,
    output: OutputFile = None,
    report: ReportFile = None,
    plot: PlotFile = None,
    json: AsJson = False,
) -> None:
    """Simulate a robot: tracking a motion under a controller, under constant efforts, or passive.

    Exits with status 1 if the simulation fails (singular pose, limit, step too large).

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
    path = None
    if motion is not None:
        path = motion_of(found, motion, strict, columns_of(columns))
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
            payload=_payload(path) if payload is None else payload,
            formulation=formulation,
            position_limits="stop" if stop_at_limits else "ignore",
            loop=loop_of(loop),
        )
    except SimulationError as error:
        raise FaultFound(error.reason) from None
    facts = simulation_facts(found, run, motion)
    if output is not None or not json:
        put_data(run.columns(), output, run.arrays())
    if plot is not None:
        put_plot(run.plot(), plot)
    if report is not None:
        from linkwork.reports.simulation import simulation_report

        settled = {
            "controller": controller or _usual(run.is_arm, path, options),
            "gravity": found.mechanism.gravity,
            "kp": getattr(law, "kp", None),
            "kv": getattr(law, "kv", None),
            "period": "continuous" if held is None else held,
            "step": _step(held) if step is None else step,
            "duration": float(run.time[-1] - run.time[0]),
            "payload": payload or 0.0,
        }
        put_report(partial(simulation_report, found, run), report, **settled)
    if json:  # last: one answer, or one error if a file could not be written
        data = {} if output is not None else {"data": run.columns()}
        print_json({**facts, "output": output and str(output), **data})
    else:
        show_simulation(facts, stderr=output is not None or not sys.stdout.isatty())


def _start(robot: Robot, text: str | None, strict: bool) -> Array | None:
    if text is None:
        return None
    from linkwork.robot.coordinates import POSE

    counts = (6, 7) if robot.coordinates is POSE else (len(robot.coordinates),)
    values = numbers_of(text, "--start", *counts, angles=True)
    judge_angles(robot, values, text, "--start", strict)
    return values


def _payload(path: Motion | None) -> Payload:
    """What a motion carries."""
    return [*path.payload_changes] if path is not None and path.payload_changes else None


def _step(period: float | None) -> float:
    """A millisecond, or the nearest that fits the controller's period."""
    usual = 1e-3
    return usual if period is None else period / max(1, round(period / usual))
