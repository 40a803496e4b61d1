"""Rows that are worked on until each is done, without an idle lane: see `row_loops.stepping`."""

from __future__ import annotations

import ctypes

import numpy as np
from numpy.typing import NDArray

from linkwork.kernels.kernel import Kernel, Lowering
from linkwork.kernels.lowering import stepping_assembly
from linkwork.kernels.recipes import Recipe

Array = NDArray[np.float64]


class Queue:
    """Machine code that steps rows until all are done. Rows change places: a column may number them.

    Args:
        recipe: of the step: a row and parameters to the next row.
        width: numbers of a row.
        status: the column that is zero as long as a row goes on.
    """

    def __init__(self, recipe: Recipe, width: int, status: int) -> None:
        self.width = width
        lowering = Lowering(
            f"queue {width} {status}",
            lambda graph, target: stepping_assembly(graph, target, width, status),
        )
        self.kernel = Kernel.from_recipe(recipe, optimize=False, lowering=lowering)

    def run(self, rows: Array, *parameters: Array) -> None:
        """Step `rows` (N, width) in place until all are done; parameters are the same for all rows."""
        words = [_address(rows), self.width]
        for parameter in parameters:
            words += [_address(parameter), 0]
        words.append(_address(rows))
        packet = (ctypes.c_int64 * len(words))(*words)
        self.kernel.code.batch(ctypes.addressof(packet), 0, len(rows))


def _address(array: Array) -> int:
    if array.dtype != np.float64 or not array.flags.c_contiguous:
        raise TypeError("a queue takes dense arrays of float64")
    return int(array.ctypes.data)
