"""Vector algebra on CasADi expressions, in the words of the papers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import NDArray

SX = ca.SX


def vector(*components: Any) -> SX:
    """A column of expressions."""
    return ca.vertcat(*components)


def number(array: NDArray[np.float64] | float | SX) -> SX:
    """A number, vector or matrix of a robot: a constant, or an input where it is a parameter."""
    return array if isinstance(array, SX) else SX(ca.DM(array))


def zeros(rows: int = 3, columns: int = 1) -> SX:
    return SX(ca.DM.zeros(rows, columns))


def cross(a: SX, b: SX) -> SX:
    return ca.cross(a, b)


def dot(a: SX, b: SX) -> SX:
    return ca.dot(a, b)


def times(matrix: SX, v: SX) -> SX:
    """Matrix times vector or matrix."""
    return ca.mtimes(matrix, v)


def squared(w: SX, r: SX) -> SX:
    """w x (w x r)."""
    if w[0].is_zero() and w[1].is_zero():
        fast = -w[2] * w[2]
        return vector(fast * r[0], fast * r[1], 0)
    return cross(w, cross(w, r))


def operator(w: SX, al: SX) -> SX:
    """U: U r = al x r + w x (w x r)."""
    x, y, z = w[0], w[1], w[2]
    xx, yy, zz, xy, xz, yz = x * x, y * y, z * z, x * y, x * z, y * z
    return ca.vertcat(
        ca.horzcat(-(yy + zz), xy - al[2], xz + al[1]),
        ca.horzcat(xy + al[2], -(xx + zz), yz - al[0]),
        ca.horzcat(xz - al[1], yz + al[0], -(xx + yy)),
    )


def turning(U: SX, J: SX) -> SX:
    """Moment that a body of second moments J needs: the axial vector of U J - (U J)'."""
    P = ca.mtimes(U, J)
    return vector(P[2, 1] - P[1, 2], P[0, 2] - P[2, 0], P[1, 0] - P[0, 1])


def skew(v: SX) -> SX:
    """skew(a) b = a x b."""
    return ca.vertcat(ca.horzcat(0, -v[2], v[1]), ca.horzcat(v[2], 0, -v[0]), ca.horzcat(-v[1], v[0], 0))


def any_normals(s: SX) -> tuple[SX, SX]:
    """Two normals of a unit vector that make a right-handed frame with it, without a singular direction.

    A leg that is free to spin has no axis of its own; being symmetric, it does not care (Duff et al.).
    """
    x, y, z = s[0], s[1], s[2]
    sign = ca.if_else(z < 0, -1, 1)
    a = -1 / (sign + z)
    b = x * y * a
    return vector(1 + sign * x * x * a, sign * b, -sign * x), vector(b, sign + y * y * a, -y)


def row_major(matrix: SX) -> SX:
    """The elements of a matrix as a column, row after row, as NumPy stores them."""
    return ca.vec(ca.densify(SX(matrix)).T)


def stack(parts: Sequence[SX]) -> SX:
    """Row-major elements of several arrays, one after the other."""
    return ca.vertcat(*[row_major(part) for part in parts])
