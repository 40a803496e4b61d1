"""A Stewart platform as MuJoCo's XML: a free body on six legs, all joints at zero in the home pose."""

from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree as xml

import numpy as np

from linkwork.exports.mjcf_elements import DARK, ORANGE, ball, document, inertial, numbers, ring, rod
from linkwork.exports.mjcf_joints import SOFT, inertia_remarks, motor, tie
from linkwork.exports.physical_inertia import PhysicalBodies
from linkwork.robots.geometry import Array, Transform
from linkwork.robots.platform import Leg, LegFriction, PlatformModel
from linkwork.rotations import rotation_of


def platform_model(model: PlatformModel, home: Array) -> tuple[xml.Element, list[str], PlatformModel]:
    """The XML, remarks, and the platform with the inertia and friction that MuJoCo is given."""
    given, raised = _physical(model)
    root, world = document(model.name, model.gravity)
    R, t = rotation_of(home), home[:3]
    size = float(np.linalg.norm(t - np.mean([leg.base_point for leg in given.legs], axis=0)))
    thick = 0.02 * size
    top = xml.SubElement(world, "body", name="platform", pos=numbers(t), quat=numbers(home[3:]))
    xml.SubElement(top, "freejoint", name="platform")
    inertial(top, given.platform)
    ring(top, [leg.platform_point for leg in given.legs], 1.5 * thick, ORANGE)
    xml.SubElement(top, "site", name="reference", size=repr(thick))
    ring(world, [leg.base_point for leg in given.legs], 1.5 * thick, DARK)
    ties, motors = xml.Element("equality"), xml.Element("actuator")
    for leg in given.legs:
        S = R @ leg.platform_point + t - leg.base_point
        upper = _leg(world, leg, S, thick)
        tie(ties, "connect", leg.name, (upper, top), (S, leg.platform_point))
        motor(motors, f"{leg.name}_motor", f"{leg.name}_slide", leg.limits.force)
    root.extend([ties, motors])
    return root, _remarks(model, raised), given


def _physical(model: PlatformModel) -> tuple[PlatformModel, list[str]]:
    bodies = PhysicalBodies()
    platform = bodies.of("the platform", model.platform)
    legs = tuple(
        replace(
            leg,
            lower=bodies.of(f"{leg.name}, lower part", leg.lower),
            upper=bodies.of(f"{leg.name}, upper part", leg.upper),
            friction=LegFriction(prismatic=leg.friction.prismatic),
        )
        for leg in model.legs
    )
    return replace(model, platform=platform, legs=legs), bodies.raised


def _leg(world: xml.Element, leg: Leg, S: Array, thick: float) -> xml.Element:
    """Two hinges at the base point and a slide; all frames have base axes at home. The upper part."""
    length = float(np.linalg.norm(S))
    s = S / length
    y = np.cross(leg.fixed_axis, s)
    y /= np.linalg.norm(y)
    turned = Transform.of(np.column_stack([s, y, np.cross(s, y)]))
    lower = xml.SubElement(world, "body", name=f"{leg.name}_lower", pos=numbers(leg.base_point))
    first = {"name": f"{leg.name}_first", "type": "hinge", "axis": numbers(leg.fixed_axis)}
    xml.SubElement(lower, "joint", first)
    xml.SubElement(lower, "joint", {"name": f"{leg.name}_second", "type": "hinge", "axis": numbers(y)})
    inertial(lower, leg.lower.seen_from(turned.inverse()))
    ball(lower, np.zeros(3), 1.8 * thick)
    rod(lower, np.zeros(3), 0.55 * S, 1.3 * thick, DARK)
    upper = xml.SubElement(lower, "body", name=f"{leg.name}_upper")
    words = {"name": f"{leg.name}_slide", "type": "slide", "axis": numbers(s)}
    words["damping"] = repr(float(leg.friction.prismatic))
    if leg.limits.length is not None:
        low, high = leg.limits.length
        words["range"] = numbers([low - length, high - length])
    xml.SubElement(upper, "joint", words)
    at_tip = Transform.of(turned.R, S)
    inertial(upper, leg.upper.seen_from(at_tip.inverse()))
    rod(upper, 0.4 * S, S, 0.8 * thick)
    ball(upper, S, 1.5 * thick)
    return upper


def _remarks(model: PlatformModel, raised: list[str]) -> list[str]:
    remarks = []
    if any(leg.friction.universal or leg.friction.spherical for leg in model.legs):
        remarks.append(
            "friction of universal and spherical joints is left out; that of the slides is there"
        )
    return [*remarks, *inertia_remarks(raised), SOFT]
