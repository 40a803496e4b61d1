"""Arguments and options that commands share, and the robots, motions and numbers that they mean."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar, get_type_hints

import typer

from linkwork.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from linkwork.model.plausibility import Diagnostic, Finding
    from linkwork.model.urdf.chain import ChainSelection
    from linkwork.motion.trajectory import Motion
    from linkwork.robot.compiled import CallOptions
    from linkwork.robot.robot import Array, Robot


def robot_of(
    source: str,
    gravity: str | None = None,
    friction: bool = True,
    rotors: bool = True,
    chain: ChainSelection | None = None,
    strict: bool = False,
) -> Robot:
    """A robot by name or file, with another gravity, without friction or rotors.

    What is left out is left out of the description, so that all that is computed from it agrees.
    """
    from linkwork.model import plausibility
    from linkwork.robot.loading import load

    if strict:
        from linkwork.model.findings import lint

        report_findings(lint(source, chain), strict)
    parts: CallOptions = (
        {} if chain is None else {"tip": chain.tip, "base": chain.base, "fix": chain.fix}
    )
    robot = load(source, **parts)
    model = robot.model
    if gravity is not None:
        model = replace(model, gravity=numbers_of(gravity, "--gravity", 3))
        _judge(plausibility.gravity(model.gravity), "--gravity", strict)
    changed = model.without(friction=not friction, rotors=not rotors)
    return type(robot)(changed)


def _judge(found: Iterable[Finding], option: str, strict: bool) -> None:
    """Findings about a value that an option gives."""
    from linkwork.model.plausibility import Diagnostic

    report_findings([Diagnostic(finding.subject, option, finding.what) for finding in found], strict)


def judge_angles(robot: Robot, values: Array, text: str, option: str, strict: bool = False) -> None:
    """Angles among coordinates, or of an orientation, that were written without `deg` and are degrees
    all the same."""
    from linkwork.model.plausibility import angle

    for coordinates in (robot.coordinates, robot.coordinates.by_angles):
        if len(coordinates.units) == len(values):
            units = coordinates.units
            break
    else:
        units = ("rad",) * len(values)
    for value, unit, word in zip(values, units, _words(text), strict=True):
        if unit == "rad" and not word.endswith(("deg", "rad")):
            _judge(angle((), float(value)), option, strict)


def motion_of(
    robot: Robot, source: str, strict: bool = False, columns: Mapping[str, str] | None = None
) -> Motion:
    """A motion by name or file; what looks wrong in a file is told, and is an error if `strict`."""
    from linkwork.motion.bundled import motion_for
    from linkwork.motion.plausibility import motion_findings

    motion = motion_for(robot, source, columns)
    report_findings(motion_findings(robot, motion, source), strict)
    return motion


def loaded(robot: Robot, payload: str | None) -> Robot:
    """The robot with a load at its tool: mass and, from the tool, center of mass."""
    if payload is None:
        return robot
    mass, *center = numbers_of(payload, "--payload", 1, 4).tolist()
    return robot.with_payload(mass, center or (0.0, 0.0, 0.0))


def report_findings(found: Sequence[Diagnostic], strict: bool) -> None:
    """Findings as warnings, ten lines at most; an error with all of them if `strict`."""
    from linkwork.cli.output import say
    from linkwork.cli.running import FaultFound
    from linkwork.model.plausibility import in_few_lines

    if found and strict:
        raise FaultFound("\n  ".join([f"{len(found)} findings (--strict)", *in_few_lines(found)]))
    for line in in_few_lines(found):
        say(f"warning: {line}")


def numbers_of(text: str, option: str, *counts: int, angles: bool = False) -> Array:
    """Finite numbers with commas or spaces between them; if `angles`, 90deg is one too.

    Args:
        counts: how many there may be; any number but none if nothing is said.
    """
    import numpy as np

    from linkwork.files.quantities import ANGLE, NUMBER, angle
    from linkwork.model.geometry import frozen

    values = []
    for word in _words(text):
        if NUMBER.fullmatch(word):
            values.append(float(word))
        elif angles and ANGLE.fullmatch(word):
            values.append(angle(word))
        else:
            raise _no_numbers(text, option, f"{word!r} is not a number", counts, angles)
        if not np.isfinite(values[-1]):
            raise _no_numbers(text, option, f"{word!r} is not finite", counts, angles)
    if not values or (counts and len(values) not in counts):
        raise _no_numbers(text, option, f"there are {len(values)}", counts, angles)
    return frozen(np.array(values))


def _words(text: str) -> list[str]:
    """Numbers as they were written, each with its unit."""
    return text.replace(",", " ").replace(" deg", "deg").replace(" rad", "rad").split()


def _no_numbers(text: str, option: str, found: str, counts: tuple[int, ...], angles: bool) -> InputError:
    allowed = f"{' or '.join(map(str, counts))} numbers" if counts else "numbers"
    example = "0.5,-1,90deg" if angles else "0.5,-1,2e3"
    return InputError(f"{option} {text!r}: {found}; expected {allowed} such as {example}.")


def formulations_of(robot: Robot, names: list[str] | None) -> list[str]:
    """The formulations asked for; none is the robot's own."""
    from linkwork.core.arguments import one_of

    if not names:
        return []
    if "all" in names:
        return list(robot.formulations)
    return [one_of(name, robot.formulations, "formulation") for name in dict.fromkeys(names)]


