"""Findings about a robot file, each with its line."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from linkwork.robots.arm import without_tool
from linkwork.robots.document import Document
from linkwork.robots.family_findings import (
    Written,
    arm_findings,
    mechanism_findings,
    parallel_findings,
    platform_findings,
)
from linkwork.robots.faults import Path
from linkwork.robots.files import Source, read_robot
from linkwork.robots.mechanism_file import mechanism_fields
from linkwork.robots.parallel_families import written_out
from linkwork.robots.parallel_file import parallel_fields
from linkwork.robots.plausibility import Finding, Judged, gravity
from linkwork.robots.urdf_chain import Chain
from linkwork.robots.validation import written_at

# A model, its file, how a field is written there, and whether its inertia is as published; to findings.
Judge = Callable[[Any, Document, Written, bool], Iterable[Finding]]


# By the `kind` of the file.
JUDGES: Mapping[str, Judge] = {
    "arm": lambda model, _, *how: arm_findings(without_tool(model), *how),
    "stewart-platform": lambda model, _, *how: platform_findings(model, *how),
    "parallel-robot": lambda model, document, *how: parallel_findings(
        model, parallel_fields(document)[1], *how
    ),
    "mechanism": lambda model, document, *how: mechanism_findings(
        model, mechanism_fields(document), *how
    ),
}


def findings(source: Source, chain: Chain | None = None) -> list[Judged]:
    """What looks wrong in a robot's description, though it can be computed with.

    Sizes, masses, inertia, limits and angles beside those of real machines and beside each other: the
    usual causes are degrees, millimetres and grams. `accept: [length, gravity]` in the file silences
    findings by their subject, `inertia_as_published: true` those of inertia that no body has.
    """
    model, document, name = read_robot(source, chain)
    data = {**_data(document), **_data(written_out(document))}  # with the legs of a family
    how = _written(document, data), bool(data.get("inertia_as_published"))
    judged: dict[tuple[str, str], Judged] = {}
    for finding in (*gravity(model.gravity), *JUDGES[model.kind](model, document, *how)):
        if finding.subject in model.accept:
            continue
        path = written_at(finding.path, data)
        fault = document.fault(path, finding.what)
        # What stands once among the defaults is found in every leg, and is told once.
        key = (fault.where, finding.subject)
        judged.setdefault(key, Judged(finding.subject, fault.where, finding.what, fault.line, name))
    return sorted(judged.values(), key=lambda item: item.line or 0)


def _data(document: Document) -> Mapping[Any, Any]:
    return document.data if isinstance(document.data, Mapping) else {}


def _written(document: Document, data: Mapping[Any, Any]) -> Written:
    """A field as the file writes it, for a leg or for all, or None."""

    def read(path: Path) -> object:
        part: Any = document.data
        for step in written_at(path, data):
            if isinstance(part, Mapping):
                part = part.get(step)
            elif isinstance(part, list | tuple) and isinstance(step, int) and step < len(part):
                part = part[step]
            else:
                return None
        return part

    return read
