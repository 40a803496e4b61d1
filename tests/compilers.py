"""C compilers, emulators and OpenCL devices for tests of exported C.

Tests that need one which is not there are left out, and the run says how to get it. With
LINKWORK_COMPILERS_REQUIRED=1 they fail instead.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
from functools import cache
from typing import Any

import pytest

LEFT_OUT = "tests of exported C left out"
PACKAGES = {
    "gcc": "gcc",
    "g++": "g++",
    "clang": "clang libclang-rt-dev",
    "cmake": "cmake",
    "aarch64-linux-gnu-gcc": "gcc-aarch64-linux-gnu",
    "qemu-aarch64": "qemu-user",
    "arm-none-eabi-gcc": "gcc-arm-none-eabi libnewlib-arm-none-eabi",
    "qemu-system-arm": "qemu-system-arm",
}


def missing() -> tuple[str, ...]:
    """Programs of the list that the machine lacks."""
    return tuple(program for program in PACKAGES if shutil.which(program) is None)


def need(*programs: str) -> None:
    """Leave the test out, or let it fail, if one of the programs is not there."""
    lacking = [program for program in programs if shutil.which(program) is None]
    if not lacking:
        return
    advice = f"no {', '.join(lacking)} (Debian: apt install {' '.join(PACKAGES[p] for p in lacking)})"
    if os.environ.get("LINKWORK_COMPILERS_REQUIRED", "") not in ("", "0"):
        pytest.fail(f"LINKWORK_COMPILERS_REQUIRED is set, but there is {advice}")
    pytest.skip(f"{LEFT_OUT}: {advice}")


@cache
def opencl_works() -> bool:
    """Whether there is an OpenCL device whose compiler compiles anything at all."""
    if importlib.util.find_spec("pyopencl") is None:
        return False
    import pyopencl as cl

    try:
        context = cl.Context([cl.get_platforms()[0].get_devices()[0]])
        cl.Program(context, "__kernel void none(__global int *x) { *x = 1; }").build()
    except cl.Error:
        return False
    return True


def summarize(terminalreporter: Any) -> None:
    """Say it once, also when skipped tests are not listed."""
    skipped = terminalreporter.stats.get("skipped", [])
    count = sum(LEFT_OUT in str(report.longrepr) for report in skipped)
    if count:
        packages = " ".join(PACKAGES[program] for program in missing())
        line = f"{LEFT_OUT}: {count}; they need {', '.join(missing())} (Debian: apt install {packages})"
        terminalreporter.write_line(line, yellow=True)
