"""linkwork workspace: how far a robot reaches, and what ends it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from linkwork.cli.arguments import (
    AsJson,
    OutputFile,
    ReportFile,
    RobotName,
    Strict,
    judge_angles,
    numbers_of,
    robot_of,
)
from linkwork.cli.output import check_files, print_json, print_table, put_data, put_report
from linkwork.core.errors import InputError
from linkwork.core.text import AngleUnit, number, shown_unit

if TYPE_CHECKING:
    from linkwork.analysis.workspace import Reached
    from linkwork.core.table_files import Columns, Plain
    from linkwork.model.urdf.chain import ChainSelection
    from linkwork.robot.robot import Array


def workspace(
    robot: RobotName,
    pose: Annotated[
        str | None,
        typer.Option(
            metavar="NUMBERS",
            help="Center instead of home: x,y,z,roll,pitch,yaw of a platform (0,0,2.2,10deg,0,0); the "
            "coordinates of a mechanism.",
        ),
    ] = None,
    orientation: Annotated[
        str | None,
        typer.Option(metavar="NUMBERS", help="roll,pitch,yaw of an arm's tool; default: any."),
    ] = None,
    clearance: Annotated[
        float,
        typer.Option(
            metavar="NUMBER",
            help="Least singular value of a platform's Jacobian, or reciprocal condition number of a "
            "mechanism's, to keep.",
        ),
    ] = 0.0,
    leg_diameter: Annotated[
        float,
        typer.Option(metavar="M", help="Leg diameter for the collision check; 0: no check."),
    ] = 0.0,
    tolerance: Annotated[
        float | None, typer.Option(metavar="M", help="Cell size of the boundary.")
    ] = None,
    certified: Annotated[
        bool,
        typer.Option(
            "--certified", help="Prove inner and outer bounds of the workspace and its volume."
        ),
    ] = False,
    gap: Annotated[
        float, typer.Option(metavar="SHARE", help="With --certified: undecided share allowed.")
    ] = 0.1,
    axes: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES", help="With --certified: one to three coordinates, such as x,y,yaw."
        ),
    ] = None,
    condition: Annotated[
        float | None,
        typer.Option(metavar="NUMBER", help="With --certified: largest condition number."),
    ] = None,
    chain: ChainSelection | None = None,
    strict: Strict = False,
    output: OutputFile = None,
    report: ReportFile = None,
    json: AsJson = False,
) -> None:
    """Workspace: excursions from home, volume, and the limiting constraint of each.

    \b
    Examples:
      linkwork workspace simona --report workspace.html
      linkwork workspace simona --leg-diameter 0.16 -o boundary.csv
      linkwork workspace delta --clearance 0.1 --report delta.html
      linkwork workspace puma560 --json
      linkwork workspace simona --certified --gap 0.2 --report proven.html
    """
    from linkwork.analysis.workspace import workspace_of

    check_files(output, report, None)
    found = robot_of(robot, chain=chain, strict=strict)
    size = len(found.velocities)

    def given(text: str | None, option: str, count: int) -> Array | None:
        if text is None:
            return None
        values = numbers_of(text, option, count, angles=True)
        judge_angles(found, values, text, option, strict)
        return values

    if certified:
        from linkwork.cli.certified_workspace import certified as prove

        if orientation is not None or clearance or tolerance is not None:
            raise InputError(
                "--orientation, --clearance and --tolerance do not go with --certified; it has --pose, "
                "--condition and --gap."
            )
        at = given(pose, "--pose", size)
        return prove(found, axes, at, gap, condition, leg_diameter, output, report, json)
    if axes is not None or condition is not None:
        raise InputError("--axes and --condition go with --certified.")
    reached = workspace_of(
        found,
        tolerance,
        pose=given(pose, "--pose", size),
        orientation=given(orientation, "--orientation", 3),
        clearance=clearance,
        leg_diameter=leg_diameter,
    )
    if output is not None:
        put_data(_boundary(reached), output)
    if report is not None:
        from linkwork.reports.workspace import workspace_report

        put_report(partial(workspace_report, reached), report)
    if json:
        print_json(_facts(reached))
    else:
        _show(_facts(reached), found.angle_unit)


def _facts(found: Reached) -> Plain:
    from linkwork.analysis.workspace import KINDS

    region, axes = found.main, found.main_axes
    return {
        "robot": found.robot.name,
        "pose": found.pose,
        "from": found.middle,
        "excursions": [
            {
                "axis": one.axis,
                "unit": one.unit,
                "lowest": one.lowest - found.start(one.axis),
                "lowest_limit": one.lowest_limit,
                "highest": one.highest - found.start(one.axis),
                "highest_limit": one.highest_limit,
            }
            for one in found.excursions
        ],
        "axes": axes,
        "unit": power("m" if found.space else "rad", len(axes)),
        "volume": region.content,
        "volume_bounds": region.bounds,
        "box": region.extent,
        "ended_by": sorted({KINDS[k] for k in region.kinds.tolist()}),
        "tool_box": found.tool_box,
        "poses": region.evaluations,
    }


def power(unit: str, dimensions: int) -> str:
    """m^3, m^2 or m."""
    return unit if dimensions == 1 else f"{unit}^{dimensions}"


def _boundary(found: Reached) -> Columns:
    import numpy as np

    from linkwork.analysis.workspace import KINDS

    region = found.main
    middle = region.boundary + region.edges / 2
    columns = dict(zip(found.main_axes, middle.T, strict=True))
    return {**columns, "ended_by": np.array(KINDS)[region.kinds]}


def _show(facts: Plain, angles: AngleUnit) -> None:
    rows = []
    for one in facts["excursions"]:
        factor, unit = shown_unit(one["unit"], angles)
        rows.append(
            (
                one["axis"],
                number(factor * one["lowest"]),
                one["lowest_limit"] or "-",
                number(factor * one["highest"]),
                one["highest_limit"] or "-",
                unit,
            )
        )
    low, high = facts["volume_bounds"]
    if rows:
        print_table(
            ("axis", "lowest", "limited by", "highest", "limited by ", "unit"),
            rows,
            title=f"{facts['robot']}: how far each coordinate goes from {facts['from']}, the others "
            f"{'at home' if facts['from'] == 'home' else 'there'}",
            left=("limited by", "limited by ", "unit"),
        )
    others = ", the others as given" if len(facts["axes"]) < len(rows) else ""
    print(
        f"workspace in {', '.join(facts['axes'])}{others}: {number(facts['volume'])} {facts['unit']} "
        f"(between {number(low)} and {number(high)})",
    )
    factor, unit = shown_unit(facts["unit"].partition("^")[0], angles)
    ends = zip(facts["axes"], *facts["box"], strict=True)
    print(", ".join(f"{a} {number(factor * x)} to {number(factor * y)} {unit}" for a, x, y in ends))
    if facts["tool_box"] is not None:
        from linkwork.reports.workspace import tool_in_words

        print(tool_in_words(facts["tool_box"]))
