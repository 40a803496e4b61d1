"""Actuators to choose from: a table of their strokes, forces and speeds, and how they fit demands."""

from __future__ import annotations

import csv
import math
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from linkwork.errors import InputError

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

    Columns, in SI units: name, stroke, peak_effort (force, torque), continuous_effort, velocity, power.
    An empty cell is not judged.
    """
    if not isinstance(path, str | os.PathLike):
        raise InputError(f"catalogue = {path!r}: allowed is the path of a CSV table.")
    try:
        with open(path, newline="", encoding="utf-8-sig") as file:
            rows = list(csv.reader(file))
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path} is no table of comma-separated values: {error}.") from error
    if not rows:
        raise InputError(f"{path} is empty; allowed is a header with name and {', '.join(COLUMNS)}.")
    names = [_column(path, text) for text in rows[0]]
    if "name" not in names or len(names) < 2 or len(set(names)) < len(names):
        raise InputError(
            f"{path}, line 1: columns are {', '.join(rows[0])}; needed are name and some of "
            f"{', '.join(COLUMNS)}, each once."
        )
    if len(rows) - 1 > MOST:
        raise InputError(f"{path} has {len(rows) - 1} rows; allowed are {MOST}.")
    actuators = []
    for line, row in enumerate(rows[1:], start=2):
        if any(cell.strip() for cell in row):
            actuators.append(_actuator(path, line, names, row))
    if not actuators:
        raise InputError(f"{path} has a header and no actuator.")
    return Catalogue(tuple(actuators), str(Path(path)))


def _column(path: str | os.PathLike[str], text: str) -> str:
    word = text.split("[")[0].strip().lower().replace(" ", "_")
    word = ALIASES.get(word, word)
    if word not in ("name", *COLUMNS):
        raise InputError(
            f"{path}, line 1: unknown column {text!r}; allowed are name, {', '.join(COLUMNS)}, "
            f"{', '.join(ALIASES)}, in SI units."
        )
    return word


def _actuator(path: str | os.PathLike[str], line: int, names: list[str], row: list[str]) -> Actuator:
    if len(row) != len(names):
        raise InputError(f"{path}, line {line}: {len(row)} cells where the header has {len(names)}.")
    values: dict[str, float | None] = {}
    name = ""
    for column, cell in zip(names, row, strict=True):
        if column == "name":
            name = cell.strip()
            continue
        try:
            value = float(cell) if cell.strip() else None
        except ValueError:
            value = math.nan
        if value is not None and not (math.isfinite(value) and value > 0):
            raise InputError(f"{path}, line {line}, {column}: {cell!r}; allowed are numbers above 0.")
        values[column] = value
    return Actuator(name, **values)
