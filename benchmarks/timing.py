"""Timing contenders side by side: one run, taking turns, the best of many rounds of each."""

from __future__ import annotations

import time
from collections.abc import Callable

Contender = Callable[[], object]


def side_by_side(
    contenders: dict[str, Contender], seconds: float = 1.5, rounds: int = 7
) -> dict[str, float]:
    """Best time of each [s]. Taking turns spreads the machine's moods over all of them alike."""
    for call in contenders.values():
        call()
    best = dict.fromkeys(contenders, float("inf"))
    start = time.perf_counter()
    done = 0
    while done < rounds or time.perf_counter() - start < seconds:
        for name, call in contenders.items():
            begin = time.perf_counter()
            call()
            best[name] = min(best[name], time.perf_counter() - begin)
        done += 1
    return best


def repeated(call: Contender, times: int) -> Contender:
    """The same call many times over, for calls shorter than the clock."""

    def run() -> None:
        for _ in range(times):
            call()

    return run
