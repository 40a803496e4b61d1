"""Mechanisms from SDFormat: any graph of links and joints, as it stands with all joints at zero.

Links that fixed joints hold together are one body. A part that no joint holds to the world floats. A
joint has a motor unless its effort limit is 0 or it follows another.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import reduce

import numpy as np

from linkwork.files import quantities as q
from linkwork.files.faults import Document, Fault, FaultyError, listed, shown, suggestion, warn
from linkwork.model.geometry import Array, Body, Transform, frozen
from linkwork.model.joint import STANDARD_GRAVITY, Friction, JointKind, Limits
from linkwork.model.linkage import Linkage, mechanism_of
from linkwork.model.mechanism import (
    BASE,
    Coupling,
    Joins,
    MechanismJoint,
    MechanismModel,
    Part,
    Spring,
)
from linkwork.model.sdf.frames import MODEL, WORLD, Frames, child, pose_of, word
from linkwork.model.urdf.elements import (
    DAMPING,
    EFFORT,
    PLACE,
    SPEED,
    AttributeReader,
    Element,
    read_xml,
)

TURNS: dict[str, tuple[JointKind, ...]] = {
    "revolute": ("revolute",),
    "continuous": ("revolute",),
    "prismatic": ("prismatic",),
    "universal": ("revolute", "revolute"),
    "revolute2": ("revolute", "revolute"),
    "screw": ("revolute", "prismatic"),
}
TYPES = (*TURNS, "ball", "fixed", "gearbox")
NO_LIMIT = 1e15  # what is written for infinity
PARALLEL = 1e-6
STIFFNESS = q.number("N m/rad or N/m", q.NOT_NEGATIVE)


def sdf_mechanism(raw: bytes | str, source: str) -> tuple[MechanismModel, Document]:
    """The mechanism of the one model of an SDF; FaultyError with what is wrong with it."""
    root, read = read_xml(raw), AttributeReader()
    if root.tag != "sdf":
        what = f"the first element is <{root.tag}>; an SDF begins with <sdf>"
        raise FaultyError([Fault("", what, root.line)])
    element, gravity = _model_of(root, read)
    version = root.attributes.get("version", "")
    old = version in ("1.0", "1.2", "1.3", "1.4")
    reader = Reader(Frames.of(element, read), read, axes_in_model=old)
    model = reader.mechanism(read.text(element, "name", "model"), gravity)
    if read.remarks:
        warn(f"{source}: {'; '.join(dict.fromkeys(read.remarks))}")
    return model, Document({"coordinates": [each.name for each in model.coordinates]}, {})


def _model_of(root: Element, read: AttributeReader) -> tuple[Element, Array]:
    worlds = [*root.named("world")]
    holder = worlds[0] if worlds else root
    moving = [each for each in holder.named("model") if word(each, "static") not in ("true", "1")]
    if len(moving) != 1:
        names = [each.attributes.get("name", "") for each in moving]
        what = f"there are {len(moving)} models that move{': ' + listed(names) if names else ''}"
        raise FaultyError([Fault("", f"{what}; a file should have one", holder.line)])
    still = [each.attributes.get("name", "") for each in holder.named("model") if each not in moving]
    if still:
        read.remarks.append(f"left out: static models {listed(still)}")
    given = child(holder, "gravity")
    g = read.vector(given, "value", "gravity", q.vector("m/s^2"), tuple(STANDARD_GRAVITY))
    return moving[0], frozen(g)


@dataclass
class Reader:
    """Gathers the parts of a model and of the models within it."""

    frames: Frames
    read: AttributeReader
    axes_in_model: bool  # of joints, in early versions
    links: dict[str, tuple[Transform, Body]] = field(default_factory=dict)
    group: dict[str, str] = field(default_factory=lambda: {WORLD: WORLD})  # each link's rigid body
    entries: list[tuple[Frames, Transform, Element, Joins]] = field(default_factory=list)
    joints: list[MechanismJoint] = field(default_factory=list)
    crosses: list[Part] = field(default_factory=list)
    couplings: list[Coupling] = field(default_factory=list)

    def mechanism(self, name: str, gravity: Array) -> MechanismModel:
        where = pose_of(self.frames.element, "model", self.read)
        self._gather(self.frames, where @ self.frames.placed_at.inverse())
        if not self.links:
            raise FaultyError([Fault("model", "has no <link>", self.frames.element.line)])
        for _, _, element, (parent, kid) in self.entries:
            if element.attributes.get("type") == "fixed":
                self._join(parent, kid)
        for entry in self.entries:
            self._joint(*entry)
        for frames, place, element, joins in self.entries:
            self._mimics(frames, element)
            if element.attributes.get("type") == "gearbox":
                self._gearbox(frames, place, element, joins)
        if self.read.faults:
            raise FaultyError(self.read.faults)
        floating = self._floating()
        if not self.joints and not floating:
            raise FaultyError([Fault("", "no link of it moves", self.frames.element.line)])
        return mechanism_of(
            Linkage(
                name,
                (*self._parts(), *self.crosses),
                tuple(self.joints),
                floating=floating,
                couplings=tuple(self.couplings),
                gravity=gravity,
            )
        )

    # Links

    def _gather(self, frames: Frames, place: Transform) -> None:
        """Links and joints of a model that stands at a place, and of those within."""
        self._left_out(frames.element)
        for link in frames.element.named("link"):
            name = link.attributes.get("name", "")
            full, where = frames.path + name, f"link {frames.path + name!r}"
            self.links[full] = place @ frames.place(name, link.line), self._body(link, where)
            self.group[full] = full
        for joint in frames.element.named("joint"):
            ends = [self._end(frames, joint, tag) for tag in ("parent", "child")]
            self.entries.append((frames, place, joint, (ends[0], ends[1])))
        for name, inner in frames.models.items():
            self._gather(inner, place @ frames.place(name))

    def _left_out(self, element: Element) -> None:
        for include in element.named("include"):
            what = "is another file; write the model into this one, as `gz sdf -p` prints it"
            self.read.note(include, f"include {word(include, 'uri')!r}", what)
        for tag, what in (("plugin", "plugins"), ("gripper", "grippers")):
            if element.first(tag) is not None:
                self.read.remarks.append(f"left out: {what}")

    def _end(self, frames: Frames, joint: Element, tag: str) -> str:
        name, where = word(joint, tag), f"joint {frames.path + joint.attributes.get('name', '')!r}"
        if name == WORLD:
            return WORLD
        if not name:
            self.read.note(joint, where, f"has no <{tag}>; add one")
            return WORLD
        try:
            return frames.link(name, joint.line)
        except FaultyError as error:
            self.read.faults += error.faults
            return WORLD

    def _body(self, link: Element, where: str) -> Body:
        """Without an <inertial> 1 kg with inertias of 1 kg m^2, as the format says."""
        read, inertial = self.read, link.first("inertial")
        if inertial is None:
            read.remarks.append(f"{where} has no <inertial>: 1 kg and 1 kg m^2, as the format says")
        elif inertial.attributes.get("auto", "") in ("true", "1"):
            read.note(inertial, where, "its inertia is to be computed from shapes; write the numbers")
        elif inertial.first("fluid_added_mass") is not None:
            read.remarks.append("left out: added mass of fluids")
        tensor = inertial and inertial.first("inertia")
        xx, xy, xz, yy, yz, zz = (
            read.number(child(tensor, name), "value", where, q.number("kg m^2"), default)
            for name, default in zip(
                ("ixx", "ixy", "ixz", "iyy", "iyz", "izz"), (1.0, 0.0, 0.0, 1.0, 0.0, 1.0), strict=True
            )
        )
        mass = read.number(child(inertial, "mass"), "value", where, q.number("kg", q.NOT_NEGATIVE), 1.0)
        body = Body.of(mass, (0.0, 0.0, 0.0), [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        return body.seen_from(pose_of(inertial, where, read).inverse()) if inertial else body

    def _root(self, link: str) -> str:
        while self.group[link] != link:
            link = self.group[link]
        return link

    def _join(self, a: str, b: str) -> None:
        """The world, or the link that is written first, gives its name to both."""
        order = [WORLD, *self.links]
        first, other = sorted((self._root(a), self._root(b)), key=order.index)
        self.group[other] = first

    def _held(self, link: str) -> str:
        root = self._root(link)
        return BASE if root == WORLD else root

    def _parts(self) -> Iterator[Part]:
        for name in self.links:
            if self._root(name) != name:
                continue
            members = [each for each in self.links if self._root(each) == name]
            bodies = [self.links[each][1].seen_from(self.links[each][0].inverse()) for each in members]
            yield Part(name, reduce(Body.merged_with, bodies), Transform.of(None, self.links[name][0].p))

    def _floating(self) -> tuple[str, ...]:
        """One body of each part that nothing holds to the world: its canonical one where it can be."""
        held = {
            BASE: BASE,
            **{name: name for name in self.links},
            **{p.name: p.name for p in self.crosses},
        }

        def root(name: str) -> str:
            while held[name] != name:
                name = held[name]
            return name

        for joint in self.joints:
            a, b = map(root, joint.joins)
            held[b] = a
        found: list[str] = []
        for link in (self.frames.link(MODEL), *self.links):
            name = self._held(link)
            if root(name) != root(BASE):
                found.append(name)
                held[root(name)] = root(BASE)
        return tuple(found)

    # Joints

    def _joint(self, frames: Frames, place: Transform, element: Element, joins: Joins) -> None:
        read, kind = self.read, element.attributes.get("type", "")
        name = frames.path + element.attributes.get("name", "")
        where = f"joint {name!r}"
        if kind not in TYPES:
            read.note(
                element,
                where,
                f"type {shown(kind)} is not known{suggestion(kind, TYPES)}; expected: {listed(TYPES)}",
            )
        held = self._held(joins[0]), self._held(joins[1])
        if kind not in TYPES or kind in ("fixed", "gearbox"):
            return
        if held[0] == held[1]:
            read.remarks.append(f"{where} is held by fixed joints")
            return
        at = self._placed(frames, place, element)
        if kind == "ball":
            friction = Friction(viscous=self._dynamics(element.first("axis"), "damping", where, DAMPING))
            self.joints.append(MechanismJoint(name, "spherical", held, at.p, friction=friction))
            return
        kinds = TURNS[kind]
        axes = [element.first("axis"), element.first("axis2" if kind != "screw" else "axis")]
        carrier, names = held[0], [name] if len(kinds) == 1 else [f"{name} {k}" for k in (1, 2)]
        for k, (own, each) in enumerate(zip(names, kinds, strict=True)):
            carried = held[1] if k == len(kinds) - 1 else f"{name} cross"
            if carried != held[1]:
                self.crosses.append(Part(carried, Body(), Transform.of(None, at.p)))
            way = self._axis(frames, element, axes[k], where, at.R, place)
            slides = kind == "screw" and k == 1  # what it has belongs to the turn
            self.joints.append(
                MechanismJoint(own, each, (carrier, carried), at.p, (way,))
                if slides
                else self._driven(own, each, (carrier, carried), at.p, way, axes[k], where, kind)
            )
            carrier = carried
        if kind == "screw":
            self.couplings.append(Coupling(((names[1], 1.0), (names[0], -self._pitch(element, where)))))

    def _driven(
        self,
        name: str,
        kind: JointKind,
        joins: Joins,
        at: Array,
        way: Array,
        axis: Element | None,
        where: str,
        written: str,
    ) -> MechanismJoint:
        limit = axis.first("limit") if axis is not None else None
        effort = self._bound(limit, "effort", where, EFFORT)
        velocity = self._bound(limit, "velocity", where, SPEED)
        low, high = (self._bound(limit, tag, where, PLACE) for tag in ("lower", "upper"))
        position = None
        if low is not None and high is not None and written != "continuous":
            if low > high:
                self.read.note(
                    axis or Element("", 0, {}), where, f"lower {low:g} is above upper {high:g}"
                )
            position = (low, high) if low < high else None
        elif (low is None) != (high is None) and written != "continuous":
            self.read.remarks.append(f"{where}: its limit to one side is left out")
        coulomb = self._dynamics(axis, "friction", where, EFFORT)
        stiffness = self._dynamics(axis, "spring_stiffness", where, STIFFNESS)
        free = self._dynamics(axis, "spring_reference", where, PLACE)
        return MechanismJoint(
            name,
            kind,
            joins,
            at,
            (way,),
            motor=effort != 0.0 and (axis is None or axis.first("mimic") is None),
            friction=Friction(self._dynamics(axis, "damping", where, DAMPING), coulomb, -coulomb),
            limits=Limits(position, velocity or None, effort or None),
            spring=Spring(stiffness, free) if stiffness else None,
        )

    def _bound(
        self, limit: Element | None, tag: str, where: str, quantity: q.FieldQuantity[float]
    ) -> float | None:
        """A limit; None where there is none: infinite, or -1 of effort and velocity."""
        text = word(limit, tag).lower()
        try:
            value = float(text or "inf")
        except ValueError:
            value = 0.0
        if abs(value) >= NO_LIMIT or (value == -1.0 and tag in ("effort", "velocity")):
            return None
        return self.read.number(child(limit, tag), "value", where, quantity)

    def _dynamics(
        self, axis: Element | None, tag: str, where: str, quantity: q.FieldQuantity[float]
    ) -> float:
        dynamics = axis.first("dynamics") if axis is not None else None
        return self.read.number(child(dynamics, tag), "value", where, quantity, 0.0)

    def _placed(self, frames: Frames, place: Transform, joint: Element) -> Transform:
        return place @ frames.place(joint.attributes.get("name", ""), joint.line)

    def _axis(
        self,
        frames: Frames,
        joint: Element,
        axis: Element | None,
        where: str,
        R: Array,
        place: Transform,
    ) -> Array:
        """In base axes; it is given in the joint's frame unless it says otherwise."""
        xyz = child(axis, "xyz")
        way = np.array(self.read.vector(xyz, "value", where, q.direction, (0.0, 0.0, 1.0)))
        given = xyz.attributes.get("expressed_in", "") if xyz is not None else ""
        if self.axes_in_model or word(axis, "use_parent_model_frame") in ("true", "1"):
            given = MODEL
        return frozen((place @ frames.place(given, joint.line)).R @ way if given else R @ way)

    def _pitch(self, joint: Element, where: str) -> float:
        """Travel [m] per radian; the deprecated word counts radians per meter, left-handed."""
        pitch = child(joint, "screw_thread_pitch")
        if pitch is not None or child(joint, "thread_pitch") is None:
            return self.read.number(pitch, "value", where, q.length, 1.0) / (2 * np.pi)
        old = q.number("rad/m", q.NOT_ZERO)
        return -1.0 / self.read.number(child(joint, "thread_pitch"), "value", where, old, 1.0)

    # Couplings

    def _mimics(self, frames: Frames, joint: Element) -> None:
        for tag in ("axis", "axis2"):
            mimic = (joint.first(tag) or joint).first("mimic")
            if mimic is None:
                continue
            name, leader = joint.attributes.get("name", ""), mimic.attributes.get("joint", "")
            where = f"joint {frames.path + name!r} mimic"
            ratio, offset, reference = (
                self.read.number(child(mimic, each), "value", where, q.number(), default)
                for each, default in (("multiplier", 1.0), ("offset", 0.0), ("reference", 0.0))
            )
            follows = self._turn(frames, leader, mimic.attributes.get("axis", "axis"))
            own = self._turn(frames, name, tag)
            if not own or not follows:
                what = f"joint {leader!r} does not exist or does not move"
                self.read.note(mimic, where, what + suggestion(leader, frames.parts))
            elif abs(offset - ratio * reference) > PARALLEL:
                what = (
                    f"puts the joint at {offset - ratio * reference:g} where {leader!r} is at 0;"
                    " here both must be at zero together"
                )
                self.read.note(mimic, where, what)
            else:
                self.couplings.append(Coupling(((own, 1.0), (follows, -ratio))))

    def _turn(self, frames: Frames, joint: str, axis: str) -> str:
        """Our joint that an axis of a joint is; empty if there is none."""
        full, names = frames.path + joint, {each.name for each in self.joints}
        found = full if full in names else f"{full} {2 if axis == 'axis2' else 1}"
        return found if found in names else ""

    def _gearbox(self, frames: Frames, place: Transform, joint: Element, joins: Joins) -> None:
        """theta_2 = -ratio theta_1: angles of child and parent against the reference body."""
        where = f"gearbox {joint.attributes.get('name', '')!r}"
        against = word(joint, "gearbox_reference_body")
        try:
            reference = self._held(frames.link(against, joint.line))
        except FaultyError as error:
            self.read.faults += error.faults
            return
        ratio = self.read.number(
            child(joint, "gearbox_ratio"), "value", where, q.number("", q.NOT_ZERO), 1.0
        )
        R, terms = self._placed(frames, place, joint).R, []
        for link, tag, factor in ((joins[0], "axis", ratio), (joins[1], "axis2", 1.0)):
            way = self._axis(frames, joint, joint.first(tag), where, R, place)
            ends = (reference, self._held(link))
            turns = [
                (
                    each.name,
                    factor * (1.0 if each.joins == ends else -1.0) * float(np.sign(way @ each.axes[0])),
                )
                for each in self.joints
                if each.is_revolute
                and each.joins in (ends, ends[::-1])
                and np.linalg.norm(np.cross(way, each.axes[0])) < PARALLEL
            ]
            if not turns:
                what = f"no revolute joint along its {tag} joins {against!r} and {link!r}; it needs one"
                self.read.note(joint, where, what)
                return
            terms.append(turns[0])
        self.couplings.append(Coupling(tuple(terms)))
