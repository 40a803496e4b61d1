"""Whether the parts of a mechanism's file belong together: names, what joins what, what may move."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from linkwork.robots import mechanism_schema as schema
from linkwork.robots import quantities as q
from linkwork.robots.faults import Path, listed, place_of, shown, suggestion
from linkwork.robots.mechanism import BASE
from linkwork.robots.mechanism_expand import Entry, Expanded
from linkwork.robots.mechanism_parts import some
from linkwork.robots.validation import Found

# What a joint without a single coordinate of its own cannot have.
OF_ONE_COORDINATE = ("motor", "rotor", "coulomb", "limits", "spring", "stiffness")


def file_faults(file: schema.MechanismFile, whole: Expanded) -> list[Found]:
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


def _single(whole: Expanded) -> dict[str, Entry]:
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


def _names(file: schema.MechanismFile, whole: Expanded) -> Iterator[Found]:
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


def _repeated(entries: Iterable[Entry]) -> Iterator[Found]:
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


def _seen_from(entry: Entry, whole: Expanded) -> list[str]:
    """Bodies as a part may call them: those of its own repeat without the number of the copy."""
    inside = entry.path[0] == "repeat"
    names = (
        str(body.path[-1]) if inside and body.path[:2] == entry.path[:2] else body.name
        for body in whole.bodies
    )
    return list(dict.fromkeys((BASE, *names)))


def _kinds(whole: Expanded) -> Iterator[Found]:
    for entry in whole.joints:
        kind, given = entry.part.kind, entry.part.model_fields_set
        if kind in ("R", "P"):
            continue
        for name in OF_ONE_COORDINATE:
            if name in given and getattr(entry.part, name):
                what = f"is for joints R and P; this one is {kind}"
                yield (*entry.path, name), f"{what}: write R joints with a body between, or leave it out"
        if kind == "fixed" and entry.part.viscous:
            yield (*entry.path, "viscous"), "a fixed joint does not move; leave it out"


def _couplings(file: schema.MechanismFile, whole: Expanded) -> Iterator[Found]:
    known = _single(whole)
    for index, coupling in enumerate(file.couplings):
        path: Path = ("couplings", index)
        names = [name for name, _ in coupling.ratios]
        for name, field in zip(names, ("joint", "follows"), strict=False):
            if coupling.terms is None and name not in known:
                yield (*path, field), _not_single(name, whole)
        for name in names if coupling.terms is not None else ():
            if name not in known:
                yield (*path, "terms", name), _not_single(name, whole)
        if len(set(names)) < len(names):
            yield path, f"couples {shown(names[0])} with itself; allowed: different joints"


def _motors(file: schema.MechanismFile, whole: Expanded) -> Iterator[Found]:
    known = _single(whole)
    for name, motor in file.motors.items():
        for joint in motor.joints:
            if joint not in known:
                yield ("motors", name, "joints", joint), _not_single(joint, whole)


def _coordinates(file: schema.MechanismFile, whole: Expanded) -> Iterator[Found]:
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


def _tool(file: schema.MechanismFile, whole: Expanded) -> Iterator[Found]:
    bodies = [entry.name for entry in whole.bodies]
    if file.tool is not None and file.tool.body not in bodies:
        yield ("tool", "body"), _unknown("a body", file.tool.body, bodies)


def _order(file: schema.MechanismFile, whole: Expanded) -> Iterator[Found]:
    for index, name in enumerate(file.order):
        if name not in whole.order:
            yield ("order", index), _unknown("a joint or cylinder", name, whole.order)
        elif name in file.order[:index]:
            yield ("order", index), f"{shown(name)} is given twice; keep one"


def _loose(file: schema.MechanismFile, whole: Expanded) -> Iterator[Found]:
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
