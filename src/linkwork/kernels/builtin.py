"""Entry points of kernels as Python's builtin functions, where the interpreter's layout is as expected.

A builtin function needs no extension module: CPython makes one from an address. What the machine code
assumes of objects in memory is compared with what Python itself says of an array, once per process; if
anything differs, kernels are called through ctypes as before.
"""

from __future__ import annotations

import ctypes
import importlib
import sys
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from linkwork.kernels import entry

METH_NOARGS, METH_FASTCALL = 0x0004, 0x0080
# Places in NumPy's table of C functions; they never change (NumPy's ABI).
NDARRAY_TYPE, ARRAY_NEW = 2, 93
WORD = 8  # bytes

Builtin = Callable[..., Any]


class Table(ctypes.Structure):
    """Memory of a builtin function's `self`; its attribute `keep` holds what must live as long."""

    _fields_ = [(name, ctypes.c_int64) for name in entry.TABLE]
    keep: tuple[Any, ...]


class _MethodDefinition(ctypes.Structure):
    """CPython's PyMethodDef."""

    _fields_ = [
        ("name", ctypes.c_char_p),
        ("method", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("documentation", ctypes.c_char_p),
    ]


def header_size() -> int:
    """Bytes before an object's own fields: 16, or more without a global interpreter lock."""
    return object.__basicsize__


def _word(address: int) -> int:
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


def array_function(place: int, prototype: Any) -> Any:
    """A function of NumPy's C interface by its place in the table."""
    return prototype(_word(_array_table() + WORD * place))


def _array_fits(array: np.ndarray[Any, Any]) -> bool:
    """Whether the fields of an array stand where the machine code looks for them."""
    fields, flags = id(array) + header_size(), 0
    for bit, is_set in (
        (entry.C_ORDER, array.flags.c_contiguous),
        (entry.ALIGNED, array.flags.aligned),
        (entry.WRITEABLE, array.flags.writeable),
    ):
        flags |= bit * is_set
    mask = entry.C_ORDER | entry.ALIGNED | entry.WRITEABLE
    axes = range(array.ndim)
    if not (
        _word(id(array) + header_size() - WORD) == id(type(array))
        and _word(fields + entry.DATA) == array.ctypes.data
        and ctypes.c_int.from_address(fields + entry.DIMENSIONS_COUNT).value == array.ndim
        and _word(fields + entry.BASE) == (0 if array.base is None else id(array.base))
        and _word(fields + entry.DESCRIPTION) == id(array.dtype)
        and ctypes.c_int.from_address(fields + entry.FLAGS).value & mask == flags
    ):
        return False
    dimensions, strides = _word(fields + entry.DIMENSIONS), _word(fields + entry.STRIDES)
    kind = id(array.dtype) + header_size()
    return (
        tuple(_word(dimensions + WORD * k) for k in axes) == array.shape
        and tuple(_word(strides + WORD * k) for k in axes) == array.strides
        and ctypes.c_char.from_address(kind + entry.BYTE_ORDER).value.decode() == array.dtype.byteorder
        and ctypes.c_int.from_address(kind + entry.TYPE_NUMBER).value == array.dtype.num
    )


@cache
def layout_fits() -> bool:
    """Whether this interpreter and this NumPy lay objects out as the entry points assume."""
    if sys.implementation.name != "cpython" or sys.maxsize < 2**32 or sys.byteorder != "little":
        return False
    try:
        plain = np.arange(6.0).reshape(2, 3)
        frozen = np.arange(4, dtype=">f4")[::-2]
        frozen.flags.writeable = False
        table = Table()
        return (
            _array_fits(plain)
            and _array_fits(frozen)
            and np.dtype(np.float64).num == entry.FLOAT64
            and _word(_array_table() + WORD * NDARRAY_TYPE) == id(np.ndarray)
            and _word(id(table) + header_size()) == ctypes.addressof(table)
        )
    except (ImportError, AttributeError, ValueError):
        return False


def layout_name() -> str:
    """What object code of entry points depends on."""
    return f"entry {entry.VERSION} {header_size()}" if layout_fits() else "no entry"


@cache
def _addresses() -> dict[str, int]:
    """Of the process, by the names of the table."""
    exported = {
        "increase": "Py_IncRef",
        "decrease": "Py_DecRef",
        "tuple_pack": "PyTuple_Pack",
        "save_thread": "PyEval_SaveThread",
        "restore_thread": "PyEval_RestoreThread",
    }
    functions = {
        name: ctypes.cast(getattr(ctypes.pythonapi, symbol), ctypes.c_void_p).value or 0
        for name, symbol in exported.items()
    }
    objects = {"ndarray": np.ndarray, "none": None, "true": True, "false": False}
    array_new = _word(_array_table() + WORD * ARRAY_NEW)
    return {**functions, **{name: id(each) for name, each in objects.items()}, "array_new": array_new}


def builtin(name: str, address: int, flags: int, keep: tuple[Any, ...], **words: int) -> Builtin:
    """A builtin function from the address of its machine code.

    Args:
        keep: objects that live as long as the function, above all what owns the machine code.
        words: further entries of its table.
    """
    table = Table(**_addresses(), **words)
    definition = _MethodDefinition(name.encode(), address, flags, None)
    table.keep = (*keep, definition)
    make = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p)(
        ("PyCFunction_NewEx", ctypes.pythonapi)
    )
    function: Builtin = make(ctypes.addressof(definition), table, None)
    return function
