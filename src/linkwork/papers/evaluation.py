"""Methods of robots by their expressions, cheaper than machine code that would run once; and words for
the times of a page."""

from __future__ import annotations

import platform
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


def machine() -> str:
    """In words, as far as the system tells."""
    return f"{platform.system()} on {platform.machine()}, Python {platform.python_version()}"


def microseconds(seconds: float) -> str:
    return f"{1e6 * seconds:.2g} µs"
