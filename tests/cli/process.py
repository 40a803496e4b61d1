"""The command line as users meet it: a process of its own in a folder of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import linkwork

COMMAND = (sys.executable, "-m", "linkwork")
PATIENCE = 120  # seconds; a command that takes longer hangs


def environment(**changes: str | None) -> dict[str, str]:
    """A plain environment: nothing of a terminal, the cache of this run of tests."""
    kept = {k: v for k, v in os.environ.items() if k not in UNWANTED}
    # Installed packages come with bytecode: keep it between the processes of a run, beside its kernels.
    kept["PYTHONPYCACHEPREFIX"] = f"{os.environ['LINKWORK_CACHE']}-bytecode"
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
