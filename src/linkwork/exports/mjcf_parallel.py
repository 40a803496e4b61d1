"""A parallel robot as MuJoCo's XML: legs as chains, a platform with the joints of its coordinates, ties.

All joints of legs are at zero in the home configuration, where every frame has base axes. Joints
without a body of their own share that of the next one.
"""

from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree as xml

import numpy as np

from linkwork.analysis.leg_places import held_at
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
    SOFT,
    friction_remarks,
    inertia_remarks,
    joint_element,
    motor,
    smooth,
    tie,
)
from linkwork.exports.physical_inertia import PhysicalBodies
from linkwork.robots.geometry import Array, Transform
from linkwork.robots.parallel import COORDINATES, LegJoint, ParallelLeg, ParallelModel
from linkwork.rotations import quaternion_of, rotation_rpy


def parallel_model(model: ParallelModel) -> tuple[xml.Element, list[str], ParallelModel]:
    """The XML, remarks, and the robot with the inertia and friction that MuJoCo is given."""
    given, raised = _physical(model)
    root, world = document(model.name, model.gravity)
    extent = _extent(model)
    thick = 0.012 * extent
    home = model.home_frame
    turned = numbers(quaternion_of(home.R))
    top = xml.SubElement(world, "body", name="platform", pos=numbers(home.p), quat=turned)
    _platform_joints(top, model)
    inertial(top, given.platform)
    ring(world, [leg.joints[0].at for leg in model.legs], 1.5 * thick, DARK)
    xml.SubElement(top, "site", name="reference", size=repr(thick))
    ties, motors, sockets = xml.Element("equality"), xml.Element("actuator"), []
    for leg in given.legs:
        chain, hinge = _chain(leg)
        held = held_at(leg, model) if hinge is None else hinge.at
        sockets.append(home.R.T @ (held - home.p))
        last, corner = _leg(world, chain, held, thick)
        points = {leg.name: held}
        if hinge is not None:
            points[f"{leg.name} axis"] = held + extent * hinge.axis
        whole = leg.frame and hinge is None
        turns = (quaternion_of(np.eye(3)), quaternion_of(home.R.T)) if whole else None
        for name, point in points.items():
            ends = (point - corner, home.R.T @ (point - home.p))
            tie(ties, "weld" if whole else "connect", name, (last, top), ends, turns)
        for joint in leg.joints:
            if joint.actuated:
                motor(motors, f"{joint.name} motor", joint.name, joint.limits.effort)
    ring(top, sockets, 1.5 * thick, ORANGE)
    root.extend([ties, motors])
    remarks = [*friction_remarks(model.joints), *inertia_remarks(raised)]
    if any(leg.end.viscous for leg in model.legs):
        remarks.append("friction of spherical joints is left out")
    return root, [*remarks, SOFT], given


def _physical(model: ParallelModel) -> tuple[ParallelModel, list[str]]:
    bodies = PhysicalBodies()
    legs = []
    for leg in model.legs:
        joints = tuple(
            replace(
                joint,
                friction=smooth(joint.friction),
                body=bodies.of(joint.name, joint.body) if joint.body.mass else joint.body,
            )
            for joint in leg.joints
        )
        legs.append(replace(leg, joints=joints, end=replace(leg.end, viscous=0.0)))
    platform = bodies.of("the platform", model.platform)
    return replace(model, platform=platform, legs=tuple(legs)), bodies.raised


def _platform_joints(top: xml.Element, model: ParallelModel) -> None:
    """A joint for every coordinate, with its name and value: x y z, then yaw, pitch and roll inwards."""
    if model.freedoms == len(COORDINATES):
        xml.SubElement(top, "freejoint", name="platform")
        return
    _, pitch, yaw = model.home[3:]
    axes = {
        "x": np.eye(3)[0],
        "y": np.eye(3)[1],
        "z": np.eye(3)[2],
        "yaw": np.eye(3)[2],
        "pitch": rotation_rpy(0, 0, yaw)[:, 1],
        "roll": rotation_rpy(0, pitch, yaw)[:, 0],
    }
    for name, axis in axes.items():
        if name in (*model.coordinates, *model.parasitic):
            at_home = float(model.home[COORDINATES.index(name)])
            own = numbers(model.home_frame.R.T @ axis)
            kind = "slide" if name in "xyz" else "hinge"
            xml.SubElement(top, "joint", name=name, type=kind, axis=own, ref=repr(at_home))


def _chain(leg: ParallelLeg) -> tuple[ParallelLeg, LegJoint | None]:
    """The joints that carry bodies, and a hinge behind them that carries nothing but the platform.

    Bodies without mass leave MuJoCo's constraints no scale: such a hinge is two points of its axis.
    """
    last = leg.joints[-1]
    if last.body.mass:
        return leg, None
    chain = replace(leg, joints=leg.joints[:-1])
    plain = last.is_revolute and not (last.actuated or last.rotor or last.friction.acts)
    if not (leg.frame and plain and chain.joints and chain.joints[-1].body.mass):
        raise InputError(
            f"{leg.name}: mjcf takes legs whose last joint carries a body, or is a plain hinge; give "
            f"{last.name} a link with mass."
        )
    return chain, last


def _extent(model: ParallelModel) -> float:
    """How large the machine is, by its joints and centres of mass: links may turn about one point."""
    places = [[joint.at, joint.body.center_of_mass] for joint in model.joints if joint.body.mass]
    return float(np.ptp(np.concatenate(places), axis=0).max()) or 1.0


def _leg(world: xml.Element, leg: ParallelLeg, held: Array, thick: float) -> tuple[xml.Element, Array]:
    """The bodies of a leg; the last one and its place."""
    body, corner = world, np.zeros(3)
    shared = False  # whether the body waits for a joint that carries it
    for k, joint in enumerate(leg.joints):
        if not shared:
            place = numbers(joint.at - corner)
            body, corner = xml.SubElement(body, "body", name=f"{joint.name} link", pos=place), joint.at
        joint_element(body, joint, joint.rotor, pos=numbers(joint.at - corner))
        if joint.is_revolute:
            drum(body, joint.at - corner, joint.axis, 1.3 * thick)
        shared = not joint.body.mass
        if not shared:
            link = joint.body.seen_from(Transform.of(None, corner))
            inertial(body, link)
            after = leg.joints[k + 1].at if k + 1 < len(leg.joints) else held
            if np.linalg.norm(after - joint.at) < thick:  # nothing but its weight to draw
                after = link.center_of_mass + corner
                ball(body, link.center_of_mass, 3 * thick)
            rod(body, joint.at - corner, after - corner, thick)
    ball(body, held - corner, 1.5 * thick)
    return body, corner
