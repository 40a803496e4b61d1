"""Long work beside the page: progress, cancel, result or a message."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from linkwork.errors import LinkworkError


class Cancelled(BaseException):
    """The user has asked to stop. Not an Exception: a simulation turns those into its own."""


class Job:
    """One piece of work on a thread of its own.

    Args:
        work: told a function to call now and then with the share done, from 0 to 1; the call ends the
            work if it was cancelled.
        done: called on that thread at the end, whichever way.
    """

    def __init__(
        self, title: str, work: Callable[[Callable[[float], None]], Any], done: Callable[[Job], None]
    ) -> None:
        self.title = title
        self.progress = 0.0
        self.result: Any = None
        self.message: str | None = None
        self.cancelled = False
        self._stop = threading.Event()
        self._work, self._done = work, done
        self._thread = threading.Thread(target=self._run, name=f"studio: {title}", daemon=True)
        self._thread.start()

    @property
    def running(self) -> bool:
        return self._thread.is_alive()

    def cancel(self) -> None:
        self._stop.set()

    def wait(self, timeout: float | None = None) -> None:
        self._thread.join(timeout)

    def _report(self, share: float) -> None:
        if self._stop.is_set():
            raise Cancelled
        self.progress = min(max(share, 0.0), 1.0)

    def _run(self) -> None:
        try:
            self._report(0.0)
            self.result = self._work(self._report)
            self.progress = 1.0
        except Cancelled:
            self.cancelled = True
            self.message = f"{self.title}: cancelled"
        except LinkworkError as error:
            self.message = str(error)
        except Exception as error:  # a fault of ours must not hang the page
            self.message = f"{self.title}: {type(error).__name__}: {error}"
        self._done(self)
