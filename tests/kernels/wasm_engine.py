"""WebAssembly modules run by wasmtime, with the functions of JavaScript's Math from the C library."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import wasmtime
from numpy.typing import NDArray

PAGE = 65536
Array = NDArray[np.float64]


def _quiet(name: str) -> Any:
    """A function of Math: NaN where Python's would raise."""
    function = getattr(math, name)

    def called(*numbers: float) -> float:
        try:
            return function(*numbers)
        except (ValueError, OverflowError):
            return math.nan

    return called


class Engine:
    """An instance of a module."""

    def __init__(self, module: bytes) -> None:
        self.store = wasmtime.Store()
        self.module = wasmtime.Module(self.store.engine, module)
        number = wasmtime.ValType.f64()
        imports = []
        for wanted in self.module.imports:
            assert wanted.module == "m"
            kind = wasmtime.FuncType([number] * len(wanted.type.params), [number])
            imports.append(wasmtime.Func(self.store, kind, _quiet(wanted.name)))
        self.exports: Any = wasmtime.Instance(self.store, self.module, imports).exports(self.store)

    def run(self, name: str, rows: Array, width: int) -> tuple[Array, bool]:
        """Results (N, width) of states (N, inputs), and whether a number was not finite."""
        memory, data = self.exports["memory"], np.ascontiguousarray(rows)
        end = data.nbytes + 8 * width * len(data)
        if end > memory.data_len(self.store):
            memory.grow(self.store, -(-end // PAGE))
        memory.write(self.store, data.tobytes(), 0)
        flag = self.exports[name](self.store, 0, data.nbytes, len(data))
        found = np.frombuffer(bytes(memory.read(self.store, data.nbytes, end)))
        return found.reshape(len(data), width), bool(flag)
