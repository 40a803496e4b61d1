"""Which source files shape kernels, and a fingerprint of them: no cache entry outlives its code."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).parents[1]
# Recipes are written in these folders, and expressions are traced by what they import.
FOLDERS = ("control", "exports", "interface", "kernels", "mechanics", "robots", "simulation")
# What reads and writes robot files ends in a model, which is an ingredient of its own.
READERS = re.compile(
    r"robots/(urdf\w*|\w+_(file|schema|writer|checks|warnings)|bundled|document|faults|files|quantities|schema"
    r"|validation|writing|yaml_lines)\.py"
)


File = tuple[str, os.stat_result]


def _files(folder: str) -> Iterator[File]:
    """Python files below a folder, whose entries the system lists with what it knows of them."""
    for entry in os.scandir(folder):
        if entry.is_dir():
            yield from _files(entry.path)
        elif entry.name.endswith(".py"):
            yield entry.path, entry.stat()


def files_below(*folders: str) -> list[File]:
    """Python files below folders of the package."""
    return [file for folder in folders for file in _files(str(PACKAGE / folder))]


def shaping_files() -> list[File]:
    """Files that may decide what a kernel computes: a new one does until it is listed as a reader."""
    found = [(entry.path, entry.stat()) for entry in os.scandir(PACKAGE) if entry.name.endswith(".py")]
    return [file for file in found + files_below(*FOLDERS) if not READERS.fullmatch(_relative(file[0]))]


def _relative(path: str) -> str:
    return path[len(str(PACKAGE)) + 1 :].replace(os.sep, "/")


def fingerprint() -> str | None:
    """Digest of the files that shape kernels. None: there are no source files."""
    try:
        return fingerprint_of(shaping_files())
    except OSError:
        return None


def fingerprint_of(files: list[File]) -> str | None:
    """Digest of place, sizes and times of files. None: one of them cannot be read.

    Reading them all would take longer than loading a kernel. Where every file carries the same time, as
    some packagers arrange it, times tell nothing and the contents are read after all.
    """
    try:
        same_times = len({status.st_mtime_ns for _, status in files}) == 1
        digest = hashlib.sha256()
        for path, status in sorted(files):
            digest.update(f"{path}\0{status.st_size}\0{status.st_mtime_ns}\0".encode())
            if same_times:
                digest.update(Path(path).read_bytes())
    except OSError:
        return None
    return digest.hexdigest()


# Taken when the package is imported: a file that is edited later is not the code that runs.
FINGERPRINT = fingerprint()
