"""From pydantic's errors to faults in our words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError
from pydantic.fields import FieldInfo

from linkwork.robots.faults import MOST_FAULTS, Path, listed, shown, suggestion


@dataclass(frozen=True)
class Layout:
    """Which fields exist at a path, and why a field that exists elsewhere does not (or nothing)."""

    fields_at: Callable[[Path], Mapping[str, FieldInfo]]
    stray: Callable[[Path], str] = lambda path: ""


def explained(error: ValidationError, layout: Layout) -> Iterator[tuple[Path, str]]:
    """Path and text of every fault that pydantic found."""
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
