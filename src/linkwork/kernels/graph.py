"""The expression graph of a kernel: one node per distinct value.

A CasADi function is a list of instructions on work slots. Here it becomes static single assignment
form: equal values are one node (hash-consing), signs float outward so that equal values up to sign
meet too, and nodes that no output needs are gone. Counting, depth and lowering all read this form.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import Any, NamedTuple

import casadi as ca

from linkwork.core.errors import KernelError
from linkwork.core.interning import Interned


class Node(NamedTuple):
    """An operation and the indices of its operands; `value` is a constant or an (input, column) pair."""

    op: str
    a: int = -1
    b: int = -1
    value: Any = None


@dataclass(frozen=True)
class Graph:
    """Nodes in an order in which operands come first, and the node of every output column."""

    nodes: tuple[Node, ...]
    input_names: tuple[str, ...]
    input_sizes: tuple[int, ...]
    output_names: tuple[str, ...]
    output_shapes: tuple[tuple[int, ...], ...]
    outputs: tuple[tuple[int, ...], ...]


COMMUTATIVE = {"add", "mul", "eq", "ne", "and", "or", "min", "max"}

# CasADi's instruction -> ours. The rest of the table rewrites an instruction in terms of these.
UNARY = {
    ca.OP_NEG: "neg", ca.OP_SQRT: "sqrt", ca.OP_SIN: "sin", ca.OP_COS: "cos", ca.OP_SIGN: "sign",
    ca.OP_FABS: "abs", ca.OP_NOT: "not", ca.OP_TAN: "tan", ca.OP_ATAN: "atan", ca.OP_ASIN: "asin",
    ca.OP_ACOS: "acos", ca.OP_EXP: "exp", ca.OP_LOG: "log", ca.OP_TANH: "tanh",
    ca.OP_FLOOR: "floor", ca.OP_CEIL: "ceil",
}  # fmt: skip
BINARY = {
    ca.OP_ADD: "add", ca.OP_SUB: "sub", ca.OP_MUL: "mul", ca.OP_DIV: "div", ca.OP_LT: "lt",
    ca.OP_LE: "le", ca.OP_EQ: "eq", ca.OP_NE: "ne", ca.OP_AND: "and", ca.OP_OR: "or",
    ca.OP_FMIN: "min", ca.OP_FMAX: "max", ca.OP_COPYSIGN: "copysign", ca.OP_ATAN2: "atan2",
    ca.OP_POW: "pow", ca.OP_CONSTPOW: "pow", ca.OP_IF_ELSE_ZERO: "if_else_zero",
}  # fmt: skip
# Functions of the C library among them, and how many operands they take.
LIBRARY = {
    "tan": 1,
    "atan": 1,
    "asin": 1,
    "acos": 1,
    "exp": 1,
    "log": 1,
    "tanh": 1,
    "atan2": 2,
    "pow": 2,
}

# What an expression compares an error with (a < limit) and single precision cannot reach; and instead.
SINGLE_LIMITS = {1e-18: 2.0**-24, 1e-12: 1e-8}


def last_uses(graph: Graph) -> dict[int, int]:
    """The last node that takes each node as an operand; outputs are needed to the end."""
    found: dict[int, int] = {}
    for k, node in enumerate(graph.nodes):
        found[node.a] = found[node.b] = k
    for k in (-1, *(each for column in graph.outputs for each in column)):
        found.pop(k, None)
    return found


class GraphBuilder:
    """Collects nodes; asking twice for the same value gives the same node."""

    def __init__(self) -> None:
        self._known: Interned[Node] = Interned()
        self.nodes = self._known.keys_by_number

    def node(self, op: str, a: int = -1, b: int = -1, value: Any = None) -> int:
        if op in COMMUTATIVE and b < a:
            a, b = b, a
        return self._known[Node(op, a, b, value)]

    def constant(self, value: float) -> int:
        # -0.0 == 0.0 and would share a node: the sign of zero is kept apart.
        return self.node("const", value=(value, math.copysign(1.0, value)))

    def unary(self, op: str, a: int) -> int:
        inner = self.nodes[a]
        if inner.op == "neg":
            if op == "neg":
                return inner.a  # -(-x) = x
            if op in ("cos", "abs"):
                return self.unary(op, inner.a)  # even functions
            if op in ("sin", "tan", "sign"):
                return self.unary("neg", self.unary(op, inner.a))  # odd functions
        if op == "neg" and inner.op == "sub":
            return self.node("sub", inner.b, inner.a)  # -(x - y) = y - x
        return self.node(op, a)

    def binary(self, op: str, a: int, b: int) -> int:
        left, right = self.nodes[a], self.nodes[b]
        if op in ("mul", "div") and (left.op == "neg" or right.op == "neg"):
            positive = self.binary(
                op, left.a if left.op == "neg" else a, right.a if right.op == "neg" else b
            )
            both = left.op == right.op == "neg"
            return positive if both else self.unary("neg", positive)
        if op == "add":
            if right.op == "neg":
                return self.binary("sub", a, right.a)  # x + (-y) = x - y
            if left.op == "neg":
                return self.binary("sub", b, left.a)
        if op == "sub":
            if right.op == "neg":
                return self.binary("add", a, right.a)  # x - (-y) = x + y
            if left.op == "neg":
                return self.unary("neg", self.binary("add", left.a, b))  # (-x) - y = -(x + y)
        return self.node(op, a, b)


def _instructions(function: ca.Function, builder: GraphBuilder) -> list[list[int]]:
    """Replay the work-slot program of `function`; returns the node of every output element."""
    work: dict[int, int] = {}
    outputs = [[-1] * function.nnz_out(k) for k in range(function.n_out())]
    one = builder.constant(1.0)
    for k in range(function.n_instructions()):
        op = function.instruction_id(k)
        source = function.instruction_input(k)
        target = function.instruction_output(k)
        if op == ca.OP_OUTPUT:
            outputs[target[0]][target[1]] = work[source[0]]
        elif op == ca.OP_INPUT:
            work[target[0]] = builder.node("input", value=tuple(source))
        elif op == ca.OP_CONST:
            work[target[0]] = builder.constant(function.instruction_constant(k))
        elif op in BINARY:
            work[target[0]] = builder.binary(BINARY[op], work[source[0]], work[source[1]])
        elif op in UNARY:
            work[target[0]] = builder.unary(UNARY[op], work[source[0]])
        elif op == ca.OP_SQ:
            work[target[0]] = builder.binary("mul", work[source[0]], work[source[0]])
        elif op == ca.OP_TWICE:
            work[target[0]] = builder.binary("add", work[source[0]], work[source[0]])
        elif op == ca.OP_INV:
            work[target[0]] = builder.binary("div", one, work[source[0]])
        elif op == ca.OP_ASSIGN:
            work[target[0]] = work[source[0]]
        else:
            raise KernelError(
                f"kernel {function.name()}: CasADi operation {op} has no machine code here. "
                "Rewrite the expression with arithmetic, sqrt, trigonometric functions and if_else."
            )
    return outputs


def _share_reciprocals(
    builder: GraphBuilder, outputs: list[list[int]]
) -> tuple[GraphBuilder, list[list[int]]]:
    """Divide once: several quotients by the same value become products with its reciprocal.

    A division costs as much as ten multiplications, and CasADi writes x * (1/d) back as x / d.
    """
    divisors = Counter(node.b for node in builder.nodes if node.op == "div")
    shared = GraphBuilder()
    moved: list[int] = []
    for node in builder.nodes:
        if node.a < 0:
            moved.append(shared.node(node.op, value=node.value))
        elif node.b < 0:
            moved.append(shared.unary(node.op, moved[node.a]))
        elif node.op == "div" and divisors[node.b] > 1:
            one = shared.constant(1.0)
            reciprocal = shared.node("div", one, moved[node.b])
            quotient = moved[node.a] == one
            moved.append(reciprocal if quotient else shared.binary("mul", moved[node.a], reciprocal))
        else:
            moved.append(shared.binary(node.op, moved[node.a], moved[node.b]))
    return shared, [[moved[index] for index in column] for column in outputs]


def pruned(nodes: list[Node], outputs: list[list[int]]) -> tuple[list[Node], list[list[int]]]:
    """Drop the nodes that no output depends on and renumber the rest."""
    needed = [False] * len(nodes)
    for column in outputs:
        for index in column:
            needed[index] = True
    for index in range(len(nodes) - 1, -1, -1):
        if needed[index]:
            for operand in nodes[index][1:3]:
                if operand >= 0:
                    needed[operand] = True
    renumber = [-1] * len(nodes)
    kept: list[Node] = []
    for index, node in enumerate(nodes):
        if needed[index]:
            renumber[index] = len(kept)
            a = renumber[node.a] if node.a >= 0 else -1
            b = renumber[node.b] if node.b >= 0 else -1
            kept.append(Node(node.op, a, b, node.value))
    return kept, [[renumber[index] for index in column] for column in outputs]


def _check(function: ca.Function, output_shapes: tuple[tuple[int, ...], ...]) -> None:
    """Refuse what would not fit the memory that results are written to."""
    name = function.name()
    if not function.is_a("SXFunction"):
        raise KernelError(f"kernel {name}: only SX functions can be compiled; call .expand() on it.")
    for k in range(function.n_in()):
        if not (
            function.sparsity_in(k).is_dense() and function.size2_in(k) == 1 and function.size1_in(k)
        ):
            raise KernelError(f"kernel {name}: input {function.name_in(k)} is not a dense column.")
    if len(output_shapes) != function.n_out():
        raise KernelError(
            f"kernel {name}: {len(output_shapes)} output shapes for {function.n_out()} outputs."
        )
    for k, shape in enumerate(output_shapes):
        dense = function.sparsity_out(k).is_dense()
        if not dense or math.prod(shape) != function.nnz_out(k) or not function.nnz_out(k):
            raise KernelError(
                f"kernel {name}: output {function.name_out(k)} has {function.nnz_out(k)} elements"
                f"{'' if dense else ' and is sparse'}; its shape {shape} must hold just as many."
            )


def graph_of(function: ca.Function, output_shapes: tuple[tuple[int, ...], ...]) -> Graph:
    """The graph of a CasADi SX function whose inputs and outputs are dense vectors."""
    _check(function, output_shapes)
    builder = GraphBuilder()
    elements = _instructions(function, builder)
    builder, elements = _share_reciprocals(builder, elements)
    nodes, columns = pruned(builder.nodes, elements)
    return Graph(
        nodes=tuple(nodes),
        input_names=tuple(function.name_in(k) for k in range(function.n_in())),
        input_sizes=tuple(function.nnz_in(k) for k in range(function.n_in())),
        output_names=tuple(function.name_out(k) for k in range(function.n_out())),
        output_shapes=output_shapes,
        outputs=tuple(tuple(column) for column in columns),
    )


def ancestors(graph: Graph, index: int) -> set[int]:
    """The node itself and everything it is computed from."""
    found: set[int] = set()
    waiting = [index]
    while waiting:
        here = waiting.pop()
        if here not in found:
            found.add(here)
            waiting += [k for k in graph.nodes[here][1:3] if k >= 0]
    return found


def angles_by_level(graph: Graph) -> list[list[int]]:
    """Arguments of sine and cosine, grouped so that a group needs no trigonometry of its own."""
    levels: list[int] = []
    groups: dict[int, dict[int, None]] = {}
    for node in graph.nodes:
        level = max((levels[k] for k in (node.a, node.b) if k >= 0), default=0)
        if node.op in ("sin", "cos"):
            groups.setdefault(level, {})[node.a] = None
            level += 1
        levels.append(level)
    return [list(groups[level]) for level in sorted(groups)]


# A square is a multiplication, doubling an addition, a difference an addition; negation is free.
COUNTED = {
    "mul": "multiplications",
    "add": "additions",
    "sub": "additions",
    "div": "divisions",
    "sqrt": "square_roots",
}
TRACED = {
    ca.OP_MUL: "multiplications", ca.OP_SQ: "multiplications", ca.OP_ADD: "additions",
    ca.OP_SUB: "additions", ca.OP_TWICE: "additions", ca.OP_DIV: "divisions",
    ca.OP_INV: "divisions", ca.OP_SQRT: "square_roots",
}  # fmt: skip


@dataclass(frozen=True)
class Counts:
    """Operations of an expression. `sine_cosines` counts angles: the pair comes from one reduction."""

    multiplications: int = 0
    additions: int = 0
    divisions: int = 0
    square_roots: int = 0
    sine_cosines: int = 0

    @property
    def flops(self) -> int:
        """Multiplications plus additions, the papers' measure."""
        return self.multiplications + self.additions


