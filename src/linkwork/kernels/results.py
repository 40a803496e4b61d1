"""Memory for results, used again once nobody holds the array that stood in it.

A fresh large array costs a page fault for every 4 KiB, which takes longer than many a kernel. Blocks
that this module made and that no array refers to any more are handed out again.
"""

from __future__ import annotations

import math
import os
import sys
import threading

import numpy as np
from numpy.typing import NDArray

SMALLEST_BYTES = 1 << 16
LARGEST_BYTES = 1 << 23
BLOCKS_PER_SIZE = 16  # who keeps more results than this alive gets fresh memory
SIZES = 8

_blocks: dict[int, list[NDArray[np.float64]]] = {}
_lock = threading.Lock()
# What getrefcount says of an array that only a list holds; interpreters differ.
_probe = [np.empty(1)]
_UNUSED_REFERENCES = sys.getrefcount(_probe[0])


def _renew() -> None:
    global _lock
    _lock = threading.Lock()
    _blocks.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew)


def _counts_references() -> bool:
    is_gil_enabled = getattr(sys, "_is_gil_enabled", lambda: True)
    return sys.implementation.name == "cpython" and bool(is_gil_enabled())


def empty(shape: tuple[int, ...]) -> NDArray[np.float64]:
    """An uninitialised array, in recycled memory if there is a block of this size."""
    size = math.prod(shape)
    if not SMALLEST_BYTES <= 8 * size <= LARGEST_BYTES or not _counts_references():
        return np.empty(shape)
    with _lock:
        blocks = _blocks.get(size)
        if blocks is None:
            blocks = _blocks[size] = []
            if len(_blocks) > SIZES:
                del _blocks[next(iter(_blocks))]  # the size that came first
        for index in range(len(blocks)):
            if sys.getrefcount(blocks[index]) == _UNUSED_REFERENCES:
                return blocks[index].reshape(shape)
        block = np.empty(size)
        if len(blocks) < BLOCKS_PER_SIZE:
            blocks.append(block)
    return block.reshape(shape)
