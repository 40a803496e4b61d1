"""Headers of motion files and logs: what a column means for a robot, by its name and unit.

Columns go by names (`q1`, `elbow.velocity`, `surge`), never by their order, and units stand behind them:
`q1 [deg]`, `pitch_deg`, `x (mm)`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from linkwork.core.errors import InputError
from linkwork.files.faults import shortened
from linkwork.motion.column_maps import UNUSED, ColumnMap, known_map
from linkwork.robot.coordinates import ANGLES, QUATERNION
from linkwork.robot.diagnosis import pose_labels

BASES = {
    "s": ("time", 1.0),
    "ms": ("time", 1e-3),
    "us": ("time", 1e-6),
    "µs": ("time", 1e-6),
    "ns": ("time", 1e-9),
    "m": ("length", 1.0),
    "cm": ("length", 1e-2),
    "mm": ("length", 1e-3),
    "rad": ("angle", 1.0),
    "deg": ("angle", math.pi / 180),
    "degree": ("angle", math.pi / 180),
    "degrees": ("angle", math.pi / 180),
    "°": ("angle", math.pi / 180),
    "1": ("ratio", 1.0),
}
PER_TIME = {"": 0, "/s": 1, "/s^2": 2, "/s2": 2, "/s²": 2, "/s/s": 2, "_s": 1, "_s2": 2}
IN_BRACKETS = re.compile(r"(.*?)\s*[\[(]\s*([^\[\]()]*?)\s*[\])]")
POSITION = ("x", "y", "z")
TWIST = pose_labels()["twist"]
ACCELERATION = pose_labels()["acceleration"]
TIME = ("t", "time")
STAMPS = ("timestamp", "time_stamp", "stamp")  # the time too, if no column says so better
LONGEST = 200  # characters of a name
EFFORT = "effort_"  # what `linkwork inverse --state` writes beside a motion; no part of it
MOST_COLUMNS = 4000
MOST_NAMED = 10
ALIASES = {"surge": "x", "sway": "y", "heave": "z"}
# What is added to the name of a joint or leg, and the order of the derivative that it means.
DERIVATIVES = {
    f"{sign}{word}": order
    for sign in "._"
    for word, order in (("rate", 1), ("velocity", 1), ("acceleration", 2))
}
# What stands before it in the tables of `linkwork simulate -o`.
GROUPS = {"position_": 0, "velocity_": 1, "acceleration_": 2}
JOINTS = re.compile(r"(q|joint|j|axis|qd|dq|qdd|ddq)_?(0|[1-9][0-9]{0,3})")
LEGS = re.compile(r"(leg|l|length)_?(0|[1-9][0-9]{0,3})")
EFFORTS = re.compile(r"(effort|torque|force|tau|current|i)_?(0|[1-9][0-9]{0,3})")
CURRENTS = ("current", "i")
FROM_ZERO = re.compile(r"(q|joint|j|axis|leg|l|length)_?0")
EFFORT_ENDINGS = tuple(
    f"{sign}{word}" for sign in "._" for word in ("effort", "torque", "force", "current")
)
EFFORT_UNITS = {"n m": 1.0, "nm": 1.0, "n": 1.0, "kn m": 1e3, "knm": 1e3, "kn": 1e3, "n mm": 1e-3}
CURRENT_UNITS = {"a": 1.0, "ma": 1e-3}
ORDERS = {"qd": 1, "dq": 1, "qdd": 2, "ddq": 2}
TABLES = {"joint": ("q", "qd", "qdd"), "pose": ("pose", "twist", "acceleration")}


class Unit(NamedTuple):
    """What is measured (time, length, angle, ratio), per second to which power, and its size in SI."""

    measures: str
    order: int
    factor: float


UNITS = {
    base + ending: Unit(measures, order, factor)
    for base, (measures, factor) in BASES.items()
    for ending, order in PER_TIME.items()
    if measures != "time" or not order
}
# Longest first: `_deg_s` is degrees per second, not seconds.
SUFFIXES = sorted((f"_{name}" for name in UNITS if "/" not in name and name != "1"), key=len)[::-1]


def split_unit(word: str) -> tuple[str, str] | None:
    """`pitch_deg` as `pitch` and `deg`, if the word ends in a unit."""
    for suffix in SUFFIXES:
        if word.lower().endswith(suffix) and len(word) > len(suffix):
            return word[: -len(suffix)], suffix[1:]
    return None


def listed_units(measures: str, order: int) -> str:
    """The usual units of a quantity."""
    bases = {"time": "s, ms", "length": "m, mm", "angle": "rad, deg", "ratio": "1"}
    names = bases.get(measures, "rad, deg, m, mm").split(", ")
    return ", ".join(name + ("", "/s", "/s^2")[order] for name in names)


class Meaning(NamedTuple):
    """One column: kind of motion, order of the derivative, its place there, and what it measures.

    The place is the number of a joint or leg, or the name of a coordinate of a pose. `measures` is
    empty where both angles and lengths may stand. Kind "time" has no more to say.
    """

    kind: str
    order: int
    place: int | str
    measures: str


@dataclass(frozen=True)
class Expected:
    """What a motion file of a robot may hold; without a robot, whatever has names of its own.

    `names` are those of joints or legs, and `measures` says for each "angle" or "length"; None is
    unknown.
    """

    robot: str = "a motion"
    names: tuple[str, ...] | None = None
    measures: tuple[str, ...] | None = None
    poses: bool = True
    legs: bool = True
    home: tuple[float, ...] = ()  # of the joints, or x y z roll pitch yaw of a platform
    # Names of the actuators, for a log with their measured efforts; what else it holds is passed over.
    efforts: tuple[str, ...] = ()
    first: int = 1  # the number of the first joint in names such as q1
    columns: ColumnMap | None = None  # which columns of a log are meant; None: by their names

    @property
    def moves_platform(self) -> bool:
        """Whether six numbers are a pose."""
        return self.names is not None and self.poses and self.legs

    @staticmethod
    def of_joints(
        names: Sequence[str],
        robot: str,
        measures: Sequence[str] | None = None,
        poses: bool = False,
    ) -> Expected:
        """Joints, and poses of the tool if inverse kinematics may find the joints for them."""
        if not isinstance(names, list | tuple) or not all(isinstance(name, str) for name in names):
            raise InputError(f"joint_names = {names!r}: expected the names of the joints, in a list.")
        kinds = None if measures is None else tuple(measures)
        return Expected(robot, tuple(names), kinds, poses=poses, legs=False)

    @staticmethod
    def of_poses(leg_names: Sequence[str], robot: str) -> Expected:
        return Expected(robot, tuple(leg_names), ("length",) * len(leg_names))

    def __str__(self) -> str:
        """In words for an error."""
        several = []
        if self.poses:
            several.append(
                "x, y, z (or surge, sway, heave) with roll, pitch, yaw or qw, qx, qy, qz, and for "
                "velocities vx ... wz, ax ... alphaz"
            )
        if self.names is None:
            several += ["q1, q2, ... (qd1 ..., qdd1 ...)", "leg1, leg2, ..."]
            several += ["names of joints, if they are given: read_motion(file, arm.joint_names)"]
        else:
            shown = ", ".join(self.names[:8]) + (", ..." if len(self.names) > 8 else "")
            numbered = "leg1, leg2, ..." if self.legs else "q1, q2, ... (qd1 ..., qdd1 ...)"
            own = [] if self.names[0] in ("q1", "leg1") else [shown]
            several += [" or ".join([*own, numbered])]
        return f"{self.robot} takes t and {'; or '.join(several)}; units as q1 [deg] or pitch_deg"

    def meaning(self, word: str) -> Meaning | None:
        """What a name without a unit means, or nothing."""
        lowered = _folded(word.strip())
        if self.efforts and (effort := self._effort(lowered)) is not None:
            return effort
        own = self._own(word.strip(), lowered)
        if own is not None:
            return own
        if lowered in TIME:
            return Meaning("time", 0, 0, "time")
        if self.poses and (found := _pose(lowered)) is not None:
            return found
        if (numbered := self._numbered(lowered)) is not None:
            return numbered
        return self._grouped(word.strip())

    def _grouped(self, word: str) -> Meaning | None:
        """As tables of `linkwork simulate -o` name it: `position_elbow`, `velocity_vx`."""
        for group, order in GROUPS.items():
            if word.lower().startswith(group):
                inner = self.meaning(word[len(group) :])
                if inner is None or inner.kind not in TABLES:
                    return None
                if inner.kind == "joint":
                    return inner._replace(order=order) if inner.order == 0 else None
                return inner if inner.order == order else None
        return None

    def _own(self, word: str, lowered: str) -> Meaning | None:
        """By the names of the robot's joints or legs, as written or else in any case."""
        if self.names is None:
            return None
        folded = [_folded(name) for name in self.names]
        for given, names in ((word, list(self.names)), (lowered, folded)):
            for ending, order in (("", 0), *DERIVATIVES.items()):
                stem = given.removesuffix(ending)
                if given.endswith(ending) and names.count(stem) == 1:
                    return self._place(names.index(stem), order)
        return None

    def _effort(self, lowered: str) -> Meaning | None:
        """Whose effort a name means: `effort_waist`, `waist.torque`, `tau1`, `force_2`, `i1`."""
        match = EFFORTS.fullmatch(lowered)
        if match is not None and 0 <= (k := int(match[2]) - self.first) < len(self.efforts):
            return Meaning("effort", 0, k, "current" if match[1] in CURRENTS else "effort")
        stems = {lowered.removesuffix(end): end for end in EFFORT_ENDINGS if lowered.endswith(end)}
        stems |= {lowered.removeprefix(f"{word}_"): word for word in ("effort", "current")}
        names = [_folded(name) for name in self.efforts]
        for stem, word in stems.items():
            if stem != lowered and names.count(stem) == 1:
                measures = "current" if word.endswith("current") else "effort"
                return Meaning("effort", 0, names.index(stem), measures)
        return None

    def _numbered(self, lowered: str) -> Meaning | None:
        stem, order = lowered, 0
        for ending, power in DERIVATIVES.items():
            if lowered.endswith(ending):
                stem, order = lowered.removesuffix(ending), power
        match = (LEGS.fullmatch(stem) if self.legs else None) or JOINTS.fullmatch(stem)
        if match is None:
            return None
        number, more = int(match[2]) - self.first, ORDERS.get(match[1], 0)
        beyond = self.names is not None and number >= len(self.names)
        if (order and more) or beyond or number < 0:
            return None
        return self._place(number, order + more)

    def _place(self, number: int, order: int) -> Meaning:
        return Meaning("joint", order, number, "" if self.measures is None else self.measures[number])


