"""Columns under other names: maps that users give, and those of known programs.

A map says for each column that a log needs which column of the file it is: `t [ms]: stamp`,
`q#: actual_q_#`. `#` is the number of a joint, from 0 or 1 on as the file counts; `{joint}` is its name;
`*` is anything. A unit at the end of the file's name (`LongPos_mm`, `RollAng deg`) holds, unless ours
has one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from linkwork.core.errors import InputError

NUMBER, NAME = "#", "{joint}"
UNUSED = "\0"  # before the place of a column that the map leaves out: no name begins so


@dataclass(frozen=True)
class ColumnMap:
    """`columns` lead from names that logs have to those of the file.

    Of `efforts` the first that the file has are taken. In `sparse` rows cells may be empty. `says` is
    what to know of such logs.
    """

    name: str
    columns: Mapping[str, str]
    efforts: tuple[Mapping[str, str], ...] = ()
    sparse: bool = False
    says: str = ""

    def fits(self, header: Sequence[str]) -> bool:
        """Whether the file has all of these columns, and efforts of one kind."""
        needed = [theirs for ours, theirs in self.columns.items() if not ours.startswith(OPTIONAL)]
        return all(_found(theirs, header) for theirs in needed)

    def renamed(self, header: Sequence[str], joints: Sequence[str], where: str) -> list[str]:
        """The header with names that logs have; other columns are left out."""
        pairs = dict(self.columns)
        for efforts in self.efforts:
            if all(_found(theirs, header) for theirs in efforts.values()):
                pairs |= efforts
                break
        names = [f"{UNUSED}{k}" for k in range(len(header))]
        taken: dict[str, str] = {}
        if not any(TIMES.match(ours) for ours in pairs):  # a column that says so itself
            for k, word in enumerate(header):
                names[k] = word if TIMES.match(word) else names[k]
        for ours, theirs in pairs.items():
            for k, meant in _meant(ours, theirs, header, joints).items():
                if meant in taken:
                    raise InputError(
                        f"{where}: both {taken[meant]!r} and {header[k]!r} would be {meant}; say which "
                        f"one by a map of columns: --columns '{ours}=...'."
                    )
                taken[meant], names[k] = header[k], _with_unit(meant, header[k])
        return names

    def refuse_missing(self, header: Sequence[str], where: str) -> None:
        """An InputError if a column of the map is none of the file."""
        for ours, theirs in self.columns.items():
            if not _found(theirs, header):
                near = get_close_matches(theirs, header, 3, 0.4) or list(header[:6])
                raise InputError(
                    f"{where}: no column {theirs!r} for {ours}; the file has {', '.join(near)} ...."
                )


TIMES = re.compile(r"(t|time)\b", re.IGNORECASE)
UNIT = re.compile(r".*(?:_| |\[|\()(mm|cm|m|deg|rad|ms|s)[\])]?", re.IGNORECASE)


def _with_unit(ours: str, theirs: str) -> str:
    """Our name with the unit at the end of theirs, unless it has one: `surge [mm]` of LongPos_mm."""
    match = UNIT.fullmatch(theirs)
    bare = re.fullmatch(r"[^\[(]*", ours) and not UNIT.fullmatch(ours)
    return f"{ours} [{match[1].lower()}]" if match and bare else ours


OPTIONAL = ("qd", "velocity_")  # what a filter makes where it was not recorded
KNOWN = (
    ColumnMap(
        "UR RTDE",
        {"t": "timestamp", "q#": "actual_q_#", "qd#": "actual_qd_#"},
        ({"tau#": "actual_current_as_torque_#"}, {"i#": "actual_current_#"}),
    ),
    *(
        ColumnMap(
            "libfranka",
            {"t [ms]": clock, "q#": "state.q[#]", "qd#": "state.dq[#]"},
            ({"tau#": "state.tau_J[#]"},),
            says="tau_J is measured behind the gears: rotors and most of the friction are not in it",
        )
        for clock in ("time", "duration")
    ),
    ColumnMap(
        "LeRobot",
        {"t": "timestamp", "q#": "observation.state[#]", "qd#": "observation.velocity[#]"},
        ({"tau#": "observation.effort[#]"}, {"i#": "observation.current[#]"}),
    ),
    ColumnMap(
        "PlotJuggler",
        {
            "t": "__time",
            f"position_{NAME}": f"*/{NAME}/position",
            f"velocity_{NAME}": f"*/{NAME}/velocity",
        },
        ({f"effort_{NAME}": f"*/{NAME}/effort"},),
        sparse=True,
    ),
)


def known_map(header: Sequence[str]) -> ColumnMap | None:
    """Of the program that wrote this header."""
    return next((known for known in KNOWN if known.fits(header)), None)


def column_map(pairs: Mapping[str, str]) -> ColumnMap:
    """That of a user."""
    for ours, theirs in pairs.items():
        if not isinstance(ours, str) or not isinstance(theirs, str) or not ours or not theirs:
            raise InputError(
                f"columns: {ours!r}: {theirs!r}; expected names of columns, such as 'q1': 'axis 1'."
            )
        if (NUMBER in ours, NAME in ours) != (NUMBER in theirs, NAME in theirs):
            raise InputError(
                f"columns: {ours!r}: {theirs!r}; both have {NUMBER} (or {NAME}) for a joint, or none."
            )
    return ColumnMap("map", dict(pairs))


def _pattern(theirs: str) -> re.Pattern[str]:
    wild = {NUMBER: r"(?P<number>\d+)", NAME: r"(?P<name>[^/]+)", "*": ".*"}
    parts = re.split(r"(#|\{joint\}|\*)", theirs)
    return re.compile("".join(wild.get(part, re.escape(part)) for part in parts))


def _found(theirs: str, header: Sequence[str]) -> dict[int, re.Match[str]]:
    """Columns that are meant, by their places."""
    pattern = _pattern(theirs)
    matches = {k: pattern.fullmatch(word) for k, word in enumerate(header)}
    return {k: match for k, match in matches.items() if match}


def _meant(ours: str, theirs: str, header: Sequence[str], joints: Sequence[str]) -> dict[int, str]:
    """Our names of columns, by their places."""
    found = _found(theirs, header)
    if NUMBER in theirs:
        numbers = {k: int(match["number"]) for k, match in found.items()}
        first = min(numbers.values(), default=0)
        return {k: ours.replace(NUMBER, str(number - first + 1)) for k, number in numbers.items()}
    if NAME in theirs:
        own = {k: _joint(match["name"], joints) for k, match in found.items()}
        return {k: ours.replace(NAME, joint) for k, joint in own.items() if joint is not None}
    return dict.fromkeys(found, ours)


def _joint(name: str, joints: Sequence[str]) -> str | None:
    """The robot's own joint of that name, or of that name behind a prefix such as left_."""
    folded = {joint.lower(): joint for joint in joints}
    if name.lower() in folded:
        return folded[name.lower()]
    behind = [joint for joint in joints if name.lower().endswith(f"_{joint.lower()}")]
    return behind[0] if len(behind) == 1 else None
