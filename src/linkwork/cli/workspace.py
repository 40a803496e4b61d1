"""linkwork workspace: how far a robot reaches, and what ends it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from linkwork.cli.arguments import numbers_of, robot_of
from linkwork.cli.options import AsJson, OutputFile, ReportFile, RobotName, Strict
from linkwork.cli.output import check_files, print_json, print_table, put_data, say
from linkwork.errors import InputError
from linkwork.formatting import AngleUnit, number, shown_unit

if TYPE_CHECKING:
    from pathlib import Path

    from linkwork.analysis.workspace import Workspace
    from linkwork.interface.robot import Robot
    from linkwork.robots.urdf_chain import Chain


def workspace(
    robot: RobotName,
    pose: Annotated[
        str | None,
        typer.Option(
            metavar="NUMBERS",
            help="x,y,z,roll,pitch,yaw instead of home, such as 0,0,2.2,10deg,0,0, of a platform; the "
            "coordinates of a mechanism.",
        ),
    ] = None,
    orientation: Annotated[
        str | None,
        typer.Option(metavar="NUMBERS", help="roll,pitch,yaw of an arm's tip; any if absent."),
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
        typer.Option(metavar="M", help="At which legs touch that pass each other; 0: never."),
    ] = 0.0,
    tolerance: Annotated[
        float | None, typer.Option(metavar="M", help="Greatest edge of the cells of the boundary.")
    ] = None,
    chain: Chain | None = None,
    strict: Strict = False,
    output: OutputFile = None,
    report: ReportFile = None,
    json: AsJson = False,
) -> None:
    """How far a robot reaches: excursions from home, volume, and the limit that ends each.

    \b
    Examples:
      linkwork workspace simona --report workspace.html
      linkwork workspace simona --leg-diameter 0.16 -o boundary.csv
      linkwork workspace delta --clearance 0.1 --report delta.html
      linkwork workspace puma560 --json
    """
    from linkwork.interface.arm import Arm

    check_files(output, report, None)
    found = robot_of(robot, chain=chain, strict=strict)
    # The workspace of an arm is that of its tip, by its inverse kinematics, which only arms have.
    if not isinstance(found, Arm):
        if orientation is not None:
            raise InputError("--orientation is for arms; take --pose, numbers of all coordinates.")
        size = len(found.velocities)
        place = None if pose is None else numbers_of(pose, "--pose", size, angles=True)
        _mechanism(found, place, clearance, leg_diameter, tolerance, output, report, json)
    else:
        if pose is not None or clearance or leg_diameter:
            raise InputError("--pose, --clearance and --leg-diameter are not for arms.")
        turned = (
            None if orientation is None else numbers_of(orientation, "--orientation", 3, angles=True)
        )
        _arm(found, turned, tolerance, output, report, json)


def _mechanism(
    robot: Any,
    pose: Any,
    clearance: float,
    leg_diameter: float,
    tolerance: float | None,
    output: Path | None,
    report: Path | None,
    json: bool,
) -> None:
    from linkwork.analysis.workspace import workspace as find

    found = find(robot, pose, clearance=clearance, leg_diameter=leg_diameter, tolerance=tolerance)
    facts = _facts(found)
    if output is not None:
        put_data(_boundary(found), output)
    if report is not None:
        from linkwork.cli.pictures import this_command
        from linkwork.reports.workspace import workspace_report

        with _bar(report) as advance:
            workspace_report(found, this_command(), advance).save(report)
        say(f"wrote {report}")
    if json:
        print_json(facts)
    else:
        _show(facts, found.robot.angle_unit, stderr=False)


def _bar(report: Path) -> Any:
    from linkwork.progress import progress_bar

    return progress_bar(6, f"drawing {report.name}", None)


def _facts(found: Workspace) -> dict[str, Any]:
    from linkwork.analysis.workspace import KINDS

    region, axes = found.main, found.main_axes
    return {
        "robot": found.robot.name,
        "pose": found.pose,
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


def _boundary(found: Workspace) -> dict[str, Any]:
    import numpy as np

    from linkwork.analysis.workspace import KINDS

    region = found.main
    middle = region.boundary + region.edges / 2
    columns = dict(zip(found.main_axes, middle.T, strict=True))
    return {**columns, "ended_by": np.array(KINDS)[region.kinds]}


def _show(facts: dict[str, Any], angles: AngleUnit, stderr: bool) -> None:
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
    print_table(
        ("axis", "lowest", "ended by", "highest", "ended by ", "unit"),
        rows,
        title=f"{facts['robot']}: how far each coordinate goes from home, the others at home",
        left=("ended by", "ended by ", "unit"),
        stderr=stderr,
    )
    others = ", the others as given" if len(facts["axes"]) < len(rows) else ""
    to = sys.stderr if stderr else sys.stdout
    print(
        f"workspace in {', '.join(facts['axes'])}{others}: {number(facts['volume'])} {facts['unit']} "
        f"(between {number(low)} and {number(high)})",
        file=to,
    )
    if facts["tool_box"] is not None:
        from linkwork.reports.workspace import tool_in_words

        print(tool_in_words(facts["tool_box"]), file=to)


def _arm(
    robot: Robot,
    orientation: Any,
    tolerance: float | None,
    output: Path | None,
    report: Path | None,
    json: bool,
) -> None:
    from linkwork.analysis.arm_workspace import arm_workspace

    found = arm_workspace(robot, orientation, tolerance=tolerance)  # type: ignore[arg-type]
    if report is not None:
        from linkwork.cli.pictures import this_command
        from linkwork.reports.workspace import arm_workspace_report

        with _bar(report) as advance:
            arm_workspace_report(found, this_command(), advance).save(report)
        say(f"wrote {report}")
    axes, region = found.moving_axes, found.region
    unit = "m^3" if len(axes) == 3 else "m^2"
    if output is not None:
        middle = region.boundary + region.edges / 2
        put_data(dict(zip(axes, middle.T, strict=True)), output)
    low, high = region.extent
    if json:
        print_json(
            {
                "robot": robot.name,
                "radius": found.radius,
                "axes": axes,
                "content": region.content,
                "unit": unit,
                "content_bounds": region.bounds,
                "box": [low, high],
                "points": region.evaluations,
            }
        )
        return
    inside, outside = region.bounds
    print(f"{robot.name}: the tip reaches {number(region.content)} {unit} ", end="")
    print(f"(between {number(inside)} and {number(outside)}),")
    ranges = [f"{a} {number(x)} to {number(y)} m" for a, x, y in zip(axes, low, high, strict=True)]
    print(", ".join(ranges))
