"""Coordinates from positions of the actuators, poses from leg lengths: Newton's method on many states,
and continuation along a path of leg lengths."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linkwork.core.arguments import one_of
from linkwork.core.errors import InputError, LinkworkError
from linkwork.core.rotations import from_vector, multiply, off_unit, with_quaternion
from linkwork.kernels import Kernel
from linkwork.kernels.kernel import as_rows
from linkwork.mechanics.methods import Options
from linkwork.robot.compiled import Array
from linkwork.robot.diagnosis import ERRORS, place_of

if TYPE_CHECKING:
    from linkwork.robot.platform import Platform
    from linkwork.robot.robot import Robot

TOLERANCE = 1e-12  # of actuators [rad, m], for machines up to a meter; larger ones in proportion
CALLS = 3  # of a mechanism's kernel, several steps each
LEG_CALLS = 6  # of a platform's
SHARES = (0.5, 0.25, 0.1)
SEGMENTS = (8, 64)  # of the way from the guess, where one go does not arrive
FINEST_SPLIT = 2.0**-24
LONGEST_STEP = 0.05  # of a tangent step: radians, or lengths relative to the legs
MARGIN = 0.1  # of a step, by which a line to zero may miss it
LARGEST_MISS = 0.25  # of the tangent, relative to its step


def coordinates_from_actuators(
    robot: Robot, actuators: ArrayLike, guess: ArrayLike | None, errors: str
) -> Array:
    """From the guess in one go; rows that do not arrive follow the actuators in segments."""
    one_of(errors, ERRORS, "value of errors")
    robot._driven("newton")
    wanted = as_rows(actuators, "actuators", robot.n)
    start = np.asarray(robot.home) if guess is None else robot._as_home(guess)
    kernel = robot._compiled("newton", Options(start.shape[-1]))
    batch, goal, begin = batch_rows(wanted, start, "actuators")
    for name, values in (("actuators", wanted), ("guess", start)):
        if errors == "raise" and not np.isfinite(values).all():
            raise InputError(f"forward_kinematics: {name} contains a non-finite number.")
    allowed = np.full(len(goal), TOLERANCE * max(1.0, robot.size))
    found, error = _solved(kernel, goal, begin, allowed / 100, CALLS)
    for segments in SEGMENTS:
        rows = np.flatnonzero(~(error <= allowed) & np.isfinite(goal).all(axis=-1))
        if not len(rows):
            break
        found[rows], error[rows] = _followed(
            robot, kernel, begin[rows], goal[rows], segments, allowed[rows] / 100
        )
    lost = ~(error <= allowed)
    if lost.any() and errors == "raise":
        place, off = _first(lost, error, batch)
        how = f"ends {off:.3g} off" if np.isfinite(off) else "leaves the reach of the mechanism"
        raise LinkworkError(
            f"forward_kinematics: no solution found{place}: from this guess Newton's method {how}. The"
            " actuators may be impossible for this robot, or lie beyond a singularity; give a nearer"
            " `guess`."
        )
    found[lost] = np.nan
    return np.asarray(found.reshape(*batch, found.shape[-1]))


def pose_from_lengths(
    platform: Platform, lengths: ArrayLike, guess: ArrayLike | None, errors: str
) -> Array:
    """Newton from the guess; a pose beyond a singularity that nobody guessed is warned of."""
    one_of(errors, ERRORS, "value of errors")
    wanted = as_rows(lengths, "lengths", 6)
    start = platform.home if guess is None else with_quaternion(guess, "guess")
    batch, goal, begin = batch_rows(wanted, start, "lengths")
    allowed = TOLERANCE * np.maximum(1.0, np.abs(goal).max(axis=-1))
    found, error = _solved(platform._newton_steps, goal, begin, allowed, LEG_CALLS)
    lost = ~(error <= allowed)
    if lost.any() and errors == "raise":
        _refuse_bad_numbers(wanted, start)
        place, off = _first(lost, error, batch)
        raise LinkworkError(
            f"forward_kinematics: no pose found{place}: from this guess Newton's method ends "
            f"{off:.3g} m off. The lengths may be impossible for this platform, or the guess too far "
            "away or beyond a singularity; give a nearer `guess`."
        )
    found[lost] = np.nan
    pose = np.asarray(found.reshape(*batch, 7))
    if guess is None and len(goal):
        _tell_branches(platform, pose)
    return pose


def batch_rows(wanted: Array, start: Array, name: str) -> tuple[tuple[int, ...], Array, Array]:
    """The batch shape of both, and both as rows (N, k)."""
    try:
        batch = np.broadcast_shapes(wanted.shape[:-1], start.shape[:-1])
    except ValueError:
        raise InputError(
            f"the batch shapes do not fit together: {name} {wanted.shape}, guess {start.shape}."
        ) from None
    goal, begin = (np.broadcast_to(x, (*batch, x.shape[-1])) for x in (wanted, start))
    return batch, goal.reshape(-1, goal.shape[-1]), begin.reshape(-1, begin.shape[-1])


def _solved(kernel: Kernel, goal: Array, begin: Array, near: Array, calls: int) -> tuple[Array, Array]:
    """Newton's steps until all rows are near enough or lost, and what they are off then."""
    (here, error), _ = kernel.evaluate((goal, begin))
    for _ in range(calls - 1):
        rows = np.flatnonzero(~(error <= near) & np.isfinite(error))
        if not len(rows):
            break
        (here[rows], error[rows]), _ = kernel.evaluate((goal[rows], here[rows]))
    return here, error


