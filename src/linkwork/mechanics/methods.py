"""What the methods of every kind of robot share: named inputs, options, and outputs with shapes.

A method has inputs (the state), options that shape its expression, and run-time inputs (gravity, a
wrench) that are constants or absent unless asked for. Each kind of robot has a table of methods, whose
expressions are taken from its dynamics object.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import casadi as ca

from linkwork.mechanics.expressions import SX, stack
from linkwork.mechanics.published.stepwise import Deviations
from linkwork.model.fields import Field, field_of, with_values
from linkwork.model.geometry import Algebra, Values

if TYPE_CHECKING:
    from linkwork.model.robot_files import Model

Shape = tuple[int, ...]
Symbols = dict[str, SX]
Outputs = dict[str, tuple[SX, Shape]]
Expression = tuple[ca.Function, tuple[Shape, ...]]


@dataclass(frozen=True)
class Options:
    """What is folded into an expression, of any kind of robot.

    Args:
        size: of the position, which has quaternions or angles; an arm's is the number of its joints.
        runtime: the optional inputs that the kernel takes.
        friction, rotors: whether joints have them.
        gravity: replaces the robot's own.
        body: the body that is asked about; None is the tool.
        link: the index of an arm's link that is asked about; None is the last.
        formulation: of an arm, by which equations; None is the fastest.
        deviations: of a platform, those of a published model; None is exact.
        parameters: fields of the robot that are inputs.
    """

    size: int = 0
    runtime: tuple[str, ...] = ()
    friction: bool = True
    rotors: bool = True
    gravity: tuple[float, float, float] | None = None
    body: str | None = None
    link: int | None = None
    formulation: str | None = None
    deviations: Deviations | None = None
    parameters: tuple[str, ...] = ()


Dynamics = TypeVar("Dynamics", contravariant=True)


@dataclass(frozen=True)
class Method(Generic[Dynamics]):
    """A computable quantity: its inputs, how to express it, and what may be chosen."""

    inputs: tuple[str, ...]
    express: Callable[[Dynamics, Symbols, Options], Outputs]
    options: tuple[str, ...] = ()
    runtime: tuple[str, ...] = ()
    formulations: tuple[str, ...] = ()


Methods = Mapping[str, Method[Any]]  # by name; each takes the dynamics of its kind of robot


def express_method(
    name: str,
    method: Method[Dynamics],
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


AnyModel = TypeVar("AnyModel", bound="Model")


def _array(value: list[Values]) -> SX:
    rows = [ca.horzcat(*row) if isinstance(row, list) else row for row in value]
    return SX(ca.vertcat(*rows))


EXPRESSIONS = Algebra(_array, ca.cos, ca.sin)


def parameter_fields(model: Model, names: tuple[str, ...]) -> tuple[Field, ...]:
    """The fields of a kernel's parameters, in their order."""
    return tuple(field_of(model, name) for name in names)


def symbolic(model: AnyModel, names: tuple[str, ...]) -> tuple[AnyModel, dict[str, SX]]:
    """The robot with symbols in the fields of these names, and the symbols by identifier."""
    symbols = {field: SX.sym(field.identifier, field.size) for field in parameter_fields(model, names)}
    changed = with_values(model, symbols, EXPRESSIONS)
    return changed, {field.identifier: symbol for field, symbol in symbols.items()}
