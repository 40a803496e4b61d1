"""How many cores a large batch may use."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import cache

import numpy as np

from linkwork.errors import InputError

THREADS_VARIABLE = "LINKWORK_THREADS"
# A thread is worth waking for this many arithmetic operations, some tens of microseconds.
WORTHWHILE_OPERATIONS = 1_000_000
MOST_THREADS = 256

_chosen: int | None = None


def set_threads(count: int | None) -> None:
    """Use `count` threads for large batches; None returns to LINKWORK_THREADS or all cores."""
    global _chosen
    whole = isinstance(count, (int, np.integer)) and not isinstance(count, bool)
    if count is not None and not (whole and 1 <= count <= MOST_THREADS):
        raise InputError(
            f"threads = {count!r}: allowed is a whole number from 1 to {MOST_THREADS}, or None."
        )
    _chosen = None if count is None else int(count)


def threads() -> int:
    """The number of threads in force."""
    if _chosen is not None:
        return _chosen
    text = os.environ.get(THREADS_VARIABLE)
    if not text:
        # Cores this process may run on, which in a container can be fewer than there are.
        affinity = getattr(os, "sched_getaffinity", None)
        return len(affinity(0)) if affinity else os.cpu_count() or 1
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= MOST_THREADS):
        raise InputError(
            f"{THREADS_VARIABLE} = {text!r}: allowed is a whole number from 1 to {MOST_THREADS}. "
            "Unset it for all cores."
        )
    return int(text)


@cache
def _pool() -> ThreadPoolExecutor:
    """Workers are made when needed and kept; there are never more than pieces of a batch."""
    return ThreadPoolExecutor(MOST_THREADS, thread_name_prefix="linkwork")


if hasattr(os, "register_at_fork"):
    # A forked child has the pool's memory but not its threads.
    os.register_at_fork(after_in_child=_pool.cache_clear)


def run_rows(call: Callable[[int, int], int], rows: int, operations_per_row: int) -> bool:
    """Call `call(begin, end)` over all rows, on several cores if that pays; True if any call flags."""
    pieces = min(threads(), rows * operations_per_row // WORTHWHILE_OPERATIONS, rows)
    if pieces <= 1:
        return bool(call(0, rows))
    edges = [rows * k // pieces for k in range(pieces + 1)]
    futures = [_pool().submit(call, edges[k], edges[k + 1]) for k in range(1, pieces)]
    try:
        first = call(edges[0], edges[1])
    finally:
        _finish(futures)
    return bool(first) or any(future.result() for future in futures)


def _finish(futures: list[Future[int]]) -> None:
    """Wait for all, come what may: they write into memory that the caller frees on the way out."""
    interruption: BaseException | None = None
    for future in futures:
        while not future.done():
            try:
                wait([future])
            except BaseException as error:  # Ctrl-C, or what a signal handler raises
                interruption = error
    if interruption is not None:
        raise interruption