def graph_counts(graph: Graph) -> Counts:
    """Operations after common subexpressions are shared: what the kernel computes."""
    totals = dict.fromkeys(COUNTED.values(), 0)
    angles = set()
    for node in graph.nodes:
        if node.op in COUNTED:
            totals[COUNTED[node.op]] += 1
        elif node.op in ("sin", "cos"):
            angles.add(node.a)
    return Counts(**totals, sine_cosines=len(angles))


def traced_counts(function: ca.Function) -> Counts:
    """Operations of the expression as written, before common subexpressions are shared."""
    totals = dict.fromkeys(COUNTED.values(), 0)
    trigonometric = 0
    for k in range(function.n_instructions()):
        op = function.instruction_id(k)
        if op in TRACED:
            totals[TRACED[op]] += 1
        elif op == ca.OP_SIN:
            trigonometric += 1
    return Counts(**totals, sine_cosines=trigonometric)


def depth(graph: Graph) -> int:
    """Length of the longest chain of operations that wait for each other."""
    levels: list[int] = []
    for node in graph.nodes:
        below = max((levels[k] for k in (node.a, node.b) if k >= 0), default=0)
        counted = node.op in COUNTED or node.op in ("sin", "cos")
        levels.append(below + counted)
    return max(levels, default=0)
