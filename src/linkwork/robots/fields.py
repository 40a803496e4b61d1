"""Fields of a robot by name, as in its file: `platform.mass`, `legs[0].base_point`, `links.elbow.mass`.

They may be numbers, for one robot after another, or expressions, for kernels with parameters.
A field of all legs is `legs.base_point`, one row per leg; `leg_defaults.lower.mass` is one value that
all legs share.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from linkwork.errors import InputError
from linkwork.names import one_of
from linkwork.robots.field_layouts import Members, Path, layout_of
from linkwork.robots.geometry import Array, Body, frozen
from linkwork.robots.hexagon import leg_places
from linkwork.robots.platform import PlatformModel

# Numbers that a robot file refuses below zero, and at zero.
NOT_NEGATIVE = (
    *("mass", "axial", "across", "viscous", "universal", "prismatic", "spherical"),
    *("coulomb", "coulomb_forward"),
)
POSITIVE = ("base_radius", "platform_radius", "height", "stiffness")
SEPARATORS = re.compile(r"[.\[\]]+")


@dataclass(frozen=True)
class Field:
    """A place in a robot's description.

    `attribute` is the list of the model whose parts have it, `owners` which of them and `inside` the way
    to it in each; None is the robot itself, which has it at `path`. `shared` is one value for all
    owners. `size` counts all its numbers.
    """

    name: str
    path: Path
    each: int
    attribute: str | None = None
    owners: tuple[int, ...] = ()
    inside: tuple[Path, ...] = ()
    shared: bool = False

    @property
    def size(self) -> int:
        return self.each if self.attribute is None or self.shared else self.each * len(self.owners)

    @property
    def identifier(self) -> str:
        """The name as one word, such as `legs_0_base_point`."""
        return "_".join(step for step in SEPARATORS.split(self.name) if step)


def field_names(model: Any) -> list[str]:
    """All fields that may be parameters; members of lists by the list's name, where all have them."""
    layout = layout_of(model)
    names = [".".join(path) for path in layout.own]
    for owner, members in layout.lists.items():
        common = members.common
        names += [".".join((owner, *path)) for path in common]
        for name, places in zip(members.names, members.places, strict=True):
            names += [".".join((owner, name, *path)) for path in places if path not in common]
    return names


def field_of(model: Any, name: str) -> Field:
    """The field that a name means, or an InputError that lists what there is."""
    if not isinstance(name, str):
        raise InputError(f"field {name!r} is not a name such as platform.mass.")
    layout = layout_of(model)
    steps = tuple(step for step in SEPARATORS.split(name.strip()) if step)
    if steps in layout.own:
        return Field(name, steps, layout.own[steps].size)
    if steps and steps[0] in layout.lists:
        return _member(model, name, steps, layout.lists[steps[0]])
    one_of(name, field_names(model), f"field of {model.name}")
    raise AssertionError


def _member(model: Any, name: str, steps: Path, members: Members) -> Field:
    rest, names = steps[1:], members.names
    owners = tuple(range(len(names)))
    if not members.shared and rest:
        if rest[0].isdigit() and int(rest[0]) < len(names):
            owners, rest = (int(rest[0]),), rest[1:]
        elif rest[0] in names:
            owners, rest = (names.index(rest[0]),), rest[1:]
        elif rest[0] == "*":
            rest = rest[1:]
    known = members.common if len(owners) > 1 else list(members.places[owners[0]])
    if rest not in known:
        one_of(
            ".".join(rest), [".".join(path) for path in known], f"field of {steps[0]} of {model.name}"
        )
    places = [members.places[k][rest] for k in owners]
    inside = tuple(place.inside for place in places)
    return Field(name, rest, places[0].size, members.attribute, owners, inside, members.shared)


def value_of(model: Any, field: Field) -> Array:
    """The numbers of a field, (size,)."""
    if field.attribute is None:
        return _flat(_got(model, field.path))
    parts = getattr(model, field.attribute)
    values = [_flat(_got(parts[k], way)) for k, way in zip(field.owners, field.inside, strict=True)]
    return values[0] if field.shared else np.concatenate(values)


