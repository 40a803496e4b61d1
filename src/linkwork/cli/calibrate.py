"""linkwork calibrate: where joints, axes and zeros really are, from measured poses of the tool."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from linkwork.cli.arguments import AsJson, ReportFile, RobotName, Strict, robot_of
from linkwork.cli.identify import ColumnMap, columns_of
from linkwork.cli.output import check_files, print_json, print_table, put_report, say

if TYPE_CHECKING:
    from linkwork.identification.calibrate import Calibration
    from linkwork.model.urdf.chain import ChainSelection


def calibrate(
    robot: RobotName,
    measured: Annotated[
        Path,
        typer.Argument(help="Motor positions and measured tool poses (.csv)."),
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Write the calibrated robot (.yaml). Overwrites."
        ),
    ] = None,
    unknown_frame: Annotated[
        bool,
        typer.Option(
            "--unknown-frame", help="Identify the measurement frame: poses are not in base axes."
        ),
    ] = False,
    confidence: Annotated[
        float, typer.Option(metavar="P", help="Confidence level of the intervals.")
    ] = 0.95,
    columns: ColumnMap = None,
    chain: ChainSelection | None = None,
    strict: Strict = False,
    report: ReportFile = None,
    json: AsJson = False,
) -> None:
    """Calibrate the geometry of a robot from measured tool poses.

    Columns are the motor positions (as in motion files), x, y, z and, if measured, roll,
    pitch, yaw or qw, qx, qy, qz of the tool, in base axes.

    \b
    Examples:
      linkwork calibrate ur5 measured.csv -o calibrated.yaml
      linkwork calibrate ur5 measured.csv --unknown-frame --report found.html
    """
    from linkwork.core.table_files import ending_of
    from linkwork.identification.calibrate import calibrate as fit
    from linkwork.model.robot_files import write_robot

    check_files(None, report, None)
    if output is not None:
        ending_of(output, (".yaml", ".yml"))
    found = fit(
        robot_of(robot, chain=chain, strict=strict),
        measured,
        frame=unknown_frame,
        columns=columns_of(columns),
        confidence=confidence,
    )
    if output is not None:
        for left_out in write_robot(found.calibrated, output):
            say(f"warning: {left_out}")
        say(f"wrote {output}")
    if report is not None:
        from linkwork.reports.calibration import calibration_report

        put_report(partial(calibration_report, found), report)
    if json:
        print_json(_facts(found))
    else:
        _show(found, unknown_frame)


def _facts(found: Calibration) -> dict[str, object]:
    from linkwork.identification.calibrate import rms

    return {
        "robot": found.robot.name,
        "poses": len(found.measured),
        "confidence": found.confidence,
        "combinations": [
            {
                "name": name,
                "unit": found.units[k],
                "estimate": found.values[k],
                "standard_deviation": found.deviation[k],
                "interval": found.interval[k],
            }
            for k, name in enumerate(found.names)
        ],
        "deviations": {
            each.name: {"told": found.shown[each.name], "unit": each.unit} for each in found.deviations
        },
        "singular_values": found.singular_values,
        "noise": found.noise._asdict(),
        "position_error": {
            "file": rms(found.before[:, :3]),
            "calibrated": rms(found.after[:, :3]),
            "left_out": rms(found.left_out[:, :3]),
        },
        "frame": found.frame,
    }


def _show(found: Calibration, frame: bool) -> None:
    from linkwork.core.text import numbers
    from linkwork.reports.calibration import combination_rows, error_rows, untold

    print_table(*error_rows(found), left=("error of the tool",))
    print_table(*combination_rows(found), left=("deviation", "unit"))
    print(found)
    if frame:
        print(f"frame of measurement in base axes: {numbers(found.frame, 6, ', ')}")
    for line in untold(found):
        say(f"note: {line}")
