"""What an export consists of, and how it gets into a folder: whole or not at all."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import platform
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path

from linkwork.core.errors import WriteError

# Of the folder in which files wait; after it the machine and the process that writes them.
HIDDEN = f".linkwork-export-{hashlib.sha256(platform.node().encode()).hexdigest()[:8]}-"
CHECK = "check.json"


@dataclass(frozen=True)
class Package:
    """Files by their path within the folder, and remarks: what the target cannot say or was left out."""

    files: Mapping[str, bytes]
    remarks: tuple[str, ...] = field(default=())


def filled(file: str, **values: str) -> str:
    """A text that comes with the exports, with values for its @NAMES@."""
    text = resources.files("linkwork.exports").joinpath(file).read_text(encoding="utf-8")
    for name, value in values.items():
        text = text.replace(f"@{name}@", value)
    return text


def with_check(name: str, content: bytes, check: object, script: str) -> dict[str, bytes]:
    """A file, states with results, and a Python script that compares."""
    return {name: content, CHECK: json_bytes(check), "check.py": script.encode()}


def json_bytes(content: object) -> bytes:
    """As a file."""
    return (json.dumps(content, indent=1) + "\n").encode()


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


def put(package: Package, path: Path) -> list[str]:
    """Write the files into a new folder beside the target, then move them where they belong.

    Files that are replaced come back if anything goes wrong. Returns remarks on what killed ones left.
    """
    try:
        remarks = _remove_stale(path.parent)
        with tempfile.TemporaryDirectory(prefix=f"{HIDDEN}{os.getpid()}-", dir=path.parent) as name:
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
    return remarks


def _remove_stale(folder: Path) -> list[str]:
    """Remove what exports that were killed have left, but files that they were replacing: say those."""
    remarks = []
    for left in sorted(folder.glob(f"{HIDDEN}*")):
        number = left.name.removeprefix(HIDDEN).split("-")[0]
        if not number.isdigit() or _alive(int(number)):
            continue
        if any(left.glob("old/*")):
            remarks.append(f"{left / 'old'} holds files that an export replaced when it was killed")
        else:
            shutil.rmtree(left, ignore_errors=True)
    return remarks


def _alive(process: int) -> bool:
    """Whether there is such a process; where the system does not tell, there is."""
    if os.name == "nt":  # os.kill would end it
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


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
