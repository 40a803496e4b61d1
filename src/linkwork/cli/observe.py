"""linkwork observe: what acts on a robot from outside, along logs; collisions."""

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


def observe(
    robot: RobotName,
    logs: Annotated[
        list[str], typer.Argument(metavar="LOG", help="Log with time, positions and efforts.")
    ],
    free: Annotated[
        list[str] | None,
        typer.Option(
            "--free",
            metavar="LOG",
            help="Contact-free log for the thresholds; default: the logs themselves.",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Write residuals and wrenches of the first log. Overwrites.",
        ),
    ] = None,
    report: ReportFile = None,
    bandwidth: Annotated[
        float, typer.Option(metavar="HZ", help="Observer bandwidth; higher is faster.")
    ] = 10.0,
    order: Annotated[int, typer.Option(help="Order of its low-pass filter.")] = 2,
    moments: Annotated[
        bool, typer.Option("--moments/--no-moments", help="Estimate moments at the tool too.")
    ] = True,
    false_alarms: Annotated[
        float, typer.Option(metavar="NUMBER", help="Allowed false alarms per hour.")
    ] = 1.0,
    push: Annotated[
        str | None,
        typer.Option(metavar="FORCES", help="Simulated pushes on the tool [N], such as 20,50,100."),
    ] = None,
    gains: Annotated[
        str | None,
        typer.Option(
            metavar="NUMBERS", help="Drive gains [N m/A] if logs have currents: one, or one per drive."
        ),
    ] = None,
    columns: ColumnMap = None,
    chain: ChainSelection | None = None,
    json: AsJson = False,
) -> None:
    """Estimate external forces from logs; collision thresholds, false alarms, detection delay.

    A momentum observer estimates external forces. Logs of free motion give a threshold for every
    coordinate; simulated pushes added to them tell how soon a collision is detected.

    \b
    Examples:
      linkwork observe planar-2r planar-2r-log
      linkwork observe planar-2r planar-2r-new --free planar-2r-log --push 5,20
    """
    from linkwork.core.table_files import ending_of
    from linkwork.core.text import number
    from linkwork.identification.observe import observe as observe_logs
    from linkwork.identification.observe import write_observed

    check_files(None, report, None)
    if output is not None:
        ending_of(output)
    found = observe_logs(
        robot_of(robot, chain=chain),
        logs,
        free=free or (),
        bandwidth=bandwidth,
        order=order,
        moments=moments,
        false_alarms=false_alarms,
        pushes=None if push is None else numbers_of(push, "--push"),
        gains=None if gains is None else numbers_of(gains, "--gains"),
        columns=columns_of(columns),
    )
    if output is not None:
        write_observed(found, found.logs[0], output)
        say(f"wrote {output}")
    if report is not None:
        from linkwork.reports.observe import observation_report

        put_report(partial(observation_report, found), report)
    names = found.robot.velocities.names
    if json:
        print_json(
            {
                "robot": found.robot.name,
                "bandwidth": found.observer.bandwidth,
                "order": found.observer.order,
                "coordinates": [
                    {"name": name, "threshold": found.thresholds[k], "largest": found.largest[k]}
                    for k, name in enumerate(names)
                ],
                "logs": [
                    {"log": log.source, "free": log.free, "hours": log.hours, "alarms": log.alarms}
                    for log in found.logs
                ],
                "false_alarms_allowed": found.false_alarms,
                "held_back": {
                    "alarms": found.held_back,
                    "hours": found.held_back_hours,
                    "per_hour_at_most": found.bound,
                },
                "pushes": [push._asdict() for push in found.pushes],
                "gains": found.gains and vars(found.gains),
                "notes": found.notes,
            }
        )
        return
    from linkwork.reports.observe import log_rows, push_rows, threshold_rows

    for header, table in (
        (("coordinate", "threshold", "largest free", "unit"), threshold_rows(found)),
        (("log", "minutes", "thresholds from it", "alarms", "first alarm [s]"), log_rows(found)),
        (("push [N]", "detected [%]", "half within [ms]", "95 % within [ms]"), push_rows(found)),
    ):
        texts = [[number(x, 4) if isinstance(x, float) else str(x) for x in row] for row in table]
        print_table(header, texts, left=("coordinate", "unit", "log", "thresholds from it"))
    print(found)
    for line in found.notes:
        say(f"note: {line}")
