"""The command line as users meet it: a process of its own in a folder of its own."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import linkwork

COMMAND = (sys.executable, "-m", "linkwork")
PATIENCE = 120  # seconds; a command that takes longer hangs


@functools.cache
def _bytecode() -> str:
    """Installed packages come with bytecode: keep it between the processes of a run."""
    return tempfile.mkdtemp(prefix="linkwork-bytecode-")


def environment(**changes: str | None) -> dict[str, str]:
    """A plain environment: no terminal's wishes, the cache of this run of tests."""
    kept = {k: v for k, v in os.environ.items() if k not in UNWANTED}
    kept["PYTHONPYCACHEPREFIX"] = _bytecode()
    # The package under test, wherever a process is started.
    kept["PYTHONPATH"] = str(Path(linkwork.__file__).parents[1])
    for name, value in changes.items():
        if value is None:
            kept.pop(name, None)
        else:
            kept[name] = value
    return kept


UNWANTED = ("PYTHONDONTWRITEBYTECODE", "NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINKWORK_DEBUG", "TERM")


def run(*words: str, cwd: Path, code: int = 0, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run a command to its end; it must end with `code` and without a traceback."""
    options.setdefault("env", environment())
    options.setdefault("stdout", subprocess.PIPE)
    result = subprocess.run(
        [*COMMAND, *words], cwd=cwd, stderr=subprocess.PIPE, text=True, timeout=PATIENCE, **options
    )
    said = f"linkwork {' '.join(words)}\n{result.stdout}\n{result.stderr}"
    assert result.returncode == code, said
    assert "Traceback" not in result.stderr, said
    return result


def start(*words: str, cwd: Path, **options: Any) -> subprocess.Popen[str]:
    """Start a command and leave it running."""
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
    return subprocess.Popen([*COMMAND, *words], cwd=cwd, text=True, env=environment(), **options)
