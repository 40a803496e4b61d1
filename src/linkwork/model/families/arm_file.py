"""Arm files: their fields, read into an arm and written from one."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from linkwork.core.errors import InputError
from linkwork.core.rotations import angles_rpy, rotation_rpy
from linkwork.core.table_files import Plain
from linkwork.files import quantities as q
from linkwork.files.declared import (
    ALWAYS,
    At,
    Data,
    Found,
    Of,
    Reading,
    entries,
    plain,
    refuse_any,
    written,
)
from linkwork.files.faults import Document
from linkwork.model.drive import Drive, drive_faults, with_drive, without_drive
from linkwork.model.families.arm import ArmModel, Convention, Joint, dh_joint, with_tool, without_tool
from linkwork.model.file_parts import (
    NO_INERTIA,
    ZERO,
    Inertia,
    Point,
    RobotFile,
    WrittenFriction,
    head_of,
    names_in,
    repeated_names,
)
from linkwork.model.geometry import MASS, Body, Transform, frozen, warn_if_negative
from linkwork.model.joint import STIFFNESS, Friction, JointKind, Limits, Rotor, limits_of_joint

MOST_LINKS = 100
DEFAULT_NAME = "joint"
CONVENTIONS: tuple[Convention, ...] = ("standard", "modified")
SAME = 1e-14  # of rotations and of lengths in proportion: what rounding leaves


@dataclass(frozen=True, kw_only=True)
class LinkHead:
    name: Annotated[str | None, q.name, "of the joint; joint1, joint2, ... if left out"] = None
    joint: Annotated[JointKind, q.one_of("revolute", "prismatic"), "what carries the link"]


@dataclass(frozen=True, kw_only=True)
class TableRow(LinkHead):
    """A row of Denavit and Hartenberg; the joint's variable is added to theta or d."""

    theta: Annotated[float, q.angle, ALWAYS, "about z"] = 0.0
    d: Annotated[float, q.length, ALWAYS, "along z"] = 0.0
    a: Annotated[float, q.length, ALWAYS, "along x"] = 0.0
    alpha: Annotated[float, q.angle, ALWAYS, "about x"] = 0.0


@dataclass(frozen=True, kw_only=True)
class JointPlace(LinkHead):
    """A joint about any axis, placed in the frame of the link before."""

    position: Annotated[q.Vector, q.point, ALWAYS, "of the joint"] = ZERO
    rpy: Annotated[q.Vector, q.rpy, ALWAYS, "by which the joint's frame is turned"] = ZERO
    axis: Annotated[q.Vector, q.direction, ALWAYS, "of the joint, in its frame"] = (0.0, 0.0, 1.0)


@dataclass(frozen=True, kw_only=True, eq=False)
class ArmLink(LinkHead):
    """What a link has under every convention."""

    mass: Annotated[float, MASS, ALWAYS, At("body.mass"), "of the link"] = 0.0
    center_of_mass: Annotated[Point, ALWAYS, At("body.center_of_mass"), "in the link frame"] = ZERO
    inertia: Annotated[Inertia, ALWAYS, At("body.inertia"), "about the center of mass"] = NO_INERTIA
    rotor: Annotated[Rotor | None, Of(Rotor), At("rotor"), "of its motor"] = None
    drive: Annotated[Drive | None, Of(Drive), "motor, gear, screw; its rotor is beside rotor"] = None
    friction: Annotated[WrittenFriction | None, Of(WrittenFriction), At("friction"), "of the joint"] = (
        None
    )
    limits: Annotated[Limits | None, Of(limits_of_joint), "bounds of the joint"] = None
    stiffness: Annotated[
        float | None, STIFFNESS, At("stiffness"), "of the drive, with its motor held"
    ] = None

    @staticmethod
    def field_faults(values: Data, context: Data) -> Iterator[Found]:
        friction = values.get("friction")
        drive, geared = values.get("drive"), values.get("rotor", "") is not None
        if friction is not None and friction.side == "motor" and not (geared or drive):
            what = "side motor needs a gear ratio; add rotor: {gear_ratio: ...} to the link, or a drive"
            yield ("friction",), what
        power = 1.0 if friction is None else friction.viscous_power
        yield from drive_faults(drive, values.get("joint") == "prismatic", power)

    @staticmethod
    def stray(name: str, context: Data) -> str:
        homes = [each for each, link in LINK_OF.items() if name in entries(link)]
        known = f"belongs to convention {' or '.join(homes)}, but convention is {context['convention']}"
        return known if homes else ""


