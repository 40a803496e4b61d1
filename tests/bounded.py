"""What damaged files may cost: 3 s of computing each, and 500 MB of memory each."""

from __future__ import annotations

import contextlib
import os
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
    """What is held at the most beyond what was held before."""
    with contextlib.suppress(OSError), open("/proc/self/clear_refs", "w") as file:
        file.write("5")  # Linux forgets the peak of all that ran before
    before = _held()
    yield
    assert _peak() - before < MEGABYTES


@contextmanager
def bounded() -> Iterator[None]:
    with bounded_memory(), bounded_time():
        yield


def _held() -> float:
    """Memory of this process now [MB]; where the system does not tell, the most it ever had."""
    with contextlib.suppress(OSError), open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE") / 2**20
    return _peak()


def _peak() -> float:
    """The most memory that this process had [MB]."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
