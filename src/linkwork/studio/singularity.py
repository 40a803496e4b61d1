"""How near a pose is to a singularity, and which freedom is won or lost there, in words."""

from __future__ import annotations

import numpy as np

from linkwork.interface.robot import Array, Mechanism
from linkwork.interface.singularity import grade_of
from linkwork.studio.reading import Singularity

NOTABLE = 0.35  # share of the greatest component from which a joint or direction is worth naming

PARALLEL = "Parallel singularity: condition of Jx"
PARALLEL_WORDS = ("it moves with locked motors", "efforts grow", "well held by the motors")
TOOL = "Condition number"
TOOL_WORDS = (
    "the tool cannot move along or about some direction",
    "the tool hardly moves along or about some direction",
    "the tool moves well in all its directions",
)
SERIAL = "Serial singularity: loss of lever"
CONSTRAINT = "Constraint singularity: condition"
IMPOSSIBLE = Singularity(np.nan, "singular", "no condition number: the pose is impossible")


def platform_singularity(J: Array, length: float) -> Singularity:
    """From leg rates = J twist, with turns measured at `length` [m] from the reference point.

    The twist that the legs feel least is the one that they can hardly hold.
    """
    if not np.isfinite(J).all():
        return IMPOSSIBLE
    scaled = np.concatenate([J[:, :3], J[:, 3:] / length], axis=1)
    _, values, directions = np.linalg.svd(scaled)
    condition = _ratio(values)
    grade = grade_of(condition)
    if grade == "good":
        return Singularity(condition, grade, "well conditioned")
    freedom = _twist_words(directions[-1])
    how = "loses its hold" if grade == "singular" else "is weakest"
    return Singularity(condition, grade, f"the platform {how} against {freedom}")


def mechanism_singularities(robot: Mechanism, position: Array) -> tuple[Singularity, ...]:
    """Parallel, serial and (where loops are solved by steps) constraint singularities, told apart.

    Where the coordinates are the motors, how they move the tool comes in place of the parallel ones.
    """
    near = robot.singularities(position, errors="nan")
    names = robot.efforts.names
    parallel = _graded(
        TOOL if robot.moved_by_motors else PARALLEL,
        float(robot.condition_number(position, errors="nan")),
        TOOL_WORDS if robot.moved_by_motors else PARALLEL_WORDS,
    )
    if not np.isfinite(near.serial).all() or not len(names):
        return (parallel,)
    weakest = int(np.argmin(near.serial))
    with np.errstate(divide="ignore"):
        lever = float(1 / near.serial[weakest])
    serial = _graded(
        SERIAL,
        lever,
        (
            f"{names[weakest]} moves nothing",
            f"{names[weakest]} loses its lever",
            "every motor moves it well",
        ),
    )
    if near.constraint == 1.0:  # none is solved for
        return parallel, serial
    words = (
        "a loop gains a freedom",
        "the loops hardly determine their passive joints",
        "the loops determine their passive joints well",
    )
    return parallel, serial, _graded(CONSTRAINT, float(near.constraint), words)


def _graded(title: str, condition: float, words: tuple[str, str, str]) -> Singularity:
    """`words` for a singular, a poor and a good place."""
    if not condition < np.inf:
        is_lost = np.isnan(condition)
        text = IMPOSSIBLE.text if is_lost else words[0]
        return Singularity(condition, "singular", text, title)
    grade = grade_of(condition)
    text = {"singular": words[0], "good": words[2]}.get(grade, words[1])
    return Singularity(condition, grade, text, title)


def arm_singularity(J: Array, names: tuple[str, ...], length: float) -> Singularity:
    """From twist = J qd. An arm of up to three joints is judged by where it moves its tip."""
    n = len(names)
    if not np.isfinite(J).all():
        return IMPOSSIBLE
    scaled = J[:3] if n <= 3 else np.concatenate([J[:3] / length, J[3:]])
    left, values, right = np.linalg.svd(scaled, full_matrices=False)
    rank = min(n, len(values))
    condition = _ratio(values[:rank])
    grade = grade_of(condition)
    if grade == "good":
        return Singularity(condition, grade, "well conditioned")
    weak = left[:, rank - 1]
    lost = _direction_words(weak, "motion") if n <= 3 else _twist_words(weak)
    words = f"the tip {'cannot follow' if grade == 'singular' else 'hardly follows'} {lost}"
    moving = right[rank - 1] if n <= 6 else None
    if moving is not None:
        words += f"; {_joint_words(moving, names)}"
    return Singularity(condition, grade, words)


def _ratio(values: Array) -> float:
    if not np.isfinite(values).all() or values[-1] <= values[0] * np.finfo(float).eps:
        return float("inf")
    return float(values[0] / values[-1])


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
