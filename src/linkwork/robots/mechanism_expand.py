"""What `repeat` writes once, as many times as it stands: names with numbers, everything turned."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from linkwork.robots import mechanism_schema as schema
from linkwork.robots.faults import Path, shown
from linkwork.robots.geometry import Array
from linkwork.robots.mechanism import Joins
from linkwork.robots.parallel_legs import Turn
from linkwork.robots.quantities import Vector
from linkwork.robots.validation import Found
from linkwork.rotations import skew

JOINED = ("joints", "rods", "cylinders", "springs")


@dataclass(frozen=True, eq=False)
class Entry:
    """A written part and the copy that it stands for: its name, its path in the file, whom it joins."""

    name: str
    path: Path
    part: Any
    turn: Turn
    joins: Joins = ("", "")


@dataclass
class Expanded:
    """All parts of a mechanism in the order of its file, and faults of `joins`."""

    bodies: list[Entry] = field(default_factory=list)
    joints: list[Entry] = field(default_factory=list)
    rods: list[Entry] = field(default_factory=list)
    cylinders: list[Entry] = field(default_factory=list)
    springs: list[Entry] = field(default_factory=list)
    order: list[str] = field(default_factory=list)
    faults: list[Found] = field(default_factory=list)

    @property
    def joined(self) -> list[Entry]:
        return [*self.joints, *self.rods, *self.cylinders, *self.springs]


def expanded(file: schema.MechanismFile) -> Expanded:
    """The parts of the file, then those of its repeats, copy by copy."""
    whole = Expanded()
    _add(whole, file, (), Turn(np.eye(3)), None, 1)
    for index, repeat in enumerate(file.repeat):
        for copy in range(repeat.times):
            turn = Turn(turned(repeat.around, copy, repeat.times))
            _add(whole, repeat, ("repeat", index), turn, copy, repeat.times)
    return whole


def turned(axis: Vector, copy: int, times: int) -> Array:
    """The rotation by copy / times of a full turn, clockwise as seen from the axis' tip.

    Exact where its numbers are.
    """
    c, s = cosine_sine_of_turn(copy, times)
    along = np.outer(axis, axis)
    return np.asarray(along + c * (np.eye(3) - along) - s * skew(np.array(axis)))


def cosine_sine_of_turn(copy: int, times: int) -> tuple[float, float]:
    """Of copy / times of a turn, reduced in whole numbers to at most 45 deg.

    Copies that are mirror images or opposite then have the same digits, which keeps parallelograms.
    """
    quarter, rest = divmod(4 * copy, times)
    swapped = 2 * rest > times
    share = times - rest if swapped else rest  # of a quarter turn, in `times` parts
    if 3 * share == times:
        c, s = math.sqrt(3) / 2, 0.5
    elif 2 * share == times:
        c = s = math.sqrt(0.5)
    else:
        angle = math.pi / 2 * share / times
        c, s = math.cos(angle), math.sin(angle)
    c, s = (s, c) if swapped else (c, s)
    for _ in range(quarter % 4):
        c, s = -s + 0.0, c
    return c, s


def _add(
    whole: Expanded, sections: schema.Sections, path: Path, turn: Turn, copy: int | None, times: int
) -> None:
    ending = "" if copy is None else f"-{copy + 1}"
    for name, part in sections.bodies.items():
        whole.bodies.append(Entry(name + ending, (*path, "bodies", name), part, turn))
    for section in JOINED:
        written: Mapping[str, Any] = getattr(sections, section)
        for name, part in written.items():
            at = (*path, section, name)
            one, other = (
                _body(whole, sections, (*at, "joins", k), item, copy, times)
                for k, item in enumerate(part.joins)
            )
            getattr(whole, section).append(Entry(name + ending, at, part, turn, (one, other)))
    whole.order += [name + ending for name in (*sections.joints, *sections.cylinders)]


def _body(
    whole: Expanded,
    sections: schema.Sections,
    path: Path,
    written: str | tuple[str, ...],
    copy: int | None,
    times: int,
) -> str:
    """The body that a copy means: its own if it has one of that name, else one outside."""
    name = written
    if isinstance(written, tuple):
        if copy is None:
            what = f"{shown(list(written))} picks by copy, which is for parts in repeat:; give one body"
            whole.faults.append((path, what))
            return ""
        if len(written) != times:
            what = f"{shown(list(written))} names {len(written)} bodies for {times} copies"
            whole.faults.append((path, f"{what}; give one for each, or one for all"))
            return ""
        name = written[copy]
    assert isinstance(name, str)
    return f"{name}-{(copy or 0) + 1}" if copy is not None and name in sections.bodies else name
