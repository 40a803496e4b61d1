"""linkwork certify: prove that a region keeps all limits, or find a position that does not."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from linkwork.cli.arguments import AsJson, OutputFile, RobotIfAny, Strict, robot_of
from linkwork.cli.output import check_files, print_json, print_table, put_data, say
from linkwork.core.errors import InputError
from linkwork.core.text import number, shown_unit

if TYPE_CHECKING:
    from linkwork.certification.certify import Certification
    from linkwork.core.table_files import Columns
    from linkwork.model.urdf.chain import ChainSelection
    from linkwork.robot.robot import Robot


def certify(
    robot: RobotIfAny = None,
    region: Annotated[
        Path | None,
        typer.Option(
            "--region",
            metavar="FILE",
            help="YAML file with absolute ranges by coordinate name, such as roll: [-5 deg, 5 deg]; "
            "coordinates that are not named stay at home. Also cylinder, sphere, path with tube and "
            "turn, condition, leg_diameter, wrench, acceleration, tolerances.",
        ),
    ] = None,
    motion: Annotated[
        str | None,
        typer.Option(help="Motion file or bundled motion instead of a region, between its samples too."),
    ] = None,
    check: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Check a certificate (.json) independently, in ball arithmetic, instead; ROBOT, if "
            "given, must be the one that it is of.",
        ),
    ] = None,
    condition: Annotated[
        float | None, typer.Option(metavar="NUMBER", help="Largest condition number to allow.")
    ] = None,
    leg_diameter: Annotated[
        float,
        typer.Option(metavar="M", help="Leg diameter for the collision check; 0: no check."),
    ] = 0.0,
    boxes: Annotated[
        int, typer.Option(metavar="NUMBER", help="Largest number of boxes to evaluate.")
    ] = 2_000_000,
    resume: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Save progress in FILE (.npz) and resume from it.",
        ),
    ] = None,
    chain: ChainSelection | None = None,
    strict: Strict = False,
    output: OutputFile = None,
    json: AsJson = False,
) -> None:
    """Prove that a region is within all limits and free of singularities.

    By interval arithmetic, not by samples: the region is proven, refuted by a position that breaks a
    limit, or undecided. Exit status 0 if proven, 1 otherwise. The output file is a certificate (.json),
    which --check verifies by other means, or a table of the boxes (.csv, .npz, .parquet).

    \b
    Examples:
      linkwork certify simona --region region.yaml --condition 10
      linkwork certify simona --region region.yaml -o simona.json
      linkwork certify dasgupta1998 --motion dasgupta-III
      linkwork certify --check simona.json
    """
    if check is not None:
        raise typer.Exit(_check(check, None if robot is None else robot_of(robot, chain=chain), json))
    if robot is None or (region is None) == (motion is None):
        raise InputError(
            "certify needs ROBOT and --region FILE or --motion MOTION, or --check FILE of a certificate."
        )
    from linkwork.certification.certify import certify as prove

    check_files(output, None, None)
    found = prove(
        robot_of(robot, chain=chain, strict=strict),
        {"path": motion} if region is None else region,
        condition=condition,
        leg_diameter=leg_diameter,
        boxes=boxes,
        resume=resume,
    )
    if output is not None and output.suffix.lower() == ".json" and found.verdict != "undecided":
        found.save(output)
        say(f"wrote {output}")
    elif output is not None:
        put_data(_boxes(found), output)
    if json:
        print_json(
            {
                "robot": found.robot.name,
                "region": found.region,
                "verdict": found.verdict,
                "witness": found.witness,
                "broken": found.broken,
                "time": found.time,
                "undecided_share": found.undecided_share,
                "conditions": found.conditions,
                "evaluations": found.evaluations,
                "seconds": found.seconds,
            }
        )
    else:
        _show(found)
    raise typer.Exit(0 if found.verdict == "proven" else 1)


def _check(path: Path, robot: Robot | None, json: bool) -> int:
    """The exit status; an error says why a certificate proves nothing."""
    from linkwork.certification.checker import check_certificate

    found = check_certificate(path, robot)
    told = found.certificate
    if json:
        print_json(
            {
                "robot": found.robot.name,
                "robot_digest": told.digest,
                "region": told.region,
                "verdict": told.verdict,
                "broken": told.broken,
                "conditions": told.conditions,
                "boxes": found.boxes,
                "evaluations": found.evaluations,
            }
        )
        return 0
    print(f"{found}\n\nrobot file, SHA-256: {told.digest}\nasked: {', '.join(told.conditions)}")
    return 0


def _boxes(found: Certification) -> Columns:
    import numpy as np

    parts = [(1.0, found.proven_boxes), (0.0, found.undecided_boxes)]
    every = np.concatenate([boxes for _, boxes in parts])
    columns = {"proven": np.concatenate([np.full(len(boxes), value) for value, boxes in parts])}
    for k, name in enumerate(found.parameters):
        columns |= {f"{name}_low": every[:, 0, k], f"{name}_high": every[:, 1, k]}
    return columns


def _show(found: Certification) -> None:
    print(f"{found}\n")
    units = found.robot.coordinates.by_angles.units
    rows = []
    for (name, (low, high)), unit in zip(found.region.items(), units, strict=True):
        factor, told = shown_unit(unit, found.robot.angle_unit)
        at = "" if found.witness is None else number(factor * found.witness[name], 7)
        rows.append((name, told, number(factor * low, 7), number(factor * high, 7), at))
    for name, (low, high) in zip(found.tolerances.labels, found.tolerances.ends.T.tolist(), strict=True):
        at = "" if found.witness is None else number(found.witness[name], 7)
        rows.append((name, "", number(low, 7), number(high, 7), at))
    print_table(("coordinate", "unit", "from", "to", "witness"), rows, left=("coordinate", "unit"))
    print(f"\nasked: {', '.join(found.conditions)}")
    print(f"{found.evaluations} boxes in {number(found.seconds, 3)} s")
