"""Mechanisms from their files and back: everything drawn at home, copies written out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from linkwork.core.errors import InputError
from linkwork.core.rotations import angles_rpy, rotation_rpy
from linkwork.core.table_files import Plain
from linkwork.files import quantities as q
from linkwork.files.declared import Data, Found, Reading, refuse_any, written
from linkwork.files.faults import Document, Path
from linkwork.model.drive import with_drive, without_drive
from linkwork.model.file_parts import ZERO, head_of, solid_rod
from linkwork.model.geometry import SAME, Array, Body, Transform, frozen, second_axis
from linkwork.model.joint import Friction, Limits
from linkwork.model.mechanism import (
    BASE,
    JOINT_KINDS,
    JOINT_LETTERS,
    Cone,
    Coordinate,
    Coupling,
    Cylinder,
    MechanismJoint,
    MechanismModel,
    Motor,
    Part,
    PointSpring,
    Rod,
    TwoPoint,
)
from linkwork.model.mechanism_copies import Copy, Expanded, expanded, file_faults
from linkwork.model.mechanism_parts import (
    CylinderLimits,
    DrawnCone,
    DrawnCylinder,
    DrawnJoint,
    DrawnPart,
    DrawnRod,
    DrawnSpring,
    Half,
    LengthSpring,
    MechanismFile,
    SlideSpring,
    ToolPlace,
    TurnSpring,
    WrittenCoupling,
    WrittenMotor,
    is_long_motor,
)

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
    refuse_any(document, [(written_at(path, data), what) for path, what in found])
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
        cones=tuple(map(_cone, whole.cones)),
        couplings=tuple(Coupling(coupling.ratios) for coupling in file.couplings),
        motors=tuple(_motor(name, motor) for name, motor in file.motors.items()),
        tool=_tool(file, bodies),
        gravity=frozen(file.gravity),
        source=file.source,
        accept=file.accept,
        order=(*file.order, *(name for name in whole.order if name not in file.order)),
    )


def mechanism_fields(document: Document) -> MechanismFile:
    """The fields of a file; FaultyError otherwise."""
    data = document.data
    assert isinstance(data, Mapping)
    reading = Reading({"points": _named_points(data)})
    file: MechanismFile = reading.part(MechanismFile, data)
    refuse_any(document, [(written_at(path, data), what) for path, what in reading.found])
    return file


def _named_points(data: Data) -> dict[str, q.Vector]:
    """One that is at fault is told once, where it stands."""
    written, found = data.get("points"), {}
    for name, value in written.items() if isinstance(written, Mapping) else ():
        try:
            found[name] = q.point(value)
        except ValueError:
            found[name] = ZERO
    return found


def written_at(path: Path, data: Data) -> Path:
    """The path as the file has it: the short form of a motor has no `joints`."""
    if path[:1] != ("motors",) or len(path) < 3:
        return path
    short = not is_long_motor(data["motors"].get(path[1])) and path[2] == "joints"
    return (*path[:2], *path[3:]) if short else path


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


def _ends(entry: Copy) -> tuple[Array, Array]:
    return entry.turn.vector(entry.part.start), entry.turn.vector(entry.part.to)


def written_body(entry: Copy, places: Mapping[str, Array]) -> Body:
    """The body of an entry in base axes at home."""
    part, turn = entry.part, entry.turn
    if part.at is not None:
        return Body.of(part.mass, turn.vector(part.at), np.zeros((3, 3)))
    placed = part.start is not None or part.center_of_mass is not None
    body = turn.body(part.body(np.zeros(3)))
    center = body.center_of_mass if placed else places.get(entry.name, np.zeros(3))
    # Rounding leaves a turned tensor unsymmetric in its last digits, which no reader would give back.
    return Body.of(body.mass, center, (body.inertia + body.inertia.T) / 2)


def _part(entry: Copy, places: Mapping[str, Array]) -> Part:
    body = written_body(entry, places)
    origin = entry.part.origin
    at = body.center_of_mass if origin is None else entry.turn.vector(origin)
    return Part(entry.name, body, Transform.of(None, at), entry.part.point)


def _friction(part: DrawnJoint | DrawnCylinder | WrittenMotor) -> Friction:
    return Friction(
        part.viscous,
        *part.coulomb,
        part.offset,
        part.stribeck,
        part.stribeck_velocity,
        part.viscous_power,
        part.load_friction,
    )


def _common(entry: Copy) -> dict[str, Any]:
    part = entry.part
    rotor, friction = with_drive(part.rotor, _friction(part), part.drive)
    return {
        "motor": part.motor,
        "rotor": rotor,
        "drive": part.drive,
        "friction": friction,
        "spring": part.spring,
        "stiffness": part.stiffness,
    }


def _joints(
    whole: Expanded, bodies: Mapping[str, Part]
) -> tuple[list[MechanismJoint], list[tuple[Path, str]]]:
    joints: list[MechanismJoint] = []
    faults: list[Found] = []
    for entry in whole.joints:
        part = entry.part
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
                JOINT_KINDS[part.kind],
                entry.joins,
                at,
                tuple(axes),
                limits=part.limits or Limits(),
                **_common(entry),
            )
        )
    return joints, faults


def _second_axis(
    entry: Copy, at: Array, axis: Array, whole: Expanded, bodies: Mapping[str, Part]
) -> Array | None:
    """The axis fixed in the second body: across the first and the way to that body's next joint.

    As in a parallel robot's file; the next joint is the first further down the file at another place
    (joints, then rods and cylinders), and without one the way leads to the center of mass.
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


