"""Poses from leg lengths: Newton's method on many states, and along a path."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from linkwork.errors import InputError, LinkworkError
from linkwork.interface.compiled import Array
from linkwork.interface.diagnosis import ERRORS
from linkwork.kernels.kernel import as_rows
from linkwork.names import one_of
from linkwork.rotations import from_vector, multiply, off_unit, with_quaternion

if TYPE_CHECKING:
    from linkwork.interface.platform import Platform

TOLERANCE = 1e-12  # of a length [m], for legs up to a metre; longer legs in proportion
ROUNDS = 6  # of six Newton steps each
FINEST_SPLIT = 2.0**-24
LONGEST_STEP = 0.05  # of a tangent step: radians, or lengths relative to the legs
MARGIN = 0.1  # of a step, by which a line to zero may miss it
LARGEST_MISS = 0.25  # of the tangent, relative to its step


def pose_from_lengths(
    platform: Platform, lengths: ArrayLike, guess: ArrayLike | None, errors: str
) -> Array:
    """Newton from the guess; rows that have not converged go on by themselves."""
    one_of(errors, ERRORS, "value of errors")
    wanted = as_rows(lengths, "lengths", 6)
    start = platform.home if guess is None else with_quaternion(guess, "guess")
    kernel = platform._newton_steps
    try:
        batch = np.broadcast_shapes(wanted.shape[:-1], start.shape[:-1])
    except ValueError:
        raise InputError(
            f"the batch shapes do not fit together: lengths {wanted.shape}, guess {start.shape}."
        ) from None
    wanted = np.broadcast_to(wanted, (*batch, 6))
    (pose, error), nonfinite = kernel.evaluate((wanted, np.broadcast_to(start, (*batch, 7))))
    if nonfinite:
        _refuse_bad_numbers(wanted, start, errors)
    allowed = TOLERANCE * np.maximum(1.0, np.abs(wanted).max(axis=-1))
    for _ in range(ROUNDS - 1):
        open_rows = ~(error <= allowed) & np.isfinite(error)
        if not open_rows.any():
            break
        (pose[open_rows], error[open_rows]), _ = kernel.evaluate((wanted[open_rows], pose[open_rows]))
    lost = ~(error <= allowed)
    if lost.any():
        if errors == "nan":
            pose[lost] = np.nan
        else:
            row = tuple(int(k) for k in np.argwhere(lost)[0]) if batch else ()
            place = f" at row {row[0] if len(row) == 1 else row}" if row else ""
            raise LinkworkError(
                f"forward_kinematics: no pose found{place}: from this guess Newton's method ends "
                f"{float(error[row]):.3g} m off. The lengths may be impossible for this platform, or "
                "the guess too far away or beyond a singularity; give a nearer `guess`."
            )
    if guess is None and np.size(error):
        _tell_branches(platform, pose)
    return np.asarray(pose)


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


def _refuse_bad_numbers(lengths: Array, guess: Array, errors: str) -> None:
    if errors == "nan":
        return
    for name, values in (("lengths", lengths), ("guess", guess)):
        if not np.isfinite(values).all():
            index = tuple(int(k) for k in np.argwhere(~np.isfinite(values))[0])
            raise InputError(
                f"forward_kinematics: {name} is {values[index]} at {index}; allowed are finite numbers."
            )
    wrong = off_unit(guess[..., 3:])
    if wrong.any():
        norm = float(np.linalg.norm(guess[wrong][0, 3:]))
        raise InputError(
            f"forward_kinematics: the quaternion of the guess has norm {norm:.9g}; "
            "allowed is a unit quaternion."
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
    to zero, goes straight up again: from before and from after, the line through two neighbours passes
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
            f"number there {condition:.3g}, and falling towards it from both sides); beyond it the "
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
