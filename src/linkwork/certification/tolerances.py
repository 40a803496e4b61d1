"""Numbers of a robot known between bounds only: fields of its file, what its tool carries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import casadi as ca
import numpy as np

from linkwork.certification.boxes import Array
from linkwork.core.errors import InputError
from linkwork.mechanics.expressions import SX
from linkwork.mechanics.methods import EXPRESSIONS
from linkwork.mechanics.snapshot import PAYLOAD
from linkwork.model.fields import Field, field_of, value_of, with_values
from linkwork.robot.robot import Robot

Given = Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class Tolerances:
    """Fields of the robot file, then the mass [kg] of a payload at the tool's origin if there is one.

    `ends` are lowest and highest values (2, m) of all their numbers.
    """

    fields: tuple[Field, ...] = ()
    payload: bool = False
    ends: Array = field(default_factory=lambda: np.empty((2, 0)))

    def __len__(self) -> int:
        return self.ends.shape[1]

    @property
    def names(self) -> tuple[str, ...]:
        """Of the fields."""
        return tuple(each.name for each in self.fields)

    @property
    def labels(self) -> tuple[str, ...]:
        """Of all numbers."""
        found = [
            each.name if each.size == 1 else f"{each.name}[{k}]"
            for each in self.fields
            for k in range(each.size)
        ]
        return (*found, *((PAYLOAD,) if self.payload else ()))

    @property
    def weights(self) -> Array:
        """By which widths are compared with those of coordinates: of the greatest number of a field."""
        size = np.abs(self.ends).max(axis=0, initial=0.0)
        start = 0
        for each in self.fields:
            part = slice(start, start + each.size)
            size[part], start = size[part].max(), start + each.size
        return np.asarray(1 / np.maximum(size, 1e-9))

    def symbols(self, numbers: SX) -> dict[str, SX]:
        """Numbers (m,) by the names of inputs of kernels."""
        sizes = [each.size for each in self.fields] + [1] * self.payload
        names = [each.identifier for each in self.fields] + [PAYLOAD] * self.payload
        parts = ca.vertsplit(numbers, [0, *np.cumsum(sizes).tolist()]) if names else []
        return dict(zip(names, parts, strict=True))

    def model(self, robot: Robot, numbers: SX) -> Any:
        """The robot's description with these numbers."""
        given = self.symbols(numbers)
        values = {each: given[each.identifier] for each in self.fields}
        return with_values(robot.model, values, EXPRESSIONS)

    def plain(self) -> dict[str, list[list[float]]]:
        """Lowest and highest numbers by name, as certificates have them."""
        found, start = {}, 0
        for name, size in (*((each.name, each.size) for each in self.fields), (PAYLOAD, self.payload)):
            if size:
                found[name] = self.ends[:, start : start + size].tolist()
                start += int(size)
        return found


def tolerances_of(robot: Robot, given: Given | None) -> Tolerances:
    """{"platform.mass": 0.5} is half a kilogram more or less than the file's, in each of its numbers;
    {"platform.mass": [39, 41]} and {"payload": [0, 10]} are lowest and highest values."""
    if given is None:
        return Tolerances()
    if not isinstance(given, Mapping):
        raise InputError(
            f"tolerances = {given!r}: expected values by field, such as platform.mass: 0.5."
        )
    fields, ends = [], []
    for name in sorted(given, key=lambda each: each == PAYLOAD):
        value, own = given[name], np.zeros(1)
        if name != PAYLOAD:
            fields.append(field_of(robot.model, name))
            own = value_of(robot.model, fields[-1])
        ends.append(_ends(str(name), value, own))
    return Tolerances(tuple(fields), PAYLOAD in given, np.hstack(ends) if ends else np.empty((2, 0)))


def _ends(name: str, value: object, own: Array) -> Array:
    try:
        numbers = np.asarray(value, dtype=np.float64)
        if numbers.shape == () and name != PAYLOAD and numbers >= 0:
            numbers = np.stack([own - numbers, own + numbers])
        numbers = np.stack([np.broadcast_to(end, own.shape) for end in numbers])
    except (TypeError, ValueError):
        numbers = np.empty(0)
    ordered = numbers.shape == (2, len(own)) and bool((numbers[0] <= numbers[1]).all())
    if not (ordered and np.isfinite(numbers).all()):
        raise InputError(
            f"tolerances: {name} = {value!r}: expected lowest and highest values, such as [39, 41]"
            + ("." if name == PAYLOAD else ", or one number above 0, by how much it may differ.")
        )
    return numbers
