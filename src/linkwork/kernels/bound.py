"""A kernel with its own buffers, for control loops."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linkwork.core.errors import InputError, KernelError
from linkwork.kernels.abi import METH_NOARGS, builtin_function

if TYPE_CHECKING:
    from linkwork.kernels.kernel import Kernel


class BoundKernel:
    """Write the input buffers (`loop.q`, ...), call `loop()`, read the output buffers (`loop.tau`).

    The call allocates nothing and returns True if an input or a result is not finite. Buffers are
    fixed arrays: `loop.q[:] = x`, `loop.q = x` and `loop(x, ...)`, with all inputs in order, copy. One
    loop belongs to one thread at a time; every thread binds its own.
    """

    def __init__(self, kernel: Kernel) -> None:
        inputs = {name: np.zeros(size, kernel.dtype) for name, size in kernel.inputs.items()}
        outputs = {name: np.zeros(shape, kernel.dtype) for name, shape in kernel.outputs.items()}
        words = [word for buffer in inputs.values() for word in (buffer.ctypes.data, 0)]
        words += [buffer.ctypes.data for buffer in outputs.values()]
        packet = (ctypes.c_int64 * len(words))(*words)
        address = ctypes.addressof(packet)
        buffers = {**inputs, **outputs}
        run = builtin_function(
            kernel.code, "run", METH_NOARGS, packet, tuple(buffers.values()), packet=address
        )
        batch = kernel.code.batch
        own = {
            "kernel": kernel,
            "_run": run or (lambda: bool(batch(address, 0, 1))),
            "_inputs": tuple(inputs),
            "_packet": packet,
            "_buffers": buffers,
        }
        taken = sorted(set(own) & buffers.keys())
        if taken:
            raise KernelError(f"kernel {kernel.name}: no array may be named {taken[0]!r} to be bound.")
        self.__dict__.update(own, **buffers)

    def __call__(self, *arrays: ArrayLike) -> bool:
        if arrays:
            if len(arrays) != len(self._inputs):
                raise InputError(
                    f"{len(arrays)} arrays were given, the loop takes none or {len(self._inputs)}: "
                    f"{', '.join(self._inputs)}."
                )
            for name, array in zip(self._inputs, arrays, strict=True):
                setattr(self, name, array)
        return self._run()

    def __reduce__(self) -> tuple[object, ...]:
        """Copies and pickles bind again and carry what stands in the buffers."""
        return _bound_again, (self.kernel, self._buffers)

    def __setattr__(self, name: str, value: ArrayLike) -> None:
        buffer = self._buffers.get(name)
        if buffer is None:
            raise AttributeError(f"no buffer {name!r}; there are {', '.join(self._buffers)}.")
        try:
            array = np.asarray(value)
            if array.dtype.kind not in "fiu":
                raise TypeError(f"its type is {array.dtype}")
            if array.shape != buffer.shape:
                raise TypeError(f"its shape is {array.shape}")
        except (TypeError, ValueError) as error:
            raise InputError(f"{name} takes {buffer.shape} real numbers: {error}.") from None
        buffer[...] = array  # `loop.q = x` must reach the code, so it copies

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{name} belongs to the loop and stays.")

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...


def _bound_again(kernel: Kernel, buffers: dict[str, NDArray[np.float64]]) -> BoundKernel:
    loop = kernel.bind()
    for name, values in buffers.items():
        setattr(loop, name, values)
    return loop
