"""Drives from a catalog: every combination of its motors, gears, belts, screws and amplifiers, judged
exactly, each with its own inertia, friction and efficiencies, along all motions.

The load of an actuator does not depend on its drive, so that one array of loads serves all of them.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from linkwork.analysis.drive_cycle import Cycle, cycle
from linkwork.analysis.drive_loads import ActuatorLoads, Duty
from linkwork.analysis.drive_train import DriveTable
from linkwork.core.checked import checked
from linkwork.core.errors import InputError
from linkwork.model.drive import Drive
from linkwork.model.drive_catalog import DriveParts
from linkwork.robot.robot import Array, Robot

Rank = Literal["price", "mass", "margin"]
MOST = 300_000  # combinations
AT_ONCE = 1_000_000  # drives times samples, so that arrays stay small
TOLD = ("peak_torque", "rms_torque", "peak_speed", "rms_current", "winding", "inertia_ratio")


@checked
@dataclass(frozen=True)
class DriveSearch:
    """Which drives of a catalog are asked for.

    `rank`: what the best has least of, price or mass, or the greatest least margin. `reserve`: margin
    that every limit must leave. `inertia_ratio`: greatest. `shared`: whether all actuators of a kind get
    the same drive; None: those of legs do, joints of arms and mechanisms get one each.
    """

    parts: DriveParts
    rank: Rank = "price"
    reserve: float = 0.0
    inertia_ratio: float | None = None
    shared: bool | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.reserve < 1:
            raise InputError(f"reserve = {self.reserve:g}: expected a margin from 0 to below 1: 0.2.")
        if self.inertia_ratio is not None and not self.inertia_ratio > 0:
            raise InputError(f"inertia_ratio = {self.inertia_ratio:g}: expected a number above 0.")

    @staticmethod
    def of(given: DriveSearch | DriveParts | str | os.PathLike[str]) -> DriveSearch:
        """From a catalog or its file."""
        if isinstance(given, DriveSearch):
            return given
        if isinstance(given, DriveParts):
            return DriveSearch(given)
        from linkwork.model.drive_catalog import read_drive_parts

        return DriveSearch(read_drive_parts(given))


@dataclass(frozen=True, eq=False)
class DriveOption:
    """One combination: numbers are the greatest, margins the least of all actuators and motions."""

    drive: Drive
    margins: Mapping[str, float]
    numbers: Mapping[str, float]  # of TOLD, NaN where not known
    price: float | None
    mass: float | None

    @property
    def margin(self) -> float:
        """The least of all; infinite if its parts have no limits."""
        return min(self.margins.values(), default=math.inf)

    @property
    def limited_by(self) -> str:
        """Of what the least margin is."""
        return min(self.margins, key=lambda each: self.margins[each], default="nothing")


@dataclass(frozen=True, eq=False)
class DriveChoice:
    """Combinations for actuators that get the same drive.

    `feasible` are rows of `table`, the best first; `excluded` counts the others by the limit that they
    break most. Temperatures, and voltages of warm windings, are worked out where all else is kept.
    """

    names: tuple[str, ...]
    table: DriveTable
    margins: Mapping[str, Array]
    numbers: Mapping[str, Array]
    price: Array
    mass: Array
    feasible: NDArray[np.intp]
    excluded: Mapping[str, int]

    def __len__(self) -> int:
        return len(self.table)

    def option(self, row: int) -> DriveOption:
        """One row of the table."""
        margins = {limit: float(values[row]) for limit, values in self.margins.items()}
        return DriveOption(
            self.table.drive(row),
            {limit: margin for limit, margin in margins.items() if margin < math.inf},
            {name: float(values[row]) for name, values in self.numbers.items()},
            *(None if np.isnan(each[row]) else float(each[row]) for each in (self.price, self.mass)),
        )

    def best(self, count: int = 10) -> tuple[DriveOption, ...]:
        """The first of the feasible ones."""
        return tuple(self.option(int(row)) for row in self.feasible[:count])


def drive_choices(
    robot: Robot, loads: Sequence[ActuatorLoads], duty: Duty, search: DriveSearch
) -> tuple[DriveChoice, ...]:
    """For each group of actuators that get the same drive."""
    return tuple(_choice(robot, group, loads, duty, search) for group in _groups(robot, search.shared))


def _groups(robot: Robot, shared: bool | None) -> list[list[int]]:
    """Actuators that get the same drive."""
    alike = robot.actuated_element == "leg" if shared is None else shared
    if not alike:
        return [[k] for k in range(robot.n)]
    units = robot.efforts.units
    return [[k for k in range(robot.n) if units[k] == unit] for unit in dict.fromkeys(units)]


def combinations(parts: DriveParts, slides: bool) -> DriveTable:
    """All drives for a joint that slides or turns."""
    motors = [*parts.motors.values()]
    lists: dict[str, list[Any]] = {
        "motor": motors,
        "gear": [None, *parts.gears.values()],
        "belt": [None, *parts.belts.values()],
        "screw": [None, *parts.screws.values()],
        "pulley": [None, *parts.pulleys.values()],
        "amplifier": [*parts.amplifiers.values()] or [None],
    }
    screws, pulleys = len(lists["screw"]), len(lists["pulley"])
    sliders = [(s, 0) for s in range(1, screws)] + [(0, p) for p in range(1, pulleys)]
    sliders = sliders if slides else [(0, 0)]
    if not motors or not sliders:
        missing = "screws or pulleys, and the joint slides" if motors else "motors"
        raise InputError(f"{parts.source or 'the catalog'} has no {missing}; add some.")
    sizes = [range(len(lists[place])) for place in ("motor", "gear", "belt", "amplifier")]
    count = math.prod(map(len, sizes)) * len(sliders)
    if count > MOST:
        raise InputError(
            f"{parts.source or 'the catalog'} makes {count} combinations, more than {MOST}; leave out "
            "what cannot serve."
        )
    rows = np.array([(*four, *two) for four in product(*sizes) for two in sliders], dtype=np.intp)
    places = ("motor", "gear", "belt", "amplifier", "screw", "pulley")
    return DriveTable(lists, dict(zip(places, rows.T, strict=True)))


def _choice(
    robot: Robot, group: list[int], loads: Sequence[ActuatorLoads], duty: Duty, search: DriveSearch
) -> DriveChoice:
    table = combinations(search.parts, robot.efforts.units[group[0]] == "N")
    found = _Worst(len(table))
    every = np.arange(len(table))
    for warm in (False, True):
        kept = every if not warm else every[found.least >= search.reserve]
        for load, k in product(loads, group):
            for rows in _blocks(kept, len(load.time) + 1):
                found.take(rows, cycle(table.at(rows), load, k, duty, warm=warm), search.inertia_ratio)
    feasible = every[found.least >= search.reserve]
    price, mass = (_total(table, name) for name in ("price", "mass"))
    first = {"price": price, "mass": mass, "margin": -found.least}[search.rank][feasible]
    order = np.lexsort((-found.least[feasible], np.where(np.isnan(first), np.inf, first)))
    return DriveChoice(
        tuple(robot.efforts.names[k] for k in group),
        table,
        found.margins,
        found.numbers,
        price,
        mass,
        feasible[order],
        found.counted(every[found.least < search.reserve]),
    )


class _Worst:
    """Least margins and greatest numbers of drives (B,) so far."""

    def __init__(self, count: int) -> None:
        self.margins: dict[str, Array] = {}
        self.numbers = {name: np.full(count, np.nan) for name in TOLD}
        self.least = np.full(count, np.inf)

    def take(self, rows: NDArray[np.intp], one: Cycle, most: float | None) -> None:
        margins = dict(one.margins)
        if most is not None:
            ratio = one.demands["inertia_ratio"]
            margins["inertia ratio"] = np.where(np.isnan(ratio), np.inf, 1 - ratio / most)
        for limit, values in margins.items():
            so_far = self.margins.setdefault(limit, np.full(len(self.least), np.inf))
            so_far[rows] = np.minimum(so_far[rows], values)
            self.least[rows] = np.minimum(self.least[rows], values)
        for name in TOLD:
            if name in one.demands:
                self.numbers[name][rows] = np.fmax(self.numbers[name][rows], one.demands[name])

    def counted(self, rows: NDArray[np.intp]) -> dict[str, int]:
        """How many rows break which limit most, the most frequent first."""
        if not len(rows):
            return {}
        names = [*self.margins]
        worst = np.argmin([self.margins[name][rows] for name in names], axis=0)
        counts = {names[k]: int(count) for k, count in enumerate(np.bincount(worst)) if count}
        return dict(sorted(counts.items(), key=lambda each: -each[1]))


def _blocks(rows: NDArray[np.intp], columns: int) -> Iterator[NDArray[np.intp]]:
    size = max(1, AT_ONCE // columns)
    for start in range(0, len(rows), size):
        yield rows[start : start + size]


def _total(table: DriveTable, name: str) -> Array:
    """Of all parts of each drive; NaN where one of them has no number."""
    found = np.zeros(len(table))
    for place, parts in table.parts.items():
        has = np.array([part is not None for part in parts])[table.which[place]]
        found = found + np.where(has, table.number(place, name), 0.0)
    return found
