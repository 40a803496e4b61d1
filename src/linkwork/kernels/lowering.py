"""From graph to LLVM assembly.

`batch(packet, begin, end)` runs rows begin..end-1. The packet is an array of 64-bit words: address and
row stride (in numbers) of every input, then the address of every output, whose rows are dense. The
result is 1 if a non-finite number met the code, else 0. `row_loops` has what runs many rows: twice the
lanes, past the caches, in several threads, until each is done.

Rows beyond the end are the last row again: every lane always has work, and no tail code is needed. Where
twice the lanes are faster for many rows, a second function serves the last few and single states.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from linkwork.kernels import sincos
from linkwork.kernels.emitter import QUAD, Emitter, load_columns, store_columns
from linkwork.kernels.graph import LIBRARY, SINGLE_LIMITS, Graph, ancestors, angles_by_level
from linkwork.kernels.machine import Processor
from linkwork.kernels.reals import DOUBLE, SINGLE
from linkwork.kernels.row_loops import doubling, share, stepping, streaming, streams

FUSED = {"add": "fadd", "sub": "fsub", "mul": "fmul"}  # where the processor can
COMPARISON = {"lt": "olt", "le": "ole", "eq": "oeq", "ne": "une"}
INTRINSIC = {"sqrt": "sqrt", "abs": "fabs", "floor": "floor", "ceil": "ceil"}
# An operand that is not finite need not show in the result of these.
HIDES = {*COMPARISON, "sign", "not", "and", "or", "if_else_zero", "min", "max", "copysign", "pow"}
HIDES |= {"atan", "atan2", "tanh", "exp"}
# Twice the lanes hide the latency of divisions that wait for each other, as in forward dynamics: up to
# 26 % on bundled arms (AVX2). Without divisions, with many outputs or for large graphs it is slower,
# since values no longer fit into registers.
DOUBLED_DIVISIONS, DOUBLED_OUTPUTS, DOUBLED_NODES = 2, 16, 1200
# LLVM's work on a block grows faster than its length. Graphs of more than LONG nodes are cut into
# blocks: that costs a few percent at run time and saves a third of the compilation or more.
LONG, BLOCK = 16_000, 2_000
SUMS = 4  # of the outputs side by side: one alone would wait for itself, longer than the rest takes


class _RowCode:
    """Lowers nodes into an Emitter.

    Angles that are known at the same time are turned into sines and cosines together, so that their
    long chains of dependent instructions overlap.
    """

    def __init__(self, graph: Graph, asm: Emitter, columns: list[list[str]]) -> None:
        self.graph = graph
        self.asm = asm
        self.columns = columns
        self.values: list[str] = [""] * len(graph.nodes)
        self.pairs: dict[int, tuple[str, str]] = {}

    def run(self) -> list[str]:
        for angles in angles_by_level(self.graph):
            for angle in angles:
                self._emit_with_operands(angle)
            names = [self.values[angle] for angle in angles]
            pairs = sincos.sines_and_cosines(self.asm, names)
            self.pairs.update(zip(angles, pairs, strict=True))
        long = len(self.graph.nodes) > LONG
        for index in range(len(self.graph.nodes)):
            if long and index % BLOCK == BLOCK - 1:
                self._cut()
            self._emit(index)
        return self.values

    def _cut(self) -> None:
        """Start a new block behind a branch that is never taken, which keeps LLVM from joining them."""
        asm = self.asm
        never = asm.let("icmp slt i64 %row, 0")
        stop, onward = asm.new_block(), asm.new_block()
        asm.do(f"br i1 {never}, label %{stop}, label %{onward}")
        asm.label(stop)
        asm.do("ret i32 1")
        asm.label(onward)

    def _emit(self, index: int) -> None:
        if not self.values[index]:
            self.values[index] = self._lower(index)

    def _emit_with_operands(self, index: int) -> None:
        for needed in sorted(ancestors(self.graph, index)):
            self._emit(needed)

    def _lower(self, index: int) -> str:
        op, a, b, value = self.graph.nodes[index]
        asm, vector = self.asm, self.asm.vector
        if op == "const":
            return asm.splat(value[0])
        if op == "input":
            return self.columns[value[0]][value[1]]
        x = self.values[a]
        if op in ("sin", "cos"):
            return self.pairs[a][op == "cos"]
        if op in FUSED:
            return asm.let(f"{FUSED[op]}{asm.contract} {vector} {x}, {self.values[b]}")
        if op == "div":
            return asm.let(f"fdiv {vector} {x}, {self.values[b]}")
        if op == "neg":
            return asm.let(f"fneg {vector} {x}")
        if op in INTRINSIC:
            return asm.let(f"call {vector} @llvm.{INTRINSIC[op]}.{asm.suffix}({vector} {x})")
        if op in LIBRARY:
            return asm.by_lanes(op, *([x] if b < 0 else [x, self.values[b]]))
        y = self.values[b] if b >= 0 else ""
        limit = self.graph.nodes[b]
        if op == "lt" and asm.real == SINGLE and limit.op == "const" and limit.value[0] in SINGLE_LIMITS:
            y = asm.splat(SINGLE_LIMITS[limit.value[0]])
        return self._logic(op, x, y)

    def _truth(self, condition: str) -> str:
        """CasADi's truth values are the numbers 0 and 1."""
        return self.asm.let(f"uitofp <{self.asm.lanes} x i1> {condition} to {self.asm.vector}")

    def _is_true(self, x: str) -> str:
        return self.asm.let(f"fcmp une {self.asm.vector} {x}, zeroinitializer")

    def _logic(self, op: str, x: str, y: str) -> str:
        asm, vector, flags = self.asm, self.asm.vector, f"<{self.asm.lanes} x i1>"
        if op in COMPARISON:
            return self._truth(asm.let(f"fcmp {COMPARISON[op]} {vector} {x}, {y}"))
        if op == "not":
            return self._truth(asm.let(f"fcmp oeq {vector} {x}, zeroinitializer"))
        if op in ("and", "or"):
            return self._truth(asm.let(f"{op} {flags} {self._is_true(x)}, {self._is_true(y)}"))
        if op == "if_else_zero":
            return asm.let(f"select {flags} {self._is_true(x)}, {vector} {y}, {vector} zeroinitializer")
        if op in ("min", "max"):
            test = asm.let(f"fcmp {'olt' if op == 'min' else 'ogt'} {vector} {x}, {y}")
            return asm.let(f"select {flags} {test}, {vector} {x}, {vector} {y}")
        if op == "copysign":
            return asm.let(f"call {vector} @llvm.copysign.{asm.suffix}({vector} {x}, {vector} {y})")
        if op == "sign":  # -1, 0 or 1
            positive = self._truth(asm.let(f"fcmp ogt {vector} {x}, zeroinitializer"))
            negative = self._truth(asm.let(f"fcmp olt {vector} {x}, zeroinitializer"))
            return asm.let(f"fsub {vector} {positive}, {negative}")
        raise AssertionError(op)


