"""The greatest efforts of a motion, and the limits that it breaks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from linkwork.analysis.averages import root_mean_square
from linkwork.interface.limits import limit_report
from linkwork.interface.quantity import Quantity, intervals
from linkwork.interface.robot import Array


@dataclass(frozen=True)
class Peak:
    """The greatest magnitude of one channel and when it occurs; its range, RMS and limit."""

    name: str
    unit: str
    value: float
    time: float
    lowest: float
    highest: float
    rms: float
    limit: float | None
    power: float | None = None  # of the greatest magnitude [W]
    power_time: float | None = None

    @property
    def used(self) -> float | None:
        """Share of the limit."""
        return None if self.limit is None else abs(self.value) / self.limit


@dataclass(frozen=True)
class Violation:
    """A limit of one channel, broken: the worst value, when, and for how long altogether."""

    quantity: str
    channel: str
    unit: str
    value: float
    limit: float
    at: float
    first: float
    duration: float


def peaks(time: Array, what: Quantity, power: Array | None = None) -> tuple[Peak, ...]:
    """Of every channel of a quantity; `power` (N, k) goes with its channels."""
    found = []
    for k, name in enumerate(what.channels):
        values = what.values[:, k]
        at = int(np.argmax(np.abs(values)))
        most = None if power is None else int(np.argmax(np.abs(power[:, k])))
        found.append(
            Peak(
                name=name,
                unit=what.units[k],
                value=float(values[at]),
                time=float(time[at]),
                lowest=float(values.min()),
                highest=float(values.max()),
                rms=root_mean_square(time, values),
                limit=float(what.high[k]) if np.isfinite(what.high[k]) else None,
                power=None if power is None else float(power[most, k]),
                power_time=None if most is None else float(time[most]),
            )
        )
    return tuple(found)


def violations(time: Array, quantities: Sequence[Quantity]) -> tuple[Violation, ...]:
    """Every limit that is broken, the worst value of each."""
    by_limit = {what.limit: what for what in quantities}
    found = []
    for broken in limit_report(quantities, (len(time),), time).breaks:
        what = by_limit[broken.limit]
        values = what.values[:, what.channels.index(broken.name)]
        beyond = values < broken.allowed if broken.value < broken.allowed else values > broken.allowed
        found.append(
            Violation(
                quantity=what.name,
                channel=broken.name,
                unit=broken.unit,
                value=broken.value,
                limit=broken.allowed,
                at=float(time[broken.worst]),
                first=float(time[broken.first]),
                duration=sum(end - start for start, end in intervals(time, beyond)),
            )
        )
    return tuple(found)
