"""Small vibrations of a robot about rest: M x'' + K x = 0."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from linkwork.errors import InputError
from linkwork.interface.quantity import Array


class Modes(NamedTuple):
    """Natural frequencies [Hz], ascending, (..., m), and their shapes (..., m, m).

    Column k of `shapes` is the small motion of mode k, in the robot's velocity coordinates, scaled to
    unit modal mass. An unstable direction, where loads outweigh the springs, has frequency NaN.
    """

    frequencies: Array
    shapes: Array

    @property
    def stable(self) -> NDArray[np.bool_]:
        """Whether the robot stays where it is, (...)."""
        return np.asarray(np.isfinite(self.frequencies).all(axis=-1))


def modes_of(K: Array, M: Array) -> Modes:
    """Of symmetric matrices; rows with NaN give NaN.

    At rest under forces with a potential K is symmetric; what is left beside it is rounding, or a
    moment that follows the body, and is averaged.
    """
    K = (K + np.swapaxes(K, -1, -2)) / 2
    shape = np.broadcast_shapes(K.shape, M.shape)
    K, M = np.broadcast_to(K, shape), np.broadcast_to(M, shape)
    usable = np.isfinite(K).all(axis=(-2, -1)) & np.isfinite(M).all(axis=(-2, -1))
    frequencies = np.full(shape[:-1], np.nan)
    shapes = np.full(shape, np.nan)
    L = np.linalg.cholesky(M[usable])
    inverse = np.linalg.inv(L)
    squares, vectors = np.linalg.eigh(inverse @ K[usable] @ np.swapaxes(inverse, -1, -2))
    with np.errstate(invalid="ignore"):
        frequencies[usable] = np.sqrt(squares) / (2 * np.pi)
    shapes[usable] = np.swapaxes(inverse, -1, -2) @ vectors
    return Modes(frequencies, shapes)


def needs_stiffness(
    robot: str, names: Sequence[str], values: Sequence[float | None], field: str
) -> None:
    """An InputError if a joint or leg has no stiffness."""
    missing = [name for name, value in zip(names, values, strict=True) if value is None]
    if missing:
        raise InputError(
            f"{robot}: {', '.join(missing)} have no stiffness; add stiffness: ... to the robot file, or "
            f'take robot.with_fields({{"{field}": ...}}).'
        )
