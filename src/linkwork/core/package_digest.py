"""Source files of this package as they were when the process began: what made the content of a cache."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).parents[1]


class Sources:
    """Python files below folders of the package.

    `digest` names them by place, size and time: reading them all would take longer than loading a
    kernel. Where every file carries the same time, as some packagers arrange it, times tell nothing and
    the contents are read after all. It is None if there are no files that can be read.
    """

    def __init__(self, *folders: str) -> None:
        self.folders = folders
        self.digest = self._digest_now()

    def unchanged(self) -> bool:
        """Whether the files are still those of `digest`: a module loaded later may be another."""
        return self._digest_now() == self.digest

    def files(self) -> list[tuple[str, os.stat_result]]:
        return [file for folder in self.folders for file in _python_files(str(PACKAGE / folder))]

    def _digest_now(self) -> str | None:
        try:
            files = self.files()
            same_times = len({status.st_mtime_ns for _, status in files}) == 1
            digest = hashlib.sha256()
            for path, status in sorted(files):
                digest.update(f"{path}\0{status.st_size}\0{status.st_mtime_ns}\0".encode())
                if same_times:
                    digest.update(Path(path).read_bytes())
        except OSError:
            return None
        return digest.hexdigest()


def _python_files(folder: str) -> Iterator[tuple[str, os.stat_result]]:
    """Files below a folder, whose entries the system lists with what it knows of them."""
    for entry in os.scandir(folder):
        if entry.is_dir():
            yield from _python_files(entry.path)
        elif entry.name.endswith(".py"):
            yield entry.path, entry.stat()
