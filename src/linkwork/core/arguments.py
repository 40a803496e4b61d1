"""Checks of arguments: numbers, names and flags that a call was given."""

from __future__ import annotations

import os
import reprlib
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linkwork.core.errors import InputError
from linkwork.core.text import nearest


def one_of(name: str, allowed: Iterable[str], what: str, other: str = "") -> str:
    """`name` itself if it is allowed; else an InputError that lists the names and suggests one.

    Args:
        other: what is allowed besides names, after the list of them.
    """
    names = list(allowed)
    if isinstance(name, str) and name in names:
        return name
    close = nearest(str(name), names)
    hint = f" Did you mean {close!r}?" if close else ""
    raise InputError(f"unknown {what} {name!r}; there are {', '.join(names) or 'none'}{other}.{hint}")


Array = NDArray[np.float64]
REAL = "biufO"  # kinds of NumPy types: truth values, integers, floats, and Python's own
UNREAL = (str, bytes, complex, type(None))


def real(value: ArrayLike, name: str) -> Array:
    """Real numbers of any shape, finite or not; a copy."""
    if np.ma.isMaskedArray(value) and np.ma.is_masked(value):
        raise InputError(f"{name} has masked elements; fill them, or leave their rows out.")
    try:
        raw = np.asarray(value)
        if raw.dtype.kind not in REAL:  # NumPy would drop imaginary parts, and read numbers from texts
            raise InputError(f"{name} holds {raw.dtype} values; expected real numbers.")
        if raw.dtype.kind == "O" and any(isinstance(each, UNREAL) for each in raw.flat):
            raise TypeError  # NumPy would make NaN of None, and numbers of texts
        return raw.astype(np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        shown = "a huge number" if isinstance(value, int) else reprlib.repr(value)
        raise InputError(f"{name} = {shown}: expected numbers, in rows of equal length.") from error


def numbers(value: ArrayLike, name: str) -> Array:
    """Finite numbers of any shape."""
    array = real(value, name)
    if not np.isfinite(array).all():
        index = tuple(int(k) for k in np.argwhere(~np.isfinite(array))[0])
        place = f" at {index[0] if len(index) == 1 else index}" if index else ""
        raise InputError(f"{name} is {array[index]}{place}; expected finite numbers.")
    return array


def rows(value: ArrayLike, name: str, size: int) -> Array:
    """A table (N, size) of finite numbers."""
    array = numbers(value, name)
    if array.ndim != 2 or array.shape[1] != size:
        raise InputError(f"{name} has shape {array.shape}; expected (N, {size}).")
    return array


def path_of(value: str | os.PathLike[str], name: str = "path") -> Path:
    """The path of a file, as a text or a path."""
    written = os.fspath(value) if isinstance(value, str | os.PathLike) else None
    try:
        usable = isinstance(written, str) and written != "" and b"\0" not in os.fsencode(written)
    except UnicodeEncodeError:
        usable = False
    if not usable:
        raise InputError(f"{name} = {reprlib.repr(value)}: expected the name of a file.")
    return Path(str(written))


def texts(value: object, name: str, what: str) -> tuple[str, ...]:
    """The texts of a list; a text alone is none, though Python takes it for its letters."""
    listed = isinstance(value, Iterable) and not isinstance(value, str | np.ndarray)
    given = tuple(value) if listed and isinstance(value, Iterable) else ()
    if not listed or not all(isinstance(each, str) for each in given):
        raise InputError(f"{name} = {reprlib.repr(value)}: expected {what}.")
    return given


def flag(value: object, name: str) -> bool:
    """An option that is on or off."""
    if not isinstance(value, (bool, np.bool_)):
        raise InputError(f"{name} = {value!r}: expected True and False.")
    return bool(value)


def whole(value: int, name: str, least: int, most: float = np.inf) -> int:
    """One integer, not below `least` and not above `most`."""
    is_whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not (is_whole and least <= value <= most):
        until = "or above" if most == np.inf else f"to {most}"
        raise InputError(f"{name} = {value!r}: expected an integer, {least} {until}.")
    return int(value)


def _in(unit: str) -> str:
    return f" [{unit}]" if unit else ""


def positive(value: float, name: str, unit: str) -> float:
    """One finite number above zero."""
    number = numbers(value, name)
    if number.shape != () or not number > 0:
        raise InputError(f"{name} = {value!r}: expected one number above 0{_in(unit)}.")
    return float(number)


def not_negative(value: float, name: str, unit: str) -> float:
    """One finite number, zero or above."""
    number = numbers(value, name)
    if number.shape != () or not number >= 0:
        raise InputError(f"{name} = {value!r}: expected one number >= 0{_in(unit)}.")
    return float(number)
