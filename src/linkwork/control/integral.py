"""Integral action that does not wind up while actuators saturate. For numbers and expressions alike."""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np

from linkwork.interface.robot import Array
from linkwork.mechanics.expressions import SX


def between(values: Any, low: Array, high: Array) -> Any:
    """Values saturated at bounds; infinite ones are none."""
    if not (np.isfinite(low).any() or np.isfinite(high).any()):
        return values
    if isinstance(values, SX):
        return ca.fmin(ca.fmax(values, ca.DM(low)), ca.DM(high))
    return np.clip(values, low, high)


def unwound(error: Any, wanted: Any, bound: Array, own_actuators: bool) -> Any:
    """The error as an integral takes it: nothing that would drive a saturated actuator further.

    Args:
        wanted: effort before it saturates at plus or minus `bound`.
        own_actuators: whether every error has an actuator of its own, as in an arm; else all errors wait
            while any actuator saturates.
    """
    if not np.isfinite(bound).any():
        return error
    excess = wanted - between(wanted, -bound, bound)
    if own_actuators:
        return error * (1 - (excess * error > 0))
    if isinstance(excess, SX):
        return error * (ca.sum1(ca.fabs(excess)) == 0)
    return error * float(not excess.any())
