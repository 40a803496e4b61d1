"""A graph as the body of a WebAssembly function: (inputs, outputs, rows) -> 1 if a number is not finite.

A state is its inputs one after the other, a result its outputs; rows follow each other. A value of one
use stands where it is used, on the stack; others are kept in locals, which are used again after their
last use.
"""

from __future__ import annotations

from dataclasses import dataclass

from linkwork.kernels.graph import Graph
from linkwork.kernels.wasm import opcodes as op
from linkwork.kernels.wasm.encoding import double, integer
from linkwork.kernels.wasm.helpers import function_code

UNARY = {
    "neg": op.F64_NEG, "sqrt": op.F64_SQRT, "abs": op.F64_ABS, "floor": op.F64_FLOOR,
    "ceil": op.F64_CEIL,
}  # fmt: skip
BINARY = {
    "add": op.F64_ADD, "sub": op.F64_SUB, "mul": op.F64_MUL, "div": op.F64_DIV,
    "copysign": op.F64_COPYSIGN,
}  # fmt: skip
COMPARISON = {"lt": op.F64_LT, "le": op.F64_LE, "eq": op.F64_EQ, "ne": op.F64_NE}
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
TWICE = {"min", "max", "sign"}  # these name their operands twice
DEEPEST = 50  # operations within each other on the stack
IN, OUT, ROWS, WATCH = range(4)  # locals; values come after them
FIRST = 4


@dataclass(frozen=True)
class Functions:
    """Numbers of the functions that a body calls."""

    sincos: int
    watch: int
    library: dict[str, int]


@dataclass(frozen=True)
class _Step:
    """Something to compute: a node for a local, a pair of sine and cosine, or outputs to store."""

    kind: str  # "value", "pair", "store"
    node: int
    place: int = 0  # of an output


