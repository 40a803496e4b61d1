"""linkwork inverse: which torques or leg forces a motion needs; its columns and its summary."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from linkwork.cli.arguments import (
    EVERYWHERE,
    AsJson,
    DefaultMotion,
    Formulations,
    Friction,
    Gravity,
    OutputFile,
    Payload,
    Period,
    PlotFile,
    ReportFile,
    RobotName,
    Rotors,
    Strict,
    formulations_of,
    loaded,
    motion_of,
    numbers_of,
    robot_of,
)
from linkwork.cli.identify import ColumnMap, columns_of
from linkwork.cli.output import (
    check_files,
    limit_in_words,
    print_json,
    print_table,
    put_data,
    put_plot,
    put_report,
    say,
    show_margin,
)
from linkwork.cli.running import ExitStatus
from linkwork.core.errors import InputError
from linkwork.core.text import AngleUnit, number, shown_unit

if TYPE_CHECKING:
    from linkwork.analysis.study import Study
    from linkwork.core.table_files import Plain
    from linkwork.model.urdf.chain import ChainSelection
    from linkwork.robot.limits import LimitBreak, Quantity
    from linkwork.robot.robot import Array, Robot

WRENCH = "Force, then moment [N, N m]"


def inverse(
    robot: RobotName,
    motion: DefaultMotion = EVERYWHERE,
    formulation: Formulations = None,
    period: Period = 0.01,
    columns: ColumnMap = None,
    payload: Payload = None,
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
    chain: ChainSelection | None = None,
    strict: Strict = False,
    state: Annotated[
        bool, typer.Option("--state", help="Also write positions, velocities and accelerations.")
    ] = False,
    parts: Annotated[bool, typer.Option("--parts", help="Also write the effort breakdown.")] = False,
    reactions: Annotated[
        bool, typer.Option("--reactions", help="Also write joint reactions: forces and moments.")
    ] = False,
    check_limits: Annotated[
        bool, typer.Option("--check-limits", help="Exit with status 1 if the motion violates a limit.")
    ] = False,
    output: OutputFile = None,
    report: ReportFile = None,
    plot: PlotFile = None,
    json: AsJson = False,
) -> None:
    """Inverse dynamics: actuator torques and forces along a motion.

    Writes all samples to the file of -o, or as CSV to a pipe; on a terminal it shows peaks.

    \b
    Examples:
      linkwork inverse dasgupta1998 --motion dasgupta-I -o forces.csv
      linkwork inverse puma560 --motion lee1982 --report torques.html
      linkwork inverse dasgupta1998 -m dasgupta-II -f exact -f dasgupta1998 --json
    """
    from linkwork.analysis.study import study
    from linkwork.analysis.study_table import study_table
    from linkwork.motion.inputs import instants_with_end

    check_files(output, report, plot)
    found = loaded(robot_of(robot, gravity, friction, rotors, chain, strict), payload)
    names = formulations_of(found, formulation)
    path = motion_of(found, motion, strict, columns_of(columns))
    load = _wrench(found, wrench, tip_wrench)
    time = instants_with_end(path.duration, period)
    carried = path.payload_at(time)
    whole = study(found, motion, time, path.at(time), formulations=names, wrench=load, payload=carried)
    efforts = {name: whole.by_formulation[name] for name in names}
    if not efforts:
        efforts[_own_formulation(found)] = whole.effort.values
    asked = whole.by(names[0]) if names else whole
    table = study_table(whole, efforts, state=state, parts=parts, reactions=reactions).columns()
    facts: Plain = {
        **inverse_facts(asked, efforts),
        "motion": motion,
        "period": period,
        "output": output and str(output),
    }
    if output is not None or not json:
        put_data(table, output)
    if plot is not None:
        from linkwork.analysis.study import APPROXIMATE
        from linkwork.reports.figures import effort_figure, formulation_figure

        published = any(name in APPROXIMATE for name in whole.by_formulation)
        compared = whole.compared_with_exact()
        put_plot(formulation_figure(compared) if published else effort_figure(whole), plot)
    if report is not None:
        from linkwork.reports.inverse import inverse_report

        page = partial(inverse_report, whole.compared_with_exact())
        put_report(page, report, gravity=found.mechanism.gravity)
    if json:  # last: one answer, or one error if a file could not be written
        print_json(facts if output is not None else {**facts, "data": table})
    else:
        beside = output is not None or not sys.stdout.isatty()
        show_inverse(facts, found.angle_unit, stderr=beside)
        show_margin(asked.margin, stderr=beside)
    if facts["condition"] is not None and facts["condition"]["near_singular"]:
        say(f"warning: {condition_in_words(facts['condition'])}")
    for broken in asked.violations:
        say(f"warning: {limit_in_words(broken, found.angle_unit)}")
    if asked.violations and check_limits:
        raise typer.Exit(ExitStatus.FAULT_FOUND)


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


def inverse_facts(found: Study, efforts: Mapping[str, Array]) -> Plain:
    """What `--json` prints: peaks of the first formulation, how far the others are from it, ranges.

    Args:
        found: the study of the first formulation.
        efforts: by formulation, as asked for.
    """
    import numpy as np

    first, *others = efforts
    values = efforts[first]
    differences = {}
    for name in others:
        gap = np.abs(efforts[name] - values)
        row, column = np.unravel_index(np.argmax(gap), gap.shape)
        differences[name] = {
            "largest": float(gap[row, column]),
            "time": float(found.time[row]),
            "name": found.effort.channels[column],
            "relative": float(gap.max() / (np.abs(values).max() or 1.0)),
        }
    peaks = [
        {("peak" if key == "value" else key): value for key, value in asdict(peak).items()}
        for peak in found.peaks
    ]
    return {
        "robot": found.robot.name,
        "duration": float(found.time[-1]),
        "samples": len(found.time),
        "formulation": first,
        "peaks": peaks,
        "ranges": {what.name: _ranges(what) for what in found.moving},
        "differences": differences,
        "broken_limits": [_broken(one) for one in found.violations],
        "margin": found.margin and asdict(found.margin),
        "condition": worst_condition(found),
    }


def _broken(found: LimitBreak) -> Plain:
    return {
        "quantity": found.quantity,
        "channel": found.name,
        "unit": found.unit,
        "value": found.value,
        "limit": found.allowed,
        "at": found.worst_time,
        "first": found.first_time,
        "duration": found.duration,
    }


def _ranges(what: Quantity) -> list[Plain]:
    return [
        {
            "name": name,
            "unit": what.units[k],
            "lowest": float(what.values[:, k].min()),
            "highest": float(what.values[:, k].max()),
            "limits": [float(what.low[k]), float(what.high[k])],
        }
        for k, name in enumerate(what.channels)
    ]


def worst_condition(found: Study) -> Plain | None:
    """The greatest condition number where efforts grow with it: in loops, not in an arm's joints."""
    import numpy as np

    from linkwork.kinematics.singularity import NEAR_SINGULAR

    if not found.conditioning or not found.conditioning[0].of_efforts:
        return None
    numbers = found.conditioning[0].values
    at = int(np.argmax(numbers))
    worst = float(numbers[at])
    time = float(found.time[at])
    return {"largest": worst, "time": time, "near_singular": worst >= NEAR_SINGULAR}


