"""The nearest body that can exist to an estimate of ten parameters.

Its pseudo-inertia is P = U U' with a positive diagonal of U (log-Cholesky parameters, Rucker and Wensing
2022), so that any numbers make a body; the distance is that of the estimate's covariance.
"""

from __future__ import annotations

import numpy as np

from linkwork.mechanics.bodies import PARAMETERS, pseudo_inertia
from linkwork.robot.robot import Array

SMALLEST = 1e-3  # of the robot's size: least radius of gyration


def possible_body(estimate: Array, covariance: Array, size: float) -> Array:
    """Ten parameters (10,); those of the estimate if they are a body's."""
    from scipy.optimize import least_squares

    m = max(float(estimate[0]), 1e-12)
    unit = np.sqrt(m) * np.array([size, size, size, 1.0])  # of the rows of U
    P = pseudo_inertia(estimate) / np.outer(unit, unit)
    values, vectors = np.linalg.eigh(P)
    if values[0] > SMALLEST**2:
        return estimate
    start = vectors @ np.diag(np.maximum(values, SMALLEST**2)) @ vectors.T
    whitening = np.linalg.inv(
        np.linalg.cholesky(
            covariance + np.diag((1e-9 * np.abs(estimate).max()) ** 2 * np.ones(PARAMETERS))
        )
    )
    upper = np.triu_indices(4, 1)

    def parameters(x: Array) -> Array:
        U = np.diag(np.exp(x[:4]))
        U[upper] = x[4:]
        return _of(U @ U.T * np.outer(unit, unit))

    # P = U U' with U upper triangular: Cholesky from the last row on.
    L = np.linalg.cholesky(start[::-1, ::-1])[::-1, ::-1]
    x = np.concatenate([np.log(np.diagonal(L)), L[upper]])
    low = np.full(len(x), -np.inf)
    low[:3] = np.log(SMALLEST)
    found = least_squares(
        lambda each: whitening @ (parameters(each) - estimate),
        np.maximum(x, low + 1e-9),
        bounds=(low, np.inf),
    )
    return parameters(found.x)


def _of(P: Array) -> Array:
    """Ten parameters of a pseudo-inertia."""
    s = np.diagonal(P)[:3]
    J = [s[1] + s[2], s[0] + s[2], s[0] + s[1], -P[0, 1], -P[0, 2], -P[1, 2]]
    return np.array([P[3, 3], *P[3, :3], *J])
