"""Feedback: gains that fulfill Lee's conditions, and an integral that does not wind up."""

from __future__ import annotations

import math
from typing import NamedTuple

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from linkwork.core.arguments import numbers, positive
from linkwork.core.errors import InputError
from linkwork.mechanics.expressions import SX
from linkwork.model.geometry import Values
from linkwork.robot.robot import Array

# Of the greatest element: what rounding leaves of a symmetric matrix, and of an eigenvalue that is zero.
ROUNDING = 1e-10


class Gains(NamedTuple):
    """e'' + kv e' + kp e = 0."""

    kp: float
    kv: float


def pd_gains(bandwidth: float, damping: float = 1.0) -> Gains:
    """Gains of an error that decays with natural frequency `bandwidth` [Hz] and this damping ratio.

    Lee's Kp = 100 and Kv = 20 are a bandwidth of 10 rad/s = 1.6 Hz at critical damping.
    """
    bandwidth, damping = positive(bandwidth, "bandwidth", "Hz"), positive(damping, "damping", "1")
    frequency = 2 * math.pi * bandwidth
    return Gains(frequency**2, 2 * damping * frequency)


def per_freedom(value: ArrayLike, n: int, name: str) -> Array:
    """A gain for every freedom from one number or n numbers, none negative."""
    array = numbers(value, name)
    if array.shape not in ((), (n,)) or (array < 0).any():
        raise InputError(
            f"{name} = {value!r}: expected a number >= 0, {n} of them, or a matrix ({n}, {n})."
        )
    return np.broadcast_to(array, (n,)).copy()


def feedback_gains(
    kp: ArrayLike, kv: ArrayLike, n: int, *, accelerations: bool = True
) -> tuple[Array, Array]:
    """kp and kv, both (n,), or both (n, n) if one of them is a matrix.

    Matrices must fulfill the conditions that Lee states after (4.3), under which e'' + Kv e' + Kp e = 0
    decays. The third is one of laws whose gains give accelerations; where they give efforts, as in PD
    control, the mass matrix is part of it.
    """
    given = {name: numbers(value, name) for name, value in (("kp", kp), ("kv", kv))}
    if all(array.ndim != 2 for array in given.values()):
        return per_freedom(kp, n, "kp"), per_freedom(kv, n, "kv")
    for name, array in given.items():
        if array.ndim != 2:
            given[name] = np.diag(per_freedom(array, n, name))
        elif array.shape != (n, n):
            raise InputError(
                f"{name} has shape {array.shape}; expected a number, ({n},) or a matrix ({n}, {n})."
            )
    _check_definite(given["kv"], "(a): kv must be symmetric and not negative definite", 0.0)
    _check_definite(given["kp"], "(b): kp must be symmetric and positive definite", ROUNDING)
    if accelerations:
        _check_damped(given["kp"], given["kv"])
    return given["kp"], given["kv"]


def _check_definite(K: Array, condition: str, least: float) -> None:
    scale = np.abs(K).max() or 1.0
    skew = np.abs(K - K.T)
    if skew.max() > ROUNDING * scale:
        i, j = (int(k) for k in np.unravel_index(np.argmax(skew), K.shape))
        raise InputError(
            f"Lee's condition {condition}. Element [{i}, {j}] is {K[i, j]:g}, and [{j}, {i}] is "
            f"{K[j, i]:g}."
        )
    lowest = float(np.linalg.eigvalsh(K)[0])
    if lowest < (least or -ROUNDING) * scale:
        raise InputError(f"Lee's condition {condition}. Its lowest eigenvalue is {lowest:.4g}.")


def _check_damped(Kp: Array, Kv: Array) -> None:
    """(c): no oscillation of the springs Kp alone is out of the dampers' reach."""
    n = len(Kp)
    scaled = Kp / np.abs(Kp).max()
    powers = [np.linalg.matrix_power(scaled, k) @ Kv for k in range(n)]
    rank = int(np.linalg.matrix_rank(np.hstack(powers)))
    if rank < n:
        raise InputError(
            f"Lee's condition (c): the rank of [Kv, Kp Kv, ..., Kp^{n - 1} Kv] must be {n}, and is "
            f"{rank}: an error swings for ever in a direction that kv does not damp. Make kv positive "
            "definite."
        )


def times_gain(gain: SX, error: SX) -> SX:
    """A gain's symbols, n or n squared of them, times an error of n; matrices are symmetric."""
    n = error.size1()
    return gain * error if gain.size1() == n else ca.mtimes(ca.reshape(gain, n, n), error)


# For numbers and expressions alike, so that a single run and a compiled batch cannot differ.


def between(values: Values, low: Array, high: Array) -> Values:
    """Values saturated at bounds; infinite ones are none."""
    if not (np.isfinite(low).any() or np.isfinite(high).any()):
        return values
    if isinstance(values, SX):
        return ca.fmin(ca.fmax(values, ca.DM(low)), ca.DM(high))
    return np.clip(values, low, high)


def unwound(error: Values, wanted: Values, bound: Array, own_actuators: bool) -> Values:
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
