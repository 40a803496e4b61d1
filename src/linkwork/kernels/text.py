"""Small vocabulary for writing LLVM's textual assembly."""

from __future__ import annotations

import struct
from collections.abc import Sequence


class Assembly:
    """Lines of one function body and a supply of fresh value names."""

    def __init__(self, lanes: int) -> None:
        self.lanes = lanes
        self.lines: list[str] = []
        self.block = "entry"
        self._count = 0
        self._blocks = 0

    @property
    def vector(self) -> str:
        """The type of one value for all lanes."""
        return f"<{self.lanes} x double>"

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
        """Elements `picks` of the concatenation of two vectors of `width` doubles."""
        mask = ", ".join(f"i32 {pick}" for pick in picks)
        part = f"<{width} x double>"
        return self.let(f"shufflevector {part} {a}, {part} {b}, <{len(picks)} x i32> <{mask}>")

    def splat(self, value: float) -> str:
        return splat(value, self.lanes)


def double(value: float) -> str:
    """A double exactly, as LLVM writes it: its bits in hexadecimal."""
    return "0x" + struct.pack(">d", value).hex().upper()


def splat(value: float, lanes: int) -> str:
    """A vector constant with the same double in every lane."""
    return "<" + ", ".join([f"double {double(value)}"] * lanes) + ">"


def splat_int(value: int, lanes: int) -> str:
    return "<" + ", ".join([f"i64 {value}"] * lanes) + ">"
