"""From collections back to a graph of operations on two operands.

A sum is one chain, never a tree: every product in it but one then becomes part of a fused
multiply-add.
"""

from __future__ import annotations

import math
from dataclasses import replace

from linkwork.core.interning import Interned
from linkwork.kernels.graph import COMMUTATIVE, Graph, Node, pruned
from linkwork.kernels.optimize.expressions import Expressions

Signed = tuple[int, int]  # node, and 1 if its negative is meant
# Longer sums gather terms from all over a kernel; waiting for each other they would fill the registers.
LONGEST_REORDERED = 8
ABSORBING = ("sum", "product", "inverse")


class _Writer:
    def __init__(self, source: Expressions) -> None:
        self.source = source
        self.uses = source.uses
        self.values: list[Signed] = [(-1, 0)] * len(source.kinds)
        self.nodes: list[Node] = []
        self.levels: list[int] = []
        self._known: Interned[tuple[str, int, int, object]] = Interned()
        self.negated = self._only_negated()

    def _only_negated(self) -> set[int]:
        """Items whose negative alone is wanted, where an operation cannot absorb the sign."""
        source = self.source
        wanted = list(source.outputs)
        for index in source.needed:
            if source.kinds[index] not in ABSORBING:
                wanted += source.parts[index]
        return {x >> 1 for x in wanted if x & 1 and self.uses[x >> 1] == 1}

    def node(self, op: str, a: int = -1, b: int = -1, value: object = None) -> int:
        key = (op, b, a, value) if b < a and op in COMMUTATIVE else (op, a, b, value)
        found = self._known[key]
        if found == len(self.nodes):  # a new one; operands keep the order in which they were given
            self.nodes.append(Node(op, a, b, value))
            below = max(self.levels[a], self.levels[b]) if b >= 0 else self.levels[a] if a >= 0 else -1
            self.levels.append(below + 1)
        return found

    def run(self) -> list[int]:
        """The nodes of all outputs."""
        for index in self.source.needed:
            self.values[index] = self._write(index)
        return [self._plain(literal) for literal in self.source.outputs]

    def _write(self, index: int) -> Signed:
        source = self.source
        kind, parts, value = source.kinds[index], source.parts[index], source.values[index]
        if kind == "sum":
            return self._sum(parts, index in self.negated)
        if kind == "product":
            return self._product(parts, index in self.negated)
        if kind == "inverse":
            return self._inverse(parts[0])
        if kind == "const":
            return self._constant(value), 0
        operands = [self._plain(part) for part in parts]
        a, b = (*operands, -1, -1)[:2]
        return self.node(kind, a, b, value), 0

    def _constant(self, value: float) -> int:
        return self.node("const", value=(value, math.copysign(1.0, value)))

    def _signed(self, literal: int) -> Signed:
        node, sign = self.values[literal >> 1]
        return node, sign ^ (literal & 1)

    def _plain(self, literal: int) -> int:
        """A value where no operation can absorb its sign."""
        node, negative = self._signed(literal)
        if negative and self.nodes[node].op == "const":
            return self._constant(-self.nodes[node].value[0])
        return self.node("neg", node) if negative else node

    def _by_readiness(self, values: list[Signed]) -> list[Signed]:
        levels = self.levels
        return sorted(values, key=lambda value: levels[value[0]])

    def _end(self, values: list[Signed]) -> int:
        """The level on which a chain of operations on these values ends."""
        level = -1
        for node, _ in values:
            level = max(level, self.levels[node]) + 1
        return level

    def _sum(self, terms: tuple[int, ...], negated: bool) -> Signed:
        """Terms stay in the order in which they are computed, which keeps few of them waiting, unless
        another order shortens the chain."""
        values = [self._signed(term ^ negated) for term in terms]
        if 2 < len(values) <= LONGEST_REORDERED:
            sooner = self._by_readiness(values)
            if self._end(sooner) < self._end(values):
                values = sooner
        a, minus_a = values[0]
        for b, minus_b in values[1:]:
            if minus_a == minus_b:
                a = self.node("add", a, b)
            else:
                a = self.node("sub", b, a) if minus_a else self.node("sub", a, b)
                minus_a = 0
        return a, minus_a ^ negated

    def _product(self, factors: tuple[int, ...], negated: bool) -> Signed:
        above, below = [], []
        for factor in factors:
            if self.source.kinds[factor >> 1] == "inverse" and self.uses[factor >> 1] == 1:
                below.append(self._signed(self.source.parts[factor >> 1][0]))
            else:
                above.append(self._signed(factor))
        sign = sum(minus for _, minus in above + below) & 1
        nodes = [node for node, _ in self._by_readiness(above)]
        if negated and not sign and nodes and self.nodes[nodes[0]].op == "const":
            nodes[0], sign = self._constant(-self.nodes[nodes[0]].value[0]), 1  # the constant takes it
        a = nodes[0] if nodes else self._constant(1.0)
        for b in nodes[1:]:
            a = self.node("mul", a, b)
        for b, _ in self._by_readiness(below):
            a = self.node("div", a, b)
        return a, sign

    def _inverse(self, literal: int) -> Signed:
        node, sign = self._signed(literal)
        return self.node("div", self._constant(1.0), node), sign


def written(source: Expressions, graph: Graph) -> Graph:
    """A graph that computes these expressions, with the inputs and outputs of `graph`."""
    writer = _Writer(source)
    nodes, (places,) = pruned(writer.nodes, [writer.run()])
    columns, start = [], 0
    for column in graph.outputs:
        columns.append(tuple(places[start : start + len(column)]))
        start += len(column)
    return replace(graph, nodes=tuple(nodes), outputs=tuple(columns))
