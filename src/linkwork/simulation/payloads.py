"""A load that a simulated robot carries: the same for one run and for many."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from linkwork.checks import numbers
from linkwork.errors import InputError
from linkwork.interface.robot import Array
from linkwork.mechanics.bodies import PARAMETERS
from linkwork.simulation.times import INSTANT

ALLOWED = (
    "allowed is a mass [kg] at the tip of an arm or the reference point of a platform, or the ten "
    "parameters of a load (point_load)"
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
            f"payload has ten numbers for a batch of ten: {ALLOWED}; write ten masses as (10, 1), or "
            "ten loads as (10, 10)."
        )
    if values.shape[-1:] != (PARAMETERS,) or values.ndim > (2 if many else 1):
        shapes = f", one or {batch if batch and batch > 1 else 'many'} of them" if many else ""
        raise InputError(f"payload has shape {np.shape(payload)}: {ALLOWED}{shapes}.")
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
        raise InputError(f"payload changes at {times.tolist()} s; allowed are times >= 0 that increase.")
    loads = [payload_parameters(0.0 if load is None else load) for _, load in payload]
    return Loads(times, np.array(loads))


def _masses(masses: Array) -> Array:
    result = np.zeros((*masses.shape, PARAMETERS))
    result[..., 0] = masses
    return result


def _check_bodies(loads: Array, payload: ArrayLike) -> None:
    """A body has no negative mass anywhere: its pseudo-inertia matrix has no negative eigenvalue."""
    m, h, (xx, yy, zz, xy, xz, yz) = loads[:, 0], loads[:, 1:4], loads[:, 4:].T
    half = (xx + yy + zz) / 2
    pseudo = np.empty((len(loads), 4, 4))
    pseudo[:, 0, 0], pseudo[:, 1, 1], pseudo[:, 2, 2] = half - xx, half - yy, half - zz
    pseudo[:, 0, 1] = pseudo[:, 1, 0] = -xy
    pseudo[:, 0, 2] = pseudo[:, 2, 0] = -xz
    pseudo[:, 1, 2] = pseudo[:, 2, 1] = -yz
    pseudo[:, :3, 3] = pseudo[:, 3, :3] = h
    pseudo[:, 3, 3] = m
    eigenvalues = np.linalg.eigvalsh(pseudo)
    wrong = eigenvalues[:, 0] < -ROUNDING * np.abs(eigenvalues).max(axis=1)
    if wrong.any():
        k = int(np.argmax(wrong))
        which = f" of run {k}" if len(loads) > 1 else ""
        if loads[k, 0] < 0:
            raise InputError(
                f"payload{which} has a mass of {loads[k, 0]:g} kg; allowed are masses >= 0."
            )
        raise InputError(
            f"payload{which} = {loads[k].tolist()} is no rigid body: its inertia needs negative mass "
            f"somewhere. The order is m, m c (3), then J about the frame's origin as xx yy zz xy xz yz; "
            f"{ALLOWED}."
        )
