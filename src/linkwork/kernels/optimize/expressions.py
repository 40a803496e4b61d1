"""Expressions as collections: sums of signed terms, products of factors, and everything else.

A value is written as an even or odd number, its literal: 2 k is item k, 2 k + 1 its negative. Signs are
free: a constant and its negative, a - b and b - a are one item each. Collections know no order.
"""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property
from operator import eq
from typing import Any

from linkwork.core.interning import Interned
from linkwork.kernels.graph import Graph, Node

SMALLEST = sys.float_info.min  # below it a constant would lose digits
Parts = tuple[int, ...]


class Expressions:
    """Distinct items, operands first; asking twice for the same value gives the same literal.

    An item is a kind, its parts (literals) and a value. Kinds are "sum", "product", "inverse", "const",
    "input" and the other operations of a graph. `outputs` are the literals that are wanted.
    """

    def __init__(self) -> None:
        self.kinds: list[str] = []
        self.parts: list[Parts] = []
        self.values: list[Any] = []
        self.numbers: dict[int, float] = {}  # of the items that are constants
        self.outputs: list[int] = []
        self._known: Interned[tuple[str, Parts, Any]] = Interned()

    def item(self, kind: str, parts: Parts = (), value: Any = None) -> int:
        index = self._known[kind, parts, value]
        if index == len(self.kinds):
            self.kinds.append(kind)
            self.parts.append(parts)
            self.values.append(value)
            if kind == "const":
                self.numbers[index] = value
        return 2 * index

    def constant(self, value: float) -> int:
        if math.copysign(1.0, value) < 0:
            return self.item("const", value=-value) ^ 1
        return self.item("const", value=value)

    def sum(self, terms: Iterable[int]) -> int:
        """Constants become one, zero disappears. x - x stays: it is not zero if x is infinite."""
        numbers = self.numbers
        others = sorted(terms)
        constants = [term for term in others if term >> 1 in numbers]
        if constants:
            total = sum([-numbers[x >> 1] if x & 1 else numbers[x >> 1] for x in constants])
            others = [term for term in others if term >> 1 not in numbers]
            if total != 0.0 or not others:
                others.append(self.constant(total))
                others.sort()
        if len(others) == 1:
            return others[0]
        if any(map(eq, others, others[1:])):  # x + x = 2 x
            counted = Counter(others)
            repeated = [self.product((self.constant(float(n)), x)) for x, n in counted.items() if n > 1]
            return self.sum([*repeated, *(x for x, n in counted.items() if n == 1)])
        sign = others[0] & 1
        parts = tuple([term ^ 1 for term in others]) if sign else tuple(others)
        return self.item("sum", parts) ^ sign

    def product(self, factors: Iterable[int]) -> int:
        """Constants become one, 1 disappears; 0 x stays: it is not zero if x is infinite."""
        numbers = self.numbers
        scale, sign, others = 1.0, 0, []
        for factor in factors:
            sign ^= factor & 1
            value = numbers.get(factor >> 1)
            if value is not None and usable(scale * value):
                scale *= value
            else:
                others.append(factor & ~1)
        if scale != 1.0 or not others:
            others.append(self.constant(scale))
        if len(others) == 1:
            return others[0] ^ sign
        others.sort()
        return self.item("product", tuple(others)) ^ sign

    def inverse(self, literal: int) -> int:
        value = self.numbers.get(literal >> 1)
        if value is not None and usable(value) and usable(1 / value):
            return self.constant(1 / value) ^ (literal & 1)
        return self.item("inverse", (literal & ~1,)) ^ (literal & 1)

    def made(self, kind: str, parts: Sequence[int], value: Any = None) -> int:
        """The literal of an operation of any kind on these operands."""
        if kind == "sum":
            return self.sum(parts)
        if kind == "product":
            return self.product(parts)
        if kind == "inverse":
            return self.inverse(parts[0])
        return self.item(kind, tuple(parts), value)

    @cached_property
    def uses(self) -> list[int]:
        """How often each item is an operand of something needed, or an output."""
        counts = [0] * len(self.kinds)
        for literal in self.outputs:
            counts[literal >> 1] += 1
        for index in range(len(counts) - 1, -1, -1):
            if counts[index]:
                for part in self.parts[index]:
                    counts[part >> 1] += 1
        return counts

    @cached_property
    def needed(self) -> list[int]:
        """The items that outputs depend on, operands first."""
        return [index for index, count in enumerate(self.uses) if count]


