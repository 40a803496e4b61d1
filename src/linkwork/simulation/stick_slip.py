"""Coulomb friction that sticks and slips, located in time: no drift at rest and no chatter, at any step.

Between events every joint either slips in one direction, and its friction is constant, or sticks, and
its acceleration is zero: the motion is smooth, so that an integrator keeps its order. A joint sticks
when its velocity comes to zero and the friction that would hold it stays within its bounds; it slips
when that friction leaves them. A velocity that changes sign within a step is an event: the step is cut
there, the velocity set to zero, and the rest of the step done anew.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from linkwork.interface.robot import Array
from linkwork.mechanics.plant import Plant
from linkwork.simulation.sliding import Sliding

# Of the velocity before the event: where the root of a smooth function is found to all its digits.
ROOT_TOLERANCE = 1e-13
ROOT_STEPS = 30
EVENTS_PER_JOINT = 4  # in one step; then what is left of the step is done without looking

Indices = NDArray[np.intp]
# Rows concerned, their states, times since the whole step began, lengths and slips -> next states, and
# the friction that holds what sticks.
Step = Callable[[Indices, Array, Array, Array, Array], tuple[Array, Array]]


class Friction(NamedTuple):
    """Bounds of Coulomb friction, (n,) or (rows, n); `rough` tells which coordinates have any."""

    low: Array
    high: Array
    rough: NDArray[np.bool_]

    @classmethod
    def of(cls, plant: Plant, scale: Array | None = None) -> Friction:
        """Of a plant; `scale` is one factor for each of several rows, (rows, 1)."""
        low, high = np.array(plant.coulomb, dtype=np.float64).T
        rough = (low != 0) | (high != 0)
        return cls(low, high, rough) if scale is None else cls(low * scale, high * scale, rough)

    def rows(self, index: Indices) -> Friction:
        """The bounds of some rows."""
        if self.low.ndim == 1 or len(self.low) == 1:
            return self
        return Friction(self.low[index], self.high[index], self.rough)

    def slip(self, velocity: Array) -> Array:
        """Directions of slip by velocity; 0 where a rough coordinate stands still."""
        return np.where(self.rough, np.sign(velocity), 1.0)

    def released(self, slip: Array, hold: Array) -> NDArray[np.bool_]:
        """Coordinates that would need more friction to stick than there is."""
        return np.asarray((slip == 0) & ((hold > self.high) | (hold < self.low)))

    def crossed(self, slip: Array, velocity: Array) -> NDArray[np.bool_]:
        """Coordinates whose velocity has turned against their slip."""
        return np.asarray(self.rough & (slip * velocity < 0))


def advance(step: Step, friction: Friction, x: Array, h: Array, sliding: Sliding) -> Array:
    """States (rows, size) after steps h (rows,), with every change between sticking and slipping."""
    x, gone, left = x.copy(), np.zeros(len(x)), np.array(h)
    active = np.arange(len(x))
    for _ in range(EVENTS_PER_JOINT * len(friction.rough)):
        bounds = friction.rows(active)
        part = _Part(step, active, x[active], gone[active], left[active], sliding)
        following, slip = _decided(part, bounds)
        begin, end = sliding.velocity(part.x), sliding.velocity(following)
        crossed = bounds.crossed(slip, end)
        crossed &= begin != 0
        going = crossed.any(axis=1)
        x[active[~going]] = following[~going]
        if not going.any():
            return x
        rows = np.flatnonzero(going)
        active, slip, crossed, part = active[rows], slip[rows], crossed[rows], part.of(rows)
        begin, end = begin[rows], end[rows]
        # The coordinate that stops first, judged by straight lines.
        share = np.where(crossed, begin / np.where(crossed, begin - end, 1.0), np.inf)
        first = np.argmin(share, axis=1)
        share, states = _located(part, slip, first, end)
        stops = np.arange(len(friction.rough)) == first[:, None]
        x[active] = sliding.stopped(states, stops)
        gone[active] += share * left[active]
        left[active] *= 1 - share
    part = _Part(step, active, x[active], gone[active], left[active], sliding)
    x[active], _ = _decided(part, friction.rows(active))
    return x


@dataclass(frozen=True)
class _Part:
    """What is left of a step, for some rows."""

    step: Step
    index: Indices
    x: Array
    gone: Array
    h: Array
    sliding: Sliding

    def of(self, rows: Indices) -> _Part:
        x, gone, h = self.x[rows], self.gone[rows], self.h[rows]
        return _Part(self.step, self.index[rows], x, gone, h, self.sliding)

    def after(self, slip: Array, share: Array | float = 1.0) -> tuple[Array, Array]:
        reached, hold = self.step(self.index, self.x, self.gone, share * self.h, slip)
        return self.sliding.held(reached, slip == 0), hold

    def velocity(self, states: Array) -> Array:
        return self.sliding.velocity(states)


def _decided(part: _Part, friction: Friction) -> tuple[Array, Array]:
    """A step with slips that fit the forces: coordinates at rest stick unless they are torn loose."""
    velocity = part.velocity(part.x)
    slip = friction.slip(velocity)
    following, hold = part.after(slip)
    for _ in range(slip.shape[1]):
        loose = friction.released(slip, hold)
        rows = np.flatnonzero(loose.any(axis=1))
        if not len(rows):
            break
        slip = np.where(loose, np.sign(hold), slip)
        following[rows], hold[rows] = part.of(rows).after(slip[rows])
    # Torn loose with others that have taken the load off: it need not move after all.
    back = (velocity == 0) & friction.crossed(slip, part.velocity(following))
    rows = np.flatnonzero(back.any(axis=1))
    if len(rows):
        slip = np.where(back, 0.0, slip)
        following[rows], _ = part.of(rows).after(slip[rows])
    return following, slip


def _located(part: _Part, slip: Array, which: Indices, end: Array) -> tuple[Array, Array]:
    """Shares of the steps after which coordinates `which` stop, and the states there (Illinois)."""
    rows = np.arange(len(part.x))
    sign = slip[rows, which]
    low, high = np.zeros(len(rows)), np.ones(len(rows))
    at_low, at_high = sign * part.velocity(part.x)[rows, which], sign * end[rows, which]
    enough = ROOT_TOLERANCE * at_low
    share, states, side = low, part.x, np.zeros(len(rows))
    for _ in range(ROOT_STEPS):
        share = (low * at_high - high * at_low) / (at_high - at_low)
        states, _ = part.after(slip, share)
        value = sign * part.velocity(states)[rows, which]
        if (np.abs(value) <= enough).all():
            break
        before = value > 0
        at_high = np.where(before & (side > 0), at_high / 2, at_high)
        at_low = np.where(~before & (side < 0), at_low / 2, at_low)
        low, at_low = np.where(before, share, low), np.where(before, value, at_low)
        high, at_high = np.where(before, high, share), np.where(before, at_high, value)
        side = np.where(before, 1.0, -1.0)
    return share, states.copy()
