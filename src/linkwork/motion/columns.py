"""Which columns of a motion file hold what: by the names of its header, never by their order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from linkwork.errors import InputError
from linkwork.motion.header import (
    ACCELERATION,
    ANGLES,
    POSITION,
    QUATERNION,
    TABLES,
    TWIST,
    Expected,
    Meaning,
    understood,
)
from linkwork.robots.faults import shortened

EFFORT = "effort_"  # what `linkwork inverse --state` writes beside a motion; no part of it
MOST_COLUMNS = 4000
MOST_NAMED = 10


class Column(NamedTuple):
    """Where a column stands in a row, and the size of its unit in SI."""

    at: int
    factor: float


class Layout(NamedTuple):
    """The kind of motion, where the time stands, and tables by name: their columns in order."""

    kind: str
    time: Column
    tables: dict[str, list[Column]]

    def used(self) -> set[int]:
        """Where the columns stand that are read."""
        return {self.time.at, *(column.at for columns in self.tables.values() for column in columns)}


def joint_columns(n: int) -> list[str]:
    """Header of a joint motion with its velocities, as `write_motion` writes it."""
    return ["t", *(f"{name}{k}" for name in ("q", "qd", "qdd") for k in range(1, n + 1))]


def pose_columns() -> list[str]:
    """Header of a pose motion with its velocities, as `write_motion` writes it."""
    return ["t", *POSITION, *QUATERNION, *TWIST, *ACCELERATION]


def read_header(header: Sequence[str], where: str, expected: Expected) -> Layout:
    """The layout that a header describes; `where` is file and line for errors."""
    if len(header) > MOST_COLUMNS:
        raise InputError(f"{where}: {len(header)} columns; allowed are {MOST_COLUMNS}.")
    for separator, name in ((";", "semicolons"), ("\t", "tabs")):
        if len(header) == 1 and separator in header[0]:
            raise InputError(
                f"{where}: columns are separated by {name}; separate them by commas, and write 0.5 "
                "rather than 0,5."
            )
    found: dict[Meaning, tuple[str, Column]] = {}
    unknown: list[str] = []
    seen: set[str] = set()
    for k, word in enumerate(name.strip() for name in header):
        place = f"{where}, column {k + 1}"
        if not word or word in seen:
            what = f"{shortened(word)!r} stands there twice" if word else "is empty"
            raise InputError(f"{place}: the name {what}; columns need different names.")
        seen.add(word)
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
        raise _not_understood(unknown, found, where, expected)
    times = [column for meaning, (_, column) in found.items() if meaning.kind == "time"]
    if not times:
        raise InputError(f"{where}: no column t for the time; the header is {_some(header)}.")
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
        tables["effort"] = _effort_columns(found, where, expected)
    return Layout(kind, times[0], tables)


def _effort_columns(
    found: dict[Meaning, tuple[str, Column]], where: str, expected: Expected
) -> list[Column]:
    columns = {
        meaning.place: column for meaning, (_, column) in found.items() if meaning.kind == "effort"
    }
    missing = [f"{EFFORT}{name}" for k, name in enumerate(expected.efforts) if k not in columns]
    if missing:
        raise InputError(
            f"{where}: no column for {_some(missing)}; a log of {expected.robot} takes the measured "
            f"efforts as effort_{expected.efforts[0]} ..., {expected.efforts[0]}.torque ... or tau1 "
            "..., with units as tau1 [N m]. Add or rename them."
        )
    return [columns[k] for k in range(len(expected.efforts))]


def _some(words: Sequence[str]) -> str:
    """The first of many words."""
    names = [shortened(word) for word in words[:MOST_NAMED]]
    return ", ".join(names) + (f" and {len(words) - MOST_NAMED} more" if len(words) > MOST_NAMED else "")


def _not_understood(
    unknown: list[str], found: dict[Meaning, tuple[str, Column]], where: str, expected: Expected
) -> InputError:
    read = _some([word for word, _ in found.values()]) or "nothing"
    return InputError(
        f"{where}, {_some(unknown)} belongs to nothing here; understood: {read}. {expected}. Rename or "
        "remove the others."
    )


Wanted = list[dict[int | str, str]]  # for each order, the places in order and what they are called


def _pose_rows(place_of: dict[tuple[int, int | str], Column], where: str) -> Wanted:
    turned = [names for names in (QUATERNION, ANGLES) if any((0, name) in place_of for name in names)]
    if len(turned) != 1 or any((0, name) not in place_of for name in turned[0]):
        raise InputError(
            f"{where}: besides x, y, z a pose takes either roll, pitch, yaw or qw, qx, qy, qz."
        )
    return [{name: name for name in names} for names in ((*POSITION, *turned[0]), TWIST, ACCELERATION)]


def _joint_rows(place_of: dict[tuple[int, int | str], Column], where: str, expected: Expected) -> Wanted:
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
