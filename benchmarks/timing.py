"""Timing as `linkwork bench` does it: contenders take turns, the best time of each counts."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

from linkwork.analysis import speed
from linkwork.analysis.speed import Call, Key
from linkwork.kernels.machine import host

ROUND = "BENCHMARK_SECONDS"  # of one comparison, set by `python -m benchmarks --seconds`


def side_by_side(contenders: Mapping[Key, Call], turn: float = 0.02) -> dict[Key, float]:
    """Best time of each [s]."""
    return speed.side_by_side(contenders, float(os.environ.get(ROUND, "1")), turn)


def repeated(call: Callable[[], object], times: int) -> Callable[[], object]:
    """The same call many times over, for calls shorter than the clock."""

    def run() -> None:
        for _ in range(times):
            call()

    return run


def by_width(narrow: float, wide: float) -> float:
    """A goal that depends on the processor's vectors: below 512 bits, and with them."""
    return wide if host().lanes >= 8 else narrow
