"""How much the cache holds and may hold; entries that were not used for the longest time go first."""

from __future__ import annotations

import contextlib
import os
import time
from dataclasses import dataclass
from pathlib import Path

from linkwork.errors import InputError

LIMIT_VARIABLE = "LINKWORK_CACHE_LIMIT"
MEBIBYTE = 1 << 20
DEFAULT_LIMIT = 512  # [MiB]; some thousands of kernels
KINDS = {"o": "kernels", "index": "index", "model": "models", "plan": "plans"}
UNFINISHED = ".new-"  # files that are being written, or that a killed process left behind
ABANDONED = 3600  # seconds after which nobody writes such a file any more
# The folder is looked through after the first entry that a process writes, then once per this many bytes
# (or a quarter of the limit).
LOOK_EVERY = 16 * MEBIBYTE

_written_since_look = LOOK_EVERY


@dataclass(frozen=True)
class File:
    """A file of the cache."""

    path: str
    kind: str
    size: int  # [bytes]
    last_used: float  # [s since 1970]


def limit() -> int:
    """The most that the cache may hold [bytes]; LINKWORK_CACHE_LIMIT is in MiB."""
    text = os.environ.get(LIMIT_VARIABLE)
    if not text:
        return DEFAULT_LIMIT * MEBIBYTE
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= 10**6):
        raise InputError(
            f"{LIMIT_VARIABLE} = {text!r}: allowed is a whole number of MiB from 1 to 1000000. Unset it "
            f"for {DEFAULT_LIMIT}."
        )
    return int(text) * MEBIBYTE


def files(folder: Path) -> list[File]:
    """What lies in the folder: entries, and files that were never finished."""
    found = []
    with contextlib.suppress(OSError), os.scandir(folder) as listing:
        for entry in listing:
            kind = UNFINISHED if entry.name.startswith(UNFINISHED) else entry.name.rpartition(".")[2]
            if kind not in (*KINDS, UNFINISHED):
                continue
            with contextlib.suppress(OSError):  # gone meanwhile
                if entry.is_file(follow_symlinks=False):
                    status = entry.stat(follow_symlinks=False)
                    found.append(File(entry.path, kind, status.st_size, status.st_mtime))
    return found


def _remove(path: str) -> bool:
    try:
        os.unlink(path)
    except OSError:
        return False
    return True


def clear(folder: Path) -> list[File]:
    """Delete every entry; those that were deleted."""
    return [file for file in files(folder) if _remove(file.path)]


def keep_within_limit(folder: Path, written: int) -> None:
    """After `written` bytes, now and then: delete what was not used for the longest time.

    Plans stay: they are small, and somebody may have searched for minutes to find them.
    """
    global _written_since_look
    most = limit()
    _written_since_look += written
    if _written_since_look < min(LOOK_EVERY, most // 4):
        return
    _written_since_look = 0
    now = time.time()
    total, removable = 0, []
    for file in files(folder):
        if file.kind == UNFINISHED:
            if now - file.last_used > ABANDONED:
                _remove(file.path)
        else:
            total += file.size
            if file.kind != "plan":
                removable.append(file)
    if total <= most:
        return
    for file in sorted(removable, key=lambda file: file.last_used):
        if total <= most * 3 // 4:  # else the next entry would look again
            break
        if _remove(file.path):
            total -= file.size
