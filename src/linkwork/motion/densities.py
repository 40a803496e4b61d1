"""Tables of power spectral densities: a column of frequencies, and one per coordinate."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from linkwork.errors import InputError
from linkwork.motion.columns import Column, Layout
from linkwork.motion.header import ANGLES, POSITION, Expected
from linkwork.motion.random_vibration import QUANTITIES, Density
from linkwork.motion.reading import motion_ending, read_columns
from linkwork.motion.units import UNITS
from linkwork.robots.faults import shortened

FREQUENCY = re.compile(r"(f|freq|frequency)(\s*[\[(]\s*hz\s*[\])]|_hz)?", re.IGNORECASE)
WITH_UNIT = re.compile(r"(.*?)\s*\[\s*(.*?)\s*\]")
DENSITY_UNIT = re.compile(r"\(?([^()]*?)\)?\s*(?:\^2|²)\s*/\s*hz", re.IGNORECASE)
STANDARD_FALL = 9.80665  # m/s^2, the g of vibration tests
EXAMPLES = {
    "position": "mm^2/Hz, deg^2/Hz",
    "velocity": "(m/s)^2/Hz, (deg/s)^2/Hz",
    "acceleration": "(m/s^2)^2/Hz, g^2/Hz, (rad/s^2)^2/Hz",
}


def place_of(name: str, expected: Expected, where: str) -> int:
    """The number of the coordinate that a name means."""
    meaning = expected.meaning(name)
    if meaning is not None and meaning.order == 0:
        if meaning.kind == "pose" and expected.moves_platform and meaning.place in (*POSITION, *ANGLES):
            return (*POSITION, *ANGLES).index(str(meaning.place))
        if meaning.kind == "joint" and not expected.moves_platform:
            return int(meaning.place)
    names = (*POSITION, *ANGLES) if expected.moves_platform else expected.names or ()
    what = f"{shortened(name)!r} is no coordinate of {expected.robot}"
    raise InputError(f"{where}: {what}; allowed: {', '.join(names)}.")


def written_densities(given: Mapping[str, Any], quantity: str, expected: Expected) -> dict[int, Density]:
    """Densities of a YAML file: rows of frequency and density by the name of a coordinate."""
    found: dict[int, Density] = {}
    for name, points in given.items():
        place = place_of(name, expected, "density")
        if place in found:
            raise InputError(f"density: {name!r} stands there twice, by two names; keep one.")
        found[place] = _located(points, quantity, f"density of {name}")
    return found


def _located(points: Any, quantity: str, where: str) -> Density:
    try:
        return Density.of(points, quantity)
    except InputError as error:
        raise InputError(f"{where}: {str(error).removeprefix('density: ')}") from error


def read_densities(file: Path, quantity: str, expected: Expected) -> dict[int, Density]:
    """Densities in a .csv with a column `frequency` [Hz] and columns by the names of coordinates."""
    motion_ending(file, (".csv",))
    names: dict[int, str] = {}

    def layout_of(header: Sequence[str], where: str) -> Layout:
        columns: dict[int, Column] = {}
        frequency = None
        for k, word in enumerate(name.strip() for name in header):
            if FREQUENCY.fullmatch(word) and frequency is None:
                frequency = Column(k, 1.0)
                continue
            match = WITH_UNIT.fullmatch(word)
            name, unit = (match[1], match[2]) if match else (word, None)
            place = place_of(name, expected, f"{where}, column {k + 1}")
            if place in columns:
                raise InputError(f"{where}, column {k + 1}: {name!r} stands there twice; keep one.")
            columns[place] = Column(k, _factor(unit, quantity, f"{where}, column {k + 1}"))
            names[place] = name
        if frequency is None or not columns:
            raise InputError(f"{where}: needed are a column frequency [Hz] and one per coordinate.")
        return Layout("density", frequency, {str(place): [c] for place, c in columns.items()})

    frequencies, tables = read_columns(file, layout_of, "frequency,z,pitch", "Hz")
    return {
        int(place): _located(
            np.column_stack([frequencies, values]), quantity, f"{file}: density of {names[int(place)]}"
        )
        for place, values in tables.items()
    }


def _factor(unit: str | None, quantity: str, where: str) -> float:
    """The size of a unit of density in SI."""
    if unit is None:
        return 1.0
    match = DENSITY_UNIT.fullmatch(unit)
    known = UNITS.get(match[1].strip().lower()) if match else None
    if match and match[1].strip() == "g" and quantity == "acceleration":
        return STANDARD_FALL**2
    if known is None or known.order != QUANTITIES.index(quantity) or known.measures == "time":
        allowed = EXAMPLES[quantity]
        raise InputError(f"{where}: {unit!r} is no unit of a density of {quantity}; allowed: {allowed}.")
    return known.factor**2
