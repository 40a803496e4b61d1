"""A mechanism's file as a whole: what `repeat` writes once, and whether its parts belong together.

Copies have names with numbers and everything turned. Checks are of names, of what joins what, of what
may move.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from linkwork.core.rotations import skew
from linkwork.files import quantities as q
from linkwork.files.declared import Found
from linkwork.files.faults import Path, listed, place_of, shown, suggestion
from linkwork.model.file_parts import Turn
from linkwork.model.geometry import Array
from linkwork.model.mechanism import BASE, Joins
from linkwork.model.mechanism_parts import MechanismFile, Sections, some

JOINED = ("joints", "rods", "cylinders", "springs", "cones")


@dataclass(frozen=True, eq=False)
class Copy:
    """A written part and the copy that it stands for: its name, its path in the file, whom it joins."""

    name: str
    path: Path
    part: Any
    turn: Turn
    joins: Joins = ("", "")


@dataclass
class Expanded:
    """All parts of a mechanism in the order of its file, and faults of `joins`."""

    bodies: list[Copy] = field(default_factory=list)
    joints: list[Copy] = field(default_factory=list)
    rods: list[Copy] = field(default_factory=list)
    cylinders: list[Copy] = field(default_factory=list)
    springs: list[Copy] = field(default_factory=list)
    cones: list[Copy] = field(default_factory=list)
    order: list[str] = field(default_factory=list)
    faults: list[Found] = field(default_factory=list)

    @property
    def joined(self) -> list[Copy]:
        return [*self.joints, *self.rods, *self.cylinders, *self.springs, *self.cones]


def expanded(file: MechanismFile) -> Expanded:
    """The parts of the file, then those of its repeats, copy by copy."""
    whole = Expanded()
    _add(whole, file, (), Turn(np.eye(3)), None, 1)
    for index, repeat in enumerate(file.repeat):
        for copy in range(repeat.times):
            turn = Turn(turned(repeat.around, copy, repeat.times))
            _add(whole, repeat, ("repeat", index), turn, copy, repeat.times)
    return whole


def turned(axis: q.Vector, copy: int, times: int) -> Array:
    """The rotation by copy / times of a full turn, clockwise as seen from the axis' tip.

    Exact where its numbers are.
    """
    c, s = cosine_sine_of_turn(copy, times)
    along = np.outer(axis, axis)
    return np.asarray(along + c * (np.eye(3) - along) - s * skew(np.array(axis)))


def cosine_sine_of_turn(copy: int, times: int) -> tuple[float, float]:
    """Of copy / times of a turn, reduced in integers to at most 45 deg.

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
    whole: Expanded, sections: Sections, path: Path, turn: Turn, copy: int | None, times: int
) -> None:
    ending = "" if copy is None else f"-{copy + 1}"
    for name, part in sections.bodies.items():
        whole.bodies.append(Copy(name + ending, (*path, "bodies", name), part, turn))
    for section in JOINED:
        written: Mapping[str, Any] = getattr(sections, section)
        for name, part in written.items():
            at = (*path, section, name)
            one, other = (
                _body(whole, sections, (*at, "joins", k), item, copy, times)
                for k, item in enumerate(part.joins)
            )
            getattr(whole, section).append(Copy(name + ending, at, part, turn, (one, other)))
    whole.order += [name + ending for name in (*sections.joints, *sections.cylinders)]


