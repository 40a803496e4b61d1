"""The forty solutions for a platform and its leg lengths: followed from stored ones, and proven.

Two solutions that meet at the end of their paths, t = 1, go there as the root of 1 - t, where Newton's
method fails: such are found in s = sqrt(1 - t). A proof tells which solutions are different from each
other, and real.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from linkwork.kernels import Kernel
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
from linkwork.mechanics.assembly.proof import UNPROVEN, certificate
from linkwork.robot.compiled import Array, recipe_of

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
    return Queue(recipe_of(("assembly step",), homotopy.step), ROW, STATUS)


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


FIRST_SAMPLES = (0.02, 0.005)  # of s; the others are halves of halves
SAMPLES = 6
SAME = 1e-6  # distance of ends that have met
AT_INFINITY = 1e-6  # |N| / |e|^2 of an end that belongs to no pose
LARGEST_IMAGINARY = 1e-6


@dataclass(frozen=True, eq=False)
class Meeting:
    """A point (8,) where solutions meet, how many, and whether it is real."""

    point: Array
    multiplicity: int
    real: bool


def meetings(start: Solved, target: ComplexArray) -> list[Meeting]:
    """Where paths from `start` meet at `target`."""
    found: list[Meeting] = []
    for first in FIRST_SAMPLES:
        ends = _ends(start, target, np.ldexp(first, -np.arange(SAMPLES)))
        found = _clusters(ends)
        if found:
            break
    return found


def _ends(start: Solved, target: ComplexArray, s: Array) -> ComplexArray:
    """Ends of those paths that reach all samples, extrapolated, (k, 8) of norm one."""
    way = target - start.parameters
    samples: list[ComplexArray] = []
    here, whole = start, np.ones(len(start.solutions), dtype=bool)
    for value in s:
        at = start.parameters + (1 - value * value) * way
        points, arrived, _ = track(here, at).in_order()
        whole &= arrived
        points = prove(parts(points), at).points
        points /= np.linalg.norm(points, axis=1, keepdims=True)
        if samples:  # a solution is a direction: its phase is that of the sample before
            overlap = (samples[-1].conj() * points).sum(axis=1, keepdims=True)
            points *= overlap.conj() / np.abs(overlap)
        samples.append(points)
        here = Solved(at, points)
    for k in range(1, len(s)):
        samples = [
            (s[i + k] * samples[i] - s[i] * samples[i + 1]) / (s[i + k] - s[i])
            for i in range(len(s) - k)
        ]
    ends = samples[0][whole]
    return np.asarray(ends / np.linalg.norm(ends, axis=1, keepdims=True))


def _clusters(ends: ComplexArray) -> list[Meeting]:
    near = distances(ends) < SAME
    found, left = [], np.ones(len(ends), dtype=bool)
    for k in range(len(ends)):
        members = np.flatnonzero(near[k] & left)
        if not left[k] or len(members) < 2:
            continue
        left[members] = False
        e = ends[k, :4]
        if abs((e * e).sum()) < AT_INFINITY * (np.abs(e) ** 2).sum():
            continue
        turned = ends[members] * np.exp(-0.5j * np.angle((ends[members] ** 2).sum(axis=1)))[:, None]
        turned *= np.where((turned.conj() @ turned[0]).real < 0, -1, 1)[:, None]
        middle = turned.mean(axis=0)
        real = bool(np.abs(middle.imag).max() < LARGEST_IMAGINARY)
        found.append(Meeting(middle.real, len(members), real))
    return found


Flags = NDArray[np.bool_]
MOST_ROUNDS = 4  # of refinement
SMALL_STEP = 1e-9  # a step this short leaves an error of its square
MAYBE_REAL = 1e-4  # of the end of a path to a solution that may be real
CLEARLY_APART, LARGEST_RADIUS = 1 - 1e-8, 1e-6  # cosine of an angle of 1e-4, which zeros cannot bridge
ROOT_8 = float(np.sqrt(8.0))  # sup norm to Euclidean norm of eight numbers


@dataclass(frozen=True, eq=False)
class Proof:
    """Refined points (N, 16) as real and imaginary parts, and facts about them (N, 4)."""

    values: Array
    facts: Array

    @property
    def points(self) -> ComplexArray:
        return joined(self.values)

    @property
    def radius(self) -> Array:
        """Within which exactly one zero is; UNPROVEN where nothing is proven."""
        return self.facts[:, 0]

    @property
    def imaginary(self) -> Array:
        """The largest imaginary part; zero where the zero is real, since its conjugate is one too."""
        return self.facts[:, 1]


@cache
def _certificate() -> Kernel:
    return Kernel.from_recipe(recipe_of(("assembly certificate",), certificate))


def prove(values: Array, end: ComplexArray, widest: float = -1.0) -> Proof:
    """Newton's method from points (N, 16), then a proof that zeros are near.

    Points with imaginary parts up to `widest` are made real.
    """
    kernel, target, limit = _certificate(), parts(end), np.array([widest])
    for _ in range(MOST_ROUNDS):
        (values, facts), _ = kernel.evaluate((values, target, limit))
        if not facts[:, 3].max(initial=0.0) > SMALL_STEP:
            break
    return Proof(values, facts)


def separate(proof: Proof) -> Flags:
    """Which proven zeros with a rotation differ from all before them."""
    radius = proof.radius
    good = np.asarray((radius < UNPROVEN) & (proof.facts[:, 2] > 0))
    points = proof.points
    overlap = np.abs(points.conj() @ points.T)
    np.fill_diagonal(overlap, 0.0)
    near, largest = overlap.max(initial=0.0), radius.max(initial=0.0)
    if good.all() and near < CLEARLY_APART and largest < LARGEST_RADIUS:
        return good
    apart = distances(points) > ROOT_8 * 2 * (radius[:, None] + radius)
    apart |= ~np.tril(np.ones_like(apart), -1) | ~good[None, :]
    return np.asarray(good & apart.all(axis=1))


@dataclass(frozen=True, eq=False)
class Found:
    """Solutions that are proven: how many, the real ones (k, 8), and whether realness is clear."""

    count: int
    real: Array
    clear: bool


def proven_real(values: Array, end: ComplexArray) -> Found:
    """Tell real from complex solutions: a zero that is alone near a real point is real."""
    proof = prove(values, end, MAYBE_REAL)
    # A point that is not real after all is lost on the real axis, or found by another path too.
    doubtful = (proof.imaginary == 0) & (proof.radius == UNPROVEN)
    if doubtful.any():
        again = prove(values[doubtful], end)
        proof.values[doubtful], proof.facts[doubtful] = again.values, again.facts
    keep = separate(proof)
    real = keep & (proof.imaginary == 0)
    clear = real | (proof.imaginary > 4 * proof.radius) | ~keep
    half = proof.values.shape[1] // 2
    return Found(int(np.count_nonzero(keep)), proof.values[real, :half], bool(clear.all()))
