"""How many cores a large batch may use."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache

from linkwork.errors import InputError

THREADS_VARIABLE = "LINKWORK_THREADS"
# A thread is worth waking for this many arithmetic operations, some tens of microseconds.
WORTHWHILE_OPERATIONS = 1_000_000

_chosen: int | None = None


def set_threads(count: int | None) -> None:
    """Use `count` threads for large batches; None returns to LINKWORK_THREADS or all cores."""
    global _chosen
    if count is not None and (isinstance(count, bool) or int(count) != count or count < 1):
        raise InputError(f"threads = {count!r}: allowed is a whole number from 1 up, or None.")
    _chosen = count if count is None else int(count)


def threads() -> int:
    """The number of threads in force."""
    if _chosen is not None:
        return _chosen
    text = os.environ.get(THREADS_VARIABLE)
    if text is None:
        # Cores this process may run on, which in a container can be fewer than there are.
        affinity = getattr(os, "sched_getaffinity", None)
        return len(affinity(0)) if affinity else os.cpu_count() or 1
    if not text.isdigit() or int(text) < 1:
        raise InputError(
            f"{THREADS_VARIABLE} = {text!r}: allowed is a whole number from 1 up. "
            "Unset it for all cores."
        )
    return int(text)


@cache
def _pool(count: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(count, thread_name_prefix="linkwork")


def run_rows(call: Callable[[int, int], int], rows: int, operations_per_row: int) -> bool:
    """Call `call(begin, end)` over all rows, on several cores if that pays; True if any call flags."""
    pieces = min(threads(), rows * operations_per_row // WORTHWHILE_OPERATIONS, rows)
    if pieces <= 1:
        return bool(call(0, rows))
    edges = [rows * k // pieces for k in range(pieces + 1)]
    futures = [_pool(pieces).submit(call, edges[k], edges[k + 1]) for k in range(1, pieces)]
    flags = [call(edges[0], edges[1])]
    flags += [future.result() for future in futures]
    return any(flags)
