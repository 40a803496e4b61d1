"""Arguments and options that several commands take, with what completes them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def _starting(names: tuple[str, ...], incomplete: str) -> list[str]:
    return [name for name in names if name.startswith(incomplete)]


def robot_names(incomplete: str) -> list[str]:
    from linkwork.robots.bundled import bundled_names

    return _starting(bundled_names(), incomplete)


def motion_names(incomplete: str) -> list[str]:
    from linkwork.motion.bundled import MOTION_NAMES

    return _starting(MOTION_NAMES, incomplete)


def formulation_names(incomplete: str) -> list[str]:
    from linkwork.mechanics.arm.formulations import NAMES
    from linkwork.mechanics.published.formulation import FORMULATIONS as OF_PLATFORMS

    return _starting(("all", *NAMES, *OF_PLATFORMS), incomplete)


RobotName = Annotated[
    str,
    typer.Argument(
        metavar="ROBOT",
        help="A bundled name (linkwork robots), a robot file (.yaml) or a .urdf.",
        autocompletion=robot_names,
    ),
]
_MOTION = typer.Option(
    "--motion",
    "-m",
    metavar="MOTION",
    help="A bundled name (linkwork motions) or a file (.csv, .npz, .yaml).",
    autocompletion=motion_names,
)
MotionName = Annotated[str, _MOTION]
OptionalMotion = Annotated[str | None, _MOTION]
Formulations = Annotated[
    list[str] | None,
    typer.Option(
        "--formulation",
        "-f",
        metavar="NAME",
        help="How to compute; give it several times to compare, or 'all'.",
        autocompletion=formulation_names,
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON on standard output.")]
OutputFile = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="Write the data there instead: .csv, .parquet, .npz or .json. An old file is replaced.",
    ),
]
ReportFile = Annotated[
    Path | None,
    typer.Option(
        "--report", metavar="FILE", help="Write a report, one .html file; a .pdf needs a browser."
    ),
]
PlotFile = Annotated[
    Path | None, typer.Option("--plot", metavar="FILE", help="Draw the result: .png, .svg or .pdf.")
]
Gravity = Annotated[
    str | None,
    typer.Option(metavar="X,Y,Z", help="Acceleration of gravity, base axes [m/s^2]; the robot's own."),
]
Friction = Annotated[bool, typer.Option("--friction/--no-friction", help="Friction of the joints.")]
Strict = Annotated[bool, typer.Option("--strict", help="Findings about robot and motion are errors.")]
Rotors = Annotated[bool, typer.Option("--rotors/--no-rotors", help="Rotors of an arm's motors.")]
