"""What damaged files may cost: 3 s of computing each, and 500 MB of memory for all of them."""

from __future__ import annotations

import resource
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

SECONDS, MEGABYTES = 3.0, 500.0


class TooLongError(BaseException):
    """No Exception: nobody catches it by mistake."""


def _stop(number: int, frame: Any) -> None:
    raise TooLongError(f"more than {SECONDS} s of computing")


@contextmanager
def bounded_time() -> Iterator[None]:
    """Processor time rather than that of the clock: other tests run beside this one."""
    before = signal.signal(signal.SIGPROF, _stop)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, before)


@contextmanager
def bounded_memory() -> Iterator[None]:
    before = _peak()
    yield
    assert _peak() - before < MEGABYTES


def _peak() -> float:
    """The most memory that this process ever had [MB]."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
