"""Zeros of the forms of a platform: brought to full precision, and proven.

In the chart of the x with conj(x0).x = 1 and the sup norm: beta bounds the Newton step C F, delta bounds
1 - C J, and kappa the second derivative of C F, which is constant. With 2 kappa beta < (1 - delta)^2
(Kantorovich) there is exactly one zero closer than (1 - delta + root) / kappa, and it is as close as
(1 - delta - root) / kappa, where root^2 = (1 - delta)^2 - 2 kappa beta. Rounding of F, J and C J is in
beta and delta. Absolute values are bounded by |re| + |im|.
"""

from __future__ import annotations

import casadi as ca

from linkwork.mechanics.assembly.homotopy import (
    PARAMETERS,
    UNKNOWNS,
    ZERO,
    Complex,
    PlatformParameters,
    Vector,
    add,
    forms,
    least_solutions,
    newton,
    pack,
    product,
    scale,
    square_norm,
    times,
    unpack,
)
from linkwork.mechanics.expressions import SX

# Of a sum of some tens of rounded products, relative to the sum of their sizes.
ROUNDING = 64 * 2.0**-53
UNPROVEN = 1e9  # a radius where nothing is proven
SMALL = 1e-12


def certificate() -> tuple[ca.Function, tuple[tuple[int, ...], ...]]:
    """Newton's method from a point, and what proves that one zero is near.

    The point is turned until it is as real as it gets, and made real if no imaginary part is above
    `widest`. Facts: the radius within which a zero is; the largest imaginary part; by how much |N| of
    every point within the radius exceeds zero, twice over, at least; the last move.
    """
    point, end = SX.sym("point", 2 * UNKNOWNS), SX.sym("end", 2 * PARAMETERS)
    widest = SX.sym("widest")
    at = PlatformParameters.of(unpack(end))
    x = _towards_real(unpack(point), widest)
    step, _ = newton(x, at)
    x = _normalized(add(x, step))
    step, beta, delta, kappa = _bounds(x, at)
    refined = add(x, step)
    room = 1 - delta
    square = room * room - 2 * kappa * beta
    proven = ca.logic_and(room > 0, square > 0)
    root = ca.sqrt(ca.fmax(square, 0))
    # The smaller of the two roots without cancellation. The point has moved by beta at most since.
    nearest = 2 * beta / ca.if_else(proven, room + root, 1) + beta
    radius = ca.if_else(proven, nearest, UNPROVEN)
    e = refined[:4]
    # In components a zero differs by a radius at most, in N by this.
    change = 4 * radius * (ca.sqrt(square_norm(e)) + radius)
    margin = ca.sqrt(product(e, e).square) - 2 * change
    facts = ca.vertcat(radius, _largest_imaginary(refined), margin, beta)
    function = ca.Function(
        "assembly_certificate",
        [point, end, widest],
        [pack(refined), facts],
        ["point", "end", "widest"],
        ["refined", "facts"],
    )
    return function, ((2 * UNKNOWNS,), (facts.numel(),))


def _normalized(x: Vector) -> Vector:
    return scale(x, 1 / ca.sqrt(square_norm(x)))


def _towards_real(x: Vector, widest: SX) -> Vector:
    """x times the phase that makes x.x real and positive: a real solution becomes real."""
    x = _normalized(x)
    z = product(x, x)
    size = ca.sqrt(z.square)
    # The direction of the root of z, by the half angle that loses no digits.
    right = z.re >= 0
    re = ca.if_else(right, size + z.re, z.im)
    im = ca.if_else(right, z.im, size - z.re)
    known = size > SMALL
    re, im = ca.if_else(known, re, 1), ca.if_else(known, im, 0)
    length = ca.sqrt(re * re + im * im)
    turned = times(Complex(re / length, -im / length), x)
    near = _largest_imaginary(turned) <= widest
    return [Complex(value.re, ca.if_else(near, 0, value.im)) for value in turned]


def _largest_imaginary(x: Vector) -> SX:
    result = ca.fabs(x[0].im)
    for value in x[1:]:
        result = ca.fmax(result, ca.fabs(value.im))
    return result


def _bounds(x: Vector, at: PlatformParameters) -> tuple[Vector, SX, SX, SX]:
    """Newton's step from x, and beta, delta and kappa there."""
    here = forms(x, at)
    one = Complex(SX(1), SX(0))
    units = [[one if k == j else ZERO for k in range(len(here.rows))] for j in range(len(here.rows))]
    step, *columns = least_solutions(here.rows, [[-value for value in here.values], *units])
    one_e, one_h = (_greatest(part) for part in (x[:4], x[4:]))
    sizes, rounded = _sizes(at, SX(1), SX(1)), _sizes(at, one_e, one_h)
    beta, delta, kappa = SX(0), SX(0), SX(0)
    for k in range(UNKNOWNS):
        inverse = [column[k] for column in columns]
        second = sum((_bound(c) * size for c, size in zip(inverse, sizes, strict=True)), SX(0))
        kappa = ca.fmax(kappa, 2 * second)
        error = sum((_bound(c) * size for c, size in zip(inverse, rounded, strict=True)), SX(0))
        move = _bound(product(inverse, here.values)) + ROUNDING * error
        beta = ca.fmax(beta, move + ROUNDING)
        off = SX(0)
        for j in range(UNKNOWNS):
            entry = product(inverse, [row[j] for row in here.rows]) + x[k] * x[j].conjugate()
            off += _bound(entry - one if j == k else entry)
        delta = ca.fmax(delta, off + 2 * ROUNDING * second)
    return step, beta, delta, kappa


def _bound(value: Complex) -> SX:
    """An upper bound of the absolute value, without a root."""
    return ca.fabs(value.re) + ca.fabs(value.im)


def _greatest(values: Vector) -> SX:
    result = _bound(values[0])
    for value in values[1:]:
        result = ca.fmax(result, _bound(value))
    return result


def _sizes(at: PlatformParameters, e: SX, h: SX) -> list[SX]:
    """Sums of the absolute terms of the forms, where components are as large as e and h."""
    sizes = [4 * e * h, 4 * h * h + 4 * _bound(at.s) * e * e]
    for a, b, c in zip(at.a, at.b, at.c, strict=True):
        one, other = (_bound(v[0]) + _bound(v[1]) + _bound(v[2]) for v in (a, b))
        sizes.append(8 * (one + other) * e * h + (8 * one * other + 4 * _bound(c)) * e * e)
    return sizes
