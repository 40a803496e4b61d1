"""linkwork excite: a motion that shows the parameters of a robot."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from linkwork.cli.arguments import robot_of
from linkwork.cli.options import AsJson, RobotName
from linkwork.cli.output import print_json, say


def excite(
    robot: RobotName,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="The motion file, .yaml. Replaced."),
    ] = None,
    period: Annotated[float, typer.Option(metavar="S", help="Of the Fourier series.")] = 10.0,
    harmonics: Annotated[int, typer.Option(metavar="N", help="Of the series, from 3 on.")] = 5,
    periods: Annotated[int, typer.Option(metavar="N", help="How often it is repeated.")] = 1,
    friction: Annotated[
        bool, typer.Option("--friction/--no-friction", help="Friction shall be seen.")
    ] = True,
    rotors: Annotated[bool, typer.Option("--rotors/--no-rotors", help="Rotors shall be seen.")] = True,
    shared_legs: Annotated[
        bool, typer.Option("--shared-legs", help="All legs of a platform are alike.")
    ] = False,
    candidates: Annotated[
        int, typer.Option(metavar="N", help="Random motions to start from and to compare with.")
    ] = 100,
    seed: Annotated[int, typer.Option(metavar="N", help="Of the random motions.")] = 0,
    json: AsJson = False,
) -> None:
    """A periodic motion within the limits whose efforts show masses, inertia and friction best.

    The condition number of the base regressor is made small, and shown against random motions.
    Collisions are not looked at.

    \b
    Example:
      linkwork excite planar-2r -o motion.yaml
    """
    from linkwork.identification import excite as excited
    from linkwork.robots.writing import yaml_text
    from linkwork.tables import ending_of, write_bytes

    if output is not None:
        ending_of(output, (".yaml", ".yml"))
    found = excited(
        robot_of(robot),
        period=period,
        harmonics=harmonics,
        periods=periods,
        friction=friction,
        rotors=rotors,
        shared_legs=shared_legs,
        candidates=candidates,
        seed=seed,
        progress=None,
    )
    if output is not None:
        write_bytes(output, yaml_text(found.document).encode())
        say(f"wrote {output}")
    if json:
        facts = {"robot": robot, "condition": found.condition, "random": found.random}
        print_json({**facts, "motion": found.document, "output": output and str(output)})
    else:
        print(found)
