"""Numbers, angles, vectors and inertia tensors as a robot file writes them.

A quantity turns a written value into plain floats, or raises ValueError with a text that says what was
found and what is allowed, or what a text may mean (`450 mm`, `0,45`, `pi/2`). It knows its unit and its
range, which fields of files, studies of variants and the reference page share.
"""

from __future__ import annotations

import itertools
import math
import numbers
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np

from linkwork.core.text import AngleUnit
from linkwork.files.faults import listed, shown, suggestion

# Products of a few numbers (gear ratio squared times friction, mass times length squared) stay finite.
LARGEST = 1e100
LONGEST_NAME = 100
ASYMMETRY = 1e-9

# Each digit can belong to one part only: otherwise a long wrong number takes the square of its length.
NUMBER = re.compile(r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
ANGLE = re.compile(rf"({NUMBER.pattern})\s*(deg|rad)")

Vector = tuple[float, float, float]
Matrix = tuple[Vector, Vector, Vector]
Pose = tuple[float, float, float, float, float, float]


T = TypeVar("T")


@dataclass(frozen=True)
class Range:
    """Which numbers are allowed, in words and as a test; `complaint` says what the others are."""

    words: str
    complaint: str
    holds: Callable[[float], bool]


ANY = Range("a number", "", lambda x: True)
NOT_NEGATIVE = Range("a number >= 0", "is negative", lambda x: x >= 0)
POSITIVE = Range("a number > 0", "is not positive", lambda x: x > 0)
NOT_POSITIVE = Range("a number <= 0", "is positive", lambda x: x <= 0)
NOT_ZERO = Range("a number other than 0", "is not allowed", lambda x: x != 0)


@dataclass(frozen=True)
class FieldQuantity(Generic[T]):
    """How a value is written: called with one, it reads it.

    `words` are for the reference page; `size` counts the numbers that a study may vary, `within` is
    their range; `lengths` or `angles`: what they are to a judge of plausible machines. `within_file`
    reads what may refer to other parts of the file, `write` is for forms that are not plain.
    """

    read: Callable[[object], T]
    unit: str = ""
    words: str = ""
    size: int = 0
    within: Range = ANY
    lengths: bool = False
    angles: bool = False
    within_file: Callable[[object, Mapping[str, Any]], T] | None = None
    write: Callable[[T], object] | None = None

    def __call__(self, value: object) -> T:
        return self.read(value)


def _number(value: object, allowed: str, unit: str = "") -> float:
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise ValueError(f"{shown(value)} is not a number{meant_by(value, unit)}; allowed: {allowed}")
    try:
        result = float(value)
    except OverflowError:
        result = math.inf
    if not math.isfinite(result):
        raise ValueError(f"{shown(value)} is not finite; allowed: {allowed}")
    if abs(result) > LARGEST:
        raise ValueError(f"{shown(value)} is too large; allowed: {allowed}, at most {LARGEST:g}")
    return result


def number(unit: str = "", within: Range = ANY) -> FieldQuantity[float]:
    """Numbers in `unit`."""
    allowed = f"{within.words} [{unit}]" if unit else within.words

    def read(value: object) -> float:
        result = _number(value, allowed, unit)
        if not within.holds(result):
            raise ValueError(f"{shown(value)} {within.complaint}; allowed: {allowed}")
        return result

    return FieldQuantity(read, unit, within.words, 1, within, lengths=unit == "m")


length = number("m")


def whole(least: int, most: float = math.inf) -> FieldQuantity[int]:
    """Whole numbers from `least` to `most`."""
    words = f"integers from {least} {'on' if most == math.inf else f'to {most}'}"

    def read(value: object) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise ValueError(f"{shown(value)} is not allowed; allowed: {words}")
        return value

    return FieldQuantity(read, "", words)


# Readers of single values get the value and nothing else.
_noted: ContextVar[set[str] | None] = ContextVar("units of the angles read", default=None)


@contextmanager
def noting_angles() -> Iterator[set[str]]:
    """The units of all angles that are read meanwhile."""
    units: set[str] = set()
    token = _noted.set(units)
    try:
        yield units
    finally:
        _noted.reset(token)


def _note_angle(value: float, unit: str) -> None:
    """An angle is read; zero is the same in every unit and tells nothing."""
    units = _noted.get()
    if units is not None and value:
        units.add(unit)


def angle_unit(units: set[str]) -> AngleUnit:
    """Degrees if any angle is written in them, or none at all; plain numbers are radians."""
    return "rad" if units == {"rad"} else "deg"


def _angle(value: object) -> float:
    """An angle in radians, from a number or from a text such as `90 deg`."""
    allowed = "a number [rad] or a text such as 90 deg or 1.2 rad"
    if not isinstance(value, str):
        plain = _number(value, allowed)
        _note_angle(plain, "rad")
        return plain
    match = ANGLE.fullmatch(value.strip())
    if match is None:
        raise ValueError(f"{shown(value)} is not an angle{meant_angle(value)}; allowed: {allowed}")
    written = _number(float(match[1]), allowed)
    _note_angle(written, match[2])
    return math.radians(written) if match[2] == "deg" else written


angle = FieldQuantity(_angle, "rad", "a number, or a text such as 90 deg", 1, angles=True)


SPEED = re.compile(rf"({NUMBER.pattern})\s*(rpm|1/min|rad/s|deg/s)")
TURNS = {"rpm": math.pi / 30, "1/min": math.pi / 30, "rad/s": 1.0, "deg/s": math.pi / 180}


def _speed(value: object) -> float:
    """A speed of turning in rad/s, from a number or from a text such as `3000 rpm`."""
    allowed = "a number > 0 [rad/s] or a text such as 3000 rpm"
    match = SPEED.fullmatch(value.strip()) if isinstance(value, str) else None
    written = _number(value if match is None else float(match[1]), allowed)
    if written <= 0:
        raise ValueError(f"{shown(value)} is not positive; allowed: {allowed}")
    return written if match is None else written * TURNS[match[2]]


speed = FieldQuantity(_speed, "rad/s", "a number, or a text such as 3000 rpm", 1)


def swing_below(most: int, at_least: str = "above 0") -> FieldQuantity[float]:
    """Angles up to `most` degrees, from zero or above it."""

    def read(value: object) -> float:
        result = angle(value)
        if not 0.0 <= result < math.radians(most) or (result == 0.0 and at_least != "0"):
            hint = (
                f"; did you mean {value:g} deg?" if isinstance(value, int | float) and result > 0 else ""
            )
            words = f"{at_least} {'to' if at_least == '0' else 'and'} below {most} deg"
            raise ValueError(f"{shown(value)} is out of range; allowed: {words}{hint}")
        return result

    return FieldQuantity(read, "rad", f"an angle below {most} deg", 1, angles=True)


swing = swing_below(180)  # by which something may turn away to any side


def _items(value: object, count: int, allowed: str) -> Sequence[object]:
    items = value.tolist() if isinstance(value, np.ndarray) else value
    if not isinstance(items, list | tuple):
        raise ValueError(f"{shown(items)} is not a list; allowed: {allowed}")
    if len(items) != count:
        raise ValueError(f"{shown(items)} has {len(items)} items; allowed: {allowed}")
    return items


def vector(unit: str, read: Callable[[object], float] | None = None) -> FieldQuantity[Vector]:
    """Three components."""
    allowed = f"three numbers [{unit}]"
    component = read or number(unit)

    def components(value: object) -> Vector:
        if unit == "m/s^2" and isinstance(value, int | float) and not isinstance(value, bool):
            hint = f" (did you mean [0, 0, {-abs(value):g}]?)"
            raise ValueError(f"{shown(value)} is not a list{hint}; allowed: {allowed}")
        x, y, z = (component(item) for item in _items(value, 3, allowed))
        return x, y, z

    return FieldQuantity(components, unit, "three numbers", 3, lengths=unit == "m", angles=read is angle)


point = vector("m")
rpy = vector("rad", angle)


def _pose(value: object) -> Pose:
    """A position and roll, pitch, yaw."""
    items = _items(value, 6, "six numbers: x, y, z [m], then roll, pitch, yaw [rad] or as 5 deg")
    x, y, z = (length(item) for item in items[:3])
    roll, pitch, yaw = (angle(item) for item in items[3:])
    return x, y, z, roll, pitch, yaw


pose = FieldQuantity(_pose, "m, rad", "x, y, z, roll, pitch, yaw", 6)


def _direction(value: object) -> Vector:
    """A unit vector along the three components written."""
    x, y, z = vector("-")(value)
    longest = max(abs(x), abs(y), abs(z))
    if longest == 0.0:
        raise ValueError(f"{shown(value)} has no direction; allowed: three numbers, not all zero")
    # Scaling first keeps the squares of tiny and of huge components in range.
    x, y, z = x / longest, y / longest, z / longest
    norm = math.sqrt(x * x + y * y + z * z)
    return x / norm, y / norm, z / norm


direction = FieldQuantity(_direction, "", "three numbers of any length", 3)


def _inertia(value: object) -> Matrix:
    """A 3 x 3 tensor, from its diagonal or from all of it."""
    allowed = "three numbers (a diagonal) or a symmetric 3 x 3 matrix [kg m^2]"
    rows = _items(value, 3, allowed)
    read = number("kg m^2")
    if not any(isinstance(row, list | tuple) for row in rows):
        x, y, z = (read(item) for item in rows)
        return (x, 0.0, 0.0), (0.0, y, 0.0), (0.0, 0.0, z)
    tensor = np.array([[read(item) for item in _items(row, 3, allowed)] for row in rows])
    skewness = np.abs(tensor - tensor.T)
    if skewness.max() > ASYMMETRY * np.abs(tensor).max():
        i, j = sorted(divmod(int(skewness.argmax()), 3))
        raise ValueError(
            f"is not symmetric: row {i + 1}, column {j + 1} is {tensor[i, j]:.12g}"
            f" but row {j + 1}, column {i + 1} is {tensor[j, i]:.12g}; allowed: {allowed}"
        )
    first, second, third = ((tensor + tensor.T) / 2).tolist()
    return tuple(first), tuple(second), tuple(third)


def _written_inertia(inertia: Sequence[Sequence[float]]) -> list[list[float]] | list[float]:
    tensor = [[float(item) + 0.0 for item in row] for row in inertia]  # no -0.0
    products = any(tensor[i][j] for i in range(3) for j in range(3) if i != j)
    return tensor if products else [tensor[k][k] for k in range(3)]


inertia: FieldQuantity[Matrix] = FieldQuantity(
    _inertia,
    "kg m^2",
    "three numbers (a diagonal) or a symmetric 3 x 3 matrix",
    6,
    write=_written_inertia,
)


def interval(read: FieldQuantity[float]) -> FieldQuantity[tuple[float, float]]:
    """[lowest, highest]."""
    allowed = "[lowest, highest] with lowest < highest"

    def bounds(value: object) -> tuple[float, float]:
        low, high = (read(item) for item in _items(value, 2, allowed))
        if low >= high:
            raise ValueError(f"{shown(value)} is not in order; allowed: {allowed}")
        return low, high

    return FieldQuantity(
        bounds, read.unit, "[lowest, highest]", lengths=read.lengths, angles=read.angles
    )


def _envelope(value: object) -> tuple[tuple[float, float], ...]:
    """What an actuator can give at which speed, from pairs [speed, force]."""
    allowed = "a list of pairs [speed, force], speeds increasing from 0, such as [[0, 900], [2, 300]]"
    if not isinstance(value, list | tuple) or len(value) < 2:
        raise ValueError(f"{shown(value)} is no envelope; allowed: {allowed}")
    pairs = [tuple(_number(item, allowed) for item in _items(pair, 2, allowed)) for pair in value]
    speeds, forces = [speed for speed, _ in pairs], [force for _, force in pairs]
    rising = all(a < b for a, b in itertools.pairwise(speeds))
    if speeds[0] != 0 or not rising or min(forces) < 0 or forces[0] == 0:
        raise ValueError(f"{shown(value)} is no envelope; allowed: {allowed}")
    return tuple(zip(speeds, forces, strict=True))


envelope = FieldQuantity(_envelope, "", "pairs [speed, effort], speeds increasing from 0")


def _coulomb(value: object) -> tuple[float, float]:
    """Friction in forward and in backward motion, from one number or from both."""
    allowed = "a number >= 0, or [positive, negative] with positive >= 0 and negative <= 0"
    if not isinstance(value, list | tuple | np.ndarray):
        both = number("N m or N", NOT_NEGATIVE)(value)
        return both, -both
    forward, backward = (_number(item, allowed) for item in _items(value, 2, allowed))
    if forward < 0 or backward > 0:
        raise ValueError(f"{shown(value)} has a wrong sign; allowed: {allowed}")
    return forward, backward


coulomb = FieldQuantity(_coulomb, "N m or N", "a number >= 0, or [positive, negative]")


def one_of(*words: str) -> FieldQuantity[str]:
    """One of a few words."""

    def read(value: object) -> str:
        if isinstance(value, str) and value in words:
            return value
        hint = suggestion(value, words)
        raise ValueError(f"{shown(value)} is not known{hint}; allowed: {listed(words)}")

    return FieldQuantity(read, "", " or ".join(words))


def _name(value: object) -> str:
    """A name that fits on a line."""
    allowed = f"a text of 1 to {LONGEST_NAME} printable characters"
    if not isinstance(value, str):
        raise ValueError(f"{shown(value)} is not a text; allowed: {allowed} (use quotes if in doubt)")
    if not value.strip() or len(value) > LONGEST_NAME or not value.isprintable():
        raise ValueError(f"{shown(value)} is not a name; allowed: {allowed}")
    return value


name = FieldQuantity(_name, "", "a text")


def _source(value: object) -> str:
    """A text that tells where numbers come from."""
    if not isinstance(value, str):
        raise ValueError(f"{shown(value)} is not a text; allowed: where the numbers come from")
    return value


source = FieldQuantity(_source, "", "a text")


def _flag(value: object) -> bool:
    """A truth value."""
    if not isinstance(value, bool):
        raise ValueError(f"{shown(value)} is neither true nor false; allowed: true, false")
    return value


flag = FieldQuantity(_flag, "", "true or false")


LONGEST = 40  # characters; what is longer means nothing
VALUE = re.compile(r"([-+]?[0-9]*[.,]?[0-9]+(?:[eE][-+]?[0-9]+)?)\s*([^0-9\s.,][^,]*)?")
PI = re.compile(r"([-+]?)([0-9]*\.?[0-9]*)\s*\*?\s*(?:pi|π)\s*(?:/\s*([0-9]+\.?[0-9]*))?", re.IGNORECASE)
DEGREES = ("°", "º", "d", "degree", "degrees", "grad", "deg.")

# By the unit of a field: other units and their factors.
UNITS = {
    "m": {"mm": 1e-3, "cm": 1e-2, "um": 1e-6, "in": 0.0254, "inch": 0.0254},
    "kg": {"g": 1e-3, "t": 1e3, "lb": 0.45359237, "lbs": 0.45359237},
    "N": {"kN": 1e3, "mN": 1e-3, "kgf": 9.80665, "lbf": 4.4482216152605},
    "m/s": {"mm/s": 1e-3, "cm/s": 1e-2, "m/min": 1 / 60},
    "s": {"ms": 1e-3, "us": 1e-6, "min": 60.0},
}


def meant_by(value: object, unit: str) -> str:
    """` (did you mean 0.45?)`, or nothing: a number with its unit, another unit or a decimal comma."""
    if not isinstance(value, str) or len(value) > LONGEST:
        return ""
    match = VALUE.fullmatch(value.strip())
    if match is None:
        return ""
    number = float(match[1].replace(",", "."))
    written = (match[2] or "").strip()
    if written and written.replace(" ", "") != unit.replace(" ", ""):
        known = UNITS.get(unit, {})
        if written not in known:
            return ""
        number *= known[written]
    return f" (did you mean {number:g}?)" if math.isfinite(number) else ""


def meant_angle(value: str) -> str:
    """` (did you mean 90 deg?)`, or nothing: other words for degrees, or multiples of pi."""
    text = value.strip()
    if len(text) > LONGEST:
        return ""
    if found := PI.fullmatch(text):
        sign, times, over = found.groups()
        try:
            degrees = 180 * float(times or 1) / float(over or 1)
        except (ValueError, ZeroDivisionError):
            return ""
        return f" (did you mean {sign.strip('+')}{degrees:g} deg?)"
    match = VALUE.fullmatch(text)
    if match is None or not match[2]:
        return ""
    number = match[1].replace(",", ".")
    if match[2].lower() in DEGREES:
        return f" (did you mean {number} deg?)"
    return f" (did you mean {number} rad?)" if match[2].lower() in ("radian", "radians") else ""
