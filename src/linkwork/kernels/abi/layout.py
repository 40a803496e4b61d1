"""Where the fields of objects lie, and whether they do so in this process.

What the machine code assumes of objects in memory is compared with what Python itself says of two
arrays, once per process; if anything differs, kernels are called through ctypes.
"""

from __future__ import annotations

import ctypes
import importlib
import sys
from functools import cache

import numpy as np
from numpy.typing import NDArray

from linkwork.kernels.settings import switched_off

ABI_VARIABLE = "LINKWORK_ABI"
WORD = 8  # bytes
# Fields of a NumPy array, bytes after the object header: NumPy 1.26 to 2.x.
DATA, DIMENSIONS_COUNT, DIMENSIONS, STRIDES, BASE, DESCRIPTION, FLAGS = 0, 8, 16, 24, 32, 40, 48
# Fields of its data type: '=' is the byte order of this machine, 12 is float64.
BYTE_ORDER, TYPE_NUMBER = 10, 12
NATIVE = ord("=")
C_ORDER, ALIGNED, WRITEABLE = 0x1, 0x100, 0x400
# Places in NumPy's table of C functions; they never change (NumPy's ABI).
NDARRAY_TYPE, ARRAY_NEW, SET_MEMORY_HANDLER = 2, 93, 304


def header_size() -> int:
    """Bytes before an object's own fields: 16, or more without a global interpreter lock."""
    return object.__basicsize__


def word(address: int) -> int:
    return ctypes.c_int64.from_address(address).value


@cache
def _array_table() -> int:
    """The address of NumPy's table of C functions."""
    core = "numpy._core" if int(np.__version__.split(".")[0]) >= 2 else "numpy.core"
    umath = importlib.import_module(f"{core}._multiarray_umath")
    pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
        ("PyCapsule_GetPointer", ctypes.pythonapi)
    )
    return int(pointer(umath._ARRAY_API, None))


def array_function(place: int) -> int:
    """The address of a function, or a type, of NumPy's C interface by its place in the table."""
    return word(_array_table() + WORD * place)


def _array_fits(array: NDArray[np.generic]) -> bool:
    """Whether the fields of an array stand where the machine code looks for them."""
    fields, flags = id(array) + header_size(), 0
    for bit, is_set in (
        (C_ORDER, array.flags.c_contiguous),
        (ALIGNED, array.flags.aligned),
        (WRITEABLE, array.flags.writeable),
    ):
        flags |= bit * is_set
    mask = C_ORDER | ALIGNED | WRITEABLE
    axes = range(array.ndim)
    if not (
        word(id(array) + header_size() - WORD) == id(type(array))
        and word(fields + DATA) == array.ctypes.data
        and ctypes.c_int.from_address(fields + DIMENSIONS_COUNT).value == array.ndim
        and word(fields + BASE) == (0 if array.base is None else id(array.base))
        and word(fields + DESCRIPTION) == id(array.dtype)
        and ctypes.c_int.from_address(fields + FLAGS).value & mask == flags
    ):
        return False
    dimensions, strides = word(fields + DIMENSIONS), word(fields + STRIDES)
    kind = id(array.dtype) + header_size()
    return (
        tuple(word(dimensions + WORD * k) for k in axes) == array.shape
        and tuple(word(strides + WORD * k) for k in axes) == array.strides
        and ctypes.c_char.from_address(kind + BYTE_ORDER).value.decode() == array.dtype.byteorder
        and ctypes.c_int.from_address(kind + TYPE_NUMBER).value == array.dtype.num
    )


def _buffer_fits() -> bool:
    """Whether the address of a ctypes structure's memory stands right after the object header."""
    buffer = (ctypes.c_int64 * 2)()
    return word(id(buffer) + header_size()) == ctypes.addressof(buffer)


@cache
def layout_fits() -> bool:
    """Whether this interpreter and this NumPy lay objects out as the entry points assume."""
    if switched_off(ABI_VARIABLE):
        return False
    if sys.implementation.name != "cpython" or sys.maxsize < 2**32 or sys.byteorder != "little":
        return False
    try:
        plain = np.arange(6.0).reshape(2, 3)
        frozen = np.arange(4, dtype=">f4")[::-2]
        frozen.flags.writeable = False
        return (
            _array_fits(plain)
            and _array_fits(frozen)
            and array_function(NDARRAY_TYPE) == id(np.ndarray)
            and _buffer_fits()
        )
    except (ImportError, AttributeError, ValueError):
        return False


def layout_name() -> str:
    """What object code with entry points depends on besides the processor."""
    return f"entry {header_size()}" if layout_fits() else "no entry"
