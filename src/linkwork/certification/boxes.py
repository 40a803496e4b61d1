"""Boxes of positions, many at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
# Of sums of at most 16 products in floating point, relative to the sum of their sizes.
ROUNDING = 64 * float(np.finfo(float).eps)


@dataclass(frozen=True, eq=False)
class Boxes:
    """Lower and upper ends of all coordinates, (N, d) each; rotations by roll, pitch and yaw."""

    low: Array
    high: Array
    rates: tuple[Boxes, Boxes] | None = None  # velocities and accelerations of a motion, by angles

    @property
    def middle(self) -> Array:
        return np.clip((self.low + self.high) / 2, self.low, self.high)

    @property
    def count(self) -> int:
        return len(self.low)

    @property
    def ends(self) -> Array:
        """As kernels of intervals take them, (N, 2 d)."""
        return np.concatenate([self.low, self.high], axis=-1)

    def some(self, which: NDArray[np.generic] | slice) -> Boxes:
        rates = None if self.rates is None else (self.rates[0].some(which), self.rates[1].some(which))
        return Boxes(self.low[which], self.high[which], rates)

    def halves(self, weights: Array) -> Boxes:
        """Both halves of every box, cut across its widest direction after weighting (d,)."""
        extent = (self.high - self.low) * weights
        rows, cut = np.arange(self.count), np.argmax(extent, axis=1)
        middle = self.middle[rows, cut]
        left, right = self.high.copy(), self.low.copy()
        left[rows, cut] = right[rows, cut] = middle
        return Boxes(np.concatenate([self.low, right]), np.concatenate([left, self.high]))

    def shares(self, whole: Boxes) -> Array:
        """Volumes over that of the whole; directions without extent do not count."""
        extent = whole.high[0] - whole.low[0]
        wide = extent > 0
        return np.asarray(((self.high - self.low)[:, wide] / extent[wide]).prod(axis=1))

    def random(self, count: int, rng: np.random.Generator) -> Array:
        """Points of the first box."""
        return rng.uniform(self.low[0], self.high[0], (count, self.low.shape[1]))


def points(at: Array) -> Boxes:
    """Boxes without extent."""
    return Boxes(at, at)


def joined(parts: list[Boxes]) -> Boxes:
    return Boxes(
        np.concatenate([part.low for part in parts]), np.concatenate([part.high for part in parts])
    )
