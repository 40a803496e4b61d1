"""Object code and its index on disk, so that a kernel is made once per machine.

An entry is trusted only if its digest fits: a file that is damaged, truncated or written by something
else is deleted and made again. Files appear by an atomic rename, so two processes may make the same
entry at the same time. Folder and files belong to the user alone, since their content is executed.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import tempfile
import time
from pathlib import Path

import platformdirs

from linkwork.kernels import cache_size

CACHE_VARIABLE = "LINKWORK_CACHE"
MAGIC = b"linkwork kernel 1\n"
# A time of last use that is at most this old is left as it is [s].
RECENT = 3600
# Neither wait for a pipe that somebody put there nor follow a link.
_OPEN = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0)
_OPEN |= getattr(os, "O_BINARY", 0)


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
    if time.time() - status.st_mtime > RECENT:
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
        with tempfile.NamedTemporaryFile(dir=folder, prefix=cache_size.UNFINISHED, delete=False) as file:
            temporary = file.name
            file.write(seal(f"{key}.{kind}", content))
        os.replace(temporary, folder / f"{key}.{kind}")
    except OSError:
        if temporary:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
        return
    cache_size.keep_within_limit(folder, len(content))


def discard(key: str, kind: str = "o") -> None:
    """Forget the entry under `key`."""
    folder = cache_folder()
    if folder is not None:
        with contextlib.suppress(OSError):
            (folder / f"{key}.{kind}").unlink()
