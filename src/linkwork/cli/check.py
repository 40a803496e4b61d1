"""linkwork check: is this robot's file sound, and does everything computed from it agree?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from linkwork.cli.arguments import AsJson, RobotName, Strict, report_findings, robot_of
from linkwork.cli.output import print_json, say
from linkwork.cli.running import ExitStatus

if TYPE_CHECKING:
    from linkwork.model.urdf.chain import ChainSelection


def check(
    robot: RobotName,
    states: Annotated[int, typer.Option(min=1, help="Number of random states.")] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="Random seed.")] = 0,
    chain: ChainSelection | None = None,
    strict: Strict = False,
    json: AsJson = False,
) -> None:
    """Validate a robot file and verify that all formulations of its dynamics agree.

    Suspicious values are reported too (degrees, millimeters, grams; --strict makes them errors). Exits
    with status 1 if the file has errors or results disagree.

    \b
    Example:
      linkwork check planar-2r
    """
    from linkwork.analysis.agreement import verify as agreement_of
    from linkwork.core.errors import RobotFileError
    from linkwork.model.findings import lint

    try:
        found = robot_of(robot, chain=chain)
        judged = lint(robot, chain)
    except RobotFileError as error:
        if json:
            print_json({"source": error.source, "ok": False, "faults": error.faults})
        else:
            say(f"error: {error}")
        raise typer.Exit(ExitStatus.FAULT_FOUND) from None
    agreement = agreement_of(found, states, seed, progress=None)
    if json:
        shown = {"faults": [], "findings": [str(finding) for finding in judged]}
        print_json({"ok": agreement.ok, **shown, **agreement.data})
    else:
        print(agreement)
    report_findings(judged, strict)
    if not agreement.ok:
        raise typer.Exit(ExitStatus.FAULT_FOUND)
