"""The two precisions of numbers, as LLVM, C, NumPy and sine and cosine need them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linkwork.core.errors import InputError


class Real(NamedTuple):
    """A precision. `limit`: of angles whose sine is not asked of the C library,
    `overflow` times an angle beyond it is infinite; `rounder`: adding and
    subtracting it rounds to the nearest integer and leaves that in the low bits; `pieces` of pi/2 for
    fused multiply-add and without; `terms` of the polynomials whose truncation error is below rounding.
    """

    name: str
    llvm: str
    bits: int
    limit: float
    overflow: float
    rounder: float
    pieces_fused: tuple[float, ...]
    pieces_plain: tuple[float, ...]
    terms: int

    @property
    def bytes(self) -> int:
        return self.bits // 8

    @property
    def dtype(self) -> np.dtype[Any]:
        return np.dtype(self.name)


# pi/2 in pieces: of all bits where a fused multiply-add keeps the product with n whole, else of 33 (11)
# bits, since n has at most 20 (13), so that products are exact in plain arithmetic.
DOUBLE = Real(
    name="float64",
    llvm="double",
    bits=64,
    limit=1.0e6,
    overflow=1.79e302,
    rounder=6755399441055744.0,  # 1.5 * 2^52
    pieces_fused=(1.5707963267948966, 6.123233995736766e-17, -1.4973849048591698e-33),
    pieces_plain=(
        1.5707963267341256, 6.077100506303966e-11, 2.0222662487111665e-21, 8.4784276603689e-32
    ),
    terms=6,
)  # fmt: skip
SINGLE = Real(
    name="float32",
    llvm="float",
    bits=32,
    limit=1.0e4,
    overflow=3.39e34,
    rounder=12582912.0,  # 1.5 * 2^23
    pieces_fused=(1.5707963705062866, -4.371138828673793e-08, -1.7151245100058819e-15),
    pieces_plain=(1.5703125, 0.0004837512969970703, 7.549533620476723e-08, 2.5633440682570896e-12),
    terms=4,
)
REALS = {real.name: real for real in (DOUBLE, SINGLE)}


def real_of(dtype: object) -> Real:
    """The precision that a caller names: "float32", numpy.float32 and the like."""
    try:
        real = REALS.get(np.dtype(dtype).name)  # type: ignore[call-overload]
    except TypeError:
        real = None
    if real is None or dtype is None:
        raise InputError(f"dtype = {dtype!r}: expected {' or '.join(REALS)}.")
    return real
