"""In which unit a robot file writes its angles: answers about the robot are in the same."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from linkwork.formatting import AngleUnit

# The readers of single values are called by pydantic, which hands nothing else through.
_noted: ContextVar[set[str] | None] = ContextVar("units of the angles read", default=None)


@contextmanager
def noting_angles() -> Iterator[set[str]]:
    """The units of all angles that are read meanwhile."""
    units: set[str] = set()
    token = _noted.set(units)
    try:
        yield units
    finally:
        _noted.reset(token)


def note_angle(value: float, unit: str) -> None:
    """An angle is read; zero is the same in every unit and tells nothing."""
    units = _noted.get()
    if units is not None and value:
        units.add(unit)


def angle_unit(units: set[str]) -> AngleUnit:
    """Degrees if any angle is written in them, or none at all; plain numbers are radians."""
    return "rad" if units == {"rad"} else "deg"
