"""The velocities that Coulomb friction opposes, and states in which some of them are zero.

In an arm they are velocities of the state itself. The legs of a platform lengthen by J V: there a state
is changed so that a leg stands still and the others move as before.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from linkwork.interface.robot import Array
from linkwork.kernels import Kernel
from linkwork.mechanics.plant import STILL, Plant
from linkwork.simulation.plants import plant_kernel, sliding_expression


class Sliding:
    """Of one plant; states are (rows, size) or one (size,)."""

    def __init__(self, plant: Plant) -> None:
        self._plant, self._size = plant, plant.position_size

    @cached_property
    def _kernel(self) -> Kernel:
        return plant_kernel("sliding", self._plant, (), sliding_expression)

    def velocity(self, states: Array) -> Array:
        """(..., n); zero where an actuator is held but for rounding."""
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
        """States in which some velocities are zero and the others as they were; `which` is (..., n)."""
        if states.ndim == 1:
            return np.asarray(self.stopped(states[None], which[None])[0])
        states = states.copy()
        if self._plant.actuated_coordinates:
            states[:, self._size :][which] = 0.0
            return states
        rows = np.flatnonzero(which.any(axis=1) & np.isfinite(states).all(axis=1))
        if len(rows):
            (velocity, _, J), _ = self._kernel.evaluate((states[rows], states[rows]))
            wanted = np.where(which[rows], 0.0, velocity)
            states[rows, self._size :] = np.linalg.solve(J, wanted[..., None])[..., 0]
        return states

    def held(self, states: Array, which: NDArray[np.bool_]) -> Array:
        """States after a step in which some actuators stick: what the integration leaves of their
        velocities is taken away. In an arm nothing is left."""
        return states if self._plant.actuated_coordinates else self.stopped(states, which)
