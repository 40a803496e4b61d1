"""The command line as users meet it: `run` within this process, quicker, or `run_process`."""

from __future__ import annotations

import contextlib
import io
import os
import signal
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any
from unittest import mock

import linkwork
from linkwork.cli import running

COMMAND = (sys.executable, "-m", "linkwork")
PATIENCE = 120  # seconds; a command that takes longer hangs
UNWANTED = ("PYTHONDONTWRITEBYTECODE", "NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINKWORK_DEBUG", "TERM")
# Those that Python hides unless it is asked.
HIDDEN_WARNINGS = (DeprecationWarning, PendingDeprecationWarning, ImportWarning, ResourceWarning)

Said = subprocess.CompletedProcess[str]


def plain_environment() -> dict[str, str]:
    """Nothing of a terminal, and the cache of this run of tests."""
    return {name: value for name, value in os.environ.items() if name not in UNWANTED}


def environment(**changes: str) -> dict[str, str]:
    """That of a process: also the package under test, wherever it is started.

    Installed packages come with bytecode: it is kept between the processes of a run, beside its kernels.
    """
    own = {
        "PYTHONPYCACHEPREFIX": f"{os.environ['LINKWORK_CACHE']}-bytecode",
        "PYTHONPATH": str(Path(linkwork.__file__).parents[1]),
    }
    return {**plain_environment(), **own, **changes}


def run(*words: str, cwd: Path, code: int = 0, together: bool = False, **variables: str) -> Said:
    """Run a command to its end, in a folder and with these variables in its environment.

    With `together` standard error is written to standard output, as `2>&1` does.
    """
    out, err = (
        io.TextIOWrapper(io.BytesIO(), "utf-8", newline="", write_through=True) for _ in range(2)
    )
    terminated = signal.getsignal(signal.SIGTERM)
    with (
        contextlib.chdir(cwd),
        mock.patch.dict(os.environ, {**plain_environment(), **variables}, clear=True),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(out if together else err),
        warnings.catch_warnings(),
    ):
        warnings.resetwarnings()
        for hidden in HIDDEN_WARNINGS:
            warnings.simplefilter("ignore", hidden)
        try:
            status = running.run(words)
        finally:
            signal.signal(signal.SIGTERM, terminated)
    texts = [stream.buffer.getvalue().decode() for stream in (out, err)]
    return _checked(Said(words, status, *texts), code)


def run_process(*words: str, cwd: Path, code: int = 0, **options: Any) -> Said:
    """Run a command to its end in a process of its own, with options of `subprocess.run`."""
    options = {"env": environment(), "stdout": subprocess.PIPE, **options}
    done = subprocess.run(
        [*COMMAND, *words], cwd=cwd, stderr=subprocess.PIPE, text=True, timeout=PATIENCE, **options
    )
    return _checked(done, code)


def _checked(done: Said, code: int) -> Said:
    """A command must end with `code` and without a traceback."""
    said = f"linkwork {' '.join(done.args)}\n{done.stdout}\n{done.stderr}"
    assert done.returncode == code, said
    assert "Traceback" not in done.stderr, said
    return done


def start(*words: str, cwd: Path, **options: Any) -> subprocess.Popen[str]:
    """Start a command and leave it running."""
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
    return subprocess.Popen([*COMMAND, *words], cwd=cwd, text=True, env=environment(), **options)