def _first(lost: NDArray[np.bool_], error: Array, batch: tuple[int, ...]) -> tuple[str, float]:
    """Where the first row that did not arrive is, and how far off it ends."""
    row = int(np.flatnonzero(lost)[0])
    return place_of(tuple(int(k) for k in np.unravel_index(row, batch))), float(error[row])


def _followed(
    robot: Robot, kernel: Kernel, begin: Array, goal: Array, segments: int, near: Array
) -> tuple[Array, Array]:
    """Along a straight line of the actuators, staying on the assembly of the start."""
    first = robot.inverse_kinematics(begin, errors="nan")
    here, error = begin, np.full(len(begin), np.nan)
    for k in range(1, segments + 1):
        target = first + (goal - first) * (k / segments)
        reached, error = _solved(kernel, target, here, near, CALLS)
        for share in SHARES:  # of a segment on which steps leave the reach
            lost = np.flatnonzero(~np.isfinite(error))
            if not len(lost):
                break
            part = first[lost] + (goal - first)[lost] * ((k - 1 + share) / segments)
            nearer, _ = _solved(kernel, part, here[lost], near[lost], CALLS)
            reached[lost], error[lost] = _solved(kernel, target[lost], nearer, near[lost], CALLS)
        # A segment that misses may still lead on: the next one starts from the last good place.
        usable = np.isfinite(reached).all(axis=-1) & np.isfinite(error)
        here = np.where(usable[:, None], reached, here)
    return here, error


def _tell_branches(platform: Platform, pose: Array) -> None:
    """Warn of poses on another side of the singularities than home, which motion cannot have reached."""
    flat = pose.reshape(-1, 7)
    found = np.flatnonzero(np.isfinite(flat).all(axis=-1))
    sides = np.sign(np.linalg.det(platform.jacobian(flat[found])))
    other = found[sides != _side(platform, platform.home)]
    if len(other):
        row = np.unravel_index(other[0], pose.shape[:-1])
        more = f" and {len(other) - 1} more" if len(other) > 1 else ""
        place = f" at row {', '.join(str(int(k)) for k in row)}{more}" if pose.ndim > 1 else ""
        warnings.warn(
            f"forward_kinematics: the pose found{place} is not on the branch of home: a singularity "
            "parts them. `assembly_modes` lists all poses with these lengths; give a `guess` near the "
            "one that is meant.",
            BranchWarning,
            stacklevel=4,
        )


class BranchWarning(UserWarning):
    """A pose was found that the platform cannot reach from home without passing a singularity."""


def _refuse_bad_numbers(lengths: Array, guess: Array) -> None:
    for name, values in (("lengths", lengths), ("guess", guess)):
        if not np.isfinite(values).all():
            index = tuple(int(k) for k in np.argwhere(~np.isfinite(values))[0])
            raise InputError(
                f"forward_kinematics: {name} is {values[index]} at {index}; expected finite numbers."
            )
    wrong = off_unit(guess[..., 3:])
    if wrong.any():
        norm = float(np.linalg.norm(guess[wrong][0, 3:]))
        raise InputError(
            f"forward_kinematics: the quaternion of the guess has norm {norm:.9g}; "
            "expected a unit quaternion."
        )


