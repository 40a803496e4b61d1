"""Which actuators a robot needs for its motions, and which of a catalogue serve."""

from __future__ import annotations

import csv
import math
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from linkwork.analysis.study import Study, mean, study
from linkwork.core.errors import InputError
from linkwork.files.quantities import meant_by
from linkwork.motion.bundled import motion_for
from linkwork.motion.inputs import instants_with_end
from linkwork.motion.trajectory import Motion
from linkwork.robot.limits import Quantity
from linkwork.robot.robot import Array, Robot

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
class CatalogueFit:
    """How an actuator serves: its least margin (0.2 is 20 % more than needed), and what limits it."""

    actuator: Actuator
    margin: float
    limited_by: str  # such as "stroke of leg3"

    @property
    def serves(self) -> bool:
        return self.margin >= 0.0


def fits(catalogue: Catalogue, demands: Sequence[ActuatorDemand]) -> tuple[CatalogueFit, ...]:
    """All actuators, those that serve every demand first; among these the closest fit first."""
    found = [_fit(actuator, demands) for actuator in catalogue.actuators]
    return tuple(sorted(found, key=lambda fit: (not fit.serves, abs(fit.margin), fit.actuator.name)))


def _fit(actuator: Actuator, demands: Sequence[ActuatorDemand]) -> CatalogueFit:
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
    return CatalogueFit(actuator, least, limited_by)


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


@dataclass(frozen=True)
class ActuatorDemand:
    """What all motions together ask of one actuator; SI units.

    Peaks are magnitudes, `at` names the motion and the instant of the greatest effort. The RMS effort
    and the mean power (of magnitudes) are those of the motion in which they are greatest. `share` is the
    greatest share of the actuator's effort-velocity envelope, None without one.
    """

    name: str
    unit: str
    peak: float
    at: tuple[str, float]
    rms: float
    lowest: float
    highest: float
    velocity: float
    power: float
    mean_power: float
    share: float | None

    @property
    def place(self) -> str:
        """The unit of positions."""
        return "rad" if self.unit == "N m" else "m"

    @property
    def stroke(self) -> float:
        """From the lowest to the highest position."""
        return self.highest - self.lowest


@dataclass(frozen=True)
class Worst:
    """The instant at which an effort is greatest, and the reactions in all joints then."""

    motion: str
    time: float
    actuator: str
    reactions: dict[str, Array]  # magnitudes by kind, of the joints or legs `channels` by kind
    channels: dict[str, tuple[str, ...]]


