"""What is wrong with the fields of a file, in our words."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from linkwork.robots.document import Document
from linkwork.robots.faults import MOST_FAULTS, FaultyError, Path, listed, shown, suggestion

# Where a fault is, and its text.
Found = tuple[Path, str]
File = TypeVar("File", bound=BaseModel)


@dataclass(frozen=True)
class Layout:
    """Which fields exist at a path, and why a field that exists elsewhere does not (or nothing)."""

    fields_at: Callable[[Path], Mapping[str, FieldInfo]]
    stray: Callable[[Path], str] = lambda path: ""


def fields_of(
    schema: type[File], data: Mapping[str, Any], layout: Layout, context: Mapping[str, Any] | None = None
) -> tuple[File | None, list[Found]]:
    """The fields of a file, or nothing and every fault of them; `context` is for the schema's checks."""
    try:
        return schema.model_validate(dict(data), context=context), []
    except ValidationError as error:
        return None, list(_explained(error, layout))


def refuse_any(document: Document, faults: Iterable[Found]) -> None:
    """FaultyError with all of the faults, if there are any."""
    if placed := [document.fault(path, what) for path, what in faults]:
        raise FaultyError(placed)


def repeated_names(owner: str, parts: object, default: str) -> Iterator[Found]:
    """Parts in the list `owner` that share a name; an unnamed one is called `default` and its number."""
    users: defaultdict[str, list[int]] = defaultdict(list)
    for index, part in enumerate(parts if isinstance(parts, list | tuple) else ()):
        name = part.get("name") if isinstance(part, Mapping) else None
        users[name if isinstance(name, str) else f"{default}{index + 1}"].append(index)
    for name, indices in users.items():
        for index in indices[1:]:
            what = f"{name!r} is also the name of {owner}[{indices[0]}]; names must be unique"
            yield (owner, index, "name"), what


# What stands once among the defaults of legs, and is found in every leg that takes it.


def told_once(found: list[Found], data: Mapping[str, Any]) -> Iterator[Found]:
    """A fault of a default is found again in every leg that takes it; tell it once, where it stands."""
    told: dict[Path, str] = {}
    for path, what in found:
        told.setdefault(written_at(path, data), what)
    yield from told.items()


def written_at(path: Path, data: Mapping[str, Any]) -> Path:
    """The path of a leg's field, or of the default that the leg takes instead."""
    if path[:1] != ("legs",) or len(path) < 3:
        return path
    legs, field = data.get("legs"), path[2:]
    if not isinstance(legs, list | tuple) or not _holds(legs, path[1:2]):
        return ("geometry",) if "geometry" in data else path  # legs that follow from a few dimensions
    own: Any = legs[int(path[1])]
    inherited = not _holds(own, field) and _holds(data.get("leg_defaults"), field)
    return ("leg_defaults", *field) if inherited else path


def _holds(part: Any, path: Path) -> bool:
    for step in path:
        in_list = isinstance(part, list | tuple) and isinstance(step, int) and step < len(part)
        if not in_list and not (isinstance(part, Mapping) and step in part):
            return False
        part = part[step]
    return True


def _explained(error: ValidationError, layout: Layout) -> Iterator[Found]:
    for count, detail in enumerate(error.errors(include_url=False)):
        path: Path = detail["loc"]
        # Nobody reads the texts beyond these, and finding near words takes time.
        yield path, _text(detail["type"], path, detail, layout) if count < MOST_FAULTS else detail["msg"]


def _text(kind: str, path: Path, detail: Mapping[str, Any], layout: Layout) -> str:
    match kind:
        case "value_error":
            return str(detail["ctx"]["error"])
        case "missing":
            return f"is missing; add {path[-1]}: ..."
        case "extra_forbidden":
            known = layout.fields_at(path[:-1])
            problem = layout.stray(path) or f"unknown field{suggestion(path[-1], known)}"
            return f"{problem}; allowed: {listed(known)}"
        case "invalid_key":
            return f"a field name should be a text; allowed: {listed(layout.fields_at(path[:-1]))}"
        case "model_type":
            known = layout.fields_at(path)
            return f"{shown(detail['input'])} is not a mapping; allowed: fields {listed(known)}"
        case _:
            return f"{shown(detail['input'])} is not allowed: {detail['msg']}"
