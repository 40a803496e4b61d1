"""A WebAssembly module of several kernels.

It exports `memory` and, for every graph, a function (inputs, outputs, rows) of two addresses and a
count, which returns 1 if a number was not finite, else 0. It imports from `m` the functions of
JavaScript's Math that it needs; `{m: Math}` serves. `stored_module` keeps modules on disk, so that a
page that computes is quick to write.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from linkwork.core.errors import KernelError
from linkwork.kernels import cache as disk
from linkwork.kernels.graph import LIBRARY, Graph, graph_of
from linkwork.kernels.recipes import Recipe, Shape, index_key
from linkwork.kernels.wasm import encoding as op
from linkwork.kernels.wasm.body import FunctionBody, Functions, sine_and_cosine, watching
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
    codes, types = [watching()], [WATCHING]
    if turning:
        codes.append(sine_and_cosine(library["sin"], library["cos"]))
        types.append(PAIR)
    first = len(imported) + len(codes)
    codes += [FunctionBody(graph, functions).code() for graph in graphs.values()]
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


KIND = "wasm"
FUNCTION = "run"


@dataclass(frozen=True)
class StoredModule:
    """A module with one function, `run`, and the sizes of its inputs and shapes of its outputs."""

    code: bytes
    inputs: dict[str, int]
    outputs: dict[str, Shape]


def stored_module(recipe: Recipe) -> StoredModule:
    """The module of a recipe's expression as traced.

    Optimizing takes longer than tracing and writing together, and a page evaluates few states.
    """
    key = index_key(recipe, KIND)
    found = _unpacked(disk.read(key, KIND)) if key else None
    if found is not None:
        return found
    graph = graph_of(*recipe.traced())
    module = StoredModule(
        wasm_module({FUNCTION: graph}),
        dict(zip(graph.input_names, graph.input_sizes, strict=True)),
        dict(zip(graph.output_names, graph.output_shapes, strict=True)),
    )
    if key:
        head = json.dumps([module.inputs, module.outputs]).encode()
        disk.write(key, head + b"\n" + module.code, KIND)
    return module


def _unpacked(content: bytes | None) -> StoredModule | None:
    if content is None:
        return None
    head, _, code = content.partition(b"\n")
    inputs, outputs = json.loads(head)
    return StoredModule(code, inputs, {name: tuple(shape) for name, shape in outputs.items()})
