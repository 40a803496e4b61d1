"""What acts on a simulated robot from outside: loads, and wrenches over time or by contact."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from linkwork.control.base import State
from linkwork.core.arguments import numbers
from linkwork.core.checked import checked
from linkwork.core.errors import InputError
from linkwork.mechanics.bodies import PARAMETERS, pseudo_inertia
from linkwork.mechanics.plant import Contact, Plant
from linkwork.robot.robot import Array
from linkwork.simulation.schedule import INSTANT

PAYLOADS = (
    "expected a mass [kg] at the tip of an arm or the reference point of a platform, or the ten "
    "parameters of a load (point_payload)"
)
SIZE = 6
WRENCHES = (
    "expected six numbers, a WrenchTable, a Contact such as SpringWall, or a function f(time, state)"
)
# Of the largest eigenvalue: what rounding leaves of a point mass, whose pseudo-inertia is singular.
ROUNDING = 1e-9


def payload_parameters(payload: ArrayLike, batch: int | None = None) -> Array:
    """Ten parameters (10,) of one load, or (batch, 10) of one load for each of many runs.

    Args:
        payload: a mass, or ten parameters; for many runs also masses (batch,) or (batch, 1), or
            parameters (batch, 10).
        batch: number of runs if that is known; None for a single run.
    """
    values = numbers(payload, "payload")
    many = batch is not None
    if values.shape == () or (many and values.ndim == 2 and values.shape[1] == 1):
        values = _masses(values.reshape(values.shape[:1]))
    elif many and values.ndim == 1 and len(values) != PARAMETERS:
        values = _masses(values)
    elif many and values.shape == (PARAMETERS,) == (batch,):
        raise InputError(
            f"payload has ten numbers for a batch of ten: {PAYLOADS}; write ten masses as (10, 1), or "
            "ten loads as (10, 10)."
        )
    if values.shape[-1:] != (PARAMETERS,) or values.ndim > (2 if many else 1):
        shapes = f", one or {batch if batch and batch > 1 else 'many'} of them" if many else ""
        raise InputError(f"payload has shape {np.shape(payload)}: {PAYLOADS}{shapes}.")
    _check_bodies(np.atleast_2d(values), payload)
    return values


@dataclass(frozen=True, eq=False)
class Loads:
    """A load that changes: row k of `parameters` (K, 10) from `times[k]` on, nothing before."""

    times: Array
    parameters: Array

    def at(self, time: float) -> Array:
        """The load at a time."""
        k = int(np.searchsorted(self.times, time + INSTANT, side="right")) - 1
        return self.parameters[k] if k >= 0 else np.zeros(PARAMETERS)

    @property
    def changes(self) -> tuple[float, ...]:
        """Times above zero at which it changes."""
        return tuple(float(time) for time in self.times if time > 0)


Payload = ArrayLike | list[tuple[float, ArrayLike | None]] | None  # as users give it


def loads_of(payload: Any) -> Loads | None:
    """One load for ever, or a list of pairs (time, load): each from its time on, None is no load."""
    if payload is None:
        return None
    paired = isinstance(payload, list) and all(isinstance(each, tuple) for each in payload)
    if not paired or not payload:
        return Loads(np.zeros(1), payload_parameters(payload)[None])
    if any(len(each) != 2 for each in payload):
        raise InputError("payload: a load that changes is a list of pairs (time, load).")
    times = numbers([time for time, _ in payload], "payload: time")
    if times.ndim != 1 or (times < 0).any() or (np.diff(times) <= 0).any():
        raise InputError(f"payload changes at {times.tolist()} s; expected times >= 0 that increase.")
    loads = [payload_parameters(0.0 if load is None else load) for _, load in payload]
    return Loads(times, np.array(loads))


def _masses(masses: Array) -> Array:
    result = np.zeros((*masses.shape, PARAMETERS))
    result[..., 0] = masses
    return result


def _check_bodies(loads: Array, payload: ArrayLike) -> None:
    """A body has no negative mass anywhere: its pseudo-inertia matrix has no negative eigenvalue."""
    eigenvalues = np.linalg.eigvalsh(np.moveaxis(pseudo_inertia(loads.T), -1, 0))
    wrong = eigenvalues[:, 0] < -ROUNDING * np.abs(eigenvalues).max(axis=1)
    if wrong.any():
        k = int(np.argmax(wrong))
        which = f" of run {k}" if len(loads) > 1 else ""
        if loads[k, 0] < 0:
            raise InputError(f"payload{which} has a mass of {loads[k, 0]:g} kg; expected masses >= 0.")
        raise InputError(
            f"payload{which} = {loads[k].tolist()} is not a rigid body: its inertia needs negative mass "
            f"somewhere. The order is m, m c (3), then J about the frame's origin as xx yy zz xy xz yz; "
            f"{PAYLOADS}."
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
                f"WrenchTable: time has shape {time.shape} and values {values.shape}; expected (N,) "
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

    @checked
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
Wrench = ArrayLike | WrenchTable | Contact | Function | None  # as users give it


@dataclass(frozen=True, eq=False)
class External:
    """A load, and at most one of: a table of wrenches, a function, contact."""

    loads: Loads | None = None
    table: WrenchTable | None = None
    function: Function | None = None
    contact: Contact | None = None

    @property
    def added(self) -> bool:
        """Whether kernels take a wrench as an input."""
        return self.table is not None or self.function is not None

    @property
    def changes(self) -> tuple[float, ...]:
        """Times at which a load or a wrench jumps."""
        loads = () if self.loads is None else self.loads.changes
        return (*loads, *(() if self.table is None else self.table.jumps))


def touching(plant: Plant, contact: Contact | None) -> Plant:
    """A plant, in contact with something if there is any."""
    return plant if contact is None else replace(plant, contact=contact)


def external_of(payload: Payload, wrench: Wrench) -> External:
    """What users give as `payload` and `wrench`."""
    loads = loads_of(payload)
    if wrench is None:
        return External(loads)
    if isinstance(wrench, WrenchTable):
        return External(loads, table=wrench)
    if isinstance(wrench, Contact):
        return External(loads, contact=wrench)
    if callable(wrench):
        return External(loads, function=wrench)
    values = numbers(wrench, "wrench")
    if values.shape != (SIZE,):
        raise InputError(f"wrench has shape {values.shape}: {WRENCHES}.")
    return External(loads, table=WrenchTable(np.zeros(1), values[None]))
