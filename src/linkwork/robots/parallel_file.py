"""From the fields of a parallel robot's file to the robot."""

from __future__ import annotations

from collections.abc import Mapping

from linkwork.robots import parallel_schema as schema
from linkwork.robots.document import Document
from linkwork.robots.geometry import Body, frozen
from linkwork.robots.parallel import ParallelModel
from linkwork.robots.parallel_checks import model_faults
from linkwork.robots.parallel_families import written_out
from linkwork.robots.parallel_legs import expanded, repeated_leg_names
from linkwork.robots.validation import Layout, fields_of, refuse_any, told_once


def read_parallel(document: Document) -> ParallelModel:
    """The parallel robot that a file describes; FaultyError with every fault."""
    document, file = parallel_fields(document)
    data = document.data
    assert isinstance(data, Mapping)
    legs, places, faults = expanded(file)
    refuse_any(document, [*told_once(faults, data), *repeated_leg_names(legs, places)])
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
        accept=file.accept,
    )
    refuse_any(document, model_faults(model, places))
    return model


def parallel_fields(document: Document) -> tuple[Document, schema.ParallelFile]:
    """The fields of a file, and the document with its family written out; FaultyError otherwise."""
    document = written_out(document)
    data = document.data
    assert isinstance(data, Mapping)
    layout = Layout(schema.fields_at, schema.stray)
    file, found = fields_of(schema.ParallelFile, data, layout, schema.context_of(data))
    refuse_any(document, told_once(found, data))
    assert file is not None
    return document, file
