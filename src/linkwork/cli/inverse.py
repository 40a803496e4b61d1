"""linkwork inverse: which torques or leg forces a motion needs."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from linkwork.cli import exit_codes
from linkwork.cli.arguments import formulations_of, motion_of, numbers_of, robot_of
from linkwork.cli.inverse_columns import (
    effort_columns,
    part_columns,
    reaction_columns,
    state_columns,
)
from linkwork.cli.inverse_words import (
    broken_limits,
    condition_in_words,
    inverse_facts,
    limit_in_words,
    show_inverse,
    worst_condition,
)
from linkwork.cli.options import (
    AsJson,
    Formulations,
    Friction,
    Gravity,
    MotionName,
    OutputFile,
    PlotFile,
    ReportFile,
    RobotName,
    Rotors,
)
from linkwork.cli.output import check_files, print_json, put_data, say
from linkwork.errors import InputError

if TYPE_CHECKING:
    from linkwork.interface.robot import Array
    from linkwork.motion.bundled import Robot

WRENCH = "Force, then moment [N, N m]"


def inverse(
    robot: RobotName,
    motion: MotionName,
    formulation: Formulations = None,
    period: Annotated[float, typer.Option(metavar="S", help="Time from sample to sample.")] = 0.01,
    gravity: Gravity = None,
    wrench: Annotated[
        str | None,
        typer.Option(metavar="NUMBERS", help=f"{WRENCH} on a platform, in its axes, at its origin."),
    ] = None,
    tip_wrench: Annotated[
        str | None,
        typer.Option(
            metavar="NUMBERS", help=f"{WRENCH} of an arm's last link on its surroundings, in its frame."
        ),
    ] = None,
    friction: Friction = True,
    rotors: Rotors = True,
    state: Annotated[bool, typer.Option("--state", help="Also write the motion itself.")] = False,
    parts: Annotated[bool, typer.Option("--parts", help="Also write what the efforts are for.")] = False,
    reactions: Annotated[
        bool, typer.Option("--reactions", help="Also write forces and moments in every joint.")
    ] = False,
    check_limits: Annotated[
        bool, typer.Option("--check-limits", help="End with 1 if the motion breaks a limit.")
    ] = False,
    output: OutputFile = None,
    report: ReportFile = None,
    plot: PlotFile = None,
    json: AsJson = False,
) -> None:
    """Torques of an arm's joints, or forces of a platform's legs, along a motion.

    Data goes to the file of -o, or as CSV to standard output if that is piped; a terminal shows peaks.

    \b
    Examples:
      linkwork inverse dasgupta1998 --motion dasgupta-I -o forces.csv
      linkwork inverse puma560 --motion lee1982 --report torques.html
      linkwork inverse dasgupta1998 -m dasgupta-II -f exact -f dasgupta1998 --json
    """
    from linkwork.motion.inputs import instants_with_end

    check_files(output, report, plot)
    found = robot_of(robot, gravity, friction, rotors)
    names = formulations_of(found, formulation)
    path = motion_of(found, motion)
    load = _load(found, wrench, tip_wrench)
    time = instants_with_end(path.duration, period)
    moved = path.at(time)
    efforts = {name or _usual(found): _efforts(found, moved, load, name) for name in names}
    columns = effort_columns(found, time, efforts)
    if state:
        columns |= state_columns(found, moved)
    if parts:
        columns |= part_columns(found, moved, load)
    if reactions:
        columns |= reaction_columns(found, moved, load)
    limits = broken_limits(found, time, moved, next(iter(efforts.values())))
    facts: dict[str, Any] = {
        **inverse_facts(found, time, efforts),
        "broken_limits": limits,
        "condition": worst_condition(found, time, moved),
        "motion": motion,
        "period": period,
        "output": output and str(output),
    }
    if output is not None or not json:
        put_data(columns, output)
    if plot is not None or report is not None:
        from linkwork.cli.pictures import draw_inverse

        chosen = [name for name in names if name is not None]
        draw_inverse(found, motion, time, moved, chosen, load, plot, report)
    if json:  # last: one answer, or one error if a file could not be written
        print_json(facts if output is not None else {**facts, "data": columns})
    else:
        show_inverse(facts, stderr=output is not None or not sys.stdout.isatty())
    if facts["condition"] is not None and facts["condition"]["near_singular"]:
        say(f"warning: {condition_in_words(facts['condition'])}")
    for limit in limits:
        say(f"warning: {limit_in_words(limit)}")
    if limits and check_limits:
        raise typer.Exit(exit_codes.FAULT_FOUND)


def _usual(robot: Robot) -> str:
    """What the formulation is called if none is named."""
    from linkwork.interface.arm import Arm

    return "fastest formulation" if isinstance(robot, Arm) else "exact"


def _load(robot: Robot, wrench: str | None, tip_wrench: str | None) -> Array | None:
    from linkwork.interface.arm import Arm

    if isinstance(robot, Arm):
        if wrench is not None:
            raise InputError(f"--wrench acts on platforms; for the arm {robot.name} take --tip-wrench.")
        return None if tip_wrench is None else numbers_of(tip_wrench, "--tip-wrench", 6)
    if tip_wrench is not None:
        raise InputError(f"--tip-wrench is of arms; for the platform {robot.name} take --wrench.")
    return None if wrench is None else numbers_of(wrench, "--wrench", 6)


def _efforts(robot: Robot, moved: Any, load: Array | None, formulation: str | None) -> Array:
    from linkwork.interface.arm import Arm

    if isinstance(robot, Arm):
        q, qd, qdd = moved
        return robot.inverse_dynamics(q, qd, qdd, tip_wrench=load, formulation=formulation)
    pose, twist, acceleration = moved
    return robot.inverse_dynamics(pose, twist, acceleration, load, formulation or "exact")
