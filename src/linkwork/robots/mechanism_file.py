"""From the fields of a mechanism's file to the mechanism."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from linkwork.robots import mechanism_schema as schema
from linkwork.robots.arm import Friction, Limits
from linkwork.robots.document import Document
from linkwork.robots.faults import Path
from linkwork.robots.geometry import SAME, Array, Body, Transform, frozen, second_axis
from linkwork.robots.mechanism import (
    BASE,
    Coupling,
    Cylinder,
    MechanismJoint,
    MechanismJointKind,
    MechanismModel,
    Motor,
    Part,
    PointSpring,
    Rod,
    Spring,
)
from linkwork.robots.mechanism_checks import file_faults
from linkwork.robots.mechanism_expand import Entry, Expanded, expanded
from linkwork.robots.parallel_legs import body_of, solid_rod
from linkwork.robots.validation import Found, Layout, fields_of, refuse_any
from linkwork.rotations import rotation_rpy

KINDS: Mapping[str, MechanismJointKind] = {
    "R": "revolute", "P": "prismatic", "U": "universal", "S": "spherical", "fixed": "fixed",
}  # fmt: skip

UNDETERMINED = (
    "has one axis, and the other, perpendicular to it and to the way to the body's next joint, is not"
    " determined; write both: U: [axis on the first body, axis on the second]"
)


def read_mechanism(document: Document) -> MechanismModel:
    """The mechanism that a file describes; FaultyError with every fault."""
    file = mechanism_fields(document)
    whole = expanded(file)
    data = document.data
    assert isinstance(data, Mapping)
    found = file_faults(file, whole)
    refuse_any(document, [(schema.written_at(path, data), what) for path, what in found])
    places = _places(whole)
    bodies = {entry.name: _part(entry, places) for entry in whole.bodies}
    joints, faults = _joints(whole, bodies)
    refuse_any(document, dict(reversed(faults)).items())
    return MechanismModel(
        name=file.name,
        parts=tuple(bodies.values()),
        coordinates=tuple(coordinate for item in file.coordinates for coordinate in item),
        joints=tuple(joints),
        rods=tuple(map(_rod, whole.rods)),
        cylinders=tuple(map(_cylinder, whole.cylinders)),
        springs=tuple(map(_point_spring, whole.springs)),
        couplings=tuple(Coupling(coupling.ratios) for coupling in file.couplings),
        motors=tuple(_motor(name, motor) for name, motor in file.motors.items()),
        tool=_tool(file, bodies),
        gravity=frozen(file.gravity),
        source=file.source,
        accept=file.accept,
        order=(*file.order, *(name for name in whole.order if name not in file.order)),
    )


def mechanism_fields(document: Document) -> schema.MechanismFile:
    """The fields of a file; FaultyError otherwise."""
    data = document.data
    assert isinstance(data, Mapping)
    layout = Layout(lambda path: schema.fields_at(path, data), schema.stray)
    file, found = fields_of(schema.MechanismFile, data, layout, schema.context_of(data))
    refuse_any(document, [(schema.written_at(path, data), what) for path, what in found])
    assert file is not None
    return file


def _places(whole: Expanded) -> dict[str, Array]:
    """Where bodies are that do not say so: at the first joint, rod or cylinder that has them."""
    places: dict[str, Array] = {}
    for entry in whole.joints:
        if entry.part.at is not None:
            for name in entry.joins:
                places.setdefault(name, entry.turn.vector(entry.part.at))
    for entry in (*whole.rods, *whole.cylinders):
        for name, point in zip(entry.joins, _ends(entry), strict=True):
            places.setdefault(name, point)
    return places


def _ends(entry: Entry) -> tuple[Array, Array]:
    return entry.turn.vector(getattr(entry.part, "from")), entry.turn.vector(entry.part.to)


def written_body(entry: Entry, places: Mapping[str, Array]) -> Body:
    """The body of an entry in base axes at home."""
    part, turn = entry.part, entry.turn
    if part.at is not None:
        return Body.of(part.mass, turn.vector(part.at), np.zeros((3, 3)))
    placed = getattr(part, "from") is not None or part.center_of_mass is not None
    body = turn.body(body_of(part, np.zeros(3)))
    center = body.center_of_mass if placed else places.get(entry.name, np.zeros(3))
    # Rounding leaves a turned tensor unsymmetric in its last digits, which no reader would give back.
    return Body.of(body.mass, center, (body.inertia + body.inertia.T) / 2)


def _part(entry: Entry, places: Mapping[str, Array]) -> Part:
    body = written_body(entry, places)
    origin = entry.part.origin
    at = body.center_of_mass if origin is None else entry.turn.vector(origin)
    return Part(entry.name, body, Transform.of(None, at), entry.part.point)


def _spring(written: Any) -> Spring | None:
    return None if written is None else Spring(written.stiffness, written.rest, written.preload)


def _common(entry: Entry) -> dict[str, Any]:
    part = entry.part
    return {
        "motor": part.motor,
        "rotor": part.rotor,
        "friction": Friction(part.viscous, *part.coulomb),
        "spring": _spring(part.spring),
        "stiffness": part.stiffness,
    }


def _joints(
    whole: Expanded, bodies: Mapping[str, Part]
) -> tuple[list[MechanismJoint], list[tuple[Path, str]]]:
    joints: list[MechanismJoint] = []
    faults: list[Found] = []
    for entry in whole.joints:
        part, limits = entry.part, entry.part.limits
        written = {"R": (part.R,), "P": (part.P,), "U": part.U}.get(part.kind, ())
        axes = [entry.turn.vector(axis) for axis in written]
        if part.at is None:  # of a slide any point does
            holder = next(name for name in reversed(entry.joins) if name != BASE)
            at = bodies[holder].body.center_of_mass
        else:
            at = entry.turn.vector(part.at)
        if part.kind == "U" and len(axes) == 1:
            other = _second_axis(entry, at, axes[0], whole, bodies)
            if other is None:
                faults.append(((*entry.path, "U"), UNDETERMINED))
                continue
            axes.append(other)
        joints.append(
            MechanismJoint(
                entry.name,
                KINDS[part.kind],
                entry.joins,
                at,
                tuple(axes),
                limits=Limits() if limits is None else Limits(**dict(limits)),
                **_common(entry),
            )
        )
    return joints, faults


def _second_axis(
    entry: Entry, at: Array, axis: Array, whole: Expanded, bodies: Mapping[str, Part]
) -> Array | None:
    """The axis fixed in the second body: across the first and the way to that body's next joint.

    As in a parallel robot's file; the next joint is the first further down the file at another place
    (joints, then rods and cylinders), and without one the way leads to the centre of mass.
    """
    body = entry.joins[1]
    later = whole.joints[whole.joints.index(entry) + 1 :]
    points = [
        other.turn.vector(other.part.at)
        for other in later
        if body in other.joins and other.part.at is not None
    ]
    for strut in (*whole.rods, *whole.cylinders):
        points += [end for name, end in zip(strut.joins, _ends(strut), strict=True) if name == body]
    if body in bodies:
        points.append(bodies[body].body.center_of_mass)
    for point in points:
        length = float(np.linalg.norm(point - at))
        if length > SAME:
            return second_axis(axis, (point - at) / length)
    return None


def _rod(entry: Entry) -> Rod:
    part, turn = entry.part, entry.turn
    start, end = _ends(entry)
    length = float(np.linalg.norm(end - start))
    axial, across = part.inertia or solid_rod(part.mass, length, part.radius)
    near, far = (None if axis is None else turn.vector(axis) for axis in (part.U, part.U_to))
    moments = part.mass, part.center, axial, across
    return Rod(entry.name, entry.joins, start, end, *moments, near, far, part.viscous)


def _half(part: Any, forward: float) -> Body:
    """Barrel or rod in the cylinder's axes, from its own pin."""
    center = (forward * part.center, 0.0, 0.0) if part.center_of_mass is None else part.center_of_mass
    given = part.inertia
    inertia = np.diag([given[0], given[1], given[1]]) if len(given) == 2 else given
    return Body.of(part.mass, center, inertia)


