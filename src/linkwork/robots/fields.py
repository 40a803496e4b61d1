"""Fields of a robot by name, as in its file: `platform.mass`, `legs[0].base_point`, `links.elbow.mass`.

They may be numbers, for one robot after another, or expressions, for kernels with parameters.
A field of all legs is `legs.base_point`, one row per leg; `leg_defaults.lower.mass` is one value that
all legs share.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from functools import singledispatch
from typing import Any, NamedTuple

import numpy as np

from linkwork.errors import InputError
from linkwork.names import one_of
from linkwork.robots.arm import ArmModel, Joint
from linkwork.robots.denavit_hartenberg import length_places
from linkwork.robots.geometry import Array, Body, frozen
from linkwork.robots.hexagon import Hexagon, leg_places
from linkwork.robots.platform import PlatformModel

Path = tuple[str, ...]
BODY = {"mass": 1, "center_of_mass": 3, "inertia": 6}  # an inertia as xx yy zz xy xz yz
# Numbers that a robot file refuses below zero, and at zero.
NOT_NEGATIVE = ("mass", "viscous", "universal", "prismatic", "spherical", "coulomb", "coulomb_forward")
POSITIVE = ("base_radius", "platform_radius", "height", "stiffness")
SEPARATORS = re.compile(r"[.\[\]]+")


@dataclass(frozen=True)
class Field:
    """A place in a robot's description.

    `owners` are the legs or links that have it, None is the robot itself; `shared` is one value for
    all owners. `size` counts all its numbers.
    """

    name: str
    path: Path
    each: int
    owners: tuple[int, ...] | None = None
    shared: bool = False

    @property
    def size(self) -> int:
        return self.each if self.owners is None or self.shared else self.each * len(self.owners)

    @property
    def identifier(self) -> str:
        """The name as one word, such as `legs_0_base_point`."""
        return "_".join(step for step in SEPARATORS.split(self.name) if step)


def _bodies(*owners: str) -> dict[Path, int]:
    return {(owner, name): size for owner in owners for name, size in BODY.items()}


def _leg_fields(model: PlatformModel) -> dict[Path, int]:
    ends: dict[Path, int] = {("base_point",): 3, ("platform_point",): 3, ("fixed_axis",): 3}
    friction: dict[Path, int] = {("friction", part.name): 1 for part in fields(model.legs[0].friction)}
    return {**ends, **_bodies("lower", "upper"), **friction, ("stiffness",): 1}


def _link_fields(model: ArmModel) -> dict[Path, int]:
    body: dict[Path, int] = {(name,): size for name, size in BODY.items()}
    friction: dict[Path, int] = {("friction", part.name): 1 for part in fields(model.joints[0].friction)}
    table = all(length_places(joint) for joint in model.joints)
    lengths: dict[Path, int] = {("a",): 1, ("d",): 1} if table else {}
    return {**lengths, **body, **friction, ("rotor", "inertia"): 1, ("stiffness",): 1}


def _hexagon_fields() -> dict[Path, int]:
    return {("geometry", part.name): 1 for part in fields(Hexagon)}


@singledispatch
def _layout(model: Any) -> tuple[dict[Path, int], dict[str, dict[Path, int]], tuple[str, ...]]:
    """Fields of the robot itself; of every member of its lists; and the names of the members."""
    raise InputError(
        f"{model.name}: fields of such robots cannot be parameters; arms and platforms have them."
    )


@_layout.register
def _(
    model: PlatformModel,
) -> tuple[dict[Path, int], dict[str, dict[Path, int]], tuple[str, ...]]:
    own = {("gravity",): 3, **_bodies("platform")}
    if model.geometry is not None:
        own |= _hexagon_fields()
    legs = _leg_fields(model)
    shared = {path: size for path, size in legs.items() if not path[0].endswith("_point")}
    return own, {"legs": legs, "leg_defaults": shared}, model.leg_names


@_layout.register
def _(model: ArmModel) -> tuple[dict[Path, int], dict[str, dict[Path, int]], tuple[str, ...]]:
    return {("gravity",): 3}, {"links": _link_fields(model)}, model.joint_names


def field_names(model: Any) -> list[str]:
    """All fields that may be parameters; members of lists by the list's name."""
    own, members, _ = _layout(model)
    names = [".".join(path) for path in own]
    return names + [".".join((owner, *path)) for owner, part in members.items() for path in part]


