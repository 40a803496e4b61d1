"""An arm as MuJoCo's XML: one body per link, in its joint's frame."""

from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree as xml

import numpy as np

from linkwork.exports.mjcf_elements import DARK, ORANGE, document, drum, inertial, numbers, rod
from linkwork.exports.mjcf_joints import friction_remarks, inertia_remarks, joint_element, motor, smooth
from linkwork.exports.physical_inertia import movable_arm
from linkwork.robots.arm import ArmModel
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
        ref = repr(-float(joint.offset) + 0.0)
        joint_element(body, joint, joint.axis, joint.rotor.reflected, ref=ref)
        drum(body, np.zeros(3), joint.axis, 0.04 * size)
        nearest = movable.joints[k + 1].before if k + 1 < model.n else Transform()
        rod(body, np.zeros(3), (joint.after @ nearest).p, 0.025 * size)
        motor(actuators, f"{joint.name}_motor", joint.name, joint.limits.effort)
        parent, placement = body, joint.after
    tip = {"name": "tip", "size": repr(0.02 * size), "rgba": ORANGE}
    xml.SubElement(parent, "site", {**tip, **_placed(placement)})
    first = model.joints[0].before.p
    world = root.find("worldbody")
    assert world is not None
    rod(world, np.zeros(3), first, 0.03 * size, DARK)
    root.append(actuators)
    remarks = [*friction_remarks(model.joints), *inertia_remarks(raised)]
    return root, remarks, _compared(movable if raised else model)


def _compared(model: ArmModel) -> ArmModel:
    joints = tuple(replace(joint, friction=smooth(joint.friction)) for joint in model.joints)
    return replace(model, joints=joints, plan="")


def _size(model: ArmModel) -> float:
    """How long the arm is, for the thickness of what is drawn."""
    lengths = [np.linalg.norm(j.before.p) + np.linalg.norm(j.after.p) for j in model.joints]
    return float(sum(lengths)) or 1.0


def _placed(place: Transform) -> dict[str, str]:
    return {"pos": numbers(place.p), "quat": numbers(quaternion_of(place.R))}
