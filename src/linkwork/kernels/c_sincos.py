"""Sine and cosine of several angles as C99, by the polynomials of the kernels.

x = n pi/2 + r as in `sincos`; pi/2 is subtracted in pieces whose products with n are exact. All of it is
arithmetic without branches and integers, so that compilers work on several angles at once. With d, the
remainder of n by 4 in -2..2, C = cos(d pi/2) and S = sin(d pi/2) are polynomials of d that are exactly
0, 1 or -1. Beyond the limit the results are NaN, which the function that asked for them reports.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from linkwork.kernels.sincos import COSINE, LIMIT, PIECES_PLAIN, ROUNDER, SINE, TWO_OVER_PI


@dataclass(frozen=True)
class _Precision:
    """Constants of one precision. `overflow` times an angle beyond the limit is infinite."""

    limit: float
    overflow: float
    rounder: float
    pieces: tuple[float, ...]
    terms: int


DOUBLE = _Precision(LIMIT, 1.79e302, ROUNDER, PIECES_PLAIN, len(SINE))
# Pieces of 11 bits, whose products with n (13 bits) are exact, and fewer terms, whose truncation error
# is below rounding.
SINGLE = _Precision(
    limit=1.0e4,
    overflow=3.39e34,
    rounder=12582912.0,  # 1.5 * 2^23
    pieces=(1.5703125, 0.0004837512969970703, 7.549533620476723e-08, 2.5633440682570896e-12),
    terms=4,
)

TEXT = """#include <float.h>
#if FLT_EVAL_METHOD != 0 || defined(__FAST_MATH__)
#error "sine and cosine need plain arithmetic: no -ffast-math, no x87; or export with libm"
#endif

/* Sines and cosines of angles, within 2.5 units in the last place for |x| <= {limit}, NaN beyond. */
static void {name}(int count, const {real} *restrict angle, {real} *restrict sine,
    {real} *restrict cosine) {{
    for (int i = 0; i < count; i++) {{
        const {real} x = angle[i];
        const {real} n = (x * {two_over_pi} + {rounder}) - {rounder};
        const {real} r = {reduced};
        const {real} z = r * r;
        const {real} s = r * z * ({sine}) + r;
        const {real} c = z * z * ({cosine}) + ({one} - {half} * z);
        const {real} d = n - {four} * ((n * {quarter} + {rounder}) - {rounder});
        const {real} dd = d * d;
        const {real} S = d * ({four} - dd) * {third};
        const {real} C = {one} - dd * ({seven} - dd) * {sixth};
        const {real} beyond = x * {overflow} * {zero};
        sine[i] = C * s + S * c + beyond;
        cosine[i] = C * c - S * s + beyond;
    }}
}}
"""


def sines_and_cosines(name: str, real: str, number: Callable[[float], str], single: bool) -> str:
    """The text of a static function `name(count, angle, sine, cosine)`."""
    precision = SINGLE if single else DOUBLE
    reduced = "x"
    for piece in precision.pieces:
        reduced = f"({reduced} - n * {number(piece)})"
    named = {"zero": 0.0, "quarter": 0.25, "third": 1 / 3, "sixth": 1 / 6, "half": 0.5, "one": 1.0}
    named |= {"four": 4.0, "seven": 7.0, "two_over_pi": TWO_OVER_PI, "rounder": precision.rounder}
    return TEXT.format(
        name=name,
        real=real,
        limit=f"{precision.limit:g}",
        overflow=number(precision.overflow),
        reduced=reduced.removeprefix("(").removesuffix(")"),
        sine=_horner(SINE[: precision.terms], number),
        cosine=_horner(COSINE[: precision.terms], number),
        **{key: number(value) for key, value in named.items()},
    )


def _horner(coefficients: tuple[float, ...], number: Callable[[float], str]) -> str:
    text = number(coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        text = f"({text} * z + {number(coefficient)})"
    return text.removeprefix("(").removesuffix(")")
