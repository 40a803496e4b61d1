"""A kernel with its own buffers, for control loops."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from linkwork.kernels.kernel import Kernel


class BoundKernel:
    """Write the input buffers (`loop.q`, ...), call `loop()`, read the output buffers (`loop.tau`).

    The call allocates nothing and returns True if an input or a result is not finite. Buffers are
    fixed arrays: `loop.q[:] = x` and `loop.q = x` both copy. One loop belongs to one thread at a time.
    """

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.input_buffers = tuple([np.zeros(size) for size in kernel.inputs.values()])
        self.output_buffers = tuple([np.zeros(shape) for shape in kernel.outputs.values()])
        names = (*kernel.inputs, *kernel.outputs)
        buffers = (*self.input_buffers, *self.output_buffers)
        self.__dict__.update(zip(names, buffers, strict=True))
        words = [word for buffer in self.input_buffers for word in (buffer.ctypes.data, 0)]
        words += [buffer.ctypes.data for buffer in self.output_buffers]
        self._words = (ctypes.c_int64 * len(words))(*words)
        self.packet = ctypes.c_void_p(ctypes.addressof(self._words))
        self.once = kernel.code.once

    def __call__(self) -> bool:
        return bool(self.once(self.packet))

    def __setattr__(self, name: str, value: Any) -> None:
        if name in self.__dict__:  # `loop.q = x` must reach the code, so it copies into the buffer
            self.__dict__[name][...] = value
        else:
            object.__setattr__(self, name, value)

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> NDArray[np.float64]: ...