def silent_inputs(graph: Graph) -> set[tuple[int, int]]:
    """Input columns whose NaN or infinity could go unseen: no plain arithmetic leads to an output."""
    heard = [False] * len(graph.nodes)
    for column in graph.outputs:
        for index in column:
            heard[index] = True
    for index in range(len(graph.nodes) - 1, -1, -1):
        node = graph.nodes[index]
        if heard[index] and node.op not in HIDES:
            # x / infinity is zero: a divisor is not heard.
            for operand in (node.a,) if node.op == "div" else (node.a, node.b):
                if operand >= 0:
                    heard[operand] = True
    loud = {node.value for node, h in zip(graph.nodes, heard, strict=True) if h and node.op == "input"}
    every = {(k, j) for k, size in enumerate(graph.input_sizes) for j in range(size)}
    return every - loud


def _doubtful_outputs(graph: Graph) -> list[int]:
    """Nodes of outputs that may be non-finite, each once."""
    nodes = dict.fromkeys(index for column in graph.outputs for index in column)
    return [
        index
        for index in nodes
        if graph.nodes[index].op != "const" or not math.isfinite(graph.nodes[index].value[0])
    ]


def _rows(name: str, graph: Graph, lanes: int, target: Processor) -> str:
    """The function that runs rows, `lanes` of them at a time."""
    asm = Emitter(lanes, target.fma, target.real)
    vector = asm.vector
    pairs = target.lanes == QUAD and target.real == DOUBLE
    words = [asm.let("load i64, ptr %packet")]
    total = 2 * len(graph.input_sizes) + len(graph.outputs)
    for word in range(1, total):
        address = asm.let(f"getelementptr i64, ptr %packet, i64 {word}")
        words.append(asm.let(f"load i64, ptr {address}"))
    bases = [asm.let(f"inttoptr i64 {words[2 * k]} to ptr") for k in range(len(graph.input_sizes))]
    strides = words[1 : 2 * len(graph.input_sizes) : 2]
    targets = [asm.let(f"inttoptr i64 {word} to ptr") for word in words[2 * len(graph.input_sizes) :]]
    last = asm.let("sub i64 %end, 1")
    asm.do("br label %loop")
    asm.label("loop")
    asm.do("%row = phi i64 [ %begin, %entry ], [ %next, %again ]")
    asm.do(f"%watch = phi {vector} [ zeroinitializer, %entry ], [ %watched, %again ]")
    rows = ["%row"]
    for lane in range(1, lanes):
        wanted = asm.let(f"add i64 %row, {lane}")
        rows.append(asm.let(f"call i64 @llvm.smin.i64(i64 {wanted}, i64 {last})"))

    def pointers(base: str, stride: str) -> list[str]:
        offsets = [asm.let(f"mul i64 {row}, {stride}") for row in rows]
        return [
            asm.let(f"getelementptr {asm.real.llvm}, ptr {base}, i64 {offset}") for offset in offsets
        ]

    columns = [
        load_columns(asm, pointers(base, stride), size, pairs)
        for base, stride, size in zip(bases, strides, graph.input_sizes, strict=True)
    ]
    values = _RowCode(graph, asm, columns).run()
    # The sum of all outputs is finite unless one of them is not (or it overflows: then the caller
    # looks closer and finds nothing). Times zero it is 0 or NaN, which sticks.
    watched = [values[index] for index in _doubtful_outputs(graph)]
    watched += [columns[k][j] for k, j in sorted(silent_inputs(graph))]
    sums = watched[:SUMS] or ["zeroinitializer"]
    for k, value in enumerate(watched[SUMS:]):
        sums[k % SUMS] = asm.let(f"fadd {vector} {sums[k % SUMS]}, {value}")
    total_sum = sums[0]
    for value in sums[1:]:
        total_sum = asm.let(f"fadd {vector} {total_sum}, {value}")
    nothing = asm.let(f"fmul {vector} {total_sum}, zeroinitializer")
    asm.do(f"%watched = fadd {vector} %watch, {nothing}")
    for base, column in zip(targets, graph.outputs, strict=True):
        results = [values[index] for index in column]
        store_columns(asm, pointers(base, str(len(column))), results, pairs)
    asm.do("br label %again")
    asm.label("again")
    asm.do(f"%next = add i64 %row, {lanes}")
    asm.do("%more = icmp slt i64 %next, %end")
    asm.do("br i1 %more, label %loop, label %exit")
    asm.label("exit")
    nonfinite = asm.let(f"fcmp uno {vector} %watched, %watched")
    mask = asm.let(f"bitcast <{lanes} x i1> {nonfinite} to i{lanes}")
    asm.do(f"%any = icmp ne i{lanes} {mask}, 0")
    asm.do("%flag = zext i1 %any to i32")
    asm.do("ret i32 %flag")
    body = "\n".join(asm.lines)
    return f"define i32 @{name}(ptr %packet, i64 %begin, i64 %end) nounwind {{\nentry:\n{body}\n}}"


