"""Distances of straight segments in space."""

from __future__ import annotations

import numpy as np

from linkwork.robot.compiled import Array

PARALLEL = 1e-12


def segment_distances(a: Array, b: Array, c: Array, d: Array) -> Array:
    """Smallest distances between segments a-b and c-d, points (..., 3)."""
    u, v, w = b - a, d - c, a - c
    uu, uv, vv = _dot(u, u), _dot(u, v), _dot(v, v)
    uw, vw = _dot(u, w), _dot(v, w)
    determinant = uu * vv - uv * uv
    with np.errstate(divide="ignore", invalid="ignore"):
        s = np.clip((uv * vw - vv * uw) / determinant, 0.0, 1.0)
        s = np.where(determinant > PARALLEL * uu * vv, s, 0.0)
        t = np.clip((uv * s + vw) / vv, 0.0, 1.0)
        s = np.clip((uv * t - uw) / uu, 0.0, 1.0)
    between = w + s[..., None] * u - t[..., None] * v
    return np.asarray(np.linalg.norm(between, axis=-1))


def _dot(x: Array, y: Array) -> Array:
    return np.asarray((x * y).sum(axis=-1))
