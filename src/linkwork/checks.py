"""Arguments of the kinds that every part of the package takes."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linkwork.errors import InputError

Array = NDArray[np.float64]
REAL = "biufO"  # kinds of NumPy types: truth values, whole numbers, floats, and Python's own


def real(value: ArrayLike, name: str) -> Array:
    """Real numbers of any shape, finite or not; a copy."""
    try:
        raw = np.asarray(value)
        if raw.dtype.kind not in REAL:  # NumPy would drop imaginary parts, and read numbers from texts
            raise InputError(f"{name} holds {raw.dtype} values; allowed are real numbers.")
        return raw.astype(np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        shown = repr(value) if not isinstance(value, int) else f"{str(value)[:20]}..."
        raise InputError(f"{name} = {shown}: allowed are numbers, in rows of equal length.") from error


def numbers(value: ArrayLike, name: str) -> Array:
    """Finite numbers of any shape."""
    array = real(value, name)
    if np.ma.isMaskedArray(value) and np.ma.is_masked(value):
        raise InputError(f"{name} has masked elements; fill them, or leave their rows out.")
    if not np.isfinite(array).all():
        index = tuple(int(k) for k in np.argwhere(~np.isfinite(array))[0])
        place = f" at {index[0] if len(index) == 1 else index}" if index else ""
        raise InputError(f"{name} is {array[index]}{place}; allowed are finite numbers.")
    return array


def path_of(value: str | os.PathLike[str], name: str = "path") -> Path:
    """The path of a file, as a text or a path."""
    written = os.fspath(value) if isinstance(value, str | os.PathLike) else None
    if not isinstance(written, str) or not written or "\0" in written:
        raise InputError(f"{name} = {value!r}: allowed is the name of a file.")
    return Path(written)


def whole(value: int, name: str, least: int) -> int:
    """One whole number, not below `least`."""
    number = numbers(value, name)
    if number.shape != () or number != np.round(number) or number < least:
        raise InputError(f"{name} = {value!r}: allowed is one whole number, {least} or above.")
    return int(number)


def _in(unit: str) -> str:
    return f" [{unit}]" if unit else ""


def positive(value: float, name: str, unit: str) -> float:
    """One finite number above zero."""
    number = numbers(value, name)
    if number.shape != () or not number > 0:
        raise InputError(f"{name} = {value!r}: allowed is one number above 0{_in(unit)}.")
    return float(number)


def not_negative(value: float, name: str, unit: str) -> float:
    """One finite number, zero or above."""
    number = numbers(value, name)
    if number.shape != () or not number >= 0:
        raise InputError(f"{name} = {value!r}: allowed is one number >= 0{_in(unit)}.")
    return float(number)
