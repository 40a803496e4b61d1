"""What checks of agreement measure with: relative differences and exact derivatives along a motion."""

from __future__ import annotations

import casadi as ca
import numpy as np

from linkwork.interface.robot import Array
from linkwork.kernels import Kernel


def relative(value: Array, reference: Array) -> float:
    """Largest difference over largest reference; infinite where there is no finite value."""
    scale = float(np.abs(reference).max())
    difference = float(np.abs(value - reference).max()) / (scale or 1.0)
    return difference if np.isfinite(difference) else float("inf")


def rate_kernel(kernel: Kernel, output: int) -> Kernel:
    """Time derivative of an output, of all inputs and their rates, by CasADi's exact differentiation."""
    symbols = [ca.SX.sym(name, size) for name, size in kernel.inputs.items()]
    direction = ca.vertcat(*[ca.SX.sym(f"{name}_rate", n) for name, n in kernel.inputs.items()])
    value = kernel.casadi(*symbols)
    value = value[output] if isinstance(value, tuple) else value
    rate = ca.jtimes(value, ca.vertcat(*symbols), direction)
    inputs = [ca.vertcat(*symbols), direction]
    wrapped = ca.Function("rate", inputs, [rate], ["state", "rate"], ["value"])
    return Kernel(wrapped, ((value.numel(),),))
