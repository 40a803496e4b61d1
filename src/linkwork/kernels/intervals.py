"""Enclosures: a graph of intervals from a graph of numbers, and its kernel.

Every node becomes two, the ends of an interval that holds all values which the node takes while the
inputs lie within theirs (the natural extension). They are ordinary nodes again, so that lanes, threads
and the cache serve boxes as they serve states. What makes the enclosures sure:

- After each operation that rounds, an end is moved outward by at least one unit in the last place:
  r + (|r| 2^-52 + TINY). Its correctly rounded sum is not below the next number above r, also where the
  compiler fuses operations, and r itself is at most half a unit away from the exact result.
- Sine and cosine of the ends are accurate to 2 units in the last place (`sincos`); they are moved by
  2^-50, four times that. Functions of the C library are moved by eight units in the last place.
- Nothing overflows where an enclosure is given: inputs are at most LARGEST_INPUT, and where the bounds
  that follow from that are too large, the kernel compares. Divisors that come nearer to zero than
  SMALLEST and roots of numbers that may be negative have no enclosure either. The ends are infinite.

What is enclosed is the expression that is evaluated, with the constants that it has in double precision.

Some inputs may be choices rather than numbers to be enclosed: a matrix that preconditions, the normal of
a plane. Any choice is right, so what follows from them alone is computed once, without bounds.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Container
from typing import NamedTuple

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from linkwork.core.errors import InputError, KernelError
from linkwork.kernels import abi
from linkwork.kernels.graph import Graph, GraphBuilder, pruned
from linkwork.kernels.kernel import Array, Kernel, Lowering
from linkwork.kernels.lowering import assembly
from linkwork.kernels.machine import Processor
from linkwork.kernels.recipes import Recipe, Shape

LARGEST_INPUT = 1e6
SMALLEST = 1e-20  # of a divisor
LARGE, CHECKED = 1e100, 1e40  # bounds from which a value is compared, and what it is then known to keep
UNIT, TINY = 2.0**-52, 1e-290
TRIGONOMETRIC = 2.0**-50  # absolute
LIBRARY = 8 * UNIT  # relative
TURN = 0.15915494309189535  # 1 / (2 pi)
NEAR = 1e-9  # turns: an extremum this close to an interval counts as inside
MOST_ANGLE = 1e6  # beyond, turns are not known to NEAR, and waves are between -1 and 1

RISING = ("asin", "atan", "exp", "log", "tanh")


class _Interval(NamedTuple):
    """Nodes of both ends, and bounds of them that hold for all inputs."""

    low: int
    high: int
    least: float
    most: float

    @property
    def size(self) -> float:
        return max(abs(self.least), abs(self.most))


class _Writer:
    """Intervals of nodes, in a graph of their own."""

    def __init__(self, smooth: bool) -> None:
        self.graph, self.smooth = GraphBuilder(), smooth
        self.conditions: list[int] = []  # nodes that are 1 where the enclosure is sure

    def constant(self, value: float) -> int:
        return self.graph.constant(value)

    def op(self, name: str, a: int, b: int = -1) -> int:
        return self.graph.node(name, a, b)

    def both(self, name: str, *nodes: int) -> int:
        """The least or greatest of nodes."""
        result = nodes[0]
        for node in nodes[1:]:
            result = self.op(name, result, node) if node != result else result
        return result

    def negative(self, a: int) -> int:
        return self.graph.unary("neg", a)

    def _step(self, a: int, relative: float, absolute: float) -> int:
        size = self.op("mul", self.op("abs", a), self.constant(relative))
        return self.op("add", size, self.constant(absolute))

    def down(self, a: int, relative: float = UNIT, absolute: float = TINY) -> int:
        return self.op("sub", a, self._step(a, relative, absolute))

    def up(self, a: int, relative: float = UNIT, absolute: float = TINY) -> int:
        return self.op("add", a, self._step(a, relative, absolute))

    def require(self, condition: int) -> None:
        self.conditions.append(condition)

    def rounded(
        self,
        low: int,
        high: int,
        least: float,
        most: float,
        relative: float = UNIT,
        absolute: float = TINY,
    ) -> _Interval:
        """Of ends that were rounded; bounds of exact results."""
        found = _Interval(
            self.down(low, relative, absolute),
            self.up(high, relative, absolute),
            *_outwards(least, most),
        )
        if found.size > LARGE:
            most_size = self.constant(CHECKED)
            self.require(self.op("le", self.op("abs", found.low), most_size))
            self.require(self.op("le", self.op("abs", found.high), most_size))
            return _Interval(found.low, found.high, max(least, -CHECKED), min(most, CHECKED))
        return found

    def clipped(self, x: _Interval, least: float, most: float) -> _Interval:
        """What is known to lie between two numbers."""
        low = self.op("max", x.low, self.constant(least)) if x.least < least else x.low
        high = self.op("min", x.high, self.constant(most)) if x.most > most else x.high
        return _Interval(low, high, max(x.least, least), min(x.most, most))

    # Operations.

    def add(self, x: _Interval, y: _Interval) -> _Interval:
        low, high = self.op("add", x.low, y.low), self.op("add", x.high, y.high)
        return self.rounded(low, high, x.least + y.least, x.most + y.most)

    def neg(self, x: _Interval) -> _Interval:
        return _Interval(self.negative(x.high), self.negative(x.low), -x.most, -x.least)

    def sub(self, x: _Interval, y: _Interval) -> _Interval:
        low, high = self.op("sub", x.low, y.high), self.op("sub", x.high, y.low)
        return self.rounded(low, high, x.least - y.most, x.most - y.least)

    def mul(self, x: _Interval, y: _Interval) -> _Interval:
        if x == y:
            return self.square(x)
        if x.most <= 0:
            return self.neg(self.mul(self.neg(x), y))
        if y.most <= 0:
            return self.neg(self.mul(x, self.neg(y)))
        if x.least < 0:
            x, y = y, x
        corners = [x.least * y.least, x.least * y.most, x.most * y.least, x.most * y.most]
        bounds = min(corners), max(corners)
        if x.least >= 0:  # an end of a product with a positive number takes the same end of the other
            lows = [self.op("mul", x.low, y.low)]
            highs = [self.op("mul", x.high, y.high)]
            if y.least < 0 and x.low != x.high:
                lows.append(self.op("mul", x.high, y.low))
                highs.append(self.op("mul", x.low, y.high))
        else:
            ends = [(a, b) for a in {x.low, x.high} for b in {y.low, y.high}]
            lows = highs = [self.op("mul", a, b) for a, b in sorted(ends)]
        found = self.rounded(self.both("min", *lows), self.both("max", *highs), *bounds)
        return self.clipped(found, 0.0, math.inf) if x.least >= 0 and y.least >= 0 else found

    def square(self, x: _Interval) -> _Interval:
        size = self.abs(x)
        low, high = self.op("mul", size.low, size.low), self.op("mul", size.high, size.high)
        return self.clipped(self.rounded(low, high, size.least**2, size.most**2), 0.0, math.inf)

    def abs(self, x: _Interval) -> _Interval:
        if x.least >= 0:
            return x
        if x.most <= 0:
            return self.neg(x)
        low = self.both("max", x.low, self.negative(x.high), self.constant(0.0))
        high = self.op("max", self.negative(x.low), x.high)
        return _Interval(low, high, 0.0, x.size)

    def reciprocal(self, x: _Interval) -> _Interval:
        least = self.constant(SMALLEST)
        if x.least >= SMALLEST or x.most <= -SMALLEST:
            ends = 1 / x.most, 1 / x.least
        else:
            clear = [
                self.op("le", least, end)
                for end, possible in ((x.low, x.most > 0), (self.negative(x.high), x.least < 0))
                if possible
            ]
            self.require(self.op("or", *clear) if len(clear) == 2 else clear[0])
            ends = (0.0 if x.least >= 0 else -1 / SMALLEST), (0.0 if x.most <= 0 else 1 / SMALLEST)
        one = self.constant(1.0)
        found = self.rounded(self.op("div", one, x.high), self.op("div", one, x.low), *ends)
        return self.clipped(found, 0.0, math.inf) if x.least >= 0 else found

    def div(self, x: _Interval, y: _Interval) -> _Interval:
        return self.mul(x, self.reciprocal(y))

    def sqrt(self, x: _Interval) -> _Interval:
        zero = self.constant(0.0)
        if x.least < 0:
            self.require(self.op("le", zero, x.low))
            x = self.clipped(x, 0.0, math.inf)
        low, high = self.op("sqrt", x.low), self.op("sqrt", x.high)
        found = self.rounded(low, high, math.sqrt(x.least), math.sqrt(max(x.most, 0.0)))
        return self.clipped(found, 0.0, math.inf)

    def _extremum_inside(self, x: _Interval, offset: float) -> int:
        """1 where the interval, in turns, less an offset holds an integer, and next to it."""
        turns = [self.op("mul", end, self.constant(TURN)) for end in (x.low, x.high)]
        first = self.op("ceil", self.op("sub", turns[0], self.constant(offset + NEAR)))
        last = self.op("floor", self.op("sub", turns[1], self.constant(offset - NEAR)))
        inside = self.op("le", first, last)
        if x.size <= MOST_ANGLE:
            return inside
        size = self.op("max", self.negative(x.low), x.high)
        return self.op("or", inside, self.op("lt", self.constant(MOST_ANGLE), size))

    def _wave(self, name: str, x: _Interval, crest: float) -> _Interval:
        ends = [self.op(name, x.low), self.op(name, x.high)]
        low, high = self.both("min", *ends), self.both("max", *ends)
        found = self.rounded(low, high, -1.0, 1.0, 0.0, TRIGONOMETRIC)
        if x.low != x.high:
            two = self.constant(2.0)
            trough = self.op("mul", two, self._extremum_inside(x, crest + 0.5))
            top = self.op("mul", two, self._extremum_inside(x, crest))
            low, high = self.op("sub", found.low, trough), self.op("add", found.high, top)
        else:
            low, high = found.low, found.high
        return self.clipped(_Interval(low, high, -4.0, 4.0), -1.0, 1.0)

    def sin(self, x: _Interval) -> _Interval:
        return self._wave("sin", x, 0.25)

    def cos(self, x: _Interval) -> _Interval:
        return self._wave("cos", x, 0.0)

    def rising(self, name: str, x: _Interval) -> _Interval:
        if name == "asin":
            x = self._within_one(x)
        if name == "log":
            self.require(self.op("le", self.constant(SMALLEST), x.low))
        if name == "exp":
            self.require(self.op("le", x.high, self.constant(math.log(CHECKED))))
        bound = {"asin": math.pi / 2, "atan": math.pi / 2, "tanh": 1.0}.get(name, CHECKED)
        return self.rounded(self.op(name, x.low), self.op(name, x.high), -bound, bound, LIBRARY)

    def _within_one(self, x: _Interval) -> _Interval:
        one = self.constant(1.0)
        self.require(self.op("le", self.op("max", self.negative(x.low), x.high), one))
        return self.clipped(x, -1.0, 1.0)

    def acos(self, x: _Interval) -> _Interval:
        x = self._within_one(x)
        return self.rounded(self.op("acos", x.high), self.op("acos", x.low), 0.0, math.pi, LIBRARY)

    def atan2(self, y: _Interval, x: _Interval) -> _Interval:
        """Greatest and least in the corners of a box that does not meet the negative x axis."""
        zero = self.constant(0.0)
        sides = [self.op("lt", zero, node) for node in (x.low, y.low, self.negative(y.high))]
        self.require(self.op("or", self.op("or", sides[0], sides[1]), sides[2]))
        ends = sorted({(a, b) for a in (y.low, y.high) for b in (x.low, x.high)})
        corners = [self.op("atan2", a, b) for a, b in ends]
        low, high = self.both("min", *corners), self.both("max", *corners)
        return self.rounded(low, high, -math.pi, math.pi, LIBRARY)

    def monotone(self, name: str, x: _Interval, y: _Interval | None = None) -> _Interval:
        """Without rounding."""
        if self.smooth and name in ("floor", "ceil"):
            raise KernelError(f"intervals: {name} has jumps; its derivatives enclose no difference.")
        if y is None:
            known = (-1.0, 1.0) if name == "sign" else (x.least - 1, x.most + 1)
            return _Interval(self.op(name, x.low), self.op(name, x.high), *known)
        choose = min if name == "min" else max
        low, high = self.op(name, x.low, y.low), self.op(name, x.high, y.high)
        return _Interval(low, high, choose(x.least, y.least), choose(x.most, y.most))

    def truth(self, surely: int, possibly: int) -> _Interval:
        return _Interval(surely, possibly, 0.0, 1.0)

    def compared(self, name: str, x: _Interval, y: _Interval) -> _Interval:
        if name in ("lt", "le"):
            return self.truth(self.op(name, x.high, y.low), self.op(name, x.low, y.high))
        meet = self.op("and", self.op("le", x.low, y.high), self.op("le", y.low, x.high))
        one, zero = self.constant(1.0), self.constant(0.0)
        return self.truth(zero, meet) if name == "eq" else self.truth(self.op("not", meet), one)

    def logical(self, name: str, x: _Interval, y: _Interval | None = None) -> _Interval:
        """Of truth values; other numbers are true where they are surely not zero."""
        if y is None:
            return self.truth(self.op("not", x.high), self.op("not", x.low))
        return self.truth(self.op(name, x.low, y.low), self.op(name, x.high, y.high))

    def if_else_zero(self, chosen: _Interval, y: _Interval) -> _Interval:
        if (chosen.least, chosen.most) != (0.0, 1.0):
            raise KernelError("intervals: a choice by a number that is no truth value has no enclosure.")
        zero, unsure = self.constant(0.0), self.op("not", chosen.low)
        if self.smooth:
            self.require(self.op("or", chosen.low, self.op("not", chosen.high)))

        def end(name: str, of: int) -> int:
            sure = self.op("if_else_zero", chosen.low, of)
            either = self.op("if_else_zero", chosen.high, self.op(name, of, zero))
            return self.op("add", sure, self.op("if_else_zero", unsure, either))

        return _Interval(end("min", y.low), end("max", y.high), min(y.least, 0.0), max(y.most, 0.0))


def _outwards(least: float, most: float) -> tuple[float, float]:
    return least - 1e-12 * abs(least) - 1e-280, most + 1e-12 * abs(most) + 1e-280


def _interval(writer: _Writer, op: str, x: _Interval, y: _Interval | None) -> _Interval:
    if op in RISING:
        return writer.rising(op, x)
    if op in ("sign", "floor", "ceil"):
        return writer.monotone(op, x)
    if op in ("neg", "abs", "sqrt", "sin", "cos", "acos"):
        found: _Interval = getattr(writer, op)(x)
        return found
    if op == "not" or y is None:
        return writer.logical(op, x)
    if op in ("add", "sub", "mul", "div", "atan2", "if_else_zero"):
        found = getattr(writer, op)(x, y)
        return found
    if op in ("min", "max"):
        return writer.monotone(op, x, y)
    if op in ("lt", "le", "eq", "ne"):
        return writer.compared(op, x, y)
    if op in ("and", "or"):
        return writer.logical(op, x, y)
    raise KernelError(f"intervals: {op} has no enclosure here; rewrite the expression without it.")


def interval_graph(graph: Graph, choices: Collection[str] = (), smooth: bool = False) -> Graph:
    """Ends of intervals by ends of intervals: inputs and outputs are lower ends, then upper ends.

    Inputs that are named in `choices` are single numbers. Where a graph holds derivatives that stand for
    differences (`smooth`), a choice between expressions that changes within a box has no enclosure.
    """
    writer, found = _Writer(smooth), list[_Interval]()
    chosen = {k for k, name in enumerate(graph.input_names) if name in choices}
    free: dict[int, bool] = {}  # nodes that follow from choices alone; whether they were compared
    for index, node in enumerate(graph.nodes):
        operands = [k for k in (node.a, node.b) if k >= 0]
        if (node.op == "input" and node.value[0] in chosen) or _follows(graph, operands, free):
            ends = [found[k].low for k in operands]
            a, b = (*ends, -1, -1)[:2]
            at = writer.graph.node(node.op, a, b, node.value)
            found.append(_Interval(at, at, -CHECKED, CHECKED))
            free[index] = False
            continue
        for k in operands:
            if free.get(k) is False:
                size = writer.op("abs", found[k].low)
                writer.require(writer.op("le", size, writer.constant(CHECKED)))
                free[k] = True
        if node.op == "const":
            value = float(node.value[0])
            end = writer.graph.node("const", value=node.value)
            found.append(_Interval(end, end, value, value))
        elif node.op == "input":
            k, column = node.value
            low, high = (
                writer.graph.node("input", value=(k, place))
                for place in (column, graph.input_sizes[k] + column)
            )
            found.append(_Interval(low, high, -LARGEST_INPUT, LARGEST_INPUT))
        else:
            other = found[node.b] if node.b >= 0 else None
            found.append(_interval(writer, node.op, found[node.a], other))
    sure = writer.conditions[0] if writer.conditions else -1
    for condition in dict.fromkeys(writer.conditions[1:]):
        sure = writer.op("and", sure, condition)

    def where_sure(end: int, otherwise: float) -> int:
        if sure < 0:
            return end
        unknown = writer.op("if_else_zero", writer.op("not", sure), writer.constant(otherwise))
        return writer.op("add", writer.op("if_else_zero", sure, end), unknown)

    outputs = [
        [where_sure(found[k].low, -math.inf) for k in column]
        + [where_sure(found[k].high, math.inf) for k in column]
        for column in graph.outputs
    ]
    nodes, columns = pruned(writer.graph.nodes, outputs)
    return Graph(
        nodes=tuple(nodes),
        input_names=graph.input_names,
        input_sizes=tuple(size if k in chosen else 2 * size for k, size in enumerate(graph.input_sizes)),
        output_names=graph.output_names,
        output_shapes=tuple((2, *shape) for shape in graph.output_shapes),
        outputs=tuple(tuple(column) for column in columns),
    )


def _follows(graph: Graph, operands: list[int], free: Container[int]) -> bool:
    """Whether a node is made of choices, and of constants."""
    plain = [k in free or graph.nodes[k].op == "const" for k in operands]
    return all(plain) and any(k in free for k in operands)


def _lowering(choices: tuple[str, ...], smooth: bool) -> Lowering:
    def lowered(graph: Graph, target: Processor) -> str:
        intervals = interval_graph(graph, choices, smooth)
        return assembly(intervals, target, abi.entry_points(intervals))

    return Lowering(" ".join(("intervals", *choices, *(("smooth",) if smooth else ()))), lowered)


class _Boxes(Kernel):
    """A kernel whose arrays hold both ends."""

    @classmethod
    def made(
        cls, recipe: Recipe, choices: tuple[str, ...], target: Processor | None, smooth: bool
    ) -> _Boxes:
        """Names the arrays of the intervals; an entry of the cache has them already."""
        kernel = cls.__new__(cls)
        kernel._start(recipe.traced, recipe, target, True, _lowering(choices, smooth))
        if kernel._entry is None:
            kernel.inputs = {
                name: size if name in choices else 2 * size for name, size in kernel.inputs.items()
            }
            kernel.outputs = {name: (2, *shape) for name, shape in kernel.outputs.items()}
        return kernel


class IntervalKernel:
    """Enclosures of an expression over boxes, many at once.

    Inputs are arrays (N, 2 k) of the lower ends of k numbers, then of their upper ends; results are
    (N, 2, ...), lower ends, then upper ends, infinite where there is no sure enclosure.
    """

    def __init__(
        self,
        recipe: Recipe,
        choices: tuple[str, ...] = (),
        target: Processor | None = None,
        smooth: bool = False,
    ) -> None:
        self.choices, self.smooth = choices, smooth
        self._kernel = _Boxes.made(recipe, choices, target, smooth)

    @classmethod
    def of(
        cls,
        function: ca.Function,
        shapes: tuple[Shape, ...],
        choices: tuple[str, ...] = (),
        target: Processor | None = None,
        smooth: bool = False,
    ) -> IntervalKernel:
        """Of an expression that is traced already."""
        return cls(Recipe((), lambda: (function, shapes)), choices, target, smooth)

    @property
    def casadi(self) -> ca.Function:
        """The expression that is enclosed."""
        return self._kernel.casadi

    @property
    def operations(self) -> int:
        """Nodes of the graph of intervals."""
        return len(interval_graph(self._kernel.graph, self.choices, self.smooth).nodes)

    def __call__(self, *boxes: ArrayLike) -> tuple[Array, ...]:
        arrays = [np.asarray(box, dtype=np.float64) for box in boxes]
        for name, array in zip(self._kernel.inputs, arrays, strict=True):
            half = array.shape[-1] // 2
            ordered = name in self.choices or (array[..., :half] <= array[..., half:]).all()
            if not (ordered and (np.abs(array) <= LARGEST_INPUT).all()):
                raise InputError(
                    "boxes: ends of intervals must be numbers up to 1e6 in size, the lower end first."
                )
        result, _ = self._kernel.evaluate(tuple(arrays))  # infinite ends are meant
        return result if isinstance(result, tuple) else (result,)
