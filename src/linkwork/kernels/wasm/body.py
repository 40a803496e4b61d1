"""A graph as the body of a WebAssembly function: (inputs, outputs, rows) -> 1 if a number is not finite.

A state is its inputs one after the other, a result its outputs; rows follow each other. A value of one
use stands where it is used, on the stack; others are kept in locals, which are used again after their
last use. All functions of a module share a pair of sine and cosine, and a watch on numbers.
"""

from __future__ import annotations

from dataclasses import dataclass

from linkwork.kernels.graph import LIBRARY, Graph
from linkwork.kernels.reals import DOUBLE
from linkwork.kernels.sincos import COSINE, SINE, TWO_OVER_PI
from linkwork.kernels.wasm import encoding as op
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
        sin, cos: functions for |x| > DOUBLE.limit and for what is not a number.
    """
    x, n, r, z, s, c, bits = 0, 1, 2, 3, 4, 5, 6
    code = op.get(x) + op.F64_ABS + double(DOUBLE.limit) + op.F64_LE + op.I32_EQZ
    code += op.IF + op.EMPTY
    code += op.get(x) + op.call(sin) + op.get(x) + op.call(cos) + op.RETURN + op.END
    # The nearest multiple of pi/2, whose quadrant stands in the lowest bits of the rounded number.
    code += (
        op.get(x) + double(TWO_OVER_PI) + op.F64_MUL + double(DOUBLE.rounder) + op.F64_ADD + op.tee(n)
    )
    code += op.BITS_FROM_F64 + op.put(bits)
    code += op.get(n) + double(DOUBLE.rounder) + op.F64_SUB + op.put(n)
    code += op.get(x)
    for piece in DOUBLE.pieces_plain:
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


def watching() -> bytes:
    """(address, count) -> 0 if all numbers there are finite (and their sum is), else NaN."""
    address, count, total = 0, 1, 2
    code = op.LOOP + op.EMPTY
    code += op.get(total) + op.get(address) + op.load(0) + op.F64_ADD + op.put(total)
    code += op.get(address) + integer(8) + op.I32_ADD + op.put(address)
    code += op.get(count) + integer(1) + op.I32_SUB + op.tee(count) + op.branch_if(0) + op.END
    code += op.get(total) + double(0.0) + op.F64_MUL
    return function_code([(1, op.F64)], code)


UNARY = {
    "neg": op.F64_NEG, "sqrt": op.F64_SQRT, "abs": op.F64_ABS, "floor": op.F64_FLOOR,
    "ceil": op.F64_CEIL,
}  # fmt: skip
BINARY = {
    "add": op.F64_ADD, "sub": op.F64_SUB, "mul": op.F64_MUL, "div": op.F64_DIV,
    "copysign": op.F64_COPYSIGN,
}  # fmt: skip
COMPARISON = {"lt": op.F64_LT, "le": op.F64_LE, "eq": op.F64_EQ, "ne": op.F64_NE}
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


class FunctionBody:
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
