"""linkwork time: the fastest motion along a path."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from linkwork.cli.arguments import (
    AsJson,
    Friction,
    MotionName,
    Payload,
    Period,
    ReportFile,
    RobotName,
    Strict,
    loaded,
    motion_of,
    numbers_of,
    robot_of,
)
from linkwork.cli.output import check_files, print_json, print_table, put_report, say
from linkwork.core.text import number

if TYPE_CHECKING:
    from linkwork.robot.robot import Array

ALL = "one number or one per motor; the robot file's if left out."


def time(
    robot: RobotName,
    motion: MotionName,
    velocity: Annotated[
        str | None, typer.Option(metavar="NUMBERS", help=f"Greatest velocities: {ALL}")
    ] = None,
    acceleration: Annotated[
        str | None,
        typer.Option(metavar="NUMBERS", help="Greatest accelerations; unbounded if left out."),
    ] = None,
    effort: Annotated[
        str | None, typer.Option(metavar="NUMBERS", help=f"Greatest torques and forces: {ALL}")
    ] = None,
    payload: Payload = None,
    friction: Friction = True,
    strict: Strict = False,
    period: Period = 0.01,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Write the motion there: .csv or .npz."),
    ] = None,
    report: ReportFile = None,
    json: AsJson = False,
) -> None:
    """The shortest time along the path of a motion, whose own timing is left aside.

    Limits are those of the motors, friction included; they hold between samples too.

    \b
    Examples:
      linkwork time ur5 -m home-quintic -o fast.csv
      linkwork time dasgupta1998 -m dasgupta-I --velocity 2 --effort 3000
    """
    import numpy as np

    from linkwork.analysis.study import study
    from linkwork.motion import time_optimal, write_motion
    from linkwork.motion.path_limits import shares_along

    check_files(output, report, None)
    found = loaded(robot_of(robot, friction=friction, strict=strict), payload)
    path = motion_of(found, motion, strict)
    bounds = (
        _given(velocity, "--velocity"),
        _given(acceleration, "--acceleration"),
        _given(effort, "--effort"),
    )
    fast = time_optimal(found, path, *bounds)
    shares = shares_along(found, fast, *bounds)
    near = {kind: (part > NEAR).mean(axis=0) for kind, part in shares.items()}
    limited = sorted(
        (
            (float(part[k]), kind, name)
            for kind, part in near.items()
            for k, name in enumerate(found.efforts.names)
            if part[k] > 0
        ),
        reverse=True,
    )
    if output is not None:
        write_motion(fast, output, period)
        say(f"wrote {output}")
    if report is not None:
        from linkwork.reports.inverse import inverse_report

        times, states = fast.sample(min(period, fast.duration / 400))
        name = f"the path of {motion} as fast as limits allow"
        put_report(partial(inverse_report, study(found, name, times, states)), report)
    facts = {
        "robot": found.name,
        "motion": motion,
        "duration": fast.duration,
        "before": path.duration,
        "limited_by": [{"limit": kind, "name": name, "share": share} for share, kind, name in limited],
        "greatest_share": float(np.max([part.max() for part in shares.values()])),
    }
    if json:
        print_json(facts)
        return
    before = f"{number(fast.duration)} s, before {number(path.duration)} s"
    print_table(
        ("limit", "of", "share of the time"),
        [(kind, name, f"{number(100 * share, 3)} %") for share, kind, name in limited],
        title=f"{found.name} along {motion}: {before}; what limits it",
        left=("limit", "of"),
    )


NEAR = 0.995  # of a limit: used


def _given(text: str | None, option: str) -> Array | None:
    """One number for all, or one each."""
    if text is None:
        return None
    values = numbers_of(text, option)
    return values[0] if len(values) == 1 else values
