"""Parts of files, declared once: dataclasses whose fields say how they are written and what they mean.

    @dataclass(frozen=True)
    class Rotor:
        inertia: Annotated[float, number("kg m^2", NOT_NEGATIVE), "on the motor's side"] = 0.0

`Reading` makes parts from plain data and gathers every fault with its path, `written` gives plain data
back, `entries` lists the fields for studies and for the reference page. A class may add `refusals` (of
its data as written), `field_faults` (of what is not at fault by itself), `stray` (why a field does not
belong there) and `makes` (what is made of its fields); a ValueError of its constructor is a fault too.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, get_type_hints

import numpy as np

from linkwork.files.faults import (
    MOST_FAULTS,
    Document,
    FaultyError,
    Path,
    listed,
    shown,
    suggestion,
    value_at,
)
from linkwork.files.quantities import FieldQuantity, Range
from linkwork.files.quantities import name as name_read

if TYPE_CHECKING:
    from linkwork.core.table_files import Plain

Found = tuple[Path, str]  # where a fault is, and its text
Data = Mapping[str, Any]  # as a file has it
Value = Any  # of a field: its type annotation says what it is


@dataclass(frozen=True)
class Named:
    """The name that a field has in the file, where that is no name of an attribute."""

    name: str


class Mark(Enum):
    """What else may be said of a field."""

    REQUIRED = "required, though the attribute has a default"
    ALWAYS = "written even if it is the default"


REQUIRED, ALWAYS = Mark


@dataclass(frozen=True)
class At:
    """Where the model that is made of a part has what a study may vary: a path within the model's part.

    A field of two numbers may be two fields of the model, each with its range.
    """

    path: str
    second: str = ""
    within: tuple[Range, ...] = ()


@dataclass(frozen=True)
class Of:
    """A field that is a part of its own, a list of parts, or parts by name.

    `part` is a class, or tells it from what is written beside; `written_as` writes out short forms.
    Defaults of other parts leave out what each of them has for itself, and are only checked.
    """

    part: type | FieldQuantity[Value] | Callable[[Data], type]
    many: Literal["", "list", "names"] = ""
    allowed: str = "a list, one item for each"
    written_as: Callable[[object], object] = lambda value: value
    leaving_out: tuple[str, ...] = ()

    def part_in(self, owner: Data) -> Any:
        return self.part if isinstance(self.part, type | FieldQuantity) else self.part(owner)


@dataclass(frozen=True)
class By:
    """A quantity that depends on what is written beside it."""

    choose: Callable[[Data], FieldQuantity[Value]]
    write: Callable[[Value], object] | None = None


@dataclass(frozen=True)
class Entry:
    """A field as it is declared: its name in the file, what it holds, what it means."""

    attribute: str
    name: str
    holds: FieldQuantity[Value] | Of | By
    meaning: str
    required: bool
    default: Value
    at: At | None
    always: bool


def _entries(part: type) -> dict[str, Entry]:
    """The declared fields of a part by their names in the file; other attributes are not of the file."""
    found: dict[str, Entry] = {}
    hints = get_type_hints(part, include_extras=True)
    for each in dataclasses.fields(part):
        marks = getattr(hints[each.name], "__metadata__", ())
        holds = [mark for mark in marks if isinstance(mark, FieldQuantity | Of | By)]
        if not holds:
            continue
        names = [mark.name for mark in marks if isinstance(mark, Named)]
        default = each.default if each.default_factory is dataclasses.MISSING else each.default_factory()
        required = default is dataclasses.MISSING or REQUIRED in marks
        meaning = " ".join(mark for mark in marks if isinstance(mark, str))
        at = next((mark for mark in marks if isinstance(mark, At)), None)
        name = names[0] if names else each.name
        always = required or ALWAYS in marks
        found[name] = Entry(each.name, name, holds[0], meaning, required, default, at, always)
    return found


entries: Callable[[type], dict[str, Entry]] = cache(_entries)


def _no_refusals(data: Data) -> Iterable[str]:
    return ()


def _no_faults(values: Data, context: Data) -> Iterable[Found]:
    return ()


def _no_stray(name: str, context: Data) -> str:
    return ""


@dataclass
class Reading:
    """Parts are made from data; `found` are the faults. `context` is for readers and checks."""

    context: Data = field(default_factory=dict)
    found: list[Found] = field(default_factory=list)

    def part(self, part: type, data: object, path: Path = (), leaving_out: Iterable[str] = ()) -> Value:
        """The part in `data`, or None and its faults. One that leaves out fields is only checked."""
        known = {name: entry for name, entry in entries(part).items() if name not in leaving_out}
        if not isinstance(data, Mapping):
            self.found.append((path, f"{shown(data)} is not a mapping; allowed: fields {listed(known)}"))
            return None
        before = len(self.found)
        if all(name in known for name in data):  # a name that is none may be one that is missing
            self.found += [(path, what) for what in getattr(part, "refusals", _no_refusals)(data)]
        values: dict[str, Value] = {}
        seen: dict[str, Value] = {}  # with defaults, without what is at fault
        for name, entry in known.items():
            if name in data:
                so_far = len(self.found)
                try:
                    values[entry.attribute] = self._value(entry, data, (*path, name))
                except ValueError as error:
                    self.found.append(((*path, name), str(error)))
                if len(self.found) == so_far:
                    seen[entry.attribute] = values[entry.attribute]
            elif entry.required and not leaving_out:
                self.found.append(((*path, name), f"is missing; add {name}: ..."))
            else:
                seen[entry.attribute] = entry.default
        for name in data:
            if name not in known:
                self.found.append(((*path, _step(name)), self._unknown(part, name, known)))
        if leaving_out:
            return None
        checked = getattr(part, "field_faults", _no_faults)(seen, self.context)
        self.found += [((*path, *inner), what) for inner, what in checked]
        if len(self.found) > before:
            return None
        try:
            return (getattr(part, "makes", None) or part)(**values)
        except ValueError as error:
            self.found.append((path, str(error)))
            return None

    def _unknown(self, part: type, name: object, known: Iterable[str]) -> str:
        if len(self.found) >= MOST_FAULTS:  # nobody reads these, and finding near words takes time
            return "unknown field"
        if not isinstance(name, str):
            return f"a field name should be a text; allowed: {listed(known)}"
        reason = getattr(part, "stray", _no_stray)(name, self.context)
        if name in entries(part):
            reason = "belongs to each leg"
        return f"{reason or f'unknown field{suggestion(name, known)}'}; allowed: {listed(known)}"

    def _value(self, entry: Entry, owner: Data, path: Path) -> Value:
        value, holds = owner[entry.name], entry.holds
        if value is None and not entry.required and (isinstance(holds, Of) or entry.default is None):
            return entry.default
        if isinstance(holds, By):
            holds = holds.choose(owner)
        if isinstance(holds, FieldQuantity):
            here = holds.within_file
            return holds.read(value) if here is None else here(value, self.context)
        if holds.many == "list":
            if not isinstance(value, list | tuple):
                raise ValueError(f"{shown(value)} is not a list; allowed: {holds.allowed}")
            return tuple(self._item(holds, item, owner, (*path, k)) for k, item in enumerate(value))
        if holds.many == "names":
            if not isinstance(value, Mapping):
                allowed = "a name and what it has, for each, such as `arm: {...}`"
                raise ValueError(f"{shown(value)} is not a mapping; allowed: {allowed}")
            for name in value:
                try:
                    name_read(name)
                except ValueError as error:
                    self.found.append(((*path, _step(name)), str(error)))
            return {
                name: self._item(holds, item, owner, (*path, _step(name)))
                for name, item in value.items()
            }
        return self._item(holds, value, owner, path)

    def _item(self, holds: Of, value: object, owner: Data, path: Path) -> Value:
        part = holds.part_in(owner)
        if not isinstance(part, FieldQuantity):
            return self.part(part, holds.written_as(value), path, holds.leaving_out)
        try:
            return part.read(value)
        except ValueError as error:
            self.found.append((path, str(error)))
            return None


def _step(name: object) -> str:
    return name if isinstance(name, str) else shown(name)


def refuse_any(document: Document, faults: Iterable[Found]) -> None:
    """FaultyError with all of the faults, if there are any."""
    if placed := [document.fault(path, what) for path, what in faults]:
        raise FaultyError(placed)


# From parts back to data.


def written(part: object) -> Plain:
    """The data of a part: what is not its default, in the order of its declaration."""
    found: Plain = {}
    for entry in entries(type(part)).values():
        value = getattr(part, entry.attribute)
        if value is None or (not entry.always and _same(value, entry.default)):
            continue
        holds = entry.holds.part if isinstance(entry.holds, Of) else entry.holds
        write = getattr(holds, "write", None)
        if write is None:
            found[entry.name] = plain(value)
        else:
            each = isinstance(entry.holds, Of)
            found[entry.name] = [write(item) for item in value] if each else write(value)
    return found


def plain(value: Value) -> Value:
    """Numbers, texts, lists and mappings."""
    if dataclasses.is_dataclass(value):
        return written(value)
    if isinstance(value, Mapping):
        return {name: plain(item) for name, item in value.items()}
    if isinstance(value, np.ndarray | list | tuple):
        return [plain(item) for item in value]
    return float(value) + 0.0 if isinstance(value, float) else value  # no -0.0, no number of NumPy


def _same(one: Value, other: Value) -> bool:
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return np.array_equal(one, other)
    return type(one) is type(other) and bool(one == other)


def leaves(part: object, path: Path = ()) -> Iterator[tuple[Path, FieldQuantity[Value], Value]]:
    """All quantities of a part and of those within, each with its path and value."""
    for name, entry in entries(type(part)).items():
        value, here = getattr(part, entry.attribute), (*path, name)
        if value is None:
            continue
        if isinstance(entry.holds, FieldQuantity):
            yield here, entry.holds, value
        elif isinstance(entry.holds, Of):
            items: dict[str | int, Value] = {}
            if entry.holds.many == "names":
                items = dict(value)
            elif entry.holds.many == "list":
                items = dict(enumerate(value))
            else:
                yield from leaves(value, here)
            for step, item in items.items():
                if isinstance(entry.holds.part, FieldQuantity):
                    yield (*here, step), entry.holds.part, item
                else:
                    yield from leaves(item, (*here, step))


# What stands once among the defaults of legs, and is found in every leg that takes it.


def told_once(found: Iterable[Found], data: Data) -> Iterator[Found]:
    """A fault of a default is found again in every leg that takes it; tell it once, where it stands."""
    told: dict[Path, str] = {}
    for path, what in found:
        told.setdefault(written_at(path, data), what)
    yield from told.items()


def written_at(path: Path, data: Data) -> Path:
    """The path of a leg's field, or of the default that the leg takes instead."""
    if path[:1] != ("legs",) or len(path) < 3:
        return path
    legs, inner = data.get("legs"), path[2:]
    if not isinstance(legs, list | tuple) or not _holds(legs, path[1:2]):
        return ("geometry",) if "geometry" in data else path  # legs that follow from a few dimensions
    own = legs[int(path[1])]
    inherited = not _holds(own, inner) and _holds(data.get("leg_defaults"), inner)
    return ("leg_defaults", *inner) if inherited else path


def _holds(part: object, path: Path) -> bool:
    missing = object()
    return value_at(part, path, missing) is not missing
