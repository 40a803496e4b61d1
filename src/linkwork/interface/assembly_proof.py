"""Which solutions for a platform's leg lengths are proven, different from each other, and real."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from linkwork.interface.assembly_paths import ComplexArray, distances, joined, parts
from linkwork.interface.compiled import Array
from linkwork.kernels import Kernel, Recipe
from linkwork.mechanics.assembly.proof import UNPROVEN, certificate

Flags = NDArray[np.bool_]
MOST_ROUNDS = 4  # of refinement
SMALL_STEP = 1e-9  # a step this short leaves an error of its square
LARGEST_IMAGINARY = 1e-4  # of the end of a path to a solution that may be real
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
    return Kernel.from_recipe(Recipe(("assembly certificate",), certificate))


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
    proof = prove(values, end, LARGEST_IMAGINARY)
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
