"""External wrenches of a simulation: constant, a table over time, a function, or contact."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from linkwork.checks import numbers
from linkwork.control.base import State
from linkwork.errors import InputError
from linkwork.interface.robot import Array
from linkwork.mechanics.contact import Contact, PlantInContact
from linkwork.mechanics.plant import Plant
from linkwork.simulation.times import INSTANT

SIZE = 6
ALLOWED = (
    "allowed are six numbers, a WrenchTable, a Contact such as SpringWall, or a function f(time, state)"
)


@dataclass(frozen=True, eq=False)
class WrenchTable:
    """Wrenches over time, straight lines between rows; before and after, the first and the last hold.

    Force, then moment, as the robot's own dynamics methods take them: of an arm what its last link
    exerts on its surroundings, in that link's frame; of a platform what acts on it, in its axes.

    Args:
        time: (N,) [s], increasing. Two rows of the same time are a jump.
        values: (N, 6) [N, N m].
    """

    time: Array
    values: Array

    def __post_init__(self) -> None:
        time, values = numbers(self.time, "time"), numbers(self.values, "values")
        if time.ndim != 1 or not len(time) or values.shape != (len(time), SIZE):
            raise InputError(
                f"WrenchTable: time has shape {time.shape} and values {values.shape}; allowed are (N,) "
                f"and (N, {SIZE})."
            )
        if (np.diff(time) < 0).any():
            k = int(np.argmax(np.diff(time) < 0)) + 1
            raise InputError(f"WrenchTable: time goes back to {time[k]:g} s at row {k}; sort the rows.")
        object.__setattr__(self, "time", time)
        object.__setattr__(self, "values", values)

    @property
    def jumps(self) -> tuple[float, ...]:
        """Times at which a wrench changes at once."""
        return tuple(float(t) for t in self.time[1:][np.diff(self.time) == 0])

    def at(self, time: ArrayLike, before: bool = False) -> Array:
        """Wrenches (..., 6); at a jump the one after it, or the one `before` it."""
        t = np.asarray(time, dtype=np.float64)
        side: Literal["left", "right"] = "left" if before else "right"
        high = np.searchsorted(self.time, t - INSTANT if before else t + INSTANT, side=side)
        low = np.clip(high - 1, 0, None)
        high = np.clip(high, None, len(self.time) - 1)
        first, last = self.time[low], self.time[high]
        width = np.where(last > first, last - first, 1.0)
        share = np.clip((t - first) / width, 0.0, 1.0)[..., None]
        return np.asarray((1 - share) * self.values[low] + share * self.values[high])

    def over_steps(self, begin: ArrayLike, length: ArrayLike) -> Array:
        """(..., 18): at the beginning, in the middle and at the end of steps."""
        begin, length = np.asarray(begin, dtype=np.float64), np.asarray(length, dtype=np.float64)
        middle = self.at(begin + length / 2)
        return np.concatenate([self.at(begin), middle, self.at(begin + length, before=True)], axis=-1)


Function = Callable[[float, State], ArrayLike]


@dataclass(frozen=True, eq=False)
class External:
    """At most one of: a table, a function, contact."""

    table: WrenchTable | None = None
    function: Function | None = None
    contact: Contact | None = None

    @property
    def added(self) -> bool:
        """Whether kernels take a wrench as an input."""
        return self.table is not None or self.function is not None


def external_of(given: Any) -> External:
    """What users give as `wrench`."""
    if given is None:
        return External()
    if isinstance(given, WrenchTable):
        return External(table=given)
    if isinstance(given, Contact):
        return External(contact=given)
    if callable(given):
        return External(function=given)
    values = numbers(given, "wrench")
    if values.shape != (SIZE,):
        raise InputError(f"wrench has shape {values.shape}: {ALLOWED}.")
    return External(table=WrenchTable(np.zeros(1), values[None]))


def touching(plant: Plant, contact: Contact | None) -> Plant:
    """A plant, in contact with something if there is any."""
    return plant if contact is None else PlantInContact(plant, contact)
