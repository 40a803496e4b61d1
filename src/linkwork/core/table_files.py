"""Files that appear whole or not at all, and tables as CSV, Parquet, NPZ or JSON by the ending."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import math
import os
import secrets
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, BinaryIO, TextIO

import numpy as np

from linkwork.core.arguments import path_of
from linkwork.core.errors import InputError, LinkworkError, WriteError

Plain = dict[str, Any]  # as JSON and YAML have it: texts, numbers, lists and mappings by name
Columns = Mapping[str, Any]  # arrays or lists
ENDINGS = (".csv", ".parquet", ".npz", ".json")


def ending_of(path: str | os.PathLike[str], allowed: tuple[str, ...] = ENDINGS) -> str:
    """The format that the name of a file asks for; an InputError that lists those there are."""
    ending = path_of(path).suffix.lower()
    if ending not in allowed:
        raise InputError(f"{path_of(path)}: allowed endings are {', '.join(allowed)}.")
    return ending


def write_table(path: str | os.PathLike[str], columns: Columns, arrays: Columns | None = None) -> None:
    """Write columns of equal length in the format of the ending.

    Args:
        columns: one-dimensional arrays by name.
        arrays: what an .npz holds instead, if its tables should stay arrays of several columns.
    """
    ending = ending_of(path)
    stored = columns if arrays is None else arrays
    if ending == ".npz":
        write_whole(path, lambda file: np.savez_compressed(file, **stored))
    elif ending == ".parquet":
        write_whole(path, _parquet(columns))
    else:
        text = write_csv if ending == ".csv" else _write_json
        write_whole(path, lambda file: _as_text(file, lambda stream: text(columns, stream)))


def write_csv(columns: Columns, stream: TextIO) -> None:
    """A header and rows; Python's own floats print with all their digits and no more."""
    lines = csv.writer(stream, lineterminator="\n")
    lines.writerow(columns)
    lines.writerows(zip(*[np.asarray(values).tolist() for values in columns.values()], strict=True))


def plain(value: object) -> Any:
    """Arrays, tuples and mappings as what JSON can hold; what is not finite becomes null."""
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    if isinstance(value, Mapping):
        return {str(name): plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if value is None or isinstance(value, str | bool | int | float):
        return value
    return str(value)


def _write_json(columns: Columns, stream: TextIO) -> None:
    json.dump(plain(columns), stream, allow_nan=False)
    stream.write("\n")


def _parquet(columns: Columns) -> Callable[[BinaryIO], None]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise LinkworkError("writing Parquet needs pyarrow: pip install pyarrow") from None
    table = pyarrow.table(dict(columns))
    return lambda file: pyarrow.parquet.write_table(table, file)


def _as_text(file: BinaryIO, write: Callable[[TextIO], None]) -> None:
    stream = io.TextIOWrapper(file, encoding="utf-8", newline="")
    write(stream)
    stream.flush()
    stream.detach()


def write_whole(path: str | os.PathLike[str], write: Callable[[BinaryIO], None]) -> None:
    """Let `write` fill a new file beside the target, then put it in the target's place.

    What stood there before is replaced; if anything goes wrong, it stays as it was. A link is followed,
    and a device or a pipe is written to as it is.
    """
    target = Path(os.path.realpath(path))
    try:
        if os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path):
            with open(path, "wb") as file:  # the path as given: a device may have no other name
                write(file)
        else:
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


def _replace(target: Path, write: Callable[[BinaryIO], None]) -> None:
    if target.is_dir():
        raise IsADirectoryError("it is a folder")
    fresh = target.with_name(f".linkwork-{secrets.token_hex(6)}")
    try:
        with _new_file(fresh) as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
            if not fresh.exists():
                _give_name(file, fresh)
        if target.exists():
            fresh.chmod(target.stat().st_mode & 0o777)
        os.replace(fresh, target)
    except BaseException:
        with contextlib.suppress(OSError):
            fresh.unlink(missing_ok=True)
        raise


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


def _reason(target: Path, error: OSError) -> str:
    if not target.parent.is_dir():
        return (
            f"{target.parent} is not a folder" if target.parent.exists() else "there is no such folder"
        )
    return error.strerror or str(error)
