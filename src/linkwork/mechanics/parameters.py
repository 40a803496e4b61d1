"""Robots some of whose numbers are inputs: chosen fields become symbols."""

from __future__ import annotations

from typing import Any, TypeVar

import casadi as ca

from linkwork.mechanics.expressions import SX
from linkwork.robots.fields import Algebra, Field, field_of, with_values

Model = TypeVar("Model")


def _array(value: list[Any]) -> SX:
    rows = [ca.horzcat(*row) if isinstance(row, list) else row for row in value]
    return SX(ca.vertcat(*rows))


EXPRESSIONS = Algebra(_array, ca.cos, ca.sin)


def parameter_fields(model: Any, names: tuple[str, ...]) -> tuple[Field, ...]:
    """The fields of a kernel's parameters, in their order."""
    return tuple(field_of(model, name) for name in names)


def symbolic(model: Model, names: tuple[str, ...]) -> tuple[Model, dict[str, SX]]:
    """The robot with symbols in the fields of these names, and the symbols by identifier."""
    symbols = {field: SX.sym(field.identifier, field.size) for field in parameter_fields(model, names)}
    changed: Model = with_values(model, symbols, EXPRESSIONS)
    return changed, {field.identifier: symbol for field, symbol in symbols.items()}
