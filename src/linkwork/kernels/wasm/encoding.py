"""How WebAssembly writes numbers, lists and constants: the binary format's smallest pieces."""

from __future__ import annotations

import struct
from collections.abc import Sequence


def unsigned(value: int) -> bytes:
    """LEB128: seven bits a byte, the lowest first."""
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def signed(value: int) -> bytes:
    """LEB128 whose last byte carries the sign in its bit 6."""
    out = bytearray()
    while not -0x40 <= value < 0x40:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value & 0x7F])


def vector(items: Sequence[bytes]) -> bytes:
    """A list: its length, then its items."""
    return unsigned(len(items)) + b"".join(items)


def text(value: str) -> bytes:
    """A name."""
    raw = value.encode()
    return unsigned(len(raw)) + raw


def section(number: int, content: bytes) -> bytes:
    """A section of a module; an empty list is left out."""
    return bytes([number]) + unsigned(len(content)) + content if content != b"\0" else b""


def double(value: float) -> bytes:
    """f64.const"""
    return b"\x44" + struct.pack("<d", value)


def long(value: int) -> bytes:
    """i64.const"""
    return b"\x42" + signed(value)


def integer(value: int) -> bytes:
    """i32.const"""
    return b"\x41" + signed(value)
