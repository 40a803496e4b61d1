"""Files that appear whole or not at all, one or several together.

What is written waits beside its place, under a hidden name that tells the machine and the process it is
of. A process that is killed leaves such files; the next one that writes there removes them.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import platform
import secrets
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import BinaryIO

from linkwork.core.errors import WriteError

HIDDEN = f".linkwork-{hashlib.sha256(platform.node().encode()).hexdigest()[:8]}-"
PATIENCE = 5.0  # seconds that a pipe is waited for
FRESH, OLD = "fresh", "old"  # files to come, and those that they replace


def write_whole(path: str | os.PathLike[str], write: Callable[[BinaryIO], None]) -> None:
    """Let `write` fill a new file beside the target, then put it in the target's place.

    What stood there before is replaced; if anything goes wrong, it stays as it was. A link is followed,
    and a device or a pipe is written to as it is.
    """
    target = Path(os.path.realpath(path))
    try:
        if os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path):
            with _special(path) as file:  # the path as given: a device may have no other name
                write(file)
        else:
            _clear_once(target.parent)
            _replace(target, write)
    except OSError as error:
        raise WriteError(f"{path} cannot be written: {_reason(target, error)}.") from error


def write_bytes(path: str | os.PathLike[str], content: bytes) -> Path:
    """Put `content` into a file, whole or not at all."""
    target = Path(path)

    def write(file: BinaryIO) -> None:
        file.write(content)

    write_whole(target, write)
    return target


def write_together(folder: Path, files: Mapping[str, bytes]) -> list[str]:
    """Put files, by their paths in a folder, there all or none; the folder is made.

    A new folder appears with all of them. Among others, files that are replaced come back if anything
    goes wrong. Returns remarks on files that a killed process was replacing.
    """
    waiting = _hidden(folder)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        among_others = folder.is_dir() and (
            any(folder.iterdir()) or not os.access(folder.parent, os.W_OK)
        )
        beside = folder if among_others else folder.parent
        remarks = clear_abandoned(beside)
        waiting = _hidden(beside)
        try:
            for place, content in files.items():
                _put(waiting / FRESH / place, content)
            if among_others:
                _exchange(waiting, folder, tuple(files))
            else:
                os.replace(waiting / FRESH, folder)
        except BaseException:
            if not _holds_files(waiting / OLD):
                shutil.rmtree(waiting, ignore_errors=True)
            raise
        shutil.rmtree(waiting, ignore_errors=True)
    except OSError as error:
        kept = f" {waiting / OLD} holds files that were replaced." if _holds_files(waiting / OLD) else ""
        raise WriteError(f"{folder} cannot be written: {_reason(folder, error)}.{kept}") from error
    return remarks


def _holds_files(folder: Path) -> bool:
    return any(path.is_file() for path in folder.rglob("*"))


def clear_abandoned(folder: Path) -> list[str]:
    """Remove what killed processes have left in a folder.

    Files that they were replacing stay; returns remarks on those.
    """
    remarks = []
    for left in sorted(folder.glob(f"{HIDDEN}*")):
        number = left.name.removeprefix(HIDDEN).split("-")[0]
        if not number.isdigit() or _alive(int(number)):
            continue
        if _holds_files(left / OLD):
            remarks.append(f"{left / OLD} holds files that a command replaced when it was killed")
        elif left.is_dir():
            shutil.rmtree(left, ignore_errors=True)
        else:
            with contextlib.suppress(OSError):
                left.unlink()
    return remarks


@contextlib.contextmanager
def scratch_folder() -> Iterator[Path]:
    """A folder for files that nobody keeps; a WriteError that names it if it cannot be written to."""
    try:
        made = tempfile.TemporaryDirectory(prefix="linkwork-", ignore_cleanup_errors=True)
    except OSError as error:
        raise WriteError(f"no temporary folder can be made: {_reason(None, error)}. {_ROOM}") from error
    with made as name:
        try:
            yield Path(name)
        except OSError as error:
            if error.filename is not None and not str(error.filename).startswith(name):
                raise
            raise WriteError(
                f"the temporary folder {name} cannot be written: {_reason(None, error)}. {_ROOM}"
            ) from error


_ROOM = "Make room there, or set TMPDIR to a folder that has some."


def _hidden(folder: Path) -> Path:
    return folder / f"{HIDDEN}{os.getpid()}-{secrets.token_hex(6)}"


@cache
def _clear_once(folder: Path) -> None:
    """Per process: a folder may get thousands of files."""
    clear_abandoned(folder)


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


def _replace(target: Path, write: Callable[[BinaryIO], None]) -> None:
    if target.is_dir():
        raise IsADirectoryError("it is a folder")
    fresh = _hidden(target.parent)
    try:
        with _new_file(fresh) as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
            if not fresh.exists():
                with contextlib.suppress(FileExistsError):
                    _give_name(file, target)  # nothing was there: it appears at once
                    return
                _give_name(file, fresh)
        if target.exists():
            fresh.chmod(target.stat().st_mode & 0o777)
        os.replace(fresh, target)
    except BaseException:
        with contextlib.suppress(OSError):
            fresh.unlink(missing_ok=True)
        raise


def _special(path: str | os.PathLike[str]) -> BinaryIO:
    """A pipe or a device, opened to be written to; a pipe that nobody reads for a while is given up."""
    give_up = time.monotonic() + PATIENCE
    while True:
        try:
            descriptor = os.open(path, os.O_WRONLY | getattr(os, "O_NONBLOCK", 0))
            break
        except OSError as error:
            if error.errno != errno.ENXIO or time.monotonic() > give_up:
                raise
        time.sleep(0.02)
    os.set_blocking(descriptor, True)
    return os.fdopen(descriptor, "wb")


def _new_file(fresh: Path) -> BinaryIO:
    """A file without a name where there are such, so that nothing stays if the process is killed.

    Linux has them, on most file systems; elsewhere the file has its name from the beginning.
    """
    if hasattr(os, "O_TMPFILE") and os.path.isdir("/proc/self/fd"):
        with contextlib.suppress(OSError):
            flags = os.O_TMPFILE | os.O_RDWR
            return os.fdopen(os.open(fresh.parent, flags, 0o666), "wb")
    return fresh.open("xb")


def _give_name(file: BinaryIO, name: Path) -> None:
    folder = os.open(name.parent, os.O_RDONLY)
    try:
        # Only with a folder does Python ask the system to follow the link to the open file.
        os.link(f"/proc/self/fd/{file.fileno()}", name, src_dir_fd=folder, follow_symlinks=True)
    finally:
        os.close(folder)


def _put(file: Path, content: bytes) -> None:
    """Into a folder that is being filled; on the disk before anything is exchanged for it."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("xb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())


