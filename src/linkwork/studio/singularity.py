"""How near a pose is to a singularity, and which freedom is won or lost there, in words."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from linkwork.analysis.conditioning import condition_number
from linkwork.interface.mechanism_conditioning import conditioned, has_levers
from linkwork.interface.robot import Array, Robot
from linkwork.interface.singularity import grade_of
from linkwork.studio.reading import Singularity

NOTABLE = 0.35  # share of the greatest component from which a joint or direction is worth naming

PARALLEL = "Parallel singularity: condition of Jx"
SERIAL = "Serial singularity: loss of lever"
CONSTRAINT = "Constraint singularity: condition"
IMPOSSIBLE = "no condition number: the pose is impossible"


def singularities(robot: Robot, position: Array) -> tuple[Singularity, ...]:
    """The condition number, and serial and constraint singularities where the robot can have them."""
    others: list[Singularity] = []
    if robot.n and not robot.moved_by_motors:
        near = robot.singularities(position, errors="nan")
        if has_levers(robot) and np.isfinite(near.serial).all():
            others.append(_serial(near.serial, robot.efforts.names))
        if near.constraint != 1.0 and np.isfinite(near.constraint):  # one is solved for
            words = (
                "a loop gains a freedom",
                "the loops hardly determine their passive joints",
                "the loops determine their passive joints well",
            )
            others.append(_graded(CONSTRAINT, float(near.constraint), words))
    first = _conditioned(robot, position)
    return (replace(first, title=PARALLEL) if others else first, *others)


def _conditioned(robot: Robot, position: Array) -> Singularity:
    """By the same matrix as `condition_number`, with words of what is lost where it is not good."""
    number = float(condition_number(robot, position))
    grade = "singular" if np.isnan(number) else grade_of(number)
    if np.isnan(number):
        return Singularity(number, grade, IMPOSSIBLE)
    if grade == "good":
        return Singularity(number, grade, "well conditioned")
    matrix = conditioned(robot, position, None, "nan")
    left, _, right = np.linalg.svd(matrix, full_matrices=False)
    weakest = min(matrix.shape) - 1
    if not robot.moved_by_motors:
        freedom = _freedom_words(right[weakest], robot)
        how = "loses its hold" if grade == "singular" else "is weakest"
        return Singularity(number, grade, f"the tool {how} against {freedom}")
    weak = left[:, weakest]
    lost = _direction_words(weak, "motion") if len(weak) == 3 else _twist_words(weak)
    words = f"the tool {'cannot follow' if grade == 'singular' else 'hardly follows'} {lost}"
    if matrix.shape[1] <= 6:
        words += f"; {_joint_words(right[weakest], robot.efforts.names)}"
    return Singularity(number, grade, words)


def _serial(levers: Array, names: tuple[str, ...]) -> Singularity:
    weakest = int(np.argmin(levers))
    with np.errstate(divide="ignore"):
        lever = float(1 / levers[weakest])
    words = (
        f"{names[weakest]} moves nothing",
        f"{names[weakest]} loses its lever",
        "every motor moves it well",
    )
    return _graded(SERIAL, lever, words)


def _graded(title: str, condition: float, words: tuple[str, str, str]) -> Singularity:
    """`words` for a singular, a poor and a good place."""
    if not condition < np.inf:
        is_lost = np.isnan(condition)
        text = IMPOSSIBLE if is_lost else words[0]
        return Singularity(condition, "singular", text, title)
    grade = grade_of(condition)
    text = {"singular": words[0], "good": words[2]}.get(grade, words[1])
    return Singularity(condition, grade, text, title)


def _freedom_words(motion: Array, robot: Robot) -> str:
    """The coordinates that take part; a whole pose by its directions."""
    if robot.coordinates.is_pose:
        return _twist_words(motion)
    share, names = np.abs(motion) / np.abs(motion).max(), robot.coordinates.by_angles.names
    return ", ".join(name for name, part in zip(names, share, strict=True) if part >= NOTABLE)


def _joint_words(motion: Array, names: tuple[str, ...]) -> str:
    share = np.abs(motion) / np.abs(motion).max()
    taking = [name for name, part in zip(names, share, strict=True) if part >= NOTABLE]
    if len(taking) == 1:
        return f"joint {taking[0]} moves it least"
    return f"joints {', '.join(taking[:-1])} and {taking[-1]} work against each other"


def _twist_words(twist: Array) -> str:
    """`moving along x and turning about y` for the greater parts of a twist."""
    linear, angular = twist[:3], twist[3:]
    parts = [np.linalg.norm(linear), np.linalg.norm(angular)]
    words = []
    if parts[0] >= NOTABLE * max(parts):
        words.append(_direction_words(linear, "motion"))
    if parts[1] >= NOTABLE * max(parts):
        words.append(_direction_words(angular, "rotation"))
    return " with ".join(words)


def _direction_words(direction: Array, what: str) -> str:
    preposition = "along" if what == "motion" else "about"
    unit = direction / np.linalg.norm(direction)
    unit = unit * np.sign(unit[np.argmax(np.abs(unit))])
    main = int(np.argmax(unit))
    if unit[main] > 0.99:
        return f"{what} {preposition} {'xyz'[main]}"
    return f"{what} {preposition} ({', '.join(f'{x + 0.0:.2f}' for x in unit)})"
