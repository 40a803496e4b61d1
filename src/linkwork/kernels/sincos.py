"""Sine and cosine of vectors, in pairs from one reduction, as LLVM instructions.

x = n pi/2 + r with |r| <= pi/4; minimax polynomials give sin r and cos r; the quadrant n swaps and
signs them. pi/2 is subtracted in pieces whose products with n are exact for |x| <= 1e6, so that r is
right even next to a multiple of pi/2 (1e4 in single precision). Lanes beyond that limit (and NaN,
infinity) go to the C library, which is right everywhere and seldom needed.
"""

from __future__ import annotations

from linkwork.kernels.emitter import Emitter

TWO_OVER_PI = 0.6366197723675814
# Angles worked on side by side: enough to hide latency, few enough for sixteen registers.
AT_ONCE = 3

# Minimax on [0, (pi/4)^2] with z = r^2: sin r = r + r z S(z), cos r = 1 - z/2 + z^2 C(z);
# relative truncation error 2^-58 and 2^-64 (Remez exchange in 60 digits, rounded to double).
SINE = (
    -0.16666666666666632, 0.008333333333322413, -0.00019841269829807805,
    2.755731369191709e-06, -2.505075811510075e-08, 1.5896795642773427e-10,
)  # fmt: skip
COSINE = (
    0.0416666666666666, -0.0013888888888874125, 2.4801587289482178e-05,
    -2.755731435232987e-07, 2.0875723272751933e-09, -1.1359647775676278e-11,
)  # fmt: skip


def _each(asm: Emitter, pattern: str, *operands: list[str]) -> list[str]:
    """One instruction per angle: `pattern` with {0}, {1}, ... replaced by the operands."""
    return [asm.let(pattern.format(*group)) for group in zip(*operands, strict=True)]


def _polynomial(asm: Emitter, z: list[str], coefficients: tuple[float, ...]) -> list[str]:
    vector = asm.vector
    value = [asm.splat(coefficients[-1])] * len(z)
    for coefficient in reversed(coefficients[:-1]):
        product = _each(asm, f"fmul{asm.contract} {vector} {{0}}, {{1}}", value, z)
        value = _each(asm, f"fadd{asm.contract} {vector} {{0}}, {asm.splat(coefficient)}", product)
    return value


def _reduce(asm: Emitter, x: list[str]) -> tuple[list[str], list[str]]:
    """r and the bits whose lowest two are the quadrant."""
    vector = asm.vector
    turns = _each(asm, f"fmul{asm.contract} {vector} {{0}}, {asm.splat(TWO_OVER_PI)}", x)
    shifted = _each(asm, f"fadd{asm.contract} {vector} {{0}}, {asm.splat(asm.real.rounder)}", turns)
    n = _each(asm, f"fsub {vector} {{0}}, {asm.splat(asm.real.rounder)}", shifted)
    r = x
    if asm.fma:
        call = f"call {vector} @llvm.fma.{asm.suffix}"
        for piece in asm.real.pieces_fused:
            minus = asm.splat(-piece)
            r = _each(asm, f"{call}({vector} {{0}}, {vector} {minus}, {vector} {{1}})", n, r)
    else:
        for piece in asm.real.pieces_plain:
            product = _each(asm, f"fmul {vector} {{0}}, {asm.splat(piece)}", n)
            r = _each(asm, f"fsub {vector} {{0}}, {{1}}", r, product)
    return r, _each(asm, f"bitcast {vector} {{0}} to <{asm.lanes} x i{asm.real.bits}>", shifted)


