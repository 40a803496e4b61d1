"""How far rounding may take results of the same operations apart: by rounding every one at random.

Monte Carlo arithmetic (Parker 1997): an operation's result is multiplied by 1 + u, with u as large as
its rounding error may be. The spread of the results is what another compiler, instruction set or
precision may differ by, whatever the conditioning of the problem and of the way it is solved.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from linkwork.kernels.graph import LIBRARY, SINGLE_LIMITS, Graph, Node, last_uses
from linkwork.robot.robot import Array

DOUBLE, SINGLE = 2.0**-53, 2.0**-24  # unit roundoff
SAMPLES = 8
SEED = 1
NOISE = 1 << 16  # random numbers, which operations take from different places on
ULPS = 5.0  # half units in the last place of sines, cosines and functions of the library

EXACT: dict[str, Callable[..., Array]] = {
    "neg": np.negative,
    "abs": np.abs,
    "sign": np.sign,
    "floor": np.floor,
    "ceil": np.ceil,
    "not": lambda a: (a == 0).astype(float),
    "lt": lambda a, b: (a < b).astype(float),
    "le": lambda a, b: (a <= b).astype(float),
    "eq": lambda a, b: (a == b).astype(float),
    "ne": lambda a, b: (a != b).astype(float),
    "and": lambda a, b: ((a != 0) & (b != 0)).astype(float),
    "or": lambda a, b: ((a != 0) | (b != 0)).astype(float),
    "if_else_zero": lambda a, b: np.where(a != 0, b, 0.0),
    "copysign": np.copysign,
    "min": np.minimum,
    "max": np.maximum,
}
ROUNDED: dict[str, Callable[..., Array]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "sqrt": np.sqrt,
}
CALLED: dict[str, Callable[..., Array]] = {
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "exp": np.exp,
    "log": np.log,
    "tanh": np.tanh,
    "atan2": np.arctan2,
    "pow": np.power,
}
assert set(LIBRARY) <= set(CALLED)


def spread(graph: Graph, inputs: list[Array], results: Array, unit: float) -> Array:
    """The largest difference from `results` (N, all outputs) by state, of its largest result.

    Infinite where results are not finite, also where rounding alone makes them so.
    """
    rows = len(results)
    found = _perturbed(graph, [np.tile(values, (SAMPLES, 1)) for values in inputs], unit)
    largest = np.abs(results).max(axis=1)
    apart = np.abs(found.reshape(SAMPLES, rows, -1) - results).max(axis=(0, 2))
    relative = apart / np.where(largest > 0.0, largest, 1.0)
    return np.asarray(np.where(np.isfinite(relative), relative, np.inf))


def _perturbed(graph: Graph, inputs: list[Array], unit: float) -> Array:
    """All outputs beside each other (N, columns), every operation rounded at random."""
    rng = np.random.default_rng(SEED)
    rows = len(inputs[0]) if inputs else 1
    noise = unit * rng.uniform(-1.0, 1.0, NOISE + rows)
    places = rng.integers(0, NOISE, len(graph.nodes))
    values: dict[int, Array] = {}
    uses = last_uses(graph)
    with np.errstate(all="ignore"):
        for k, node in enumerate(graph.nodes):
            u = noise[places[k] : places[k] + rows]
            values[k] = _value(graph, node, values, inputs, u, unit)
            for each in {node.a, node.b}:
                if uses.get(each) == k:
                    del values[each]
        columns = [values[k] for column in graph.outputs for k in column]
    return np.stack([np.broadcast_to(column, rows) for column in columns], axis=1)


def _value(
    graph: Graph, node: Node, values: dict[int, Array], inputs: list[Array], u: Array, unit: float
) -> Array:
    if node.op == "input":
        return inputs[node.value[0]][:, node.value[1]]
    if node.op == "const":
        exact = unit == DOUBLE or node.value[0] == float(np.float32(node.value[0]))
        return np.asarray(node.value[0] if exact else node.value[0] * (1.0 + u))
    operands = [values[k] for k in (node.a, node.b) if k >= 0]
    if node.op in EXACT:
        limit = graph.nodes[node.b] if node.op == "lt" else node
        if unit == SINGLE and limit.op == "const" and limit.value[0] in SINGLE_LIMITS:
            operands[1] = np.asarray(SINGLE_LIMITS[limit.value[0]])
        return EXACT[node.op](*operands)
    if node.op in ROUNDED:
        return ROUNDED[node.op](*operands) * (1.0 + u)
    return CALLED[node.op](*operands) * (1.0 + ULPS * u)
