"""What the methods of every kind of robot share: named inputs, options, and outputs with shapes.

A method has inputs (the state), options that shape its expression, and run-time inputs (gravity, a
wrench) that are constants or absent unless asked for. Each kind of robot has a table of methods, whose
expressions are taken from its dynamics object.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import casadi as ca

from linkwork.mechanics.expressions import SX, stack

Shape = tuple[int, ...]
Symbols = dict[str, SX]
Outputs = dict[str, tuple[SX, Shape]]
Expression = tuple[ca.Function, tuple[Shape, ...]]


class HasRuntime(Protocol):
    """Options of a method, of any kind of robot."""

    @property
    def runtime(self) -> tuple[str, ...]: ...


Dynamics = TypeVar("Dynamics", contravariant=True)
Options = TypeVar("Options", bound=HasRuntime, contravariant=True)


@dataclass(frozen=True)
class Method(Generic[Dynamics, Options]):
    """A computable quantity: its inputs, how to express it, and what may be chosen."""

    inputs: tuple[str, ...]
    express: Callable[[Dynamics, Symbols, Options], Outputs]
    options: tuple[str, ...] = ()
    runtime: tuple[str, ...] = ()
    formulations: tuple[str, ...] = ()


def express_method(
    name: str,
    method: Method[Dynamics, Options],
    options: Options,
    sizes: Mapping[str, int],
    dynamics: Callable[[Symbols], Dynamics],
    parameters: Symbols | None = None,
) -> Expression:
    """The CasADi function of a method and the shapes of its outputs.

    Args:
        sizes: of every input by name.
        dynamics: makes the robot's dynamics object from the symbols of the inputs.
        parameters: symbols among the robot's own numbers, which become inputs after all others.
    """
    symbols = {key: SX.sym(key, sizes[key]) for key in (*method.inputs, *options.runtime)}
    outputs = method.express(dynamics(symbols), symbols, options)
    symbols |= parameters or {}
    function = ca.Function(
        name,
        list(symbols.values()),
        [stack([value]) for value, _ in outputs.values()],
        list(symbols),
        list(outputs),
    )
    return function, tuple(shape for _, shape in outputs.values())
