"""linkwork tolerances: errors of the tool from tolerances of the parts, yield, worst machines."""

from __future__ import annotations

from functools import partial
from pathlib import Path
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
from linkwork.cli.output import check_files, print_json, print_table, put_data, put_report, say
from linkwork.core.errors import InputError
from linkwork.core.text import number, shown

if TYPE_CHECKING:
    from linkwork.analysis.tolerances import Tolerances
    from linkwork.core.table_files import Columns
    from linkwork.model.urdf.chain import ChainSelection
    from linkwork.robot.robot import Array, Robot

WORST = 5


def tolerances(
    robot: RobotName,
    file: Annotated[
        Path,
        typer.Argument(metavar="TOLERANCES", help="Tolerances of the parts (.yaml)."),
    ],
    pose: Annotated[
        str | None,
        typer.Option(metavar="NUMBERS", help="Pose instead of home, such as 0,0,2.2,10deg,0,0."),
    ] = None,
    region: Annotated[
        Path | None,
        typer.Option("--region", metavar="FILE", help="Region file (.yaml), as for linkwork certify."),
    ] = None,
    count: Annotated[
        int, typer.Option(metavar="NUMBER", min=1, help="Number of positions in the region.")
    ] = 16,
    samples: Annotated[
        int, typer.Option(metavar="NUMBER", min=2, help="Number of random machines.")
    ] = 2000,
    seed: Annotated[int, typer.Option(metavar="NUMBER", min=0, help="Random seed.")] = 0,
    worst: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the worst machine as a robot file (.yaml)."),
    ] = None,
    chain: ChainSelection | None = None,
    strict: Strict = False,
    output: OutputFile = None,
    report: ReportFile = None,
    json: AsJson = False,
) -> None:
    """Pose errors of the tool from manufacturing tolerances, and the yield.

    By exact derivatives, and by Monte Carlo: random machines that are each assembled and solved. The
    output file has a row for every machine.

    \b
    Examples:
      linkwork tolerances simona tolerances.yaml --report accuracy.html
      linkwork tolerances simona tolerances.yaml --pose 0,0.1,2.4,0,5deg,0
      linkwork tolerances simona tolerances.yaml --region region.yaml -o all.csv
    """
    from linkwork.analysis.tolerances import tolerances as analyze
    from linkwork.certification.region import positions_in
    from linkwork.core.table_files import ending_of
    from linkwork.model.robot_files import write_robot

    check_files(output, report, None)
    if worst is not None:
        ending_of(worst, (".yaml", ".yml"))
    found = robot_of(robot, chain=chain, strict=strict)
    if pose is not None and region is not None:
        raise InputError("--pose and --region: give one of them.")
    at = positions_in(found, region, count) if pose is None else _pose(found, pose, strict)
    result = analyze(found, file, at, samples=samples, seed=seed)
    if output is not None:
        put_data(_machines(result), output)
    if worst is not None:
        for left_out in write_robot(result.variant(int(result.worst[0])), worst):
            say(f"warning: {left_out}")
        say(f"wrote {worst}")
    if report is not None:
        from linkwork.reports.tolerances import tolerances_report

        put_report(partial(tolerances_report, result), report)
    if json:
        print_json(_facts(result))
    else:
        _show(result)


def _pose(robot: Robot, text: str, strict: bool) -> Array:
    values = numbers_of(text, "--pose", len(robot.velocities), angles=True)
    judge_angles(robot, values, text, "--pose", strict)
    return robot.coordinates.from_angles(values[None])


def _machines(found: Tolerances) -> Columns:
    import numpy as np

    columns: dict[str, Array] = {"machine": np.arange(len(found.values), dtype=np.float64)}
    columns |= {
        f"{source.name} [{source.unit}]": found.values[:, k] for k, source in enumerate(found.sources)
    }
    columns |= {"position_error [m]": found.position_error.max(axis=1)}
    columns |= {"angle_error [rad]": found.angle_error.max(axis=1)}
    if found.accurate is not None:
        columns |= {"accurate": found.accurate.astype(np.float64)}
    return columns


def _facts(found: Tolerances) -> dict[str, object]:
    from linkwork.analysis.tolerances import AXES

    distance, angle = found.quantile(0.95)
    return {
        "robot": found.robot.name,
        "machines": len(found.values),
        "accuracy": None if found.accuracy is None else vars(found.accuracy),
        "yield": found.yield_share,
        "yield_interval": found.yield_interval,
        "poses": [
            {
                "pose": found.poses[k],
                "mean": dict(zip(AXES, found.mean[k], strict=True)),
                "standard_deviation": dict(zip(AXES, found.standard_deviation[k], strict=True)),
                "sampled_mean": dict(zip(AXES, found.sampled_mean[k], strict=True)),
                "sampled_deviation": dict(zip(AXES, found.sampled_deviation[k], strict=True)),
                "worst_case": dict(zip(AXES, found.worst_case[k], strict=True)),
                "position_error_95": distance[k],
                "angle_error_95": angle[k],
            }
            for k in range(len(found.poses))
        ],
        "worst_pose": found.worst_pose,
        "contributions": {
            source.name: found.contributions(found.worst_pose)[k]
            for k, source in enumerate(found.sources)
        },
        "worst": [
            {
                "machine": int(k),
                "pose": found.worst_at(k),
                "position_error": found.position_error[k, found.worst_at(k)],
                "angle_error": found.angle_error[k, found.worst_at(k)],
                "values": {s.name: found.values[k, j] for j, s in enumerate(found.sources)},
            }
            for k in found.worst[:WORST].tolist()
        ],
    }


def _show(found: Tolerances) -> None:
    from linkwork.reports.tables import position_words
    from linkwork.reports.tolerances import axis_rows, contribution_rows, worst_rows

    angles = found.robot.angle_unit
    for k in dict.fromkeys((0, found.worst_pose)):
        where = position_words(found.robot, found.poses[k])
        worst = ", the worst position" if len(found.poses) > 1 and k == found.worst_pose else ""
        head, rows = axis_rows(found, k)
        print_table(head, rows, title=f"{found.robot.name}: error of the tool at {where}{worst}")
    distance, angle = (each[found.worst_pose] for each in found.quantile(0.95))
    print(
        f"95 % of {len(found.values)} machines keep {shown(float(distance), 'm')} and "
        f"{shown(float(angle), 'rad', angles)}"
    )
    if found.yield_share is not None and found.yield_interval is not None:
        low, high = (number(100 * each, 3) for each in found.yield_interval)
        print(
            f"yield: {number(100 * found.yield_share, 3)} % keep the accuracy at all positions (95 % "
            f"interval {low} to {high} %)"
        )
    print()
    print_table(*contribution_rows(found, 8), left=("source",), title="What the errors come from")
    print_table(*worst_rows(found, WORST), left=("greatest deviations",), title="The worst machines")
    lost = int((~(found.position_error < float("inf"))).any(axis=1).sum())
    if lost:
        say(f"warning: {lost} machines cannot be put together; they count as not accurate")
