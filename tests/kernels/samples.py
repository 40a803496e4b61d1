"""A kernel that uses every operation, and what CasADi itself says it should compute."""

from __future__ import annotations

from dataclasses import replace

import casadi as ca
import numpy as np

from linkwork.kernels import Kernel
from linkwork.kernels.machine import host


def sample_function(size: int = 3) -> ca.Function:
    """Uses every operation that kernels know."""
    x, y = ca.SX.sym("x", size), ca.SX.sym("y", size)
    a, b = x[0], y[size - 1]
    parts = [
        a + b, a - b, a * b, a / b, -a, a * a, 2 * a, 1 / b, ca.sqrt(ca.fabs(a)), ca.sin(a * b),
        ca.cos(b), ca.sign(a), ca.fabs(b), ca.fmin(a, b), ca.fmax(a, b), ca.if_else(a < b, a, 2 * b),
        ca.if_else(a <= b, 1, b), ca.logic_and(a > 0, b > 0), ca.logic_or(a > 0, b > 0),
        ca.logic_not(a > 0), a == b, a != b, ca.copysign(a, b), ca.atan2(a, b), ca.exp(a), ca.tanh(b),
        ca.log(ca.fabs(a) + 1), ca.tan(a), ca.atan(a), ca.asin(ca.tanh(a)), ca.acos(ca.tanh(b)),
        ca.floor(a), ca.ceil(b), ca.fabs(a) ** 1.5, ca.sin(ca.cos(a) + b), ca.sum1(x) * ca.sum1(y), 7.0,
    ]  # fmt: skip
    return ca.Function("sample", [x, y], [ca.vertcat(*parts), x], ["x", "y"], ["parts", "same"])


def sample(lanes: int = 4, size: int = 3, doubled: bool = False) -> Kernel:
    function = sample_function(size)
    shapes = ((function.nnz_out(0),), (size,))
    target = replace(host(), lanes=lanes, doubled=doubled)
    # As traced: the optimizer may add in another order, and these tests compare to the last digits.
    return Kernel(function, shapes, target, optimize=False)


def reference(kernel: Kernel, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    x, y = np.broadcast_arrays(x, y)
    rows = [np.array(kernel.casadi(a, b)[0])[:, 0] for a, b in zip(x, y, strict=True)]
    return np.array(rows)
