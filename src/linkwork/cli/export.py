"""linkwork export: a robot for other tools."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from linkwork.cli.arguments import FOLDER, AsJson, Force, RobotIfAny, starting
from linkwork.cli.output import print_json, print_table, say

if TYPE_CHECKING:
    from linkwork.model.urdf.chain import ChainSelection


def _target_names(incomplete: str) -> list[str]:
    from linkwork.exports.export_robot import TARGETS

    return starting(TARGETS, incomplete)


def export(
    robot: RobotIfAny = None,
    to: Annotated[
        str | None,
        typer.Option("--to", metavar="TARGET", help="Target; see --list.", autocompletion=_target_names),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="One file with the target's extension: .fmu, .xml, .urdf.",
        ),
    ] = None,
    directory: Annotated[
        Path | None, typer.Option(*FOLDER, metavar="FOLDER", help="New or empty folder.")
    ] = None,
    method: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Method to export; repeatable."),
    ] = None,
    option: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KEY=VALUE",
            help="Option of method or target, such as gravity=input or friction=no.",
        ),
    ] = None,
    single: Annotated[bool, typer.Option("--single", help="Single precision C.")] = False,
    libm: Annotated[bool, typer.Option("--libm", help="C: use sin and cos of math.h.")] = False,
    cmake: Annotated[bool, typer.Option("--cmake", help="C: add a CMakeLists.txt.")] = False,
    arduino: Annotated[bool, typer.Option("--arduino", help="C: make an Arduino library.")] = False,
    name: Annotated[str | None, typer.Option(metavar="NAME", help="Prefix of exported names.")] = None,
    chain: ChainSelection | None = None,
    force: Force = False,
    list_targets: Annotated[bool, typer.Option("--list", help="List the targets.")] = False,
    json: AsJson = False,
) -> None:
    """Export a robot to another tool, with test data for verification.

    Methods are those of the API; also control laws (computed_torque, gravity_compensation for arms,
    task_space_control for platforms and parallel robots) and observers (momentum_observer,
    payload_observer).

    \b
    Examples:
      linkwork export ur5 --to c --method inverse_dynamics -d ur5_c
      linkwork export ur5 --to mjcf -o ur5.xml
    """
    from linkwork.cli.arguments import robot_of
    from linkwork.core.errors import InputError
    from linkwork.exports import export as write

    if list_targets:
        _list(json)
        return
    place = directory or output
    if robot is None or to is None or place is None or (directory and output):
        raise InputError(
            "export expects a robot, --to TARGET, and -d FOLDER or -o FILE; --list shows the targets."
        )
    flags = {"single": single, "libm": libm, "cmake": cmake, "arduino": arduino}
    options = {**_options(option or []), **{key: True for key, on in flags.items() if on}}
    found = write(
        robot_of(robot, chain=chain), to, place, method or None, name=name, force=force, **options
    )
    for remark in found.remarks:
        say(f"note: {remark}")
    if json:
        print_json(
            {
                "robot": robot,
                "target": to,
                "folder": str(found.folder),
                "files": list(found.files),
                "remarks": list(found.remarks),
            }
        )
    else:
        alone = place != found.folder
        say(f"wrote {place}" if alone else f"wrote {found.folder}: {', '.join(found.files)}")


def _list(json: bool) -> None:
    from linkwork.exports.export_robot import TARGETS

    if json:
        print_json(
            {
                target.name: {"summary": target.summary, "options": dict(target.options)}
                for target in TARGETS.values()
            }
        )
        return
    print_table(
        ("target", "what", "options"),
        [(t.name, t.summary, " ".join(t.options)) for t in TARGETS.values()],
        left=("what", "options"),
    )


YES, NO = ("yes", "true", "on"), ("no", "false", "off")


def _options(given: list[str]) -> dict[str, Any]:
    """KEY=VALUE as keyword arguments: yes and no are flags, numbers with commas a vector."""
    from linkwork.cli.arguments import numbers_of
    from linkwork.core.errors import InputError
    from linkwork.files.quantities import NUMBER

    found: dict[str, Any] = {}
    for text in given:
        key, equals, value = text.partition("=")
        if not key.isidentifier() or not equals or not value:
            raise InputError(f"--option {text!r}: expected KEY=VALUE, such as gravity=input.")
        if value in YES or value in NO:
            found[key] = value in YES
        elif "," in value:
            found[key] = numbers_of(value, f"--option {key}").tolist()
        elif NUMBER.fullmatch(value):
            found[key] = float(value)
        else:
            found[key] = value
    return found
