"""The greatest rates along a path, by reachability analysis.

H. Pham and Q.-C. Pham, A new approach to time-optimal path parameterization based on reachability
analysis, IEEE Transactions on Robotics 34(3), 2018, through the authors' library.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from linkwork.errors import LinkworkError
from linkwork.interface.robot import Array
from linkwork.motion.demand import Bounds, Demand

LARGEST_SQUARE = 1e8  # of the rate of the fraction [1/s^2], where nothing bounds it


def greatest_rates(demand: Demand, friction: Array, s: Array, limits: Bounds) -> Array:
    """The greatest rates of the fraction from rest to rest at fractions `s`, with given friction."""
    constraint, algorithm = _toppra()
    strong, quick = np.isfinite(limits.effort), np.isfinite(limits.acceleration)

    def rows(load: Array, at_rest: Array, motion: Array) -> Array:
        """Loads and accelerations as shares of their bounds."""
        loads = [part[:, strong] / limits.effort[strong] for part in (load, at_rest)]
        return np.concatenate([*loads, motion[:, quick] / limits.acceleration[quick]], axis=1)

    # At the first and the last instant the load must be right with friction and without: it is there
    # in motion and gone at rest.
    a = rows(demand.inertia, demand.inertia, demand.first)
    b = rows(demand.centrifugal, demand.centrifugal, demand.second)
    inner = np.concatenate([[0.0], np.ones(len(s) - 2), [0.0]])[:, None]
    steady = demand.static + friction
    c = rows(steady, demand.static + inner * friction, np.zeros_like(friction))
    with np.errstate(divide="ignore"):
        squares = ((limits.velocity / np.abs(demand.first)) ** 2).min(axis=1)
    x = np.stack([np.zeros_like(s), np.minimum(squares, LARGEST_SQUARE)], axis=1)

    class Shares(constraint.LinearConstraint):  # type: ignore[misc, name-defined]
        """|a u + b x + c| <= 1, at both ends of every step."""

        def compute_constraint_params(self, path: Any, gridpoints: Any) -> Any:
            sides = np.concatenate([np.eye(a.shape[1]), -np.eye(a.shape[1])])
            self.identical = True
            return constraint.canlinear_colloc_to_interpolate(
                a, b, c, sides, np.ones(len(sides)), None, x, s, identical=True
            )

    span = SimpleNamespace(path_interval=(0.0, 1.0))
    _, rates, _ = algorithm.TOPPRA([Shares()], span, s, "seidel").compute_parameterization(0.0, 0.0)
    if rates is None or not np.isfinite(rates).all() or not (rates[1:-1] > 0).all():
        raise LinkworkError(
            "time_optimal: under these limits no motion from rest to rest gets along the path. Raise "
            "the limits of effort, or change the path; the usual cause is a place where friction or "
            "gravity leaves little effort."
        )
    return np.asarray(rates)


def _toppra() -> tuple[Any, Any]:
    try:
        from toppra import algorithm
        from toppra.constraint import linear_constraint
    except ImportError as error:
        raise LinkworkError("time_optimal needs the library toppra: pip install toppra") from error
    return linear_constraint, algorithm
