"""Files that are read, opened in one way: none hangs, fills the memory or fails without a reason.

A pipe would wait for ever and a device is unbounded: both are found before they are opened. Sizes, lines
and empty rows are bounded, whatever a file promises.
"""

from __future__ import annotations

import csv
import io
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

from linkwork.core.arguments import path_of
from linkwork.core.errors import InputError

Place = str | os.PathLike[str]
LARGEST_TABLE = 500_000_000  # bytes
LONGEST_LINE = 2**20  # characters; a header of the most columns that a table may have is shorter
MOST_EMPTY = 1_000_000  # rows that hold nothing: as many as a spreadsheet leaves below its numbers
FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


@contextmanager
def opened(path: Place, largest: int | None = None) -> Iterator[BinaryIO]:
    """A file to read from; an InputError says why it cannot be read.

    Args:
        largest: bytes that it may have; None is any number.
    """
    path_of(path)
    try:
        _refuse_special(path, os.stat(path))
        with os.fdopen(os.open(path, FLAGS), "rb") as file:
            status = os.fstat(file.fileno())
            _refuse_special(path, status)  # what was looked at before may have been replaced
            if largest is not None and status.st_size > largest:
                raise InputError(f"{path}: has {status.st_size} bytes; expected at most {largest}.")
            yield file
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error}).") from error
    except UnicodeDecodeError as error:
        byte = error.object[error.start]
        raise InputError(f"{path}: byte 0x{byte:02x} is not UTF-8; save the file as UTF-8.") from error


def refuse_special(path: Place) -> None:
    """An InputError if a library that opens it would wait for ever, or read without end."""
    try:
        _refuse_special(path, os.stat(path))
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error}).") from error


def _refuse_special(path: Place, status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode) and not stat.S_ISDIR(status.st_mode):
        raise InputError(f"{path}: is a pipe or a device; expected a file. Save its content first.")


def read_bytes(path: Place, largest: int) -> bytes:
    """All of a file of at most `largest` bytes."""
    with opened(path, largest) as file:
        content = file.read(largest + 1)  # it may have grown, or not know its size
    if len(content) > largest:
        raise InputError(f"{path}: has more than {largest} bytes.")
    return content


def separator_of(path: Place) -> str:
    """What separates the columns of a table, by its first line: commas, if there are any."""
    with opened(path, LARGEST_TABLE) as file:
        first = file.readline(LONGEST_LINE).decode("utf-8-sig", "replace").strip()
    return next((each for each in ",;\t " if each in first), ",")


def csv_rows(
    path: Place, largest: int = LARGEST_TABLE, separator: str = ","
) -> Iterator[tuple[int, list[str]]]:
    """The rows of a CSV that hold anything, each with its line."""
    empty = 0
    with (
        opened(path, largest) as file,
        io.TextIOWrapper(file, encoding="utf-8-sig", newline="") as stream,
    ):
        rows = csv.reader(_lines(path, stream), delimiter=separator)
        try:
            for cells in rows:
                if any(map(str.strip, cells)):
                    yield rows.line_num, cells
                elif (empty := empty + 1) > MOST_EMPTY:
                    raise InputError(
                        f"{path}, line {rows.line_num}: more than {MOST_EMPTY} empty rows. Delete them."
                    )
        except csv.Error as error:
            raise InputError(f"{path}, line {rows.line_num}: {error}.") from error


def _lines(path: Place, stream: io.TextIOWrapper) -> Iterator[str]:
    number = 0
    while line := stream.readline(LONGEST_LINE + 1):
        number += 1
        if len(line) > LONGEST_LINE:
            raise InputError(f"{path}, line {number}: has more than {LONGEST_LINE} characters.")
        yield line
