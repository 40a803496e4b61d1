"""Modules on disk, so that a page that computes is quick to write."""

from __future__ import annotations

from linkwork.kernels import cache as disk
from linkwork.kernels.graph import graph_of
from linkwork.kernels.recipes import Recipe, index_key
from linkwork.kernels.wasm.module import wasm_module

KIND = "wasm"
FUNCTION = "run"


def stored_module(recipe: Recipe) -> bytes:
    """The module of a recipe's expression as traced, whose function is called `run`.

    Optimising takes longer than tracing and writing together, and a page evaluates few states.
    """
    key = index_key(recipe, KIND)
    found = disk.read(key, KIND) if key else None
    if found is not None:
        return found
    module = wasm_module({FUNCTION: graph_of(*recipe.express())})
    if key:
        disk.write(key, module, KIND)
    return module
