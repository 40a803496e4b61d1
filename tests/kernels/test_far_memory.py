"""Kernels load where a process has no free memory near what it just got."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.cli.process import environment

# Everything free is taken but holes of four pages, and holes of one page 16 GiB above them: code and its
# constants must not end up in different ones.
CROWDED = """
import ctypes
import numpy as np
import linkwork as lw

robots = [lw.load("planar-2r") for _ in range(20)]
expected = robots[0].gravity_load(np.ones(2))
system = ctypes.CDLL(None)
word = ctypes.c_size_t
system.mmap.restype = word
system.mmap.argtypes = [word, word, *[ctypes.c_int] * 3, ctypes.c_long]
system.munmap.argtypes = [word, word]
PAGE, SIZE = 4096, 16 << 30

def taken(size):
    return system.mmap(0, size, 0, 0x4022, -1, 0)  # no access, no memory behind it

low = taken(SIZE)
for doublings in range(19, -1, -1):
    size = PAGE << doublings
    while (place := taken(size)) > low:
        pass
    system.munmap(place, size)
for k in range(1, 400):
    system.munmap(low + SIZE - 2 * k * PAGE, PAGE)
    system.munmap(low + 8 * k * PAGE, 4 * PAGE)
for robot in robots:
    assert (robot.gravity_load(np.ones(2)) == expected).all()
print("loaded")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the map of memory is Linux's")
def test_code_and_constants_are_near_each_other() -> None:
    words = [sys.executable, "-c", CROWDED]
    done = subprocess.run(words, env=environment(), capture_output=True, text=True)
    assert done.stdout == "loaded\n", done.stderr
