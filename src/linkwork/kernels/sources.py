"""Which source files shape kernels, and a fingerprint of them: no cache entry outlives its code."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).parents[1]
# Recipes are written in these folders, and expressions are traced by what they import. Of the robots
# only the models count: what reads and writes files ends in a model, which is an ingredient of its own.
FOLDERS = ("control", "interface", "kernels", "mechanics", "simulation")
MODULES = (
    "__init__.py", "interning.py", "rotations.py", "robots/arm.py", "robots/geometry.py",
    "robots/platform.py",
)  # fmt: skip


def _files(folder: str) -> Iterator[tuple[str, os.stat_result]]:
    """Python files below a folder, whose entries the system lists with what it knows of them."""
    for entry in os.scandir(folder):
        if entry.is_dir():
            yield from _files(entry.path)
        elif entry.name.endswith(".py"):
            yield entry.path, entry.stat()


def shaping_files() -> list[tuple[str, os.stat_result]]:
    """Files that decide what a kernel computes, in a fixed order."""
    found = [file for folder in FOLDERS for file in _files(str(PACKAGE / folder))]
    return sorted(found + [(str(path), path.stat()) for path in map(PACKAGE.joinpath, MODULES)])


def fingerprint() -> str | None:
    """Digest of place, sizes and times of the files that shape kernels. None: no such files.

    Reading them all would take longer than loading a kernel. Where every file carries the same time, as
    some packagers arrange it, times tell nothing and the contents are read after all.
    """
    try:
        files = shaping_files()
        same_times = len({status.st_mtime_ns for _, status in files}) == 1
        digest = hashlib.sha256()
        for path, status in files:
            digest.update(f"{path}\0{status.st_size}\0{status.st_mtime_ns}\0".encode())
            if same_times:
                digest.update(Path(path).read_bytes())
    except OSError:
        return None
    return digest.hexdigest()


# Taken when the package is imported: a file that is edited later is not the code that runs.
FINGERPRINT = fingerprint()
