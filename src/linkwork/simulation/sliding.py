"""The velocities that Coulomb friction opposes, and states in which some of them are zero.

In an arm they are velocities of the state itself. The legs of a platform lengthen by J V, and joints of
a parallel robot move in the same way: there a state is changed so that some of them stand still.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from linkwork.interface.robot import Array
from linkwork.kernels import Kernel
from linkwork.mechanics.plant import STILL, Plant
from linkwork.simulation.plants import plant_kernel, sliding_expression

ROUNDING = 1e-12  # of the largest singular value: a direction that no joint moves


class Sliding:
    """Of one plant; states are (rows, size) or one (size,)."""

    def __init__(self, plant: Plant) -> None:
        self._plant, self._size = plant, plant.position_size

    @cached_property
    def _kernel(self) -> Kernel:
        return plant_kernel("sliding", self._plant, (), sliding_expression)

    def velocity(self, states: Array) -> Array:
        """(..., n); zero where a joint is held but for rounding."""
        if self._plant.actuated_coordinates:
            return states[..., self._size :]
        (found, _, _), _ = self._kernel.evaluate((states, states))
        return np.where(np.abs(found) < STILL, 0.0, found)

    def acceleration(self, states: Array, rates: Array) -> Array:
        """How the velocities change."""
        if self._plant.actuated_coordinates:
            return rates[..., self._size :]
        (_, found, _), _ = self._kernel.evaluate((states, rates))
        return np.asarray(found)

    def stopped(self, states: Array, which: NDArray[np.bool_]) -> Array:
        """States in which some velocities are zero, by the least change; `which` is (..., n)."""
        if states.ndim == 1:
            return np.asarray(self.stopped(states[None], which[None])[0])
        states = states.copy()
        if self._plant.actuated_coordinates:
            states[:, self._size :][which] = 0.0
            return states
        rows = np.flatnonzero(which.any(axis=1) & np.isfinite(states).all(axis=1))
        if len(rows):
            (velocity, _, J), _ = self._kernel.evaluate((states[rows], states[rows]))
            # What stands still already must not be set in motion.
            stops = which[rows] | (np.abs(velocity) < STILL)
            states[rows, self._size :] = _across(J * stops[..., None], states[rows, self._size :])
        return states

    def held(self, states: Array, which: NDArray[np.bool_]) -> Array:
        """States after a step in which some joints stick: what the integration leaves of their
        velocities is taken away. In an arm nothing is left."""
        return states if self._plant.actuated_coordinates else self.stopped(states, which)


def _across(J: Array, velocity: Array) -> Array:
    """Velocities (rows, d) without what moves J (rows, n, d); exactly zero where that is all of them."""
    _, sizes, directions = np.linalg.svd(J, full_matrices=False)
    taken = sizes > ROUNDING * sizes[:, :1]
    parts = np.einsum("rkd,rd->rk", directions, velocity) * taken
    left = velocity - np.einsum("rkd,rk->rd", directions, parts)
    all_of_them = taken.sum(axis=1) == velocity.shape[1]
    return np.where(all_of_them[:, None], 0.0, left)
