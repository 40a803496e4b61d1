"""How much of the spread of a metric each variable explains: Sobol indices from a finished sweep."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwork.errors import LinkworkError
from linkwork.interface.robot import Array

MOST_ROWS = 20_000  # more do not change the two digits shown, and take a second per 10 000


@dataclass(frozen=True)
class Indices:
    """First-order indices (k,) with their 95 % half-widths; total ones if the plan was Saltelli's."""

    first: Array
    first_error: Array
    total: Array | None
    total_error: Array | None


def indices(values: Array, metric: Array, bounds: list[list[float]], saltelli: bool) -> Indices:
    """Of one metric (N,) of variants with these values (N, k).

    From Saltelli's plan by his estimators; from any other by the random balance design of Tarantola,
    which takes samples as they are and gives first-order indices.
    """
    try:
        from SALib.analyze import rbd_fast, sobol
    except ImportError:
        raise LinkworkError("sensitivities need SALib: pip install SALib") from None
    k = values.shape[1]
    problem = {"num_vars": k, "names": [str(j) for j in range(k)], "bounds": bounds}
    if np.ptp(metric) == 0.0:
        zero = np.zeros(k)
        return Indices(zero, zero, zero if saltelli else None, zero if saltelli else None)
    if saltelli:
        found = sobol.analyze(problem, metric, calc_second_order=False, seed=0)
        return Indices(*(np.asarray(found[name]) for name in ("S1", "S1_conf", "ST", "ST_conf")))
    if len(metric) > MOST_ROWS:
        chosen = np.random.default_rng(0).choice(len(metric), MOST_ROWS, replace=False)
        values, metric = values[chosen], metric[chosen]
    found = rbd_fast.analyze(problem, values, metric, seed=0)
    return Indices(np.asarray(found["S1"]), np.asarray(found["S1_conf"]), None, None)
