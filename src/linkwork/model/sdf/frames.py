"""The frames of an SDF: where links, joints, frames and nested models stand in their model.

A pose counts from the frame that `relative_to` names; by default a link's from its model, a joint's
from its child, a frame's from what it is attached to. Names of nested models go before their parts:
arm::hand.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from linkwork.core.rotations import rotation_of, rotation_rpy
from linkwork.files import quantities as q
from linkwork.files.faults import Fault, FaultyError, suggestion
from linkwork.model.geometry import Transform
from linkwork.model.urdf.elements import AttributeReader, Element

MODEL, WORLD = "__model__", "world"
INSIDE = "::"
UNIT = 1e-3  # what digits leave of a quaternion's length
PLACED = ("link", "joint", "frame", "model")


def child(element: Element | None, tag: str) -> Element | None:
    """An inner element whose text reads like an attribute `value`."""
    inner = element.first(tag) if element is not None else None
    if inner is None:
        return None
    text = inner.text.strip()
    return Element(tag, inner.line, {**inner.attributes, **({"value": text} if text else {})})


def word(element: Element | None, tag: str, default: str = "") -> str:
    inner = child(element, tag)
    return inner.attributes.get("value", default) if inner is not None else default


def pose_of(element: Element, where: str, read: AttributeReader) -> Transform:
    """What the <pose> of an element says, in the frame from which it counts."""
    pose = child(element, "pose")
    if pose is None:
        return Transform()
    if pose.attributes.get("rotation_format", "euler_rpy") == "quat_xyzw":
        x, y, z, *turn = read.values(pose, "value", where, _seven, (0.0,) * 6 + (1.0,))
        quaternion = np.array([turn[3], *turn[:3]])
        size = float(np.linalg.norm(quaternion))
        if abs(size - 1.0) > UNIT:
            read.note(pose, where, f"its quaternion has the length {size:.4g}; it should have 1")
            return Transform()
        return Transform.of(rotation_of(np.array([x, y, z, *quaternion / size])), (x, y, z))
    x, y, z, *angles = read.values(pose, "value", where, q.pose, (0.0,) * 6)
    turn_unit = np.radians(1.0) if pose.attributes.get("degrees", "") in ("true", "1") else 1.0
    return Transform.of(rotation_rpy(*(turn_unit * angle for angle in angles)), (x, y, z))


def _seven(items: list[object]) -> tuple[float, float, float, float, float, float, float]:
    if len(items) != 7:
        raise ValueError(f"has {len(items)} items; expected: x y z [m], then the quaternion x y z w")
    x, y, z, a, b, c, d = map(q.length, items)
    return x, y, z, a, b, c, d


@dataclass
class Frames:
    """One model; `path` goes before the names of its parts."""

    element: Element
    read: AttributeReader
    path: str = ""
    parts: dict[str, Element] = field(default_factory=dict)
    models: dict[str, Frames] = field(default_factory=dict)
    known: dict[str, Transform] = field(default_factory=dict)

    @staticmethod
    def of(element: Element, read: AttributeReader, path: str = "") -> Frames:
        found = Frames(element, read, path)
        for tag in PLACED:
            for part in element.named(tag):
                name = read.text(part, "name", f"{tag} of {path or 'the model'}")
                if name in found.parts:
                    first = found.parts[name].line
                    what = f"is given twice, at lines {first} and {part.line}; names must be unique"
                    read.note(part, f"{tag} {path + name!r}", what)
                found.parts[name] = part
                if tag == "model":
                    found.models[name] = Frames.of(part, read, path + name + INSIDE)
        return found

    @property
    def canonical(self) -> str:
        """The link that stands for the model: the first, unless it names one."""
        links = [*self.element.named("link")]
        first = links[0].attributes.get("name", "") if links else ""
        if not first and self.models:
            inner = next(iter(self.models))
            first = inner + INSIDE + self.models[inner].canonical
        return self.element.attributes.get("canonical_link", "") or first

    @property
    def placed_at(self) -> Transform:
        """The frame that the model's own pose places, seen from the model."""
        return self.place(self.element.attributes.get("placement_frame", "") or MODEL)

    def place(self, name: str, line: int | None = None, before: tuple[str, ...] = ()) -> Transform:
        """A frame, seen from the model; FaultyError if there is none or it counts from itself."""
        if name == MODEL:
            return Transform()
        if name in before:
            chain = " -> ".join((*before, name))
            raise FaultyError([Fault(self.path + name, f"its pose counts from itself: {chain}", line)])
        if name not in self.known:
            self.known[name] = self._place(name, line, (*before, name))
        return self.known[name]

    def _place(self, name: str, line: int | None, before: tuple[str, ...]) -> Transform:
        outer, _, inner = name.partition(INSIDE)
        if inner and outer in self.models:
            return self.place(outer, line, before) @ self.models[outer].place(inner, line)
        part = self.part(name, line)
        where = f"{part.tag} {self.path + name!r}"
        pose = child(part, "pose")
        given = pose.attributes if pose is not None else {}
        start = given.get("relative_to", "") or given.get("frame", "") or self._default(part)
        placed = self.place(start, part.line, before) @ pose_of(part, where, self.read)
        return placed @ self.models[name].placed_at.inverse() if part.tag == "model" else placed

    def _default(self, part: Element) -> str:
        if part.tag == "joint":
            return word(part, "child") or MODEL
        return (part.tag == "frame" and part.attributes.get("attached_to", "")) or MODEL

    def part(self, name: str, line: int | None = None) -> Element:
        if name not in self.parts:
            what = f"frame {name!r} does not exist{suggestion(name, self.parts)}"
            raise FaultyError([Fault(self.path.removesuffix(INSIDE), what, line)])
        return self.parts[name]

    def link(self, name: str, line: int | None = None, before: tuple[str, ...] = ()) -> str:
        """The link, by its full name, that carries a frame."""
        outer, _, inner = name.partition(INSIDE)
        if inner and outer in self.models:
            return self.models[outer].link(inner, line)
        if name == MODEL:
            return self.link(self.canonical, line, before)
        part = self.part(name, line)
        if part.tag == "link":
            return self.path + name
        if part.tag == "model":
            return self.models[name].link(MODEL, line)
        if name in before:
            raise FaultyError([Fault(self.path + name, "is attached to itself", part.line)])
        on = word(part, "child") if part.tag == "joint" else part.attributes.get("attached_to", "")
        return self.link(on or MODEL, part.line, (*before, name))
