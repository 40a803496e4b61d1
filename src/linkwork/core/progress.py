"""A progress bar for long work: after a second, on a terminal only."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

PATIENCE = 1.0  # seconds before a bar appears
PAUSE = 0.05  # seconds between changes of the bar


@contextmanager
def progress_bar(total: int, title: str, wanted: bool | None) -> Iterator[Callable[[int], None]]:
    """Yields a function that is told how much was done."""
    if wanted is False or (wanted is None and not sys.stderr.isatty()):
        yield lambda done: None
        return
    from rich.console import Console
    from rich.progress import Progress

    bar = Progress(console=Console(stderr=True), transient=True)
    task = bar.add_task(title, total=total)
    begun = told = time.monotonic()
    shown = False
    waiting = 0

    def advance(done: int) -> None:
        nonlocal shown, told, waiting
        waiting += done
        now = time.monotonic()
        if now - told < PAUSE:  # the eye needs no more, and drawing takes longer than a step
            return
        if not shown and now - begun > PATIENCE:
            shown = True  # before it starts: an interruption may come at any moment
            bar.start()
        bar.advance(task, waiting)
        told, waiting = now, 0

    try:
        yield advance
    finally:
        if shown:
            bar.stop()
