"""Ranks and condition numbers of matrices that are known within bounds.

A matrix is known as A = middle +- radius. With B, a left inverse of the middle in floating point, let
B A = 1 - E. Where |E| < 1 all these matrices have full rank. Singular values differ from those of the
middle by at most the norm of the radius (Weyl). ROUNDING covers the rounding of these few products.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from linkwork.certification.boxes import ROUNDING, Array, Flags

SINGULAR_VALUES = 1e-9  # relative; how sure those of NumPy are


class Ranks(NamedTuple):
    """Of N boxes: full rank everywhere; bounds of the condition number; sign of the determinant, 0 where
    it is unknown, 1 of matrices that have none."""

    regular: Flags
    condition: Array
    least_condition: Array
    side: Array


def judged_ranks(low: Array, high: Array, conditions: bool) -> Ranks:
    """Of matrices between `low` and `high`, (N, rows, columns); flat ones are transposed."""
    sure: Flags = (np.isfinite(low) & np.isfinite(high)).all(axis=(1, 2))  # type: ignore[assignment]
    low, high = (np.where(sure[:, None, None], end, 0.0) for end in (low, high))
    if low.shape[1] < low.shape[2]:
        low, high = np.swapaxes(low, 1, 2), np.swapaxes(high, 1, 2)
    middle = (low + high) / 2
    radius = (high - low) / 2 + ROUNDING * np.maximum(np.abs(low), np.abs(high))
    B, side = _left_inverse(middle)
    one = np.eye(B.shape[1])
    size = np.abs(one - B @ middle) + np.abs(B) @ radius
    size += ROUNDING * (np.abs(B) @ np.abs(middle) + one)
    norm = np.sqrt(size.sum(axis=1).max(axis=1) * size.sum(axis=2).max(axis=1)) * (1 + ROUNDING)
    regular = sure & (norm < 1)
    most, least = np.where(regular, 1.0, np.inf), np.ones(len(low))
    if conditions:
        values = np.linalg.svd(middle, compute_uv=False)
        spread = np.linalg.norm(radius, axis=(1, 2)) + SINGULAR_VALUES * values[:, 0]
        smallest = values[:, -1] - spread
        with np.errstate(divide="ignore", invalid="ignore"):
            most = np.where(sure & (smallest > 0), (values[:, 0] + spread) / smallest, np.inf)
            least = np.maximum(values[:, 0] - spread, 0.0) / (values[:, -1] + spread)
        least = np.where(sure, least, 1.0)
    return Ranks(regular, most, least, np.where(regular, side, 0.0))


def _left_inverse(matrices: Array) -> tuple[Array, Array]:
    """In floating point, zero where there is none, and signs of determinants."""
    if matrices.shape[1] != matrices.shape[2]:
        return np.asarray(np.linalg.pinv(matrices)), np.ones(len(matrices))
    sign, size = np.linalg.slogdet(matrices)
    singular = ~np.isfinite(size)
    safe = np.where(singular[:, None, None], np.eye(matrices.shape[1]), matrices)
    with np.errstate(all="ignore"):
        found = np.linalg.inv(safe)
    found[singular | ~np.isfinite(found).all(axis=(1, 2))] = 0.0
    return np.asarray(found), np.asarray(sign, dtype=np.float64)
