"""From the fields of a parallel robot's file to the robot."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from linkwork.robots import parallel_schema as schema
from linkwork.robots.document import Document
from linkwork.robots.faults import Path
from linkwork.robots.geometry import Body, frozen
from linkwork.robots.parallel import ParallelModel
from linkwork.robots.parallel_checks import model_faults
from linkwork.robots.parallel_families import written_out
from linkwork.robots.parallel_legs import expanded, repeated_leg_names
from linkwork.robots.validation import Found, Layout, fields_of, refuse_any


def read_parallel(document: Document) -> ParallelModel:
    """The parallel robot that a file describes; FaultyError with every fault."""
    document = written_out(document)
    data = document.data
    assert isinstance(data, Mapping)
    layout = Layout(schema.fields_at, schema.stray)
    file, found = fields_of(schema.ParallelFile, data, layout, schema.context_of(data))
    refuse_any(document, _told_once(found, data))
    assert file is not None
    legs, places, faults = expanded(file)
    refuse_any(document, [*_told_once(faults, data), *repeated_leg_names(legs, places)])
    platform = Body.of(file.platform.mass, file.platform.center_of_mass, file.platform.inertia)
    model = ParallelModel(
        name=file.name,
        legs=tuple(legs),
        platform=platform,
        home=frozen(file.home),
        coordinates=file.coordinates,
        parasitic=file.parasitic,
        gravity=frozen(file.gravity),
        source=file.source,
    )
    refuse_any(document, model_faults(model, places))
    return model


def _told_once(found: list[Found], data: Mapping[str, Any]) -> Iterator[Found]:
    """A fault of a default is found again in every leg that takes it; tell it once, where it stands."""
    told: dict[Path, str] = {}
    for path, what in found:
        told.setdefault(_written_at(path, data), what)
    yield from told.items()


def _written_at(path: Path, data: Mapping[str, Any]) -> Path:
    if path[:1] != ("legs",) or len(path) < 3:
        return path
    own, field = data["legs"][path[1]], path[2:]
    inherited = not _holds(own, field) and _holds(data.get("leg_defaults"), field)
    return ("leg_defaults", *field) if inherited else path


def _holds(part: Any, path: Path) -> bool:
    for step in path:
        in_list = isinstance(part, list) and isinstance(step, int) and step < len(part)
        if not in_list and not (isinstance(part, Mapping) and step in part):
            return False
        part = part[step]
    return True
