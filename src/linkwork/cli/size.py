"""linkwork size: which actuators motions need."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from linkwork.cli.arguments import (
    AsJson,
    Friction,
    Gravity,
    OutputFile,
    Period,
    ReportFile,
    RobotName,
    Rotors,
    Strict,
    motion_names,
    motion_of,
    robot_of,
)
from linkwork.cli.output import (
    check_files,
    limit_in_words,
    print_json,
    print_table,
    put_data,
    put_report,
    say,
    show_margin,
)
from linkwork.core.text import number, shown_unit

if TYPE_CHECKING:
    from linkwork.analysis.catalogue import CatalogueFit
    from linkwork.analysis.sizing import Sizing
    from linkwork.core.table_files import Columns, Plain
    from linkwork.model.urdf.chain import ChainSelection

MOST_SHOWN = 8  # actuators of a catalogue


def size(
    robot: RobotName,
    motion: Annotated[
        list[str],
        typer.Option(
            "--motion",
            "-m",
            metavar="MOTION",
            help="A bundled name or a file; several times for several motions.",
            autocompletion=motion_names,
        ),
    ],
    catalogue: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Actuators to choose from: a CSV with name, stroke, force, continuous_force, "
            "velocity, power, retracted_length, force_velocity (SI units).",
        ),
    ] = None,
    period: Period = 0.01,
    gravity: Gravity = None,
    friction: Friction = True,
    rotors: Rotors = True,
    chain: ChainSelection | None = None,
    strict: Strict = False,
    output: OutputFile = None,
    report: ReportFile = None,
    json: AsJson = False,
) -> None:
    """What every actuator must give: force, stroke, speed and power over all motions.

    \b
    Examples:
      linkwork size simona -m heave -m pitch --report sizing.html
    """
    from linkwork.analysis.catalogue import read_catalogue
    from linkwork.analysis.sizing import size as sizing_of

    check_files(output, report, None)
    choice = None if catalogue is None else read_catalogue(catalogue)
    if choice is not None and choice.unknown:
        say(f"note: {catalogue}: not judged: {', '.join(choice.unknown)}")
    found = robot_of(robot, gravity, friction, rotors, chain, strict)
    motions = {name: motion_of(found, name, strict) for name in motion}
    sizing = sizing_of(found, motions, period=period, catalogue=choice)
    if output is not None or not json:
        put_data(_columns(sizing), output)
    if report is not None:
        from linkwork.reports.sizing import sizing_report

        put_report(lambda command, _: sizing_report(sizing, command), report)
    if json:
        print_json(_facts(sizing))
    else:
        _show(sizing, stderr=output is not None or not sys.stdout.isatty())
    for one in sizing.studies:
        for broken in one.violations:
            say(f"warning: {one.motion_name}: {limit_in_words(broken, found.angle_unit)}")


def _columns(sizing: Sizing) -> Columns:
    rows = [asdict(demand) for demand in sizing.demands]
    columns = {key: [row[key] for row in rows] for key in rows[0] if key != "at"}
    columns["share"] = [float("nan") if value is None else value for value in columns["share"]]
    columns["stroke"] = [demand.stroke for demand in sizing.demands]
    columns["peak_motion"] = [demand.at[0] for demand in sizing.demands]
    columns["peak_time"] = [demand.at[1] for demand in sizing.demands]
    return columns


def _facts(sizing: Sizing) -> Plain:
    demands = [{**asdict(demand), "stroke": demand.stroke} for demand in sizing.demands]
    return {
        "robot": sizing.robot.name,
        "motions": [one.motion_name for one in sizing.studies],
        "actuators": demands,
        "worst": asdict(sizing.worst),
        "margin": sizing.margin and asdict(sizing.margin),
        "of_all": sizing.of_all,
        "catalogue": [_fit(fit) for fit in sizing.fits],
    }


def _percent(margin: float) -> str:
    return f"{100 * margin:+.1f} %" if abs(margin) < 1e6 else "none"


def _fit(fit: CatalogueFit) -> Plain:
    margins = {what: {"margin": margin, "of": of} for what, (margin, of) in fit.margins.items()}
    least = {"margin": fit.margin, "limited_by": fit.limited_by, "serves": fit.serves}
    return {"actuator": asdict(fit.actuator), **least, "margins": margins}


def _show(sizing: Sizing, stderr: bool) -> None:
    units = [shown_unit(demand.place, sizing.robot.angle_unit) for demand in sizing.demands]
    alike = len({*units}) == 1  # then the heads of the columns have the unit
    names = ", ".join(one.motion_name for one in sizing.studies)
    greatest = max(abs(demand.power) for demand in sizing.demands)  # rounding beside it is shown as 0
    rows = []
    for demand, (factor, unit) in zip(sizing.demands, units, strict=True):
        same = [other.stroke for other in sizing.demands if other.place == demand.place]
        furthest, after = factor * max(same), "" if alike else f" {unit}"
        share = "-" if demand.share is None else f"{100 * demand.share:.0f} %"
        rows.append(
            (
                demand.name,
                demand.unit,
                number(demand.peak),
                demand.at[0],
                number(demand.rms),
                number(factor * demand.lowest, scale=furthest) + after,
                number(factor * demand.highest, scale=furthest) + after,
                number(factor * demand.stroke) + after,
                number(factor * demand.velocity) + (after and f"{after}/s"),
                number(demand.power, scale=greatest),
                number(demand.mean_power, scale=greatest),
                share,
            )
        )
    of_lengths = sizing.robot.noun != "joint" and alike and units[0][1] == "m"
    ends = ("shortest", "longest") if of_lengths else ("lowest", "highest")
    of, per_second = (f" [{units[0][1]}]", f" [{units[0][1]}/s]") if alike else ("", "")
    headers = ("name", "unit", "peak", "in", "RMS", *(f"{word}{of}" for word in (*ends, "stroke")))
    headers += (f"speed{per_second}", "peak power [W]", "mean power [W]", "envelope used")
    title = f"{sizing.robot.name} along {names}"
    print_table(headers, rows, title=title, left=("unit", "in"), stderr=stderr)
    show_margin(sizing.margin, stderr)
    if sizing.of_all is not None:
        low, high = sizing.of_all
        words = f"{number(low)} to {number(high)} m, stroke {number(high - low)} m"
        print(f"one actuator for all legs: {words}", file=sys.stderr if stderr else sys.stdout)
    if sizing.fits:
        serving = [fit for fit in sizing.fits if fit.serves]
        kinds = list(dict.fromkeys(what for fit in sizing.fits for what in fit.margins))
        print_table(
            ("actuator", "least margin", "limited by", *(what.replace("_", " ") for what in kinds)),
            [
                (
                    fit.actuator.name,
                    _percent(fit.margin),
                    fit.limited_by,
                    *(_percent(fit.margins[what][0]) if what in fit.margins else "-" for what in kinds),
                )
                for fit in sizing.fits[:MOST_SHOWN]
            ],
            title=f"{len(serving)} of {len(sizing.fits)} actuators of the catalogue serve",
            left=("limited by",),
            stderr=stderr,
        )
