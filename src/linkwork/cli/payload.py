"""linkwork payload: the load at a robot's tool from logs."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from linkwork.cli.arguments import AsJson, ReportFile, RobotName, numbers_of, robot_of
from linkwork.cli.identify import ColumnMap, columns_of
from linkwork.cli.output import check_files, print_json, print_table, put_report, say

if TYPE_CHECKING:
    from linkwork.model.urdf.chain import ChainSelection


def payload(
    robot: RobotName,
    logs: Annotated[
        list[str],
        typer.Argument(metavar="LOG", help="Log with the payload: time, positions and efforts."),
    ],
    unloaded: Annotated[
        list[str] | None,
        typer.Option("--unloaded", metavar="LOG", help="Log without the payload; repeatable."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Write the robot with the payload. Overwrites."
        ),
    ] = None,
    report: ReportFile = None,
    bandwidth: Annotated[
        float | None, typer.Option(metavar="HZ", help="Filter bandwidth; default: about 5.")
    ] = None,
    gains: Annotated[
        str | None,
        typer.Option(
            metavar="NUMBERS",
            help="Drive gains [N m/A] for logged currents: one, or one per drive; 'file': from its "
            "masses.",
        ),
    ] = None,
    gain_error: Annotated[
        float | None,
        typer.Option(
            metavar="SHARE",
            help="Standard deviation of the effort scale; default: 0.1 for currents, 0.05 for efforts.",
        ),
    ] = None,
    mass: Annotated[
        float | None,
        typer.Option(metavar="KG", help="Known payload mass: identifies the effort scales instead."),
    ] = None,
    confidence: Annotated[
        float, typer.Option(metavar="P", help="Confidence level of the intervals.")
    ] = 0.95,
    columns: ColumnMap = None,
    chain: ChainSelection | None = None,
    json: AsJson = False,
) -> None:
    """Identify mass, center of mass and inertia of the payload from logs.

    Logs without the payload (--unloaded) cancel most model errors. The confidence intervals cover noise,
    model errors and wrong effort scales; a payload of known mass (--mass) calibrates the scales.

    \b
    Examples:
      linkwork payload planar-2r planar-2r-loaded --unloaded planar-2r-log
      linkwork payload planar-2r planar-2r-loaded --mass 0.3 --report load.html
    """
    from linkwork.core.table_files import ending_of
    from linkwork.core.text import number
    from linkwork.identification.payload import QUANTITIES, UNITS, identify_payload
    from linkwork.model.robot_files import ENDINGS, write_robot
    from linkwork.reports.payload import gains_header, rows, scale_rows

    check_files(None, report, None)
    if output is not None:
        ending_of(output, ENDINGS)
    found = identify_payload(
        robot_of(robot, chain=chain),
        logs,
        unloaded=unloaded or (),
        bandwidth=bandwidth,
        gains="file" if gains == "file" else None if gains is None else numbers_of(gains, "--gains"),
        gain_error=gain_error,
        mass=mass,
        confidence=confidence,
        columns=columns_of(columns),
    )
    if output is not None:
        for left_out in write_robot(found.loaded, output):
            say(f"warning: {left_out}")
        say(f"wrote {output}")
    if report is not None:
        from linkwork.reports.payload import payload_report

        put_report(partial(payload_report, found), report)
    if json:
        print_json(
            {
                "robot": found.robot.name,
                "confidence": found.confidence,
                "quantities": [
                    {
                        "name": name,
                        "unit": unit,
                        "estimate": found.values[k],
                        "interval": found.interval[k],
                        "exact_gains": found.exact_gains[k],
                        "shown": bool(found.shown[k]),
                    }
                    for k, (name, unit) in enumerate(zip(QUANTITIES, UNITS, strict=True))
                ],
                "parameters": found.parameters,
                "gains": found.gains and vars(found.gains),
                "gain_error": found.gain_error,
                "scales": found.scales,
                "scales_interval": found.scales_interval,
                "bandwidth": found.bandwidth,
                "delay": found.delay._asdict(),
                "notes": found.notes,
            }
        )
        return
    texts = [[number(x) if isinstance(x, float) else str(x) for x in row] for row in rows(found)]
    headers = ("quantity", "estimate", "from", "to", "possible body", "exact gains", "unit")
    print_table(headers, texts, left=("quantity", "unit"))
    texts = [[number(x) if isinstance(x, float) else str(x) for x in row] for row in scale_rows(found)]
    print_table(
        (found.robot.actuated_element, "scale", "from", "to", *gains_header(found)),
        texts,
        left=(found.robot.actuated_element,),
    )
    print(found)
    for line in found.notes:
        say(f"note: {line}")
