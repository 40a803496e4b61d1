"""linkwork inverse: which torques or leg forces a motion needs."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from linkwork.cli import exit_status
from linkwork.cli.arguments import formulations_of, motion_of, numbers_of, robot_of
from linkwork.cli.inverse_columns import (
    effort_columns,
    part_columns,
    reaction_columns,
    state_columns,
)
from linkwork.cli.inverse_summary import (
    condition_in_words,
    inverse_facts,
    limit_in_words,
    show_inverse,
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
    Strict,
)
from linkwork.cli.output import check_files, print_json, put_data, say
from linkwork.errors import InputError

if TYPE_CHECKING:
    from linkwork.interface.robot import Array, Robot
    from linkwork.robots.urdf_chain import Chain

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
    chain: Chain | None = None,
    strict: Strict = False,
    state: Annotated[bool, typer.Option("--state", help="Also write the motion itself.")] = False,
    parts: Annotated[bool, typer.Option("--parts", help="Also write what the efforts are for.")] = False,
    reactions: Annotated[
        bool, typer.Option("--reactions", help="Also write forces and moments in every joint.")
    ] = False,
    check_limits: Annotated[
        bool, typer.Option("--check-limits", help="Exit status 1 if the motion breaks a limit.")
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
    from linkwork.analysis.study import study
    from linkwork.motion.inputs import instants_with_end

    check_files(output, report, plot)
    found = robot_of(robot, gravity, friction, rotors, chain, strict)
    names = formulations_of(found, formulation)
    path = motion_of(found, motion, strict)
    load = _wrench(found, wrench, tip_wrench)
    time = instants_with_end(path.duration, period)
    whole = study(found, motion, time, path.at(time), formulations=names, wrench=load)
    efforts = {name: whole.by_formulation[name] for name in names}
    if not efforts:
        efforts[_own_formulation(found)] = whole.effort.values
    asked = whole.by(names[0]) if names else whole
    columns = effort_columns(whole, efforts)
    if state:
        columns |= state_columns(whole)
    if parts:
        columns |= part_columns(whole)
    if reactions:
        columns |= reaction_columns(whole)
    facts: dict[str, Any] = {
        **inverse_facts(asked, efforts),
        "motion": motion,
        "period": period,
        "output": output and str(output),
    }
    if output is not None or not json:
        put_data(columns, output)
    if plot is not None or report is not None:
        from linkwork.cli.pictures import draw_inverse

        draw_inverse(whole, plot, report)
    if json:  # last: one answer, or one error if a file could not be written
        print_json(facts if output is not None else {**facts, "data": columns})
    else:
        show_inverse(facts, found.angle_unit, stderr=output is not None or not sys.stdout.isatty())
    if facts["condition"] is not None and facts["condition"]["near_singular"]:
        say(f"warning: {condition_in_words(facts['condition'])}")
    for limit in facts["broken_limits"]:
        say(f"warning: {limit_in_words(limit, found.angle_unit)}")
    if facts["broken_limits"] and check_limits:
        raise typer.Exit(exit_status.FAULT_FOUND)


def _own_formulation(robot: Robot) -> str:
    """What the formulation is called if none is named."""
    return "exact" if "exact" in robot.formulations else "fastest formulation"


def _wrench(robot: Robot, wrench: str | None, tip_wrench: str | None) -> Array | None:
    """The external wrench, given by the option that suits the robot."""
    given = {"wrench": wrench, "tip_wrench": tip_wrench}
    text = given.pop(robot.wrench_option)
    other, unwanted = given.popitem()
    own = f"--{robot.wrench_option.replace('_', '-')}"
    if unwanted is not None:
        raise InputError(f"--{other.replace('_', '-')} is not for {robot.name}; take {own}.")
    return None if text is None else numbers_of(text, own, 6)
