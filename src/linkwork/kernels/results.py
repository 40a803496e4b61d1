"""Memory for results, used again once nobody holds the array that stood in it.

A fresh large array costs a page fault for every 4 KiB, which takes longer than many a kernel. Blocks
that this module made and that no array refers to any more are handed out again.
"""

from __future__ import annotations

import math
import sys
import threading

import numpy as np
from numpy.typing import NDArray

SMALLEST_BYTES = 1 << 16
KEPT_BYTES = 1 << 27

_blocks: list[NDArray[np.float64]] = []
# What getrefcount says of an array that only a list holds; interpreters differ.
_probe = [np.empty(1)]
_UNUSED_REFERENCES = sys.getrefcount(_probe[0])
_lock = threading.Lock()


def _counts_references() -> bool:
    is_gil_enabled = getattr(sys, "_is_gil_enabled", lambda: True)
    return sys.implementation.name == "cpython" and bool(is_gil_enabled())


def empty(shape: tuple[int, ...]) -> NDArray[np.float64]:
    """An uninitialised array, in recycled memory if there is a block of this size."""
    size = math.prod(shape)
    if not SMALLEST_BYTES <= 8 * size <= KEPT_BYTES or not _counts_references():
        return np.empty(shape)
    with _lock:
        for index in range(len(_blocks)):
            fits = _blocks[index].size == size
            if fits and sys.getrefcount(_blocks[index]) == _UNUSED_REFERENCES:
                _blocks.append(_blocks.pop(index))
                return _blocks[-1].reshape(shape)
        block = np.empty(size)
        _blocks.append(block)
        while sum(kept.nbytes for kept in _blocks) > KEPT_BYTES:
            del _blocks[0]
    return block.reshape(shape)