def check_range(field: Field, value: Array) -> None:
    """An InputError for numbers that a robot file would refuse in this field."""
    last = field.path[-1]
    rotor = field.path in (("rotor", "inertia"), ("rotor",))
    spring = "spring" in field.path[0] or field.attribute == "springs"  # a file's may be negative
    if last in POSITIVE and not spring and not (value > 0).all():
        raise InputError(f"{field.name} = {value.tolist()}: allowed are numbers above 0.")
    if (last in NOT_NEGATIVE or rotor) and not (value >= 0).all():
        raise InputError(f"{field.name} = {value.tolist()}: allowed are numbers >= 0.")


class Algebra(NamedTuple):
    """How values are put together: of numbers, or of expressions."""

    array: Callable[[Any], Any]  # from nested lists
    cos: Callable[[Any], Any]
    sin: Callable[[Any], Any]


NUMBERS = Algebra(frozen, math.cos, math.sin)


def with_values(model: Any, values: Mapping[Field, Any], algebra: Algebra = NUMBERS) -> Any:
    """The robot with other values in some fields, (size,) each: arrays, or expressions."""
    if not values:
        return model
    of_parts = any(field.attribute is not None for field in values)
    model = layout_of(model).prepared(model, of_parts)
    hexagon = [field for field in values if field.path[0] == "geometry"]
    for field in (*hexagon, *(field for field in values if field not in hexagon)):
        model = _put_field(model, field, values[field], algebra)
        if hexagon and field is hexagon[-1]:
            model = on_hexagon(model, algebra)
    return model


def on_hexagon(model: PlatformModel, algebra: Algebra = NUMBERS) -> PlatformModel:
    """The platform with the ends of its legs, and its home, where its geometry has them."""
    assert model.geometry is not None
    places = leg_places(model.geometry, algebra.cos, algebra.sin)
    legs = tuple(
        replace(leg, **{name: algebra.array(list(value)) for name, value in place._asdict().items()})
        for leg, place in zip(model.legs, places, strict=True)
    )
    home = algebra.array([0.0, 0.0, model.geometry.height, 0.0, 0.0, 0.0])
    return replace(model, legs=legs, home=home)


def _put_field(model: Any, field: Field, value: Any, algebra: Algebra) -> Any:
    if field.attribute is None:
        return _put(model, field.path, value, algebra)
    parts = list(getattr(model, field.attribute))
    for number, (k, way) in enumerate(zip(field.owners, field.inside, strict=True)):
        start = 0 if field.shared else number * field.each
        parts[k] = _put(parts[k], way, value[start : start + field.each], algebra)
    return replace(model, **{field.attribute: tuple(parts)})


def _got(part: Any, path: Path) -> Any:
    for step in path:
        part = part[int(step)] if step.isdigit() else getattr(part, step)
    return part


def _flat(value: Any) -> Array:
    array = np.asarray(value, dtype=np.float64)
    if array.shape == (3, 3):
        return array[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
    return array.reshape(-1)


def _put(part: Any, path: Path, value: Any, algebra: Algebra) -> Any:
    first, rest = path[0], path[1:]
    if first.isdigit():
        return algebra.array([value[0] if k == int(first) else part[k] for k in range(3)])
    if rest:
        return replace(part, **{first: _put(getattr(part, first), rest, value, algebra)})
    return replace(part, **{first: _shaped(part, first, value, algebra)})


def _shaped(part: Any, name: str, value: Any, algebra: Algebra) -> Any:
    """The flat numbers of a field in the form that the description has."""
    if name == "inertia" and isinstance(part, Body):
        xx, yy, zz, xy, xz, yz = (value[k] for k in range(6))
        return algebra.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    if isinstance(getattr(part, name), np.ndarray):
        size = sum(value[k] ** 2 for k in range(3)) ** 0.5 if name == "fixed_axis" else 1
        return algebra.array([value[k] / size for k in range(3)])
    return float(value[0]) if isinstance(value, np.ndarray) else value[0]
