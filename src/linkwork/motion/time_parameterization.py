"""The fastest way along a given path under limits of velocity, acceleration and effort.

The path is a curve over its own length. The greatest rates along it come from reachability analysis
(H. Pham and Q.-C. Pham, A new approach to time-optimal path parameterization based on reachability
analysis, IEEE Transactions on Robotics 34(3), 2018), with limits at both ends of every step. Friction
and force-velocity envelopes, which are not linear in squares of the rate, are linearized about the
profile before until the profile stays; what limits are exceeded by between the ends of a step is taken
off the bounds of that step.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from linkwork.core.arguments import whole
from linkwork.core.checked import checked
from linkwork.core.errors import InputError, LinkworkError
from linkwork.kernels.reachability import greatest_squares
from linkwork.motion.arc import Way, along_arc
from linkwork.motion.path_limits import (
    KINDS,
    PathBounds,
    PathLoads,
    Rows,
    bounds_of,
    lines_of,
    rows_of,
)
from linkwork.motion.profiles import GridProfile
from linkwork.motion.trajectory import JointTrajectory, Motion, PoseTrajectory, Retimed, RetimedPoses
from linkwork.robot.robot import Array, Robot

TOLERANCE = 2e-7  # of a limit, by which it may be exceeded
TIGHTER = 1.05  # times what was seen, since the worst may lie between the points
COARSE = 3e-3  # of a limit: a step that exceeds it by more is halved
SETTLED = 1e-6  # of the duration, from which on what is exceeded is not for linearization
ROUNDS = 60
PATIENCE = 8  # rounds after which steps that exceed limits by less are halved too
LARGEST_GRID = 40_000
LEAST_STEP = 1e-6
AROUND = 6  # steps on either side of a place where motion ends
SHORTER, SHORT = 4.0, 5  # ratio and number of the steps that make up the first and the last one


@checked
def time_optimal(
    robot: Robot,
    path: Motion,
    velocity: ArrayLike | None = None,
    acceleration: ArrayLike | None = None,
    effort: ArrayLike | None = None,
    *,
    grid: int = 400,
) -> Retimed | RetimedPoses:
    """The shortest motion from rest to rest along the way of a trajectory, its own timing left aside.

    Args:
        robot: a platform with a pose trajectory, or any other with one of its joints or coordinates.
        velocity: greatest velocities of the joints or legs, one number or one each; None is the
            robot's own.
        acceleration: greatest accelerations of the joints or legs; None is unbounded.
        effort: greatest joint torques or leg forces, friction included; None is the robot's own, and
            what its actuators can give at their speed (`effort_velocity`).
        grid: steps of the path to begin with; they are halved where that is too coarse.

    Returns:
        The same kind of trajectory. Its acceleration jumps from step to step.
    """
    limits = bounds_of(robot, velocity, acceleration, effort)
    _match(robot, path)
    steps = whole(grid, "grid", 20, 20_000)
    way, points = along_arc(path)
    s, squares = fastest_squares(robot, way, _grid(points, steps), limits)
    profile = GridProfile.of(s, np.sqrt(squares))
    return Retimed(way, profile) if isinstance(way, JointTrajectory) else RetimedPoses(way, profile)


def _grid(points: Array, steps: int) -> Array:
    """At least so many steps between 0 and 1, equal parts of those between points.

    Close to rest they are shorter: friction is there in motion and gone at rest, and what the last step
    loses by that is in proportion to the root of its length.
    """
    parts = -(-steps // (len(points) - 1))
    whole_steps = parts * (len(points) - 1)
    s = np.interp(np.arange(whole_steps + 1) / parts, np.arange(len(points)), points)
    shares = SHORTER ** -np.arange(SHORT, 0, -1.0)
    return np.concatenate([s[:1], s[1] * shares, s[1:-1], 1 - (1 - s[-2]) * shares[::-1], s[-1:]])


def _match(robot: Robot, path: Motion) -> None:
    n = len(robot.velocities)
    if robot.coordinates.is_pose:
        if not isinstance(path, PoseTrajectory):
            raise InputError(
                "a platform takes a pose trajectory; make one from leg lengths by LegLengthTrajectory."
            )
    elif not isinstance(path, JointTrajectory) or path.n != n:
        raise InputError(f"path = {path!r}: {robot.name} takes a joint trajectory with n = {n}.")


def fastest_squares(robot: Robot, way: Way, s: Array, limits: PathBounds) -> tuple[Array, Array]:
    """Fractions of the way and the greatest squares of the rate there, from rest to rest."""
    loads = PathLoads(robot, way, s, limits)
    _refuse_overload(loads)
    if loads.has_friction:
        s = _with_turns(s, loads.turns(way))
        loads = PathLoads(robot, way, s, limits)
    # At rest first, where Coulomb friction acts and viscous friction does not.
    x, u = np.zeros(len(s)), np.zeros(len(s) - 1)
    ceiling, margins = loads.ceiling(), _none(loads)
    linear = not loads.has_friction and not any(limits.envelopes)
    duration, rows = np.inf, rows_of(loads, x, u)
    for attempt in range(ROUNDS):
        x, stopped = _passes(rows, s, ceiling, margins)
        if stopped >= 0:
            # Steps that are long for a bend of the path may end in a place from which only rest is left.
            if attempt >= PATIENCE:
                raise LinkworkError(
                    f"time_optimal: under these limits no motion from rest to rest gets past "
                    f"{100 * s[stopped]:.3g} % of the path. Raise the limits of effort, or change the "
                    "path; the usual cause is a place where friction or gravity leaves little effort."
                )
            near = np.abs(np.arange(len(s) - 1) - stopped) <= AROUND
            s = np.sort(np.concatenate([s, (s[:-1] + s[1:])[near] / 2]))
            loads, duration = PathLoads(robot, way, s, limits), np.inf
            x, u = np.zeros(len(s)), np.zeros(len(s) - 1)
            ceiling, margins, rows = loads.ceiling(), _none(loads), rows_of(loads, x, u)
            continue
        u = np.diff(x) / (2 * np.diff(s))
        before, duration = duration, _duration(s, x)
        if not linear:
            rows = rows_of(loads, x, u)
            if abs(duration / before - 1) > SETTLED:
                continue
        excess, ends = loads.exceeded(x, u)
        worst = np.max([part.max(axis=1, initial=0.0) for part in excess.values()], axis=0)
        if worst.max() <= TOLERANCE:
            return s, x
        halved = worst > (TOLERANCE if attempt % PATIENCE == PATIENCE - 1 else COARSE)
        if halved.any() and len(s) < LARGEST_GRID:
            finer = np.sort(np.concatenate([s, (s[:-1] + s[1:])[halved] / 2]))
            x, s = np.interp(finer, s, x), finer
            u = np.diff(x) / (2 * np.diff(s))
            loads, duration = PathLoads(robot, way, s, limits), np.inf
            ceiling, margins = loads.ceiling(), np.repeat(margins, 1 + halved, axis=0)
            rows = rows_of(loads, x, u)
            continue
        # What is exceeded in the middle only takes the ends that much below what they are now.
        over = _columns(excess, limits)
        needed = TIGHTER * over + np.maximum(margins, 1 - _columns(ends, limits))
        margins = np.where(over > 0, needed, margins)
        over = TIGHTER * excess["velocity"].max(axis=1)
        ceiling /= 1 + np.maximum(np.append(over, 0.0), np.append(0.0, over))
    raise LinkworkError(
        f"time_optimal: the limits cannot be kept to rounding at {100 * s[np.argmax(worst)]:.3g} % of "
        f"the path, where {100 * worst.max():.2g} % are missing between points of the grid: it bends "
        "sharply there; smooth it, or give a larger grid."
    )


def _with_turns(s: Array, turns: Array) -> Array:
    """Points of the grid and turns, none so near to another that steps lose digits."""
    turns = np.sort(turns[(turns > LEAST_STEP) & (turns < 1 - LEAST_STEP)])
    turns = turns[np.diff(turns, prepend=0.0) > LEAST_STEP]
    if not len(turns):
        return s
    near = np.abs(s[:, None] - turns).min(axis=1) < LEAST_STEP
    return np.union1d(s[~near], turns)


def _none(loads: PathLoads) -> Array:
    bounds = loads.bounds
    count = np.isfinite(bounds.effort).sum() + np.isfinite(bounds.acceleration).sum()
    return np.zeros((len(loads.steps) - 1, count))


def _duration(s: Array, x: Array) -> float:
    rate = np.sqrt(x)
    return float((2 * np.diff(s) / (rate[1:] + rate[:-1])).sum())


def _passes(rows: tuple[Rows, Rows], s: Array, ceiling: Array, margins: Array) -> tuple[Array, int]:
    """Squares of the greatest rates, and the point that no motion gets past, or -1."""
    width = np.diff(s)
    squares, stopped = greatest_squares(
        lines_of(rows, width[:, None], margins), 1 / (2 * width), ceiling
    )
    if stopped < 0 and not (squares[1:-1] > 0).all():
        stopped = 1 + int(np.argmin(squares[1:-1] > 0))
    return squares, stopped


def _columns(excess: dict[str, Array], limits: PathBounds) -> Array:
    """Of the limits that are finite, in the order of the rows."""
    kept = (np.isfinite(limits.effort), np.isfinite(limits.acceleration))
    return np.concatenate(
        [excess[kind][:, finite] for kind, finite in zip(KINDS, kept, strict=True)], axis=1
    )


def _refuse_overload(loads: PathLoads) -> None:
    limits = loads.bounds
    over = np.abs(loads.static) >= limits.available(np.zeros_like(loads.static))
    if over.any():
        row, column = (int(k) for k in np.argwhere(over)[0])
        raise InputError(
            f"time_optimal: {limits.names[column]} needs {abs(loads.static[row, column]):.4g} just to "
            f"stand still at {100 * round(loads.s[row], 6):.3g} % of the path, but its effort is "
            f"limited to {limits.effort[column]:.4g}; no timing helps. Raise the limit or change the "
            "path."
        )