def _rod(entry: Copy) -> Rod:
    part, turn = entry.part, entry.turn
    start, end = _ends(entry)
    length = float(np.linalg.norm(end - start))
    axial, across = part.inertia or solid_rod(part.mass, length, part.radius)
    near, far = (None if axis is None else turn.vector(axis) for axis in (part.U, part.U_to))
    moments = part.mass, part.center, axial, across
    return Rod(entry.name, entry.joins, start, end, *moments, near, far, part.viscous)


def _half(part: Half, forward: float) -> Body:
    """Barrel or rod in the cylinder's axes, from its own pin."""
    center = (forward * part.center, 0.0, 0.0) if part.center_of_mass is None else part.center_of_mass
    given = part.inertia
    inertia = np.diag([given[0], given[1], given[1]]) if len(given) == 2 else given
    return Body.of(part.mass, center, inertia)


def _cylinder(entry: Copy) -> Cylinder:
    part, turn = entry.part, entry.turn
    start, end = _ends(entry)
    axis = part.R or part.U
    length = float(np.linalg.norm(end - start))
    return Cylinder(
        entry.name,
        entry.joins,
        start,
        end,
        JOINT_KINDS[part.hinge],  # type: ignore[arg-type]
        None if axis is None else turn.vector(axis),
        _half(part.barrel, 1.0),
        _half(part.rod, -1.0),
        universal=part.universal,
        spherical=part.spherical,
        limits=_cylinder_limits(part.limits, length),
        **_common(entry),
    )


def _cylinder_limits(limits: CylinderLimits | None, length: float) -> Limits:
    """Positions count from home."""
    if limits is None:
        return Limits()
    position = limits.position
    if limits.length is not None:
        position = limits.length[0] - length, limits.length[1] - length
    return Limits(position, limits.velocity, limits.effort, limits.effort_velocity)


def _point_spring(entry: Copy) -> PointSpring:
    return PointSpring(entry.name, entry.joins, *_ends(entry), entry.part.spring)


def _cone(entry: Copy) -> Cone:
    part, (start, end) = entry.part, _ends(entry)
    along = (end - start) / np.linalg.norm(end - start)
    axis = along if part.axis is None else entry.turn.vector(part.axis)
    return Cone(entry.name, entry.joins, start, end, axis, part.angle)


def _motor(name: str, motor: WrittenMotor) -> Motor:
    terms = tuple((motor.joints or {}).items())
    return Motor(name, terms, motor.rotor, _friction(motor), motor.limits or Limits())


def _tool(file: MechanismFile, bodies: Mapping[str, Part]) -> tuple[str, Transform] | None:
    tool = file.tool
    if tool is None:
        return None
    at = bodies[tool.body].frame.p if tool.at is None else tool.at
    return tool.body, Transform.of(rotation_rpy(*tool.rpy), at)


def mechanism_document(model: MechanismModel) -> Plain:
    """What a robot file says of this mechanism, as plain data; copies are written out."""
    order = (*(joint.name for joint in model.joints), *(each.name for each in model.cylinders))
    file = MechanismFile(
        **head_of(model, (part.body for part in model.parts)),
        bodies={part.name: _written_part(part) for part in model.parts},
        joints={joint.name: _written_joint(joint) for joint in model.joints},
        rods={rod.name: _written_rod(rod) for rod in model.rods},
        cylinders={each.name: _written_cylinder(each) for each in model.cylinders},
        springs={each.name: _written_spring(each) for each in model.springs},
        cones={each.name: _written_cone(each) for each in model.cones},
        couplings=tuple(WrittenCoupling(terms=dict(each.terms)) for each in model.couplings),
        motors={motor.name: _written_motor(motor) for motor in model.motors},
        order=() if model.order == order else model.order,
        coordinates=_items(model.coordinates),
        tool=_written_tool(model.tool),
    )
    document = written(file)
    for motor in document.get("motors", {}).values():
        if list(motor) == ["joints"]:
            motor |= motor.pop("joints")
    return document


def _row(v: Any) -> Any:
    return None if v is None else tuple(float(item) + 0.0 for item in v)  # no -0.0


def _written_part(part: Part) -> DrawnPart:
    if (np.eye(3) != part.frame.R).any():
        raise InputError(
            f"body {part.name!r}: its axes are turned against the base at home, which a file of "
            "`kind: mechanism` cannot say; write the robot of its own family (robot.model)."
        )
    center = _row(part.body.center_of_mass)
    origin = _row(part.frame.p) if (part.frame.p != part.body.center_of_mass).any() else None
    if part.point:
        return DrawnPart(point=True, mass=part.body.mass, at=center, origin=origin)
    inertia = part.body.inertia
    return DrawnPart(mass=part.body.mass, center_of_mass=center, inertia=inertia, origin=origin)


