"""When Lee's claim holds: the loop of section 5 with real sensors and a real computer."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import brentq

from linkwork.papers.lee1982.trials import BOUND, PERIOD, experiment
from linkwork.simulation import DigitalLoop, SimulationError

# none; what the paper reckons; a whole period; where the loop itself gives way
DELAYS = (0.0, 3e-3, 10e-3, 60e-3)
VELOCITIES = {
    "exact": DigitalLoop(),
    "differenced positions": DigitalLoop(velocity="differenced"),
    "observer, 15 Hz": DigitalLoop(velocity="observer", bandwidth=15.0),
}
BITS = (12, 16)
DURATIONS = (3.0, 6.0)


@dataclass(frozen=True)
class Outcome:
    """Largest error of any joint in steps of the 12-bit converter; `lost` is when the loop diverged."""

    error: float
    lost: float | None = None

    @property
    def holds(self) -> bool:
        return self.lost is None and self.error <= 1.0

    def __str__(self) -> str:
        return f"{self.error:.2f}" if self.lost is None else f"unstable at {self.lost:.1f} s"


@dataclass(frozen=True)
class Claim:
    """What became of one loop on one motion."""

    delay: float
    velocity: str
    bits: int
    duration: float
    outcome: Outcome


def loop_with(velocity: str, delay: float, bits: int) -> DigitalLoop:
    """The converter's range stays that of the paper's 12 bits."""
    return replace(VELOCITIES[velocity], delay=delay, resolution=BOUND / 2 ** (bits - 12))


def outcome(loop: DigitalLoop, duration: float) -> Outcome:
    lost = None
    try:
        run = experiment(duration, loop=loop, step=PERIOD)
    except SimulationError as error:
        run, lost = error.result, error.time
    assert run.error is not None
    return Outcome(float(np.abs(run.error).max() / BOUND), lost)


def claims() -> list[Claim]:
    """Every combination of delay, source of velocities, word length and duration."""
    return [
        Claim(delay, velocity, bits, duration, outcome(loop_with(velocity, delay, bits), duration))
        for delay in DELAYS
        for velocity in VELOCITIES
        for bits in BITS
        for duration in DURATIONS
    ]


def kept_from() -> float:
    """The duration [s] from which the claim holds with 12 bits, their differences and 3 ms of delay."""
    loop = DigitalLoop.preset("lee1982")
    return float(brentq(lambda d: outcome(loop, round(d, 1)).error - 1.0, 4.0, 8.0, xtol=0.1))
