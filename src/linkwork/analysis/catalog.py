"""Actuators to choose from: tables of products, and how each meets what motions ask."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from pathlib import Path

from linkwork.core.arguments import path_of
from linkwork.core.checked import checked
from linkwork.core.errors import InputError
from linkwork.core.input_files import csv_rows
from linkwork.core.table_files import text_of_cell
from linkwork.files import quantities as q
from linkwork.files.faults import shortened, suggestion
from linkwork.files.quantities import meant_by
from linkwork.robot.limits import Envelope, envelope_share
from linkwork.robot.robot import Array

# Columns of a catalog beside the name; SI units. Those left out are not judged.
JUDGED = ("stroke", "peak_effort", "continuous_effort", "velocity", "power", "retracted_length")
ENVELOPE = "effort_velocity"  # pairs speed:effort, such as 0:12000 1.2:6000
FACTS = ("inertia", "mass", "price")  # that are shown beside the margins
TEXTS = ("maker", "part_number", "note")
COLUMNS = (*JUDGED, ENVELOPE, *FACTS, *TEXTS)
ALIASES = {
    "force": "peak_effort",
    "peak_force": "peak_effort",
    "torque": "peak_effort",
    "peak_torque": "peak_effort",
    "continuous_force": "continuous_effort",
    "rms_force": "continuous_effort",
    "continuous_torque": "continuous_effort",
    "rms_torque": "continuous_effort",
    "speed": "velocity",
    "range": "stroke",
    "force_velocity": ENVELOPE,
    "force_speed": ENVELOPE,
    "torque_speed": ENVELOPE,
    "effort_speed": ENVELOPE,
    "weight": "mass",
    "cost": "price",
    "manufacturer": "maker",
    "part": "part_number",
    "order_number": "part_number",
    "notes": "note",
}
MOST, LARGEST = 100_000, 20_000_000  # rows and bytes of a catalog
FORCES = {"n": 1.0, "kn": 1e3, "n m": 1.0, "nm": 1.0, "kn m": 1e3, "knm": 1e3}
DEGREE = math.pi / 180
# Units in headers, `stroke [mm]`, and their factors; SI units unless said.
UNITS = {
    "stroke": {"m": 1.0, "mm": 1e-3, "cm": 1e-2, "in": 0.0254, "rad": 1.0, "deg": DEGREE},
    "retracted_length": {"m": 1.0, "mm": 1e-3, "cm": 1e-2, "in": 0.0254},
    "peak_effort": FORCES,
    "continuous_effort": FORCES,
    "velocity": {"m/s": 1.0, "mm/s": 1e-3, "rad/s": 1.0, "deg/s": DEGREE, "rpm": 6 * DEGREE},
    "power": {"w": 1.0, "kw": 1e3},
    "inertia": {"kg m^2": 1.0, "kg cm^2": 1e-4, "g cm^2": 1e-7, "kg": 1.0},
    "mass": {"kg": 1.0, "g": 1e-3, "lb": 0.45359237},
}
MOST_PLAUSIBLE = {  # SI
    "stroke": (50.0, "mm] or [deg"),
    "velocity": (100.0, "mm/s] or [deg/s"),
    "retracted_length": (50.0, "mm"),
}
HEADER = re.compile(r"([^\[(]*?)\s*(?:[\[(]\s*([^\])]*?)\s*[\])])?\s*")


@checked
@dataclass(frozen=True)
class Actuator:
    """One product; None is not given. `retracted_length` is from joint to joint at its shortest, `texts`
    are maker, part number and note as far as the table has them."""

    name: str
    stroke: float | None = None
    peak_effort: float | None = None
    continuous_effort: float | None = None
    velocity: float | None = None
    power: float | None = None
    retracted_length: float | None = None
    effort_velocity: Envelope | None = None
    inertia: float | None = None
    mass: float | None = None
    price: float | None = None
    texts: Mapping[str, str] = field(default_factory=dict)


@checked
@dataclass(frozen=True)
class Catalog:
    """Actuators of a table."""

    actuators: tuple[Actuator, ...]
    source: str = ""


@dataclass(frozen=True, eq=False)
class Requirement:
    """What an actuator must give in one place; the stroke is that of all legs if these are alike, from
    the shortest of all on. `cloud` are speeds and efforts (N,) of all samples."""

    name: str
    stroke: float
    shortest: float | None
    peak_effort: float
    continuous_effort: float
    velocity: float
    power: float
    cloud: tuple[Array, Array]

    def used(self, actuator: Actuator) -> dict[str, float]:
        """Demand by limit, as far as the table has limits."""
        found = {}
        for what in ("stroke", "peak_effort", "continuous_effort", "velocity", "power"):
            offered = getattr(actuator, what)
            if offered is not None:
                found[what] = getattr(self, what) / offered
        if actuator.effort_velocity is not None:
            found[ENVELOPE] = float(envelope_share(actuator.effort_velocity, *self.cloud).max())
        if self.shortest is not None and actuator.retracted_length is not None:
            found["retracted_length"] = actuator.retracted_length / self.shortest
            if actuator.stroke is not None:
                extended = actuator.retracted_length + actuator.stroke
                found["extended_length"] = (self.shortest + self.stroke) / extended
        return found


@dataclass(frozen=True)
class CatalogFit:
    """How an actuator serves: every margin, (limit - demand) / limit, least over all places."""

    actuator: Actuator
    margins: Mapping[str, tuple[float, str]]

    @property
    def margin(self) -> float:
        """The least of all; infinite if nothing is judged."""
        return min((margin for margin, _ in self.margins.values()), default=math.inf)

    @cached_property
    def limited_by(self) -> str:
        """Of what the least margin is, such as "stroke of leg3"."""
        if not self.margins:
            return "nothing"
        what = min(self.margins, key=lambda each: self.margins[each][0])
        return f"{what.replace('_', ' ')} of {self.margins[what][1]}"

    @property
    def serves(self) -> bool:
        return self.margin >= 0.0


def fits(catalog: Catalog, requirements: Sequence[Requirement]) -> tuple[CatalogFit, ...]:
    """All actuators, those that serve everywhere first; among these the closest fit first."""
    found = [_fit(actuator, requirements) for actuator in catalog.actuators]
    return tuple(sorted(found, key=lambda fit: (not fit.serves, abs(fit.margin), fit.actuator.name)))


def _fit(actuator: Actuator, requirements: Sequence[Requirement]) -> CatalogFit:
    margins: dict[str, tuple[float, str]] = {}
    for each in requirements:
        for what, used in each.used(actuator).items():
            if what not in margins or 1 - used < margins[what][0]:
                margins[what] = (1 - used, each.name)
    return CatalogFit(actuator, margins)


def read_catalog(path: str | os.PathLike[str]) -> Catalog:
    """Actuators from a CSV table with a column `name` and some of stroke, force, velocity, power.

    Columns: name, stroke, peak_effort (force, torque), continuous_effort, velocity, power,
    retracted_length, effort_velocity (pairs such as `0:12000 1.2:6000`), and inertia, mass, price,
    maker, part_number and note, which are not judged; in SI units, or in those of the header: `stroke
    [mm]`, `force [kN]`. An empty cell is not judged; other columns are refused.
    """
    written = islice(csv_rows(path_of(path, "catalog"), LARGEST), MOST + 2)
    rows = [(line, [text_of_cell(cell) for cell in cells]) for line, cells in written]
    if not rows:
        raise InputError(f"{path} is empty; expected a header with name and {', '.join(COLUMNS)}.")
    header = rows[0][1]
    if len(header) == 1 and ";" in header[0]:
        raise InputError(
            f"{path}, line 1: columns are separated by semicolons; separate them by commas."
        )
    found = [_column(path, text) for text in header]
    names, factors = [name for name, _ in found], [factor for _, factor in found]
    if "name" not in names or len(names) < 2 or len(set(names)) < len(names):
        raise InputError(
            f"{path}, line 1: columns are {shortened(', '.join(header))}; needed are name and some of "
            f"{', '.join(COLUMNS)}, each once."
        )
    if len(rows) - 1 > MOST:
        raise InputError(f"{path} has more than {MOST} rows; leave out what cannot serve.")
    actuators = [_actuator(path, line, names, factors, row) for line, row in rows[1:]]
    if not actuators:
        raise InputError(f"{path} has a header and no actuator.")
    return Catalog(tuple(actuators), str(Path(path)))


def _column(path: str | os.PathLike[str], text: str) -> tuple[str, float | None]:
    """What a column holds, and the factor of its unit if it says one."""
    parts = HEADER.fullmatch(text.strip())
    word, unit = (parts[1], parts[2]) if parts else (text, None)
    word = word.strip().lower().replace(" ", "_")
    word = ALIASES.get(word, word)
    if word not in ("name", *COLUMNS):
        near = suggestion(word, ("name", *COLUMNS, *ALIASES))
        raise InputError(
            f"{path}, line 1: unknown column {text!r}{near}; allowed: name, {', '.join(COLUMNS)}, "
            f"{', '.join(ALIASES)}, in SI units or as stroke [mm]."
        )
    if unit is None or word in ("name", "price", *TEXTS):
        return word, None
    if word == ENVELOPE:
        raise InputError(f"{path}, line 1: {text!r} is in SI units; write {ENVELOPE} without a unit.")
    known = UNITS[word]
    if unit.lower() not in known:
        raise InputError(f"{path}, line 1: unit of {text!r}; expected {', '.join(known)}.")
    return word, known[unit.lower()]


def _actuator(
    path: str | os.PathLike[str],
    line: int,
    names: list[str],
    factors: list[float | None],
    row: list[str],
) -> Actuator:
    if len(row) != len(names):
        raise InputError(f"{path}, line {line}: {len(row)} cells where the header has {len(names)}.")
    values: dict[str, float | None] = {}
    name, texts, envelope = "", {}, None
    for column, factor, cell in zip(names, factors, row, strict=True):
        if column == "name":
            name = cell.strip()
            continue
        if column == ENVELOPE:
            envelope = _envelope(f"{path}, line {line}, {column}", cell)
            continue
        if column in TEXTS:
            texts[column] = cell.strip()
            continue
        try:
            value = float(cell) if cell.strip() else None
        except ValueError:
            value = math.nan
        if value is not None and not (math.isfinite(value) and value > 0):
            hint = meant_by(cell, "")
            raise InputError(
                f"{path}, line {line}, {column}: {cell!r}{hint}; expected numbers above 0, with "
                f"units in the header, such as {column} [{next(iter(UNITS.get(column, ['EUR'])))}]."
            )
        most, units = MOST_PLAUSIBLE.get(column, (math.inf, ""))
        if value is not None and factor is None and value > most:
            raise InputError(
                f"{path}, line {line}, {column}: {cell} is in SI units, more than any actuator has; "
                f"did you mean {column} [{units}] in the header?"
            )
        values[column] = None if value is None else value * (factor or 1.0)
    return Actuator(name, **values, effort_velocity=envelope, texts=texts)


def _envelope(where: str, cell: str) -> Envelope | None:
    """Pairs of speed and effort, `0:12000 1.2:6000`."""
    if not cell.strip():
        return None
    try:
        return q.envelope([[float(part) for part in pair.split(":")] for pair in cell.split()])
    except ValueError as error:
        raise InputError(
            f"{where}: {cell!r}: {error}; in a table as pairs speed:effort, 0:12000 1.2:6000."
        ) from None
