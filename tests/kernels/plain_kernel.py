"""Kernels for a processor that, as WebAssembly and strict C99, has no fused multiply-add."""

from __future__ import annotations

from dataclasses import replace

from linkwork.kernels import Kernel
from linkwork.kernels.target import host_target

PLAIN = replace(
    host_target(), fma=False, lanes=2, features=host_target().features + ",-fma,-fma4,-avx512f"
)


def without_fma(kernel: Kernel) -> Kernel:
    return Kernel(kernel.casadi, tuple(kernel.outputs.values()), PLAIN)
