"""Scalars that count: what an expression would cost, many times faster than tracing it.

The graph knows the rules of the kernel's graph: equal values are one, signs are free, products with 0
and 1 and what no result needs cost nothing. Numbers stay plain floats and are folded by Python.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

import casadi as ca

from linkwork.mechanics.arm.minimal.scalars import Scalar
from linkwork.mechanics.expressions import SX


class CountedGraph:
    """Nodes of one expression; `symbol` makes its inputs."""

    def __init__(self) -> None:
        self._known: dict[tuple[Any, ...], int] = {}
        self._operands: list[tuple[int, ...]] = [()]  # node 0 is unused: a sign needs a number
        self._cost: list[int] = [0]
        self._trigonometric: set[int] = set()

    def node(self, key: tuple[Any, ...], operands: tuple[int, ...], cost: int) -> int:
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = len(self._cost)
            self._operands.append(operands)
            self._cost.append(cost)
        return found

    def symbol(self, name: str) -> Value:
        return Value(self, self.node(("symbol", name), (), 0))

    def cosine_sine(self, angle: Scalar) -> tuple[Value, Value]:
        """Both functions of an angle; they are counted apart and cost no operation."""
        if not isinstance(angle, Value):
            raise TypeError("the angle of a joint is an expression")
        k = abs(angle.index)
        cosine = Value(self, self.node(("cos", k), (k,), 0))
        sine = Value(self, self.node(("sin", k), (k,), 0))
        self._trigonometric |= {cosine.index, sine.index}
        return cosine, (sine if angle.index > 0 else -sine)

    def _needed(self, results: Iterable[Scalar]) -> list[int]:
        """The nodes that results depend on, operands first."""
        waiting = [abs(value.index) for value in results if isinstance(value, Value)]
        needed = bytearray(len(self._cost))
        while waiting:
            k = waiting.pop()
            if not needed[k]:
                needed[k] = 1
                waiting += self._operands[k]
        return [k for k, is_needed in enumerate(needed) if is_needed]

    def cost(self, results: Iterable[Scalar]) -> tuple[int, int]:
        """Multiplications and additions that the results need, and angles of sine and cosine."""
        needed = self._needed(results)
        angles = {self._operands[k] for k in needed if k in self._trigonometric}
        return sum(self._cost[k] for k in needed), len(angles)

    def expressions(self, results: Sequence[Scalar], leaves: Mapping[str, SX]) -> list[SX]:
        """Results as expressions of the leaves, which are given by the names of the symbols."""
        keys = {index: key for key, index in self._known.items()}
        values: dict[int, SX] = {}

        def value(index: int) -> SX:
            return values[index] if index > 0 else -values[-index]

        for k in self._needed(results):
            match keys[k]:
                case ("symbol", name):
                    values[k] = leaves[name]
                case ("cos", angle):
                    values[k] = ca.cos(values[angle])
                case ("sin", angle):
                    values[k] = ca.sin(values[angle])
                case ("add", a, b):
                    values[k] = value(a) + value(b)
                case ("mul", a, b):
                    values[k] = values[a] * values[b]
                case ("scale", a, factor):
                    values[k] = factor * values[a]
                case ("number", a, summand):
                    values[k] = values[a] + summand
        return [value(x.index) if isinstance(x, Value) else SX(cast(float, x)) for x in results]


class Value:
    """A node with a sign: the sign of `index`."""

    __slots__ = ("graph", "index")

    def __init__(self, graph: CountedGraph, index: int) -> None:
        self.graph = graph
        self.index = index

    def __neg__(self) -> Value:
        return Value(self.graph, -self.index)

    def __add__(self, other: Any) -> Value | float:
        a = self.index
        if not isinstance(other, Value):
            if other == 0.0:
                return self
            key = ("number", abs(a), other if a > 0 else -other)
            found = self.graph.node(key, (abs(a),), 1)
            return Value(self.graph, found if a > 0 else -found)
        b = other.index
        if a == -b:
            return 0.0
        if abs(a) > abs(b):
            a, b = b, a
        sign = 1
        if a < 0:
            a, b, sign = -a, -b, -1
        found = self.graph.node(("add", a, b), (a, abs(b)), 1)
        return Value(self.graph, sign * found)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Value | float:
        return self + (-other)

    def __rsub__(self, other: Any) -> Value | float:
        return (-self) + other

    def __mul__(self, other: Any) -> Value | float:
        a = self.index
        if not isinstance(other, Value):
            if other == 0.0:
                return 0.0
            if other == 1.0:
                return self
            if other == -1.0:
                return -self
            found = self.graph.node(("scale", abs(a), abs(other)), (abs(a),), 1)
            return Value(self.graph, found if (a > 0) == (other > 0) else -found)
        b = other.index
        sign = 1 if (a > 0) == (b > 0) else -1
        a, b = abs(a), abs(b)
        if a > b:
            a, b = b, a
        return Value(self.graph, sign * self.graph.node(("mul", a, b), (a, b), 1))

    __rmul__ = __mul__
