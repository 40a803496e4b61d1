"""Random motions of a given power spectral density: vibration tests, roads, waves.

A stationary Gaussian process as a sum of many cosines with random phases (M. Shinozuka, G. Deodatis,
Simulation of stochastic processes by spectral representation, Appl. Mech. Rev. 44 (1991) 191): one per
1/duration of frequency, each with the power that the density has there. Densities are written in the
motion file or in a table: a column of frequencies, and one per coordinate.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from linkwork.core.arguments import not_negative, one_of, positive, whole
from linkwork.core.errors import InputError
from linkwork.files.faults import shortened
from linkwork.model.geometry import frozen
from linkwork.motion.excursions import Either, JointExcursion, PoseExcursion
from linkwork.motion.header import POSITION, UNITS, Column, ColumnLayout, Expected
from linkwork.motion.inputs import table, vector
from linkwork.motion.profiles import Fraction, Signal, faded
from linkwork.motion.tables import motion_ending, read_columns
from linkwork.robot.coordinates import ANGLES
from linkwork.robot.robot import Array

QUANTITIES = ("position", "velocity", "acceleration")  # by the number of derivatives
MOST_WAVES = 100_000
BLOCK = 2_000_000  # numbers at a time
FREQUENCY = re.compile(r"(f|freq|frequency)(\s*[\[(]\s*hz\s*[\])]|_hz)?", re.IGNORECASE)
WITH_UNIT = re.compile(r"(.*?)\s*\[\s*(.*?)\s*\]")
DENSITY_UNIT = re.compile(r"\(?([^()]*?)\)?\s*(?:\^2|²)\s*/\s*hz", re.IGNORECASE)
STANDARD_FALL = 9.80665  # m/s^2, the g of vibration tests
EXAMPLES = {
    "position": "mm^2/Hz, deg^2/Hz",
    "velocity": "(m/s)^2/Hz, (deg/s)^2/Hz",
    "acceleration": "(m/s^2)^2/Hz, g^2/Hz, (rad/s^2)^2/Hz",
}


@dataclass(frozen=True, eq=False)
class Density:
    """A one-sided power spectral density over frequency [Hz], straight between points in log-log.

    `values` are unit^2/Hz of a position, velocity or acceleration; beyond the first and last frequency
    there is nothing.
    """

    frequencies: Array
    values: Array
    quantity: str = "acceleration"

    @staticmethod
    def of(points: ArrayLike, quantity: str = "acceleration") -> Density:
        """From rows of frequency and density."""
        rows = table(points, "density", 2)
        if rows.shape[1] != 2:
            raise InputError(f"density has rows of {rows.shape[1]}; allowed: [frequency, density] each.")
        frequencies, values = frozen(rows[:, 0]), frozen(rows[:, 1])
        if not frequencies[0] > 0 or not (np.diff(frequencies) > 0).all():
            raise InputError("density: frequencies must be above 0 Hz and increase.")
        if not (values >= 0).all():
            raise InputError("density: a power spectral density is nowhere negative.")
        return Density(frequencies, values, one_of(quantity, QUANTITIES, "quantity"))

    def at(self, f: Array) -> Array:
        """The density at frequencies within the table; linear where it reaches zero."""
        log = np.log(np.maximum(self.values, np.finfo(np.float64).tiny))
        smooth = np.exp(np.interp(np.log(f), np.log(self.frequencies), log))
        k = np.clip(np.searchsorted(self.frequencies, f) - 1, 0, len(self.values) - 2)
        touches = (self.values[k] == 0) | (self.values[k + 1] == 0)
        return np.where(touches, np.interp(f, self.frequencies, self.values), smooth)

    def waves(self, duration: float) -> tuple[Array, Array]:
        """Frequencies [Hz] and amplitudes of position of cosines that together have this density."""
        step = 1 / duration
        first, last = float(self.frequencies[0]), float(self.frequencies[-1])
        count = int((last - first) / step * (1 + 1e-12))
        if count < 1:
            raise InputError(
                f"duration = {duration:g} s is too short for a density from {first:g} to {last:g} Hz; "
                f"expected {1 / (last - first):g} s and more."
            )
        if count > MOST_WAVES:
            raise InputError(
                f"duration = {duration:g} s up to {last:g} Hz makes {count} waves; expected "
                f"{MOST_WAVES}. Shorten the duration or the range of frequencies."
            )
        f = first + step * (np.arange(count, dtype=np.float64) + 0.5)
        amplitude = np.sqrt(2 * self.at(f) * step)
        return f, amplitude / (2 * np.pi * f) ** QUANTITIES.index(self.quantity)


@dataclass(frozen=True, eq=False)
class Noise(Signal):
    """A sum of cosines; over `fade` seconds at both ends it grows from rest and comes back to it."""

    frequencies: Array
    amplitudes: Array
    phases: Array
    fade: float

    def at(self, t: Array) -> Fraction:
        w = 2 * np.pi * self.frequencies
        rows = max(1, BLOCK // max(1, len(w)))
        parts = [self._sums(t[k : k + rows], w) for k in range(0, max(1, len(t)), rows)]
        s, sd, sdd = (np.concatenate(column) for column in zip(*parts, strict=True))
        return faded(Fraction(s, sd, sdd), t, self.duration, self.fade)

    def _sums(self, t: Array, w: Array) -> tuple[Array, Array, Array]:
        phase = np.outer(t, w) + self.phases
        sine, cosine = np.sin(phase), np.cos(phase)
        a = self.amplitudes
        return cosine @ a, -sine @ (w * a), -cosine @ (w**2 * a)


def place_of(name: str, expected: Expected, where: str) -> int:
    """The number of the coordinate that a name means."""
    meaning = expected.meaning(name)
    if meaning is not None and meaning.order == 0:
        if meaning.kind == "pose" and expected.moves_platform and meaning.place in (*POSITION, *ANGLES):
            return (*POSITION, *ANGLES).index(str(meaning.place))
        if meaning.kind == "joint" and not expected.moves_platform:
            return int(meaning.place)
    names = (*POSITION, *ANGLES) if expected.moves_platform else expected.names or ()
    what = f"{shortened(name)!r} is not a coordinate of {expected.robot}"
    raise InputError(f"{where}: {what}; allowed: {', '.join(names)}.")


def written_densities(given: Mapping[str, Any], quantity: str, expected: Expected) -> dict[int, Density]:
    """Densities of a YAML file: rows of frequency and density by the name of a coordinate."""
    found: dict[int, Density] = {}
    for name, points in given.items():
        place = place_of(name, expected, "density")
        if place in found:
            raise InputError(f"density: {name!r} appears twice, by two names; keep one.")
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

    def layout_of(header: Sequence[str], where: str) -> ColumnLayout:
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
                raise InputError(f"{where}, column {k + 1}: {name!r} appears twice; keep one.")
            columns[place] = Column(k, _factor(unit, quantity, f"{where}, column {k + 1}"))
            names[place] = name
        if frequency is None or not columns:
            raise InputError(f"{where}: needed are a column frequency [Hz] and one per coordinate.")
        return ColumnLayout("density", frequency, {str(place): [c] for place, c in columns.items()})

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
        raise InputError(
            f"{where}: {unit!r} is not a unit of a density of {quantity}; allowed: {allowed}."
        )
    return known.factor**2


def psd(
    center: ArrayLike,
    expected: Expected,
    duration: float,
    of: str = "acceleration",
    density: Mapping[str, Any] | None = None,
    file: Path | None = None,
    seed: int = 0,
    fade: float | None = None,
) -> Either:
    """A random motion about a center, of densities by coordinate in `density` or in the table `file`."""
    if (density is None) == (file is None):
        raise InputError("a motion of kind psd takes either density: or file:, and one of them.")
    if not expected.home:
        raise InputError("kind: psd needs a robot, whose coordinates it names; read the motion for one.")
    if file is not None:
        densities = read_densities(file, of, expected)
    else:
        densities = written_densities(density or {}, of, expected)
    return random_vibration(center, densities, duration, seed, fade, expected.moves_platform)


def random_vibration(
    center: ArrayLike,
    densities: Mapping[int, Density],
    duration: float,
    seed: int = 0,
    fade: float | None = None,
    poses: bool = False,
) -> Either:
    """A random motion about a center; `densities` by the place of a coordinate, others rest.

    The same seed gives the same motion. Without `fade` it takes a tenth of the duration at each end.
    """
    middle = vector(center, "center")
    length = positive(duration, "duration", "s")
    ramp = length / 10 if fade is None else not_negative(fade, "fade", "s")
    if 2 * ramp > length:
        raise InputError(f"fade = {ramp:g} s: two of them do not fit into {length:g} s.")
    if not densities:
        raise InputError("density: no coordinate has one; name at least one.")
    streams = np.random.default_rng(whole(seed, "seed", 0, 2**63)).spawn(max(densities) + 1)
    parts = []
    for place, density in densities.items():
        frequencies, amplitudes = density.waves(length)
        phases = streams[place].uniform(0, 2 * np.pi, len(frequencies))
        unit = np.eye(len(middle))[place]
        parts.append((unit, Noise(length, frequencies, amplitudes, phases, ramp)))
    return (PoseExcursion if poses else JointExcursion)(middle, *parts)
