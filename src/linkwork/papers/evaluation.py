"""Methods of robots by their expressions, cheaper than machine code that would run once, and how long a
call takes on this machine, beside times that papers print of theirs."""

from __future__ import annotations

import platform
from collections.abc import Callable
from time import perf_counter
from typing import Any

import casadi as ca
import numpy as np

from linkwork.robot.robot import Array, Robot


def evaluated(robot: Robot, method: str, *states: Array, **options: Any) -> list[Array]:
    """Every output of a method for states (N, ...), evaluated by CasADi."""
    kernel = robot.kernel(method, **options)
    found = kernel.casadi.call([ca.DM(np.asarray(part).T) for part in states])
    shapes = kernel.outputs.values()
    return [np.asarray(value).T.reshape(-1, *shape) for value, shape in zip(found, shapes, strict=True)]


BUDGET = 0.02  # s, per timing


def seconds_per_call(call: Callable[[], object]) -> float:
    """The shortest of some tries: other work on the machine only makes them longer."""
    call()
    start, best = perf_counter(), float("inf")
    while perf_counter() - start < BUDGET:
        before = perf_counter()
        call()
        best = min(best, perf_counter() - before)
    return best


def machine() -> str:
    """In words, as far as the system tells."""
    return f"{platform.system()} on {platform.machine()}, Python {platform.python_version()}"


def microseconds(seconds: float) -> str:
    return f"{1e6 * seconds:.2g} µs"
