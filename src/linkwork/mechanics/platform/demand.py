"""What a motion asks of a platform's legs, in a few numbers per state: for sweeps of many variants."""

from __future__ import annotations

import casadi as ca

from linkwork.mechanics.expressions import SX
from linkwork.mechanics.platform import legs
from linkwork.mechanics.platform.dynamics import PlatformDynamics
from linkwork.robots.platform import LEGS


def demand(platform: PlatformDynamics, acceleration: SX) -> dict[str, SX]:
    """The square of every leg's force, and over all legs: greatest force, shortest and longest length,
    greatest speed and greatest power."""
    force = platform.inverse(acceleration)
    state = platform.state
    rates = [legs.rates(at, state.twist).Ld for at in state.legs]
    lengths = [at.L for at in state.legs]
    return {
        "force": _most([ca.fabs(force[k]) for k in range(LEGS)]),
        "square": force**2,
        "shortest": -_most([-length for length in lengths]),
        "longest": _most(lengths),
        "speed": _most([ca.fabs(rate) for rate in rates]),
        "power": _most([ca.fabs(force[k] * rate) for k, rate in enumerate(rates)]),
    }


def _most(values: list[SX]) -> SX:
    most = values[0]
    for value in values[1:]:
        most = ca.fmax(most, value)
    return most
