"""A studio in a process of its own, as a person starts it."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from linkwork.model.bundled import bundled_names
from tests.bundled import representative

# The parallel robots stand for all of them: each costs seconds of compilation.
SHOWN = representative(
    (*bundled_names("arm"), *bundled_names("stewart-platform"), "delta", "3-rps", "palletizer")
)
PATIENCE = 90  # seconds for a slow machine to compile and start
ADDRESS = re.compile(r"at (http://\S+)")
LAST_LINE = "Ctrl-C"


class Studio:
    """The process, its address and what it has said."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.lines: list[str] = []
        self.complaints: list[str] = []
        self._ready = threading.Event()
        assert process.stdout is not None
        assert process.stderr is not None
        self._threads = [
            threading.Thread(target=self._listen, args=(process.stdout, self.lines), daemon=True),
            threading.Thread(target=self._listen, args=(process.stderr, self.complaints), daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    def _listen(self, stream: Iterator[str], heard: list[str]) -> None:
        for line in stream:
            heard.append(line)
            if heard is self.lines and (LAST_LINE in line or line.rstrip() == "}"):
                self._ready.set()
        self._ready.set()

    @property
    def said(self) -> str:
        return "".join(self.lines)

    @property
    def complained(self) -> str:
        return "".join(self.complaints)

    @property
    def address(self) -> str:
        assert self._ready.wait(PATIENCE), self.said + self.complained
        found = ADDRESS.search(self.said)
        assert found, self.said + self.complained
        return found[1]

    @property
    def first_output(self) -> str:
        """All that it says when it has started."""
        assert self._ready.wait(PATIENCE), self.complained
        return self.said

    @property
    def port(self) -> int:
        port = urlsplit(self.address).port
        assert port is not None
        return port

    @property
    def token(self) -> str:
        """The first step of every path."""
        return urlsplit(self.address).path

    def end(self, how: signal.Signals = signal.SIGINT) -> int:
        """End it as Ctrl-C does; its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(how)
        code = self.process.wait(PATIENCE)
        for thread in self._threads:
            thread.join(PATIENCE)
        return code


@contextmanager
def studio(robot: str | Path, *options: str) -> Iterator[Studio]:
    command = [sys.executable, "-m", "linkwork", "studio", str(robot), "--no-browser", *options]
    if "--port" not in options:
        command += ["--port", "0"]
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    running = Studio(process)
    try:
        yield running
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
