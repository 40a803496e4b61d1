"""A WebAssembly module of several kernels.

It exports `memory` and, for every graph, a function (inputs, outputs, rows) of two addresses and a
count, which returns 1 if a number was not finite, else 0. It imports from `m` the functions of
JavaScript's Math that it needs; `{m: Math}` serves.
"""

from __future__ import annotations

from collections.abc import Mapping

from linkwork.errors import KernelError
from linkwork.kernels.graph import Graph
from linkwork.kernels.wasm import helpers
from linkwork.kernels.wasm import opcodes as op
from linkwork.kernels.wasm.body import LIBRARY, Body, Functions
from linkwork.kernels.wasm.encoding import section, text, unsigned, vector

HEADER = b"\0asm\x01\0\0\0"
PAGE = 65536  # bytes
# Types of functions: of Math with one and two arguments, pairs of sine and cosine, watch, kernels.
TYPES = (
    ((op.F64,), (op.F64,)),
    ((op.F64, op.F64), (op.F64,)),
    ((op.F64,), (op.F64, op.F64)),
    ((op.I32, op.I32), (op.F64,)),
    ((op.I32, op.I32, op.I32), (op.I32,)),
)
ONE, TWO, PAIR, WATCHING, KERNEL = range(len(TYPES))


def wasm_module(graphs: Mapping[str, Graph]) -> bytes:
    """The module of these graphs by the names under which they are exported."""
    for name, graph in graphs.items():
        if not sum(graph.input_sizes):
            raise KernelError(f"kernel {name} has no inputs; WebAssembly is written for functions.")
    used = {node.op for graph in graphs.values() for node in graph.nodes}
    turning = bool({"sin", "cos"} & used)
    imported = [*(("sin", "cos") if turning else ()), *(name for name in LIBRARY if name in used)]
    library = {name: number for number, name in enumerate(imported)}
    watch = len(imported)
    functions = Functions(watch + 1, watch, library)
    codes, types = [helpers.watch()], [WATCHING]
    if turning:
        codes.append(helpers.sine_and_cosine(library["sin"], library["cos"]))
        types.append(PAIR)
    first = len(imported) + len(codes)
    codes += [Body(graph, functions).code() for graph in graphs.values()]
    types += [KERNEL] * len(graphs)
    exports = [text("memory") + b"\x02" + unsigned(0)]
    exports += [text(name) + b"\0" + unsigned(first + k) for k, name in enumerate(graphs)]
    return b"".join(
        (
            HEADER,
            section(1, vector([op.FUNCTION + vector(given) + vector(back) for given, back in TYPES])),
            section(2, vector([_import(name) for name in imported])),
            section(3, vector([unsigned(kind) for kind in types])),
            section(5, vector([b"\0" + unsigned(_pages(graphs))])),
            section(7, vector(exports)),
            section(10, vector(codes)),
        )
    )


def _import(name: str) -> bytes:
    kind = TWO if LIBRARY.get(name) == 2 else ONE
    return text("m") + text(name) + b"\0" + unsigned(kind)


def _pages(graphs: Mapping[str, Graph]) -> int:
    """Memory for one state of every kernel; a caller with more rows lets it grow."""
    most = max(
        (sum(graph.input_sizes) + sum(map(len, graph.outputs)) for graph in graphs.values()), default=0
    )
    return -(-8 * most // PAGE) or 1