def _folded(name: str) -> str:
    """As names are compared: `Left-Elbow 1` is `left_elbow_1`."""
    return name.lower().replace(" ", "_").replace("-", "_")


def _pose(word: str) -> Meaning | None:
    name = ALIASES.get(word, word)
    for order, names in enumerate(((*POSITION, *ANGLES, *QUATERNION), TWIST, ACCELERATION)):
        if name in names:
            plain = "length" if names.index(name) < 3 else "angle"
            return Meaning("pose", order, name, "ratio" if name in QUATERNION else plain)
    return None


def understood(header: str, expected: Expected, where: str) -> tuple[Meaning, float] | None:
    """The meaning of a column and the size of its unit in SI; nothing if the name is not known."""
    if len(header) > LONGEST:
        return None
    match = IN_BRACKETS.fullmatch(header.strip())
    name, unit = (match[1], match[2].lower()) if match else (header.strip(), None)
    meaning = expected.meaning(name)
    if meaning is None and unit is None and (parts := split_unit(name)) is not None:
        name, unit = parts
        meaning = expected.meaning(name)
    if meaning is None:
        return None
    if unit is None:
        return meaning, 1.0
    if meaning.kind == "effort":
        if unit in CURRENT_UNITS:
            return meaning._replace(measures="current"), CURRENT_UNITS[unit]
        if unit not in EFFORT_UNITS:
            raise InputError(f"{where}: {unit!r} is not a unit of {name!r}; allowed: N m, N, kN, A, mA.")
        return meaning._replace(measures="effort"), EFFORT_UNITS[unit]
    known = UNITS.get(unit)
    allowed = listed_units(meaning.measures, meaning.order)
    if known is None or known.order != meaning.order or meaning.measures not in ("", known.measures):
        raise InputError(f"{where}: {unit!r} is not a unit of {name!r}; allowed: {allowed}.")
    return meaning, known.factor


