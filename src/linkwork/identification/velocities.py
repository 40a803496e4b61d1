"""Whether measured velocities tell more than the derivatives of positions.

Controllers write velocities that were filtered, delayed, rounded or of another unit; those of a resolver
are better than a coarse encoder's. Held-back efforts decide.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from linkwork.core.text import number
from linkwork.identification.held_back import Comparison, Folds, folds_of, usual_of
from linkwork.identification.logs import Log
from linkwork.identification.unknowns import Unknowns
from linkwork.robot.robot import Robot


def without_velocities(log: Log) -> Log:
    return replace(log, velocity=None, acceleration=None)


def with_useful_velocities(robot: Robot, logs: Sequence[Log], notes: list[str]) -> list[Log]:
    """The logs, without measured velocities and accelerations where derivatives predict as well."""
    if all(log.velocity is None and log.acceleration is None for log in logs):
        return list(logs)
    bare = [without_velocities(log) for log in logs]
    parts = [part for log in bare for part in log.parts]
    derived = Unknowns.of(robot, parts, True, True, False).comparison(parts)
    measured = replace(derived, parts=tuple(part for log in logs for part in log.parts))
    better = _gain(derived, measured)
    if better < 0:
        return list(logs)
    more = f"{number(100 * better, 2)} % better" if better > 1e-3 else "as well"
    notes.append(
        "velocities as measured are not used: derivatives of the positions predict held-back efforts "
        f"{more}"
    )
    return bare


def _gain(derived: Comparison, measured: Comparison) -> float:
    """By which share the held-back error of `derived` is lower, mean over actuators."""
    bandwidth = usual_of(derived.parts)
    clean, used, sigma = derived.reference(bandwidth)
    fold, every = folds_of(used), list(range(derived.basis.shape[1]))
    squares = []
    for each in (derived, measured):
        folds = Folds.of(each.rows(bandwidth)[0], clean, used, fold)
        errors = folds.squared_errors(every, sigma, each.precision, each.prior)
        squares.append(np.maximum(errors.sum(axis=0)[used.any(axis=0)], 1e-300))
    return float(1 - np.exp(np.log(squares[0] / squares[1]).mean() / 2))
