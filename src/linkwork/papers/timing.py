"""How long a call takes on this machine, beside times that papers print of theirs."""

from __future__ import annotations

import platform
from collections.abc import Callable
from time import perf_counter

BUDGET = 0.02  # s, per timing


def seconds_per_call(call: Callable[[], object]) -> float:
    """The shortest of some tries: other work on the machine only makes them longer."""
    call()
    start, best = perf_counter(), float("inf")
    while perf_counter() - start < BUDGET:
        before = perf_counter()
        call()
        best = min(best, perf_counter() - before)
    return best


def machine() -> str:
    """In words, as far as the system tells."""
    return f"{platform.system()} on {platform.machine()}, Python {platform.python_version()}"


def microseconds(seconds: float) -> str:
    return f"{1e6 * seconds:.2g} µs"