def follow_lengths(platform: Platform, lengths: ArrayLike, start: ArrayLike | None) -> Array:
    """Continuation: from sample to sample by tangent and Newton, in smaller steps where needed."""
    path = as_rows(lengths, "lengths", 6)
    if path.ndim != 2 or not len(path):
        raise InputError(f"follow: lengths has shape {path.shape}; it must be (N, 6) with N >= 1.")
    if not np.isfinite(path).all():
        sample, leg = (int(k) for k in np.argwhere(~np.isfinite(path))[0])
        raise InputError(f"follow: lengths is {path[sample, leg]} at sample {sample}, leg {leg + 1}.")
    if start is not None and with_quaternion(start, "start").shape != (7,):
        raise InputError("follow: start must be one pose.")
    pose = pose_from_lengths(platform, path[0], start, "raise")
    side = _side(platform, pose)
    poses = [pose]
    for index in range(1, len(path)):
        done, step = 0.0, 1.0
        previous = path[index - 1]
        way = path[index] - previous
        while done < 1.0:
            share = min(step, 1.0 - done)
            target = previous + (done + share) * way
            reached = _advance(platform, pose, share * way, target)
            if reached is not None and _side(platform, reached) == side:
                pose, done, step = reached, done + share, min(1.0, 2 * share)
            else:
                step = share / 2
            if step < FINEST_SPLIT:
                condition = float(platform.condition_number(pose))
                raise LinkworkError(
                    f"follow: the path meets a singularity between samples {index - 1} and {index} (at "
                    f"{done:.4f} of the way, condition number {condition:.3g}); beyond it the branch is "
                    "not determined by the lengths. Plan the legs so that they stay clear of it."
                )
        poses.append(pose)
    result = np.array(poses)
    _refuse_turning_back(platform, result)
    return result


def _refuse_turning_back(platform: Platform, poses: Array) -> None:
    """A path of lengths that touches a singularity can go through it or turn back at it.

    Both have the same lengths. On the way back the determinant of the Jacobian, which went straight
    to zero, goes straight up again: from before and from after, the line through two neighbors passes
    zero within the next step. Where a path merely comes near, the determinant bends before it is there.
    """
    determinants = np.linalg.det(platform.jacobian(poses))
    away = determinants * np.sign(determinants[0])
    if len(away) < 3:
        return
    slopes = np.diff(away)
    ahead = away[1:-1] + (1 + MARGIN) * slopes[:-1]  # at the end of steps 1, 2, ..., as seen from before
    behind = away[1:-1] - (1 + MARGIN) * slopes[1:]  # at the start of steps 0, 1, ..., from after
    turned = np.zeros(len(slopes), dtype=bool)
    turned[1:-1] = (ahead[:-1] <= 0) & (behind[1:] <= 0)
    # The first and the last step are seen from one side only; there the determinant must also bend.
    turned[0] = behind[0] <= 0 and slopes[0] < slopes[1] / 2
    turned[-1] = ahead[-1] <= 0 and slopes[-1] > slopes[-2] / 2
    if turned.any():
        step = int(np.argmax(turned))
        condition = float(platform.condition_number(poses[step : step + 2]).max())
        raise LinkworkError(
            f"follow: the path meets a singularity between samples {step} and {step + 1} (condition "
            f"number there {condition:.3g}, and falling toward it from both sides); beyond it the "
            "branch is not determined by the lengths. Plan the legs so that they stay clear of it, or "
            "sample the path more finely if it only comes near."
        )


def _side(platform: Platform, pose: Array) -> float:
    """Which side of the singularities a pose is on."""
    return float(np.sign(np.linalg.det(platform.jacobian(pose))))


def _advance(platform: Platform, pose: Array, way: Array, target: Array) -> Array | None:
    """The pose at `target`, by a tangent step from `pose`; None if the step is too long to trust."""
    try:
        step = np.linalg.solve(platform.jacobian(pose), way)
    except np.linalg.LinAlgError:
        return None
    reach = float(np.abs(target).mean())
    size = max(np.abs(step[:3]).max() / reach, np.abs(step[3:]).max())
    if size > LONGEST_STEP:
        return None
    guess = np.concatenate([pose[:3] + step[:3], multiply(from_vector(np.asarray(step[3:])), pose[3:])])
    reached = pose_from_lengths(platform, target, guess, "nan")
    if not np.isfinite(reached).all():
        return None
    # On the same branch the tangent misses by the square of the step; more is another branch.
    turn = 2 * np.sqrt(max(0.0, 1 - (reached[3:] @ guess[3:]) ** 2))
    miss = max(np.abs(reached[:3] - guess[:3]).max() / reach, turn)
    return reached if miss <= LARGEST_MISS * size + 1e-9 else None
