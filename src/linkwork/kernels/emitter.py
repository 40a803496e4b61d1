"""Small vocabulary for writing LLVM's textual assembly."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Sequence

from linkwork.kernels.reals import DOUBLE, Real


class Emitter:
    """Lines of one function body and a supply of fresh value names.

    `fma`: a product and a sum may become one fused multiply-add.
    """

    def __init__(self, lanes: int, fma: bool, real: Real) -> None:
        self.lanes, self.fma, self.real = lanes, fma, real
        self.lines: list[str] = []
        self.block = "entry"
        self._count = 0
        self._blocks = 0

    @property
    def vector(self) -> str:
        """The type of one value for all lanes."""
        return f"<{self.lanes} x {self.real.llvm}>"

    @property
    def suffix(self) -> str:
        """Of the names of intrinsic functions of this type."""
        return f"v{self.lanes}f{self.real.bits}"

    @property
    def contract(self) -> str:
        """Behind the name of an operation: it may fuse with another, and nothing else may change, least
        of all what NaN does."""
        return " contract" if self.fma else ""

    def let(self, instruction: str) -> str:
        """Emit `instruction` and return the name of its result."""
        self._count += 1
        name = f"%v{self._count}"
        self.lines.append(f"  {name} = {instruction}")
        return name

    def do(self, instruction: str) -> None:
        self.lines.append(f"  {instruction}")

    def label(self, name: str) -> None:
        """Start the basic block `name`."""
        self.block = name
        self.lines.append(f"{name}:")

    def new_block(self) -> str:
        """A fresh name for a basic block."""
        self._blocks += 1
        return f"block{self._blocks}"

    def shuffle(self, width: int, a: str, b: str, picks: Sequence[int]) -> str:
        """Elements `picks` of the concatenation of two vectors of `width` numbers."""
        mask = ", ".join(f"i32 {pick}" for pick in picks)
        part = f"<{width} x {self.real.llvm}>"
        return self.let(f"shufflevector {part} {a}, {part} {b}, <{len(picks)} x i32> <{mask}>")

    def by_lanes(self, function: str, *operands: str) -> str:
        """A function of the C library, lane by lane, in double precision."""
        result, wide = "poison", f"<{self.lanes} x double>"
        if self.real != DOUBLE:
            operands = tuple(self.let(f"fpext {self.vector} {x} to {wide}") for x in operands)
        for lane in range(self.lanes):
            scalars = [self.let(f"extractelement {wide} {x}, i32 {lane}") for x in operands]
            arguments = ", ".join(f"double {scalar}" for scalar in scalars)
            value = self.let(f"call double @{function}({arguments})")
            result = self.let(f"insertelement {wide} {result}, double {value}, i32 {lane}")
        return result if self.real == DOUBLE else self.let(f"fptrunc {wide} {result} to {self.vector}")

    def splat(self, value: float) -> str:
        """A vector constant with the same number in every lane, exactly: the bits of the double that it
        is, in hexadecimal, as LLVM writes numbers of both precisions."""
        bits = struct.pack(">d", value if self.real == DOUBLE else ctypes.c_float(value).value)
        return "<" + ", ".join([f"{self.real.llvm} 0x{bits.hex().upper()}"] * self.lanes) + ">"

    def splat_int(self, value: int) -> str:
        return "<" + ", ".join([f"i{self.real.bits} {value}"] * self.lanes) + ">"


FEW = 8  # columns; more of them are stored faster in blocks
QUAD = 4  # doubles in a register, where pairs of columns are moved
LOW, HIGH = (0, 4, 2, 6), (1, 5, 3, 7)  # first and second doubles of both halves of two registers


def _transpose_squares(asm: Emitter, rows: list[str]) -> list[str]:
    """Transpose squares of w x w numbers by swapping off-diagonal blocks of growing size (Eklundh).

    The w vectors have all lanes: as many squares stand side by side as they hold.
    """
    width, lanes = len(rows), asm.lanes
    step = 1
    while step < width:
        result = list(rows)
        low = [j if not j & step else width + j - step for j in range(width)]
        high = [j + step if not j & step else width + j for j in range(width)]
        low_of_all, high_of_all = (
            [
                first + (pick if pick < width else lanes + pick - width)
                for first in range(0, lanes, width)
                for pick in picks
            ]
            for picks in (low, high)
        )
        for i in range(width):
            if not i & step:
                a, b = rows[i], rows[i + step]
                result[i] = asm.shuffle(lanes, a, b, low_of_all)
                result[i + step] = asm.shuffle(lanes, a, b, high_of_all)
        rows = result
        step *= 2
    return rows


def _concatenate(asm: Emitter, parts: list[str], width: int) -> str:
    while len(parts) > 1:
        both = range(2 * width)
        pairs = zip(parts[::2], parts[1::2], strict=True)
        parts = [asm.shuffle(width, a, b, both) for a, b in pairs]
        width *= 2
    return parts[0]


def _blocks(columns: int, lanes: int) -> tuple[int, list[int]]:
    """Block width and the first column of each block; the last may overlap the one before."""
    width = lanes
    while width > columns:
        width //= 2
    starts = list(range(0, columns - width + 1, width))
    if starts[-1] + width < columns:
        starts.append(columns - width)
    return width, starts


def _element(asm: Emitter, row: str, column: int) -> str:
    return asm.let(f"getelementptr {asm.real.llvm}, ptr {row}, i64 {column}") if column else row


def _load_pairs(asm: Emitter, rows: list[str], columns: int) -> list[str]:
    result = [""] * columns
    for start in [*range(0, columns - 1, 2), columns - 2]:
        if result[start] and result[start + 1]:
            continue
        parts: list[tuple[str, str]] = []
        for first in range(0, asm.lanes, QUAD):
            a, b, c, d = (
                asm.let(f"load <2 x double>, ptr {_element(asm, row, start)}, align 8")
                for row in rows[first : first + QUAD]
            )
            even, odd = asm.shuffle(2, a, c, range(QUAD)), asm.shuffle(2, b, d, range(QUAD))
            low, high = asm.shuffle(QUAD, even, odd, LOW), asm.shuffle(QUAD, even, odd, HIGH)
            parts.append((low, high))
        for j in range(2):
            if not result[start + j]:
                result[start + j] = _concatenate(asm, [part[j] for part in parts], QUAD)
    return result


def _store_pairs(asm: Emitter, rows: list[str], values: list[str]) -> None:
    for start in range(0, len(values), 2):
        for first in range(0, asm.lanes, QUAD):
            picks = range(first, first + QUAD)
            u, v = (
                asm.shuffle(asm.lanes, value, "poison", picks) if asm.lanes > QUAD else value
                for value in values[start : start + 2]
            )
            even, odd = asm.shuffle(QUAD, u, v, LOW), asm.shuffle(QUAD, u, v, HIGH)
            for k, (pair, half) in enumerate(((even, 0), (odd, 0), (even, 2), (odd, 2))):
                part = asm.shuffle(QUAD, pair, "poison", range(half, half + 2))
                place = _element(asm, rows[first + k], start)
                asm.do(f"store <2 x double> {part}, ptr {place}, align 8")


def load_columns(asm: Emitter, rows: list[str], columns: int, pairs: bool = False) -> list[str]:
    """Vectors of the `columns` columns, one lane per row pointer in `rows`."""
    if pairs and columns > 1:
        return _load_pairs(asm, rows, columns)
    width, starts = _blocks(columns, asm.lanes)
    part = f"<{width} x {asm.real.llvm}>"
    result = [""] * columns
    for start in starts:
        square = []
        for row in range(width):
            pieces = [
                asm.let(f"load {part}, ptr {_element(asm, each, start)}, align {asm.real.bytes}")
                for each in rows[row::width]
            ]
            square.append(_concatenate(asm, pieces, width))
        for j, column in enumerate(_transpose_squares(asm, square), start):
            result[j] = result[j] or column
    return result


def store_columns(asm: Emitter, rows: list[str], values: list[str], pairs: bool = False) -> None:
    """Write the vectors `values`, one per column, to the row pointers in `rows`."""
    if pairs and len(values) % 2 == 0 and len(values) <= FEW:
        _store_pairs(asm, rows, values)
        return
    width, starts = _blocks(len(values), asm.lanes)
    kind = f"<{width} x {asm.real.llvm}>"
    for start in starts:
        square = _transpose_squares(asm, values[start : start + width])
        for first in range(0, asm.lanes, width):
            picks = range(first, first + width)
            for row, whole in zip(rows[first : first + width], square, strict=True):
                place = _element(asm, row, start)
                piece = asm.shuffle(asm.lanes, whole, "poison", picks) if width < asm.lanes else whole
                asm.do(f"store {kind} {piece}, ptr {place}, align {asm.real.bytes}")
