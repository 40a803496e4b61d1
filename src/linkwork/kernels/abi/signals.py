"""Signals that wait until an expression is traced.

CasADi's wrapper asks Python objects for attributes while it reads arguments and clears what they raise.
A signal handler that raises there, as Ctrl-C does, is lost without a word: the program goes on.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def signals_wait() -> Iterator[None]:
    """Python's signal handlers are called at the end of the block, in the order of their signals."""
    if threading.current_thread() is not threading.main_thread():  # handlers run in the main one only
        yield
        return
    held: list[tuple[int, FrameType | None]] = []
    handlers = {number: signal.getsignal(number) for number in signal.valid_signals()}
    handlers = {number: handler for number, handler in handlers.items() if callable(handler)}

    def hold(number: int, frame: FrameType | None) -> None:
        held.append((number, frame))

    for number in handlers:
        signal.signal(number, hold)
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        for caught, frame in held:
            handler = handlers[signal.Signals(caught)]
            assert callable(handler)
            handler(caught, frame)
