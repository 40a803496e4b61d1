"""What the columns of a motion file mean, from its header."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from linkwork.errors import InputError
from linkwork.interface.platform_diagnosis import pose_labels

POSITION = ("x", "y", "z")
ANGLES = ("roll", "pitch", "yaw")
QUATERNION = ("qw", "qx", "qy", "qz")
TWIST = pose_labels()["twist"]
ACCELERATION = pose_labels()["acceleration"]
EFFORT = "effort_"  # what `linkwork inverse --state` writes beside a motion; no part of it
RATE_OF, ACCELERATION_OF = ".rate", ".acceleration"


class Layout(NamedTuple):
    """Where things stand in a row: the time, and tables by the names of their columns."""

    kind: str
    time: int
    tables: dict[str, list[int]]


def joint_columns(n: int) -> list[str]:
    """Header of a joint motion with its rates, as `write_motion` writes it."""
    return ["t", *(f"{name}{k}" for name in ("q", "qd", "qdd") for k in range(1, n + 1))]


def pose_columns() -> list[str]:
    """Header of a pose motion with its rates, as `write_motion` writes it."""
    return ["t", *POSITION, *QUATERNION, *TWIST, *ACCELERATION]


def read_header(header: Sequence[str], where: str, joint_names: Sequence[str] | None) -> Layout:
    """The layout that a header describes; `where` is file and line for errors."""
    names = [name.strip() for name in header]
    for k, name in enumerate(names):
        if not name or name in names[:k]:
            found = "is empty" if not name else f"{name!r} stands there twice"
            raise InputError(f"{where}, column {k + 1}: the name {found}; columns need different names.")
    place = {name: k for k, name in enumerate(names)}
    time = [name for name in ("t", "time") if name in place]
    if not time:
        raise InputError(f"{where}: no column t for the time; the header is {', '.join(names)}.")
    rest = [name for name in names if name != time[0] and not name.startswith(EFFORT)]
    if not rest:
        raise InputError(f"{where}: only the time; columns of joints or of a pose are missing.")
    if set(POSITION) <= place.keys():
        wanted = _pose_tables(place, where)
    else:
        wanted = _joint_tables(rest, where, joint_names)
    known = {name for columns in wanted.values() for name in columns}
    for name in rest:
        if name not in known:
            raise InputError(
                f"{where}, column {place[name] + 1}: {name!r} belongs to nothing here; known are "
                f"{', '.join(sorted(known))}. Remove or rename it."
            )
    tables = {table: [place[name] for name in columns] for table, columns in wanted.items()}
    return Layout("pose" if "pose" in wanted else "joint", place[time[0]], tables)


def _pose_tables(place: dict[str, int], where: str) -> dict[str, list[str]]:
    turned = [names for names in (QUATERNION, ANGLES) if set(names) <= place.keys()]
    if len(turned) != 1:
        raise InputError(
            f"{where}: besides x, y, z a pose takes either roll, pitch, yaw or qw, qx, qy, qz."
        )
    tables = {"pose": [*POSITION, *turned[0]]}
    for table, names in (("twist", TWIST), ("acceleration", ACCELERATION)):
        _add_whole(tables, table, list(names), place, where)
    return tables


def _joint_tables(
    rest: list[str], where: str, joint_names: Sequence[str] | None
) -> dict[str, list[str]]:
    place = dict.fromkeys(rest, 0)
    count = sum(name.startswith("q") and name[1:].isdigit() for name in rest)
    if count:
        joints = [f"q{k}" for k in range(1, count + 1)]
        rates, seconds = ([f"{name}{k}" for k in range(1, count + 1)] for name in ("qd", "qdd"))
        if joint_names is not None and len(joint_names) != count:
            raise InputError(f"{where}: {count} joints where the robot has {len(joint_names)}.")
    else:
        joints = [name for name in rest if not name.endswith((RATE_OF, ACCELERATION_OF))]
        if joint_names is not None:
            joints = list(joint_names)
        rates, seconds = ([name + end for name in joints] for end in (RATE_OF, ACCELERATION_OF))
    missing = [name for name in joints if name not in place]
    if missing or not joints:
        raise InputError(
            f"{where}: no column for {', '.join(missing) or 'a joint'}; the header has "
            f"{', '.join(rest)}. Joints are q1, q2, ... or go by their names."
        )
    tables = {"q": joints}
    _add_whole(tables, "qd", rates, place, where)
    _add_whole(tables, "qdd", seconds, place, where)
    return tables


def _add_whole(
    tables: dict[str, list[str]], table: str, names: list[str], place: dict[str, int], where: str
) -> None:
    """Add a table if its columns are there, all of them."""
    missing = [name for name in names if name not in place]
    if not missing:
        tables[table] = names
    elif len(missing) < len(names):
        raise InputError(f"{where}: of {', '.join(names)} the file lacks {', '.join(missing)}.")
