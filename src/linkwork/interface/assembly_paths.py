"""The forty solutions for a platform and its leg lengths, followed from one with stored solutions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from linkwork.interface.compiled import Array
from linkwork.kernels import Recipe
from linkwork.kernels.queue import Queue
from linkwork.mechanics.assembly import homotopy
from linkwork.mechanics.assembly.homotopy import (
    ARRIVED,
    CAUTION,
    COUNT,
    INDEX,
    ROW,
    STATUS,
    STEP,
    UNKNOWNS,
)

ComplexArray = NDArray[np.complex128]
START_FILE = Path(__file__).parents[1] / "mechanics" / "assembly" / "start.npz"
FIRST_STEP = 0.05


@dataclass(frozen=True, eq=False)
class Solved:
    """A platform's parameters (36,), and its solutions (N, 8)."""

    parameters: ComplexArray
    solutions: ComplexArray

    @cached_property
    def rows(self) -> Array:
        """Paths that begin at the solutions, (N, ROW)."""
        rows = np.zeros((len(self.solutions), ROW))
        rows[:, : 2 * UNKNOWNS] = parts(self.solutions)
        rows[:, INDEX] = np.arange(len(rows))
        return rows

    @cached_property
    def parts(self) -> Array:
        """Of the parameters, (72,)."""
        return parts(self.parameters)


@dataclass(frozen=True, eq=False)
class Tracked:
    """Paths at their ends, (N, ROW), in any order."""

    rows: Array

    @property
    def arrived(self) -> Array:
        """Real and imaginary parts (k, 16) of the points of paths that have arrived."""
        return np.asarray(self.rows[self.rows[:, STATUS] == ARRIVED, : 2 * UNKNOWNS])

    def in_order(self) -> tuple[ComplexArray, NDArray[np.bool_], NDArray[np.int64]]:
        """Points (N, 8) in the order of the starts, which have arrived, and steps taken."""
        rows = self.rows[np.argsort(self.rows[:, INDEX])]
        return joined(rows[:, : 2 * UNKNOWNS]), rows[:, STATUS] == ARRIVED, rows[:, COUNT].astype(int)


@cache
def _queue() -> Queue:
    return Queue(Recipe(("assembly step",), homotopy.step), ROW, STATUS)


@cache
def stored_start() -> Solved:
    """The shipped platform with its forty solutions; tools/assembly_start.py makes it."""
    with np.load(START_FILE) as data:
        return Solved(data["parameters"], data["solutions"])


def parameters(base: Array, points: Array, squares: Array | ComplexArray) -> ComplexArray:
    """Parameters of a platform with joint points (6, 3) and squared leg lengths (6,)."""
    a, b = base[1:] - base[0], points[1:] - points[0]
    c = (a * a).sum(axis=1) + (b * b).sum(axis=1) - squares[1:] + squares[0]
    return np.concatenate([a.ravel(), b.ravel(), c, squares[:1]]).astype(np.complex128)


def parts(values: ComplexArray) -> Array:
    """Real parts, then imaginary parts."""
    return np.concatenate([values.real, values.imag], axis=-1)


def joined(values: Array) -> ComplexArray:
    """Complex numbers (N, k) from their parts (N, 2 k)."""
    half = values.shape[-1] // 2
    return np.asarray(values[:, :half] + 1j * values[:, half:])


def track(
    start: Solved, end: ComplexArray, first_step: float = FIRST_STEP, caution: float = 1.0
) -> Tracked:
    """Follow all solutions along the straight line of parameters from `start` to `end`.

    `caution` above 1 takes shorter steps.
    """
    rows = start.rows.copy()
    rows[:, STEP], rows[:, CAUTION] = first_step, caution
    _queue().run(rows, start.parts, parts(end))
    return Tracked(rows)


def distances(points: ComplexArray) -> Array:
    """Sines of the angles between projective points of norm one, (N, N), accurate for small ones too."""
    overlap = points.conj() @ points.T
    across = points[None, :, :] - overlap[:, :, None] * points[:, None, :]
    return np.asarray(np.linalg.norm(across, axis=2))
