"""How long the main command and a first answer take, beside the import of another engine.

`cold` has an empty kernel cache: expressions are traced and compiled. `warm` finds machine code on
disk. Bytecode of the packages is there in both cases, as after installing them.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.results import Result

ROUNDS = 5
COMMAND = "inverse dasgupta1998 --motion dasgupta-I -o forces.csv"
FIRST_ANSWER = """
import numpy as np
import linkwork as lw
zero = np.zeros(6)
lw.load("ur5").inverse_dynamics(zero, zero, zero)
"""
GOALS = {"cold": 3.0, "warm": 1.0, "import, load, first answer": 0.35}


def _seconds(words: list[str], folder: Path, cache: Path) -> float:
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment = {**kept, "LINKWORK_CACHE": str(cache), "PYTHONPYCACHEPREFIX": str(folder / "bytecode")}
    paths = [str(Path(path).resolve()) for path in kept.get("PYTHONPATH", "").split(os.pathsep) if path]
    environment["PYTHONPATH"] = os.pathsep.join(paths)
    begin = time.perf_counter()
    subprocess.run(
        [sys.executable, *words], cwd=folder, env=environment, check=True, capture_output=True
    )
    return time.perf_counter() - begin


def measure(folder: Path) -> dict[str, list[float]]:
    """Times of every contender, in turns, so that a bad moment hits all of them."""
    ours = ["-m", "linkwork", *COMMAND.split()]
    warm = folder / "warm"
    contenders = {
        "cold": ours,
        "warm": ours,
        "import, load, first answer": ["-c", FIRST_ANSWER],
        "help": ["-m", "linkwork", "--help"],
        "import pinocchio": ["-c", "import pinocchio"],
        "import numpy": ["-c", "import numpy"],
    }
    for words in contenders.values():  # bytecode, and the warm cache
        _seconds(words, folder, warm)
    times: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(ROUNDS):
        for name, words in contenders.items():
            with tempfile.TemporaryDirectory(dir=folder) as empty:
                times[name].append(_seconds(words, folder, Path(empty) if name == "cold" else warm))
    return times


def results() -> Iterator[Result]:
    with tempfile.TemporaryDirectory() as name:
        times = measure(Path(name))
    peer = min(times["import pinocchio"])
    for name, all_of in times.items():
        subject = f"linkwork {COMMAND}" if name in ("cold", "warm") else "a new process"
        yield Result(subject, name, min(all_of), "s, best", at_most=GOALS.get(name))
        if name in GOALS:
            yield Result(subject, f"{name}, beside importing pinocchio", min(all_of) / peer, "times")
