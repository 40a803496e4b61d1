"""By how much efforts come later than the positions they belong to.

The delay is that with which held-back efforts are predicted best. The motion is moved, which is smooth,
and not the efforts: noise that is interpolated would look smaller.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from linkwork.identification.held_back import FOLDS, Comparison, Folds, folds_of
from linkwork.identification.logs import Log
from linkwork.identification.regression import at_later
from linkwork.robot.robot import Array

CLEAR = 2.5  # standard errors: a delay that is there
WORTH = 0.02  # least share of the held-back squared errors that it must take away
MOST = 0.15  # [s]; more is no delay but another log
STEP = 0.001  # [s] of the search in the end
NEAR = (-4, -2, 0, 2, 4)  # steps from the end of it, through which a parabola is laid
STRIDES = (5, 1)  # steps at a time


class Delay(NamedTuple):
    """Of efforts behind positions [s], with its standard error."""

    seconds: float
    error: float


NONE = Delay(0.0, 0.0)


def delay_of(comparison: Comparison, bandwidth: float) -> Delay:
    """The delay that predicts best, if it is clear and worth it."""
    known: dict[int, Array] = {}

    def errors(step: int) -> Array:
        """Logarithms of squares, mean over actuators: without each fold and of all, (F + 1,)."""
        if step not in known:
            squares = _held_back(comparison, bandwidth, step * STEP)
            without = np.concatenate([squares.sum(axis=0) - squares, squares.sum(axis=0)[None]])
            known[step] = np.log(np.maximum(without, 1e-300)).mean(axis=1)
        return known[step]

    best = 0
    for stride in STRIDES:
        while abs(best) * STEP < MOST:
            tried = (best, best - stride, best + stride)
            near = min(tried, key=lambda step: float(errors(step)[-1]))
            if near == best:
                break
            best = near
        else:
            return NONE
    around = np.stack([errors(best + k) for k in NEAR])
    bend, slope, _ = np.polyfit(NEAR, around, 2)
    if not (bend > 0).all():
        return NONE
    found = STEP * (best - slope / (2 * bend))
    spread = np.sqrt(FOLDS - 1) * float(found[:-1].std())
    delay = Delay(float(found[-1]), spread)
    worth = float((errors(0) - errors(best))[-1]) > WORTH
    return delay if worth and abs(delay.seconds) > CLEAR * spread else NONE


def _held_back(comparison: Comparison, bandwidth: float, late: float) -> Array:
    """Sums of squares (F, n) over the folds, of efforts that come so late."""
    W, efforts, velocity = comparison.rows(bandwidth, late)
    clean, used, sigma = comparison.reference_of(W, efforts, velocity)
    folds = Folds.of(W, clean, used, folds_of(used))
    every = range(W.shape[2])
    squares = folds.squared_errors(every, sigma, comparison.precision, comparison.prior)
    return squares[:, used.any(axis=0)] / folds.count[:, used.any(axis=0)].sum(axis=0)


def earlier(log: Log, seconds: float) -> Log:
    """The log with efforts as they were so much later."""
    if not seconds:
        return log
    return replace(log, effort=np.concatenate([at_later(part, seconds) for part in log.parts]))
