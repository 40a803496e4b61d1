"""linkwork datasheet: how a machine meets what a customer asked."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from linkwork.cli.arguments import AsJson, RobotName, Strict, robot_of
from linkwork.cli.output import check_files, print_json, print_table, put_data, put_report, say

if TYPE_CHECKING:
    from linkwork.analysis.datasheet import DataSheet
    from linkwork.core.table_files import Columns, Plain
    from linkwork.model.urdf.chain import ChainSelection

PAGES = (".html", ".pdf")


def datasheet(
    robot: RobotName,
    requirements: Annotated[
        Path, typer.Argument(metavar="REQUIREMENTS", help="Requirements file (.yaml).")
    ],
    report: Annotated[
        Path | None,
        typer.Option(
            "--report", metavar="FILE", help="Write the data sheet: .html, or .pdf (needs a browser)."
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Write the compliance matrix: .csv, .parquet, .npz or .json.",
        ),
    ] = None,
    data: Annotated[Path | None, typer.Option("--data", hidden=True)] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Exit with status 1 if a requirement is not met.")
    ] = False,
    chain: ChainSelection | None = None,
    strict: Strict = False,
    json: AsJson = False,
) -> None:
    """Data sheet of a machine: requirements, achieved values and worst cases.

    \b
    Examples:
      linkwork datasheet simona requirements.yaml --report sheet.html
      linkwork datasheet simona requirements.yaml -o matrix.csv
    """
    from linkwork.analysis.datasheet import datasheet as datasheet_of

    if data is not None or (report is None and output is not None and output.suffix.lower() in PAGES):
        output, report = data, report or output  # as a matrix and a sheet were asked for before
    check_files(output, report, None)
    found = datasheet_of(robot_of(robot, chain=chain, strict=strict), requirements)
    if output is not None:
        put_data(_columns(found), output)
    if report is not None:
        from linkwork.reports.datasheet import datasheet_report

        put_report(lambda command, advance: datasheet_report(found, command, advance), report)
    if json:
        print_json(_facts(found))
    else:
        _show(found)
    if check and not found.met:
        raise typer.Exit(1)


def _columns(found: DataSheet) -> Columns:
    names = ("requirement", "sense", "required", "achieved", "unit", "margin", "met", "where")
    return {name: [getattr(line, name) for line in found.compliance] for name in names}


def _facts(found: DataSheet) -> Plain:
    from dataclasses import asdict

    asked, columns = found.requirements, _columns(found)
    lines = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    stops = found.stops.simulated if found.stops is not None else ()
    return {
        "title": found.title,
        "robot": found.of_file.name,
        "customer": asked.customer,
        "revision": asked.revision,
        "author": asked.author,
        "date": found.date,
        "met": found.met,
        "compliance": lines,
        "capabilities": [asdict(each) for each in found.capabilities],
        "margin": found.margin and asdict(found.margin),
        "condition": {"value": found.condition[0], "where": found.condition[1]},
        "frequencies": found.frequencies and asdict(found.frequencies),
        "stroke": {"value": found.stroke[0], "where": found.stroke[1]},
        "footprint": found.footprint,
        "actuators": [asdict(each) for each in found.sizing.demands] if found.sizing else [],
        "joint_ranges": [asdict(each) for each in found.joint_ranges],
        "foundation": [asdict(each) for each in found.foundation],
        "stops": [
            {
                "case": each.case,
                "motion": each.onset.motion_name,
                "onset": each.onset.time,
                "rest": each.rest,
                "distance": each.distance,
                "turn": each.turn,
                "effort": each.effort,
                "holds": each.holds,
                "ended": each.ended,
            }
            for each in stops
        ],
        "mass": {"machine": found.of_file.mechanism.mass, "with_payload": found.robot.mechanism.mass},
    }


def _show(found: DataSheet) -> None:
    from linkwork.reports.datasheet import cells

    lines = found.compliance
    rows = []
    for line in lines:
        margin = "-" if line.margin != line.margin else f"{100 * line.margin:.1f} %"
        rows.append(
            (line.requirement, *cells(line, found), margin, "yes" if line.met else "NO", line.where)
        )
    header = ("requirement", "required", "achieved", "margin", "met", "limited by, worst at")
    met = sum(line.met for line in lines)
    title = f"{found.title}: {met} of {len(lines)} requirements met"
    print_table(header, rows, title=title, left=("met", "limited by, worst at"))
    if not lines:
        say("note: the requirements file asks for nothing that can be compared.")