@dataclass(frozen=True, eq=False)
class Sizing:
    """Demands of a robot's actuators along several motions."""

    robot: Robot
    studies: tuple[Study, ...]
    catalogue: Catalogue | None = None

    @cached_property
    def demands(self) -> tuple[ActuatorDemand, ...]:
        """Of every joint or leg."""
        return tuple(self._demand(k) for k in range(self.robot.n))

    @cached_property
    def angles(self) -> dict[str, dict[str, float]]:
        """Greatest magnitudes of what else has limits, such as angles of passive joints, by what it is
        and by the names of joints or legs."""
        found: dict[str, dict[str, float]] = {}
        for one in self.studies:
            for what in one.moving[2:]:
                if not _is_share(what):
                    most = found.setdefault(what.label, dict.fromkeys(what.channels, 0.0))
                    for channel, values in zip(what.channels, what.values.T, strict=True):
                        most[channel] = max(most[channel], float(np.abs(values).max()))
        return found

    @cached_property
    def worst(self) -> Worst:
        """When the greatest effort of all occurs, as a share of its limit if there are limits."""
        limits = self.robot.limits.effort
        scale = np.where(np.isfinite(limits), limits, 1.0) if np.isfinite(limits).all() else 1.0
        found = [np.abs(one.effort.values) / scale for one in self.studies]
        which = int(np.argmax([values.max() for values in found]))
        row, k = np.unravel_index(np.argmax(found[which]), found[which].shape)
        one = self.studies[which]
        reactions = {what.label: what.values[row] for what in one.reactions}
        name = self.robot.efforts.names[k]
        channels = {what.label: what.channels for what in one.reactions}
        return Worst(one.motion_name, float(one.time[row]), name, reactions, channels)

    @cached_property
    def fits(self) -> tuple[CatalogueFit, ...]:
        """Actuators of the catalogue, those that serve everywhere first, closest fit first."""
        return () if self.catalogue is None else fits(self.catalogue, self.demands)

    def cloud(self, k: int) -> tuple[Array, Array]:
        """Speeds and efforts (N,) of one actuator in all motions."""
        speeds = [one.moving[1].values[:, k] for one in self.studies]
        return np.concatenate(speeds), np.concatenate([one.effort.values[:, k] for one in self.studies])

    def _demand(self, k: int) -> ActuatorDemand:
        peaks = [one.peaks[k] for one in self.studies]
        which = int(np.argmax([abs(peak.value) for peak in peaks]))
        places = np.concatenate([one.moving[0].values[:, k] for one in self.studies])
        lowest, highest = float(places.min()), float(places.max())
        rounding = 1e-12 * max(-lowest, highest)
        shares = [what.values[:, k] for one in self.studies for what in one.measured if _is_share(what)]
        return ActuatorDemand(
            name=peaks[which].name,
            unit=peaks[which].unit,
            peak=abs(peaks[which].value),
            at=(self.studies[which].motion_name, peaks[which].time),
            rms=max(peak.rms for peak in peaks),
            lowest=0.0 if abs(lowest) < rounding else lowest,
            highest=0.0 if abs(highest) < rounding else highest,
            velocity=float(np.abs(self.cloud(k)[0]).max()),
            power=max(abs(peak.power or 0.0) for peak in peaks),
            mean_power=max(mean(one.time, np.abs(one.power[:, k])) for one in self.studies),
            share=float(np.max(np.concatenate(shares))) if self.robot.limits.envelope(k) else None,
        )


def size(
    robot: Robot,
    motions: Mapping[str, Motion] | Sequence[Motion | str | os.PathLike[str]] | str,
    *,
    period: float = 0.01,
    catalogue: Catalogue | str | os.PathLike[str] | None = None,
    wrench: ArrayLike | None = None,
) -> Sizing:
    """What actuators must give along one motion or several.

    Args:
        motions: by name; or a list of trajectories, bundled names and motion files.
        period: [s] between samples; the end of a motion is always one.
        catalogue: actuators to choose from, or the path of their table, see `read_catalogue`.
        wrench: tip wrench of an arm, wrench on a platform, (6,).
    """
    named = _named(Robot.expect(robot, "size"), motions)
    if catalogue is not None and not isinstance(catalogue, Catalogue):
        catalogue = read_catalogue(catalogue)
    studies = []
    for name, motion in named.items():
        time = instants_with_end(motion.duration, period)
        studies.append(study(robot, name, time, motion.at(time), wrench=wrench))
    return Sizing(robot, tuple(studies), catalogue)


def _named(robot: Robot, motions: Any) -> dict[str, Motion]:
    if isinstance(motions, Mapping):
        named = dict(motions)
    else:
        alone = isinstance(motions, str) or hasattr(motions, "at")
        if not alone and not isinstance(motions, Iterable):
            raise InputError(f"motions = {motions!r}: allowed are names, files and trajectories.")
        listed = [motions] if alone else list(motions)
        named = {}
        for k, motion in enumerate(listed):
            name = motion if isinstance(motion, str) else f"motion {k + 1}"
            named[name] = motion_for(robot, motion) if isinstance(motion, str) else motion
    if not named:
        raise InputError("size needs one motion or more.")
    for name, motion in named.items():
        if not hasattr(motion, "at"):
            raise InputError(f"motion {name!r} is {type(motion).__name__}; allowed are trajectories.")
    return named


def _is_share(what: Quantity) -> bool:
    return what.limit.endswith("_velocity")
