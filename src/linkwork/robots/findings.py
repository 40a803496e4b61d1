"""Findings about a robot file, each with its line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from linkwork.robots.arm import ArmModel, without_tool
from linkwork.robots.arm_plausibility import arm_findings
from linkwork.robots.document import Document
from linkwork.robots.faults import Path
from linkwork.robots.files import Source, read_robot
from linkwork.robots.leg_defaults import written_at
from linkwork.robots.mechanism import MechanismModel
from linkwork.robots.mechanism_file import mechanism_fields
from linkwork.robots.mechanism_plausibility import mechanism_findings
from linkwork.robots.parallel_file import parallel_fields
from linkwork.robots.parallel_plausibility import parallel_findings
from linkwork.robots.platform import PlatformModel
from linkwork.robots.platform_plausibility import platform_findings
from linkwork.robots.plausibility import Judged
from linkwork.robots.urdf_chain import Chain


def findings(source: Source, chain: Chain | None = None) -> list[Judged]:
    """What looks wrong in a robot's description, though it can be computed with.

    Sizes, masses, inertia, limits and angles beside those of real machines and beside each other: the
    usual causes are degrees, millimetres and grams. `accept: [length, gravity]` in the file silences
    findings by their subject, `inertia_as_published: true` those of inertia that no body has.
    """
    model, document, name = read_robot(source, chain)
    data = document.data if isinstance(document.data, Mapping) else {}
    as_published = bool(data.get("inertia_as_published"))
    written = _written(document)
    if isinstance(model, ArmModel):
        found = arm_findings(without_tool(model), written, as_published)
    elif isinstance(model, PlatformModel):
        found = platform_findings(model, written, as_published)
    elif isinstance(model, MechanismModel):
        found = mechanism_findings(model, mechanism_fields(document), written, as_published)
    else:
        whole, file = parallel_fields(document)
        assert isinstance(whole.data, Mapping)
        data = {**data, **whole.data}  # with the legs of a family
        found = parallel_findings(model, file, data, written, as_published)
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


def _written(document: Document) -> Callable[[Path], object]:
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
