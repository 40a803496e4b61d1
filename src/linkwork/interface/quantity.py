"""Something measured along a motion, with its unit and its limits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Quantity:
    """Values (N, k) of k channels (joints, legs, axes) over time; infinite bounds are none.

    `limit` is the field of the robot file that bounds it, such as `position` or `force`.
    """

    name: str
    channels: tuple[str, ...]
    units: tuple[str, ...]
    values: Array
    low: Array
    high: Array
    limit: str = ""

    @property
    def unit(self) -> str:
        """The unit of all channels, or all of them."""
        return " or ".join(dict.fromkeys(self.units))

    @property
    def label(self) -> str:
        return f"{self.name} [{self.unit}]"

    @property
    def bounded(self) -> bool:
        return bool(np.isfinite(self.low).any() or np.isfinite(self.high).any())

    @property
    def alike(self) -> bool:
        """Whether one axis with one pair of limits serves all channels."""
        return len({*zip(self.units, self.low.tolist(), self.high.tolist(), strict=True)}) == 1

    @property
    def broken(self) -> NDArray[np.bool_]:
        """(N, k): where a value is beyond its bounds."""
        return np.asarray((self.values < self.low) | (self.values > self.high))

    def channel(self, k: int) -> Quantity:
        """One channel alone."""
        one = slice(k, k + 1)
        return Quantity(
            self.name,
            self.channels[one],
            self.units[one],
            self.values[:, one],
            self.low[one],
            self.high[one],
            self.limit,
        )


def quantity(
    name: str,
    channels: Sequence[str],
    unit: str | Sequence[str],
    values: Array,
    bounds: Array | None = None,
    limit: str = "",
) -> Quantity:
    """A quantity of one unit or a unit per channel; bounds are (k, 2), or (k,) for both signs."""
    k = len(channels)
    units = (unit,) * k if isinstance(unit, str) else tuple(unit)
    if bounds is None:
        bounds = np.full(k, np.inf)
    low, high = (-bounds, bounds) if bounds.ndim == 1 else bounds.T
    return Quantity(name, tuple(channels), units, values, low, high, limit)


Envelope = tuple[tuple[float, float], ...]


def against_envelopes(
    limit: str,
    channels: Sequence[str],
    envelopes: Sequence[Envelope | None],
    velocity: Array,
    effort: Array,
) -> list[Quantity]:
    """Efforts as shares of what actuators can give at their speed; nothing without an envelope.

    Between the pairs (speed, effort) of an envelope the effort is linear in speed, beyond them none.
    """
    if not any(envelopes):
        return []
    share = np.zeros(effort.shape)
    for k, envelope in enumerate(envelopes):
        if envelope is not None:
            speeds, efforts = np.array(envelope).T
            available = np.interp(np.abs(velocity[:, k]), speeds, efforts, right=0.0)
            asked = np.abs(effort[:, k])
            share[:, k] = np.where(asked > 0, asked / np.maximum(available, 1e-300), 0.0)
    bounds = np.array([np.inf if envelope is None else 1.0 for envelope in envelopes])
    return [quantity("share of the envelope", channels, "", share, bounds, limit)]


def intervals(time: Array, mask: NDArray[np.bool_]) -> list[tuple[float, float]]:
    """Spans of time in which a mask (N,) holds; a single sample reaches half way to its neighbours."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], mask.astype(np.int8), [0]])))
    middle = np.concatenate([time[:1], (time[1:] + time[:-1]) / 2, time[-1:]])
    return [(float(middle[a]), float(middle[b])) for a, b in edges.reshape(-1, 2)]
