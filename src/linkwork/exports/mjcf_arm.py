"""An arm as MuJoCo's XML: one body per link, in its joint's frame."""

from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree as xml

import numpy as np

from linkwork.exports.mjcf_elements import DARK, ORANGE, document, drum, inertial, numbers, rod
from linkwork.exports.physical_inertia import movable_arm
from linkwork.robots.arm import ArmModel, Friction, Joint
from linkwork.robots.geometry import Transform
from linkwork.rotations import quaternion_of


def arm_model(model: ArmModel) -> tuple[xml.Element, list[str], ArmModel]:
    """The XML, remarks, and the arm without Coulomb friction, with the inertia that MuJoCo is given."""
    movable, raised = movable_arm(model)
    root, parent = document(model.name, model.gravity)
    size = _size(model)
    placement = Transform()
    actuators = xml.Element("actuator")
    for k, joint in enumerate(movable.joints):
        place = placement @ joint.before
        body = xml.SubElement(parent, "body", {"name": f"{joint.name}_link", **_placed(place)})
        inertial(body, joint.body.seen_from(joint.after.inverse()))
        xml.SubElement(body, "joint", _joint(joint))
        drum(body, np.zeros(3), joint.axis, 0.04 * size)
        nearest = movable.joints[k + 1].before if k + 1 < model.n else Transform()
        rod(body, np.zeros(3), (joint.after @ nearest).p, 0.025 * size)
        xml.SubElement(actuators, "motor", _motor(joint))
        parent, placement = body, joint.after
    tip = {"name": "tip", "size": repr(0.02 * size), "rgba": ORANGE}
    xml.SubElement(parent, "site", {**tip, **_placed(placement)})
    first = model.joints[0].before.p
    world = root.find("worldbody")
    assert world is not None
    rod(world, np.zeros(3), first, 0.03 * size, DARK)
    root.append(actuators)
    return root, _remarks(model, raised), _compared(movable if raised else model)


def _compared(model: ArmModel) -> ArmModel:
    joints = tuple(
        replace(joint, friction=Friction(viscous=joint.friction.viscous)) for joint in model.joints
    )
    return replace(model, joints=joints, plan="")


def _size(model: ArmModel) -> float:
    """How long the arm is, for the thickness of what is drawn."""
    lengths = [np.linalg.norm(j.before.p) + np.linalg.norm(j.after.p) for j in model.joints]
    return float(sum(lengths)) or 1.0


def _placed(place: Transform) -> dict[str, str]:
    return {"pos": numbers(place.p), "quat": numbers(quaternion_of(place.R))}


def _joint(joint: Joint) -> dict[str, str]:
    friction, limits = joint.friction, joint.limits
    words = {
        "name": joint.name,
        "type": "hinge" if joint.is_revolute else "slide",
        "axis": numbers(joint.axis),
        "ref": repr(-float(joint.offset) + 0.0),
        "armature": repr(float(joint.rotor.reflected)),
        "damping": repr(float(friction.viscous)),
    }
    loss = (friction.coulomb_forward - friction.coulomb_backward) / 2
    if loss:
        words["frictionloss"] = repr(float(loss))
    if limits.position is not None:
        words["range"] = numbers(limits.position)
    return words


def _motor(joint: Joint) -> dict[str, str]:
    words = {"name": f"{joint.name}_motor", "joint": joint.name}
    if joint.limits.effort is not None:
        words["ctrlrange"] = numbers([-joint.limits.effort, joint.limits.effort])
    return words


def _remarks(model: ArmModel, raised: list[str]) -> list[str]:
    remarks = []
    uneven = [joint.name for joint in model.joints if not joint.friction.symmetric]
    offset = [joint.name for joint in model.joints if joint.friction.offset]
    if uneven:
        named = ", ".join(uneven)
        remarks.append(f"MuJoCo has one Coulomb friction for both directions: {named} have their mean")
    if offset:
        remarks.append(
            f"MuJoCo has no constant part of friction: that of {', '.join(offset)} is left out"
        )
    if raised:
        remarks.append(
            f"no body has the inertia of {', '.join(raised)}: it is raised until MuJoCo takes it"
        )
    return remarks
