"""Timing contenders side by side: one run, taking turns, the best of many rounds of each."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from typing import TypeVar

from linkwork.progress import progress_bar

Contender = Callable[[], object]
Key = TypeVar("Key", bound=Hashable)


def side_by_side(
    contenders: dict[Key, Contender],
    seconds: float = 3.0,
    turn: float = 0.02,
    progress: bool | None = False,
) -> dict[Key, float]:
    """Best time of each [s]. In short turns, so that changes of the machine's speed meet all alike.

    `progress` shows a bar if it takes long; None shows it on a terminal.
    """
    with progress_bar(1000, "timing", progress) as advance:
        return _timed(contenders, seconds, turn, advance)


def _timed(
    contenders: dict[Key, Contender], seconds: float, turn: float, advance: Callable[[int], None]
) -> dict[Key, float]:
    for call in contenders.values():
        call()
    best = dict.fromkeys(contenders, float("inf"))
    start = before = time.perf_counter()
    while time.perf_counter() - start < seconds:
        advance(round(1000 * (time.perf_counter() - before) / seconds))
        before = time.perf_counter()
        for name, call in contenders.items():
            turn_start = time.perf_counter()
            while True:
                begin = time.perf_counter()
                call()
                end = time.perf_counter()
                best[name] = min(best[name], end - begin)
                if end - turn_start > turn:
                    break
    return best


def repeated(call: Contender, times: int) -> Contender:
    """The same call many times over, for calls shorter than the clock."""

    def run() -> None:
        for _ in range(times):
            call()

    return run
