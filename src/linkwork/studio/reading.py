"""What the studio tells about a robot in one state: efforts, reactions, limits, singularities."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from linkwork.core.errors import LinkworkError
from linkwork.core.text import shown
from linkwork.drawing.shape import body_frames
from linkwork.kinematics.singularity import dimensionless_jacobian, grade_of, has_levers
from linkwork.model.mechanism import BASE
from linkwork.robot.compiled import CallOptions
from linkwork.robot.limits import LeastMargin, LimitBreak, Quantity, limit_report
from linkwork.robot.results import MechanismReactions
from linkwork.robot.robot import Array, Robot

EFFORT_LIMITS = ("effort", "force")


@dataclass(frozen=True, eq=False)
class MotionState:
    """Position, velocity and acceleration in the robot's coordinates."""

    position: Array
    velocity: Array
    acceleration: Array

    @staticmethod
    def at_rest(position: Array, freedom: int) -> MotionState:
        return MotionState(np.asarray(position, dtype=np.float64), np.zeros(freedom), np.zeros(freedom))


@dataclass(frozen=True)
class BrokenLimit:
    """Of which leg or joint (by number, from 0), which limit, and the sentence that says so."""

    index: int
    limit: str
    text: str


@dataclass(frozen=True, eq=False)
class Reaction:
    """Force and moment in a joint at a point, base axes [N, N m, m]."""

    kind: str
    owner: str
    at: Array
    force: Array
    moment: Array

    @property
    def name(self) -> str:
        return f"{self.owner} {self.kind}".strip()


@dataclass(frozen=True)
class ConditionReading:
    """How near to a singular pose: a condition number without units, its class and what is lost."""

    condition: float
    grade: str  # "good", "fair", "poor" or "singular"
    text: str
    title: str = "Condition number"


@dataclass(frozen=True, eq=False)
class StateReading:
    """Everything about one state. `fault` tells why there are no forces; they are NaN then.

    `others` are singularities of other kinds than the first. `frames`: how bodies, the base first, have
    gone from home, (bodies, 3, 4); None if loops do not close.
    """

    state: MotionState
    effort: Array
    singularity: ConditionReading
    broken_limits: tuple[BrokenLimit, ...]
    reactions: tuple[Reaction, ...]
    fault: str | None = None
    measured: tuple[Quantity, ...] = ()  # positions, velocities, efforts with their limits, (1, n)
    others: tuple[ConditionReading, ...] = ()
    margin: LeastMargin | None = None
    frames: Array | None = None

    @property
    def broken(self) -> frozenset[int]:
        """Numbers of the legs or joints with a broken limit."""
        return frozenset(found.index for found in self.broken_limits)

    @property
    def overloaded(self) -> frozenset[int]:
        """Numbers of those whose effort is beyond its limit."""
        return frozenset(found.index for found in self.broken_limits if found.limit in EFFORT_LIMITS)


NOTABLE = 0.35  # share of the greatest component from which a joint or direction is worth naming

PARALLEL = "Parallel singularity: condition of Jx"
SERIAL = "Serial singularity: loss of transmission"
CONSTRAINT = "Constraint singularity: condition"
IMPOSSIBLE = "no condition number: the pose is impossible"


def singularities(robot: Robot, position: Array) -> tuple[ConditionReading, ...]:
    """The condition number, and serial and constraint singularities where the robot can have them."""
    others: list[ConditionReading] = []
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


def _conditioned(robot: Robot, position: Array) -> ConditionReading:
    """By the same matrix as `condition_number`, with words of what is lost where it is not good."""
    number = float(robot.condition_number(position, errors="nan"))
    grade = "singular" if np.isnan(number) else grade_of(number)
    if np.isnan(number):
        return ConditionReading(number, grade, IMPOSSIBLE)
    if grade == "good":
        return ConditionReading(number, grade, "well conditioned")
    matrix = dimensionless_jacobian(robot, position)
    left, _, right = np.linalg.svd(matrix, full_matrices=False)
    weakest = min(matrix.shape) - 1
    if not robot.moved_by_motors:
        freedom = _freedom_words(right[weakest], robot)
        how = "loses its hold" if grade == "singular" else "is weakest"
        return ConditionReading(number, grade, f"the tool {how} against {freedom}")
    weak = left[:, weakest]
    lost = _direction_words(weak, "motion") if len(weak) == 3 else _twist_words(weak)
    words = f"the tool {'cannot follow' if grade == 'singular' else 'hardly follows'} {lost}"
    if matrix.shape[1] <= 6:
        words += f"; {_joint_words(right[weakest], robot.efforts.names)}"
    return ConditionReading(number, grade, words)


def _serial(levers: Array, names: tuple[str, ...]) -> ConditionReading:
    weakest = int(np.argmin(levers))
    with np.errstate(divide="ignore"):
        lever = float(1 / levers[weakest])
    words = (
        f"{names[weakest]} moves nothing",
        f"{names[weakest]} hardly moves it",
        "every motor moves it well",
    )
    return _graded(SERIAL, lever, words)


