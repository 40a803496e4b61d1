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


def skew(v: SX) -> SX:
    """skew(a) b = a x b."""
    return ca.vertcat(ca.horzcat(0, -v[2], v[1]), ca.horzcat(v[2], 0, -v[0]), ca.horzcat(-v[1], v[0], 0))


def row_major(matrix: SX) -> SX:
    """The elements of a matrix as a column, row after row, as NumPy stores them."""
    return ca.vec(ca.densify(SX(matrix)).T)


def stack(parts: Sequence[SX]) -> SX:
    """Row-major elements of several arrays, one after the other."""
    return ca.vertcat(*[row_major(part) for part in parts])
