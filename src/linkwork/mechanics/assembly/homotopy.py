"""All poses with given leg lengths, as the zeros of quadratic forms (Husty 1996), and a step along them.

The unknowns x = (e, h) are homogeneous: e a quaternion of the rotation, h = p e with the position p of
the first platform point; N = e.e. Origins are at the first base and platform point. The equations are
e.h = 0, h.h - s N = 0 with s = L1^2, and for the legs 2 to 6
    2 h.(e b - a e) + e.(2 a e b + c e) = 0,   c = a^2 + b^2 - L^2 + L1^2.
A platform has 40 solutions in general; those with N = 0 belong to no pose. Parameters a, b, c, s move
on straight lines from a platform whose solutions are known; x moves with them, orthogonal to itself, so
that its norm stays one.
"""

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


UNKNOWNS = 8
LEGS = 5  # beside the first
PARAMETERS = 7 * LEGS + 1  # a, b, c of every leg, and s

# Layout of a path's row: x, its tangent, both at the step before, then these.
# CAUTION divides the errors that a step may make.
T, STEP, LAST_STEP, STATUS, COUNT, INDEX, CAUTION = (64 + k for k in range(7))
ROW = 71
RUNNING, ARRIVED, INFINITE, LOST = range(4)

LARGEST_MISS, LARGEST_SECOND, CONTRACTION = 0.05, 1e-3, 0.3
GOOD_MISS = 3e-3
SHORTEST_STEP = 1e-9
MOST_STEPS = 1000
AT_INFINITY, NEAR_END = 1e-8, 1e-3


@dataclass(frozen=True)
class PlatformParameters:
    """Parameters: points a and b and number c of five legs, and s."""

    a: list[Vector]
    b: list[Vector]
    c: Vector
    s: Complex

    @classmethod
    def of(cls, values: Vector) -> PlatformParameters:
        """From 36 numbers: a leg by leg, b leg by leg, c, s."""
        points = [values[3 * k : 3 * k + 3] for k in range(2 * LEGS)]
        return cls(points[:LEGS], points[LEGS:], values[6 * LEGS : 7 * LEGS], values[-1])


@dataclass(frozen=True)
class Forms:
    """Rows of the derivative, values, and derivatives along the line of parameters."""

    rows: list[Vector]
    values: Vector
    along: Vector


def forms(x: Vector, at: PlatformParameters, way: PlatformParameters | None = None) -> Forms:
    """The seven forms at x; `way` is the derivative of the parameters, if `along` is wanted."""
    e, h = x[:4], x[4:]
    rows = [[*h, *e], [*scale(times(at.s, e), -2), *scale(h, 2)]]
    for a, b, c in zip(at.a, at.b, at.c, strict=True):
        less, more = subtract(b, a), add(b, a)
        aeb = left_product(a, right_product(e, b))
        by_h = scale(_difference(e, less, more), 2)
        across = subtract(scale(aeb, 2), _difference(h, less, more))
        rows.append([*scale(plus_product(across, c, e), 2), *by_h])
    values = [product(row, x).scaled(0.5) for row in rows]  # forms are of degree two
    return Forms(rows, values, [] if way is None else _along(e, h, at, way))


def _difference(q: Vector, less: Vector, more: Vector) -> Vector:
    """q b - a q, from b - a and b + a."""
    w, v = q[0], q[1:]
    vector = [
        chained([(w, less[k]), (v[i], more[j]), (-v[j], more[i])]) for k, (i, j) in enumerate(CYCLE)
    ]
    return [-product(v, less), *vector]


def _along(e: Vector, h: Vector, at: PlatformParameters, way: PlatformParameters) -> Vector:
    """Derivatives of the forms, written 2 b.u - 2 a.w - 2 a.R b + c N."""
    (w, *v), (hw, *hv) = e, h
    N = product(e, e)
    turned = cross(v, hv)
    sides = [w * x - hw * y for x, y in zip(hv, v, strict=True)]
    u, outer = subtract(sides, turned), add(sides, turned)  # vec(conj(e) h), vec(h conj(e))
    R = _rotation(w, v)
    along = [ZERO, -(way.s * N)]
    for k in range(LEGS):
        a, da, b, db = at.a[k], way.a[k], at.b[k], way.b[k]
        Rb, Rdb = ([product(row, value) for row in R] for value in (b, db))
        part = product(db, u) - product(da, add(outer, Rb)) - product(a, Rdb)
        along.append(chained([(way.c[k], N)], part.scaled(2)))
    return along


def _rotation(w: Complex, v: Vector) -> list[Vector]:
    """N times the rotation matrix."""
    x, y, z = v
    ww, xx, yy, zz = w * w, x * x, y * y, z * z
    xy, xz, yz = x * y, x * z, y * z
    wx, wy, wz = w * x, w * y, w * z
    return [
        [ww + xx - yy - zz, (xy - wz).scaled(2), (xz + wy).scaled(2)],
        [(xy + wz).scaled(2), ww - xx + yy - zz, (yz - wx).scaled(2)],
        [(xz - wy).scaled(2), (yz + wx).scaled(2), ww - xx - yy + zz],
    ]