class Column(NamedTuple):
    """Where a column stands in a row, and the size of its unit in SI."""

    at: int
    factor: float


class ColumnLayout(NamedTuple):
    """The kind of motion, where the time stands, and tables by name: their columns in order.

    With a `map` columns had other names.
    """

    kind: str
    time: Column
    tables: dict[str, list[Column]]
    map: ColumnMap | None = None

    def tables_of(self, rows: Any) -> tuple[Any, dict[str, Any]]:
        """Times (N,) and tables (N, k) in SI units, of rows of numbers."""
        tables = {
            name: rows[:, [column.at for column in columns]] * [column.factor for column in columns]
            for name, columns in self.tables.items()
        }
        return rows[:, self.time.at] * self.time.factor, tables

    def used(self) -> set[int]:
        """Where the columns stand that are read."""
        return {self.time.at, *(column.at for columns in self.tables.values() for column in columns)}


def motion_columns(kind: str, n: int, names: Sequence[str] = ()) -> list[str]:
    """Header of a motion of joints or poses with its velocities, as `write_motion` writes it.

    Coordinates that are no joints go by their names.
    """
    if kind == "pose":
        return ["t", *POSITION, *QUATERNION, *TWIST, *ACCELERATION]
    if names:
        return ["t", *(f"{name}{end}" for end in ("", "_velocity", "_acceleration") for name in names)]
    return ["t", *(f"{name}{k}" for name in TABLES["joint"] for k in range(1, n + 1))]