def _graded(title: str, condition: float, words: tuple[str, str, str]) -> ConditionReading:
    """`words` for a singular, a poor and a good place."""
    if not condition < np.inf:
        is_lost = np.isnan(condition)
        text = IMPOSSIBLE if is_lost else words[0]
        return ConditionReading(condition, "singular", text, title)
    grade = grade_of(condition)
    text = {"singular": words[0], "good": words[2]}.get(grade, words[1])
    return ConditionReading(condition, grade, text, title)


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
    """`motion along x with rotation about y` for the greater parts of a twist."""
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


def read(robot: Robot, state: MotionState, wrench: Array | None = None) -> StateReading:
    """Everything about one state, under a wrench as `robot.wrench_option` takes it."""
    effort, reactions, fault = _dynamics(robot, state, wrench)
    measured = _measured(robot, state, effort)
    try:
        frames = body_frames(robot, state.position[None])[0]
    except LinkworkError:  # out of reach: the fault tells
        frames = None
    first, *others = singularities(robot, state.position)
    judged = limit_report(measured, (1,), None) if measured else None
    return StateReading(
        state=state,
        effort=effort,
        singularity=first,
        others=tuple(others),
        broken_limits=tuple(_sentence(robot, found) for found in judged.breaks) if judged else (),
        margin=None if judged is None else judged.least,
        reactions=() if frames is None or reactions is None else _placed(robot, reactions, frames),
        fault=fault,
        measured=measured,
        frames=frames,
    )


def _dynamics(
    robot: Robot, state: MotionState, wrench: Array | None
) -> tuple[Array, MechanismReactions | None, str | None]:
    """Efforts, reactions, and why there are none."""
    motion = (state.position, state.velocity, state.acceleration)
    options: CallOptions = {} if wrench is None else {robot.wrench_option: wrench}
    try:
        return robot.inverse_dynamics(*motion, **options), robot.reactions(*motion, wrench), None
    except LinkworkError as error:
        return np.full(robot.n, np.nan), None, str(error)


def _measured(robot: Robot, state: MotionState, effort: Array) -> tuple[Quantity, ...]:
    """Positions, velocities, efforts and angles with their limits, (1, n) each."""
    given = effort[None] if np.isfinite(effort).all() else None
    try:
        return robot.quantities(state.position[None], state.velocity[None], given)
    except LinkworkError:  # no such position: the fault of the reading tells
        return ()


def _sentence(robot: Robot, found: LimitBreak) -> BrokenLimit:
    side = "below" if found.value < found.allowed else "above"
    what = found.limit.replace("_", " ").replace("rate", "velocity")
    value, allowed = (shown(x, found.unit, robot.angle_unit) for x in (found.value, found.allowed))
    text = f"{found.name}: {what} {value}, {side} {allowed}"
    names = robot.efforts.names  # a passive joint has no effort of its own
    return BrokenLimit(names.index(found.name) if found.name in names else -1, found.limit, text)


def _placed(robot: Robot, found: MechanismReactions, frames: Array) -> tuple[Reaction, ...]:
    """Reactions that statics determines, at their points."""
    result, points = [], _reaction_points(robot)
    for name, force, moment in zip(found.names, found.force, found.moment, strict=True):
        if not np.isfinite([force, moment]).any():
            continue
        kind, owner, ends = points[name]
        places = [frames[body, :, :3] @ at + frames[body, :, 3] for body, at in ends]
        force, moment = np.nan_to_num(force), np.nan_to_num(moment)
        place = np.mean(places, axis=0)
        moment = moment - np.cross(place - places[0], force)  # about where its arrow stands
        result.append(Reaction(kind, owner, place, force, moment))
    return tuple(result)


Ends = tuple[tuple[int, Array], ...]


def _reaction_points(robot: Robot) -> dict[str, tuple[str, str, Ends]]:
    """What a reaction is in words, whose it is, and one or two points of bodies, at home, that it is
    between; the moment is given about the first."""
    model = robot.mechanism
    number = {name: k for k, name in enumerate((BASE, *robot.bodies))}
    found: dict[str, tuple[str, str, Ends]] = {
        each.name: ("joint", each.name, ((number[each.joins[1]], each.at),)) for each in model.joints
    }
    for word, struts in (("rod", model.rods), ("cylinder", model.cylinders)):
        for strut in struts:
            a, b = (number[body] for body in strut.joins)
            start, end = (a, strut.start), (b, strut.end)
            found[f"{strut.name} start"] = f"{word} start", strut.name, (start,)
            found[f"{strut.name} end"] = f"{word} end", strut.name, (end,)
            found[f"{strut.name} slide"] = "slide", strut.name, (start, end)
    return found
