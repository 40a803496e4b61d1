"""linkwork convert: robot files from one format to another."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from linkwork.cli.arguments import AsJson, RobotName
from linkwork.cli.output import print_json, say

if TYPE_CHECKING:
    from linkwork.model.urdf.chain import ChainSelection


def convert(
    robot: RobotName,
    output: Annotated[
        Path, typer.Argument(metavar="OUT", help="The file to write: .yaml or .urdf (arms). Replaced.")
    ],
    chain: ChainSelection | None = None,
    json: AsJson = False,
) -> None:
    """Write a robot as YAML or URDF; what a URDF cannot say is listed.

    YAML to YAML brings a file into normal form: SI units, radians, every number with all its digits.

    \b
    Example:
      linkwork convert puma560 puma560.urdf
    """
    from linkwork.core.table_files import ending_of
    from linkwork.model.robot_files import ENDINGS, load_model, write_robot

    ending_of(output, ENDINGS)
    model = load_model(robot, chain)
    left_out = write_robot(model, output)
    for doubt in left_out:
        say(f"warning: {doubt}")
    if json:
        print_json({"robot": model.name, "output": str(output), "left_out": left_out})
    else:
        say(f"wrote {output}")
