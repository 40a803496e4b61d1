"""Object code and its index on disk, so that a kernel is made once per machine.

An entry is trusted only if its digest fits: a file that is damaged, cut short or written by something
else is deleted and made again. Files appear by an atomic rename, so two processes may make the same
entry at the same time. The folder belongs to the user alone, since its content is executed.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from pathlib import Path

import platformdirs

CACHE_VARIABLE = "LINKWORK_CACHE"
MAGIC = b"linkwork kernel 1\n"


def cache_folder() -> Path | None:
    """Where object code is kept; None if LINKWORK_CACHE is 'off' or the folder is not ours alone."""
    setting = os.environ.get(CACHE_VARIABLE)
    if setting == "off":
        return None
    folder = (
        Path(setting).expanduser()
        if setting
        else Path(platformdirs.user_cache_dir("linkwork")) / "kernels"
    )
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        if hasattr(os, "getuid"):
            status = folder.stat()
            if status.st_uid != os.getuid() or status.st_mode & 0o022:
                return None
    except OSError:
        return None
    return folder


def seal(name: str, content: bytes) -> bytes:
    """Content with a digest of itself and of the name it is stored under."""
    return MAGIC + hashlib.sha256(name.encode() + b"\0" + content).digest() + content


def _unseal(name: str, sealed: bytes) -> bytes | None:
    content = sealed[len(MAGIC) + hashlib.sha256().digest_size :]
    return content if sealed == seal(name, content) else None


def read(key: str, kind: str = "o") -> bytes | None:
    """The content stored under `key`, or None if there is no sound entry; `kind` ends the file name."""
    folder = cache_folder()
    if folder is None:
        return None
    name = f"{key}.{kind}"
    try:
        sealed = (folder / name).read_bytes()
    except OSError:
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
        with tempfile.NamedTemporaryFile(dir=folder, prefix=".new-", delete=False) as file:
            temporary = file.name
            file.write(seal(f"{key}.{kind}", content))
        os.replace(temporary, folder / f"{key}.{kind}")
    except OSError:
        if temporary:
            with contextlib.suppress(OSError):
                os.unlink(temporary)


def discard(key: str, kind: str = "o") -> None:
    """Forget the entry under `key`."""
    folder = cache_folder()
    if folder is not None:
        with contextlib.suppress(OSError):
            (folder / f"{key}.{kind}").unlink()
