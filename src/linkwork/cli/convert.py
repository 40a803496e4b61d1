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
        Path, typer.Argument(metavar="OUT", help="Output file: .yaml, or .urdf for arms. Overwrites.")
    ],
    chain: ChainSelection | None = None,
    motor: Annotated[
        list[str] | None,
        typer.Option(
            "--motor",
            metavar="NAME=JOINTS",
            help="Motor that drives several joints, with ratios: m6=joint5,joint6:-2.",
        ),
    ] = None,
    json: AsJson = False,
) -> None:
    """Convert a robot to YAML or URDF; lists what URDF cannot express.

    YAML to YAML normalizes a file: SI units, radians, full precision. With --motor the result is a
    mechanism whose motors carry the rotors and friction that `linkwork identify` identifies.

    \b
    Examples:
      linkwork convert puma560 puma560.urdf
      linkwork convert tx40.urdf tx40.yaml --motor m6=joint5,joint6
    """
    from linkwork.core.table_files import ending_of
    from linkwork.model.robot_files import ENDINGS, load_model, write_robot

    ending_of(output, ENDINGS)
    model = load_model(robot, chain)
    if motor:
        from linkwork.robot.loading import robot_of as robot_from

        model = robot_from(model).with_motors(dict(map(_motor, motor))).model
    left_out = write_robot(model, output)
    for doubt in left_out:
        say(f"warning: {doubt}")
    if json:
        print_json({"robot": model.name, "output": str(output), "left_out": left_out})
    else:
        say(f"wrote {output}")


def _motor(text: str) -> tuple[str, dict[str, float]]:
    """Name and ratios of `m6=joint5,joint6:-2`."""
    from linkwork.core.errors import InputError

    name, _, terms = text.partition("=")
    ratios = {}
    try:
        for term in terms.split(","):
            joint, _, ratio = term.partition(":")
            ratios[joint.strip()] = float(ratio or 1)
    except ValueError:
        ratios = {}
    if not name.strip() or not ratios or not all(ratios):
        raise InputError(
            f"--motor {text}: expected a name and joints, with ratios if they are not 1, such as "
            "m6=joint5,joint6:-2."
        )
    return name.strip(), ratios
