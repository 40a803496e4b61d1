"""Coulomb friction along a motion whose time steps are free: what sticks and slips, and until when."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from linkwork.mechanics.plant import STILL
from linkwork.robot.robot import Array
from linkwork.simulation.stick_slip import Indices, settled
from linkwork.simulation.system import System

NOISE = 1e-10  # of accelerations
# Of the width of the bounds: how far friction is beyond them when a joint breaks away. Where joints hold
# each other, rounding leaves less than this, so that every breakaway is one.
OVERDUE = 1e-7
LARGEST_JUMP = 1e-5  # of velocities, where joints that stop leave the others no motion: that is not told


class Sticking:
    """Every joint with Coulomb friction slips one way, sticks, or begins to slip.

    The sign of the velocity of a joint that begins to slip is a matter of rounding: what judges it is
    whether it comes to move faster than a threshold one way or the other.

    Args:
        effort: at a time and a state.
        threshold: of velocities [rad/s, m/s]: what the integration cannot tell from rest.
    """

    def __init__(
        self, system: System, effort: Callable[[float, Array], Array], threshold: float
    ) -> None:
        assert system.friction is not None
        self._system, self._effort = system, effort
        self._friction, self._sliding = system.friction, system.sliding
        self._threshold = max(threshold, STILL)
        self._standing: NDArray[np.bool_] = np.zeros(len(self._friction.rough), dtype=bool)
        self.slip: Array | None = None  # 0 sticks

    def decide(self, time: float, x: Array) -> Array | None:
        """Settle what slips from here on: the state, in which all that sticks stands still, or None if
        no friction fits the forces."""
        friction, velocity = self._friction, self._sliding.velocity(x)
        rough = friction.rough
        slip = friction.slip(velocity) if self.slip is None else self.slip
        along = slip * velocity
        stops = rough & np.where(self._standing, (slip == 0) | (along < 0), along <= STILL)
        self._standing = self._standing | stops
        x = self._sliding.stopped(x, stops)
        effort = self._effort(time, x)

        def attempt(rows: Indices, slips: Array) -> tuple[Array, Array, Array]:
            rates, hold, _ = self._system.rate_at(time, x, effort, slips[0])
            hold = self._sliding.shared(x[None], hold[None], friction, rough & (slips[0] == 0))
            return rates[None], hold, self._sliding.acceleration(x, rates)[None]

        start = np.where(stops, 0.0, slip)[None]
        found = settled(friction, start, self._standing[None], attempt, NOISE)
        self.slip = found.slip[0]
        sticks = rough & (self.slip == 0)
        x = self._sliding.stopped(x, sticks)
        jump = np.abs(self._sliding.velocity(x) - velocity).max()
        return x if found.fits and jump <= LARGEST_JUMP * (1 + np.abs(velocity).max()) else None

    def passed(self, x: Array) -> None:
        """Joints that have begun to slip move, once they are faster than the threshold."""
        if self.slip is not None:
            self._standing &= ~(self.slip * self._sliding.velocity(x) > self._threshold)

    def margins(self, times: Array, states: Array) -> Array:
        """Of every joint (rows, n), positive as long as it goes on sticking, or slipping that way."""
        friction, slip = self._friction, self.slip
        assert slip is not None
        left = slip * self._sliding.velocity(states) + np.where(self._standing, self._threshold, 0.0)
        sticks = friction.rough & (slip == 0)
        if sticks.any():
            held = [
                self._system.rate_at(float(t), x, self._effort(float(t), x), slip)[1]
                for t, x in zip(times, states, strict=True)
            ]
            hold = self._sliding.shared(states, np.array(held), friction, sticks)
            spare = friction.margin(hold) + OVERDUE * (friction.high - friction.low)
            left = np.where(sticks, spare, left)
        return np.where(friction.rough, left, np.inf)
