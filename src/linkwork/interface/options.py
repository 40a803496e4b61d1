"""Options of methods and kernels: flags, and which optional inputs a kernel takes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from linkwork.errors import InputError
from linkwork.robots.fields import field_of

INPUT = "input"
Vector = tuple[float, float, float]


class RuntimeInputs(NamedTuple):
    """Optional inputs that a kernel takes, in their order, and gravity if it is folded in."""

    names: tuple[str, ...]
    gravity: Vector | None


def flag(value: Any, name: str) -> bool:
    """An option that is on or off."""
    if not isinstance(value, (bool, np.bool_)):
        raise InputError(f"{name} = {value!r}: allowed are True and False.")
    return bool(value)


def runtime_inputs(allowed: tuple[str, ...], options: dict[str, Any]) -> RuntimeInputs:
    """Take the optional inputs out of the options of a kernel."""
    names, gravity = [], None
    for name in allowed:
        value = options.pop(name, None)
        if isinstance(value, str) and value == INPUT:
            names.append(name)
        elif name == "gravity" and value is not None:
            gravity = _three_numbers(value)
        elif value is True:
            names.append(name)
        elif value not in (None, False):
            raise InputError(f'{name} = {value!r}: allowed are None and "input".')
    return RuntimeInputs(tuple(names), gravity)


def _three_numbers(value: ArrayLike) -> Vector:
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        array = np.empty(0)
    if array.shape != (3,) or not np.isfinite(array).all():
        raise InputError(
            f'gravity = {value!r}: allowed are None, three finite numbers [m/s^2] and "input".'
        )
    return float(array[0]), float(array[1]), float(array[2])


def parameter_names(model: Any, names: Any) -> tuple[str, ...]:
    """Fields of a robot that become inputs of a kernel, each one known and named once."""
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise InputError(
            f"parameters = {names!r}: allowed is a list of fields, such as ['platform.mass']."
        )
    given = tuple(names)
    words = Counter(field_of(model, name).identifier for name in given)
    if doubled := [word for word, count in words.items() if count > 1]:
        raise InputError(f"parameters name {doubled[0]} twice; name each field once.")
    return given
