"""Whether a robot description is that of a machine: against the sizes of real ones and its own limits.

A finding is no fault: the numbers can be computed with. It tells the field, its value and what may have
been meant. `accept: [gravity]` in the file silences findings by their subject.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from linkwork.robots.faults import Path
from linkwork.robots.geometry import LONGEST, Array

SUBJECTS = (
    "angle", "length", "mass", "inertia", "center_of_mass", "rotor", "friction", "limits", "gravity",
    "home", "parallelogram",
)  # fmt: skip
FULL_TURN = 2 * math.pi
MANY_TURNS = 2 * FULL_TURN  # of a joint's range
FASTEST_TURN, FASTEST_WAY = 60.0, 20.0  # [rad/s], [m/s] of joints and legs
OUTWEIGHS = 50.0  # one body of all legs, beside all other bodies
MOST_LINES = 10


class Finding(NamedTuple):
    """What looks wrong: its subject, the path of the field, and the text."""

    subject: str
    path: Path
    what: str


@dataclass(frozen=True)
class Judged:
    """A finding with its place, as it is shown."""

    subject: str
    where: str
    what: str
    line: int | None = None
    source: str = ""

    def __str__(self) -> str:
        line = None if self.line is None else f"line {self.line}"
        place = ", ".join(part for part in (self.source, line, self.where) if part)
        return f"{place}: {self.what}" if place else self.what


def in_few_lines(findings: Sequence[object], most: int = MOST_LINES) -> list[str]:
    """The first findings, and how many more there are."""
    lines = [str(finding) for finding in findings[:most]]
    return [*lines, f"and {len(findings) - most} more"] if len(findings) > most else lines


def meant(value: float, unit: str, note: str) -> str:
    return f"did you mean {value:g} {unit} ({note})?"


def angle(path: Path, written: object, most: float = FULL_TURN) -> Iterator[Finding]:
    """A number without a unit that is more than a turn, or a round one that is more than half a turn."""
    if isinstance(written, bool) or not isinstance(written, int | float):
        return  # `90 deg` says what it means
    size = abs(written)
    is_round = float(2 * written).is_integer()
    if size > most + 1e-3 or (is_round and size > max(most / 2, math.pi)):
        what = f"{written:g} rad is {math.degrees(written):.0f} deg; did you mean {written:g} deg?"
        yield Finding("angle", path, what)


def length(path: Path, value: float) -> Iterator[Finding]:
    if abs(value) > LONGEST:
        what = f"{value:g} m is longer than a machine; {meant(value / 1e3, 'm', f'{value:g} mm')}"
        yield Finding("length", path, what)


def lengths(path: Path, values: Iterable[float]) -> Iterator[Finding]:
    """The longest of several, once."""
    worst = max(values, key=abs)
    yield from length(path, worst)


def dimensions(path: Path, given: object) -> Iterator[Finding]:
    """The dimensions from which legs are made: lengths, and angles, whose names say so."""
    for name, value in given.items() if isinstance(given, Mapping) else ():
        if str(name).endswith(("angle", "spread", "turn")):
            yield from angle((*path, name), value)
        elif isinstance(value, int | float):
            yield from length((*path, name), value)


def gravity(vector: Array) -> Iterator[Finding]:
    norm = float(np.linalg.norm(vector))
    path = ("gravity",)
    for factor, unit in ((1e2, "cm/s^2"), (1e3, "mm/s^2")):
        if 9.7 < norm / factor < 9.9:
            guess = meant(norm / factor, "m/s^2", f"{norm:g} {unit}")
            yield Finding("gravity", path, f"{norm:g} m/s^2 is that of no planet; {guess}")
            return
    if norm and not 1.0 < norm < 26.0:
        what = f"{norm:g} m/s^2 is that of no planet; did you mean 9.81?"
        yield Finding("gravity", path, what)
    elif vector[2] > 0.9 * norm > 0:
        what = f"points up; did you mean [0, 0, {-norm:g}]? (A robot that hangs says accept: [gravity])"
        yield Finding("gravity", path, what)


def heavy_tail(masses: Sequence[float], path_of: Callable[[int], Path]) -> Iterator[Finding]:
    """One link that weighs many times all the others together: grams among kilograms."""
    for k, mass in enumerate(masses):
        rest = sum(masses) - mass
        if len(masses) > 2 and mass > 5 * rest > 0:
            guess = meant(mass / 1e3, "kg", f"{mass:g} g")
            what = f"{mass:g} kg is {mass / rest:.0f} times all other links; {guess}"
            yield Finding("mass", (*path_of(k), "mass"), what)


def outweighing(masses: Mapping[Path, Sequence[float]]) -> Iterator[Finding]:
    """Bodies of one field, in all legs that have it, against everything else: grams among kilograms."""
    total = sum(map(sum, masses.values()))
    for path, equal in masses.items():
        together = sum(equal)
        if together > OUTWEIGHS * (total - together) > 0:
            guess = meant(equal[0] / 1e3, "kg", f"{equal[0]:g} g")
            times = together / (total - together)
            yield Finding("mass", path, f"{equal[0]:g} kg is {times:.0f} times everything else; {guess}")


def velocity(path: Path, value: float | None, turning: bool) -> Iterator[Finding]:
    if value is None:
        return
    if turning and value > FASTEST_TURN:
        what = f"{value:g} rad/s is {value / FULL_TURN:.0f} turns per second; "
        yield Finding("limits", path, what + meant(math.radians(value), "rad/s", f"{value:g} deg/s"))
    elif not turning and value > FASTEST_WAY:
        what = f"{value:g} m/s is faster than a machine; {meant(value / 1e3, 'm/s', f'{value:g} mm/s')}"
        yield Finding("limits", path, what)
