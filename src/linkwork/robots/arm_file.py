"""From the fields of an arm file to the arm."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from linkwork.robots import arm_schema as schema
from linkwork.robots.arm import ArmModel, Friction, Joint, Limits, Rotor, with_tool
from linkwork.robots.denavit_hartenberg import dh_joint
from linkwork.robots.document import Document
from linkwork.robots.geometry import Body, Transform, frozen
from linkwork.robots.robot_warnings import warn_if_negative
from linkwork.robots.schema import PrismaticLimits, RevoluteLimits
from linkwork.robots.validation import Layout, fields_of, refuse_any, repeated_names
from linkwork.rotations import rotation_rpy

DEFAULT_NAME = "joint"


def read_arm(document: Document) -> ArmModel:
    """The arm that a file describes; FaultyError with every fault."""
    data = document.data
    assert isinstance(data, Mapping)
    layout = Layout(lambda path: schema.fields_at(path, data), lambda path: schema.stray(path, data))
    file, found = fields_of(schema.ArmFile, data, layout)
    refuse_any(document, [*repeated_names("links", data.get("links"), DEFAULT_NAME), *found])
    assert file is not None
    joints = tuple(_joint(file, link, number) for number, link in enumerate(file.links, start=1))
    for joint in joints:
        if not file.inertia_as_published:
            warn_if_negative(joint.body.inertia, joint.name)
    model = ArmModel(file.name, joints, frozen(file.gravity), file.source, accept=file.accept)
    if file.tool is None:
        return model
    return with_tool(model, Transform.of(rotation_rpy(*file.tool.rpy), file.tool.position))


def _joint(file: schema.ArmFile, link: schema.Link, number: int) -> Joint:
    body = Body.of(link.mass, link.center_of_mass, link.inertia)
    name = link.name or f"{DEFAULT_NAME}{number}"
    rest: dict[str, Any] = {
        "rotor": _rotor(link.rotor),
        "friction": _friction(link.friction, link.rotor),
        "limits": _limits(link.limits),
        "stiffness": link.stiffness,
    }
    if isinstance(link, schema.GeneralLink):
        before = Transform.of(rotation_rpy(*link.rpy), link.position)
        return Joint(name, link.joint, before, frozen(link.axis), 0.0, Transform(), body, **rest)
    assert isinstance(link, schema.DenavitHartenbergLink)
    assert file.convention != "general"
    table = {"theta": link.theta, "d": link.d, "a": link.a, "alpha": link.alpha}
    return dh_joint(file.convention, link.joint, name=name, body=body, **table, **rest)


def _rotor(rotor: schema.Rotor | None) -> Rotor:
    return Rotor() if rotor is None else Rotor(rotor.inertia, rotor.gear_ratio)


def _friction(friction: schema.Friction | None, rotor: schema.Rotor | None) -> Friction:
    """Friction at the joint: |G| (B |G| qd + Tc) if it was measured at the motor."""
    if friction is None:
        return Friction()
    gear = abs(rotor.gear_ratio) if friction.side == "motor" and rotor is not None else 1.0
    forward, backward = friction.coulomb
    return Friction(
        gear * gear * friction.viscous, gear * forward, gear * backward, gear * friction.offset
    )


def _limits(limits: RevoluteLimits | PrismaticLimits | None) -> Limits:
    return Limits() if limits is None else Limits(**dict(limits))
