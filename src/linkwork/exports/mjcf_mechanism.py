"""Any mechanism as MuJoCo's XML: a tree of bodies, and constraints that close its loops.

Everything is drawn at home in base axes. A body that is held by a joint beside the tree appears twice:
as it hangs in the tree and as it hangs on this joint, with its mass shared out and both welded together,
so that every joint, with motor, friction and spring, is one of MuJoCo's.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any
from xml.etree import ElementTree as xml

import numpy as np

from linkwork.analysis.shape import shape
from linkwork.errors import InputError
from linkwork.exports.mjcf_elements import (
    DARK,
    ORANGE,
    ball,
    document,
    drum,
    inertial,
    numbers,
    ring,
    rod,
)
from linkwork.exports.mjcf_joints import (
    IMPEDANCE,
    SOFT,
    friction_remarks,
    inertia_remarks,
    joint_element,
    motor,
    smooth,
    tie,
)
from linkwork.exports.mjcf_tree import Branch, Tree
from linkwork.exports.physical_inertia import LEAST, Hung, PhysicalBodies, movable
from linkwork.interface.robot import Robot
from linkwork.mechanics.mechanism.coordinates import free_bodies
from linkwork.mechanics.mechanism.spanning import home_pose
from linkwork.robots.arm import Friction
from linkwork.robots.geometry import Array, Body, Transform
from linkwork.robots.mechanism import (
    BASE,
    POSE,
    Cylinder,
    MechanismJoint,
    MechanismModel,
    Rod,
    Spring,
)
from linkwork.robots.mechanism_elements import elements, is_tree, tool_frame
from linkwork.rotations import quaternion_of, rotation_rpy

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
    remarks = [*friction_remarks(elements(model)), *inertia_remarks([*raised, *bodies.raised])]
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
        self.thick = 0.012 * model.size
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
        for k, spring in enumerate(model.springs):
            self._point_spring(k, spring)
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
        """A joint for every coordinate, with its name and value: x y z, then yaw, pitch, roll inwards.

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
        way = each.end - each.start
        s = way / each.length
        first, second = _cross(each.axis, s)
        for k, axis in enumerate((first, second), 1):
            words = {"name": f"{each.name} {k}", "type": "hinge", "axis": numbers(axis)}
            xml.SubElement(there.element, "joint", words)
        axial, along = 0.0 if each.axis is None else each.axial, np.outer(s, s)
        across = max(each.across, LEAST) * (np.eye(3) - along)
        body = Body.of(max(each.mass, LEAST), each.center * way, across + max(axial, LEAST) * along)
        inertial(there.element, body)
        rod(there.element, np.zeros(3), way, 0.75 * self.thick)
        for point in (np.zeros(3), way):
            ball(there.element, point, self.thick)
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
            for k, axis in enumerate((first, second)[: 1 if each.hinge == "revolute" else 2], 1):
                words = {"name": f"{each.name} {k}", "type": "hinge", "axis": numbers(axis)}
                xml.SubElement(barrel.element, "joint", words)
        R = np.column_stack([s, second, np.cross(s, second)])
        inertial(barrel.element, each.barrel.seen_from(Transform.of(R).inverse()))
        rod(barrel.element, np.zeros(3), 0.6 * way, 1.3 * self.thick, DARK)
        ball(barrel.element, np.zeros(3), 1.5 * self.thick)
        piston = barrel.child(f"{each.name} rod", barrel.frame)
        joint_element(piston.element, each, s, each.rotor, **_spring(each.spring, each.length))
        inertial(piston.element, each.rod.seen_from(Transform.of(R, way).inverse()))
        rod(piston.element, 0.4 * way, way, 0.8 * self.thick)
        ball(piston.element, way, 1.2 * self.thick)
        self._tie("connect", each.name, piston, target, each.end)

    # Tendons and motors

    def _point_spring(self, k: int, given: Any) -> None:
        spring = given.spring
        words = _spring(spring, 0.0)
        tendon = xml.SubElement(self.tendons, "spatial", name=given.name, stiffness=words["stiffness"])
        tendon.set("springlength", words["springref"])
        for word, body, point in zip("ab", given.joins, (given.start, given.end), strict=True):
            held = self.held[body]
            site = f"{given.name} {word}"
            place = numbers(held.seen(point))
            xml.SubElement(held.element, "site", {"name": site, "pos": place, "group": "4"})
            xml.SubElement(tendon, "site", site=site)

    def _fixed_tendon(self, name: str, terms: tuple[tuple[str, float], ...], rotor: float) -> None:
        tendon = xml.SubElement(self.tendons, "fixed", name=name, armature=repr(float(rotor)))
        for joint, ratio in terms:
            xml.SubElement(tendon, "joint", joint=joint, coef=repr(float(ratio)))

    def _motors(self) -> None:
        known = {each.name: each for each in (*elements(self.model), *self.model.motors)}
        turned = {each.name for each in self.model.motors}
        for name in self.model.effort_names:
            each = known[name]
            if name in turned:
                self._fixed_tendon(name, each.terms, each.rotor)  # type: ignore[union-attr]
            motor(self.motors, f"{name} motor", name, each.limits.effort, tendon=name in turned)

    # For the eye

    def draw(self, robot: Robot) -> None:
        """Bodies through the points where they are held; axes of motors; the tool."""
        drawn, names = shape(robot), (BASE, *robot.bodies)
        for line in drawn.rods:
            bodies = {pin.body for pin in line.pins}
            if len(bodies) == 1:
                held = self.held[names[bodies.pop()]]
                places = [held.seen(pin.at) for pin in line.pins]
                color = {"color": DARK} if held.element.tag == "worldbody" else {}
                for start, end in pairwise(places):
                    rod(held.element, start, end, self.thick, **color)
        for area in drawn.plates:
            held = self.held[names[area.pins[0].body]]
            corners = [held.seen(pin.at) for pin in area.pins]
            ring(held.element, corners, 1.5 * self.thick, ORANGE if area.moves else DARK)
        for axis in drawn.axes:
            held = self.held[names[axis.pin.body]]
            if not axis.slides:
                direction = held.frame.R.T @ axis.direction.at
                drum(held.element, held.seen(axis.pin.at), direction, 1.3 * self.thick)
        name, frame = tool_frame(self.model)
        held = self.held[name]
        there = held.frame.inverse() @ frame
        words = {"name": "tip", "pos": numbers(there.p), "quat": numbers(quaternion_of(there.R))}
        xml.SubElement(held.element, "site", {**words, "size": repr(self.thick), "rgba": ORANGE})


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
