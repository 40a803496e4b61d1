"""Dynamics of robots as operators of JAX: `dynamics(robot).inverse_dynamics(q, qd, qdd)`.

XLA calls the machine code of kernels by itself, through typed handlers of its foreign function interface
(`operators/xla.py`): no Python is between them, and all works under jit, vmap and grad. Derivatives are
those of reverse mode, exact, of first and second order; forward mode (jvp, jacfwd, hessian) JAX refuses.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Mapping, Sequence
from typing import Any

from linkwork.core.errors import InputError
from linkwork.operators.methods import DynamicsOperators
from linkwork.operators.operations import Operation, Operations
from linkwork.operators.xla import HANDLER, handled_by_xla, interface_version
from linkwork.robot.compiled import Errors
from linkwork.robot.robot import Robot

try:
    import jax
    import jax.numpy as jnp
except ImportError as error:
    raise ImportError('linkwork.jax needs JAX: pip install "linkwork[jax]".') from error

from jax import Array

__all__ = ["Dynamics", "dynamics"]


def dynamics(
    robot: Robot,
    *,
    parameters: Sequence[str] = (),
    friction: bool = True,
    rotors: bool = True,
    errors: Errors = "raise",
) -> Dynamics:
    """The dynamics of a robot on JAX's arrays, in their precision (`jax_enable_x64` allows float64).

    Args:
        parameters: fields of the robot file that become inputs and can be learned, as in
            `robot.kernel`: "links[5].mass", "links[0].friction.viscous".
        friction, rotors: whether joints have them.
        errors: "raise" makes a non-finite number an error of JAX's runtime, "nan" lets it through.
    """
    lowering = handled_by_xla(interface_version(jax.ffi.include_dir()))
    return Dynamics(Operations.of(robot, parameters, friction, rotors, errors, lowering))


class Dynamics(DynamicsOperators[Array]):
    """Methods of one robot as differentiable functions of arrays, all float64 or all float32."""

    def _run(
        self,
        method: str,
        states: Sequence[Array],
        optional: Mapping[str, Array | None],
        parameters: Mapping[str, Array] | None,
    ) -> tuple[Array, ...]:
        values = {name: value for name, value in optional.items() if value is not None}
        names, learned = tuple(values), tuple(parameters or ())
        values |= parameters or {}
        values = {name: jnp.asarray(value) for name, value in values.items()}
        states = [jnp.asarray(each) for each in states]
        size = states[0].shape[-1] if states[0].ndim else 0
        dtypes = tuple(str(each.dtype) for each in (*states, *values.values()))
        operation, order = self.operations.plan(method, size, names, learned, dtypes)
        inputs = [*states, *(values[name].reshape(values[name].shape or (1,)) for name in order)]
        operation.check_sizes([each.shape[-1] if each.ndim else 0 for each in inputs])
        try:
            batch = jnp.broadcast_shapes(*(each.shape[:-1] for each in inputs))
        except ValueError:
            listed = ", ".join(
                f"{name} {each.shape}"
                for name, each in zip(operation.kernel.inputs, inputs, strict=True)
            )
            raise InputError(f"the batch shapes do not fit together: {listed}.") from None
        rows = [jnp.broadcast_to(each, (*batch, each.shape[-1])) for each in inputs]
        return _differentiable(operation, self.operations.errors == "raise")(*rows)

    def _scalar(self, value: Any, like: Array) -> Array:
        return jnp.atleast_1d(jnp.asarray(value, dtype=jnp.asarray(like).dtype))


_functions: dict[tuple[Operation, bool], Any] = {}  # code that XLA knows must stay
_targets: dict[Operation, str] = {}


def _target(operation: Operation) -> str:
    """The name under which XLA knows the code of an operation."""
    if operation not in _targets:
        code = operation.kernel.code
        name = f"linkwork.{operation.name}.{len(_targets)}"
        handler = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)(code.address(HANDLER))
        jax.ffi.register_ffi_target(name, jax.ffi.pycapsule(handler), platform="cpu")
        _targets[operation] = name
    return _targets[operation]


def _computed(operation: Operation, strict: bool, rows: Sequence[Array]) -> tuple[Array, ...]:
    """By the kernel, for arrays of one batch shape."""
    *batch, _ = rows[0].shape
    shapes = [jax.ShapeDtypeStruct((*batch, *each), rows[0].dtype) for each in operation.shapes]
    call = jax.ffi.ffi_call(_target(operation), shapes, vmap_method="broadcast_all")
    return tuple(call(*rows, **({"strict": True} if strict else {})))


def _differentiable(operation: Operation, strict: bool) -> Any:
    """The operation as a function with a rule for reverse mode: that of its pullback."""
    key = operation, strict
    if key not in _functions:

        @jax.custom_vjp
        def function(*rows: Array) -> tuple[Array, ...]:
            return _computed(operation, strict, rows)

        def forward(*rows: Array) -> tuple[tuple[Array, ...], tuple[Array, ...]]:
            return function(*rows), rows

        def backward(rows: tuple[Array, ...], cotangents: tuple[Array, ...]) -> tuple[Array, ...]:
            *batch, _ = rows[0].shape
            flat = [
                each.reshape(*batch, math.prod(shape))
                for each, shape in zip(cotangents, operation.shapes, strict=True)
            ]
            # What is not finite in the function has been told; in cotangents it may be meant.
            return tuple(_differentiable(operation.pullback, False)(*rows, *flat)[: len(rows)])

        function.defvjp(forward, backward)
        _functions[key] = function
    return _functions[key]
