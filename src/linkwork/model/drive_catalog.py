"""Catalogs of parts from which drives are put together: motors, gears, screws, amplifiers.

YAML has sections `motors`, `gears`, `belts`, `screws`, `pulleys`, `amplifiers`, each with parts by name.
A CSV has a row per part, with columns `part` and `name` and the fields of parts, `friction.viscous` for
one within another, in SI units or in those of the header, `inertia [kg cm^2]`. A robot file takes parts
by name:

    drive: {catalog: drives.yaml, motor: M60, screw: S12}
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

from linkwork.core.arguments import path_of
from linkwork.core.earlier_names import DRIVE_KEYS
from linkwork.core.errors import InputError
from linkwork.core.input_files import csv_rows, read_bytes
from linkwork.core.table_files import text_of_cell
from linkwork.files.declared import Found, Of, Reading, entries, refuse_any, written
from linkwork.files.faults import Document, FaultyError, error_of, listed, shown, suggestion
from linkwork.files.faults import Path as FieldPath
from linkwork.files.quantities import FieldQuantity
from linkwork.files.yaml_lines import LARGEST_FILE, read_yaml
from linkwork.model.drive import Amplifier, DriveMotor, Gear, Pulley, Screw

MOST, LARGEST = 20_000, 20_000_000  # rows and bytes of a CSV
# Units in headers by the unit of a field, and their factors.
UNITS: Mapping[str, Mapping[str, float]] = {
    "kg m^2": {"kg m^2": 1.0, "kg cm^2": 1e-4, "g cm^2": 1e-7, "kg mm^2": 1e-6},
    "N m": {"N m": 1.0, "mN m": 1e-3, "kN m": 1e3, "N cm": 1e-2},
    "N m/A": {"N m/A": 1.0, "mN m/A": 1e-3},
    "N m s": {"N m s": 1.0, "mN m s": 1e-3, "N m/rpm": 30 / math.pi, "mN m/rpm": 0.03 / math.pi},
    "ohm": {"ohm": 1.0, "mohm": 1e-3},
    "rad/s": {"rad/s": 1.0, "rpm": math.pi / 30, "1/min": math.pi / 30},
    "m": {"m": 1.0, "mm": 1e-3, "cm": 1e-2, "in": 0.0254},
    "N": {"N": 1.0, "kN": 1e3},
    "V": {"V": 1.0},
    "A": {"A": 1.0, "mA": 1e-3},
    "s": {"s": 1.0, "min": 60.0},
    "kg": {"kg": 1.0, "g": 1e-3, "lb": 0.45359237},
    "K/W": {"K/W": 1.0},
    "deg C": {"deg C": 1.0, "C": 1.0},
    "": {"%": 1e-2},
}


@dataclass(frozen=True)
class DriveParts:
    """Parts to choose from, by name."""

    motors: Annotated[Mapping[str, DriveMotor], Of(DriveMotor, "names"), "motors"] = field(
        default_factory=dict
    )
    gears: Annotated[Mapping[str, Gear], Of(Gear, "names"), "gears"] = field(default_factory=dict)
    belts: Annotated[Mapping[str, Gear], Of(Gear, "names"), "belts between two pulleys"] = field(
        default_factory=dict
    )
    screws: Annotated[Mapping[str, Screw], Of(Screw, "names"), "screws"] = field(default_factory=dict)
    pulleys: Annotated[Mapping[str, Pulley], Of(Pulley, "names"), "pulleys and pinions"] = field(
        default_factory=dict
    )
    amplifiers: Annotated[Mapping[str, Amplifier], Of(Amplifier, "names"), "amplifiers"] = field(
        default_factory=dict
    )
    source: str = ""

    def named(self) -> DriveParts:
        """Every part with the name under which it stands."""
        sections: dict[str, Any] = {
            section: {name: replace(part, name=name) for name, part in getattr(self, section).items()}
            for section in SECTIONS
        }
        return replace(self, **sections)


SECTIONS: Mapping[str, type] = {
    "motors": DriveMotor, "gears": Gear, "belts": Gear, "screws": Screw, "pulleys": Pulley,
    "amplifiers": Amplifier,
}  # fmt: skip
PARTS = {section.removesuffix("s"): section for section in SECTIONS}  # as a drive calls them


def read_drive_parts(path: str | os.PathLike[str]) -> DriveParts:
    """Motors, gears, belts, screws, pulleys and amplifiers of a YAML or CSV file."""
    place = Path(os.fspath(path_of(path, "catalog")))
    ending = place.suffix.lower()
    if ending == ".csv":
        found = Document(_of_rows(place))
    elif ending in (".yaml", ".yml"):
        try:
            found = read_yaml(read_bytes(place, LARGEST_FILE))
        except FaultyError as error:
            raise error_of(str(place), error.faults) from None
    else:
        raise InputError(f"{place} does not end in .yaml, .yml or .csv; the ending tells the format.")
    try:
        parts = _parts(found)
    except FaultyError as error:
        raise error_of(str(place), [*found.faults, *error.faults]) from None
    if found.faults:
        raise error_of(str(place), found.faults)
    return replace(parts.named(), source=str(place))


def _parts(document: Document) -> DriveParts:
    reading = Reading()
    parts: DriveParts = reading.part(DriveParts, document.data)
    refuse_any(document, reading.found)
    return parts


# Tables.


def columns(part: type, before: str = "") -> Iterator[tuple[str, FieldQuantity[Any]]]:
    """Fields of a part as columns, those within others by `brake.torque`; the name is told apart."""
    for name, entry in entries(part).items():
        if isinstance(entry.holds, FieldQuantity):
            if name != "name":
                yield before + name, entry.holds
        elif isinstance(entry.holds, Of) and isinstance(entry.holds.part, type):
            yield from columns(entry.holds.part, f"{before}{name}.")


def _of_rows(path: Path) -> dict[str, dict[str, Any]]:
    """The sections of a table, as plain data."""
    rows = [
        (line, [text_of_cell(cell).strip() for cell in cells])
        for line, cells in islice(csv_rows(path, LARGEST), MOST + 2)
    ]
    if not rows:
        raise InputError(f"{path} is empty; expected a header with part, name and fields of parts.")
    if len(rows) > MOST + 1:
        raise InputError(f"{path} has more than {MOST} rows; leave out what cannot serve.")
    known: dict[str, FieldQuantity[Any]] = {}
    for part in SECTIONS.values():
        known |= dict(columns(part))
    header = [_column(path, text, known) for text in rows[0][1]]
    names = [name for name, _ in header]
    if not {"part", "name"} <= {*names} or len({*names}) < len(names):
        raise InputError(
            f"{path}, line 1: columns are {listed(names)}; needed are part (one of {listed(PARTS)}), "
            "name, and fields of parts, each once."
        )
    found: dict[str, dict[str, Any]] = {}
    for line, cells in rows[1:]:
        if len(cells) != len(names):
            raise InputError(
                f"{path}, line {line}: {len(cells)} cells where the header has {len(names)}."
            )
        row = dict(zip(names, cells, strict=True))
        kind, name = row.pop("part").lower(), row.pop("name")
        if kind not in PARTS:
            hint = suggestion(kind, PARTS)
            raise InputError(f"{path}, line {line}: part {shown(kind)}{hint}; allowed: {listed(PARTS)}.")
        section = found.setdefault(PARTS[kind], {})
        if name in section:
            raise InputError(f"{path}, line {line}: {kind} {shown(name)} appears twice.")
        own = dict(columns(SECTIONS[PARTS[kind]]))
        section[name] = {}
        for column, factor in header:
            if row.get(column):
                if column not in own:
                    where = f"{path}, line {line}: {column} is not a field of a {kind}"
                    raise InputError(f"{where}; allowed: {listed(own)}.")
                value = _value(f"{path}, line {line}, {column}", row[column], factor)
                _put(section[name], column.split("."), value)
    if not found:
        raise InputError(f"{path} has a header and no part.")
    return found


def _column(path: Path, text: str, known: Mapping[str, FieldQuantity[Any]]) -> tuple[str, float | None]:
    """What a column holds, and the factor of its unit if it says one."""
    name, bracket, rest = text.partition("[")
    word, unit = name.strip().lower().replace(" ", "_"), rest.strip().removesuffix("]").strip()
    if word in ("part", "name") and not bracket:
        return word, None
    if word not in known:
        raise InputError(
            f"{path}, line 1: unknown column {shown(text)}{suggestion(word, known)}; allowed: part, "
            f"name, {listed(known)}, in SI units or as inertia [kg cm^2]."
        )
    if not bracket:
        return word, None
    units = UNITS.get(known[word].unit, {})
    if unit not in units:
        allowed = listed(units) or "none: it has no unit"
        raise InputError(f"{path}, line 1: unit of {shown(text)}; allowed: {allowed}.")
    return word, units[unit]


def _value(where: str, cell: str, factor: float | None) -> Any:
    """A number in SI units; pairs `0:2 300:1.5`; or the text, which the field's reader judges."""
    try:
        return float(cell) * (factor or 1.0)
    except ValueError:
        pass
    if ":" in cell:
        try:
            return [[float(number) for number in pair.split(":")] for pair in cell.split()]
        except ValueError:
            raise InputError(f"{where}: {shown(cell)}; expected pairs such as 0:2 300:1.5.") from None
    if factor is not None:
        raise InputError(f"{where}: {shown(cell)} is not a number.")
    return cell


