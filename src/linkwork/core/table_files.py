"""Tables as CSV, Parquet, NPZ or JSON by the ending."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import math
import os
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, BinaryIO, TextIO

import numpy as np

from linkwork.core.arguments import path_of
from linkwork.core.errors import InputError, LinkworkError
from linkwork.core.whole_files import write_whole

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
    lists = [np.asarray(values).tolist() for values in columns.values()]
    write_rows(columns, zip(*lists, strict=True), stream)


def write_rows(header: Iterable[str], rows: Iterable[Iterable[object]], stream: TextIO) -> None:
    """Every CSV that is written: texts stay texts in a spreadsheet, None is an empty cell."""
    lines = csv.writer(stream, lineterminator="\n")
    lines.writerow(map(as_cell, header))
    lines.writerows(map(as_cell, row) for row in rows)


# Where a cell may begin, also where a spreadsheet separates by something else than commas, and what
# would make it a formula there: in ASCII, or in the full width of East Asian scripts.
FORMULA = r"(?=\s*'*[=+\-@\uff1d\uff0b\uff0d\uff20]\s*\S)"
UNGUARDED = re.compile(rf"(^|[;|\t\r\n]){FORMULA}")
GUARDED = re.compile(rf"(^|[;|\t\r\n])'{FORMULA}")


def as_cell(value: object) -> object:
    """A value as a cell of a CSV: before a text that a spreadsheet would calculate, an apostrophe."""
    if not isinstance(value, str):
        return value
    with contextlib.suppress(ValueError):  # a number in a text is one
        float(value)
        return value
    return UNGUARDED.sub(r"\1'", value)


def text_of_cell(cell: str) -> str:
    """The text that was written as a cell."""
    return GUARDED.sub(r"\1", cell)


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
    return lambda file: pyarrow.parquet.write_table(table, file, write_page_checksum=True)


def _as_text(file: BinaryIO, write: Callable[[TextIO], None]) -> None:
    stream = io.TextIOWrapper(file, encoding="utf-8", newline="")
    write(stream)
    stream.flush()
    stream.detach()