class Body:
    """Lowers one graph."""

    def __init__(self, graph: Graph, functions: Functions) -> None:
        self.graph = graph
        self.functions = functions
        self.offsets = [8 * sum(graph.input_sizes[:k]) for k in range(len(graph.input_sizes))]
        self.kept = self._kept_nodes()
        self.steps = self._ordered_steps()
        self.local: dict[int, int] = {}

    def code(self) -> bytes:
        """The entry of the code section."""
        compute, count = self._computation()
        inputs, outputs = sum(self.graph.input_sizes), sum(map(len, self.graph.outputs))
        watch = op.call(self.functions.watch)
        code = op.BLOCK + op.EMPTY + op.LOOP + op.EMPTY
        code += op.get(ROWS) + op.I32_EQZ + op.branch_if(1)
        code += compute
        code += op.get(WATCH) + op.get(IN) + integer(inputs) + watch + op.F64_ADD
        code += op.get(OUT) + integer(outputs) + watch + op.F64_ADD + op.put(WATCH)
        for local, size in ((IN, 8 * inputs), (OUT, 8 * outputs), (ROWS, -1)):
            code += op.get(local) + integer(size) + op.I32_ADD + op.put(local)
        code += op.branch(0) + op.END + op.END
        code += op.get(WATCH) + op.get(WATCH) + op.F64_NE
        return function_code([(1 + count, op.F64)], code)

    def _kept_nodes(self) -> set[int]:
        """Nodes whose values are kept in locals: used more than once, or deep on the stack."""
        nodes = self.graph.nodes
        uses = [0] * len(nodes)
        for node in nodes:
            for operand in (node.a, node.b):
                if operand >= 0:
                    uses[operand] += 2 if node.op in TWICE else 1
        for column in self.graph.outputs:
            for index in column:
                uses[index] += 1
        kept, depth = set(), [0] * len(nodes)
        for index, node in enumerate(nodes):
            below = (depth[k] + 1 for k in (node.a, node.b) if k >= 0)
            depth[index] = max(below, default=0)
            # A constant takes nine bytes, a local two or three.
            if uses[index] > (2 if node.op == "const" else 1) or depth[index] >= DEEPEST:
                kept.add(index)
            if index in kept or node.op in ("sin", "cos"):
                depth[index] = 0
        return kept

    def _ordered_steps(self) -> list[_Step]:
        steps: list[tuple[int, int, _Step]] = []
        seen = set()
        for index, node in enumerate(self.graph.nodes):
            if node.op in ("sin", "cos"):
                if node.a not in seen:
                    seen.add(node.a)
                    steps.append((index, 0, _Step("pair", node.a)))
            elif index in self.kept:
                steps.append((index, 0, _Step("value", index)))
        place = 0
        for column in self.graph.outputs:
            for index in column:
                # As soon as it is known: then what it needs is known, and soon free again.
                steps.append((index, 1 + place, _Step("store", index, place)))
                place += 1
        return [step for _, _, step in sorted(steps, key=lambda item: item[:2])]

    def _leaves(self, step: _Step) -> set[int]:
        """Nodes that a step reads from locals."""
        found: set[int] = set()
        waiting = [*self.graph.nodes[step.node][1:3]] if step.kind == "value" else [step.node]
        while waiting:
            here = waiting.pop()
            if here < 0:
                continue
            node = self.graph.nodes[here]
            if here in self.kept or node.op in ("sin", "cos"):
                found.add(here)
            else:
                waiting += [node.a, node.b]
        return found

    def _computation(self) -> tuple[bytes, int]:
        """The code of one row, and how many locals it needs."""
        leaves = [self._leaves(step) for step in self.steps]
        last = {leaf: k for k, found in enumerate(leaves) for leaf in found}
        trigonometric: dict[int, dict[str, int]] = {}
        for index, node in enumerate(self.graph.nodes):
            if node.op in ("sin", "cos"):
                trigonometric.setdefault(node.a, {})[node.op] = index
        free: list[int] = []
        count = 0
        pieces = []
        for k, (step, read) in enumerate(zip(self.steps, leaves, strict=True)):
            if step.kind == "store":
                pieces.append(op.get(OUT) + self._value(step.node) + op.store(8 * step.place))
            elif step.kind == "pair":
                pieces.append(self._value(step.node) + op.call(self.functions.sincos))
            else:
                pieces.append(self._operation(step.node))
            free += [self.local[leaf] for leaf in read if last[leaf] == k]
            results: list[int | None] = []
            if step.kind == "value":
                results = [step.node]
            elif step.kind == "pair":
                pair = trigonometric[step.node]
                results = [pair.get("cos"), pair.get("sin")]  # the last on the stack comes off first
            for result in results:
                if result is None or result not in last:
                    pieces.append(op.DROP)
                    continue
                if not free:
                    free.append(FIRST + count)
                    count += 1
                self.local[result] = min(free)
                free.remove(self.local[result])
                pieces.append(op.put(self.local[result]))
        return b"".join(pieces), count

    def _value(self, index: int) -> bytes:
        """Code that leaves the value of a node on the stack."""
        node = self.graph.nodes[index]
        if index in self.kept or node.op in ("sin", "cos"):
            return op.get(self.local[index])
        return self._operation(index)

    def _operation(self, index: int) -> bytes:
        name, a, b, value = self.graph.nodes[index]
        if name == "const":
            return double(value[0])
        if name == "input":
            return op.get(IN) + op.load(self.offsets[value[0]] + 8 * value[1])
        x = self._value(a)
        if name in UNARY:
            return x + UNARY[name]
        y = self._value(b) if b >= 0 else b""
        if name in BINARY:
            return x + y + BINARY[name]
        if name in LIBRARY:
            return x + y + op.call(self.functions.library[name])
        return self._logic(name, x, y)

    def _logic(self, name: str, x: bytes, y: bytes) -> bytes:
        """Truth values are the numbers 0 and 1."""
        truth, zero = op.F64_FROM_I32, double(0.0)
        if name in COMPARISON:
            return x + y + COMPARISON[name] + truth
        if name == "not":
            return x + zero + op.F64_EQ + truth
        if name in ("and", "or"):
            both = op.I32_AND if name == "and" else op.I32_OR
            return x + zero + op.F64_NE + y + zero + op.F64_NE + both + truth
        if name == "if_else_zero":
            return y + zero + x + zero + op.F64_NE + op.SELECT
        if name in ("min", "max"):
            return x + y + x + y + (op.F64_LT if name == "min" else op.F64_GT) + op.SELECT
        if name == "sign":
            return x + zero + op.F64_GT + truth + x + zero + op.F64_LT + truth + op.F64_SUB
        raise AssertionError(name)