def _body(
    whole: Expanded,
    sections: Sections,
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


# What a joint without a single coordinate of its own cannot have.
OF_ONE_COORDINATE = ("motor", "rotor", "drive", "coulomb", "offset", "limits", "spring", "stiffness")


def file_faults(file: MechanismFile, whole: Expanded) -> list[Found]:
    """Every fault, each place once: copies of a part share its faults."""
    told: dict[Path, str] = {}
    found = (
        *whole.faults,
        *_names(file, whole),
        *_joined(whole),
        *_kinds(whole),
        *_couplings(file, whole),
        *_motors(file, whole),
        *_coordinates(file, whole),
        *_tool(file, whole),
        *_order(file, whole),
    )
    for path, what in found or _loose(file, whole):
        told.setdefault(path, what)
    return list(told.items())


def _unknown(what: str, name: str, known: Iterable[str]) -> str:
    names = list(known)
    allowed = some(names) or "none: the file has none"
    return f"{shown(name)} is not {what}{suggestion(name, names)}; allowed: {allowed}"


def _single(whole: Expanded) -> dict[str, Copy]:
    """Joints and cylinders that have one coordinate."""
    joints = {entry.name: entry for entry in whole.joints if entry.part.kind in ("R", "P")}
    return {**joints, **{entry.name: entry for entry in whole.cylinders}}


def _not_single(name: str, whole: Expanded) -> str:
    kinds = {entry.name: entry.part.kind for entry in whole.joints}
    if name in kinds:
        return f"{shown(name)} is a joint {kinds[name]}, which has no single coordinate; use one R or P"
    if name in (entry.name for entry in whole.rods):
        return f"{shown(name)} is a rod, whose length stays; allowed: joints R, P and cylinders"
    copies = [copy for copy in _single(whole) if copy.rsplit("-", 1)[0] == name]
    if copies:
        return f"{shown(name)} is repeated; its copies are called {some(copies)}"
    return _unknown("a joint or cylinder", name, _single(whole))


def _names(file: MechanismFile, whole: Expanded) -> Iterator[Found]:
    for section in ("points", "motors"):
        for name in getattr(file, section):
            yield from _name((section, name), name)
    for entry in (*whole.bodies, *whole.joined):
        yield from _name(entry.path, entry.name)
    for entry in whole.bodies:
        if entry.path[-1] == BASE or entry.name == BASE:
            yield entry.path, "is the name of the ground, which needs no body; call this one otherwise"
    yield from _repeated(whole.bodies)
    yield from _repeated([*whole.joints, *whole.cylinders, *whole.rods])
    yield from _repeated(whole.springs)
    yield from _repeated(whole.cones)
    driven = [name for name, entry in _single(whole).items() if entry.part.motor]
    for name in file.motors:
        if name in driven:
            what = "is also a joint or cylinder with a motor of its own; give it another name"
            yield ("motors", name), what


def _name(path: Path, name: str) -> Iterator[Found]:
    try:
        q.name(name)
    except ValueError as error:
        yield path, str(error)


def _repeated(entries: Iterable[Copy]) -> Iterator[Found]:
    seen: dict[str, Path] = {}
    for entry in entries:
        first = seen.setdefault(entry.name, entry.path)
        if first != entry.path:
            owner = place_of(first[:-1], None)
            yield entry.path, f"{shown(entry.name)} is also a name in {owner}; names must be unique"


def _joined(whole: Expanded) -> Iterator[Found]:
    bodies = [BASE, *(entry.name for entry in whole.bodies)]
    known = set(bodies)
    for entry in whole.joined:
        for k, name in enumerate(entry.joins):
            if name and name not in known:
                copies = [body for body in bodies if body.rsplit("-", 1)[0] == name]
                hint = f"; its copies are called {some(copies)}" if copies else ""
                seen = _seen_from(entry, whole)
                yield (*entry.path, "joins", k), _unknown("a body", name, seen) + hint
        one, other = entry.joins
        if one and one == other:
            what = f"joins {shown(one)} with itself; allowed: two different bodies"
            yield (*entry.path, "joins"), what


def _seen_from(entry: Copy, whole: Expanded) -> list[str]:
    """Bodies as a part may call them: those of its own repeat without the number of the copy."""
    inside = entry.path[0] == "repeat"
    names = (
        str(body.path[-1]) if inside and body.path[:2] == entry.path[:2] else body.name
        for body in whole.bodies
    )
    return list(dict.fromkeys((BASE, *names)))


def _kinds(whole: Expanded) -> Iterator[Found]:
    for entry in whole.joints:
        kind = entry.part.kind
        if kind in ("R", "P"):
            continue
        for name in OF_ONE_COORDINATE:
            value = getattr(entry.part, name)
            if any(value) if isinstance(value, tuple) else value:
                what = f"is for joints R and P; this one is {kind}"
                yield (*entry.path, name), f"{what}: write R joints with a body between, or leave it out"
        if kind == "fixed" and entry.part.viscous:
            yield (*entry.path, "viscous"), "a fixed joint does not move; leave it out"


def _couplings(file: MechanismFile, whole: Expanded) -> Iterator[Found]:
    known = _single(whole)
    for index, coupling in enumerate(file.couplings):
        path: Path = ("couplings", index)
        names = [name for name, _ in coupling.ratios]
        for name, place in zip(names, ("joint", "follows"), strict=False):
            if coupling.terms is None and name not in known:
                yield (*path, place), _not_single(name, whole)
        for name in names if coupling.terms is not None else ():
            if name not in known:
                yield (*path, "terms", name), _not_single(name, whole)
        if len(set(names)) < len(names):
            yield path, f"couples {shown(names[0])} with itself; allowed: different joints"


def _motors(file: MechanismFile, whole: Expanded) -> Iterator[Found]:
    known = _single(whole)
    for name, motor in file.motors.items():
        for joint in motor.joints or ():
            if joint not in known:
                yield ("motors", name, "joints", joint), _not_single(joint, whole)


def _coordinates(file: MechanismFile, whole: Expanded) -> Iterator[Found]:
    known = _single(whole)
    bodies = [entry.name for entry in whole.bodies]
    seen: set[tuple[str, str | None]] = set()
    for index, item in enumerate(file.coordinates):
        path: Path = ("coordinates", index)
        for coordinate in item:
            if (coordinate.of, coordinate.pose) in seen:
                yield path, f"{shown(coordinate.name)} is given twice; keep one"
            seen.add((coordinate.of, coordinate.pose))
        first = item[0]
        if first.pose is None:
            body, dot, pose = first.of.rpartition(".")
            if first.of not in known and dot and body in bodies:
                what = f"{shown(first.of)} is not a joint; did you mean {{{body}: [{pose}]}}?"
                yield path, what
            elif first.of not in known and first.of in bodies and first.of not in _all(whole):
                what = f"{shown(first.of)} is a body; say which of its pose: {{{first.of}: [x, y]}}"
                yield path, what
            elif first.of not in known:
                yield path, _not_single(first.of, whole)
            continue
        if first.of not in bodies:
            yield (*path, first.of), _unknown("a body", first.of, bodies)
        if first.relative_to != BASE and first.relative_to not in bodies:
            yield (*path, "relative_to"), _unknown("a body", first.relative_to, [BASE, *bodies])
        elif first.relative_to == first.of:
            what = "is the same body; a pose is relative to another one"
            yield (*path, "relative_to"), what


def _all(whole: Expanded) -> set[str]:
    return {entry.name for entry in whole.joined}


def _tool(file: MechanismFile, whole: Expanded) -> Iterator[Found]:
    bodies = [entry.name for entry in whole.bodies]
    if file.tool is not None and file.tool.body not in bodies:
        yield ("tool", "body"), _unknown("a body", file.tool.body, bodies)


def _order(file: MechanismFile, whole: Expanded) -> Iterator[Found]:
    for index, name in enumerate(file.order):
        if name not in whole.order:
            yield ("order", index), _unknown("a joint or cylinder", name, whole.order)
        elif name in file.order[:index]:
            yield ("order", index), f"{shown(name)} is given twice; keep one"


def _loose(file: MechanismFile, whole: Expanded) -> Iterator[Found]:
    """Bodies that neither hold to the base nor have a pose among the coordinates."""
    held = {BASE, *(c.of for item in file.coordinates for c in item if c.pose is not None)}
    links = [entry.joins for entry in (*whole.joints, *whole.rods, *whole.cylinders)]
    touched = {name for joins in links for name in joins}
    grown = True
    while grown:
        found = {name for joins in links if held & set(joins) for name in joins}
        grown = not found <= held
        held |= found
    for entry in whole.bodies:
        if entry.name not in touched and entry.name not in held:
            what = "nothing joins it; add a joint, a rod or a cylinder that joins it to another body"
            yield entry.path, what
        elif entry.name not in held:
            others = [other.name for other in whole.bodies if other.name not in held]
            what = f"is not joined to the base, nor are {listed(others[:6])}"
            yield entry.path, f"{what}; add what holds them, or the pose of one to coordinates"
            return
