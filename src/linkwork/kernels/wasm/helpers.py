"""Functions that every kernel of a module shares: a pair of sine and cosine, and a watch on numbers."""

from __future__ import annotations

from linkwork.kernels.sincos import COSINE, LIMIT, PIECES_PLAIN, ROUNDER, SINE, TWO_OVER_PI
from linkwork.kernels.wasm import opcodes as op
from linkwork.kernels.wasm.encoding import double, integer, long, unsigned, vector


def function_code(locals_: list[tuple[int, bytes]], code: bytes) -> bytes:
    """An entry of the code section."""
    body = vector([unsigned(count) + kind for count, kind in locals_]) + code + op.END
    return unsigned(len(body)) + body


def _polynomial(z: int, coefficients: tuple[float, ...]) -> bytes:
    code = double(coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        code += op.get(z) + op.F64_MUL + double(coefficient) + op.F64_ADD
    return code


def sine_and_cosine(sin: int, cos: int) -> bytes:
    """(x) -> (sin x, cos x), the steps of `kernels/sincos.py` without fused multiply-add.

    Args:
        sin, cos: functions for |x| > LIMIT and for what is no number.
    """
    x, n, r, z, s, c, bits = 0, 1, 2, 3, 4, 5, 6
    code = op.get(x) + op.F64_ABS + double(LIMIT) + op.F64_LE + op.I32_EQZ
    code += op.IF + op.EMPTY
    code += op.get(x) + op.call(sin) + op.get(x) + op.call(cos) + op.RETURN + op.END
    # The nearest multiple of pi/2, whose quadrant stands in the lowest bits of the rounded number.
    code += op.get(x) + double(TWO_OVER_PI) + op.F64_MUL + double(ROUNDER) + op.F64_ADD + op.tee(n)
    code += op.BITS_FROM_F64 + op.put(bits)
    code += op.get(n) + double(ROUNDER) + op.F64_SUB + op.put(n)
    code += op.get(x)
    for piece in PIECES_PLAIN:
        code += op.get(n) + double(piece) + op.F64_MUL + op.F64_SUB
    code += op.tee(r) + op.get(r) + op.F64_MUL + op.put(z)
    code += op.get(r) + op.get(z) + op.F64_MUL + _polynomial(z, SINE) + op.F64_MUL
    code += op.get(r) + op.F64_ADD + op.put(s)
    code += op.get(z) + op.get(z) + op.F64_MUL + _polynomial(z, COSINE) + op.F64_MUL
    code += double(1.0) + op.get(z) + double(0.5) + op.F64_MUL + op.F64_SUB + op.F64_ADD + op.put(c)
    odd = op.get(bits) + long(1) + op.I64_AND + op.I64_NE_ZERO
    for if_odd, if_even, step in ((c, s, 0), (s, c, 1)):
        code += op.get(if_odd) + op.get(if_even) + odd + op.SELECT + op.BITS_FROM_F64
        code += op.get(bits) + (long(1) + op.I64_ADD if step else b"")
        code += long(62) + op.I64_SHL + long(-(2**63)) + op.I64_AND + op.I64_XOR + op.F64_FROM_BITS
    return function_code([(5, op.F64), (1, op.I64)], code)


def watch() -> bytes:
    """(address, count) -> 0 if all numbers there are finite (and their sum is), else NaN."""
    address, count, total = 0, 1, 2
    code = op.LOOP + op.EMPTY
    code += op.get(total) + op.get(address) + op.load(0) + op.F64_ADD + op.put(total)
    code += op.get(address) + integer(8) + op.I32_ADD + op.put(address)
    code += op.get(count) + integer(1) + op.I32_SUB + op.tee(count) + op.branch_if(0) + op.END
    code += op.get(total) + double(0.0) + op.F64_MUL
    return function_code([(1, op.F64)], code)
