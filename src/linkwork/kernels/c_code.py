"""From graph to C99: one function for one state, without globals, memory or libraries of its own.

Every node is a constant of its own, in the order of the graph, so that the operations of the text are
those that `counts` tells. Sines and cosines that are known at the same time come from one loop without
branches, which compilers turn into vector instructions; or from the C library, if that is chosen.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from dataclasses import dataclass

from linkwork.kernels.graph import LIBRARY, SINGLE_LIMITS, Graph, Node, ancestors, angles_by_level
from linkwork.kernels.lowering import silent_inputs
from linkwork.kernels.reals import DOUBLE, SINGLE
from linkwork.kernels.sincos import COSINE, SINE, TWO_OVER_PI

PLAIN = """#include <float.h>
/* 16 and 32 say that half precision exists; float and double keep their own. */
#if (FLT_EVAL_METHOD != 0 && FLT_EVAL_METHOD != 16 && FLT_EVAL_METHOD != 32) || defined(__FAST_MATH__)
#error "sine and cosine need plain arithmetic: no -ffast-math, no x87; or export with libm"
#endif

"""
FAST_MATH = """#ifdef __FAST_RELAXED_MATH__
#error "sine and cosine need plain arithmetic: no -cl-fast-relaxed-math"
#endif

"""
TEXT = """\
/* Sines and cosines of angles, within 2.5 units in the last place for |x| <= {limit}, NaN beyond. */
{own}void {name}(int count, const {real} *{restrict} angle, {real} *{restrict} sine,
    {real} *{restrict} cosine) {{
    for (int i = 0; i < count; i++) {{
        const {real} x = angle[i];
        const {real} n = (x * {two_over_pi} + {rounder}) - {rounder};
        const {real} r = {reduced};
        const {real} z = r * r;
        const {real} s = r * z * ({sine}) + r;
        const {real} c = z * z * ({cosine}) + ({one} - {half} * z);
        const {real} d = n - {four} * ((n * {quarter} + {rounder}) - {rounder});
        const {real} dd = d * d;
        const {real} S = d * ({four} - dd) * {third};
        const {real} C = {one} - dd * ({seven} - dd) * {sixth};
        const {real} beyond = x * {overflow} * {zero};
        sine[i] = C * s + S * c + beyond;
        cosine[i] = C * c - S * s + beyond;
    }}
}}
"""


def sincos_source(name: str, style: Style) -> str:
    """The function `name(count, angle, sine, cosine)` that other functions of the file call."""
    precision, number, language = SINGLE if style.single else DOUBLE, style.number, style.language
    reduced = "x"
    for piece in precision.pieces_plain:
        reduced = f"({reduced} - n * {number(piece)})"
    named = {"zero": 0.0, "quarter": 0.25, "third": 1 / 3, "sixth": 1 / 6, "half": 0.5, "one": 1.0}
    named |= {"four": 4.0, "seven": 7.0, "two_over_pi": TWO_OVER_PI, "rounder": precision.rounder}
    return language.plain + TEXT.format(
        name=name,
        own=language.own,
        restrict=language.restrict,
        real=style.real,
        limit=f"{precision.limit:g}",
        overflow=number(precision.overflow),
        reduced=reduced.removeprefix("(").removesuffix(")"),
        sine=_horner(SINE[: precision.terms], number),
        cosine=_horner(COSINE[: precision.terms], number),
        **{key: number(value) for key, value in named.items()},
    )


def _horner(coefficients: tuple[float, ...], number: Callable[[float], str]) -> str:
    text = number(coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        text = f"({text} * z + {number(coefficient)})"
    return text.removeprefix("(").removesuffix(")")


OPERATORS = {"add": "+", "sub": "-", "mul": "*", "div": "/"}
COMPARISONS = {"lt": "<", "le": "<=", "eq": "==", "ne": "!="}
# Of math.h; abs is fabs there.
CALLED = {*LIBRARY, "sqrt", "floor", "ceil", "copysign"}
PER_LINE = 8


@dataclass(frozen=True)
class Language:
    """What dialects of C differ in: qualifiers of functions, and whether those of math.h have an f at
    the end for single precision."""

    own: str = "static "  # before functions that nobody else calls
    called: str = ""  # before those of the robot
    restrict: str = "restrict"
    plain: str = PLAIN  # refuses arithmetic that sine and cosine do not stand
    suffixed: bool = True


OPENCL = Language(called="static ", plain=FAST_MATH, suffixed=False)
CUDA = Language("static __device__ ", "static __device__ ", "__restrict__", "")


@dataclass(frozen=True)
class Style:
    """How the C is written: `single` precision, and whether sine and cosine are those of math.h."""

    single: bool = False
    libm: bool = False
    language: Language = Language()

    @property
    def real(self) -> str:
        return "float" if self.single else "double"

    def number(self, value: float) -> str:
        """A literal that reads back as the same number."""
        if not math.isfinite(value):  # of math.h
            return "NAN" if math.isnan(value) else "INFINITY" if value > 0 else "(-INFINITY)"
        if self.single:
            value = struct.unpack("f", struct.pack("f", value))[0]
            digits = f"{value:.9g}"
            digits = digits if any(mark in digits for mark in ".e") else f"{digits}.0"
            return f"({digits}F)" if value < 0 else f"{digits}F"
        return f"({value!r})" if value < 0 or math.copysign(1.0, value) < 0 else repr(value)

    def library(self, function: str) -> str:
        """A function of math.h for this precision."""
        return f"{function}f" if self.single and self.language.suffixed else function


def uses_library(graph: Graph, style: Style) -> bool:
    """Whether the code needs math.h."""
    trigonometry = {"sin", "cos"} if style.libm else set()
    called = CALLED | {"abs"} | trigonometry
    return any(node.op in called or _is_macro(node) for node in graph.nodes)


def _is_macro(node: Node) -> bool:
    return node.op == "const" and not math.isfinite(node.value[0])


def uses_own_sine(graph: Graph, style: Style) -> bool:
    """Whether the code calls the sine and cosine of `sincos_source`."""
    return not style.libm and any(node.op in ("sin", "cos") for node in graph.nodes)


def declaration(graph: Graph, name: str, style: Style) -> str:
    """The prototype of the function: inputs, then outputs, as arrays of their sizes."""
    sizes = zip(graph.input_names, graph.input_sizes, strict=True)
    arguments = [f"const {style.real} {key}[{size}]" for key, size in sizes]
    taken = set(graph.input_names)
    for key, column in zip(graph.output_names, graph.outputs, strict=True):
        arguments.append(f"{style.real} {output_name(key, taken)}[{len(column)}]")
    return f"{style.language.called}int {name}({', '.join(arguments)})"


def output_name(name: str, inputs: set[str]) -> str:
    """An output that is called as an input gets a name of its own."""
    return f"{name}_out" if name in inputs else name


def function_source(graph: Graph, name: str, sincos: str, style: Style) -> str:
    """The definition of the function; `sincos` is the name of the sine and cosine in the same file."""
    return _Function(graph, sincos, style).text(declaration(graph, name, style))


def file_source(graph: Graph, name: str, style: Style) -> str:
    """A file of its own: the function and what it needs."""
    sincos = f"{name}_sincos"
    parts = ["#include <math.h>\n"] if uses_library(graph, style) else []
    if uses_own_sine(graph, style):
        parts.append(sincos_source(sincos, style))
    # A function that others call is declared before it is defined.
    parts.append(f"{declaration(graph, name, style)};\n")
    parts.append("/* Returns 0, or 1 if an input or a result is not finite. */")
    return "\n".join([*parts, function_source(graph, name, sincos, style)])


class _Function:
    """Lowers nodes into lines of C."""

    def __init__(self, graph: Graph, sincos: str, style: Style) -> None:
        self.graph, self.sincos, self.style = graph, sincos, style
        self.lines: list[str] = []
        self.values: list[str] = [""] * len(graph.nodes)
        self.pairs: dict[int, tuple[str, str]] = {}

    def text(self, head: str) -> str:
        graph = self.graph
        if not self.style.libm:
            for level, angles in enumerate(angles_by_level(graph)):
                self._sines(level, angles)
        for index in range(len(graph.nodes)):
            self._emit(index)
        self._check()
        taken = set(graph.input_names)
        for key, column in zip(graph.output_names, graph.outputs, strict=True):
            for place, index in enumerate(column):
                self.lines.append(f"{output_name(key, taken)}[{place}] = {self.values[index]};")
        unused = [f"(void){key};" for key in self._unused()]
        self.lines.append(f"return check == {self.style.number(0.0)} ? 0 : 1;")
        body = "\n".join(f"    {line}" for line in [*unused, *self.lines])
        return f"{head} {{\n{body}\n}}\n"

    def _unused(self) -> list[str]:
        read = {node.value[0] for node in self.graph.nodes if node.op == "input"}
        read |= {k for k, _ in silent_inputs(self.graph)}
        return [key for k, key in enumerate(self.graph.input_names) if k not in read]

    def _check(self) -> None:
        """`check` is zero unless a number that matters is not finite."""
        outputs = {index: None for column in self.graph.outputs for index in column}
        watched = [self.values[index] for index in outputs if self.graph.nodes[index].op != "const"]
        names = self.graph.input_names
        watched += [f"{names[k]}[{j}]" for k, j in sorted(silent_inputs(self.graph))]
        rows = [watched[k : k + PER_LINE] for k in range(0, len(watched), PER_LINE)]
        joined = "\n        + ".join(" + ".join(row) for row in rows) or self.style.number(0.0)
        self.lines.append(f"const {self.style.real} sum = {joined};")
        self.lines.append(f"const {self.style.real} check = sum - sum;")

    def _sines(self, level: int, angles: list[int]) -> None:
        real, count = self.style.real, len(angles)
        for angle in angles:
            for needed in sorted(ancestors(self.graph, angle)):
                self._emit(needed)
        listed = ", ".join(self.values[angle] for angle in angles)
        self.lines += [
            f"const {real} angle{level}[{count}] = {{{listed}}};",
            f"{real} sine{level}[{count}], cosine{level}[{count}];",
            f"{self.sincos}({count}, angle{level}, sine{level}, cosine{level});",
        ]
        for place, angle in enumerate(angles):
            self.pairs[angle] = (f"sine{level}[{place}]", f"cosine{level}[{place}]")

    def _emit(self, index: int) -> None:
        if self.values[index]:
            return
        op, _, _, value = self.graph.nodes[index]
        if op == "const":
            self.values[index] = self.style.number(value[0])
        elif op == "input":
            self.values[index] = f"{self.graph.input_names[value[0]]}[{value[1]}]"
        elif op in ("sin", "cos") and not self.style.libm:
            self.values[index] = self.pairs[self.graph.nodes[index].a][op == "cos"]
        else:
            self.lines.append(f"const {self.style.real} v{index} = {self._expression(index)};")
            self.values[index] = f"v{index}"

    def _expression(self, index: int) -> str:
        op, a, b, _ = self.graph.nodes[index]
        x, y = self.values[a], self.values[b] if b >= 0 else ""
        limit = self.graph.nodes[b]
        if op == "lt" and self.style.single and limit.op == "const" and limit.value[0] in SINGLE_LIMITS:
            y = self.style.number(SINGLE_LIMITS[limit.value[0]])
        zero, one = self.style.number(0.0), self.style.number(1.0)
        if op in OPERATORS:
            return f"{x} {OPERATORS[op]} {y}"
        if op == "neg":
            return f"-{x}"
        if op in CALLED or op in ("abs", "sin", "cos"):
            function = self.style.library("fabs" if op == "abs" else op)
            return f"{function}({x}, {y})" if y else f"{function}({x})"
        if op in COMPARISONS:
            return f"{x} {COMPARISONS[op]} {y} ? {one} : {zero}"
        if op == "not":
            return f"{x} == {zero} ? {one} : {zero}"
        if op in ("and", "or"):
            sign = "&&" if op == "and" else "||"
            return f"({x} != {zero} {sign} {y} != {zero}) ? {one} : {zero}"
        if op == "if_else_zero":
            return f"{x} != {zero} ? {y} : {zero}"
        if op in ("min", "max"):
            return f"{x} {'<' if op == 'min' else '>'} {y} ? {x} : {y}"
        if op == "sign":
            return f"({x} > {zero} ? {one} : {zero}) - ({x} < {zero} ? {one} : {zero})"
        raise AssertionError(op)
