"""Arguments of motions, checked: finite numbers of the right shape, or an error that says what fits."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from linkwork.core.arguments import numbers, positive, real
from linkwork.core.errors import InputError
from linkwork.model.geometry import frozen
from linkwork.robot.robot import Array

# Of a period: a spline through samples that are nearer to each other loses digits.
LEAST_REST = 1e-2
UNREACHED = 1e100  # squares of it are still finite
LARGEST = 10_000_000  # numbers in one table, so that a slip of the keyboard does not fill the memory


def vector(value: ArrayLike, name: str, like: Array | None = None) -> Array:
    """A read-only row of numbers, one per joint; as long as `like` if that is given."""
    row = numbers(value, name)
    if row.ndim != 1 or not len(row):
        raise InputError(f"{name} has shape {row.shape}; it must be (n,), one number per joint.")
    if like is not None and row.shape != like.shape:
        raise InputError(f"{name} has {len(row)} numbers where {len(like)} are needed, one per joint.")
    return frozen(row)


def bounds(value: ArrayLike, name: str, count: int) -> Array:
    """Bounds above zero, one per joint or one for all; infinity, and what nothing reaches, is none."""
    try:
        row = np.broadcast_to(real(value, name), (count,))
    except ValueError as error:
        raise InputError(f"{name} = {value!r}: expected one number or {count}, one each.") from error
    if not (row > 0).all():
        raise InputError(f"{name} = {value!r}: expected numbers above 0; math.inf is no bound.")
    return np.where(row < UNREACHED, row, np.inf)


def table(value: ArrayLike, name: str, rows: int) -> Array:
    """A table (N, n) of at least `rows` rows."""
    array = numbers(value, name)
    if array.ndim != 2 or not array.shape[1]:
        raise InputError(f"{name} has shape {array.shape}; it must be (N, n), one row per instant.")
    if len(array) < rows:
        raise InputError(f"{name} has {len(array)} rows; at least {rows} are needed.")
    if array.size > LARGEST:
        raise InputError(f"{name} has {array.size} numbers; expected {LARGEST}. Split the motion.")
    return array


def instants(value: ArrayLike, name: str, count: int) -> Array:
    """Times [s] that begin at 0 and increase, one per row of a table."""
    times = numbers(value, name)
    if times.shape != (count,):
        raise InputError(f"{name} has shape {times.shape}; it must be ({count},), one time per row.")
    if times[0] != 0:
        raise InputError(f"{name} begins at {times[0]:g} s; it must begin at 0. Subtract {name}[0].")
    late = np.flatnonzero(np.diff(times) <= 0)
    if len(late):
        k = int(late[0]) + 1
        raise InputError(
            f"{name}[{k}] = {times[k]:.12g} s does not come after {name}[{k - 1}] = "
            f"{times[k - 1]:.12g} s; times must increase."
        )
    return frozen(times)


def instants_with_end(duration: float, period: float, least: float = LEAST_REST) -> Array:
    """0, period, 2 period, ... and the duration: the last interval is the rest, so it may be shorter.

    A rest below `least` periods is joined to the interval before it.
    """
    steps = duration / positive(period, "period", "s")
    if steps > LARGEST:
        raise InputError(
            f"period = {period!r} s gives {steps:.3g} samples; expected {LARGEST}, which is a period "
            f"of {duration / LARGEST:.3g} s or more."
        )
    times = period * np.arange(math.floor(steps + least) + 1, dtype=np.float64)
    if duration - times[-1] > least * period or len(times) == 1:
        return np.append(times, duration)
    times[-1] = duration
    return times