def _declarations(asm: Emitter) -> list[str]:
    vector, suffix = asm.vector, asm.suffix
    one = [f"declare {vector} @llvm.{name}.{suffix}({vector})" for name in INTRINSIC.values()]
    return [
        *one,
        f"declare {vector} @llvm.copysign.{suffix}({vector}, {vector})",
        f"declare {vector} @llvm.fma.{suffix}({vector}, {vector}, {vector})",
    ]


def _latency_bound(graph: Graph) -> bool:
    """Whether twice the lanes are faster."""
    divisions = sum(node.op == "div" for node in graph.nodes)
    few_outputs = sum(map(len, graph.outputs)) <= DOUBLED_OUTPUTS
    return divisions >= DOUBLED_DIVISIONS and few_outputs and len(graph.nodes) <= DOUBLED_NODES


def _module(parts: Iterable[str], widths: Iterable[int], target: Processor) -> str:
    """The text of an LLVM module of these functions, with what they call declared."""
    parts = [f'target triple = "{target.triple}"', *parts]
    for lanes in widths:
        parts += _declarations(Emitter(lanes, target.fma, target.real))
    parts += [f"declare i64 @llvm.{name}.i64(i64, i64)" for name in ("smin", "smax")]
    for name in sorted({"sin", "cos", *LIBRARY}):
        arguments = ", ".join(["double"] * LIBRARY.get(name, 1))
        parts.append(f"declare double @{name}({arguments})")
    parts.append('!0 = !{!"branch_weights", i32 1000000, i32 1}')
    return "\n\n".join(parts) + "\n"


def assembly(graph: Graph, target: Processor, entries: Sequence[str] = ()) -> str:
    """An LLVM module with `@batch` and `@share` of a graph, and `entries`: functions that call them."""
    lanes, lengths = target.lanes, [len(column) for column in graph.outputs]
    if streams(lengths, target):
        parts = [_rows("rows", graph, lanes, target), *streaming(len(graph.input_sizes), lengths)]
        return _module([*parts, share("@part", "i64 %rows"), *entries], [lanes], target)
    if target.doubled and _latency_bound(graph):
        parts = [_rows("narrow", graph, lanes, target), _rows("wide", graph, 2 * lanes, target)]
        parts.append(doubling(2 * lanes))
        return _module([*parts, share(), *entries], [lanes, 2 * lanes], target)
    return _module([_rows("batch", graph, lanes, target), share(), *entries], [lanes], target)


def stepping_assembly(graph: Graph, target: Processor, width: int, status: int) -> str:
    """A module whose `@batch` steps rows of `width` numbers until each has a status other than zero."""
    step = _rows("step", graph, target.lanes, target)
    return _module([step, stepping(target.lanes, width, status)], [target.lanes], target)