def field_of(model: Any, name: str) -> Field:
    """The field that a name means, or an InputError that lists what there is."""
    if not isinstance(name, str):
        raise InputError(f"field {name!r} is not a name such as platform.mass.")
    own, members, names = _layout(model)
    steps = tuple(step for step in SEPARATORS.split(name.strip()) if step)
    if steps in own:
        return Field(name, steps, own[steps])
    if steps and steps[0] in members:
        return _member(model, name, steps, members[steps[0]], names)
    one_of(name, field_names(model), f"field of {model.name}")
    raise AssertionError


def _member(model: Any, name: str, steps: Path, known: dict[Path, int], names: tuple[str, ...]) -> Field:
    rest, everybody = steps[1:], tuple(range(len(names)))
    owners = everybody
    if steps[0] != "leg_defaults" and rest:
        if rest[0].isdigit() and int(rest[0]) < len(names):
            owners, rest = (int(rest[0]),), rest[1:]
        elif rest[0] in names:
            owners, rest = (names.index(rest[0]),), rest[1:]
        elif rest[0] == "*":
            rest = rest[1:]
    if rest not in known:
        one_of(
            ".".join(rest), [".".join(path) for path in known], f"field of {steps[0]} of {model.name}"
        )
    return Field(name, rest, known[rest], owners, steps[0] == "leg_defaults")


def value_of(model: Any, field: Field) -> Array:
    """The numbers of a field, (size,)."""
    if field.owners is None:
        return _flat(_got(model, field.path))
    owners = field.owners[:1] if field.shared else field.owners
    parts = _parts(model)
    return np.concatenate([_flat(_got(parts[k], _inside(parts[k], field.path))) for k in owners])


def check_range(field: Field, value: Array) -> None:
    """An InputError for numbers that a robot file would refuse in this field."""
    last = field.path[-1]
    rotor = field.path == ("rotor", "inertia")
    if last in POSITIVE and not (value > 0).all():
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
    if isinstance(model, ArmModel):
        if model.tool.moves and any(field.owners is not None for field in values):
            raise InputError(
                f"{model.name} has a tool, which is part of its last link; take the arm "
                "without a tool for fields of links."
            )
        model = replace(model, plan="")
    original = model
    hexagon = [field for field in values if field.path[0] == "geometry"]
    for field in (*hexagon, *(field for field in values if field not in hexagon)):
        model = _put_field(model, original, field, values[field], algebra)
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


def _parts(model: Any) -> Any:
    return model.joints if isinstance(model, ArmModel) else model.legs


def _inside(part: Any, path: Path) -> Path:
    """Where a file's field stands in a leg or joint: a link's body is a part of its own."""
    if not isinstance(part, Joint):
        return path
    if path[0] in ("a", "d"):
        places = length_places(part)
        assert places is not None
        return places[path[0]]
    return ("body", *path) if path[0] in BODY else path


def _put_field(model: Any, original: Any, field: Field, value: Any, algebra: Algebra) -> Any:
    """`original` tells where a field stands: its numbers are not yet expressions."""
    if field.owners is None:
        return _put(model, field.path, value, algebra)
    parts = list(_parts(model))
    for number, k in enumerate(field.owners):
        start = 0 if field.shared else number * field.each
        own = value[start : start + field.each]
        parts[k] = _put(parts[k], _inside(_parts(original)[k], field.path), own, algebra)
    return replace(model, **{"joints" if isinstance(model, ArmModel) else "legs": tuple(parts)})


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
