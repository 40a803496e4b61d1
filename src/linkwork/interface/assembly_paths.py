"""The forty solutions for a platform and its leg lengths, followed from one with stored solutions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from linkwork.interface.robot import Array
from linkwork.kernels import Kernel, Recipe
from linkwork.kernels.queue import Queue
from linkwork.mechanics.platform import assembly
from linkwork.mechanics.platform.assembly import (
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
START_FILE = Path(__file__).parents[1] / "mechanics" / "platform" / "assembly_start.npz"
FIRST_STEP = 0.05
MOST_ROUNDS = 5  # of refinement
SMALL_STEP = 1e-9  # a step this short leaves an error of its square


@dataclass(frozen=True, eq=False)
class Solved:
    """A platform's parameters (36,), and its solutions (N, 8)."""

    parameters: ComplexArray
    solutions: ComplexArray


@dataclass(frozen=True, eq=False)
class Tracked:
    """Where paths ended: points (N, 8), their status and how many steps they took."""

    points: ComplexArray
    status: NDArray[np.int64]
    steps: NDArray[np.int64]


@cache
def _queue() -> Queue:
    return Queue(Recipe(("assembly step",), assembly.step), ROW, STATUS)


@cache
def _certificate() -> Kernel:
    return Kernel.from_recipe(Recipe(("assembly certificate",), assembly.certificate))


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


def _parts(values: ComplexArray) -> Array:
    return np.ascontiguousarray(np.concatenate([values.real, values.imag], axis=-1))


def track(
    start: Solved, end: ComplexArray, first_step: float = FIRST_STEP, caution: float = 1.0
) -> Tracked:
    """Follow all solutions along the straight line of parameters from `start` to `end`.

    `caution` above 1 takes shorter steps.
    """
    count = len(start.solutions)
    rows = np.zeros((count, ROW))
    rows[:, : 2 * UNKNOWNS] = _parts(start.solutions)
    rows[:, STEP], rows[:, INDEX] = first_step, np.arange(count)
    rows[:, CAUTION] = caution
    _queue().run(rows, _parts(start.parameters), _parts(end))
    rows = rows[np.argsort(rows[:, INDEX])]
    points = rows[:, :UNKNOWNS] + 1j * rows[:, UNKNOWNS : 2 * UNKNOWNS]
    return Tracked(points, rows[:, STATUS].astype(int), rows[:, COUNT].astype(int))


@dataclass(frozen=True, eq=False)
class Certified:
    """Refined points, and the radii within which a zero is and is the only one.

    `radius` is infinite where nothing is proven.
    """

    points: ComplexArray
    radius: Array
    alone: Array


def certify(points: ComplexArray, end: ComplexArray, rounds: int = 2) -> Certified:
    """Newton's method from `points`, then a proof that zeros are near."""
    kernel, target = _certificate(), _parts(end)
    values = _parts(points)
    bounds = np.zeros((len(points), 3))
    for k in range(MOST_ROUNDS):
        before = values
        (values, bounds), _ = kernel.evaluate((before, target))
        if k + 1 >= rounds and not np.abs(values - before).max(initial=0.0) > SMALL_STEP:
            break
    beta, delta, kappa = bounds.T
    with np.errstate(invalid="ignore", divide="ignore"):
        room = 1 - delta
        root = room * room - 2 * kappa * beta
        proven = (room > 0) & (root > 0)
        root = np.sqrt(np.where(proven, root, 0.0))
        # The smaller of the two roots without cancellation. The point has moved by beta at most since.
        radius = np.where(proven, 2 * beta / (room + root) + beta, np.inf)
        alone = np.where(proven, (room + root) / kappa - beta, 0.0)
    return Certified(values[:, :UNKNOWNS] + 1j * values[:, UNKNOWNS:], radius, alone)


def distances(points: ComplexArray) -> Array:
    """Sines of the angles between projective points of norm one, (N, N), accurate for small ones too."""
    overlap = points.conj() @ points.T
    across = points[None, :, :] - overlap[:, :, None] * points[:, None, :]
    return np.asarray(np.linalg.norm(across, axis=2))


def arrived(tracked: Tracked) -> NDArray[np.bool_]:
    return tracked.status == ARRIVED
