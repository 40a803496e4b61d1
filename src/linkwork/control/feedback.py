"""Feedback gains: a number, one for each freedom, or a full matrix that fulfils Lee's conditions."""

from __future__ import annotations

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from linkwork.checks import numbers
from linkwork.errors import InputError
from linkwork.interface.robot import Array
from linkwork.mechanics.expressions import SX

# Of the greatest element: what rounding leaves of a symmetric matrix, and of an eigenvalue that is zero.
ROUNDING = 1e-10


def per_freedom(value: ArrayLike, n: int, name: str) -> Array:
    """A gain for every freedom from one number or n numbers, none negative."""
    array = numbers(value, name)
    if array.shape not in ((), (n,)) or (array < 0).any():
        raise InputError(
            f"{name} = {value!r}: allowed is a number >= 0, {n} of them, or a matrix ({n}, {n})."
        )
    return np.broadcast_to(array, (n,)).copy()


def feedback_gains(
    kp: ArrayLike, kv: ArrayLike, n: int, *, accelerations: bool = True
) -> tuple[Array, Array]:
    """kp and kv, both (n,), or both (n, n) if one of them is a matrix.

    Matrices must fulfil the conditions that Lee states after (4.3), under which e'' + Kv e' + Kp e = 0
    dies out. The third is one of laws whose gains give accelerations; where they give efforts, as in PD
    control, the mass matrix is part of it.
    """
    wide = [numbers(value, name).ndim == 2 for value, name in ((kp, "kp"), (kv, "kv"))]
    if not any(wide):
        return per_freedom(kp, n, "kp"), per_freedom(kv, n, "kv")
    Kp, Kv = (
        _matrix(value, n, name) if matrix else np.diag(per_freedom(value, n, name))
        for value, name, matrix in ((kp, "kp", wide[0]), (kv, "kv", wide[1]))
    )
    _check_definite(Kv, "(a): kv must be symmetric and not negative definite", 0.0)
    _check_definite(Kp, "(b): kp must be symmetric and positive definite", ROUNDING)
    if accelerations:
        _check_damped(Kp, Kv)
    return Kp, Kv


def _matrix(value: ArrayLike, n: int, name: str) -> Array:
    array = numbers(value, name)
    if array.shape != (n, n):
        raise InputError(
            f"{name} has shape {array.shape}; allowed is a number, ({n},) or a matrix ({n}, {n})."
        )
    return array


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


def gain_size(gain: Array) -> int:
    """Numbers of a gain as a kernel takes it, a matrix as its elements."""
    return int(gain.size)


def times_gain(gain: SX, error: SX) -> SX:
    """A gain's symbols, n or n squared of them, times an error of n; matrices are symmetric."""
    n = error.size1()
    return gain * error if gain.size1() == n else ca.mtimes(ca.reshape(gain, n, n), error)
