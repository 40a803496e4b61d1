"""How far logs agree: parameters found from each log alone, compared within their intervals."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from linkwork.identification.regression import LeastSquares


class Agreement(NamedTuple):
    """Of two logs: how many parameters both show, and which share of these agrees."""

    first: str
    second: str
    parameters: int
    share: float


class FoundAlone(NamedTuple):
    """What one log tells for itself."""

    source: str
    fit: LeastSquares
    shown: NDArray[np.bool_]


def agreements(each: Sequence[FoundAlone], confidence: float) -> tuple[Agreement, ...]:
    """Of all pairs of logs, by intervals of this confidence."""
    found = []
    for a, b in combinations(each, 2):
        both = a.shown & b.shown
        if both.any():
            away = np.abs(a.fit.estimate - b.fit.estimate)
            within = away <= np.hypot(a.fit.reach(confidence), b.fit.reach(confidence))
            found.append(Agreement(a.source, b.source, int(both.sum()), float(within[both].mean())))
    return tuple(found)


def coverage_of(agreement: Sequence[Agreement]) -> float | None:
    """The share of all comparisons; None without any."""
    count = sum(each.parameters for each in agreement)
    return sum(each.parameters * each.share for each in agreement) / count if count else None
