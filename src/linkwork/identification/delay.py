"""By how much efforts come later than the positions they belong to.

An effort that comes late by d is its prediction less d times the derivative of that, to first order: one
more column of the regression, whose coefficient is the delay.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from linkwork.identification.covariance import left_out
from linkwork.identification.logs import Log
from linkwork.identification.regression import LeastSquares, LogBlock, Problem, at_later
from linkwork.identification.smoothing import low_pass
from linkwork.robot.robot import Array

CLEAR = 4.0  # standard errors: a delay that is there
LEAST = 2e-4  # [s] that is worth a correction
MOST = 0.15  # [s]; more is no delay but another log
ROUNDS = 8


class Delay(NamedTuple):
    """Of efforts behind positions [s], with its standard error."""

    seconds: float
    error: float

    @property
    def is_clear(self) -> bool:
        return abs(self.seconds) > max(CLEAR * self.error, LEAST)


def delay_of(problem: Problem, fit: LeastSquares, precision: Array) -> Delay:
    """The delay that residuals show beside the parameters."""
    T, n, b = problem.rows.shape
    column = np.concatenate([_derivative(problem, block, fit.estimate) for block in problem.blocks])
    weights = (problem.counts / fit.sigma**2).reshape(-1)
    W = np.concatenate([problem.rows.reshape(-1, b), -column.reshape(-1, 1)], axis=1)
    wide = np.zeros((b + 1, b + 1))
    wide[:b, :b] = precision
    found, away = left_out(W, weights, fit.residual.reshape(T, n), wide, np.zeros(b + 1))
    spread = np.sqrt((len(away) - 1) / len(away) * (away[:, -1] ** 2).sum())
    return Delay(float(np.clip(found[-1], -MOST, MOST)), float(spread))


def _derivative(problem: Problem, block: LogBlock, estimate: Array) -> Array:
    smooth = low_pass(problem.predicted(block, estimate), block.period, block.bandwidth)
    return np.gradient(smooth, block.period, axis=0)[block.kept]


def earlier(log: Log, seconds: float) -> Log:
    """The log with efforts as they were so much later."""
    if not seconds:
        return log
    return replace(log, effort=np.concatenate([at_later(part, seconds) for part in log.parts]))
