"""From arguments of the command line to robots, motions and numbers."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from linkwork.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from linkwork.interface.robot import Array, Robot
    from linkwork.motion.bundled import Motion
    from linkwork.robots.plausibility import Finding, Judged
    from linkwork.robots.urdf_chain import Chain


def robot_of(
    source: str,
    gravity: str | None = None,
    friction: bool = True,
    rotors: bool = True,
    chain: Chain | None = None,
    strict: bool = False,
) -> Robot:
    """A robot by name or file, with another gravity, without friction or rotors.

    What is left out is left out of the description, so that all that is computed from it agrees.
    """
    from linkwork.interface.loading import load
    from linkwork.robots import plausibility

    if strict:
        from linkwork.robots.findings import findings

        report_findings(findings(source, chain), strict)
    parts = {} if chain is None else {"tip": chain.tip, "base": chain.base, "fix": chain.fix}
    robot: Any = load(source, **parts)  # type: ignore[arg-type]
    model = robot.model
    if gravity is not None:
        model = replace(model, gravity=numbers_of(gravity, "--gravity", 3))
        _judge(plausibility.gravity(model.gravity), "--gravity", strict)
    changed = model.without(friction=not friction, rotors=not rotors)
    kind: Callable[[Any], Robot] = type(robot)
    return kind(changed)


def _judge(found: Iterable[Finding], option: str, strict: bool) -> None:
    """Findings about a value that an option gives."""
    from linkwork.robots.plausibility import Judged

    report_findings([Judged(finding.subject, option, finding.what) for finding in found], strict)


def judge_angles(robot: Robot, values: Array, text: str, option: str, strict: bool = False) -> None:
    """Positions of joints that were written without `deg` and are degrees all the same."""
    from linkwork.robots.plausibility import angle

    if "deg" not in text and len(values) == len(robot.coordinates.units):
        for value, unit in zip(values, robot.coordinates.units, strict=True):
            if unit == "rad":
                _judge(angle((), float(value)), option, strict)


def motion_of(robot: Robot, source: str, strict: bool = False) -> Motion:
    """A motion by name or file; what looks wrong in a file is told, and is an error if `strict`."""
    from linkwork.motion.bundled import motion_for
    from linkwork.motion.plausibility import motion_findings

    motion = motion_for(robot, source)
    report_findings(motion_findings(robot, motion, source), strict)
    return motion


def report_findings(found: Sequence[Judged], strict: bool) -> None:
    """Findings as warnings, ten lines at most; an error with all of them if `strict`."""
    from linkwork.cli.output import say
    from linkwork.cli.running import FaultFound
    from linkwork.robots.plausibility import in_few_lines

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

    from linkwork.robots.geometry import frozen
    from linkwork.robots.quantities import ANGLE, NUMBER, angle

    words = text.replace(",", " ").replace(" deg", "deg").replace(" rad", "rad").split()
    values = []
    for word in words:
        if NUMBER.fullmatch(word):
            values.append(float(word))
        elif angles and ANGLE.fullmatch(word):
            values.append(angle(word))
        else:
            raise _no_numbers(text, option, f"{word!r} is no number", counts, angles)
        if not np.isfinite(values[-1]):
            raise _no_numbers(text, option, f"{word!r} is not finite", counts, angles)
    if not values or (counts and len(values) not in counts):
        raise _no_numbers(text, option, f"there are {len(values)}", counts, angles)
    return frozen(np.array(values))


def _no_numbers(text: str, option: str, found: str, counts: tuple[int, ...], angles: bool) -> InputError:
    allowed = f"{' or '.join(map(str, counts))} numbers" if counts else "numbers"
    example = "0.5,-1,90deg" if angles else "0.5,-1,2e3"
    return InputError(f"{option} {text!r}: {found}; allowed are {allowed} such as {example}.")


def formulations_of(robot: Robot, names: list[str] | None) -> list[str]:
    """The formulations asked for; none is the robot's own."""
    from linkwork.names import one_of

    if not names:
        return []
    if "all" in names:
        return list(robot.formulations)
    return [one_of(name, robot.formulations, "formulation") for name in dict.fromkeys(names)]
