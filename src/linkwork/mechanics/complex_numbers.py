"""Complex numbers, vectors and quaternions on expressions, as pairs of real ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import casadi as ca

from linkwork.mechanics.expressions import SX


@dataclass(frozen=True)
class Complex:
    """re + i im."""

    re: SX
    im: SX

    def __add__(self, other: Complex) -> Complex:
        return Complex(self.re + other.re, self.im + other.im)

    def __sub__(self, other: Complex) -> Complex:
        return Complex(self.re - other.re, self.im - other.im)

    def __neg__(self) -> Complex:
        return Complex(-self.re, -self.im)

    def __mul__(self, other: Complex) -> Complex:
        return Complex(self.re * other.re - self.im * other.im, self.re * other.im + self.im * other.re)

    def scaled(self, factor: Any) -> Complex:
        """Times a real number."""
        return Complex(self.re * factor, self.im * factor)

    def conjugate(self) -> Complex:
        return Complex(self.re, -self.im)

    @property
    def square(self) -> SX:
        """Of the absolute value."""
        return self.re * self.re + self.im * self.im


Vector = list[Complex]
ZERO = Complex(SX(0), SX(0))


def unpack(column: SX) -> Vector:
    """Complex numbers from a column: all real parts, then all imaginary parts."""
    half = column.numel() // 2
    return [Complex(column[k], column[half + k]) for k in range(half)]


def pack(values: Vector) -> SX:
    return ca.vertcat(*[value.re for value in values], *[value.im for value in values])


def add(a: Vector, b: Vector) -> Vector:
    return [x + y for x, y in zip(a, b, strict=True)]


def subtract(a: Vector, b: Vector) -> Vector:
    return [x - y for x, y in zip(a, b, strict=True)]


def scale(a: Vector, factor: Any) -> Vector:
    """Times a real number."""
    return [x.scaled(factor) for x in a]


def times(factor: Complex, v: Vector) -> Vector:
    return [factor * x for x in v]


def chained(terms: Sequence[tuple[Complex, Complex]], start: Complex | None = None) -> Complex:
    """start + sum a b, in an order that fused multiply-add takes without another addition."""
    (a, b), *rest = terms
    if start is None:
        re, im = a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re
    else:
        re, im = start.re, start.im
        rest = list(terms)
    for a, b in rest:
        re = (re + a.re * b.re) - a.im * b.im
        im = (im + a.re * b.im) + a.im * b.re
    return Complex(re, im)


def product(a: Vector, b: Vector) -> Complex:
    """sum a_k b_k, without conjugation."""
    return chained(list(zip(a, b, strict=True)))


def less_product(start: Vector, factor: Complex, v: Vector) -> Vector:
    """start - factor v."""
    minus = -factor
    return [chained([(minus, x)], y) for x, y in zip(v, start, strict=True)]


def plus_product(start: Vector, factor: Complex, v: Vector) -> Vector:
    """start + factor v."""
    return [chained([(factor, x)], y) for x, y in zip(v, start, strict=True)]


def square_norm(a: Vector) -> SX:
    result = a[0].square
    for value in a[1:]:
        result = result + value.re * value.re + value.im * value.im
    return result


def cross(a: Vector, b: Vector) -> Vector:
    return [chained([(a[i], b[j]), (-a[j], b[i])]) for i, j in CYCLE]


CYCLE = ((1, 2), (2, 0), (0, 1))


def right_product(q: Vector, b: Vector) -> Vector:
    """Quaternion w x y z times a vector: q b."""
    w, v = q[0], q[1:]
    vector = [chained([(w, b[k]), (v[i], b[j]), (-v[j], b[i])]) for k, (i, j) in enumerate(CYCLE)]
    return [-product(v, b), *vector]


def left_product(a: Vector, q: Vector) -> Vector:
    """A vector times a quaternion: a q."""
    w, v = q[0], q[1:]
    vector = [chained([(w, a[k]), (a[i], v[j]), (-a[j], v[i])]) for k, (i, j) in enumerate(CYCLE)]
    return [-product(v, a), *vector]