@dataclass(frozen=True, kw_only=True, eq=False)
class TableLink(ArmLink, TableRow):
    """Conventions standard and modified."""


@dataclass(frozen=True, kw_only=True, eq=False)
class PlacedLink(ArmLink, JointPlace):
    """Convention general."""


@dataclass(frozen=True, kw_only=True, eq=False)
class EitherLink(ArmLink, TableRow, JointPlace):
    """Reads the links of a file whose convention is at fault, so that their own faults are found too."""


LINK_OF: Mapping[str, type[ArmLink]] = {
    "standard": TableLink,
    "modified": TableLink,
    "general": PlacedLink,
}


def _link_class(data: Data) -> type[ArmLink]:
    convention = data.get("convention")
    return LINK_OF.get(convention, EitherLink) if isinstance(convention, str) else EitherLink


@dataclass(frozen=True)
class TipPlace:
    """The tip in the frame of the last link."""

    position: Annotated[q.Vector, q.point, ALWAYS, "of the tip"] = ZERO
    rpy: Annotated[q.Vector, q.rpy, ALWAYS, "by which its frame is turned"] = ZERO


LINKS = f"a list of 1 to {MOST_LINKS} links, base first"


@dataclass(frozen=True, kw_only=True)
class ArmFile(RobotFile):
    convention: Annotated[str, q.one_of(*LINK_OF), "how frames are placed"]
    links: Annotated[tuple[ArmLink, ...], Of(_link_class, "list", LINKS), At("joints"), "base first"]
    tool: Annotated[TipPlace | None, Of(TipPlace), "the tip, in the frame of the last link"] = None
    home: Annotated[
        tuple[float, ...] | None,
        Of(q.angle, "list", "a number for every joint, such as [0, -90 deg, 0.2]"),
        "home configuration; zero within the limits if left out",
    ] = None

    @staticmethod
    def field_faults(values: Data, context: Data) -> Iterator[Found]:
        links = values.get("links")
        if links is not None and not 1 <= len(links) <= MOST_LINKS:
            yield ("links",), f"there are {len(links)} links; allowed: {LINKS}"
        if links is not None and values.get("home") is not None and None not in links:
            yield from _home_faults(values["home"], links)


def _home_faults(home: tuple[float, ...], links: tuple[ArmLink, ...]) -> Iterator[Found]:
    if len(home) != len(links):
        yield ("home",), f"has {len(home)} numbers; allowed: {len(links)}, one for every joint"
        return
    for k, (value, link) in enumerate(zip(home, links, strict=True)):
        low, high = (link.limits and link.limits.position) or (-math.inf, math.inf)
        if value is not None and not low <= value <= high:
            unit = "rad" if link.joint == "revolute" else "m"
            what = f"{value:.6g} {unit} is outside limits.position of {link.name or f'joint {k + 1}'}"
            yield ("home", k), f"{what}; allowed: {low:.6g} to {high:.6g} {unit}"


def read_arm(document: Document) -> ArmModel:
    """The arm that a file describes; FaultyError with every fault."""
    data = document.data
    assert isinstance(data, Mapping)
    reading = Reading({"convention": data.get("convention")})
    file: ArmFile = reading.part(ArmFile, data)
    names = names_in(data.get("links"), DEFAULT_NAME)
    refuse_any(document, [*repeated_names("links", names), *reading.found])
    joints = tuple(_joint(file.convention, link, k) for k, link in enumerate(file.links, start=1))
    for joint in joints:
        if not file.inertia_as_published:
            warn_if_negative(joint.body.inertia, joint.name)
    kept: dict[str, Any] = {"accept": file.accept, "home": file.home}
    model = ArmModel(file.name, joints, frozen(file.gravity), file.source, **kept)
    if file.tool is None:
        return model
    return with_tool(model, Transform.of(rotation_rpy(*file.tool.rpy), file.tool.position))


