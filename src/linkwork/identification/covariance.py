"""Errors of an estimate by least squares, from its residuals.

Noise that is correlated between actuators and over some instants: Newey and West (1987), over all
actuators, since noise of the positions acts on all of them. Errors of the model do not shrink with
the number of rows: they are another in another stretch of the motion. The jackknife over stretches knows
them (MacKinnon and White 1985), with Student's t for their small number.
"""

from __future__ import annotations

from itertools import pairwise
from statistics import NormalDist

import numpy as np

from linkwork.robot.robot import Array

LAGS = 6  # of thinned rows, over which residuals may be correlated
STRETCHES = 12


def correlated(W: Array, weights: Array, residual: Array, inverse: Array, precision: Array) -> Array:
    """The larger of two estimates: rows of one instant correlated, and rows of some instants."""
    T, n = residual.shape
    leverage = np.einsum("ra,ra->r", W @ inverse, W) * weights
    corrected = residual.reshape(-1) / np.sqrt(np.clip(1 - leverage, 0.1, 1.0))
    scores = (W * (weights * corrected)[:, None]).reshape(T, n, -1).sum(axis=1)
    at_once = scores.T @ scores
    total = at_once.copy()
    for lag in range(1, min(LAGS, T - 1) + 1):
        later = scores[lag:].T @ scores[:-lag]
        total += (1 - lag / (LAGS + 1)) * (later + later.T)
    plain, correlated = (inverse @ (part + precision) @ inverse for part in (at_once, total))
    ratio = np.sqrt(np.maximum(np.diagonal(correlated) / np.diagonal(plain), 1.0))
    return np.asarray(plain * np.outer(ratio, ratio))


def between_stretches(
    W: Array, weights: Array, measured: Array, precision: Array, prior: Array
) -> Array:
    """Covariance by leaving out one stretch after the other."""
    _, away = left_out(W, weights, measured, precision, prior)
    return np.asarray((STRETCHES - 1) / STRETCHES * away.T @ away)


def left_out(
    W: Array, weights: Array, measured: Array, precision: Array, prior: Array
) -> tuple[Array, Array]:
    """The estimate (b,), and by how much those without one stretch of rows are away from it, (k, b)."""
    T, n = measured.shape
    ends = np.linspace(0, T, STRETCHES + 1).astype(np.int64)
    at = [slice(n * first, n * last) for first, last in pairwise(ends)]
    y = measured.reshape(-1)
    A = [(W[own] * weights[own, None]).T @ W[own] for own in at]
    right = [(W[own] * weights[own, None]).T @ y[own] for own in at]
    whole, held = sum(A) + precision, sum(right) + precision @ prior
    estimate = np.linalg.solve(whole, held)
    away = [np.linalg.solve(whole - A[k], held - right[k]) - estimate for k in range(STRETCHES)]
    return np.asarray(estimate), np.stack(away)


def widest(covariance: Array, between: Array, confidence: float) -> Array:
    """Half the interval: of noise, or of differences between stretches."""
    from scipy.stats import t

    share = (1 + confidence) / 2
    noise = NormalDist().inv_cdf(share) * np.sqrt(np.diagonal(covariance))
    model = float(t.ppf(share, STRETCHES - 1)) * np.sqrt(np.diagonal(between))
    return np.asarray(np.maximum(noise, model))