def starting(names: Iterable[str], incomplete: str) -> list[str]:
    return [name for name in names if name.startswith(incomplete)]


def robot_names(incomplete: str) -> list[str]:
    from linkwork.model.bundled import bundled_names

    return starting(bundled_names(), incomplete)


def motion_names(incomplete: str) -> list[str]:
    from linkwork.motion.bundled import MOTION_NAMES

    return starting(MOTION_NAMES, incomplete)


def formulation_names(incomplete: str) -> list[str]:
    from linkwork.mechanics.chain.dynamics import NAMES
    from linkwork.mechanics.published.dynamics import FORMULATIONS as OF_PLATFORMS

    return starting(("all", *NAMES, *OF_PLATFORMS), incomplete)


RobotName = Annotated[
    str,
    typer.Argument(
        metavar="ROBOT",
        help="Bundled name (see linkwork robots), robot file (.yaml), .urdf, .sdf or a MuJoCo .xml.",
        autocompletion=robot_names,
    ),
]
RobotIfAny = Annotated[
    str | None,
    typer.Argument(
        metavar="[ROBOT]",
        help="Bundled name, .yaml, .urdf, .sdf or .xml.",
        autocompletion=robot_names,
    ),
]
_MOTION = typer.Option(
    "--motion",
    "-m",
    metavar="MOTION",
    help="Bundled name (see linkwork motions) or file (.csv, .npz, .yaml).",
    autocompletion=motion_names,
)
MotionName = Annotated[str, _MOTION]
EVERYWHERE = "home-quintic"  # a motion that suits every robot
DefaultMotion = Annotated[str, _MOTION]
OptionalMotion = Annotated[str | None, _MOTION]
Formulations = Annotated[
    list[str] | None,
    typer.Option(
        "--formulation",
        "-f",
        metavar="NAME",
        help="Formulation; repeat to compare, or 'all'.",
        autocompletion=formulation_names,
    ),
]
Period = Annotated[float, typer.Option(metavar="S", help="Sampling period of the results.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON on standard output.")]
OutputFile = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="Write the data to a file: .csv, .parquet, .npz or .json. Overwrites an existing file.",
    ),
]
ReportFile = Annotated[
    Path | None,
    typer.Option(
        "--report", metavar="FILE", help="Write a report page: .html, or .pdf (needs a browser)."
    ),
]
PlotFile = Annotated[
    Path | None, typer.Option("--plot", metavar="FILE", help="Write a plot: .png, .svg or .pdf.")
]
FOLDER = ("--directory", "-d")
Force = Annotated[bool, typer.Option("--force", help="Overwrite existing files.")]
Gravity = Annotated[
    str | None,
    typer.Option(metavar="X,Y,Z", help="Gravity in base axes [m/s^2]; default: the robot's own."),
]
Payload = Annotated[
    str | None,
    typer.Option(metavar="KG,X,Y,Z", help="Payload: mass, and center of mass in the tool frame [m]."),
]
Friction = Annotated[bool, typer.Option("--friction/--no-friction", help="Include joint friction.")]
Strict = Annotated[bool, typer.Option("--strict", help="Treat warnings as errors.")]
Rotors = Annotated[bool, typer.Option("--rotors/--no-rotors", help="Include rotor inertia.")]


Command = TypeVar("Command", bound=Callable[..., None])
OPTIONS: dict[str, object] = {
    "tip": Annotated[str | None, typer.Option("--tip", metavar="LINK", help="URDF only: tip link.")],
    "base": Annotated[str | None, typer.Option("--base", metavar="LINK", help="URDF only: base link.")],
    "fix": Annotated[
        list[str] | None,
        typer.Option(
            "--fix",
            metavar="JOINT=POSITION",
            help="URDF only: lock a joint at a position, as finger=0.02 or wrist=90deg; repeatable.",
        ),
    ],
}


def with_chain(command: Command) -> Command:
    """A command whose argument `chain` is given by --tip, --base and --fix; others are as they are."""
    signature = inspect.signature(command)
    if "chain" not in signature.parameters:
        return command

    @functools.wraps(command)
    def run(
        *arguments: object,
        tip: str | None = None,
        base: str | None = None,
        fix: list[str] | None = None,
        **options: object,
    ) -> None:
        command(*arguments, chain=chain_of(tip, base, fix), **options)

    hints = get_type_hints(command, localns={"ChainSelection": object}, include_extras=True)
    parameters = []
    for name, parameter in signature.parameters.items():
        if name == "chain":
            for option, hint in OPTIONS.items():
                kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
                parameters.append(inspect.Parameter(option, kind, default=None, annotation=hint))
        else:
            parameters.append(parameter.replace(annotation=hints[name]))
    run.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run  # type: ignore[return-value]


def chain_of(tip: str | None, base: str | None, fix: list[str] | None) -> ChainSelection:
    """What to read of a URDF."""
    from linkwork.model.urdf.chain import ChainSelection

    held = {}
    for text in fix or ():
        joint, equals, position = text.partition("=")
        if not joint or not equals:
            raise InputError(f"--fix {text!r}: expected JOINT=POSITION, such as finger=0.02.")
        held[joint] = float(numbers_of(position, f"--fix {joint}", 1, angles=True)[0])
    return ChainSelection(tip, base, held)