def _joint(convention: Any, link: ArmLink, number: int) -> Joint:
    body = Body.of(link.mass, link.center_of_mass, link.inertia)
    name = link.name or f"{DEFAULT_NAME}{number}"
    rotor = link.rotor or Rotor()
    drive = link.drive
    ratio = rotor.gear_ratio if drive is None else drive.ratio
    friction = Friction() if link.friction is None else link.friction.at_joint(ratio)
    if drive is not None:
        reflected, friction = with_drive(rotor.reflected, friction, drive)
        rotor = Rotor(reflected)
    rest: dict[str, Any] = {
        "drive": drive,
        "rotor": rotor,
        "friction": friction,
        "limits": link.limits or Limits(),
        "stiffness": link.stiffness,
    }
    if isinstance(link, TableLink):
        row = {"theta": link.theta, "d": link.d, "a": link.a, "alpha": link.alpha}
        return dh_joint(convention, link.joint, name=name, body=body, **row, **rest)
    assert isinstance(link, PlacedLink)
    before = Transform.of(rotation_rpy(*link.rpy), link.position)
    return Joint(name, link.joint, before, frozen(link.axis), 0.0, Transform(), body, **rest)


def arm_document(model: ArmModel) -> Plain:
    """What a robot file says of this arm, as plain data.

    A Denavit-Hartenberg table if the joints have one, else joints about any axes.
    """
    tool, model = model.tool, without_tool(model)
    convention, rows = _rows(model)
    make = LINK_OF[convention]
    links = tuple(_link(make, *each) for each in zip(model.joints, rows, strict=True))
    tip = TipPlace(plain(tool.p), angles_rpy(tool.R)) if tool.moves else None
    head = head_of(model, (joint.body for joint in model.joints))
    return written(ArmFile(**head, convention=convention, links=links, tool=tip, home=model.home))


def _link(make: type[ArmLink], joint: Joint, row: Plain) -> ArmLink:
    """Friction is written at the joint, whichever side it was measured on."""
    rotor, friction = joint.rotor, joint.friction
    if joint.drive is not None:
        reflected, friction = without_drive(rotor.reflected, friction, joint.drive)
        rotor = Rotor(reflected)
    return make(
        name=joint.name,
        joint=joint.kind,
        mass=joint.body.mass,
        center_of_mass=plain(joint.body.center_of_mass),
        inertia=plain(joint.body.inertia),
        rotor=rotor if rotor.inertia else None,
        friction=WrittenFriction.of(friction) if friction != Friction() else None,
        drive=joint.drive,
        limits=joint.limits if joint.limits != Limits() else None,
        stiffness=joint.stiffness,
        **row,
    )


def _rows(model: ArmModel) -> tuple[str, list[Plain]]:
    for convention in CONVENTIONS:
        table = [_dh_row(joint, convention) for joint in model.joints]
        rows = [row for row in table if row is not None]
        if len(rows) == model.n:
            return convention, rows
    return "general", [_general_row(joint) for joint in model.joints]


def _dh_row(joint: Joint, convention: Convention) -> Plain | None:
    """The row of a table that gives this joint, or None if there is no such row."""
    link = joint.after if convention == "standard" else joint.before
    turn = joint.before  # of a slide, whose theta is in the frame before it
    alpha = math.atan2(link.R[2, 1], link.R[2, 2])
    a = float(link.p[0])
    if joint.is_revolute:
        theta, d = joint.offset, float(joint.after.p[2])
    else:
        # Rx(alpha) Rz(theta) has cos and sin of theta in its first row.
        theta, d = math.atan2(-turn.R[0, 1], turn.R[0, 0]), joint.offset
        if convention == "modified":
            alpha = math.atan2(-link.R[1, 2], link.R[2, 2])
    table = {"theta": theta, "d": d, "a": a, "alpha": alpha}
    again = dh_joint(convention, joint.kind, name=joint.name, body=joint.body, **table)
    pairs = ((again.before, joint.before), (again.after, joint.after))
    if np.array_equal(joint.axis, again.axis) and all(_same(*pair) for pair in pairs):
        return {name: float(value) for name, value in table.items()}
    return None


def _general_row(joint: Joint) -> Plain:
    if joint.offset or not _same(joint.after, Transform()):
        raise InputError(
            f"joint {joint.name!r}: its frame fits no convention of robot files; write a .urdf instead."
        )
    rpy = angles_rpy(joint.before.R)
    return {"position": plain(joint.before.p), "rpy": rpy, "axis": plain(joint.axis)}


def _same(a: Transform, b: Transform) -> bool:
    size = max(1.0, float(np.abs(a.p).max()))
    return bool(np.abs(a.R - b.R).max() <= SAME and np.abs(a.p - b.p).max() <= SAME * size)
