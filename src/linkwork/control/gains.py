"""Gains from what an engineer has in mind: bandwidth and damping of the error."""

from __future__ import annotations

import math
from typing import NamedTuple

from linkwork.checks import positive


class Gains(NamedTuple):
    """e'' + kv e' + kp e = 0."""

    kp: float
    kv: float


def gains(bandwidth: float, damping: float = 1.0) -> Gains:
    """Gains of an error that dies out with natural frequency `bandwidth` [Hz] and this damping ratio.

    Lee's Kp = 100 and Kv = 20 are a bandwidth of 10 rad/s = 1.6 Hz at critical damping.
    """
    bandwidth, damping = positive(bandwidth, "bandwidth", "Hz"), positive(damping, "damping", "1")
    frequency = 2 * math.pi * bandwidth
    return Gains(frequency**2, 2 * damping * frequency)