def _with_stamps(header: list[str]) -> list[str]:
    """Names of a log in which a stamp is the time, if there is no other."""
    bare = [_folded(IN_BRACKETS.sub(r"\1", word)) for word in header]
    stamps = [k for k, word in enumerate(bare) if word in STAMPS]
    if not stamps or any(word in TIME for word in bare):
        return header
    k = stamps[0]
    named = [*header]
    named[k] = TIME[0] + header[k][len(bare[k]) :]
    return named


def read_header(header: Sequence[str], where: str, expected: Expected) -> ColumnLayout:
    """The layout that a header describes; `where` is file and line for errors."""
    if len(header) > MOST_COLUMNS:
        raise InputError(f"{where}: {len(header)} columns; expected {MOST_COLUMNS}.")
    given = header = [word.strip() for word in header]
    columns = expected.columns or (known_map(header) if expected.efforts else None)
    if expected.columns is not None:
        expected.columns.refuse_missing(header, where)
    if columns is not None:
        header = columns.renamed(header, (*(expected.names or ()), *expected.efforts), where)
    if expected.efforts:
        header = _with_stamps(header)
    for separator, name in ((";", "semicolons"), ("\t", "tabs")):
        if len(header) == 1 and separator in header[0]:
            raise InputError(
                f"{where}: columns are separated by {name}; separate them by commas, and write 0.5 "
                "rather than 0,5."
            )
    if any(FROM_ZERO.fullmatch(_folded(IN_BRACKETS.sub(r"\1", word.strip()))) for word in header):
        expected = replace(expected, first=0)
    found: dict[Meaning, tuple[str, Column]] = {}
    unknown: list[str] = []
    seen: set[str] = set()
    for k, word in enumerate(header):
        place = f"{where}, column {k + 1}"
        if not word or word in seen:
            what = f"{shortened(word)!r} appears twice" if word else "is empty"
            raise InputError(f"{place}: the name {what}; columns need different names.")
        seen.add(word)
        if word.startswith(UNUSED):
            continue
        if word.lower().startswith(EFFORT) and not expected.efforts:
            continue
        known = understood(word, expected, place)
        if known is None:
            unknown.append(f"column {k + 1}: {shortened(word)!r}")
            continue
        meaning, factor = known
        if meaning in found:
            raise InputError(f"{place}: {word!r} is the same as {found[meaning][0]!r}; keep one.")
        found[meaning] = (word, Column(k, factor))
    if unknown and not expected.efforts:
        read = _some([word for word, _ in found.values()]) or "nothing"
        what = "is an unknown column" if len(unknown) == 1 else "are unknown columns"
        raise InputError(
            f"{where}, {_some(unknown)} {what}; recognized: {read}. {expected}. Rename or remove "
            f"{'it' if len(unknown) == 1 else 'them'}."
        )
    times = [column for meaning, (_, column) in found.items() if meaning.kind == "time"]
    if not times:
        raise InputError(f"{where}: no column t for the time; the header is {_some(given)}.")
    kinds = {meaning.kind for meaning in found} - {"time", "effort"}
    if len(kinds) != 1:
        problem = "columns of joints and of a pose" if kinds else "only the time"
        raise InputError(f"{where}: {problem}; {expected}.")
    (kind,) = kinds
    place_of = {(m.order, m.place): column for m, (_, column) in found.items() if m.kind == kind}
    rows = _pose_rows(place_of, where) if kind == "pose" else _joint_rows(place_of, where, expected)
    tables = {}
    for order, (table, wanted) in enumerate(zip(TABLES[kind], rows, strict=True)):
        missing = [name for place, name in wanted.items() if (order, place) not in place_of]
        if not missing:
            tables[table] = [place_of[order, place] for place in wanted]
        elif order == 0:
            raise InputError(f"{where}: no column for {_some(missing)}; {expected}.")
        elif len(missing) < len(wanted):
            names = ", ".join(wanted.values())
            raise InputError(f"{where}: of {shortened(names)} the file lacks {_some(missing)}.")
    if expected.efforts:
        measured, those = _effort_columns(found, where, expected)
        tables[measured] = those
    return ColumnLayout(kind, times[0], tables, columns)