class Rewriting:
    """Expressions in the making from others: `moved` is the new literal of every old item so far."""

    def __init__(self, source: Expressions) -> None:
        self.source = source
        self.target = Expressions()
        self.moved: list[int] = [-1] * len(source.kinds)

    def __call__(self, literal: int) -> int:
        return self.moved[literal >> 1] ^ (literal & 1)

    def copy(self, index: int) -> None:
        """The item as it was, on the new operands."""
        source, moved = self.source, self.moved
        parts = [moved[part >> 1] ^ (part & 1) for part in source.parts[index]]
        moved[index] = self.target.made(source.kinds[index], parts, source.values[index])

    def finished(self) -> Expressions:
        self.target.outputs = [self(literal) for literal in self.source.outputs]
        return self.target


def usable(value: float) -> bool:
    """A factor that may be merged with others: neither zero, nor infinite, nor short of digits."""
    return SMALLEST <= abs(value) < math.inf


EVEN = {"cos", "abs"}
ODD = {"sin", "tan", "sign", "atan", "asin", "tanh"}
COLLECTIONS = {"sum", "product"}


def _literal(expressions: Expressions, node: Node, a: int, b: int) -> int:
    op = node.op
    if op == "mul":
        return expressions.product((a, b))
    if op == "add":
        return expressions.sum((a, b))
    if op == "sub":
        return expressions.sum((a, b ^ 1))
    if op == "const":
        return expressions.constant(node.value[0])
    if op == "input":
        return expressions.item("input", value=node.value)
    if op == "neg":
        return a ^ 1
    if op == "div":
        return expressions.product((a, expressions.inverse(b)))
    if op in EVEN:
        return expressions.item(op, (a & ~1,))
    if op in ODD:
        return expressions.item(op, (a & ~1,)) ^ (a & 1)
    return expressions.item(op, (a,) if node.b < 0 else (a, b))


def read(graph: Graph) -> Expressions:
    """The outputs of a graph, one column after the other."""
    expressions = Expressions()
    literals: list[int] = []
    for node in graph.nodes:
        a = literals[node.a] if node.a >= 0 else -1
        b = literals[node.b] if node.b >= 0 else -1
        literals.append(_literal(expressions, node, a, b))
    expressions.outputs = [literals[index] for column in graph.outputs for index in column]
    return expressions


def flattened(source: Expressions) -> Expressions:
    """Sums within sums and products within products dissolve where nothing else needs them."""
    kinds, uses = source.kinds, source.uses
    dissolved = {
        part >> 1
        for index in source.needed
        if kinds[index] in COLLECTIONS
        for part in source.parts[index]
        if kinds[part >> 1] == kinds[index] and uses[part >> 1] == 1
    }
    if not dissolved:
        return source
    rewriting = Rewriting(source)
    pieces: dict[int, list[int]] = {}  # what a dissolved item leaves behind
    for index in source.needed:
        if index not in dissolved and kinds[index] not in COLLECTIONS:
            rewriting.copy(index)
            continue
        parts: list[int] = []
        for part in source.parts[index]:
            if part >> 1 in dissolved and kinds[part >> 1] == kinds[index]:
                sign = part & 1
                parts += [piece ^ sign for piece in pieces[part >> 1]]
            else:
                parts.append(rewriting(part))
        if index in dissolved:
            pieces[index] = parts
        else:
            rewriting.moved[index] = rewriting.target.made(kinds[index], parts)
    return rewriting.finished()
