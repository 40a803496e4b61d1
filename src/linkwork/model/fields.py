"""Fields of a robot by name, as in its file: `platform.mass`, `legs[0].base_point`, `links.elbow.mass`.

They may be numbers, for one robot after another, or expressions, for kernels with parameters.
A field of all legs is `legs.base_point`, one row per leg; `leg_defaults.lower.mass` is one value that
all legs share.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from linkwork.core.arguments import one_of
from linkwork.core.errors import InputError
from linkwork.files.declared import By, Of, entries
from linkwork.files.faults import listed
from linkwork.files.quantities import ANY, FieldQuantity, Range
from linkwork.model.families.arm import ArmModel, length_places
from linkwork.model.families.stewart import on_hexagon, with_strokes_of
from linkwork.model.geometry import NUMBERS, Algebra, Array, Body, Values
from linkwork.model.payloads import carrier_of

if TYPE_CHECKING:
    from linkwork.model.robot_files import Model

AnyModel = TypeVar("AnyModel", bound="Model")
Path = tuple[str, ...]
SEPARATORS = re.compile(r"[.\[\]]+")


def _form(kind: str) -> type:
    """What the file of a kind declares; loaded when somebody asks for fields, which few calls do."""
    from linkwork.model.robot_files import KINDS

    return KINDS[kind].form


class Place(NamedTuple):
    """How many numbers a field has, the way to them in the part of the model, their range, and how
    files write one."""

    size: int
    inside: Path
    within: Range = ANY
    written: FieldQuantity[Any] | None = None


Places = dict[Path, Place]


@dataclass(frozen=True)
class Members:
    """A list of parts alike, such as legs: where the model has it, and names and fields of its parts."""

    attribute: str
    names: tuple[str, ...]
    places: tuple[Places, ...]
    shared: bool = False  # one value for all of them

    @property
    def common(self) -> list[Path]:
        """Fields that all of them have."""
        first = self.places[0] if self.places else {}
        return [path for path in first if all(path in each for each in self.places)]


def _places(form: type, part: object, inside: Path = (), name: Path = ()) -> Places:
    """What may be varied in a part of the model, by the names that its file declares."""
    found: Places = {}
    varied = form.varied(part) if hasattr(form, "varied") else None
    for entry in entries(form).values():
        if entry.at is None or (varied is not None and entry.name not in varied):
            continue
        way, holds = (*inside, *entry.at.path.split(".")), entry.holds
        if isinstance(holds, Of):
            single = not holds.many and not holds.leaving_out
            if single and _got(part, way) is not None:
                found |= _places(holds.part_in({}), part, way, (*name, entry.name))
        elif entry.at.second:
            ways = way, (*inside, *entry.at.second.split("."))
            for each, within in zip(ways, entry.at.within, strict=True):
                found[*name, each[-1]] = Place(1, each, within)
        else:
            quantity = holds.choose({}) if isinstance(holds, By) else holds
            written = quantity if quantity.size == 1 else None
            found[*name, entry.name] = Place(quantity.size, way, quantity.within, written)
    return found


def _lists(model: Model) -> dict[str, Members]:
    """Lists of the file whose parts may be varied, and what legs share, which is one value for all."""
    found: dict[str, Members] = {}
    for entry in entries(_form(model.kind)).values():
        holds = entry.holds
        if entry.at is None or not isinstance(holds, Of) or not (holds.many or holds.leaving_out):
            continue
        parts, form = getattr(model, entry.at.path), holds.part_in({})
        places = [_places(form, part) for part in parts]
        for each in places:
            for left_out in holds.leaving_out:
                each.pop((left_out,), None)
        if parts:
            names = tuple(part.name for part in parts)
            found[entry.name] = Members(entry.at.path, names, tuple(places), bool(holds.leaving_out))
    if isinstance(model, ArmModel):
        _add_lengths(model, found["links"].places)
    return found


def _add_lengths(model: ArmModel, places: tuple[Places, ...]) -> None:
    """The a and d of a Denavit-Hartenberg table, if all joints are of one."""
    rows = [length_places(joint) for joint in model.joints]
    for row, each in zip(rows, places, strict=True):
        if row is not None and None not in rows:
            each |= {(name,): Place(1, row[name]) for name in row}


@dataclass(frozen=True)
class Field:
    """A place in a robot's description.

    `attribute` is the list of the model whose parts have it, `owners` which of them and `inside` the way
    to it in each; None is the robot itself, which has it at `path`. `shared` is one value for all
    owners. `size` counts all its numbers; `written` reads one as a file writes it.
    """

    name: str
    path: Path
    each: int
    attribute: str | None = None
    owners: tuple[int, ...] = ()
    inside: tuple[Path, ...] = ()
    shared: bool = False
    within: Range = ANY
    written: FieldQuantity[Any] | None = None

    @property
    def size(self) -> int:
        return self.each if self.attribute is None or self.shared else self.each * len(self.owners)

    @property
    def identifier(self) -> str:
        """The name as one word, such as `legs_0_base_point`."""
        return "_".join(step for step in SEPARATORS.split(self.name) if step)


def field_names(model: Model) -> list[str]:
    """All fields that may be parameters; members of lists by the list's name, where all have them."""
    names = [".".join(path) for path in _places(_form(model.kind), model)]
    for owner, members in _lists(model).items():
        common = members.common
        names += [".".join((owner, *path)) for path in common]
        for name, places in zip(members.names, members.places, strict=True):
            names += [".".join((owner, name, *path)) for path in places if path not in common]
    return names


