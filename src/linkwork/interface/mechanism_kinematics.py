"""Coordinates of a mechanism from those of its actuators: Newton's method on many states."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linkwork.errors import InputError, LinkworkError
from linkwork.interface.compiled import Array
from linkwork.interface.diagnosis import ERRORS
from linkwork.kernels import Kernel
from linkwork.kernels.kernel import as_rows
from linkwork.mechanics.mechanism.methods import Options
from linkwork.names import one_of

if TYPE_CHECKING:
    from linkwork.interface.robot import Robot

TOLERANCE = 1e-12  # of actuators [rad, m]; large machines in proportion
CALLS = 3  # of several steps each
SHARES = (0.5, 0.25, 0.1)
SEGMENTS = (8, 64)  # of the way from the guess, where one go does not arrive


def coordinates_from_actuators(
    robot: Robot, actuators: ArrayLike, guess: ArrayLike | None, errors: str
) -> Array:
    """From the guess in one go; rows that do not arrive follow the actuators in segments."""
    one_of(errors, ERRORS, "value of errors")
    robot._driven("newton")
    wanted = as_rows(actuators, "actuators", robot.n)
    start = np.asarray(robot.home) if guess is None else robot._as_home(guess)
    kernel = robot._compiled("newton", Options(start.shape[-1]))
    try:
        batch = np.broadcast_shapes(wanted.shape[:-1], start.shape[:-1])
    except ValueError:
        raise InputError(
            f"the batch shapes do not fit together: actuators {wanted.shape}, guess {start.shape}."
        ) from None
    for name, values in (("actuators", wanted), ("guess", start)):
        if errors == "raise" and not np.isfinite(values).all():
            raise InputError(f"forward_kinematics: {name} contains a non-finite number.")
    goal = np.broadcast_to(wanted, (*batch, robot.n)).reshape(-1, robot.n)
    begin = np.broadcast_to(start, (*batch, start.shape[-1])).reshape(-1, start.shape[-1])
    allowed = TOLERANCE * max(1.0, robot.size)
    found, error = _solved(kernel, goal, begin, allowed)
    for segments in SEGMENTS:
        rows = np.flatnonzero(~(error <= allowed) & np.isfinite(goal).all(axis=-1))
        if not len(rows):
            break
        found[rows], error[rows] = _followed(robot, kernel, begin[rows], goal[rows], segments, allowed)
    lost = ~(error <= allowed)
    if lost.any():
        if errors == "raise":
            _refuse(np.asarray(lost).reshape(batch), np.asarray(error).reshape(batch))
        found[lost] = np.nan
    return np.asarray(found.reshape(*batch, found.shape[-1]))


def _solved(kernel: Kernel, goal: Array, begin: Array, allowed: float) -> tuple[Array, Array]:
    """Newton's steps until all rows are near enough or lost, and what they are off then."""
    (here, error), _ = kernel.evaluate((goal, begin))
    for _ in range(CALLS - 1):
        rows = np.flatnonzero(~(error <= allowed / 100) & np.isfinite(error))
        if not len(rows):
            break
        (here[rows], error[rows]), _ = kernel.evaluate((goal[rows], here[rows]))
    return here, error


def _followed(
    robot: Robot, kernel: Kernel, begin: Array, goal: Array, segments: int, allowed: float
) -> tuple[Array, Array]:
    """Along a straight line of the actuators, staying on the assembly of the start."""
    first = robot.inverse_kinematics(begin, errors="nan")
    here, error = begin, np.full(len(begin), np.nan)
    for k in range(1, segments + 1):
        target = first + (goal - first) * (k / segments)
        reached, error = _solved(kernel, target, here, allowed)
        for share in SHARES:  # of a segment on which steps leave the reach
            lost = np.flatnonzero(~np.isfinite(error))
            if not len(lost):
                break
            part = first[lost] + (goal - first)[lost] * ((k - 1 + share) / segments)
            nearer, _ = _solved(kernel, part, here[lost], allowed)
            reached[lost], error[lost] = _solved(kernel, target[lost], nearer, allowed)
        # A segment that misses may still lead on: the next one starts from the last good place.
        usable = np.isfinite(reached).all(axis=-1) & np.isfinite(error)
        here = np.where(usable[:, None], reached, here)
    return here, error


def _refuse(lost: NDArray[np.bool_], error: Array) -> None:
    row = tuple(int(k) for k in np.argwhere(lost)[0]) if lost.ndim else ()
    place = f" at row {row[0] if len(row) == 1 else row}" if row else ""
    off = float(error[row])
    how = f"ends {off:.3g} off" if np.isfinite(off) else "leaves the reach of the mechanism"
    raise LinkworkError(
        f"forward_kinematics: no solution found{place}: from this guess Newton's method {how}. The"
        " actuators may be impossible for this robot, or lie beyond a singularity; give a nearer"
        " `guess`."
    )
