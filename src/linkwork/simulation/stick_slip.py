"""Coulomb friction that sticks and slips, located in time: no drift at rest and no chatter, at any step.

Between events every joint either slips in one direction, and its friction is constant, or sticks, and
its acceleration is zero: the motion is smooth, so that an integrator keeps its order. A joint sticks
when its velocity comes to zero and the friction that would hold it stays within its bounds; it slips
when that friction leaves them. A velocity that changes sign within a step is an event: the step is cut
there, the velocity set to zero, and the rest of the step done anew.

In an arm these are velocities of the state itself. The legs of a platform lengthen by J V, and joints of
a parallel robot move in the same way: there a state is changed so that some of them stand still.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from linkwork.kernels import Kernel
from linkwork.mechanics.plant import STILL, Plant
from linkwork.robot.robot import Array
from linkwork.simulation.plant_functions import plant_kernel

ROUNDING = 1e-12  # of the largest singular value: a direction that no joint moves
# Of the velocity before the event: where the root of a smooth function is found to all its digits.
ROOT_TOLERANCE = 1e-13
ROOT_STEPS = 30
EVENTS_PER_JOINT = 4  # in one step; then what is left of the step is done without looking
PATIENCE = 3  # changes of all joints at once that leave no fewer to change
CHANGES_PER_JOINT = 8
BEYOND = 1e-10  # of the width of the bounds: what rounding leaves of friction at its bound


class Sliding:
    """Of one plant; states are (rows, size) or one (size,)."""

    def __init__(self, plant: Plant) -> None:
        self._plant, self._size = plant, plant.position_size

    @cached_property
    def _kernel(self) -> Kernel:
        return plant_kernel("sliding", self._plant)

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

    def shared(
        self, states: Array, hold: Array, friction: CoulombBounds, sticks: NDArray[np.bool_]
    ) -> Array:
        """Friction (rows, n) that holds joints, without what only strains them against each other.

        Where more joints stick than there are freedoms, rounding decides that part, and no motion shows
        it: of all forces that hold them, by their bounds, these are the least.
        """
        if self._plant.actuated_coordinates or np.count_nonzero(sticks) < 2:
            return hold
        size = np.where(sticks, np.maximum(friction.high, -friction.low), 0.0)
        (_, _, J), _ = self._kernel.evaluate((states, states))
        left, sizes, _ = np.linalg.svd((J * size[:, None])[:, sticks], full_matrices=False)
        basis = left * (sizes > ROUNDING * sizes[:, :1])[:, None, :]
        parts = np.einsum("rkd,rk->rd", basis, hold[:, sticks] / size[sticks])
        found = hold.copy()
        found[:, sticks] = np.einsum("rkd,rd->rk", basis, parts) * size[sticks]
        return found

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


Indices = NDArray[np.intp]
# Rows concerned, their states, times since the whole step began, lengths and slips -> next states, and
# the friction that holds what sticks.
Step = Callable[[Indices, Array, Array, Array, Array], tuple[Array, Array]]


class CoulombBounds(NamedTuple):
    """Bounds of Coulomb friction, (n,) or (rows, n); `rough` tells which coordinates have any."""

    low: Array
    high: Array
    rough: NDArray[np.bool_]

    @classmethod
    def of(cls, plant: Plant, scale: Array | None = None) -> CoulombBounds:
        """Of a plant; `scale` is one factor for each of several rows, (rows, 1)."""
        low, high = np.array(plant.coulomb, dtype=np.float64).T
        rough = (low != 0) | (high != 0)
        return cls(low, high, rough) if scale is None else cls(low * scale, high * scale, rough)

    def rows(self, index: Indices) -> CoulombBounds:
        """The bounds of some rows."""
        if self.low.ndim == 1 or len(self.low) == 1:
            return self
        return CoulombBounds(self.low[index], self.high[index], self.rough)

    def slip(self, velocity: Array) -> Array:
        """Directions of slip by velocity; 0 where a rough coordinate stands still."""
        return np.where(self.rough, np.sign(velocity), 1.0)

    def released(self, slip: Array, hold: Array) -> NDArray[np.bool_]:
        """Coordinates that would need more friction to stick than there is."""
        return np.asarray((slip == 0) & (self.margin(hold) < 0))

    def margin(self, hold: Array) -> Array:
        """How much more friction could hold what sticks; rounding is not beyond the bounds."""
        left: Array = np.minimum(self.high - hold, hold - self.low)
        return left + BEYOND * (self.high - self.low)

    def crossed(self, slip: Array, velocity: Array) -> NDArray[np.bool_]:
        """Coordinates whose velocity has turned against their slip."""
        return np.asarray(self.rough & (slip * velocity < 0))


# Of some rows, under slips: a result, the friction that holds what sticks, and how joints begin to move.
Attempt = Callable[[Indices, Array], tuple[Array, Array, Array]]


class Settled(NamedTuple):
    """Slips that fit the forces, what an attempt gives under them, and which joints do not fit yet:
    those that should slip but stand, and those that slip `back` against their friction."""

    slip: Array
    result: Array
    loose: NDArray[np.bool_]
    back: NDArray[np.bool_]

    @property
    def fits(self) -> bool:
        return not (self.loose.any() or self.back.any())


def settled(
    friction: CoulombBounds, slip: Array, standing: NDArray[np.bool_], attempt: Attempt, noise: float = 0
) -> Settled:
    """Which of the joints that stand still stick, and which way the others begin to slip.

    Friction and motion of those joints are complementary: a bounded linear complementarity problem, for
    which all joints that do not fit are changed at once while that makes them fewer, else one at a time
    (Judice and Pires 1992; by Murty's rule it ends if mass matrices are positive definite).

    Args:
        slip: where to begin, (rows, n); that of joints not `standing` stays.
        noise: of what `attempt` tells of the motion: a joint does not slip back by less.
    """
    count, n = slip.shape

    def wrong_ways() -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        least = -noise * (1 + np.abs(gain).max(axis=1, keepdims=True))
        return friction.released(slip, hold), standing & (slip * gain < least)

    result, hold, gain = attempt(np.arange(count), slip)
    fewest, patience = np.full(count, n + 1), np.full(count, PATIENCE)
    for _ in range(CHANGES_PER_JOINT * n):
        loose, back = wrong_ways()
        wrong = loose | back
        many = wrong.sum(axis=1)
        rows = np.flatnonzero(many)
        if not len(rows):
            break
        patience = np.where(many < fewest, PATIENCE, patience - 1)
        fewest = np.minimum(fewest, many)
        last = n - 1 - np.argmax(wrong[:, ::-1], axis=1)
        wrong &= (patience >= 0)[:, None] | (np.arange(n) == last[:, None])
        slip = np.where(wrong, np.where(slip == 0, np.sign(hold), 0.0), slip)
        result[rows], hold[rows], gain[rows] = attempt(rows, slip[rows])
    return Settled(slip, result, *wrong_ways())


def advance(step: Step, friction: CoulombBounds, x: Array, h: Array, sliding: Sliding) -> Array:
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


def _decided(part: _Part, friction: CoulombBounds) -> tuple[Array, Array]:
    """A step with slips that fit the forces at its beginning and the velocities at its end."""
    velocity = part.velocity(part.x)

    def attempt(rows: Indices, slip: Array) -> tuple[Array, Array, Array]:
        some = part.of(rows)
        reached, hold = some.after(slip)
        return reached, hold, some.velocity(reached)

    found = settled(friction, friction.slip(velocity), velocity == 0, attempt)
    slip, following = found.slip, found.result
    # Loose at the beginning of the step, and held again at its end: it stands.
    rows = np.flatnonzero(found.back.any(axis=1))
    if len(rows):
        slip = np.where(found.back, 0.0, slip)
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
