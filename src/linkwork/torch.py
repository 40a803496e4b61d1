"""Dynamics of robots as operators of PyTorch: `dynamics(robot).inverse_dynamics(q, qd, qdd)`.

Tensors in, tensors out, on the CPU, with exact first and second derivatives from compiled kernels. All
is one operator of `torch.library`, `linkwork::evaluate`, which torch.compile, vmap and autograd know.
Plain tensors outside of them go straight to the kernel: an operator in Python costs the dispatcher more
than a small kernel takes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from linkwork.core.errors import InputError
from linkwork.operators.methods import DynamicsOperators
from linkwork.operators.operations import Operation, Operations
from linkwork.robot.compiled import Errors
from linkwork.robot.robot import Robot

try:
    import torch
except ImportError as error:
    raise ImportError('linkwork.torch needs PyTorch: pip install "linkwork[torch]".') from error

from torch import Tensor

__all__ = ["Dynamics", "dynamics"]


def dynamics(
    robot: Robot,
    *,
    parameters: Sequence[str] = (),
    friction: bool = True,
    rotors: bool = True,
    errors: Errors = "raise",
) -> Dynamics:
    """The dynamics of a robot on tensors.

    Args:
        parameters: fields of the robot file that become inputs and can be learned, as in
            `robot.kernel`: "links[5].mass", "links[0].friction.viscous".
        friction, rotors: whether joints have them.
        errors: "raise" makes a non-finite number an error, "nan" fills its rows with NaN.
    """
    return Dynamics(Operations.of(robot, parameters, friction, rotors, errors))


class Dynamics(DynamicsOperators[Tensor]):
    """Methods of one robot as differentiable functions of tensors, all float64 or all float32."""

    def _run(
        self,
        method: str,
        states: Sequence[Tensor],
        optional: Mapping[str, Tensor | None],
        parameters: Mapping[str, Tensor] | None,
    ) -> tuple[Tensor, ...]:
        values = {name: value for name, value in optional.items() if value is not None}
        learned = tuple(parameters) if parameters else ()
        names = tuple(values)
        if parameters:
            values.update(parameters)
        tensors = (*states, *values.values())
        for tensor in tensors:
            if not isinstance(tensor, Tensor) or not tensor.is_cpu:
                found = tensor.device if isinstance(tensor, Tensor) else type(tensor).__name__
                raise InputError(f"{method}: expected tensors of the CPU, got {found}.")
        size = states[0].size(-1) if states[0].ndim else 0
        asked = (method, size, names, learned, tuple([tensor.dtype for tensor in tensors]))
        if torch.compiler.is_compiling():
            number, order = self._numbered(*asked)
            inputs = [*states, *[_vector(values[name]) for name in order]]
            return tuple(torch.ops.linkwork.evaluate.default(number, inputs))
        operation, order = self.operations.plan(*asked)
        inputs = [*states, *[_vector(values[name]) for name in order]]
        operation.check_sizes([each.size(-1) if each.ndim else 0 for each in inputs])
        return evaluate(operation, inputs)

    @torch.compiler.assume_constant_result
    def _numbered(self, *asked: Any) -> tuple[int, tuple[str, ...]]:
        """The number of the operation: nothing of how it is made is for a compiler to see."""
        operation, order = self.operations.plan(*asked)
        return _number(operation), order

    def _scalar(self, value: Any, like: Tensor) -> Tensor:
        return _vector(torch.as_tensor(value, dtype=like.dtype))


def _vector(value: Tensor) -> Tensor:
    """A number as the row that kernels take."""
    return value if value.ndim else value[None]


# Operations by the number that stands for each in the operator; compiled graphs may live for ever.
_operations: list[Operation] = []
_numbers: dict[Operation, int] = {}


def _number(operation: Operation) -> int:
    if operation not in _numbers:
        _numbers[operation] = len(_operations)
        _operations.append(operation)
    return _numbers[operation]


def evaluate(operation: Operation, inputs: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """Results of an operation, which gradients go through."""
    if any(type(each) not in PLAIN for each in inputs):  # tensors without numbers, while tracing
        return tuple(torch.ops.linkwork.evaluate.default(_number(operation), list(inputs)))
    if torch._C._are_functorch_transforms_active():
        return _Transformed.apply(operation, *inputs)
    if torch.is_grad_enabled() and any(each.requires_grad for each in inputs):
        return _Function.apply(operation, *inputs)
    return _computed(operation, inputs)


PLAIN = (Tensor, torch.nn.Parameter)


def _computed(operation: Operation, inputs: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """By the kernel; results are arrays of NumPy, whose memory tensors share."""
    found = operation.evaluate(
        [(each.detach() if each.requires_grad else each).numpy() for each in inputs]
    )
    return tuple([torch.from_numpy(each) for each in found])


def _gradients(
    operation: Operation, inputs: Sequence[Tensor], cotangents: Sequence[Tensor | None]
) -> list[Tensor]:
    """By every input; where an input serves several states, the sum over these."""
    batch = torch.broadcast_shapes(*(each.shape[:-1] for each in inputs))
    sizes = [math.prod(shape) for shape in operation.shapes]
    rows = [
        inputs[0].new_zeros(size) if each is None else each.reshape(*batch, size)
        for each, size in zip(cotangents, sizes, strict=True)
    ]
    found = evaluate(operation.pullback, [*inputs, *rows])
    return [each.sum_to_size(x.shape) for each, x in zip(found, inputs, strict=False)]


def _in_front(inputs: Sequence[Tensor], dimensions: Sequence[int | None]) -> list[Tensor]:
    """With the axis of a vmap in front of all batch axes."""
    pairs = list(zip(inputs, dimensions, strict=True))
    axes = max(each.ndim - (at is not None) for each, at in pairs)
    moved = []
    for each, at in pairs:
        if at is not None:
            front = each.movedim(at, 0)
            missing = (1,) * (axes + 1 - front.ndim)
            each = front.reshape(front.shape[0], *missing, *front.shape[1:])
        moved.append(each)
    return moved


class _Function(torch.autograd.Function):
    """For plain tensors: the short way through autograd."""

    @staticmethod
    def forward(ctx: Any, operation: Operation, *inputs: Tensor) -> tuple[Tensor, ...]:
        ctx.operation = operation
        ctx.save_for_backward(*inputs)
        ctx.set_materialize_grads(False)
        return _computed(operation, inputs)

    @staticmethod
    def backward(ctx: Any, *cotangents: Tensor | None) -> tuple[Tensor | None, ...]:
        return None, *_gradients(ctx.operation, ctx.saved_tensors, cotangents)


class _Transformed(torch.autograd.Function):
    """For the transforms of torch.func, each of which handles one level and calls the next."""

    @staticmethod
    def forward(operation: Operation, *inputs: Tensor) -> tuple[Tensor, ...]:
        return evaluate(operation, inputs)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, ...]) -> None:
        ctx.operation = inputs[0]
        ctx.save_for_backward(*inputs[1:])

    @staticmethod
    def backward(ctx: Any, *cotangents: Tensor | None) -> tuple[Tensor | None, ...]:
        return None, *_gradients(ctx.operation, ctx.saved_tensors, cotangents)

    @staticmethod
    def vmap(
        info: Any, dimensions: tuple[int | None, ...], operation: Operation, *inputs: Tensor
    ) -> tuple[tuple[Tensor, ...], int]:
        return evaluate(operation, _in_front(inputs, dimensions[1:])), 0


# The operator, for everything else.

_library = torch.library.Library("linkwork", "DEF")
_library.define("evaluate(int operation, Tensor[] inputs) -> Tensor[]")


def _on_cpu(operation: int, inputs: list[Tensor]) -> list[Tensor]:
    return list(_computed(_operations[operation], inputs))


def _shaped(operation: int, inputs: list[Tensor]) -> list[Tensor]:
    """Results without numbers, for tracing."""
    _operations[operation].check_sizes([each.size(-1) if each.ndim else 0 for each in inputs])
    batch = torch.broadcast_shapes(*(each.shape[:-1] for each in inputs))
    return [inputs[0].new_empty((*batch, *shape)) for shape in _operations[operation].shapes]


def _save(ctx: Any, inputs: tuple[int, list[Tensor]], output: list[Tensor]) -> None:
    ctx.operation = inputs[0]
    ctx.save_for_backward(*inputs[1])


def _pull_back(ctx: Any, cotangents: list[Tensor | None]) -> tuple[None, list[Tensor]]:
    return None, _gradients(_operations[ctx.operation], ctx.saved_tensors, cotangents)


def _vectorized(
    info: Any, dimensions: tuple[None, list[int | None]], operation: int, inputs: list[Tensor]
) -> tuple[list[Tensor], list[int]]:
    found = evaluate(_operations[operation], _in_front(inputs, dimensions[1]))
    return list(found), [0] * len(found)


_library.impl("evaluate", _on_cpu, "CPU")
torch.library.register_fake("linkwork::evaluate", _shaped, lib=_library)
torch.library.register_autograd("linkwork::evaluate", _pull_back, setup_context=_save, lib=_library)
torch.library.register_vmap("linkwork::evaluate", _vectorized, lib=_library)