def _put(data: dict[str, Any], path: list[str], value: Any) -> None:
    for step in path[:-1]:
        data = data.setdefault(step, {})
    data[path[-1]] = value


# Robot files that name parts of a catalog.


def present_keys(drive: Mapping[str, Any]) -> dict[str, Any]:
    return {DRIVE_KEYS.get(name, name): value for name, value in drive.items()}


def with_named_parts(document: Document, folder: Path | None) -> Document:
    """The document of a robot with the parts of drives written out; FaultyError with every fault."""
    read: dict[Path, DriveParts] = {}
    faults: list[Found] = []

    def resolved(data: Any, path: FieldPath, inherited: object) -> Any:
        if isinstance(data, list | tuple):
            return [resolved(item, (*path, k), inherited) for k, item in enumerate(data)]
        if not isinstance(data, Mapping):
            return data
        shared = inherited
        if path == () and isinstance(data.get("leg_defaults"), Mapping):
            drive = data["leg_defaults"].get("drive")
            shared = present_keys(drive).get("catalog") if isinstance(drive, Mapping) else None
        found = {}
        for name, value in data.items():
            if name == "drive" and isinstance(value, Mapping):
                found[name] = of_drive(value, (*path, name), shared)
            else:
                found[name] = resolved(value, (*path, name), shared)
        return found

    def of_drive(drive: Mapping[str, Any], path: FieldPath, shared: object) -> dict[str, Any]:
        drive = present_keys(drive)
        place = drive.get("catalog", shared)
        found = {name: value for name, value in drive.items() if name != "catalog"}
        named = [part for part in PARTS if isinstance(found.get(part), str)]
        if not named:
            return found
        if place is None:
            what = f"{shown(found[named[0]])} is a name; add catalog: FILE with its parts to the drive"
            faults.append(((*path, named[0]), what))
        elif not isinstance(place, str):
            faults.append(((*path, "catalog"), f"{shown(place)} is not the path of a file"))
        else:
            at = (folder or Path()) / place
            try:
                parts = read[at] if at in read else read.setdefault(at, read_drive_parts(at))
            except InputError as error:
                faults.append(((*path, "catalog"), str(error)))
                return {}
            for part in named:
                section = getattr(parts, PARTS[part])
                if found[part] not in section:
                    hint = suggestion(found[part], section)
                    what = f"{shown(found[part])} is not among the {PARTS[part]} of {place}{hint}"
                    faults.append(((*path, part), f"{what}; allowed: {listed(section) or 'none'}"))
                else:
                    found[part] = written(section[found[part]])
        return found

    if not _has_drives(document.data):
        return document
    data = resolved(document.data, (), None)
    refuse_any(document, faults)
    return replace(document, data=data)


def _has_drives(data: object) -> bool:
    """Most files have none, and need no second look."""
    if isinstance(data, Mapping):
        return "drive" in data or any(map(_has_drives, data.values()))
    return isinstance(data, list | tuple) and any(map(_has_drives, data))