def condition_in_words(found: Plain) -> str:
    return (
        f"close to a singular pose at t = {number(found['time'])} s (condition number "
        f"{number(found['largest'], 3)}), where efforts grow without bound; the peaks tell how near "
        "a sample comes to it"
    )


def show_inverse(facts: Plain, angles: AngleUnit, stderr: bool) -> None:
    """Tables for a person; on standard error if standard output carries the data."""
    title = (
        f"{facts['robot']} along {facts['motion']}: {number(facts['duration'])} s, "
        f"{facts['samples']} samples, {facts['formulation']}"
    )
    print_table(
        ("name", "unit", "peak", "at [s]", "lowest", "highest", "RMS", "limit", "peak power [W]"),
        [
            (
                row["name"],
                row["unit"],
                number(row["peak"]),
                number(row["time"]),
                number(row["lowest"], scale=abs(row["peak"])),
                number(row["highest"], scale=abs(row["peak"])),
                number(row["rms"]),
                number(row["limit"]),
                number(row["power"]),
            )
            for row in facts["peaks"]
        ],
        title=title,
        left=("unit",),
        stderr=stderr,
    )
    _show_ranges(facts["ranges"], angles, stderr)
    if facts["differences"]:
        print_table(
            ("formulation", "largest difference", "at [s]", "of", "relative"),
            [
                (
                    name,
                    number(row["largest"], 3),
                    number(row["time"]),
                    row["name"],
                    f"{row['relative']:.1e}",
                )
                for name, row in facts["differences"].items()
            ],
            title=f"Differences from {facts['formulation']}",
            left=("of",),
            stderr=stderr,
        )


def _show_ranges(ranges: Mapping[str, list[Plain]], angles: AngleUnit, stderr: bool) -> None:
    """Strokes and velocities of joints or legs; everything else that is measured is for reports."""
    (where, stroke), (how_fast, speed) = list(ranges.items())[:2]
    rows = []
    for place, fast in zip(stroke, speed, strict=True):
        factor, unit = shown_unit(place["unit"], angles)
        faster, per_second = shown_unit(fast["unit"], angles)
        low, high = factor * place["lowest"], factor * place["highest"]
        most = faster * max(-fast["lowest"], fast["highest"])
        stroke_shown = [number(value, scale=high - low) for value in (low, high, high - low)]
        rows.append((place["name"], unit, *stroke_shown, number(most), per_second))
    headers = ("name", "unit", f"lowest {where}", f"highest {where}", "stroke", f"peak {how_fast}", "")
    print_table(headers, rows, left=("unit", ""), stderr=stderr)
