"""A load that a simulated robot carries: the same for one run and for many."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from linkwork.checks import numbers
from linkwork.errors import InputError
from linkwork.interface.robot import Array
from linkwork.mechanics.bodies import PARAMETERS

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
