"""The tree that the joints of a URDF form, and its rigid groups of links."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import reduce

from linkwork.files.faults import Fault, shown, suggestion
from linkwork.model.geometry import Body, Transform
from linkwork.model.urdf.elements import UrdfJoint, UrdfLink

MOST_NAMED = 5
TOOL = "tool0"  # what ROS-Industrial calls the frame of the tool


@dataclass
class Group:
    """Links that fixed joints hold together, in the frame of the first of them.

    `entry` is the moving joint that carries the group, at `before` in the frame of the group it leaves.
    """

    links: list[UrdfLink]
    entry: UrdfJoint | None = None
    before: Transform = field(default_factory=Transform)
    bodies: list[Body] = field(default_factory=list)
    places: dict[str, Transform] = field(default_factory=dict)  # of its links, by name
    next: list[Group] = field(default_factory=list)

    def tip(self, joints: Iterable[UrdfJoint], chosen: str | None) -> Transform:
        """The place of the link chosen, of tool0, or of the only end of the group."""
        ends = self.places.keys() - {joint.parent for joint in joints}
        name = chosen or (TOOL if TOOL in self.places else next(iter(ends)) if len(ends) == 1 else "")
        return self.places.get(name, Transform())

    @property
    def body(self) -> Body:
        if not self.bodies:
            return Body.of(0.0, (0.0, 0.0, 0.0), [[0.0] * 3] * 3)
        return reduce(Body.merged_with, self.bodies)


def tree_faults(links: Sequence[UrdfLink], joints: Sequence[UrdfJoint]) -> Iterator[Fault]:
    """Why links and joints do not form one tree."""
    yield from _repeated("link", links)
    yield from _repeated("joint", joints)
    names = {link.name for link in links}
    for joint in joints:
        for end in (joint.parent, joint.child):
            if end and end not in names:
                what = f"link {shown(end)} does not exist{suggestion(end, names)}"
                yield Fault(f"joint {joint.name!r}", what, joint.line)
    parents: defaultdict[str, list[UrdfJoint]] = defaultdict(list)
    for joint in joints:
        parents[joint.child].append(joint)
    for link in links:
        if len(parents[link.name]) > 1:
            what = f"is the child of joints {named(parents[link.name])}; a link has one parent"
            yield Fault(f"link {link.name!r}", what, link.line)
    roots = [link for link in links if not parents[link.name]]
    if len(roots) > 1:
        what = f"links {named(roots)} have no parent joint; an arm has one base: join them"
        yield Fault("", what, roots[1].line)
    held = reached((link.name for link in roots), joints)
    dangling = any(end and end not in names for joint in joints for end in (joint.parent, joint.child))
    if not dangling and (looped := [link for link in links if link.name not in held]):
        what = f"links {named(looped)} form a loop; a serial arm has none"
        yield Fault("", what, looped[0].line)


def grouped(links: Sequence[UrdfLink], joints: Sequence[UrdfJoint]) -> Group:
    """The group of the base, with all others behind it; the joints must form a tree."""
    by_name = {link.name: link for link in links}
    leaving = _leaving(joints)
    carried = {joint.child for joint in joints}
    base = Group([next(link for link in links if link.name not in carried)])
    waiting = [(base.links[0], base, Transform())]
    while waiting:
        link, group, place = waiting.pop()
        group.places[link.name] = place
        if link.body is not None and (link.body.mass or link.body.inertia.any()):
            group.bodies.append(link.body.seen_from(place.inverse()))
        for joint in leaving[link.name]:
            child = by_name[joint.child]
            child_place = place @ joint.origin
            if joint.type == "fixed":
                group.links.append(child)
                waiting.append((child, group, child_place))
            else:
                group.next.append(Group([child], joint, child_place))
                waiting.append((child, group.next[-1], Transform()))
    return base


def branch_faults(base: Group, advice: str) -> Iterator[Fault]:
    """Every place where more than one moving joint follows."""
    waiting = [base]
    while waiting:
        group = waiting.pop()
        waiting += group.next
        entries = [after.entry for after in group.next if after.entry is not None]
        if len(entries) > 1:
            what = (
                f"the chain branches here into joints {named(entries)};"
                f" a serial arm has one moving joint after each link: choose a tip, as in {advice}"
            )
            left = [link for link in group.links if link.name in {entry.parent for entry in entries}]
            place = left[0] if len(left) == 1 else group.links[0]
            yield Fault(f"link {place.name!r}", what, place.line)


def named(parts: Sequence[UrdfLink | UrdfJoint]) -> str:
    names = [repr(part.name) for part in parts[:MOST_NAMED]]
    if len(parts) > MOST_NAMED:
        names.append(f"{len(parts) - MOST_NAMED} more")
    return ", ".join(names[:-1]) + " and " + names[-1] if len(names) > 1 else names[0]


def _repeated(what: str, parts: Iterable[UrdfLink | UrdfJoint]) -> Iterator[Fault]:
    first: dict[str, int] = {}
    for part in parts:
        if part.name and part.name in first:
            text = f"is given twice, at lines {first[part.name]} and {part.line}; names must be unique"
            yield Fault(f"{what} {part.name!r}", text, part.line)
        first.setdefault(part.name, part.line)


def _leaving(joints: Iterable[UrdfJoint]) -> defaultdict[str, list[UrdfJoint]]:
    leaving: defaultdict[str, list[UrdfJoint]] = defaultdict(list)
    for joint in joints:
        leaving[joint.parent].append(joint)
    return leaving


def reached(starts: Iterable[str], joints: Iterable[UrdfJoint]) -> set[str]:
    """Links to which joints lead from some links, and these."""
    leaving, waiting = _leaving(joints), list(starts)
    seen: set[str] = set()
    while waiting:
        link = waiting.pop()
        if link not in seen:
            seen.add(link)
            waiting += [joint.child for joint in leaving[link]]
    return seen