def _fast(asm: Emitter, x: list[str]) -> list[tuple[str, str]]:
    """Several angles step by step, so that a constant is read once for all of them."""
    vector, bits = asm.vector, f"<{asm.lanes} x i{asm.real.bits}>"
    times, plus = (
        f"fmul{asm.contract} {vector} {{0}}, {{1}}",
        f"fadd{asm.contract} {vector} {{0}}, {{1}}",
    )
    r, quadrant = _reduce(asm, x)
    z = _each(asm, times, r, r)
    s = _polynomial(asm, z, SINE[: asm.real.terms])
    rz = _each(asm, times, r, z)
    s = _each(asm, plus, _each(asm, times, rz, s), r)
    c = _polynomial(asm, z, COSINE[: asm.real.terms])
    half = _each(asm, f"fmul{asm.contract} {vector} {{0}}, {asm.splat(0.5)}", z)
    one_less = _each(asm, f"fsub{asm.contract} {vector} {asm.splat(1.0)}, {{0}}", half)
    c = _each(asm, plus, _each(asm, times, _each(asm, times, z, z), c), one_less)

    # Odd quadrants swap sine and cosine; the sign of sine is bit 1 of n, that of cosine bit 1 of n+1.
    odd_bit = _each(asm, f"shl {bits} {{0}}, {asm.splat_int(asm.real.bits - 1)}", quadrant)
    odd = _each(asm, f"icmp slt {bits} {{0}}, zeroinitializer", odd_bit)
    next_quadrant = _each(asm, f"add {bits} {{0}}, {asm.splat_int(1)}", quadrant)
    choose = f"select <{asm.lanes} x i1> {{0}}, {vector} {{1}}, {vector} {{2}}"
    results = []
    for if_odd, if_even, turn in ((c, s, quadrant), (s, c, next_quadrant)):
        value = _each(asm, choose, odd, if_odd, if_even)
        shifted = _each(asm, f"shl {bits} {{0}}, {asm.splat_int(asm.real.bits - 2)}", turn)
        sign = _each(asm, f"and {bits} {{0}}, {asm.splat_int(-(2 ** (asm.real.bits - 1)))}", shifted)
        raw = _each(asm, f"bitcast {vector} {{0}} to {bits}", value)
        flipped = _each(asm, f"xor {bits} {{0}}, {{1}}", raw, sign)
        results.append(_each(asm, f"bitcast {bits} {{0}} to {vector}", flipped))
    return list(zip(*results, strict=True))


def sines_and_cosines(asm: Emitter, angles: list[str]) -> list[tuple[str, str]]:
    """(sin, cos) of every angle. One rarely taken branch takes those of large angles from the C library,
    and of these alone: what a state gives does not depend on its neighbors."""
    vector, lanes = asm.vector, asm.lanes
    fast = []
    for first in range(0, len(angles), AT_ONCE):
        fast += _fast(asm, angles[first : first + AT_ONCE])
    flags = f"<{lanes} x i1>"
    small, each = "", []
    for angle in angles:
        size = asm.let(f"call {vector} @llvm.fabs.{asm.suffix}({vector} {angle})")
        this = asm.let(f"fcmp ole {vector} {size}, {asm.splat(asm.real.limit)}")
        each.append(this)
        small = asm.let(f"and {flags} {small}, {this}") if small else this
    mask = asm.let(f"bitcast {flags} {small} to i{lanes}")
    all_small = asm.let(f"icmp eq i{lanes} {mask}, -1")
    before = asm.block
    slow, after = asm.new_block(), asm.new_block()
    asm.do(f"br i1 {all_small}, label %{after}, label %{slow}, !prof !0")
    asm.label(slow)
    exact = [
        [
            asm.let(f"select {flags} {this}, {vector} {quick}, {vector} {asm.by_lanes(name, angle)}")
            for name, quick in zip(("sin", "cos"), pair, strict=True)
        ]
        for angle, this, pair in zip(angles, each, fast, strict=True)
    ]
    asm.do(f"br label %{after}")
    asm.label(after)
    results = []
    for quick, sure in zip(fast, exact, strict=True):
        sine, cosine = (
            asm.let(f"phi {vector} [ {a}, %{before} ], [ {b}, %{slow} ]")
            for a, b in zip(quick, sure, strict=True)
        )
        results.append((sine, cosine))
    return results
