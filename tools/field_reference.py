"""Write docs/robot-file-fields.md: every field of robot files, from its declaration.

python -m tools.field_reference
"""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np

from linkwork.files.declared import By, Of, entries
from linkwork.files.quantities import FieldQuantity
from linkwork.model.drive import Drive
from linkwork.model.families.arm_file import ArmFile, PlacedLink, TableLink
from linkwork.model.families.parallel_file import ParallelFile
from linkwork.model.families.stewart_file import PlatformFile
from linkwork.model.mechanism_parts import MechanismFile

PAGE = Path(__file__).parent.parent / "docs" / "robot-file-fields.md"
HEAD = """# Fields of robot files

Every field, with its form, unit and default; written by `python -m tools.field_reference` from the
declarations that the reader uses. [Robot files](robot-files.md) shows complete files. Lengths are in m;
angles in rad, or texts such as `90 deg`; an axis is `x`, `-z` or three numbers of any length; a place is
three numbers or the name of a point.
"""
DRIVES = """
## Drives

`drive:` of a joint, a leg or a cylinder. Parts may be names of a catalog, `drive: {catalog:
drives.yaml, motor: M60, screw: S12}`: a file with sections `motors`, `gears`, `belts`, `screws`,
`pulleys`, or a CSV with columns `part`, `name` and the fields below. A speed may be `3000 rpm`.

"""
TOLD_APART = ("leg_defaults", "repeat", "drive")
KINDS = {
    "Arms": ("arm", ArmFile),
    "Stewart platforms": ("stewart-platform", PlatformFile),
    "Parallel robots": ("parallel-robot", ParallelFile),
    "Mechanisms": ("mechanism", MechanismFile),
}


def reference() -> str:
    """The page."""
    text = HEAD
    for title, (kind, file) in KINDS.items():
        text += f"\n## {title}\n\n`kind: {kind}`\n\n{_table(file)}"
        told: set[str] = set()
        for path, part in _parts(file):
            if (table := _table(part)) not in told:
                told.add(table)
                text += f"\n### {path}\n\n{table}"
    text += DRIVES + _table(Drive)
    for path, part in _parts(Drive, "drive"):
        text += f"\n### {path}\n\n{_table(part)}"
    return text


def _parts(owner: Any, path: str = "") -> list[tuple[str, Any]]:
    """Parts within a part, each with its path, outer ones first."""
    found: list[tuple[str, Any]] = []
    for entry in entries(owner).values():
        if not isinstance(entry.holds, Of) or entry.name in TOLD_APART:
            continue
        here = f"{path}.{entry.name}" if path else entry.name
        if owner is ArmFile and entry.name == "links":
            made: list[tuple[str, Any]] = [
                ("links, conventions standard and modified", TableLink),
                ("links, convention general", PlacedLink),
            ]
        else:
            made = [(here, entry.holds.part_in({}))]
        for title, part in made:
            if not isinstance(part, FieldQuantity):
                found += [(title, part), *_parts(part, here)]
    return found


def _table(part: Any) -> str:
    rows = ["| field | form | meaning | default |", "|---|---|---|---|"]
    for name, entry in entries(part).items():
        rows.append(f"| `{name}` | {_form(entry.holds)} | {entry.meaning} | {_default(entry)} |")
    return "\n".join(rows) + "\n"


def _form(holds: Any) -> str:
    if isinstance(holds, By):
        holds = holds.choose({})
    if isinstance(holds, Of):
        items = f": {holds.part.words}" if isinstance(holds.part, FieldQuantity) else ""
        return {"": "fields", "list": "a list", "names": "by name"}[holds.many] + items
    unit = f" [{holds.unit}]" if holds.unit else ""
    return f"{holds.words}{unit}" if holds.words else "as written"


def _default(entry: Any) -> str:
    value = entry.default
    if entry.required:
        return "required"
    if np.ndim(value) == 2:  # an inertia
        return "`[0, 0, 0]`"
    value = tuple(value.tolist()) if isinstance(value, np.ndarray) else value
    if value is None or value in ((), {}, "") or dataclasses.is_dataclass(value):
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return f"`[{', '.join(f'{x:g}' if isinstance(x, int | float) else str(x) for x in value)}]`"
    return f"{value:g}" if isinstance(value, float) else str(value)


if __name__ == "__main__":
    PAGE.write_text(reference(), "utf-8")
