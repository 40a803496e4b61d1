"""Faults of a file: where, what was found, what is allowed; and warnings of what is accepted."""

from __future__ import annotations

import math
import numbers
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from linkwork.core.errors import RobotFileError
from linkwork.core.text import nearest

Path = tuple[str | int, ...]

LONGEST_SHOWN = 60
MOST_SHOWN = 4
MOST_FAULTS = 100
MOST_BITS = 1100


@dataclass(frozen=True)
class Fault:
    """One fault; `where` names the field or element, `line` is unknown for data that is not a file."""

    where: str
    what: str
    line: int | None = None

    def __str__(self) -> str:
        line = None if self.line is None else f"line {self.line}"
        place = ", ".join(part for part in (line, self.where) if part)
        return f"{place}: {self.what}" if place else self.what


class FaultyError(Exception):
    """Carries faults to whoever knows the name of the file; never leaves the package."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults = list(faults)
        super().__init__("; ".join(map(str, self.faults)))


def error_of(source: str, faults: Iterable[Fault]) -> RobotFileError:
    """All faults as one error."""
    return RobotFileError(source, texts_of(faults))


def texts_of(faults: Iterable[Fault]) -> list[str]:
    """Faults as text, in the order of the file; of a hopeless file, the first hundred."""
    ordered = sorted(faults, key=lambda fault: math.inf if fault.line is None else fault.line)
    texts = [str(fault) for fault in ordered[:MOST_FAULTS]]
    if len(ordered) > MOST_FAULTS:
        texts.append(f"and {len(ordered) - MOST_FAULTS} more")
    return texts


def shown(value: object) -> str:
    """A value as a person would write it in the file, shortened."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int) and value.bit_length() > MOST_BITS:
        return "a huge number"  # Python refuses to write thousands of digits
    if isinstance(value, numbers.Real):
        return shortened(repr(float(value)) if isinstance(value, float) else str(value))
    if isinstance(value, str):
        return shortened(repr(value))
    if isinstance(value, Mapping):
        return "a mapping"
    if isinstance(value, list | tuple):
        if len(value) > MOST_SHOWN:
            return f"a list of {len(value)}"
        return shortened("[" + ", ".join(_item_shown(item) for item in value) + "]")
    return f"a {type(value).__name__}"


def _item_shown(item: object) -> str:
    return f"[{len(item)} items]" if isinstance(item, list | tuple) else shown(item)


def shortened(text: str) -> str:
    return text if len(text) <= LONGEST_SHOWN else text[: LONGEST_SHOWN - 3] + "..."


# What others call the fields, kinds and methods of files here, and what may be meant.
SYNONYMS: dict[str, tuple[str, ...]] = {
    "com": ("center_of_mass",), "cog": ("center_of_mass",), "cm": ("center_of_mass",),
    "m": ("mass",), "weight": ("mass", "payload"), "i": ("inertia",), "moi": ("inertia",),
    "r": ("revolute", "a"), "rotary": ("revolute",), "rotational": ("revolute",), "hinge": ("revolute",),
    "p": ("prismatic",), "linear": ("prismatic",), "sliding": ("prismatic",), "slider": ("prismatic",),
    "offset": ("theta", "d"), "q": ("theta",), "twist": ("alpha",), "dh": ("standard",),
    "mdh": ("modified",), "classic": ("standard",), "craig": ("modified",),
    "serial": ("arm",), "manipulator": ("arm",), "scara": ("arm",), "hexapod": ("stewart-platform",),
    "stewart": ("stewart-platform",), "delta": ("parallel-robot",),
    "speed": ("velocity", "rate"), "velocity": ("rate",), "max_velocity": ("velocity", "rate"),
    "torque": ("effort",), "force": ("effort",), "effort": ("force",), "stroke": ("length",),
    "gear": ("gear_ratio",), "damping": ("viscous",), "tcp": ("tool",), "end_effector": ("tool",),
    "begin": ("start",), "from": ("start",), "to": ("end",), "goal": ("end",), "target": ("end",),
    "stop": ("end",), "time": ("duration",), "t": ("duration",), "lhs": ("latin-hypercube",),
    "random": ("monte-carlo",), "mc": ("monte-carlo",), "peak_force": ("peak_effort",),
    "peak_torque": ("peak_effort",), "max_force": ("force", "effort", "peak_effort"),
    "rms_force": ("rms_effort",), "rms_torque": ("rms_effort",),
    "max_speed": ("velocity", "rate", "speed"),
    "dof": ("variables",), "parameters": ("variables",), "model": ("robot",), "motion": ("motions",),
}  # fmt: skip


def suggestion(word: object, known: Iterable[str]) -> str:
    """` (did you mean 'mass'?)`, or nothing if no known word is near or means the same."""
    if not isinstance(word, str):
        return ""
    written, names = word[:LONGEST_SHOWN].lower(), list(known)
    near = [name for name in SYNONYMS.get(written, ()) if name in names]
    meant = near[0] if near else nearest(written, names)
    return f" (did you mean {meant!r}?)" if meant else ""


def listed(words: Iterable[str]) -> str:
    return ", ".join(words)


def place_of(path: Path, data: object) -> str:
    """`links[2] (elbow) limits.position`: a path, with the names that the data gives on the way."""
    text = ""
    joiner = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        else:
            text += joiner + (shortened(step) if step.replace("_", "").isalnum() else shown(step))
        data = value_at(data, (step,))
        name = data.get("name") if isinstance(step, int) and isinstance(data, Mapping) else None
        if isinstance(name, str) and name.strip() and name.isprintable():
            text += f" ({shortened(name)})"
        joiner = " " if isinstance(step, int) else "."
    return text


def value_at(data: Any, path: Path, otherwise: object = None) -> Any:
    """What plain data has at a path, or something else if the path ends before."""
    for step in path:
        in_list = isinstance(data, list | tuple) and isinstance(step, int) and step < len(data)
        if not in_list and not (isinstance(data, Mapping) and step in data):
            return otherwise
        data = data[step]
    return data


@dataclass(frozen=True)
class Document:
    """Plain data, the line of each path in it, and faults that leave the rest readable."""

    data: object
    lines: Mapping[Path, int] = field(default_factory=dict)
    faults: tuple[Fault, ...] = ()

    def fault(self, path: Path, what: str, line: int | None = None) -> Fault:
        """A fault of the field at `path`."""
        return Fault(place_of(path, self.data), what, self._line_of(path) if line is None else line)

    def _line_of(self, path: Path) -> int | None:
        """The line of a field; of a field that is missing, that of what should hold it."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path)


class RobotWarning(UserWarning):
    """A robot description is usable but looks wrong."""


def warn(text: str) -> None:
    warnings.warn(text, RobotWarning, stacklevel=2)
