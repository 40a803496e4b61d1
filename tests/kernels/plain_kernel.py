"""Kernels for a processor that, as WebAssembly and strict C99, has no fused multiply-add."""

from __future__ import annotations

from linkwork.kernels import Kernel
from linkwork.kernels.machine import processor


def without_fma(kernel: Kernel) -> Kernel:
    return Kernel(kernel.casadi, tuple(kernel.outputs.values()), processor(fma=False))
