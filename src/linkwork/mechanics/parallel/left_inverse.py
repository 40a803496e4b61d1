"""K with K J = 1: joint velocities from the tip's motion, and wrenches at the tip from efforts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import casadi as ca
import numpy as np

from linkwork.mechanics.expressions import SX, cross, vector, zeros
from linkwork.mechanics.linear import SMALLEST_REMAINDER
from linkwork.robots.geometry import Array


class LeftInverse(Protocol):
    """Of a matrix of independent columns."""

    def times(self, e: SX) -> SX:
        """K e."""

    def transposed(self, h: SX) -> SX:
        """K' h: the wrench at the tip that does the work of joint efforts h."""


@dataclass(frozen=True)
class Square:
    """Three columns of three: cross products over the determinant."""

    normals: tuple[SX, SX, SX]
    inverse: SX

    @staticmethod
    def of(columns: list[SX]) -> Square:
        a, b, c = columns
        normals = (cross(b, c), cross(c, a), cross(a, b))
        return Square(normals, 1 / ca.dot(a, normals[0]))

    def times(self, e: SX) -> SX:
        e = e * self.inverse
        return vector(*(ca.dot(normal, e) for normal in self.normals))

    def transposed(self, h: SX) -> SX:
        total = sum((normal * h[k] for k, normal in enumerate(self.normals)), zeros(3))
        return total * self.inverse


@dataclass(frozen=True)
class Tall:
    """Fewer columns than rows, J = W U by Gram-Schmidt: exact for motions that the leg can make."""

    work: tuple[SX, ...]
    upper: dict[tuple[int, int], SX]
    inverse: tuple[SX, ...]

    @staticmethod
    def of(columns: list[SX]) -> Tall:
        work, upper, inverse = list(columns), {}, []
        for j in range(len(work)):
            size = ca.sumsqr(work[j])
            smallest = SMALLEST_REMAINDER * ca.sumsqr(columns[j])
            inverse.append(1 / ca.if_else(smallest < size, size, 0))
            for k in range(j + 1, len(work)):
                upper[j, k] = ca.dot(work[j], work[k]) * inverse[j]
                work[k] = work[k] - upper[j, k] * work[j]
        return Tall(tuple(work), upper, tuple(inverse))

    def times(self, e: SX) -> SX:
        y = []
        for w, inverse in zip(self.work, self.inverse, strict=True):
            y.append(ca.dot(w, e) * inverse)
            e = e - y[-1] * w
        n = len(y)
        x = zeros(n)
        for j in reversed(range(n)):
            x[j] = y[j] - sum((self.upper[j, k] * x[k] for k in range(j + 1, n)), SX(0))
        return x

    def transposed(self, h: SX) -> SX:
        n = len(self.work)
        z = zeros(n)
        for j in range(n):
            z[j] = h[j] - sum((self.upper[k, j] * z[k] for k in range(j)), SX(0))
        terms = (w * (z[j] * self.inverse[j]) for j, w in enumerate(self.work))
        return sum(terms, zeros(self.work[0].shape[0]))

    def projected(self, v: SX) -> SX:
        """v without its part in the span of the columns."""
        for w, inverse in zip(self.work, self.inverse, strict=True):
            v = v - (ca.dot(w, v) * inverse) * w
        return v


@dataclass(frozen=True)
class Plane:
    """Two columns of two."""

    a: SX
    b: SX
    inverse: SX

    @staticmethod
    def of(columns: list[SX]) -> Plane:
        a, b = columns
        return Plane(a, b, 1 / (a[0] * b[1] - a[1] * b[0]))

    def times(self, e: SX) -> SX:
        e = e * self.inverse
        return vector(self.b[1] * e[0] - self.b[0] * e[1], self.a[0] * e[1] - self.a[1] * e[0])

    def transposed(self, h: SX) -> SX:
        h = h * self.inverse
        return vector(self.b[1] * h[0] - self.a[1] * h[1], self.a[0] * h[1] - self.b[0] * h[0])


@dataclass(frozen=True)
class Within:
    """An inverse of some rows; in the others all columns are zero."""

    inner: LeftInverse
    rows: tuple[int, ...]
    size: int

    def times(self, e: SX) -> SX:
        return self.inner.times(vector(*(e[k] for k in self.rows)))

    def transposed(self, h: SX) -> SX:
        small, result = self.inner.transposed(h), zeros(self.size)
        for k, row in enumerate(self.rows):
            result[row] = small[k]
        return result


def left_inverse(columns: list[SX]) -> LeftInverse:
    """The form with the fewest operations; rows that are zero in all columns do not count."""
    size, n = columns[0].shape[0], len(columns)
    rows = tuple(k for k in range(size) if not all(column[k].is_zero() for column in columns))
    if len(rows) != n or n not in (2, 3):
        return Tall.of(columns)
    small = [vector(*(column[k] for k in rows)) for column in columns]
    inner: LeftInverse = Plane.of(small) if n == 2 else Square.of(small)
    return inner if size == n else Within(inner, rows, size)


def determinant(columns: list[SX], near: Array) -> SX:
    """By elimination, with the pivots that are largest in a matrix `near` this one."""
    n = len(columns)
    value = {(i, j): columns[j][i] for i in range(n) for j in range(n)}
    guide = near.copy()
    rows, places = list(range(n)), list(range(n))
    result = SX(1)
    while rows:
        block = np.abs(guide[np.ix_(rows, places)])
        a, b = np.unravel_index(int(block.argmax()), block.shape)
        sign = -1.0 if (a + b) % 2 else 1.0
        row, place = rows.pop(int(a)), places.pop(int(b))
        pivot = value[row, place]
        result = result * pivot * sign
        for i in rows:
            if value[i, place].is_zero():
                continue
            factor = value[i, place] / pivot
            guide[i] = guide[i] - guide[i, place] / guide[row, place] * guide[row]
            for j in places:
                value[i, j] = value[i, j] - factor * value[row, j]
    return result
