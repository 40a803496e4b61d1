"""Modules on disk, so that a page that computes is quick to write."""

from __future__ import annotations

import json
from dataclasses import dataclass

from linkwork.kernels import cache as disk
from linkwork.kernels.graph import graph_of
from linkwork.kernels.recipes import Recipe, Shape, index_key
from linkwork.kernels.wasm.module import wasm_module

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

    Optimising takes longer than tracing and writing together, and a page evaluates few states.
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
