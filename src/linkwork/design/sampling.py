"""Variants of a study by number, and how much of the spread of a metric each variable explains."""

from __future__ import annotations

import math
import threading
import warnings
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.stats import qmc

from linkwork.core.errors import InputError, LinkworkError
from linkwork.design.study_file import SamplingPlan, StudyVariable
from linkwork.robot.robot import Array

WHOLE = ("latin-hypercube", "saltelli")
LARGEST_SOBOL = 2**32  # rows: scipy skips rows of words of 32 bits only
LARGEST_TABLE = 5_000_000  # rows of a plan that cannot be made in parts: a Latin hypercube, Saltelli's


def count_of(sampling: SamplingPlan, variables: tuple[StudyVariable, ...]) -> int:
    """How many variants there are."""
    if sampling.method == "grid":
        return math.prod(len(each.values) or each.points or sampling.size for each in variables)
    count = sampling.size
    if sampling.method == "saltelli":
        count *= len(variables) + 2
    if sampling.method in WHOLE and count > LARGEST_TABLE:
        raise InputError(
            f"sampling: method {sampling.method} of {count} variants is one table; expected "
            f"{LARGEST_TABLE}: take method: sobol."
        )
    if sampling.method == "sobol" and count > LARGEST_SOBOL:
        raise InputError(
            f"sampling: a Sobol sequence has at most {LARGEST_SOBOL} variants, not {count}: make "
            "several studies that differ in seed, or take method: monte-carlo."
        )
    return count


def variants(
    sampling: SamplingPlan, variables: tuple[StudyVariable, ...], start: int, stop: int
) -> Array:
    """Values (stop - start, k) of the variables of these variants."""
    if sampling.method == "grid":
        return _grid(sampling, variables, start, stop)
    shares = _shares(sampling, len(variables), start, stop)
    columns = []
    for k, each in enumerate(variables):
        if each.values:
            which = np.minimum((shares[:, k] * len(each.values)).astype(int), len(each.values) - 1)
            columns.append(np.array(each.values)[which])
        else:
            columns.append(each.low + (each.high - each.low) * shares[:, k])
    return np.stack(columns, axis=1)


def _grid(sampling: SamplingPlan, variables: tuple[StudyVariable, ...], start: int, stop: int) -> Array:
    levels = [
        np.array(each.values or np.linspace(each.low, each.high, each.points or sampling.size))
        for each in variables
    ]
    places = np.unravel_index(np.arange(start, stop), [len(level) for level in levels])
    return np.stack([level[place] for level, place in zip(levels, places, strict=True)], axis=1)


def _shares(sampling: SamplingPlan, k: int, start: int, stop: int) -> Array:
    """Numbers from 0 to 1, (stop - start, k), the same for a row whichever part asks for it."""
    if sampling.method == "monte-carlo":
        return _rows_of_blocks(sampling.seed, k, start, stop)
    if sampling.method == "sobol":
        return _sobol(sampling, k, start, stop)
    return _whole_plan(sampling, k)[start:stop]


@lru_cache(maxsize=1)
def _whole_plan(sampling: SamplingPlan, k: int) -> Array:
    """All rows of a plan that is made as one table; kept, since chunk after chunk asks for its rows."""
    if sampling.method == "saltelli":
        return _saltelli(sampling, k)
    return np.asarray(qmc.LatinHypercube(k, seed=sampling.seed).random(sampling.size))


_running: dict[tuple[SamplingPlan, int], qmc.Sobol] = {}  # at most one: where the last chunk ended
_lock = threading.Lock()  # workers have threads


def _sobol(sampling: SamplingPlan, k: int, start: int, stop: int) -> Array:
    """Rows of the sequence; going on from the last chunk, for the way from row 0 takes 3 ns a row."""
    key = (sampling, k)
    with _lock, warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of counts that are no power of two
        engine = _running.get(key)
        if engine is None or engine.num_generated > start:
            bits = 30 if sampling.size <= 2**30 else 32
            engine = qmc.Sobol(k, scramble=True, seed=sampling.seed, bits=bits)
        _running.clear()  # nothing stays that an interruption left half way
        if start > engine.num_generated:
            engine.fast_forward(start - engine.num_generated)
        rows = np.asarray(engine.random(stop - start))
        _running[key] = engine
        return rows


BLOCK = 4096


def _rows_of_blocks(seed: int, k: int, start: int, stop: int) -> Array:
    """Random rows by blocks, each with a generator of its own."""
    parts = []
    for block in range(start // BLOCK, -(-stop // BLOCK)):
        rows = np.random.default_rng([seed, block]).random((BLOCK, k))
        low, high = max(start - block * BLOCK, 0), min(stop - block * BLOCK, BLOCK)
        parts.append(rows[low:high])
    return np.concatenate(parts)


def _saltelli(sampling: SamplingPlan, k: int) -> Array:
    """The plan of Saltelli for first and total Sobol indices, (count (k + 2), k)."""
    try:
        from SALib.sample import sobol
    except ImportError:
        raise LinkworkError("method: saltelli needs SALib: pip install SALib") from None
    problem = {"num_vars": k, "names": [str(j) for j in range(k)], "bounds": [[0.0, 1.0]] * k}
    plan = sobol.sample(problem, sampling.size, calc_second_order=False, seed=sampling.seed)
    return np.asarray(plan)


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
