"""Kernels for a processor that, as WebAssembly and strict C99, has no fused multiply-add."""

from __future__ import annotations

from dataclasses import replace

from linkwork.kernels import Kernel
from linkwork.kernels.machine import host

PLAIN = replace(host(), fma=False, lanes=2, features=host().features + ",-fma,-fma4,-avx512f")


def without_fma(kernel: Kernel) -> Kernel:
    return Kernel(kernel.casadi, tuple(kernel.outputs.values()), PLAIN)
