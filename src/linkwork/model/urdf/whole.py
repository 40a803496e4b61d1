"""The whole of a URDF as a mechanism: branches, joints that follow others, and loops that tools add.

Everything is drawn with joints at zero, those that follow others where these then put them. A loop is a
`<loop_joint>` between two links, or Drake's `<drake:ball_constraint>`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from linkwork.core.rotations import rotation_rpy
from linkwork.files import quantities as q
from linkwork.files.faults import Fault, FaultyError, listed, suggestion
from linkwork.model.geometry import Array, Transform, displacement, distance, frozen
from linkwork.model.linkage import Linkage, mechanism_of
from linkwork.model.mechanism import (
    BASE,
    Coupling,
    Joins,
    MechanismJoint,
    MechanismModel,
    Part,
)
from linkwork.model.urdf.elements import MOVING, AttributeReader, Element, UrdfJoint
from linkwork.model.urdf.tree import Group

LOOP, BALL = "loop_joint", "drake:ball_constraint"
CLOSED = 1e-6  # [m] what a file with few digits can promise
LOOP_KINDS = ("continuous", "revolute", "ball", "spherical", "fixed")


def loops(root: Element) -> list[Element]:
    """The elements that close loops."""
    return [*root.named(LOOP), *root.named(BALL)]


def urdf_mechanism(name: str, base: Group, root: Element, read: AttributeReader) -> MechanismModel:
    """The tree that hangs on a base, with its loops; FaultyError with what is wrong with these."""
    entries = {group.entry.name: group.entry for group in _behind(base) if group.entry is not None}
    home = _home(entries)
    parts: list[Part] = []
    joints: list[MechanismJoint] = []
    places: dict[str, tuple[str, Transform]] = {}
    names = {BASE}
    waiting = [(base, BASE, Transform())]
    while waiting:
        group, part, frame = waiting.pop(0)
        places |= {link: (part, frame @ place) for link, place in group.places.items()}
        if group is not base:
            body = group.body.seen_from(frame.inverse())
            parts.append(Part(part, body, Transform.of(None, frame.p)))
        for after in group.next:
            entry = after.entry
            assert entry is not None
            child = after.links[0].name
            while child in names:
                child += "-link"
            names.add(child)
            at = frame @ after.before
            joints.append(_joint(entry, (part, child), at, home[entry.name]))
            moved = displacement(MOVING[entry.type], entry.axis, home[entry.name])
            waiting.append((after, child, at @ moved))
    closing = [_loop(element, places, read) for element in loops(root)]
    if read.faults:
        raise FaultyError(read.faults)
    couplings = (
        Coupling(((entry.name, 1.0), (entry.mimic.joint, -entry.mimic.multiplier)))
        for entry in entries.values()
        if entry.mimic is not None and entry.mimic.multiplier
    )
    joints += [each for each in closing if each is not None]
    return mechanism_of(Linkage(name, tuple(parts), tuple(joints), couplings=tuple(couplings)))


def _behind(base: Group) -> Iterator[Group]:
    for group in base.next:
        yield group
        yield from _behind(group)


def placed_groups(base: Group) -> Iterator[tuple[Group, Transform]]:
    """The rigid groups of a sound tree in the order of its bodies, and where they stand at home."""
    home = _home({group.entry.name: group.entry for group in _behind(base) if group.entry is not None})
    waiting = [(base, Transform())]
    while waiting:
        group, frame = waiting.pop(0)
        yield group, frame
        for after in group.next:
            entry = after.entry
            assert entry is not None
            moved = displacement(MOVING[entry.type], entry.axis, home[entry.name])
            waiting.append((after, frame @ after.before @ moved))


def _home(entries: Mapping[str, UrdfJoint]) -> dict[str, float]:
    """Where every joint stands while those that follow none are at zero."""
    faults = []
    home: dict[str, float] = {}

    def place(name: str, before: tuple[str, ...]) -> float:
        mimic = entries[name].mimic
        if name in home or mimic is None:
            return home.setdefault(name, 0.0)
        where = f"joint {name!r} mimic"
        if mimic.joint not in entries:
            what = f"joint {mimic.joint!r} does not exist or does not move"
            faults.append(Fault(where, what + suggestion(mimic.joint, entries), entries[name].line))
        elif mimic.joint in (*before, name):
            faults.append(Fault(where, "follows itself, through others", entries[name].line))
        else:
            followed = place(mimic.joint, (*before, name))
            return home.setdefault(name, mimic.multiplier * followed + mimic.offset)
        return home.setdefault(name, 0.0)

    for name in entries:
        place(name, ())
    if faults:
        raise FaultyError(faults)
    return home


def _joint(entry: UrdfJoint, joins: Joins, at: Transform, home: float) -> MechanismJoint:
    position = entry.limits.position
    if position is not None and home:
        position = position[0] - home, position[1] - home
    return MechanismJoint(
        entry.name,
        MOVING[entry.type],
        joins,
        at.p,
        (frozen(at.R @ entry.axis),),
        motor=entry.mimic is None,
        friction=entry.friction,
        limits=replace(entry.limits, position=position),
    )


def _loop(
    element: Element, places: Mapping[str, tuple[str, Transform]], read: AttributeReader
) -> MechanismJoint | None:
    """The joint that closes a loop; None where a fault is noted."""
    name = element.attributes.get("name", "").strip() or f"loop of line {element.line}"
    where = f"{element.tag} {name!r}"
    ends = _ball_ends(element) if element.tag == BALL else _loop_ends(element)
    found: list[tuple[str, Transform, Array]] = []
    for link, rpy, xyz in ends:
        if link not in places:
            read.note(element, where, f"link {link!r} does not exist{suggestion(link, places)}")
            continue
        try:
            turned, offset = (q.vector("rad")([*map(float, rpy)]), q.point([*map(float, xyz)]))
        except ValueError as error:
            read.note(element, where, str(error))
            continue
        part, frame = places[link]
        there = frame @ Transform.of(rotation_rpy(*turned), offset)
        found.append((part, there, there.p))
    kind = element.attributes.get("type", "ball") if element.tag == LOOP else "ball"
    if kind not in LOOP_KINDS:
        read.note(element, where, f"type {kind!r} is not known; allowed: {listed(LOOP_KINDS)}")
    if len(found) != 2 or kind not in LOOP_KINDS:
        return None
    (one, there, start), (other, _, end) = found
    gap = float(distance(start, end))
    if gap > CLOSED:
        read.note(element, where, f"is open by {gap:.3g} m with all joints at zero; it must close there")
    words = (element.first("axis") or Element("", 0, {})).attributes.get("xyz", "1 0 0").split()
    axis = frozen(there.R @ np.array(q.direction([float(word) for word in words])))
    if kind in ("continuous", "revolute"):
        return MechanismJoint(name, "revolute", (one, other), start, (axis,))
    return MechanismJoint(name, "fixed" if kind == "fixed" else "spherical", (one, other), start)


def _loop_ends(element: Element) -> Iterator[tuple[str, list[str], list[str]]]:
    for tag in ("link1", "link2"):
        end = (element.first(tag) or Element(tag, 0, {})).attributes
        yield end.get("link", ""), end.get("rpy", "0 0 0").split(), end.get("xyz", "0 0 0").split()


def _ball_ends(element: Element) -> Iterator[tuple[str, list[str], list[str]]]:
    for letter, point in (("A", "AP"), ("B", "BQ")):
        body = (element.first(f"drake:ball_constraint_body_{letter}") or Element("", 0, {})).attributes
        place = (element.first(f"drake:ball_constraint_p_{point}") or Element("", 0, {})).attributes
        yield body.get("name", ""), ["0", "0", "0"], place.get("value", "0 0 0").split()
