"""Mechanisms as robot files: copies written out, the same numbers when they are read again."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from linkwork.robots.geometry import Array, Body, Transform
from linkwork.robots.mechanism import (
    BASE,
    Coordinate,
    Cylinder,
    MechanismJoint,
    MechanismModel,
    Motor,
    Part,
    PointSpring,
    Rod,
    Spring,
)
from linkwork.robots.writing import (
    body_fields,
    friction_fields,
    head_fields,
    limits_fields,
    plain_row,
    without_nothing,
)
from linkwork.rotations import angles_rpy

LETTERS = {
    "revolute": "R", "prismatic": "P", "universal": "U", "spherical": "S", "fixed": "fixed",
}  # fmt: skip


def mechanism_document(model: MechanismModel) -> dict[str, Any]:
    """What a robot file says of this mechanism, as plain data."""
    order = [joint.name for joint in model.joints] + [each.name for each in model.cylinders]
    return without_nothing(
        {
            **head_fields(model, (part.body for part in model.parts)),
            "bodies": {part.name: _part(part) for part in model.parts} or None,
            "joints": {joint.name: _joint(joint) for joint in model.joints} or None,
            "rods": {rod.name: _rod(rod) for rod in model.rods} or None,
            "cylinders": {each.name: _cylinder(each) for each in model.cylinders} or None,
            "springs": {each.name: _point_spring(each) for each in model.springs} or None,
            "couplings": [{"terms": dict(each.terms)} for each in model.couplings] or None,
            "motors": {motor.name: _motor(motor) for motor in model.motors} or None,
            "order": None if list(model.order) in ([], order) else list(model.order),
            "coordinates": _coordinates(model.coordinates),
            "tool": _tool(model.tool),
        }
    )


def _part(part: Part) -> dict[str, Any]:
    moved = bool((part.frame.p != part.body.center_of_mass).any())
    origin = {"origin": plain_row(part.frame.p)} if moved else {}
    if part.point:
        center = plain_row(part.body.center_of_mass)
        return {"point": True, "mass": part.body.mass, "at": center, **origin}
    return {**body_fields(part.body), **origin}


def _axis(axis: Array | None) -> list[float] | None:
    return None if axis is None else plain_row(axis)


def _driven(each: MechanismJoint | Cylinder, free: str) -> dict[str, Any]:
    return {
        "motor": True if each.motor else None,
        "rotor": each.rotor or None,
        **friction_fields(each.friction),
        "stiffness": each.stiffness,
        "limits": limits_fields(each.limits),
        "spring": None if each.spring is None else _spring(each.spring, free),
    }


def _spring(spring: Spring, free: str) -> dict[str, Any]:
    rest = {free: spring.free or None, "preload": spring.preload or None}
    return without_nothing({"stiffness": spring.stiffness, **rest})


def _joint(joint: MechanismJoint) -> dict[str, Any]:
    axes = [plain_row(axis) for axis in joint.axes]
    kind = {LETTERS[joint.kind]: None if not axes else axes[0] if len(axes) == 1 else axes}
    free = "free_angle" if joint.is_revolute else "free_position"
    fields = {"joins": list(joint.joins), "at": plain_row(joint.at), **_driven(joint, free)}
    return {**kind, **without_nothing(fields)}


def _ends(each: Rod | Cylinder | PointSpring) -> dict[str, Any]:
    start, end = plain_row(each.start), plain_row(each.end)
    return {"joins": list(each.joins), "from": start, "to": end}


def _rod(rod: Rod) -> dict[str, Any]:
    fields = {
        "mass": rod.mass or None,
        "inertia": [rod.axial, rod.across] if rod.axial or rod.across else None,
        "center": None if rod.center == 0.5 else rod.center,
        "U": _axis(rod.axis),
        "U_to": _axis(rod.far_axis),
        "viscous": list(rod.viscous) if any(rod.viscous) else None,
    }
    return {**_ends(rod), **without_nothing(fields)}


def _cylinder(each: Cylinder) -> dict[str, Any]:
    fields = {
        **_driven(each, "free_length"),
        "universal": each.universal or None,
        "spherical": each.spherical or None,
        "barrel": _half(each.barrel, 1.0),
        "rod": _half(each.rod, -1.0),
    }
    return {**_ends(each), LETTERS[each.hinge]: _axis(each.axis), **without_nothing(fields)}


def _half(body: Body, forward: float) -> dict[str, Any] | None:
    """A body about the cylinder's axis in three numbers, any other in its own axes."""
    if not body.mass and not body.inertia.any():
        return None
    axial, across, other = np.diag(body.inertia).tolist()
    off_axis = body.center_of_mass[1:].any() or across != other
    if off_axis or (body.inertia != np.diag(np.diag(body.inertia))).any():
        return body_fields(body)
    center = forward * float(body.center_of_mass[0]) + 0.0
    return {"mass": body.mass, "center": center, "inertia": [axial, across]}


def _point_spring(each: PointSpring) -> dict[str, Any]:
    return {**_ends(each), **_spring(each.spring, "free_length")}


def _motor(motor: Motor) -> dict[str, Any]:
    more = without_nothing({"rotor": motor.rotor or None, "limits": limits_fields(motor.limits)})
    return {"joints": dict(motor.terms), **more} if more else dict(motor.terms)


def _coordinates(coordinates: Iterable[Coordinate]) -> list[Any]:
    """Those of one body that stand together in one item."""
    items: list[Any] = []
    before: Coordinate | None = None
    for each in coordinates:
        if each.pose is None:
            items.append(each.of)
        elif before is not None and before.pose and _same_frames(before, each):
            items[-1][each.of].append(each.pose)
        else:
            seen = {} if each.relative_to == BASE else {"relative_to": each.relative_to}
            items.append({each.of: [each.pose], **seen})
        before = each
    return items


def _same_frames(one: Coordinate, other: Coordinate) -> bool:
    return (one.of, one.relative_to) == (other.of, other.relative_to)


def _tool(tool: tuple[str, Transform] | None) -> dict[str, Any] | None:
    if tool is None:
        return None
    body, frame = tool
    turned = {"rpy": list(angles_rpy(frame.R))} if (np.eye(3) != frame.R).any() else {}
    return {"body": body, "at": plain_row(frame.p), **turned}
