"""Arrays of numbers from a NumPy archive that anybody may have written, or damaged."""

from __future__ import annotations

import math
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy

from linkwork.errors import InputError

Arrays = dict[str, Any]
READERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}


def read_arrays(file: Path, names: tuple[str, ...], largest: int) -> Arrays:
    """Those of the named arrays that the archive holds, as they are stored.

    Args:
        largest: bytes that they may have together. Compressed zeros unpack to a thousand times their
            size, and a header may promise more than there is: sizes are looked at first.
    """
    try:
        with zipfile.ZipFile(file) as archive:
            entries = {entry.filename.removesuffix(".npy"): entry for entry in archive.infolist()}
            chosen = {name: entries[name] for name in names if name in entries}
            if (size := sum(entry.file_size for entry in chosen.values())) > largest:
                raise InputError(f"{file}: unpacks to {size} bytes; allowed are {largest}.")
            if not chosen:
                raise InputError(f"{file}: has {_listed(list(entries))}; needed are {', '.join(names)}.")
            return {name: _array(archive, entry, file, name) for name, entry in chosen.items()}
    except InputError:
        raise
    except MemoryError:
        raise InputError(f"{file}: not enough memory for its arrays.") from None
    except Exception as error:  # a damaged archive fails in zipfile, zlib, ast or NumPy, in any way
        raise InputError(f"{file}: not a NumPy archive of plain numbers ({error}).") from error


def _listed(names: list[str]) -> str:
    return ", ".join(name[:40] for name in names[:10]) or "no arrays"


def _array(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, file: Path, name: str) -> Any:
    with archive.open(entry) as stream:
        version = npy.read_magic(stream)
        if version not in READERS:
            raise ValueError(f"{name} has version {version}")
        shape, by_columns, dtype = READERS[version](stream)
        if dtype.kind not in "iuf":
            raise InputError(f"{file}: {name} holds {dtype}; allowed are real numbers.")
        count = math.prod(shape)
        if count * dtype.itemsize > entry.file_size:
            raise ValueError(f"{name} has shape {shape} but only {entry.file_size} bytes")
        flat = np.frombuffer(stream.read(), dtype=dtype)
    if flat.size != count:
        raise ValueError(f"{name} has shape {shape} but {flat.size} numbers")
    return flat.reshape(shape, order="F" if by_columns else "C")
