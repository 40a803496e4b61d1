"""What an export consists of, and how it gets into a folder: whole or not at all."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from linkwork.errors import WriteError


@dataclass(frozen=True)
class Package:
    """Files by their path within the folder, and remarks: what the target cannot say or was left out."""

    files: Mapping[str, bytes]
    remarks: tuple[str, ...] = field(default=())


def check_folder(path: Path, force: bool) -> None:
    """Refuse, before any work is done, a folder that cannot be written to or holds something."""
    if not path.parent.is_dir():
        raise WriteError(f"{path} cannot be written: there is no folder {path.parent}.")
    if path.exists() and not path.is_dir():
        raise WriteError(f"{path} cannot be written: it is a file, and an export is a folder.")
    if path.is_dir() and any(path.iterdir()) and not force:
        raise WriteError(
            f"{path} is not empty. Choose another folder, or force=True (--force), which replaces files "
            "of the same names and leaves the others."
        )


def put(package: Package, path: Path) -> None:
    """Write the files into a new folder beside the target, then move them where they belong.

    Files that are replaced come back if anything goes wrong.
    """
    try:
        with tempfile.TemporaryDirectory(prefix=".linkwork-", dir=path.parent) as name:
            fresh, old = Path(name, "fresh"), Path(name, "old")
            for place, content in package.files.items():
                file = fresh / place
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(content)
            if path.is_dir() and any(path.iterdir()):
                _exchange(fresh, path, old, tuple(package.files))
            else:
                os.replace(fresh, path)
    except OSError as error:
        raise WriteError(f"{path} cannot be written: {error.strerror or error}.") from error


def _exchange(fresh: Path, target: Path, old: Path, places: tuple[str, ...]) -> None:
    """Put files among others; those of the same names are kept in `old` until all is done."""
    moved: list[tuple[Path, Path | None]] = []
    try:
        for place in places:
            file, kept = target / place, None
            file.parent.mkdir(parents=True, exist_ok=True)
            if file.exists():
                kept = old / place
                kept.parent.mkdir(parents=True, exist_ok=True)
                os.replace(file, kept)
            moved.append((file, kept))
            os.replace(fresh / place, file)
    except BaseException:
        for file, kept in moved:
            with contextlib.suppress(OSError):
                file.unlink(missing_ok=True)
                if kept is not None:
                    shutil.move(kept, file)
        raise