def _effort_columns(
    found: dict[Meaning, tuple[str, Column]], where: str, expected: Expected
) -> tuple[str, list[Column]]:
    """What was measured, "effort" or "current" (of motors), and its columns in order."""
    by_kind: dict[str, dict[int | str, Column]] = {"effort": {}, "current": {}}
    for meaning, (_, column) in found.items():
        if meaning.kind == "effort":
            by_kind[meaning.measures][meaning.place] = column
    count = len(expected.efforts)
    for measured, columns in by_kind.items():
        if len(columns) == count:
            return measured, [columns[k] for k in range(count)]
    columns = max(by_kind.values(), key=len)
    missing = [f"{EFFORT}{name}" for k, name in enumerate(expected.efforts) if k not in columns]
    raise InputError(
        f"{where}: no column for {_some(missing)}; a log of {expected.robot} takes the measured "
        f"efforts as effort_{expected.efforts[0]} ..., {expected.efforts[0]}.torque ... or tau1 "
        "..., with units as tau1 [N m], or currents of the motors as i1 [A] .... Add or rename them."
    )


def _some(words: Sequence[str]) -> str:
    """The first of many words."""
    names = [shortened(word) for word in words[:MOST_NAMED]]
    return ", ".join(names) + (f" and {len(words) - MOST_NAMED} more" if len(words) > MOST_NAMED else "")


Needed = list[dict[int | str, str]]  # for each order, the places in order and what they are called


def _pose_rows(place_of: dict[tuple[int, int | str], Column], where: str) -> Needed:
    turned = [names for names in (QUATERNION, ANGLES) if any((0, name) in place_of for name in names)]
    if len(turned) != 1 or any((0, name) not in place_of for name in turned[0]):
        raise InputError(
            f"{where}: besides x, y, z a pose takes either roll, pitch, yaw or qw, qx, qy, qz."
        )
    return [{name: name for name in names} for names in ((*POSITION, *turned[0]), TWIST, ACCELERATION)]


def _joint_rows(place_of: dict[tuple[int, int | str], Column], where: str, expected: Expected) -> Needed:
    count = len(expected.names) if expected.names is not None else 0
    highest = max((place for _, place in place_of if isinstance(place, int)), default=-1) + 1
    names = expected.names or tuple(f"q{k + 1}" for k in range(highest))
    given = sum(order == 0 for order, _ in place_of)
    if count and highest == given < count:
        raise InputError(f"{where}: {given} joints where {expected.robot} has {count}; {expected}.")
    return [
        {k: _derived(name, order) for k, name in enumerate(names)}
        for order in range(len(TABLES["joint"]))
    ]


def _derived(name: str, order: int) -> str:
    if name.startswith("q") and name[1:].isdigit():
        return "q" + "d" * order + name[1:]
    return name + ("", ".velocity", ".acceleration")[order]
