"""linkwork bandwidth: how a controlled robot follows small sines, over frequency and workspace."""

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
    numbers_of,
    robot_of,
)
from linkwork.cli.output import check_files, print_json, print_table, put_data, put_report
from linkwork.cli.running import FaultFound
from linkwork.cli.simulate import ControllerOptions, controller_names, controller_of, loop_of
from linkwork.core.errors import InputError
from linkwork.core.text import number

if TYPE_CHECKING:
    from linkwork.analysis.frequency_response import FrequencyResponse
    from linkwork.core.table_files import Columns
    from linkwork.model.urdf.chain import ChainSelection
    from linkwork.robot.robot import Array


def bandwidth(
    robot: RobotName,
    controller: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            autocompletion=controller_names,
            help="computed-torque (arms), task-space (others) or gravity-compensation.",
        ),
    ] = None,
    kp: Annotated[
        str | None, typer.Option(metavar="GAINS", help="One number, or one per actuator.")
    ] = None,
    kv: Annotated[
        str | None, typer.Option(metavar="GAINS", help="One number, or one per actuator.")
    ] = None,
    period: Annotated[
        float | None,
        typer.Option("--controller-period", metavar="S", help="Controller period (0: continuous)."),
    ] = None,
    loop: Annotated[
        str | None,
        typer.Option(
            metavar="LOOP", help="Settings such as delay=0.002,latency=1e-4,velocity=differenced."
        ),
    ] = None,
    flexible: Annotated[
        bool,
        typer.Option("--flexible", help="Flexible drives, with the stiffness of the robot file."),
    ] = False,
    stiffness: Annotated[
        str | None,
        typer.Option(
            metavar="NUMBERS", help="Drive stiffness instead [N/m or N m/rad]: one, or one per drive."
        ),
    ] = None,
    damping_ratio: Annotated[
        float, typer.Option(metavar="NUMBER", help="Damping ratio of the lowest mode, motors locked.")
    ] = 0.02,
    load_measured: Annotated[
        bool, typer.Option("--load-measured", help="Sensors measure the load side, not the motors.")
    ] = False,
    positions_only: Annotated[
        bool,
        typer.Option(
            "--positions-only", help="Position command only, without velocity and acceleration."
        ),
    ] = False,
    region: Annotated[
        Path | None,
        typer.Option("--region", metavar="FILE", help="Region file (.yaml), as for linkwork certify."),
    ] = None,
    count: Annotated[
        int, typer.Option(metavar="NUMBER", min=1, help="Number of positions in the region.")
    ] = 32,
    chain: ChainSelection | None = None,
    strict: Strict = False,
    output: OutputFile = None,
    report: ReportFile = None,
    json: AsJson = False,
) -> None:
    """Frequency response in closed loop: amplitude, phase, cross-talk, bandwidth (-3 dB, 90 deg).

    Linearized, with sampling, delay and flexible drives. Exits with status 1 if a loop is unstable.

    \b
    Examples:
      linkwork bandwidth simona --kp 2500 --kv 100 --report bode.html
      linkwork bandwidth puma560 --kp 400 --kv 40 --stiffness 2e4 --positions-only
      linkwork bandwidth simona --kp 900 --kv 60 --region region.yaml -o bode.csv
    """
    from linkwork.analysis.frequency_response import frequency_response
    from linkwork.certification.region import positions_in
    from linkwork.control.controllers import LawController
    from linkwork.motion.excursions import at_rest

    check_files(output, report, None)
    found = robot_of(robot, chain=chain, strict=strict)
    options = ControllerOptions(controller, kp, kv, period)
    law = controller_of(found, at_rest(found), options)
    if not isinstance(law, LawController):
        raise InputError(f"--controller {controller}: linkwork bandwidth takes laws that are fixed.")
    response = frequency_response(
        found,
        law,
        positions_in(found, region, count),
        loop=loop_of(loop),
        flexible=flexible,
        stiffness=None if stiffness is None else numbers_of(stiffness, "--stiffness", 1, found.n),
        damping_ratio=damping_ratio,
        sensors="load" if load_measured else "motors",
        feedforward=not positions_only,
    )
    if output is not None:
        put_data(_columns(response), output)
    if report is not None:
        from linkwork.reports.frequency_response import bandwidth_report

        put_report(partial(bandwidth_report, response), report)
    rows = axis_rows(response)
    if json:
        facts = {
            "robot": found.name,
            "poses": len(response.poses),
            "stable": bool(response.stable.all()),
        }
        print_json({**facts, "axes": rows, "assumptions": response.assumptions})
    else:
        _show(response, rows)
    if not response.stable.all():
        bad = int((~response.stable).sum())
        raise FaultFound(f"the loop is unstable at {bad} of {len(response.poses)} positions.")


def axis_rows(found: FrequencyResponse) -> list[dict[str, object]]:
    """What is told of every axis: at the first position, and the worst of all."""
    import numpy as np

    rows: list[dict[str, object]] = []
    for k, axis in enumerate(found.axes):
        worst = int(found.worst[k])
        rows.append(
            {
                "axis": axis,
                "bandwidth": float(found.bandwidth[0, k]),
                "phase_limit": float(found.phase_limit[0, k]),
                "peak": float(found.peak[0, k]),
                "cross_talk": float(found.cross_talk[0, k]),
                "least_bandwidth": float(found.bandwidth[worst, k]),
                "least_bandwidth_at": found.poses[worst],
                "least_phase_limit": float(np.fmin.reduce(found.phase_limit[:, k])),
                "greatest_peak": float(found.peak[:, k].max()),
                "greatest_cross_talk": float(found.cross_talk[:, k].max()),
            }
        )
    return rows


def _columns(found: FrequencyResponse) -> Columns:
    """At the first position."""
    import numpy as np

    columns: dict[str, Array] = {"frequency [Hz]": found.frequencies}
    for k, axis in enumerate(found.axes):
        columns |= {f"{axis} amplitude": found.amplitude[0, :, k]}
        columns |= {f"{axis} phase [deg]": np.degrees(found.phase[0, :, k])}
    for j, commanded in enumerate(found.axes):
        for k, axis in enumerate(found.axes):
            if j != k:
                unit = (
                    "" if found.units[j] == found.units[k] else f" [{found.units[k]}/{found.units[j]}]"
                )
                columns |= {f"{axis} per {commanded}{unit}": np.abs(found.response[0, :, k, j])}
    return columns


def _show(found: FrequencyResponse, rows: list[dict[str, object]]) -> None:
    top = f"> {number(float(found.frequencies[-1]), 3)}"

    def hertz(value: object) -> str:
        text = number(value if isinstance(value, float) else None)
        return top if text == "-" else text

    several = len(found.poses) > 1
    head = ["axis", "-3 dB [Hz]", "90 deg [Hz]", "peak", "cross-talk"]
    head += ["least -3 dB [Hz]", "least 90 deg [Hz]"] if several else []
    cells = []
    for row in rows:
        own = [str(row["axis"]), hertz(row["bandwidth"]), hertz(row["phase_limit"])]
        own += [number(round(row[name], 9), 3) for name in ("peak", "cross_talk")]  # type: ignore[call-overload]
        cells.append(
            own + ([hertz(row[f"least_{n}"]) for n in ("bandwidth", "phase_limit")] if several else [])
        )
    where = f" and the worst of {len(found.poses)} positions" if several else ""
    print_table(head, cells, title=f"{found.robot.name}: small sines about rest at home{where}")
    print_table(("loop", "as analyzed"), list(found.assumptions.items()), left=("as analyzed",))
