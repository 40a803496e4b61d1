"""Whether a log shows more friction near rest than viscous and Coulomb friction have (Stribeck)."""

from __future__ import annotations

import numpy as np

from linkwork.identification.regression import Fit, Problem, Stribeck
from linkwork.interface.robot import Array

SHARES = (0.02, 0.05, 0.1, 0.2, 0.35)  # of the greatest velocity, tried as Stribeck velocity
CLEAR = 6.0  # standard errors that the coefficient must be above zero
WORTH = 0.01  # least share of a joint's residual variance that it must explain


def stribeck_shown(problem: Problem, fit: Fit) -> tuple[Stribeck, ...]:
    """For every actuator the best Stribeck velocity, if the residuals show one at all."""
    found = []
    greatest = np.max([np.abs(b.actuator_velocity).max(axis=0) for b in problem.blocks], axis=0)
    # What takes from a column that part which the model explains already.
    projected = np.asarray(np.linalg.pinv(fit.information, hermitian=True), dtype=np.float64)
    for k in range(problem.robot.n):
        tried = [Stribeck(k, share * float(greatest[k])) for share in SHARES if greatest[k] > 0]
        scores = [_score(problem, fit, friction, projected) for friction in tried]
        if scores:
            best = int(np.argmax([score for score, _ in scores]))
            score, explained = scores[best]
            if score > CLEAR and explained > WORTH:
                found.append(tried[best])
    return tuple(found)


def _score(problem: Problem, fit: Fit, friction: Stribeck, inverse: Array) -> tuple[float, float]:
    """How many standard errors its coefficient is above zero, and what share of variance it explains."""
    k = friction.actuator
    column = np.concatenate(
        [
            problem.thinned(block, friction.column(block.actuator_velocity[:, k]))
            for block in problem.blocks
        ]
    )
    W, sigma, counts = problem.rows, fit.sigma, problem.counts
    weighted = W * (counts / sigma**2)[:, :, None]
    known = inverse @ np.einsum("ta,t->a", weighted[:, k], column)
    rest = -(W @ known)
    rest[:, k] += column
    size = float((counts * rest**2 / sigma**2).sum())
    if size <= 0:
        return 0.0, 0.0
    amount = float((counts * rest * fit.residual / sigma**2).sum()) / size
    gained = amount**2 * size / float((counts[:, k] * (fit.residual[:, k] / sigma[k]) ** 2).sum())
    return amount * np.sqrt(size), gained
