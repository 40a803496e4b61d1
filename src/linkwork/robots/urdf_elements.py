"""The links and joints of a URDF, each read on its own."""

from __future__ import annotations

from dataclasses import dataclass

from linkwork.robots import quantities as q
from linkwork.robots.arm import Friction, JointKind, Limits
from linkwork.robots.faults import listed, shown, suggestion
from linkwork.robots.geometry import Array, Body, Transform, frozen
from linkwork.robots.urdf_attributes import AttributeReader
from linkwork.robots.urdf_xml import Element
from linkwork.rotations import rotation_rpy

MOVING: dict[str, JointKind] = {
    "revolute": "revolute",
    "continuous": "revolute",
    "prismatic": "prismatic",
}
TYPES = ("fixed", *MOVING)
REFUSED_TYPES = ("planar", "floating")

DAMPING = q.number("N m s or N s/m", q.NOT_NEGATIVE)
EFFORT = q.number("N m or N", q.NOT_NEGATIVE)
SPEED = q.number("rad/s or m/s", q.NOT_NEGATIVE)
PLACE = q.number("rad or m")


@dataclass(frozen=True)
class UrdfLink:
    """A link; without an <inertial> it has no body."""

    name: str
    line: int
    body: Body | None = None


@dataclass(frozen=True)
class Mimic:
    """A joint that follows another: multiplier * its position + offset."""

    joint: str
    multiplier: float
    offset: float


@dataclass(frozen=True)
class UrdfJoint:
    """A joint; `type` is the URDF's own word, parent and child are link names."""

    name: str
    line: int
    type: str
    parent: str
    child: str
    origin: Transform
    rpy: tuple[float, ...]  # of the origin, as it is written
    axis: Array
    friction: Friction
    limits: Limits
    mimic: Mimic | None = None


def link_of(element: Element, read: AttributeReader) -> UrdfLink:
    name = read.text(element, "name", "link")
    inertial = element.first("inertial")
    body = None if inertial is None else _body(inertial, f"link {name!r} inertial", read)
    return UrdfLink(name, element.line, body)


def joint_of(element: Element, read: AttributeReader) -> UrdfJoint:
    name = read.text(element, "name", "joint")
    where = f"joint {name!r}"
    joint_type = _type(element, where, read)
    moves = joint_type in MOVING
    return UrdfJoint(
        name,
        element.line,
        joint_type,
        parent=_end(element, "parent", where, read),
        child=_end(element, "child", where, read),
        origin=_origin(element, where, read),
        rpy=tuple(read.vector(element.first("origin"), "rpy", where, q.vector("rad"))),
        axis=_axis(element, where, read) if moves else frozen((1.0, 0.0, 0.0)),
        friction=_friction(element, where, read) if moves else Friction(),
        limits=_limits(element, joint_type, where, read) if moves else Limits(),
        mimic=_mimic(element, where, read) if moves else None,
    )


def _type(element: Element, where: str, read: AttributeReader) -> str:
    written = read.text(element, "type", where)
    if written in REFUSED_TYPES:
        what = f"type {written} is not a joint of a serial arm; allowed: {listed(TYPES)}"
        read.note(element, where, what)
    elif written and written not in TYPES:
        hint = suggestion(written, TYPES)
        read.note(element, where, f"type {shown(written)} is not known{hint}; allowed: {listed(TYPES)}")
    return written


def _mimic(element: Element, where: str, read: AttributeReader) -> Mimic | None:
    mimic = element.first("mimic")
    if mimic is None:
        return None
    return Mimic(
        read.text(mimic, "joint", f"{where} mimic"),
        read.number(mimic, "multiplier", where, q.number(), 1.0),
        read.number(mimic, "offset", where, q.number(), 0.0),
    )


def _end(element: Element, tag: str, where: str, read: AttributeReader) -> str:
    end = read.inner(element, tag, where)
    return "" if end is None else read.text(end, "link", f"{where} {tag}")


def _origin(element: Element, where: str, read: AttributeReader) -> Transform:
    origin = element.first("origin")
    rpy = read.vector(origin, "rpy", where, q.vector("rad"))
    return Transform.of(rotation_rpy(*rpy), read.vector(origin, "xyz", where, q.vector("m")))


def _axis(element: Element, where: str, read: AttributeReader) -> Array:
    # Along x unless said: the URDF's default, not ours.
    return frozen(read.vector(element.first("axis"), "xyz", where, q.direction, (1.0, 0.0, 0.0)))


def _body(inertial: Element, where: str, read: AttributeReader) -> Body:
    mass = read.inner(inertial, "mass", where)
    tensor = read.inner(inertial, "inertia", where)
    xx, xy, xz, yy, yz, zz = (
        read.number(tensor, name, where, q.number("kg m^2"))
        for name in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
    )
    body = Body.of(
        read.number(mass, "value", where, q.number("kg", q.NOT_NEGATIVE)),
        (0.0, 0.0, 0.0),
        [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]],
    )
    return body.seen_from(_origin(inertial, where, read).inverse())


def _friction(element: Element, where: str, read: AttributeReader) -> Friction:
    dynamics = element.first("dynamics")
    viscous = read.number(dynamics, "damping", where, DAMPING, 0.0)
    coulomb = read.number(dynamics, "friction", where, EFFORT, 0.0)
    return Friction(viscous, coulomb, -coulomb)


def _limits(element: Element, joint_type: str, where: str, read: AttributeReader) -> Limits:
    limit = element.first("limit")
    if limit is None:
        if joint_type != "continuous":
            hint = ", or make it continuous" if joint_type == "revolute" else ""
            what = f"has no <limit>; add one with lower, upper, effort and velocity{hint}"
            read.note(element, where, what)
        return Limits()
    velocity = read.number(limit, "velocity", where, SPEED)
    effort = read.number(limit, "effort", where, EFFORT)
    for name, value in (("velocity", velocity), ("effort", effort)):
        if value == 0.0:
            read.remarks.append(f"{where}: {name} limit 0 is taken as no limit")
    position = None if joint_type == "continuous" else _position(limit, where, read)
    return Limits(position, velocity or None, effort or None)


def _position(limit: Element, where: str, read: AttributeReader) -> tuple[float, float] | None:
    low = read.number(limit, "lower", where, PLACE, 0.0)
    high = read.number(limit, "upper", where, PLACE, 0.0)
    if low > high:
        read.note(limit, f"{where} limit", f"lower {low:g} is above upper {high:g}; exchange them")
    if low == high:
        read.remarks.append(f"{where}: limit from {low:g} to {high:g} is taken as no limit")
    return (low, high) if low < high else None