def _written_drive(each: MechanismJoint | Cylinder) -> dict[str, Any]:
    rotor, friction = without_drive(each.rotor, each.friction, each.drive)
    return {
        "joins": each.joins,
        "motor": each.motor,
        "rotor": rotor,
        "drive": each.drive,
        **_written_friction(friction),
        "stiffness": each.stiffness,
    }


def _written_friction(friction: Friction) -> dict[str, Any]:
    return {
        "viscous": friction.viscous,
        "coulomb": friction.coulomb,
        "offset": friction.offset,
        "stribeck": friction.stribeck,
        "stribeck_velocity": friction.stribeck_velocity,
        "viscous_power": friction.viscous_power,
        "load_friction": friction.load_friction,
    }


def _written_joint(joint: MechanismJoint) -> DrawnJoint:
    axes = tuple(map(_row, joint.axes))
    letter = JOINT_LETTERS[joint.kind]
    kind: Any = {"U": axes, "S": True, "fixed": True}.get(letter) or axes[0]
    spring: Any = joint.spring
    if spring is not None:
        rest = {"stiffness": spring.stiffness, "preload": spring.preload}
        turns = joint.is_revolute
        spring = (
            TurnSpring(**rest, free_angle=spring.free)
            if turns
            else SlideSpring(**rest, free_position=spring.free)
        )
    limits = None if joint.limits == Limits() else joint.limits
    drive = _written_drive(joint)
    return DrawnJoint(**{letter: kind}, **drive, at=_row(joint.at), limits=limits, spring=spring)


def _written_ends(each: TwoPoint) -> dict[str, Any]:
    return {"joins": each.joins, "start": _row(each.start), "to": _row(each.end)}


def _written_rod(rod: Rod) -> DrawnRod:
    inertia = (rod.axial, rod.across) if rod.axial or rod.across else None
    return DrawnRod(
        **_written_ends(rod),
        mass=rod.mass,
        inertia=inertia,
        center=rod.center,
        U=_row(rod.axis),
        U_to=_row(rod.far_axis),
        viscous=rod.viscous,
    )


def _written_cylinder(each: Cylinder) -> DrawnCylinder:
    spring: Any = each.spring
    if spring is not None:
        spring = LengthSpring(
            stiffness=spring.stiffness, preload=spring.preload, free_length=spring.free
        )
    limits: Any = None if each.limits == Limits() else CylinderLimits(**vars(each.limits))
    hinge: Any = True if each.axis is None else _row(each.axis)
    return DrawnCylinder(
        **{JOINT_LETTERS[each.hinge]: hinge},
        **_written_drive(each) | _written_ends(each),
        universal=each.universal,
        spherical=each.spherical,
        barrel=_written_half(each.barrel, 1.0),
        rod=_written_half(each.rod, -1.0),
        limits=limits,
        spring=spring,
    )


def _written_half(body: Body, forward: float) -> Half:
    """A body about the cylinder's axis in three numbers, any other in its own axes."""
    if body.is_nothing:
        return Half()
    axial, across, other = np.diag(body.inertia).tolist()
    off_axis = body.center_of_mass[1:].any() or across != other
    if off_axis or (body.inertia != np.diag(np.diag(body.inertia))).any():
        return Half(
            mass=body.mass, center_of_mass=_row(body.center_of_mass), inertia=body.inertia.tolist()
        )
    center = forward * float(body.center_of_mass[0]) + 0.0
    return Half(mass=body.mass, center=center, inertia=(axial, across))


def _written_spring(each: PointSpring) -> DrawnSpring:
    spring = each.spring
    return DrawnSpring(
        **_written_ends(each),
        stiffness=spring.stiffness,
        preload=spring.preload,
        free_length=spring.free,
    )


def _written_cone(each: Cone) -> DrawnCone:
    return DrawnCone(**_written_ends(each), axis=_row(each.axis), angle=each.angle)


def _written_motor(motor: Motor) -> WrittenMotor:
    limits = None if motor.limits == Limits() else motor.limits
    drive = {"rotor": motor.rotor, **_written_friction(motor.friction)}
    return WrittenMotor(joints=dict(motor.terms), limits=limits, **drive)


def _items(coordinates: Iterable[Coordinate]) -> tuple[tuple[Coordinate, ...], ...]:
    """Those of one body that stand together are one item."""
    items: list[tuple[Coordinate, ...]] = []
    for each in coordinates:
        before = items[-1][-1] if items else each
        alike = (before.of, before.relative_to) == (each.of, each.relative_to)
        if items and each.pose and before.pose and alike:
            items[-1] = (*items[-1], each)
        else:
            items.append((each,))
    return tuple(items)


def _written_tool(tool: tuple[str, Transform] | None) -> ToolPlace | None:
    if tool is None:
        return None
    body, frame = tool
    turned: Any = angles_rpy(frame.R) if (np.eye(3) != frame.R).any() else ZERO
    return ToolPlace(body=body, at=_row(frame.p), rpy=turned)
