"""Reverse mode: from the expression of a function to that of its vector-Jacobian product."""

from __future__ import annotations

import casadi as ca

from linkwork.kernels.recipes import Expression

GRADIENT, COTANGENT = "grad_", "cotangent_"


def pulled_back(expression: Expression) -> Expression:
    """(inputs, one cotangent per output) -> one gradient per input: that of the sum of all outputs times
    their cotangents. It costs a few times the function, whatever the number of inputs."""
    function = expression[0]
    names, results = function.name_in(), function.name_out()
    inputs = function.sx_in()
    outputs = [ca.densify(each) for each in function.call(inputs)]
    cotangents = [
        ca.SX.sym(COTANGENT + name, each.numel()) for name, each in zip(results, outputs, strict=True)
    ]
    gradient = ca.jtimes(ca.vertcat(*outputs), ca.vertcat(*inputs), ca.vertcat(*cotangents), True)
    ends = [sum(each.numel() for each in inputs[:k]) for k in range(len(inputs) + 1)]
    pullback = ca.Function(
        f"{function.name()}_pullback",
        [*inputs, *cotangents],
        ca.vertsplit(ca.densify(gradient), ends),
        [*names, *(COTANGENT + name for name in results)],
        [GRADIENT + name for name in names],
    )
    return pullback, tuple((each.numel(),) for each in inputs)
