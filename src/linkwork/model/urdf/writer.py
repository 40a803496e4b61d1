"""Arms as URDF, with what a URDF cannot say listed as remarks.

A URDF link frame sits on its joint's axis. Where ours sits behind it (standard Denavit-Hartenberg), the
link's body is written in the joint's frame, and a fixed link at the end carries our last frame.
"""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np

from linkwork.core.rotations import angles_rpy
from linkwork.files.declared import plain
from linkwork.model.families.arm import ArmModel, Joint
from linkwork.model.geometry import Array, Body, Transform, displacement, is_impossible
from linkwork.model.joint import STANDARD_GRAVITY

TIP = "tip"
ACCEPT = "linkwork"


def urdf_text(model: ArmModel) -> tuple[str, list[str]]:
    """The URDF of an arm, and what of the arm it does not contain."""
    robot = ElementTree.Element("robot", name=model.name)
    if accepted := _accepted(model):  # an element of ours, which other readers pass over
        ElementTree.SubElement(robot, ACCEPT, accept=" ".join(accepted))
    ElementTree.SubElement(robot, "link", name="base")
    parent, carried = "base", Transform()
    links = _link_names(model)
    for joint, link in zip(model.joints, links, strict=True):
        # Our zero is the zero of the URDF.
        origin = carried @ joint.before @ displacement(joint.kind, joint.axis, joint.offset)
        element = ElementTree.SubElement(robot, "joint", name=joint.name, type=_type(joint))
        _origin(element, origin)
        ElementTree.SubElement(element, "parent", link=parent)
        ElementTree.SubElement(element, "child", link=link)
        ElementTree.SubElement(element, "axis", xyz=_row(joint.axis))
        _dynamics(element, joint)
        _limit(element, joint)
        _link(robot, link, joint.body.seen_from(joint.after.inverse()))
        parent, carried = link, joint.after
    if carried.moves:
        ElementTree.SubElement(robot, "link", name=TIP)
        element = ElementTree.SubElement(robot, "joint", name=f"{TIP}_fixed", type="fixed")
        _origin(element, carried)
        ElementTree.SubElement(element, "parent", link=parent)
        ElementTree.SubElement(element, "child", link=TIP)
    ElementTree.indent(robot)
    text = ElementTree.tostring(robot, encoding="unicode")
    return f'<?xml version="1.0"?>\n{text}\n', list(_remarks(model))


def _accepted(model: ArmModel) -> list[str]:
    """Subjects of findings to silence; a URDF has no `inertia_as_published`."""
    published = any(is_impossible(joint.body.inertia) for joint in model.joints)
    return list(dict.fromkeys([*model.accept, *(["inertia"] if published else [])]))


def _link_names(model: ArmModel) -> list[str]:
    return [f"{joint.name}_link" for joint in model.joints]


def _type(joint: Joint) -> str:
    return "continuous" if joint.is_revolute and joint.limits.position is None else joint.kind


def _row(values: Array | tuple[float, ...]) -> str:
    return " ".join(map(repr, plain(values)))


def _number(value: float) -> str:
    return repr(float(value))  # NumPy's numbers have another repr


def _origin(element: ElementTree.Element, place: Transform) -> None:
    ElementTree.SubElement(element, "origin", xyz=_row(place.p), rpy=_row(angles_rpy(place.R)))


def _link(robot: ElementTree.Element, name: str, body: Body) -> None:
    link = ElementTree.SubElement(robot, "link", name=name)
    inertial = ElementTree.SubElement(link, "inertial")
    ElementTree.SubElement(inertial, "origin", xyz=_row(body.center_of_mass), rpy="0 0 0")
    ElementTree.SubElement(inertial, "mass", value=_number(body.mass))
    places = {"ixx": (0, 0), "ixy": (0, 1), "ixz": (0, 2), "iyy": (1, 1), "iyz": (1, 2), "izz": (2, 2)}
    moments = {name: _number(body.inertia[at]) for name, at in places.items()}
    ElementTree.SubElement(inertial, "inertia", moments)


def _dynamics(element: ElementTree.Element, joint: Joint) -> None:
    friction = joint.friction
    coulomb = (friction.coulomb_forward - friction.coulomb_backward) / 2
    if friction.viscous or coulomb:
        words = {"damping": _number(friction.viscous), "friction": _number(coulomb)}
        ElementTree.SubElement(element, "dynamics", words)


def _limit(element: ElementTree.Element, joint: Joint) -> None:
    limits = joint.limits
    low, high = limits.position or (0.0, 0.0)
    words = {"effort": _number(limits.effort or 0.0), "velocity": _number(limits.velocity or 0.0)}
    if _type(joint) != "continuous":
        words = {"lower": _number(low), "upper": _number(high), **words}
    elif limits.effort is None and limits.velocity is None:
        return
    ElementTree.SubElement(element, "limit", words)


def _remarks(model: ArmModel) -> list[str]:
    """What the URDF leaves out, as text."""

    def names(found: list[str]) -> str:
        return ", ".join(found)

    rotors = [joint.name for joint in model.joints if joint.rotor.reflected]
    uneven = [joint.name for joint in model.joints if not joint.friction.symmetric]
    limits = [j.name for j in model.joints if _type(j) != "continuous" and None in _bounds(j)]
    remarks = []
    if rotors:
        remarks.append(f"a URDF has no rotors: those of {names(rotors)} are left out")
    if uneven:
        remarks.append(
            f"a URDF has one Coulomb friction for both directions: {names(uneven)} have their mean"
        )
    if shaped := [joint.name for joint in model.joints if joint.friction.has_shape]:
        remarks.append(
            "a URDF has viscous and Coulomb friction only: other laws (Stribeck, powers, load) "
            f"of {names(shaped)} are left out"
        )
    if limits:
        remarks.append(f"a URDF needs limits: where {names(limits)} have none, 0 is written")
    if not np.array_equal(model.gravity, STANDARD_GRAVITY):
        remarks.append("a URDF has no gravity: the robot's own is left out")
    return remarks


def _bounds(joint: Joint) -> tuple[object, ...]:
    return joint.limits.position, joint.limits.velocity, joint.limits.effort