def field_of(model: Model, name: str) -> Field:
    """The field that a name means, or an InputError that lists what there is."""
    if not isinstance(name, str):
        raise InputError(f"field {name!r} is not a name such as platform.mass.")
    own, lists = _places(_form(model.kind), model), _lists(model)
    steps = tuple(step for step in SEPARATORS.split(name.strip()) if step)
    if steps in own:
        found = own[steps]
        return Field(name, found.inside, found.size, within=found.within, written=found.written)
    if steps and steps[0] in lists:
        return _member(model, name, steps, lists[steps[0]])
    one_of(name, field_names(model), f"field of {model.name}")
    raise AssertionError


def _member(model: Model, name: str, steps: Path, members: Members) -> Field:
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
    size, _, within, written = places[0]
    return Field(name, rest, size, members.attribute, owners, inside, members.shared, within, written)


def value_of(model: Model, field: Field) -> Array:
    """The numbers of a field, (size,)."""
    if field.attribute is None:
        return _flat(_got(model, field.path))
    parts = getattr(model, field.attribute)
    values = [_flat(_got(parts[k], way)) for k, way in zip(field.owners, field.inside, strict=True)]
    return values[0] if field.shared else np.concatenate(values)


def check_range(field: Field, value: Array) -> None:
    """An InputError for numbers that a robot file would refuse in this field."""
    if not all(map(field.within.holds, value.ravel().tolist())):
        words = field.within.words.replace("a number", "numbers")
        raise InputError(f"{field.name} = {value.tolist()}: expected {words}.")


def with_values(model: AnyModel, values: Mapping[Field, Values], algebra: Algebra = NUMBERS) -> AnyModel:
    """The robot with other values in some fields, (size,) each: arrays, or expressions."""
    if not values:
        return model
    of_parts = any(field.attribute is not None for field in values)
    changed: Any = _ready_arm(model, of_parts) if isinstance(model, ArmModel) else model
    before: Any = model
    hexagon = [field for field in values if field.path[0] == "geometry"]
    for field in (*hexagon, *(field for field in values if field not in hexagon)):
        changed = _put_field(changed, field, values[field], algebra)
        if hexagon and field is hexagon[-1]:
            changed = on_hexagon(changed, algebra)
            changed = with_strokes_of(changed, before)
    if model.payload is not None and carrier_of(changed) is not carrier_of(model):
        raise InputError(
            f"{listed(field.name for field in values)}: the body carries the payload of {model.name}'s "
            "file, which would be lost; take payload: out of the file, and give it as --payload or in "
            "requirements."
        )
    return changed


def _ready_arm(model: ArmModel, of_parts: bool) -> ArmModel:
    if model.tool.moves and of_parts:
        raise InputError(
            f"{model.name} has a tool, which is part of its last link; take the arm "
            "without a tool for fields of links."
        )
    return replace(model, operation_plan="")


def _put_field(model: Any, field: Field, value: Values, algebra: Algebra) -> Any:
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


def _flat(value: ArrayLike) -> Array:
    array = np.asarray(value, dtype=np.float64)
    if array.shape == (3, 3):
        return array[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
    return array.reshape(-1)


def _put(part: Any, path: Path, value: Values, algebra: Algebra) -> Any:
    first, rest = path[0], path[1:]
    if first.isdigit():
        return algebra.array([value[0] if k == int(first) else part[k] for k in range(3)])
    if rest:
        return replace(part, **{first: _put(getattr(part, first), rest, value, algebra)})
    return replace(part, **{first: _shaped(part, first, value, algebra)})


def _shaped(part: object, name: str, value: Values, algebra: Algebra) -> Values:
    """The flat numbers of a field in the form that the description has."""
    if name == "inertia" and isinstance(part, Body):
        xx, yy, zz, xy, xz, yz = (value[k] for k in range(6))
        return algebra.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    if isinstance(getattr(part, name), np.ndarray):
        size = sum(value[k] ** 2 for k in range(3)) ** 0.5 if name == "fixed_axis" else 1
        return algebra.array([value[k] / size for k in range(3)])
    return float(value[0]) if isinstance(value, np.ndarray) else value[0]
