"""Entry points of kernels as Python's builtin functions: CPython makes one from an address."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from linkwork.kernels.abi.entry import TABLE
from linkwork.kernels.abi.layout import ARRAY_NEW, array_function, layout_fits
from linkwork.kernels.machine import MachineCode

METH_NOARGS, METH_FASTCALL = 0x0004, 0x0080

Builtin = Callable[..., Any]


class EntryTable(ctypes.Structure):
    """Memory of a builtin function's `self`; its attribute `keep` holds what must live as long."""

    _fields_ = [(name, ctypes.c_int64) for name in TABLE]
    keep: tuple[object, ...]


class _MethodDefinition(ctypes.Structure):
    """CPython's PyMethodDef."""

    _fields_ = [
        ("name", ctypes.c_char_p),
        ("method", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("documentation", ctypes.c_char_p),
    ]


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
    found = {name: id(each) for name, each in objects.items()}
    return {**functions, **found, "array_new": array_function(ARRAY_NEW)}


def builtin_function(
    code: MachineCode, name: str, flags: int, *keep: object, **words: int
) -> Builtin | None:
    """An entry point as a builtin function; None if the code has none that fits this process.

    Args:
        keep: objects that live as long as the function, besides what owns the machine code.
        words: further entries of its table.
    """
    address = code.address(name) if layout_fits() else 0
    if not address:
        return None
    table = EntryTable(**_addresses(), **words)
    definition = _MethodDefinition(name.encode(), address, flags, None)
    table.keep = (code, *keep, definition)
    make = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p)(
        ("PyCFunction_NewEx", ctypes.pythonapi)
    )
    function: Builtin = make(ctypes.addressof(definition), table, None)
    return function
