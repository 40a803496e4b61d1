"""The binary format of WebAssembly: numbers, lists, constants and the instructions that kernels need."""

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


F64, I64, I32, EMPTY, FUNCTION = b"\x7c", b"\x7e", b"\x7f", b"\x40", b"\x60"

BLOCK, LOOP, IF, END = b"\x02", b"\x03", b"\x04", b"\x0b"
RETURN, DROP, SELECT = b"\x0f", b"\x1a", b"\x1b"
I32_EQZ, I32_SUB, I32_ADD, I32_AND, I32_OR = b"\x45", b"\x6b", b"\x6a", b"\x71", b"\x72"
I64_AND, I64_XOR, I64_SHL, I64_ADD, I64_NE_ZERO = b"\x83", b"\x85", b"\x86", b"\x7c", b"\x50\x45"
F64_EQ, F64_NE, F64_LT, F64_GT, F64_LE = (bytes([code]) for code in range(0x61, 0x66))
F64_ABS, F64_NEG, F64_CEIL, F64_FLOOR = (bytes([code]) for code in range(0x99, 0x9D))
F64_SQRT, F64_ADD, F64_SUB, F64_MUL, F64_DIV = (bytes([code]) for code in range(0x9F, 0xA4))
F64_COPYSIGN = b"\xa6"
F64_FROM_I32, F64_FROM_BITS, BITS_FROM_F64 = b"\xb8", b"\xbf", b"\xbd"


def get(local: int) -> bytes:
    return b"\x20" + unsigned(local)


def put(local: int) -> bytes:
    return b"\x21" + unsigned(local)


def tee(local: int) -> bytes:
    """Put, and keep the value on the stack."""
    return b"\x22" + unsigned(local)


def call(function: int) -> bytes:
    return b"\x10" + unsigned(function)


def branch(depth: int) -> bytes:
    return b"\x0c" + unsigned(depth)


def branch_if(depth: int) -> bytes:
    return b"\x0d" + unsigned(depth)


def load(offset: int) -> bytes:
    """f64.load from an address on the stack, `offset` bytes further."""
    return b"\x2b\x03" + unsigned(offset)


def store(offset: int) -> bytes:
    """f64.store"""
    return b"\x39\x03" + unsigned(offset)