def least_solutions(rows: list[Vector], rights: list[Vector]) -> list[Vector]:
    """The shortest x with rows . x = right, for several right-hand sides, by Gram-Schmidt."""
    rows, rights = [list(row) for row in rows], [list(right) for right in rights]
    results = [[ZERO] * len(rows[0]) for _ in rights]
    for j, row in enumerate(rows):
        inverse = 1 / square_norm(row)
        conjugate = [value.conjugate() for value in row]
        for right, result in zip(rights, results, strict=True):
            result[:] = plus_product(result, right[j].scaled(inverse), conjugate)
        for k in range(j + 1, len(rows)):
            share = product(rows[k], conjugate).scaled(inverse)
            rows[k] = less_product(rows[k], share, row)
            for right in rights:
                right[k] = chained([(-share, right[j])], right[k])
    return results


def newton(x: Vector, at: PlatformParameters) -> tuple[Vector, SX]:
    """The shortest Newton step, and its square."""
    here = forms(x, at)
    (step,) = least_solutions(here.rows, [[-value for value in here.values]])
    return step, square_norm(step)


def _on_line(start: Vector, way: Vector, t: SX) -> Vector:
    return [a + b.scaled(t) for a, b in zip(start, way, strict=True)]


def step() -> tuple[ca.Function, tuple[tuple[int, ...], ...]]:
    """A step of one path: its row, and the parameters at both ends, to its next row.

    A cubic through the last two points predicts, Newton's method corrects twice. The first correction
    measures the predictor's error, of fourth order, which chooses the next step.
    """
    row, start, end = SX.sym("row", ROW), SX.sym("start", 2 * PARAMETERS), SX.sym("end", 2 * PARAMETERS)
    x, v, x_before, v_before = (unpack(row[16 * k : 16 * k + 16]) for k in range(4))
    t, last, count = row[T], row[LAST_STEP], row[COUNT]
    h = ca.if_else(count > 0, row[STEP], 0)  # the first step only finds the tangent
    first = unpack(start)
    way = subtract(unpack(end), first)
    arrives = h >= 1 - t
    h = ca.if_else(arrives, 1 - t, h)
    goal = ca.if_else(arrives, 1, t + h)
    at = PlatformParameters.of(_on_line(first, way, goal))

    # The cubic in u = time / last step; without a step before it is the tangent.
    known = last > 0
    u = ca.if_else(known, h / ca.if_else(known, last, 1), 0)
    D, V, W = subtract(x, x_before), scale(v, last), scale(v_before, last)
    second = subtract(add(W, scale(V, 2)), scale(D, 3))
    third = subtract(add(W, V), scale(D, 2))
    bend = add(scale(second, u * u), scale(third, u * u * u))
    predicted = add(add(x, scale(v, h)), bend)

    correction, miss2 = newton(predicted, at)
    better = add(predicted, correction)
    here = forms(better, at, PlatformParameters.of(way))
    rights = [[-value for value in here.values], [-value for value in here.along]]
    correction, tangent = least_solutions(here.rows, rights)
    second2 = square_norm(correction)
    best = add(better, correction)
    # Newton's method corrects x across itself only. Along itself, in norm and phase, the cubic would
    # feed back its own errors, which grow (a root -5), so both are fixed by the point before.
    overlap = product(best, [value.conjugate() for value in x])
    gauge = overlap.conjugate().scaled(1 / ca.sqrt(overlap.square * square_norm(best)))
    best, tangent = times(gauge, best), times(gauge, tangent)

    miss, second_miss = ca.sqrt(miss2), ca.sqrt(second2)
    contracts = ca.logic_or(second_miss < CONTRACTION * miss, second_miss < 1e-9)
    allowed = 1 / row[CAUTION]
    small = ca.logic_and(miss < LARGEST_MISS * allowed, second_miss < LARGEST_SECOND * allowed)
    good = ca.logic_and(small, contracts)
    growth = 0.9 * ca.sqrt(ca.sqrt(GOOD_MISS * allowed / ca.fmax(miss, 1e-10)))
    growing = h * ca.fmin(ca.fmax(growth, 0.3), 3.0)
    next_step = ca.if_else(good, ca.if_else(h > 0, growing, row[STEP]), row[STEP] / 2)

    def chosen(new: SX, old: SX) -> SX:
        return ca.if_else(good, new, old)

    now = chosen(goal, t)
    e = best[:4]
    finite = product(e, e).square > AT_INFINITY**2 * square_norm(e) ** 2
    ended = ca.logic_and(good, goal >= 1)
    status = ca.if_else(ended, ARRIVED, RUNNING)
    hopeless = ca.logic_or(next_step < SHORTEST_STEP, count >= MOST_STEPS)
    status = ca.if_else(ca.logic_and(status == RUNNING, hopeless), LOST, status)
    away = ca.logic_and(ca.logic_not(finite), 1 - now < NEAR_END)
    status = ca.if_else(away, INFINITE, status)
    result = ca.vertcat(
        chosen(pack(best), row[0:16]),
        chosen(pack(tangent), row[16:32]),
        chosen(row[0:16], row[32:48]),
        chosen(row[16:32], row[48:64]),
        now,
        next_step,
        chosen(h, last),
        status,
        count + 1,
        row[INDEX],
        row[CAUTION],
    )
    function = ca.Function(
        "assembly_step", [row, start, end], [result], ["row", "start", "end"], ["next"]
    )
    return function, ((ROW,),)