def _cylinder(entry: Entry) -> Cylinder:
    part, turn = entry.part, entry.turn
    start, end = _ends(entry)
    axis = part.R or part.U
    length = float(np.linalg.norm(end - start))
    hinges = {"R": "revolute", "U": "universal", "S": "spherical"}
    return Cylinder(
        entry.name,
        entry.joins,
        start,
        end,
        hinges[part.hinge],  # type: ignore[arg-type]
        None if axis is None else turn.vector(axis),
        _half(part.barrel, 1.0),
        _half(part.rod, -1.0),
        universal=part.universal,
        spherical=part.spherical,
        limits=_cylinder_limits(part.limits, length),
        **_common(entry),
    )


def _cylinder_limits(limits: Any, length: float) -> Limits:
    """Positions count from home."""
    if limits is None:
        return Limits()
    position = limits.position
    if limits.length is not None:
        position = limits.length[0] - length, limits.length[1] - length
    return Limits(position, limits.velocity, limits.effort, limits.effort_velocity)


def _point_spring(entry: Entry) -> PointSpring:
    spring = _spring(entry.part)
    assert spring is not None
    return PointSpring(entry.name, entry.joins, *_ends(entry), spring)


def _motor(name: str, motor: schema.Motor) -> Motor:
    limits = Limits() if motor.limits is None else Limits(**dict(motor.limits))
    return Motor(name, tuple(motor.joints.items()), motor.rotor, limits)


def _tool(file: schema.MechanismFile, bodies: Mapping[str, Part]) -> tuple[str, Transform] | None:
    tool = file.tool
    if tool is None:
        return None
    at = bodies[tool.body].frame.p if tool.at is None else tool.at
    return tool.body, Transform.of(rotation_rpy(*tool.rpy), at)
