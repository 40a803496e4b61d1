"""The numbers of the recursion: whatever can be added, subtracted, multiplied and negated.

Numbers known beforehand are floats, folded by Python. What depends on the state is an array of many
states in a test, or a value of a counted graph: that tells what an expression would cost, many times
faster than tracing it, and becomes an expression. The graph knows the rules of the kernel's graph: equal
values are one, signs are free, products with 0 and 1 and what no result needs cost nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol, cast

import casadi as ca

from linkwork.core.interning import Interned
from linkwork.mechanics.expressions import SX


class Scalar(Protocol):
    """A float, a value of a counted graph or an array. Mixed operands are allowed, hence Any."""

    def __add__(self, other: Any, /) -> Scalar: ...

    def __radd__(self, other: Any, /) -> Scalar: ...

    def __sub__(self, other: Any, /) -> Scalar: ...

    def __rsub__(self, other: Any, /) -> Scalar: ...

    def __mul__(self, other: Any, /) -> Scalar: ...

    def __rmul__(self, other: Any, /) -> Scalar: ...

    def __neg__(self) -> Scalar: ...


Pair = tuple[Scalar, Scalar]
Vector = tuple[Scalar, Scalar, Scalar]
CosineSine = Callable[[Scalar], Pair]  # of an angle


def rotated(v: Pair, turn: Pair) -> Pair:
    """Components of a vector in axes turned by the angle (c, s)."""
    c, s = turn
    return c * v[0] + s * v[1], c * v[1] - s * v[0]


def turned_back(v: Pair, turn: Pair) -> Pair:
    """Components before a turn by the angle (c, s) of a vector given after it."""
    c, s = turn
    return c * v[0] - s * v[1], s * v[0] + c * v[1]


# A node is its operation and what it is applied to: ("symbol", name), ("cos", a), ("sin", a),
# ("add", a, signed b), ("mul", a, b), ("scale", a, factor), ("number", a, summand).
Key = tuple[Any, ...]
LEAF, FUNCTIONS, PAIRS = "symbol", ("cos", "sin"), ("add", "mul")


class CountedGraph:
    """Nodes of one expression; `symbol` makes its inputs."""

    def __init__(self) -> None:
        self.nodes: Interned[Key] = Interned()
        self.symbol("")  # node 0 is unused: a sign needs a number

    def symbol(self, name: str) -> Value:
        return Value(self, self.nodes[LEAF, name])

    def cosine_sine(self, angle: Scalar) -> tuple[Value, Value]:
        """Both functions of an angle; they are counted apart and cost no operation."""
        if not isinstance(angle, Value):
            raise TypeError("the angle of a joint is an expression")
        k = abs(angle.index)
        cosine, sine = (Value(self, self.nodes[function, k]) for function in FUNCTIONS)
        return cosine, (sine if angle.index > 0 else -sine)

    def _needed(self, results: Iterable[Scalar]) -> list[tuple[int, Key]]:
        """The nodes that results depend on, operands first."""
        keys = self.nodes.keys_by_number
        needed = bytearray(len(keys))
        for value in results:
            if isinstance(value, Value):
                needed[abs(value.index)] = 1
        for k in range(len(keys) - 1, 0, -1):
            if needed[k]:
                key = keys[k]
                if key[0] != LEAF:
                    needed[key[1]] = 1
                    if key[0] in PAIRS:
                        needed[abs(key[2])] = 1
        return [(k, keys[k]) for k, is_needed in enumerate(needed) if is_needed]

    def cost(self, results: Iterable[Scalar]) -> tuple[int, int]:
        """Multiplications and additions that the results need, and angles of sine and cosine."""
        operations, angles = 0, set()
        for _, key in self._needed(results):
            if key[0] in FUNCTIONS:
                angles.add(key[1])
            elif key[0] != LEAF:
                operations += 1
        return operations, len(angles)

    def expressions(self, results: Sequence[Scalar], leaves: Mapping[str, SX]) -> list[SX]:
        """Results as expressions of the leaves, which are given by the names of the symbols."""
        values: dict[int, SX] = {}

        def value(index: int) -> SX:
            return values[index] if index > 0 else -values[-index]

        for k, key in self._needed(results):
            match key:
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
            found = self.graph.nodes["number", abs(a), other if a > 0 else -other]
            return Value(self.graph, found if a > 0 else -found)
        b = other.index
        if a == -b:
            return 0.0
        if abs(a) > abs(b):
            a, b = b, a
        sign = 1
        if a < 0:
            a, b, sign = -a, -b, -1
        found = self.graph.nodes["add", a, b]
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
            found = self.graph.nodes["scale", abs(a), abs(other)]
            return Value(self.graph, found if (a > 0) == (other > 0) else -found)
        b = other.index
        sign = 1 if (a > 0) == (b > 0) else -1
        a, b = abs(a), abs(b)
        if a > b:
            a, b = b, a
        return Value(self.graph, sign * self.graph.nodes["mul", a, b])

    __rmul__ = __mul__


class TracedGraph:
    """A counted graph whose symbols stand for expressions; numbers among them stay numbers."""

    def __init__(self) -> None:
        self.graph = CountedGraph()
        self._leaves: dict[str, SX] = {}

    def scalars(self, v: SX) -> list[Scalar]:
        """The components of an expression as scalars of the recursion."""
        return [self._scalar(v[k]) for k in range(v.shape[0])]

    def _scalar(self, x: SX) -> Scalar:
        if x.is_constant():
            return float(x)
        name = f"{len(self._leaves)}"
        self._leaves[name] = x
        return self.graph.symbol(name)

    def vector(self, v: SX) -> Vector:
        x, y, z = self.scalars(v)
        return x, y, z

    def expressions(self, results: list[Scalar]) -> list[SX]:
        return self.graph.expressions(results, self._leaves)
