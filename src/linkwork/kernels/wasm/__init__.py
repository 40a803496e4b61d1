"""Graphs as a WebAssembly module. Data flows graph -> body -> module."""

from linkwork.kernels.wasm.module import wasm_module

__all__ = ["wasm_module"]