def _exchange(waiting: Path, target: Path, places: tuple[str, ...]) -> None:
    """Put files among others; those of the same names are kept until all is done."""
    moved: list[tuple[Path, Path | None]] = []
    try:
        for place in places:
            file, kept = target / place, None
            if file.is_dir():
                raise IsADirectoryError(f"{place} is a folder")
            file.parent.mkdir(parents=True, exist_ok=True)
            if file.exists():
                kept = waiting / OLD / place
                kept.parent.mkdir(parents=True, exist_ok=True)
                _keep(file, kept)
            moved.append((file, kept))
            os.replace(waiting / FRESH / place, file)
    except BaseException:
        for file, kept in moved:
            with contextlib.suppress(OSError):
                if kept is None:
                    file.unlink(missing_ok=True)
                else:
                    os.replace(kept, file)
        raise


def _keep(file: Path, kept: Path) -> None:
    """By another name, so that the file is always there; by a copy where a file has one name only."""
    try:
        os.link(file, kept)
    except OSError:
        shutil.copy2(file, kept)


def _reason(target: Path | None, error: OSError) -> str:
    if target is not None and not target.parent.is_dir():
        return (
            f"{target.parent} is not a folder" if target.parent.exists() else "there is no such folder"
        )
    if error.errno == errno.ENXIO:
        return "it is a pipe that nobody reads"
    return error.strerror or str(error)
