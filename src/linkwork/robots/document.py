"""A parsed file, and where its fields stand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from linkwork.robots.faults import Fault, Path, place_of


@dataclass(frozen=True)
class Document:
    """Plain data, the line of each path in it, and faults that leave the rest readable."""

    data: object
    lines: Mapping[Path, int] = field(default_factory=dict)
    faults: tuple[Fault, ...] = ()

    def fault(self, path: Path, what: str, line: int | None = None) -> Fault:
        """A fault of the field at `path`."""
        return Fault(place_of(path, self.data), what, self._line_of(path) if line is None else line)

    def _line_of(self, path: Path) -> int | None:
        """The line of a field; of a field that is missing, that of what should hold it."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path)
