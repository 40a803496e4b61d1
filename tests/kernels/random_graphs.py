"""Graphs of random operations, and their values with a bound on rounding errors."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

from linkwork.kernels.graph import Graph, GraphBuilder, pruned

INPUTS = 4
CONSTANTS = (0.5, -0.5, 1.0, -1.0, 2.0, -2.0, 0.25, 3.0, -3.0, 0.0)
RATIONAL = ("add", "sub", "mul", "add", "sub", "mul", "neg", "div")
EVERY = (*RATIONAL, "sqrt", "inverse root", "cos", "sin", "abs", "if_else")
EPSILON = 2.0**-52


@st.composite
def graphs(draw: Callable[..., Any], operations: Sequence[str] = EVERY, largest: int = 40) -> Graph:
    """Recent values are preferred as operands, so chains and shared values both appear."""
    builder = GraphBuilder()
    values = [builder.node("input", value=(0, k)) for k in range(INPUTS)]
    variable = list(values)
    for _ in range(draw(st.integers(3, largest))):
        op = draw(st.sampled_from(operations))
        a = values[-1 - draw(st.integers(0, min(len(values), 12) - 1))]
        b = values[-1 - draw(st.integers(0, min(len(values), 12) - 1))]
        if op == "div":
            b = variable[-1 - draw(st.integers(0, min(len(variable), 12) - 1))]
        if op in ("add", "sub", "mul") and draw(st.integers(0, 4)) == 0:
            b = builder.constant(draw(st.sampled_from(CONSTANTS)))
        new = _operation(builder, op, a, b)
        values.append(new)
        if a in variable or b in variable:
            variable.append(new)
    wanted = draw(st.integers(1, min(6, len(values))))
    nodes, outputs = pruned(builder.nodes, [values[-wanted:]])
    return Graph(tuple(nodes), ("x",), (INPUTS,), ("y",), ((wanted,),), (tuple(outputs[0]),))


def _operation(builder: GraphBuilder, op: str, a: int, b: int) -> int:
    if op == "if_else":
        return builder.binary("if_else_zero", builder.binary("lt", a, b), a)
    if op == "inverse root":
        root = builder.unary("sqrt", builder.unary("abs", a))
        return builder.binary("div", b, root)
    if op == "sqrt":
        return builder.unary("sqrt", builder.unary("abs", a))
    if op in ("neg", "cos", "sin", "abs"):
        return builder.unary(op, a)
    return builder.binary(op, a, b)


def rational_outputs(graph: Graph, inputs: Sequence[Fraction]) -> list[Fraction]:
    """Exact values; a division by zero raises ZeroDivisionError."""
    values: list[Fraction] = []
    for op, a, b, value in graph.nodes:
        if op == "const":
            values.append(Fraction(value[0]))
        elif op == "input":
            values.append(inputs[value[1]])
        elif op == "neg":
            values.append(-values[a])
        elif op == "add":
            values.append(values[a] + values[b])
        elif op == "sub":
            values.append(values[a] - values[b])
        elif op == "mul":
            values.append(values[a] * values[b])
        else:
            values.append(values[a] / values[b])
    return [values[index] for column in graph.outputs for index in column]


class Doubtful(Exception):
    """Rounding alone decides over the value."""


def bounded_outputs(graph: Graph, inputs: Sequence[float]) -> list[tuple[float, float]]:
    """Values in double precision with first-order bounds, every input known to rounding only."""
    values: list[tuple[float, float]] = []
    for op, a, b, value in graph.nodes:
        if op == "const":
            values.append((value[0], EPSILON * abs(value[0])))
        elif op == "input":
            values.append((inputs[value[1]], EPSILON * abs(inputs[value[1]])))
        else:
            values.append(_bounded(op, *values[a], *(values[b] if b >= 0 else (0.0, 0.0))))
        size = abs(values[-1][0])
        if not math.isfinite(size) or size > 1e100 or 0.0 < size < 1e-100:  # near overflow or underflow
            raise Doubtful
    return [values[index] for column in graph.outputs for index in column]


def _bounded(op: str, x: float, dx: float, y: float, dy: float) -> tuple[float, float]:
    if op in ("lt", "div") and abs(x - y if op == "lt" else y) <= 1e6 * (dx + dy):
        raise Doubtful
    if op == "sqrt" and x <= 1e6 * dx:
        raise Doubtful
    result, error = {
        "neg": lambda: (-x, dx),
        "add": lambda: (x + y, dx + dy),
        "sub": lambda: (x - y, dx + dy),
        "mul": lambda: (x * y, abs(x) * dy + abs(y) * dx),
        "div": lambda: (x / y, dx / abs(y) + abs(x) * dy / y**2),
        "sqrt": lambda: (math.sqrt(x), dx / math.sqrt(x)),
        "cos": lambda: (math.cos(x), dx),
        "sin": lambda: (math.sin(x), dx),
        "abs": lambda: (abs(x), dx),
        "lt": lambda: (float(x < y), 0.0),
        "if_else_zero": lambda: (y if x else 0.0, dy if x else 0.0),
    }[op]()
    return result, error + EPSILON * abs(result)
