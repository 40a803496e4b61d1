"""Limits of joints and legs along a motion: which, when, and by how much they are broken."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from linkwork.interface.quantity import Array, Envelope, Quantity


@dataclass(frozen=True, eq=False)
class Limits:
    """Bounds of all actuators, infinite where the robot file has none.

    `position` is (n, 2), lowest and highest; `velocity` and `effort` (n,) hold for both signs.
    `envelopes` are pairs of speed and effort for each actuator, or None; empty if none has one.
    """

    position: Array
    velocity: Array
    effort: Array
    envelopes: tuple[Envelope | None, ...] = ()

    def envelope(self, k: int) -> Envelope | None:
        """What actuator k can give at which speed, if its file says so."""
        return self.envelopes[k] if self.envelopes else None

    @property
    def any(self) -> bool:
        """Whether anything is bounded."""
        bounds = (self.position, self.velocity, self.effort)
        return any(self.envelopes) or any(np.isfinite(part).any() for part in bounds)


def bounds_of(given: Iterable[float | None]) -> Array:
    """Greatest values (n,), infinite for None."""
    return np.array([np.inf if value is None else value for value in given])


def ranges_of(given: Iterable[tuple[float, float] | None]) -> Array:
    """Lowest and highest values (n, 2), infinite for None."""
    return np.array([(-np.inf, np.inf) if value is None else value for value in given])


@dataclass(frozen=True)
class LimitBreak:
    """One limit of one joint or leg, broken from sample `first` on, most at sample `worst`."""

    name: str
    limit: str
    unit: str
    first: int
    worst: int
    value: float
    allowed: float
    samples: int
    first_time: float | None = None
    worst_time: float | None = None

    @property
    def excess(self) -> float:
        """How far beyond the bound, in its unit."""
        return abs(self.value - self.allowed)

    def __str__(self) -> str:
        def when(index: int, time: float | None) -> str:
            return f"sample {index}" if time is None else f"t = {time:g} s"

        return (
            f"{self.name}: {self.limit} {self.value:.6g} {self.unit} at "
            f"{when(self.worst, self.worst_time)}, {self.excess:.3g} {self.unit} beyond "
            f"{self.allowed:g} {self.unit}; broken in {self.samples} samples, first at "
            f"{when(self.first, self.first_time)}"
        )


@dataclass(frozen=True, eq=False)
class LimitReport:
    """All broken limits; printing it shows them.

    `mask` has the batch shape of the states and is True where a state breaks a limit.
    """

    checked: tuple[str, ...]
    breaks: tuple[LimitBreak, ...]
    mask: NDArray[np.bool_]

    @property
    def ok(self) -> bool:
        """Whether no limit is broken."""
        return not self.breaks

    def __str__(self) -> str:
        checked = f"checked: {', '.join(self.checked) or 'nothing, the robot file has no limits'}"
        if self.ok:
            return f"all limits kept ({checked})"
        return "\n".join([f"{len(self.breaks)} limits broken ({checked})", *map(str, self.breaks)])


def limit_report(
    quantities: Sequence[Quantity], batch: tuple[int, ...], times: Array | None
) -> LimitReport:
    """Judge measured quantities (N, k), of states with this batch shape, by their bounds."""
    checked, breaks = [], []
    mask = np.zeros(quantities[0].values.shape[0], dtype=bool)
    for measured in quantities:
        if not measured.bounded:
            continue
        checked.append(measured.limit)
        broken = measured.broken
        if broken.any():
            mask |= broken.any(axis=1)
            breaks += _breaks(measured, times)
    return LimitReport(tuple(checked), tuple(breaks), mask.reshape(batch))


def _breaks(measured: Quantity, times: Array | None) -> list[LimitBreak]:
    found = []
    for k, name in enumerate(measured.channels):
        values = measured.values[:, k]
        for bound, excess in (
            (measured.low[k], measured.low[k] - values),
            (measured.high[k], values - measured.high[k]),
        ):
            indices = np.flatnonzero(excess > 0)
            if not len(indices):
                continue
            first, worst = int(indices[0]), int(np.argmax(excess))
            found.append(
                LimitBreak(
                    name=name,
                    limit=measured.limit,
                    unit=measured.units[k],
                    first=first,
                    worst=worst,
                    value=float(values[worst]),
                    allowed=float(bound),
                    samples=len(indices),
                    first_time=None if times is None else float(times[first]),
                    worst_time=None if times is None else float(times[worst]),
                )
            )
    return found
