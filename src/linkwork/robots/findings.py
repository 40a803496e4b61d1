"""Findings about a robot file, each with its line."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from linkwork.robots.arm import without_tool
from linkwork.robots.arm_plausibility import arm_findings
from linkwork.robots.document import Document
from linkwork.robots.faults import Path
from linkwork.robots.files import Source, read_robot
from linkwork.robots.leg_defaults import written_at
from linkwork.robots.mechanism_file import mechanism_fields
from linkwork.robots.mechanism_plausibility import mechanism_findings
from linkwork.robots.parallel_file import parallel_fields
from linkwork.robots.parallel_plausibility import parallel_findings
from linkwork.robots.platform_plausibility import platform_findings
from linkwork.robots.plausibility import Finding, Judged
from linkwork.robots.urdf_chain import Chain

# A model, its file, how a field is written there, and whether its inertia is as published; to findings
# and to the data of the file in which their paths lead to what is written.
Written = Callable[[Path], object]
Found = tuple[Iterable[Finding], Mapping[Any, Any]]


def _arm(model: Any, document: Document, written: Written, as_published: bool) -> Found:
    return arm_findings(without_tool(model), written, as_published), _data(document)


def _platform(model: Any, document: Document, written: Written, as_published: bool) -> Found:
    return platform_findings(model, written, as_published), _data(document)


def _parallel(model: Any, document: Document, written: Written, as_published: bool) -> Found:
    whole, file = parallel_fields(document)
    data = {**_data(document), **_data(whole)}  # with the legs of a family
    return parallel_findings(model, file, data, written, as_published), data


def _mechanism(model: Any, document: Document, written: Written, as_published: bool) -> Found:
    fields = mechanism_fields(document)
    return mechanism_findings(model, fields, written, as_published), _data(document)


# By the `kind` of the file.
JUDGES: Mapping[str, Callable[[Any, Document, Written, bool], Found]] = {
    "arm": _arm,
    "stewart-platform": _platform,
    "parallel-robot": _parallel,
    "mechanism": _mechanism,
}


def findings(source: Source, chain: Chain | None = None) -> list[Judged]:
    """What looks wrong in a robot's description, though it can be computed with.

    Sizes, masses, inertia, limits and angles beside those of real machines and beside each other: the
    usual causes are degrees, millimetres and grams. `accept: [length, gravity]` in the file silences
    findings by their subject, `inertia_as_published: true` those of inertia that no body has.
    """
    model, document, name = read_robot(source, chain)
    as_published = bool(_data(document).get("inertia_as_published"))
    written = _written(document)
    found, data = JUDGES[model.kind](model, document, written, as_published)
    judged: dict[tuple[str, str], Judged] = {}
    for finding in found:
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


def _written(document: Document) -> Written:
    """A field as the file writes it, or None."""

    def read(path: Path) -> object:
        part: Any = document.data
        for step in path:
            if isinstance(part, Mapping):
                part = part.get(step)
            elif isinstance(part, list | tuple) and isinstance(step, int) and step < len(part):
                part = part[step]
            else:
                return None
        return part

    return read
