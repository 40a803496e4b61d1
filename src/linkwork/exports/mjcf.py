"""MuJoCo: any mechanism as a tree of bodies, with constraints that close its loops.

Everything is written at home in base axes. A body that is held by a joint beside the tree appears twice:
as it hangs in the tree and as it hangs on this joint, with its mass shared out and both welded together,
so that every joint, with motor, friction and spring, is one of MuJoCo's. Tests of the mechanics keep
MuJoCo models of their own (tests/oracles): this writer judges nothing.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from xml.etree import ElementTree as xml

import numpy as np

from linkwork.core.errors import InputError
from linkwork.core.rotations import quaternion_of, rotation_rpy
from linkwork.drawing.shape import shape
from linkwork.exports.job import ExportJob
from linkwork.exports.mjcf_elements import (
    IMPEDANCE,
    ORANGE,
    SOFT,
    document,
    draw,
    dry_loss,
    friction_remarks,
    inertia_remarks,
    inertial,
    joint_element,
    motor,
    numbers,
    smooth,
    tie,
)
from linkwork.exports.mjcf_tree import Branch, Tree
from linkwork.exports.package import Package, filled, with_check
from linkwork.exports.physical_inertia import LEAST, Hung, PhysicalBodies, movable
from linkwork.exports.states import motion_check
from linkwork.mechanics.mechanism.coordinates import free_bodies
from linkwork.mechanics.mechanism.planning.spanning import home_pose
from linkwork.model.geometry import Array, Body, Transform
from linkwork.model.joint import Friction
from linkwork.model.mechanism import (
    BASE,
    POSE,
    Cylinder,
    MechanismJoint,
    MechanismModel,
    PointSpring,
    Rod,
    Spring,
    elements,
    is_tree,
    shafts,
    tool_frame,
)
from linkwork.robot.robot import Robot

BALLS = ("universal", "spherical")


@dataclass(frozen=True, eq=False)
class Held:
    """An element of the tree and its frame at home."""

    element: xml.Element
    frame: Transform

    def seen(self, point: Array) -> Array:
        return np.asarray(self.frame.R.T @ (point - self.frame.p))

    def child(self, name: str, frame: Transform) -> Held:
        there = self.frame.inverse() @ frame
        words = {"name": name, "pos": numbers(there.p)}
        if (np.eye(3) != there.R).any():
            words["quat"] = numbers(quaternion_of(there.R))
        return Held(xml.SubElement(self.element, "body", words), frame)


def mechanism_model(robot: Robot) -> tuple[xml.Element, list[str], MechanismModel, list[str]]:
    """The XML, remarks, the mechanism as MuJoCo moves it with Coulomb friction switched off, and its
    joints that are coordinates."""
    given, remarks = _physical(robot.mechanism)
    writer = Writer(given)
    writer.draw(Robot(given))
    compared = replace(
        given,
        joints=tuple(replace(each, friction=smooth(each.friction)) for each in given.joints),
        cylinders=tuple(replace(each, friction=smooth(each.friction)) for each in given.cylinders),
    )
    return writer.root, [*remarks, SOFT] if writer.ties else remarks, compared, writer.coordinates()


def _physical(model: MechanismModel) -> tuple[MechanismModel, list[str]]:
    """With bodies that MuJoCo takes, and without friction that it has not."""
    bodies = PhysicalBodies()
    own: dict[str, Body] = {part.name: part.body for part in model.parts}
    raised: list[str] = []
    if is_tree(model):
        own, raised = movable(own, _hung(model))
    else:
        own = {name: bodies.of(name, body) for name, body in own.items()}
    balls = [joint for joint in model.joints if joint.kind in BALLS]
    joints = [replace(each, friction=Friction()) if each in balls else each for each in model.joints]
    cylinders = [
        replace(
            each,
            universal=0.0,
            spherical=0.0,
            barrel=bodies.of(f"{each.name}, barrel", each.barrel),
            rod=bodies.of(f"{each.name}, rod", each.rod),
        )
        for each in model.cylinders
    ]
    rods = [replace(each, viscous=(0.0, 0.0)) for each in model.rods]
    remarks = [*friction_remarks(shafts(model)), *inertia_remarks([*raised, *bodies.raised])]
    rubbing = any(each.universal or each.spherical for each in model.cylinders)
    rubbing |= any(any(each.viscous) for each in model.rods)
    if rubbing or any(each.friction.acts for each in balls):
        remarks.append("friction of universal and spherical joints is left out")
    given = replace(
        model,
        parts=tuple(replace(part, body=own[part.name]) for part in model.parts),
        joints=tuple(joints),
        cylinders=tuple(cylinders),
        rods=tuple(rods),
    )
    return given, remarks


def _hung(model: MechanismModel) -> list[Hung]:
    """How the bodies of a tree hang on each other, where inertia can move between them."""
    found = []
    for branch in Tree.of(model).branches:
        joint = branch.joint
        assert joint is not None
        if joint.kind in ("revolute", "prismatic"):
            found.append(Hung(branch.parent, branch.child, joint.axes[0], joint.is_revolute))
    return found


class Writer:
    """Writes a mechanism; `held` are its bodies by name."""

    def __init__(self, model: MechanismModel) -> None:
        self.model = model
        self.root, world = document(model.name, model.gravity)
        self.ties, self.tendons, self.motors = (
            xml.Element(name) for name in ("equality", "tendon", "actuator")
        )
        self.points = {part.name for part in model.parts if part.point}
        self.free = free_bodies(model)
        self.held = {BASE: Held(world, Transform())}
        tree = Tree.of(model)
        closing = [self._ended(joint) for joint in tree.closing]
        doubled = Counter(body for joint, body in closing if self._doubles(joint))
        doubled += Counter(each.joins[1] for each in model.rods if _is_double(each))
        self.share = {part.name: 1 / (1 + doubled[part.name]) for part in model.parts}
        for branch in tree.branches:
            self._hang(branch)
        for joint, body in closing:
            self._close(joint, body)
        for each in model.rods:
            self._rod(each)
        for cylinder in model.cylinders:
            self._cylinder(cylinder)
        for spring in model.springs:
            self._point_spring(spring)
        for coupling in model.couplings:
            name = " ".join(name for name, _ in coupling.terms)
            self._fixed_tendon(name, coupling.terms, 0.0)
            held = {"tendon1": name, "polycoef": "0 0 0 0 0", "solimp": IMPEDANCE}
            xml.SubElement(self.ties, "tendon", held)
        self._motors()
        self.root.extend(each for each in (self.tendons, self.ties, self.motors) if len(each))

    def coordinates(self) -> list[str]:
        """Joints of MuJoCo that are the coordinates, in their order; of a free body one."""
        names = [each.of if each.of in self.free else each.name for each in self.model.coordinates]
        return list(dict.fromkeys(names))

    # The tree

    def _hang(self, branch: Branch) -> None:
        part, joint = self.model.part(branch.child), branch.joint
        frame = part.frame if joint is None else Transform.of(None, joint.at)
        if joint is None and branch.child not in self.free:
            frame = Transform.of(None, part.frame.p)
        there = self.held[branch.parent].child(part.name, frame)
        self.held[part.name] = there
        if joint is None:
            self._posed(there, branch)
        elif not self.points.intersection(joint.joins):  # a point is a part of what carries it
            self._joint(there, joint, branch.sense)
        self._mass(there, part.name)

    def _mass(self, there: Held, name: str) -> None:
        body = self.model.part(name).body.seen_from(there.frame)
        share = self.share[name]
        inertial(there.element, Body.of(share * body.mass, body.center_of_mass, share * body.inertia))

    def _posed(self, there: Held, branch: Branch) -> None:
        """A joint for every coordinate, with its name and value: x y z, then yaw, pitch, roll inward.

        What is no coordinate may move all the same; constraints tell.
        """
        name, host = branch.child, branch.parent
        if name in self.free:
            if host != BASE:
                raise InputError(
                    f"{name}: mjcf takes six coordinates of a pose only seen from the base."
                )
            xml.SubElement(there.element, "freejoint", name=name)
            return
        home, R = home_pose(self.model, name, host), np.eye(3)
        if host != BASE:
            R = self.model.part(host).frame.R
        _, pitch, yaw = home[3:]
        axes = dict(zip(POSE, np.eye(3), strict=False))
        axes["yaw"], axes["pitch"] = np.eye(3)[2], rotation_rpy(0, 0, yaw)[:, 1]
        axes["roll"] = rotation_rpy(0, pitch, yaw)[:, 0]
        for word, axis in axes.items():
            if word in POSE[:3] or name not in self.points:
                kind = "slide" if word in POSE[:3] else "hinge"
                words = {"name": f"{name}.{word}", "type": kind, "axis": numbers(R @ axis)}
                words["ref"] = repr(float(home[POSE.index(word)]))
                xml.SubElement(there.element, "joint", words)

    def _joint(self, there: Held, joint: MechanismJoint, sense: int) -> None:
        """MuJoCo's joints of the body that it carries; the coordinate is the same both ways."""
        place = numbers(there.seen(joint.at))
        if joint.kind == "spherical":
            xml.SubElement(there.element, "joint", name=joint.name, type="ball", pos=place)
        elif joint.kind == "universal":
            for k in (0, 1)[::sense]:
                words = {"name": f"{joint.name} {k + 1}", "type": "hinge", "pos": place}
                words["axis"] = numbers(sense * joint.axes[k])
                xml.SubElement(there.element, "joint", words)
        elif joint.kind != "fixed":
            spring = _spring(joint.spring, 0.0)
            axis = sense * joint.axes[0]
            joint_element(there.element, joint, axis, joint.rotor, pos=place, **spring)

    # What closes loops

    def _ended(self, joint: MechanismJoint) -> tuple[MechanismJoint, str]:
        """The body that a joint beside the tree holds: the second, unless that is the base."""
        return joint, joint.joins[0] if joint.joins[1] == BASE else joint.joins[1]

    def _doubles(self, joint: MechanismJoint) -> bool:
        ball = joint.kind == "spherical" or self.points.intersection(joint.joins)
        return not ball and joint.kind != "fixed"

    def _close(self, joint: MechanismJoint, body: str) -> None:
        other = joint.joins[0] if body == joint.joins[1] else joint.joins[1]
        if not self._doubles(joint):
            kind = "weld" if joint.kind == "fixed" else "connect"
            self._tie(kind, joint.name, self.held[other], self.held[body], joint.at)
            return
        twin = self._twin(joint.name, self.held[other], body, joint.at)
        self._joint(twin, joint, 1 if body == joint.joins[1] else -1)

    def _twin(self, name: str, carrier: Held, body: str, at: Array) -> Held:
        """The body once more, on another carrier, welded to itself."""
        twin = carrier.child(f"{body} on {name}", Transform.of(None, at))
        self._mass(twin, body)
        self._tie("weld", name, twin, self.held[body], at)
        return twin

    def _tie(self, kind: str, name: str, one: Held, other: Held, at: Array) -> None:
        turns = (quaternion_of(one.frame.R.T), quaternion_of(other.frame.R.T))
        ends = (one.seen(at), other.seen(at))
        bodies = (one.element, other.element)
        tie(self.ties, kind, name, bodies, ends, turns if kind == "weld" else None)

    # Struts

    def _rod(self, each: Rod) -> None:
        carrier, target = (self.held[body] for body in each.joins)
        there = carrier.child(each.name, Transform.of(None, each.start))
        self.held[f"{each.name} rod"] = there
        way = each.end - each.start
        s = way / each.length
        first, second = _cross(each.axis, s)
        _hinges(there, each.name, first, second)
        axial, along = 0.0 if each.axis is None else each.axial, np.outer(s, s)
        across = max(each.across, LEAST) * (np.eye(3) - along)
        body = Body.of(max(each.mass, LEAST), each.center * way, across + max(axial, LEAST) * along)
        inertial(there.element, body)
        if not _is_double(each):
            self._tie("connect", each.name, there, target, each.end)
            return
        assert each.far_axis is not None
        axes = (np.cross(s, each.far_axis) / np.linalg.norm(np.cross(s, each.far_axis)), each.far_axis)
        hinge = MechanismJoint(f"{each.name} end", "universal", each.joins, each.end, axes)
        self._joint(self._twin(hinge.name, there, each.joins[1], each.end), hinge, 1)

    def _cylinder(self, each: Cylinder) -> None:
        """A barrel on the first body and a rod that slides in it, tied to the second one."""
        carrier, target = (self.held[body] for body in each.joins)
        barrel = carrier.child(f"{each.name} barrel", Transform.of(None, each.start))
        way = each.end - each.start
        s = way / each.length
        first, second = _cross(each.axis, s)
        if each.hinge == "spherical":
            xml.SubElement(barrel.element, "joint", name=f"{each.name} ball", type="ball")
        else:
            _hinges(barrel, each.name, *(first, second)[: 1 if each.hinge == "revolute" else 2])
        R = np.column_stack([s, second, np.cross(s, second)])
        inertial(barrel.element, each.barrel.seen_from(Transform.of(R).inverse()))
        piston = barrel.child(f"{each.name} rod", barrel.frame)
        self.held[f"{each.name} barrel"], self.held[f"{each.name} rod"] = barrel, piston
        joint_element(piston.element, each, s, each.rotor, **_spring(each.spring, each.length))
        inertial(piston.element, each.rod.seen_from(Transform.of(R, way).inverse()))
        self._tie("connect", each.name, piston, target, each.end)

    # Tendons and motors

    def _point_spring(self, given: PointSpring) -> None:
        words = _spring(given.spring, 0.0)
        tendon = xml.SubElement(self.tendons, "spatial", name=given.name, stiffness=words["stiffness"])
        tendon.set("springlength", words["springref"])
        for word, body, point in zip("ab", given.joins, (given.start, given.end), strict=True):
            held = self.held[body]
            site = f"{given.name} {word}"
            place = numbers(held.seen(point))
            xml.SubElement(held.element, "site", {"name": site, "pos": place, "group": "4"})
            xml.SubElement(tendon, "site", site=site)

    def _fixed_tendon(
        self,
        name: str,
        terms: tuple[tuple[str, float], ...],
        rotor: float,
        friction: Friction | None = None,
    ) -> None:
        given = {"armature": repr(float(rotor))}
        if friction is not None:
            given |= {"damping": repr(float(friction.viscous))}
            given |= {"frictionloss": repr(dry_loss(friction))}
        tendon = xml.SubElement(self.tendons, "fixed", {"name": name, **given})
        for joint, ratio in terms:
            xml.SubElement(tendon, "joint", joint=joint, coef=repr(float(ratio)))

    def _motors(self) -> None:
        known = {each.name: each for each in (*elements(self.model), *self.model.motors)}
        turned = {each.name for each in self.model.motors}
        for name in self.model.effort_names:
            each = known[name]
            if name in turned:
                terms = each.terms  # type: ignore[union-attr]
                self._fixed_tendon(name, terms, each.rotor, each.friction)
            motor(self.motors, f"{name} motor", name, each.limits.effort, tendon=name in turned)

    # For the eye

    def draw(self, robot: Robot) -> None:
        """The shape of the robot, and the tool."""
        drawn = shape(robot)
        rods, cylinders = self.model.rods, self.model.cylinders
        names = [BASE, *robot.bodies, *(f"{each.name} rod" for each in rods)]
        names += [f"{each.name} {part}" for each in cylinders for part in ("barrel", "rod")]
        for solid in drawn.solids:
            held = self.held[names[solid.carrier]]
            draw(self.root, held.element, solid, np.array([held.seen(at) for at in solid.points]))
        name, frame = tool_frame(self.model)
        held = self.held[name]
        there = held.frame.inverse() @ frame
        words = {"name": "tip", "pos": numbers(there.p), "quat": numbers(quaternion_of(there.R))}
        xml.SubElement(held.element, "site", {**words, "size": repr(drawn.unit), "rgba": ORANGE})


