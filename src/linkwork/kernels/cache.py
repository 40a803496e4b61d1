"""Object code and its index on disk, so that a kernel is made once per machine.

An entry is trusted only if its digest fits: a file that is damaged, truncated or written by something
else is deleted and made again. Files appear by an atomic rename, so two processes may make the same
entry at the same time. Folder and files belong to the user alone, since their content is executed. What
was not used for the longest time goes first when the cache is full.
"""

from __future__ import annotations

import contextlib
import hashlib
import math
import os
import stat
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from linkwork.core.errors import InputError

CACHE_VARIABLE = "LINKWORK_CACHE"
MAGIC = b"linkwork kernel 1\n"
# A time of last use that is at most this old is left as it is [s].
RECENT = 3600
# Neither wait for a pipe that somebody put there nor follow a link.
_OPEN = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0)
_OPEN |= getattr(os, "O_BINARY", 0)
LIMIT_VARIABLE = "LINKWORK_CACHE_LIMIT"
MEBIBYTE = 1 << 20
DEFAULT_LIMIT = 512  # [MiB]; some thousands of kernels
KINDS = {"o": "kernels", "index": "index", "wasm": "modules", "model": "models", "plan": "plans"}
UNFINISHED = ".new-"  # files that are being written, or that a killed process left behind
ABANDONED = 3600  # seconds after which nobody writes such a file any more
# The folder is looked through after the first entry that a process writes, then once per this many bytes
# (or a quarter of the limit).
LOOK_EVERY = 16 * MEBIBYTE

_written_since_look = LOOK_EVERY


def _chosen_folder() -> Path | None:
    """Where the user wants the cache; None if it is off or there is no such place."""
    setting = os.environ.get(CACHE_VARIABLE)
    if setting == "off":
        return None
    try:
        if setting:
            return Path(setting).expanduser()
        return Path(platformdirs.user_cache_dir("linkwork")).expanduser() / "kernels"
    except RuntimeError:  # a user without home, as in some containers, or a name that is no user's
        return None


def _ours_alone(status: os.stat_result) -> bool:
    """Whether nobody else can have written there. Windows keeps users' folders apart by itself."""
    return not hasattr(os, "getuid") or (status.st_uid == os.getuid() and not status.st_mode & 0o022)


def cache_folder() -> Path | None:
    """The folder of object code; None if LINKWORK_CACHE is 'off' or the folder is not ours alone."""
    folder = _chosen_folder()
    if folder is None:
        return None
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        return folder if _ours_alone(folder.stat()) else None
    except OSError:
        return None


def seal(name: str, content: bytes) -> bytes:
    """Content with a digest of itself and of the name it is stored under."""
    return MAGIC + hashlib.sha256(name.encode() + b"\0" + content).digest() + content


def _unseal(name: str, sealed: bytes) -> bytes | None:
    content = sealed[len(MAGIC) + hashlib.sha256().digest_size :]
    return content if sealed == seal(name, content) else None


def _read_file(path: Path) -> bytes | None:
    """A plain file of ours, marked as used; None if it is missing or anything else."""
    try:
        with open(os.open(path, _OPEN), "rb") as file:
            status = os.fstat(file.fileno())
            if not (stat.S_ISREG(status.st_mode) and _ours_alone(status)):
                return None
            content = file.read()
    except OSError:
        return None
    if abs(time.time() - status.st_mtime) > RECENT:  # or the clock was wrong when it was used
        with contextlib.suppress(OSError):
            os.utime(path)
    return content


def read(key: str, kind: str = "o") -> bytes | None:
    """The content stored under `key`, or None if there is no sound entry; `kind` ends the file name."""
    folder = cache_folder()
    if folder is None:
        return None
    name = f"{key}.{kind}"
    sealed = _read_file(folder / name)
    if sealed is None:
        return None
    content = _unseal(name, sealed)
    if content is None:
        discard(key, kind)
    return content


def write(key: str, content: bytes, kind: str = "o") -> None:
    """Store content; a cache that cannot be written is no reason to fail."""
    folder = cache_folder()
    if folder is None:
        return
    temporary = None
    try:
        with tempfile.NamedTemporaryFile(dir=folder, prefix=UNFINISHED, delete=False) as file:
            temporary = file.name
            file.write(seal(f"{key}.{kind}", content))
        os.replace(temporary, folder / f"{key}.{kind}")
    except OSError:
        if temporary:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
        return
    keep_within_limit(folder, len(content))


def discard(key: str, kind: str = "o") -> None:
    """Forget the entry under `key`."""
    folder = cache_folder()
    if folder is not None:
        with contextlib.suppress(OSError):
            (folder / f"{key}.{kind}").unlink()


@dataclass(frozen=True)
class CacheFile:
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
            f"{LIMIT_VARIABLE} = {text!r}: expected an integer of MiB from 1 to 1000000. Unset it "
            f"for {DEFAULT_LIMIT}."
        )
    return int(text) * MEBIBYTE


def files(folder: Path) -> list[CacheFile]:
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
                    found.append(CacheFile(entry.path, kind, status.st_size, status.st_mtime))
    return found


def _remove(path: str) -> bool:
    try:
        os.unlink(path)
    except OSError:
        return False
    return True


def clear(folder: Path) -> list[CacheFile]:
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
            if abs(now - file.last_used) > ABANDONED:
                _remove(file.path)
        else:
            total += file.size
            if file.kind != "plan":
                removable.append(file)
    if total <= most:
        return

    def age(file: CacheFile) -> float:
        """What a clock that was wrong has dated into the future is as good as never used."""
        return now - file.last_used if file.last_used <= now + RECENT else math.inf

    for file in sorted(removable, key=age, reverse=True):
        if total <= most * 3 // 4:  # else the next entry would look again
            break
        if _remove(file.path):
            total -= file.size
