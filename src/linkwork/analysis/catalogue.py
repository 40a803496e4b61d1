"""Actuators to choose from: a table of their strokes, forces and speeds, and how they fit demands."""

from __future__ import annotations

import csv
import math
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from linkwork.errors import InputError
from linkwork.robots.text_numbers import meant_by

if TYPE_CHECKING:
    from linkwork.analysis.sizing import Demand

# Columns of a catalogue beside the name; SI units. Those left out are not judged.
COLUMNS = ("stroke", "peak_effort", "continuous_effort", "velocity", "power")
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
}
MOST = 100_000
FORCES = {"n": 1.0, "kn": 1e3, "n m": 1.0, "nm": 1.0, "kn m": 1e3, "knm": 1e3}
DEGREE = math.pi / 180
# Units in headers, `stroke [mm]`, and their factors; SI units unless said.
UNITS = {
    "stroke": {"m": 1.0, "mm": 1e-3, "cm": 1e-2, "in": 0.0254, "rad": 1.0, "deg": DEGREE},
    "peak_effort": FORCES,
    "continuous_effort": FORCES,
    "velocity": {"m/s": 1.0, "mm/s": 1e-3, "rad/s": 1.0, "deg/s": DEGREE, "rpm": 6 * DEGREE},
    "power": {"w": 1.0, "kw": 1e3},
}
MOST_PLAUSIBLE = {"stroke": (50.0, "mm] or [deg"), "velocity": (100.0, "mm/s] or [deg/s")}  # SI
HEADER = re.compile(r"([^\[(]*?)\s*(?:[\[(]\s*([^\])]*?)\s*[\])])?\s*")


@dataclass(frozen=True)
class Actuator:
    """One product; None is not given."""

    name: str
    stroke: float | None = None
    peak_effort: float | None = None
    continuous_effort: float | None = None
    velocity: float | None = None
    power: float | None = None


@dataclass(frozen=True)
class Catalogue:
    """Actuators of a table."""

    actuators: tuple[Actuator, ...]
    source: str = ""


@dataclass(frozen=True)
class Fit:
    """How an actuator serves: its least margin (0.2 is 20 % more than needed), and what limits it."""

    actuator: Actuator
    margin: float
    limited_by: str  # such as "stroke of leg3"

    @property
    def serves(self) -> bool:
        return self.margin >= 0.0


def fits(catalogue: Catalogue, demands: Sequence[Demand]) -> tuple[Fit, ...]:
    """All actuators, those that serve every demand first; among these the closest fit first."""
    found = [_fit(actuator, demands) for actuator in catalogue.actuators]
    return tuple(sorted(found, key=lambda fit: (not fit.serves, abs(fit.margin), fit.actuator.name)))


def _fit(actuator: Actuator, demands: Sequence[Demand]) -> Fit:
    least, limited_by = math.inf, "nothing"
    for demand in demands:
        asked = {
            "stroke": demand.stroke,
            "peak_effort": demand.peak,
            "continuous_effort": demand.rms,
            "velocity": demand.velocity,
            "power": demand.power,
        }
        for what, need in asked.items():
            offered = getattr(actuator, what)
            if offered is None or need == 0.0:
                continue
            margin = offered / need - 1.0
            if margin < least:
                least, limited_by = margin, f"{what.replace('_', ' ')} of {demand.name}"
    return Fit(actuator, least, limited_by)


def read_catalogue(path: str | os.PathLike[str]) -> Catalogue:
    """Actuators from a CSV table with a column `name` and some of stroke, force, velocity, power.

    Columns: name, stroke, peak_effort (force, torque), continuous_effort, velocity, power; in SI units,
    or in those of the header: `stroke [mm]`, `force [kN]`. An empty cell is not judged.
    """
    if not isinstance(path, str | os.PathLike):
        raise InputError(f"catalogue = {path!r}: allowed is the path of a CSV table.")
    try:
        with open(path, newline="", encoding="utf-8-sig") as file:
            rows = list(islice(csv.reader(file), MOST + 2))
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path} is no table of comma-separated values: {error}.") from error
    if not rows:
        raise InputError(f"{path} is empty; allowed is a header with name and {', '.join(COLUMNS)}.")
    if len(rows[0]) == 1 and ";" in rows[0][0]:
        raise InputError(
            f"{path}, line 1: columns are separated by semicolons; separate them by commas."
        )
    found = [_column(path, text) for text in rows[0]]
    names, factors = [name for name, _ in found], [factor for _, factor in found]
    if "name" not in names or len(names) < 2 or len(set(names)) < len(names):
        raise InputError(
            f"{path}, line 1: columns are {', '.join(rows[0])}; needed are name and some of "
            f"{', '.join(COLUMNS)}, each once."
        )
    if len(rows) - 1 > MOST:
        raise InputError(f"{path} has more than {MOST} rows; leave out what cannot serve.")
    actuators = []
    for line, row in enumerate(rows[1:], start=2):
        if any(cell.strip() for cell in row):
            actuators.append(_actuator(path, line, names, factors, row))
    if not actuators:
        raise InputError(f"{path} has a header and no actuator.")
    return Catalogue(tuple(actuators), str(Path(path)))


def _column(path: str | os.PathLike[str], text: str) -> tuple[str, float | None]:
    """What a column holds, and the factor of its unit if it says one."""
    parts = HEADER.fullmatch(text.strip())
    word, unit = (parts[1], parts[2]) if parts else (text, None)
    word = word.strip().lower().replace(" ", "_")
    word = ALIASES.get(word, word)
    if word not in ("name", *COLUMNS):
        raise InputError(
            f"{path}, line 1: unknown column {text!r}; allowed are name, {', '.join(COLUMNS)}, "
            f"{', '.join(ALIASES)}, in SI units or as stroke [mm]."
        )
    if unit is None or word == "name":
        return word, None
    known = UNITS[word]
    if unit.lower() not in known:
        raise InputError(f"{path}, line 1: unit of {text!r}; allowed are {', '.join(known)}.")
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
    name = ""
    for column, factor, cell in zip(names, factors, row, strict=True):
        if column == "name":
            name = cell.strip()
            continue
        try:
            value = float(cell) if cell.strip() else None
        except ValueError:
            value = math.nan
        if value is not None and not (math.isfinite(value) and value > 0):
            hint = meant_by(cell, "")
            raise InputError(
                f"{path}, line {line}, {column}: {cell!r}{hint}; allowed are numbers above 0, with "
                f"units in the header, such as {column} [{next(iter(UNITS[column]))}]."
            )
        most, units = MOST_PLAUSIBLE.get(column, (math.inf, ""))
        if value is not None and factor is None and value > most:
            raise InputError(
                f"{path}, line {line}, {column}: {cell} is in SI units, more than any actuator has; "
                f"did you mean {column} [{units}] in the header?"
            )
        values[column] = None if value is None else value * (factor or 1.0)
    return Actuator(name, **values)