def _hinges(held: Held, name: str, *axes: Array) -> None:
    for k, axis in enumerate(axes, 1):
        words = {"name": f"{name} {k}", "type": "hinge", "axis": numbers(axis)}
        xml.SubElement(held.element, "joint", words)


def _is_double(each: Rod) -> bool:
    """Whether universal joints hold both ends: these hold its second body's turn as well."""
    return each.axis is not None and each.far_axis is not None


def _cross(axis: Array | None, s: Array) -> tuple[Array, Array]:
    """Axes of a universal joint at the start of a strut along s: the first given or any across s."""
    first = np.cross(s, np.eye(3)[int(np.argmin(np.abs(s)))]) if axis is None else axis
    first = first / np.linalg.norm(first)
    second = np.cross(first, s)
    return first, second / np.linalg.norm(second)


def _spring(spring: Spring | None, length: float) -> dict[str, str]:
    """Stiffness and where it pulls with nothing; coordinates of MuJoCo are shorter by a length."""
    if spring is None or not (spring.stiffness or spring.preload):
        return {}
    if not spring.stiffness:
        raise InputError("mjcf has no spring of constant force; give it a stiffness.")
    rest = spring.free - spring.preload / spring.stiffness - length
    return {"stiffness": repr(float(spring.stiffness)), "springref": repr(float(rest))}


def package(job: ExportJob) -> Package:
    """NAME.xml, states with results, and a script that compares."""
    root, remarks, model, joints = mechanism_model(job.robot)
    xml.indent(root)
    comment = "\n".join(job.header)
    text = f"<!--\n{comment}\n-->\n{xml.tostring(root, encoding='unicode')}\n"
    check = {"joints": list(joints), **motion_check(Robot(model))}
    name = f"{job.name}.xml"
    script = filled("mjcf_check.py.txt", MODEL=name)
    return Package(with_check(name, text.encode(), check, script), tuple(remarks))
