"""A kernel with its own buffers, for control loops."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.errors import InputError, KernelError

if TYPE_CHECKING:
    from linkwork.kernels.kernel import Kernel


class BoundKernel:
    """Write the input buffers (`loop.q`, ...), call `loop()`, read the output buffers (`loop.tau`).

    The call allocates nothing and returns True if an input or a result is not finite. Buffers are
    fixed arrays: `loop.q[:] = x` and `loop.q = x` both copy. One loop belongs to one thread at a time.
    """

    def __init__(self, kernel: Kernel) -> None:
        inputs = {name: np.zeros(size) for name, size in kernel.inputs.items()}
        outputs = {name: np.zeros(shape) for name, shape in kernel.outputs.items()}
        words = [word for buffer in inputs.values() for word in (buffer.ctypes.data, 0)]
        words += [buffer.ctypes.data for buffer in outputs.values()]
        packet = (ctypes.c_int64 * len(words))(*words)
        buffers = {**inputs, **outputs}
        own = {
            "kernel": kernel,
            "input_buffers": tuple(inputs.values()),
            "output_buffers": tuple(outputs.values()),
            "packet": ctypes.c_void_p(ctypes.addressof(packet)),
            "once": kernel.code.once,
            "_words": packet,
            "_buffers": buffers,
        }
        taken = sorted(set(own) & buffers.keys())
        if taken:
            raise KernelError(f"kernel {kernel.name}: no array may be named {taken[0]!r} to be bound.")
        self.__dict__.update(own, **buffers)

    def __call__(self) -> bool:
        return bool(self.once(self.packet))

    def __setattr__(self, name: str, value: Any) -> None:
        buffer = self._buffers.get(name)
        if buffer is None:
            raise AttributeError(f"no buffer {name!r}; there are {', '.join(self._buffers)}.")
        try:
            buffer[...] = value  # `loop.q = x` must reach the code, so it copies
        except (TypeError, ValueError) as error:
            raise InputError(f"{name} takes {buffer.shape} numbers: {error}.") from None

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{name} belongs to the loop and stays.")

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...
