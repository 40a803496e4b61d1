"""What stands once among the defaults of legs, and is found in every leg that takes it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from linkwork.robots.faults import Path
from linkwork.robots.validation import Found


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
