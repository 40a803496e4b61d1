"""Expressions evaluated in ball arithmetic (python-flint's arb), operation by operation.

The other way than `kernels/intervals.py`: numbers of any precision with a radius, by a library that
others wrote and proved. It shares nothing with it but the expression.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import casadi as ca
from flint import arb

from linkwork.core.errors import KernelError

Ball = Any  # an arb; flint has no types


def ball(low: float, high: float) -> Ball:
    """Of all numbers between two."""
    return arb(low).union(arb(high))


UNKNOWN = arb.nan()
ZERO, ONE = arb(0), arb(1)


def _chosen(condition: Ball, value: Ball) -> Ball:
    if condition == 1:
        return value
    return ZERO if condition == 0 else UNKNOWN


def _truth(surely: bool, surely_not: bool, *of: Ball) -> Ball:
    if surely or surely_not:
        return ONE if surely else ZERO
    return ball(0.0, 1.0) if all(each.is_finite() for each in of) else UNKNOWN


def _sign(x: Ball) -> Ball:
    if not x.is_finite():
        return UNKNOWN
    return ONE if x > 0 else -ONE if x < 0 else ball(-1.0, 1.0)


def _bounded(name: str, *of: Ball) -> Ball:
    """Of a function whose values are bounded, which would hide that an argument is not a number."""
    return getattr(arb, name)(*of) if all(each.is_finite() for each in of) else UNKNOWN


def square(x: Ball) -> Ball:
    """Powers of balls around zero are unknown to flint."""
    return (x.abs_lower() * x.abs_lower()).union(x.abs_upper() * x.abs_upper())


def _lesser(x: Ball, y: Ball) -> Ball:
    return x.min(y)


def _greater(x: Ball, y: Ball) -> Ball:
    return x.max(y)


BY_NAME: dict[int, str] = {
    ca.OP_ADD: "{0} + {1}", ca.OP_SUB: "{0} - {1}", ca.OP_MUL: "{0} * {1}", ca.OP_DIV: "{0} / {1}",
    ca.OP_NEG: "-{0}", ca.OP_SQ: "square({0})", ca.OP_SQRT: "{0}.sqrt()", ca.OP_TWICE: "{0} + {0}",
    ca.OP_INV: "one / {0}", ca.OP_ASSIGN: "{0}", ca.OP_SIN: "bounded('sin', {0})",
    ca.OP_COS: "bounded('cos', {0})",
    ca.OP_ASIN: "{0}.asin()", ca.OP_ACOS: "{0}.acos()", ca.OP_ATAN: "bounded('atan', {0})",
    ca.OP_ATAN2: "bounded('atan2', {0}, {1})", ca.OP_FABS: "abs({0})", ca.OP_SIGN: "sign({0})",
    ca.OP_FMIN: "lesser({0}, {1})", ca.OP_FMAX: "greater({0}, {1})",
    ca.OP_LT: "truth({0} < {1}, {0} >= {1}, {0}, {1})",
    ca.OP_LE: "truth({0} <= {1}, {0} > {1}, {0}, {1})",
    ca.OP_IF_ELSE_ZERO: "chosen({0}, {1})", ca.OP_NOT: "one - {0}", ca.OP_OR: "greater({0}, {1})",
    ca.OP_AND: "{0} * {1}",
}  # fmt: skip
NAMES = {
    "bounded": _bounded, "one": ONE, "sign": _sign, "truth": _truth, "chosen": _chosen,
    "square": square, "lesser": _lesser, "greater": _greater,
}  # fmt: skip


def ball_function(function: ca.Function) -> Callable[[Sequence[Sequence[Ball]]], list[list[Ball]]]:
    """Of balls of all inputs, balls of all outputs; NaN where a choice between expressions is open."""
    constants: list[Ball] = []
    lines = ["def evaluate(inputs):"]
    sizes = [function.nnz_out(k) for k in range(function.n_out())]
    lines.append(f"    outputs = [[zero] * size for size in {sizes}]")
    for k in range(function.n_instructions()):
        op = function.instruction_id(k)
        into, of = function.instruction_output(k), function.instruction_input(k)
        if op == ca.OP_CONST:
            constants.append(arb(float(function.instruction_constant(k))))
            lines.append(f"    w{into[0]} = constants[{len(constants) - 1}]")
        elif op == ca.OP_INPUT:
            lines.append(f"    w{into[0]} = inputs[{of[0]}][{of[1]}]")
        elif op == ca.OP_OUTPUT:
            lines.append(f"    outputs[{into[0]}][{into[1]}] = w{of[0]}")
        elif op in BY_NAME:
            lines.append(f"    w{into[0]} = {BY_NAME[op].format(*(f'w{each}' for each in of))}")
        else:
            raise KernelError(f"operation {op} of {function.name()} has no ball arithmetic here.")
    names = {**NAMES, "constants": constants, "zero": ZERO}
    exec("\n".join([*lines, "    return outputs"]), names)
    return names["evaluate"]  # type: ignore[return-value]
