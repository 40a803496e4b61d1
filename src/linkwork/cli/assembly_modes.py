"""linkwork assembly-modes: all poses of a platform with the same leg lengths."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from linkwork.cli.arguments import (
    AsJson,
    OutputFile,
    PlotFile,
    ReportFile,
    RobotName,
    judge_angles,
    numbers_of,
)
from linkwork.cli.output import check_files, print_json, print_table, put_data, put_plot, put_report
from linkwork.core.errors import InputError
from linkwork.core.text import number, numbers, shown_unit

if TYPE_CHECKING:
    from linkwork.kinematics.assembly_modes import AssemblyModes
    from linkwork.robot.robot import Array


def assembly_modes(
    robot: RobotName,
    pose: Annotated[
        str | None,
        typer.Option(
            metavar="NUMBERS",
            help="Pose that defines the lengths: x,y,z,roll,pitch,yaw or x,y,z,qw,qx,qy,qz (default: "
            "home).",
        ),
    ] = None,
    lengths: Annotated[
        str | None, typer.Option(metavar="NUMBERS", help="Six leg lengths [m] instead of a pose.")
    ] = None,
    leg_diameter: Annotated[
        float | None,
        typer.Option(
            metavar="M", help="Leg diameter for the collision check (default: inferred from inertia)."
        ),
    ] = None,
    output: OutputFile = None,
    report: ReportFile = None,
    plot: PlotFile = None,
    json: AsJson = False,
) -> None:
    """Assembly modes of a Stewart platform: all poses with the same leg lengths, up to 40.

    Lists condition number, limits and leg collisions of each, and whether the list is proven to be
    complete. A report shows them side by side.

    \b
    Examples:
      linkwork assembly-modes simona --report modes.html
      linkwork assembly-modes dasgupta1998 --pose 0.1,0,0.6,0,0,20deg
    """
    from linkwork.robot.loading import load
    from linkwork.robot.platform import Platform

    check_files(output, report, plot)
    if pose is not None and lengths is not None:
        raise InputError("assembly-modes takes either --pose or --lengths.")
    # All assembly modes are found and counted for Stewart platforms only.
    platform = Platform.expect(load(robot), "linkwork assembly-modes")
    if lengths is None:
        at = platform.home
        if pose is not None:
            at = numbers_of(pose, "--pose", 6, 7, angles=True)
            judge_angles(platform, at, pose, "--pose")
        wanted = platform.leg_lengths(at)
    else:
        wanted = numbers_of(lengths, "--lengths", 6)
    found = platform.assembly_modes(wanted, leg_diameter=leg_diameter)
    if output is not None:
        put_data(_columns(found), output)
    if plot is not None or report is not None:
        from linkwork.reports.assembly_modes import modes_figure, modes_report

        if plot is not None:
            put_plot(modes_figure(found), plot)
        if report is not None:
            put_report(partial(modes_report, found), report)
    if json:
        print_json(
            {
                "robot": platform.name,
                "lengths": found.lengths,
                "complete": found.complete,
                "solutions": found.solutions,
                "reason": found.reason,
                "leg_diameter": found.leg_diameter,
                **({} if output else {"poses": _columns(found)}),
            }
        )
        return
    _show(found)


def _columns(found: AssemblyModes) -> dict[str, Array]:
    from linkwork.robot.coordinates import POSE

    return {
        **dict(zip(POSE.names, found.poses.T, strict=True)),
        "condition": found.condition,
        "side": found.side,
        "within_limits": found.within_limits.astype(int),
        "leg_distance": found.leg_distance,
        "legs_cross": found.legs_cross.astype(int),
        "multiplicity": found.multiplicity,
    }


def _show(found: AssemblyModes) -> None:
    print(f"{found.platform.name}: {len(found.poses)} poses with leg lengths {numbers(found.lengths)} m")
    print(f"{found.reason}\n")
    factor, unit = shown_unit("rad", found.platform.angle_unit)
    angles = factor * found.angles
    places = ("x [m]", "y", "z", f"roll [{unit}]", "pitch", "yaw")
    print_table(
        ("pose", *places, "condition", "limits", "legs", " "),
        [
            (
                str(k + 1),
                *(number(float(value), scale=1.0) for value in place[:3]),
                *(number(float(value), scale=2 * factor) for value in angles[k]),
                number(float(found.condition[k]), 3),
                "kept" if found.within_limits[k] else "broken",
                "cross" if found.legs_cross[k] else "free",
                "singular" if found.multiplicity[k] > 1 else "",
            )
            for k, place in enumerate(found.poses)
        ],
        left=("limits", "legs", " "),
    )
