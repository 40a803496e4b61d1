"""Files of parallel robots: their fields, read into a robot and written from one.

Legs are written with joints R, P, U and S, once for all copies; a robot has them leg by leg, made of
single joints.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar

import numpy as np

from linkwork.core.rotations import rotation_about
from linkwork.core.table_files import Plain
from linkwork.files import quantities as q
from linkwork.files.declared import (
    REQUIRED,
    At,
    Data,
    Found,
    Of,
    Reading,
    entries,
    refuse_any,
    told_once,
    written,
)
from linkwork.files.faults import Document, Path, listed, shown
from linkwork.model.drive import Drive, drive_faults, with_drive, without_drive
from linkwork.model.families.dimensions import written_out
from linkwork.model.families.legs import (
    UNIVERSAL,
    EndKind,
    LegCone,
    LegEnd,
    LegJoint,
    ParallelLeg,
    asymmetry,
    axis_names,
    grouped,
    pair_of,
)
from linkwork.model.families.parallel import ParallelModel
from linkwork.model.file_parts import (
    NOTHING,
    WIDTH,
    DrawnBody,
    RobotFile,
    Turn,
    head_of,
    merged,
    one_kind,
    repeated_names,
    two_axes,
)
from linkwork.model.geometry import MASS, SAME, Array, Body, arrayed, frozen, second_axis
from linkwork.model.joint import REFLECTED, VISCOUS, ConeLimit, Friction, Limits, limits_of_joint
from linkwork.model.mechanism import JOINT_LETTERS, POSE

KINDS = ("R", "P", "U", "S")
REPEAT = re.compile(r"([1-9][0-9]?) around ([xyz])")
SYMMETRIC = 1e-9
SINGULAR = 1e-6


def _axes(value: object) -> tuple[q.Vector, ...]:
    """One axis or two."""
    if not (isinstance(value, list | tuple) and value and isinstance(value[0], list | tuple)):
        return (q.direction(value),)
    return two_axes(value, q.direction, "[x, y, z] or two of them")


@dataclass(frozen=True, kw_only=True)
class ChainJoint:
    """A joint of a leg and the body that it carries."""

    R: Annotated[q.Vector | None, q.direction, "axis of a revolute joint"] = None
    P: Annotated[q.Vector | None, q.direction, "axis of a prismatic joint"] = None
    U: Annotated[
        tuple[q.Vector, ...] | None,
        q.FieldQuantity(_axes, "", "an axis or two"),
        "of a universal joint; the second is perpendicular to the first and to the link if left out",
    ] = None
    S: Annotated[bool, NOTHING, "a spherical joint"] = False
    name: Annotated[str | None, q.name, "such as R1 if left out"] = None
    at: Annotated[q.Vector | None, q.point, "place at home; a P joint needs none"] = None
    actuated: Annotated[bool, q.flag, "has a motor"] = False
    rotor: Annotated[float, REFLECTED, "reflected inertia"] = 0.0
    drive: Annotated[Drive | None, Of(Drive), "motor, gear, screw; its rotor is beside rotor"] = None
    viscous: Annotated[float, VISCOUS, "friction"] = 0.0
    coulomb: Annotated[tuple[float, float], q.coulomb, "dry friction"] = (0.0, 0.0)
    offset: Annotated[float, q.number("N m or N"), "constant, either way"] = 0.0
    limits: Annotated[Limits | None, Of(limits_of_joint), "bounds, position from home"] = None
    cone: Annotated[ConeLimit | None, Of(ConeLimit), "U and S: how far the link may tilt"] = None
    cross: Annotated[DrawnBody | None, Of(DrawnBody), "body between the axes of a U"] = None
    link: Annotated[DrawnBody | None, Of(DrawnBody), "body that the joint carries"] = None
    apart: Annotated[float, WIDTH, "distance of the two rods that the link is"] = 0.0

    @staticmethod
    def refusals(data: Data) -> Iterator[str]:
        return one_kind(data, KINDS, "R: axis, P: axis, U: axis (or two), S: (no axis)")

    @staticmethod
    def field_faults(values: Data, context: Data) -> Iterator[Found]:
        if values.get("drive") is not None and values.get("actuated") is False:
            yield ("drive",), "belongs to a joint with a motor; add actuated: true"
        if values.get("cone") is not None and not (values.get("U") or values.get("S")):
            yield ("cone",), "is for joints U and S; an R or P has limits: {position: [low, high]}"
        yield from drive_faults(values.get("drive"), values.get("P") is not None)

    @property
    def kind(self) -> str:
        return next(kind for kind in KINDS if getattr(self, kind))


def _repeat(value: object) -> tuple[int, str]:
    match = REPEAT.fullmatch(value.strip()) if isinstance(value, str) else None
    if match is None:
        allowed = "a text such as `3 around z` (1 to 99 times, around x, y or z of the base)"
        raise ValueError(f"{shown(value)} is not allowed; allowed: {allowed}")
    return int(match[1]), match[2]


@dataclass(frozen=True, kw_only=True)
class ChainDefaults:
    """What legs may share; joints are merged one by one, and judged in the legs that take them."""

    repeat: Annotated[
        tuple[int, str] | None, q.FieldQuantity(_repeat, "", "such as 3 around z"), "copies of the leg"
    ] = None
    frame: Annotated[bool, q.flag, "close the leg by the whole pose"] = False
    joints: Annotated[Any, q.FieldQuantity(lambda value: value), "from the base to the platform"] = ()

    @staticmethod
    def stray(name: str, context: Data) -> str:
        return "belongs to each leg" if name in entries(ChainLeg) else ""


@dataclass(frozen=True, kw_only=True)
class ChainLeg(ChainDefaults):
    name: Annotated[str | None, q.name, "such as leg-1 if left out"] = None
    joints: Annotated[
        tuple[ChainJoint, ...], Of(ChainJoint, "list"), REQUIRED, "from the base to the platform"
    ] = ()

    @staticmethod
    def stray(name: str, context: Data) -> str:
        shared = "legs that share a link are not built in: each goes from the base to the platform alone"
        return shared if name in SHARING else ""

    @staticmethod
    def field_faults(values: Data, context: Data) -> Iterator[Found]:
        if values.get("joints") == ():
            yield ("joints",), "is empty; allowed: the joints of the leg from the base to the platform"


# What somebody may write who has a robot that this format cannot hold.
ARTICULATED = ("platforms", "parts", "joints", "bodies")
SHARING = ("branches", "branch", "shares", "shared", "parent")


def _several(name: str, context: Data) -> str:
    text = "a platform of several bodies (H4, Par4, Quattro) is not built in: a platform is rigid"
    return text if name in ARTICULATED else ""


@dataclass(frozen=True, eq=False)
class LoadedBody(Body):
    """The platform of a file, which says its mass."""

    makes: ClassVar[Any] = Body
    stray: ClassVar[Any] = staticmethod(_several)
    mass: Annotated[float, MASS, REQUIRED, At("mass"), "with all that is fixed to it"] = 0.0


def _coordinates(value: object) -> tuple[str, ...]:
    allowed = f"a list of some of {listed(POSE)}"
    if not isinstance(value, list | tuple):
        raise ValueError(f"{shown(value)} is not a list; allowed: {allowed}")
    names = tuple(q.one_of(*POSE)(item) for item in value)
    if len(set(names)) < len(names):
        raise ValueError(f"{shown(value)} names a coordinate twice; allowed: {allowed}")
    return POSE if set(names) == set(POSE) else names


SOME = q.FieldQuantity(_coordinates, "", "a list of some of x, y, z, roll, pitch, yaw")


@dataclass(frozen=True, kw_only=True)
class ParallelFile(RobotFile):
    coordinates: Annotated[tuple[str, ...], SOME, "the platform's independent motions"] = POSE
    parasitic: Annotated[tuple[str, ...], SOME, "those that follow from the legs"] = ()
    home: Annotated[Array, arrayed(q.pose), "of the platform's frame: legs are given there"]
    platform: Annotated[Body, Of(LoadedBody), At("platform"), "the moving body"]
    leg_defaults: Annotated[Any, Of(ChainDefaults), "what legs share, joint by joint"] = None
    legs: Annotated[tuple[ChainLeg, ...], Of(ChainLeg, "list", "a list of at least one leg"), "legs"]
    stray: ClassVar[Any] = staticmethod(_several)

    @staticmethod
    def field_faults(values: Data, context: Data) -> Iterator[Found]:
        coordinates = values.get("coordinates", ("at fault",))
        if not coordinates:
            yield ("coordinates",), f"is empty; allowed: one to six of {listed(POSE)}"
        if both := [name for name in values.get("parasitic", ()) if name in coordinates]:
            what = f"{listed(both)} is a coordinate too; a coordinate is one or the other"
            yield ("parasitic",), what
        if values.get("legs") == ():
            yield ("legs",), "[] is not a list of legs; allowed: a list of at least one leg"


def read_parallel(document: Document) -> ParallelModel:
    """The parallel robot that a file describes; FaultyError with every fault."""
    document, file = parallel_fields(document)
    data = document.data
    assert isinstance(data, Mapping)
    legs, places, faults = expanded(file)
    names = zip(places, (leg.name for leg in legs), strict=True)
    refuse_any(document, [*told_once(faults, data), *repeated_names("legs", names)])
    model = ParallelModel(
        name=file.name,
        legs=tuple(legs),
        platform=file.platform,
        home=file.home,
        coordinates=file.coordinates,
        parasitic=file.parasitic,
        gravity=frozen(file.gravity),
        source=file.source,
        accept=file.accept,
    )
    refuse_any(document, model_faults(model, places))
    return model


def parallel_fields(document: Document) -> tuple[Document, ParallelFile]:
    """The fields of a file, and the document with its family written out; FaultyError otherwise."""
    document = written_out(document)
    data = document.data
    assert isinstance(data, Mapping)
    legs = data.get("legs")
    if isinstance(legs, list | tuple):
        data = {**data, "legs": [merged(data.get("leg_defaults"), leg) for leg in legs]}
    reading = Reading()
    file: ParallelFile = reading.part(ParallelFile, data)
    refuse_any(document, told_once(reading.found, document.data))  # type: ignore[arg-type]
    return document, file


class LegFault(Exception):
    """A fault of a leg, at a path within it."""

    def __init__(self, path: Path, what: str) -> None:
        self.path, self.what = path, what
        super().__init__(what)


def expanded(file: ParallelFile) -> tuple[list[ParallelLeg], list[int], list[Found]]:
    """All legs with the place of each in the file, and faults."""
    legs: list[ParallelLeg] = []
    places: list[int] = []
    faults: list[Found] = []
    for index, leg in enumerate(file.legs):
        count, axis = leg.repeat or (1, "z")
        for copy in range(count):
            turn = Turn(rotation_about("xyz".index(axis), 2 * np.pi * copy / count))
            stem = leg.name or "leg"
            numbered = leg.name is None or count > 1
            number = len(legs) + 1 if leg.name is None else copy + 1
            try:
                name = f"{stem}-{number}" if numbered else stem
                legs.append(_leg(leg, name, turn, bool(file.parasitic)))
                places.append(index)
            except LegFault as fault:
                faults.append((("legs", index, *fault.path), fault.what))
                break
    return legs, places, faults


def _leg(leg: ChainLeg, name: str, turn: Turn, parasitic: bool) -> ParallelLeg:
    chain = _chain(leg, name, turn, parasitic)
    return replace(chain, cones=tuple(_cones(leg, name, turn)))


def _cones(leg: ChainLeg, name: str, turn: Turn) -> Iterator[LegCone]:
    points, last = points_of(leg), len(leg.joints) - 1
    for k, entry in enumerate(leg.joints):
        if entry.cone is None:
            continue
        others = points[:k][::-1] if k == last else points[k + 1 :]
        to = next((other for other in others if np.linalg.norm(other - points[k]) > SAME), None)
        if to is None:
            raise LegFault(("joints", k, "cone"), "tells how far a link tilts, and the joint has none")
        along = (to - points[k]) / np.linalg.norm(to - points[k])
        axis = along if entry.cone.axis is None else np.array(entry.cone.axis)
        ends = turn.vector(points[k]), turn.vector(to)
        label = f"{name} {entry.name or f'{entry.kind}{k + 1}'}"
        yield LegCone(label, *ends, turn.vector(axis), entry.cone.angle, k == last)


def _chain(leg: ChainLeg, name: str, turn: Turn, parasitic: bool) -> ParallelLeg:
    points = points_of(leg)
    joints: list[LegJoint] = []
    *before, last = leg.joints
    closes = last.kind != "P"
    for k, entry in enumerate(before if closes else leg.joints):
        joints += _simple(leg, k, entry, points, name, turn)
    if not joints:
        raise LegFault(("joints",), "has no joint before the one at the platform; add the leg's joints")
    if not closes:
        return _checked(ParallelLeg(name, tuple(joints), LegEnd("rigid", turn.vector(points[-1]))))
    k = len(leg.joints) - 1
    at, axes = points[k], _end_axes(leg, points)
    if last.link is not None or last.cross is not None:
        what = "carries nothing: it belongs to the platform; add its mass to platform"
        raise LegFault(("joints", k, "link" if last.link is not None else "cross"), what)
    dry = last.coulomb != (0.0, 0.0) or last.offset
    moves = last.actuated or last.rotor or dry or last.limits is not None
    if last.kind == "S":
        if leg.frame or moves:
            what = (
                "an S joint at the platform closes by three equations and has `viscous` only; leave out"
            )
            raise LegFault(("joints", k), f"{what} frame, actuated, rotor, coulomb, offset, limits")
        end = LegEnd("spherical", turn.vector(at), (), last.viscous)
        return _checked(ParallelLeg(name, tuple(joints), end))
    kind: EndKind = "universal" if last.kind == "U" else "revolute"
    end = LegEnd(kind, turn.vector(at), tuple(turn.vector(axis) for axis in axes))
    framed = leg.frame or bool(moves) or last.viscous > 0 or parasitic
    if not framed and not _degenerate(joints, end.at):
        return _checked(ParallelLeg(name, tuple(joints), end))
    tail = _simple_joints(last, k, at, axes, [Body()] * len(axes), name, turn)
    return _checked(ParallelLeg(name, (*joints, *tail), LegEnd("rigid", turn.vector(at))))


def _checked(leg: ParallelLeg) -> ParallelLeg:
    n, most = len(leg.joints), 6 if leg.frame else 3
    if n > most:
        raise LegFault(
            ("joints",),
            f"has {n} single joints before the platform's joint (a U counts two) where {most} determine"
            " its place: the others would move freely. Leave joints out, or close the leg by"
            " another joint at the platform",
        )
    return leg


def _carried(link: DrawnBody | None, at: Array) -> Body:
    return Body() if link is None else link.body(at)


def _degenerate(joints: list[LegJoint], tip: Array) -> bool:
    """Whether three equations of the tip do not determine the joints: all axes through one point."""
    return len(joints) > 3 or _is_singular(np.array([_moved(joint, tip) for joint in joints]))


def _moved(joint: LegJoint, tip: Array) -> Array:
    """The velocity of a point when the joint moves alone."""
    return np.cross(joint.axis, tip - joint.at) if joint.is_revolute else joint.axis


def _is_singular(matrix: Array) -> bool:
    values = np.linalg.svd(matrix, compute_uv=False)
    return bool(values[-1] <= SINGULAR * values[0] or values[0] == 0.0)


def points_of(leg: ChainLeg) -> list[Array]:
    """The place of every joint; a P joint without one is where the joint before (or after) is."""
    written = [None if joint.at is None else np.array(joint.at) for joint in leg.joints]
    for k, (joint, point) in enumerate(zip(leg.joints, written, strict=True)):
        if point is None and joint.kind != "P":
            raise LegFault(("joints", k), "at is missing; add at: [x, y, z], the joint's place at home")
    known = [point for point in written if point is not None]
    if not known:
        raise LegFault(("joints", 0), "at is missing in all joints; add at: [x, y, z] to the first one")
    result: list[Array] = []
    for point in written:
        result.append(point if point is not None else (result[-1] if result else known[0]))
    return result


def _simple(
    leg: ChainLeg, k: int, entry: ChainJoint, points: list[Array], name: str, turn: Turn
) -> list[LegJoint]:
    at = points[k]
    link, cross = _carried(entry.link, at), _carried(entry.cross, at)
    if entry.cross is not None and entry.kind != "U":
        raise LegFault(("joints", k, "cross"), "belongs to a U joint; use link for the body it carries")
    if entry.kind in ("U", "S") and (entry.actuated or entry.limits is not None or entry.rotor):
        field = "actuated" if entry.actuated else "limits" if entry.limits is not None else "rotor"
        what = f"is for single joints; write the {entry.kind} as R joints at one place"
        raise LegFault(("joints", k, field), what)
    if entry.kind == "S":
        axes = _ball_axes(leg, k, points)
        link = _spinless(leg, k, link, points) if len(axes) == 2 else link
    elif entry.kind == "U":
        axes = _universal_axes(leg, k, points)
    else:
        axes = [np.array(entry.R if entry.kind == "R" else entry.P)]
    bodies = [*[cross, Body()][: len(axes) - 1], link]
    return _simple_joints(entry, k, at, axes, bodies, name, turn)


def _simple_joints(
    entry: ChainJoint,
    k: int,
    at: Array,
    axes: Sequence[Array],
    bodies: list[Body],
    name: str,
    turn: Turn,
) -> list[LegJoint]:
    names = axis_names(f"{name} {entry.name or f'{entry.kind}{k + 1}'}", len(axes))
    own = Friction(entry.viscous, *entry.coulomb, entry.offset)
    rotor, friction = with_drive(entry.rotor, own, entry.drive)
    return [
        LegJoint(
            name=label,
            kind="prismatic" if entry.kind == "P" else "revolute",
            axis=turn.vector(axis),
            at=turn.vector(at),
            body=turn.body(body),
            actuated=entry.actuated,
            rotor=rotor,
            friction=friction,
            limits=entry.limits or Limits(),
            drive=entry.drive,
            apart=entry.apart if label == names[-1] else 0.0,
        )
        for label, axis, body in zip(names, axes, bodies, strict=True)
    ]


def _way(points: list[Array], k: int, outward: bool) -> Array | None:
    """The direction from a joint to the next one at another place (or back to the one before)."""
    others = points[k + 1 :] if outward else points[k - 1 :: -1] if k else []
    for other in others:
        way = other - points[k] if outward else points[k] - other
        length = float(np.linalg.norm(way))
        if length > SAME:
            return np.asarray(way / length)
    return None


def _second_axis(axis: Array, points: list[Array], k: int, outward: bool) -> Array:
    way = _way(points, k, outward)
    across = None if way is None else second_axis(axis, way)
    if across is None:
        what = "has one axis, and the other, perpendicular to it and to the link, is not determined"
        raise LegFault(("joints", k, "U"), f"{what}; write both: U: [[x, y, z], [x, y, z]]")
    return across


def _universal_axes(leg: ChainLeg, k: int, points: list[Array]) -> list[Array]:
    axes = [np.array(axis) for axis in leg.joints[k].U or ()]
    return axes if len(axes) == 2 else [axes[0], _second_axis(axes[0], points, k, True)]


def _end_axes(leg: ChainLeg, points: list[Array]) -> list[Array]:
    """Of the joint at the platform: in the order of the chain, the platform's axis last."""
    k, last = len(leg.joints) - 1, leg.joints[-1]
    if last.kind == "R":
        return [np.array(last.R)]
    if last.kind == "S":
        return []
    axes = [np.array(axis) for axis in last.U or ()]
    return axes if len(axes) == 2 else [_second_axis(axes[0], points, k, False), axes[0]]


def _ball_axes(leg: ChainLeg, k: int, points: list[Array]) -> list[Array]:
    """Of an S joint within a leg. A rod between two S joints does not spin, two axes move it; else three
    do, the last along the rod."""
    if any(joint.kind == "S" for joint in leg.joints[:k]):
        what = "is the second S joint within a leg, and what is between them may spin"
        raise LegFault(("joints", k), f"{what}; use U for one of them")
    way = _way(points, k, True)
    if way is None:
        raise LegFault(("joints", k), "is where the next joint is; a rod has a length")
    other = np.eye(3)[int(np.argmin(np.abs(way)))]
    first = np.cross(way, other)
    first /= np.linalg.norm(first)
    across = [first, np.cross(way, first)]
    return across if leg.joints[-1].kind == "S" else [*across, way]


def _spinless(leg: ChainLeg, k: int, body: Body, points: list[Array]) -> Body:
    """The body behind an S joint without its inertia about the line between the S joints."""
    way = _way(points, k, True)
    assert way is not None
    for later, entry in enumerate(leg.joints[k:-1], start=k):
        whole = _carried(entry.link, points[later])
        off, uneven = asymmetry(whole, points[k], way)
        arm = float(np.linalg.norm(whole.center_of_mass - points[k]))
        if off > SYMMETRIC * max(1.0, arm) or uneven > SYMMETRIC:
            raise LegFault(
                ("joints", later, "link"),
                "is not symmetric about the line between the leg's S joints, about which it may spin;"
                " make it symmetric, or write U for the S within the leg",
            )
    along = way @ body.inertia @ way
    return Body.of(body.mass, body.center_of_mass, body.inertia - along * np.outer(way, way))


def model_faults(model: ParallelModel, places: Sequence[int]) -> Iterator[Found]:
    """Faults that show only when all numbers are known; `places` of the legs in the file.

    Whether the coordinates are the robot's freedoms is found when its mechanism is analyzed.
    """
    for leg, place in zip(model.legs, places, strict=True):
        if any(joint.apart for joint in leg.joints) and not pair_of(leg):
            yield (
                ("legs", place, "joints"),
                f"{leg.name} has apart, which is for two rods side by side: the thin link of a U joint"
                " without friction that goes to a U joint at the platform with the same outer axis."
                " Write the leg so, or leave apart out",
            )
        if _is_singular(_home_jacobian(leg, model)):
            yield (
                ("legs", place, "joints"),
                f"{leg.name} is at a serial singularity at home: its joints do not move the point where"
                " it holds the platform in independent directions (a stretched or folded leg, or a joint"
                " whose axis passes through that point). Choose another home, or move the joints",
            )
    actuators, d = len(model.actuators), model.dof
    if actuators < d:
        names = listed(joint.name for joint in model.actuators) or "none"
        yield (
            ("legs",),
            f"{actuators} joints are actuated ({names}) for {d} coordinates"
            f" ({listed(model.coordinates)}); allowed: at least {d}. Add actuated: true"
            " to joints, or declare fewer coordinates",
        )


def _home_jacobian(leg: ParallelLeg, model: ParallelModel) -> Array:
    """Of the equations that close the leg, at home, lengths by the machine's size."""
    tip = model.home[:3] if leg.frame else leg.end.at
    size, columns = model.size(), []
    for joint in leg.joints:
        angular = joint.axis if joint.is_revolute else np.zeros(3)
        # A slide is measured in units of the machine's size.
        linear = _moved(joint, tip) * (1 / size if joint.is_revolute else 1.0)
        columns.append(np.concatenate([linear, angular] if leg.frame else [linear]))
    return np.array(columns).T


def parallel_document(model: ParallelModel) -> Plain:
    """What a robot file says of this robot, as plain data; legs are written out."""
    head = head_of(model, [model.platform, *(joint.body for joint in model.joints)])
    return written(
        ParallelFile(
            **head,
            coordinates=model.coordinates,
            parasitic=model.parasitic,
            home=model.home,
            platform=model.platform,
            legs=tuple(map(_written_leg, model.legs)),
        )
    )


def _written_leg(leg: ParallelLeg) -> ChainLeg:
    groups = grouped(leg.joints, UNIVERSAL)
    joints = [_written_joint(leg, group, k) for k, group in enumerate(groups, start=1)]
    end, at = leg.end, _row(leg.end.at)
    if end.kind == "spherical":
        joints.append(ChainJoint(S=True, at=at, viscous=end.viscous))
    elif end.kind == "universal":
        joints.append(ChainJoint(U=tuple(map(_row, end.axes)), at=at))
    elif end.kind == "revolute":
        joints.append(ChainJoint(R=_row(end.axes[0]), at=at))
    for cone in leg.cones:
        places = [k for k, each in enumerate(joints) if each.at == _row(cone.at) and (each.U or each.S)]
        k = places[-1 if cone.at_platform else 0]
        joints[k] = replace(joints[k], cone=ConeLimit(cone.angle, _row(cone.axis)))
    # A slide at the platform closes by six equations anyway.
    framed = leg.frame and leg.joints[-1].is_revolute
    return ChainLeg(name=leg.name, frame=framed, joints=tuple(joints))


def _row(v: Array) -> q.Vector:
    x, y, z = (float(item) + 0.0 for item in v)  # no -0.0
    return x, y, z


def _written_joint(leg: ParallelLeg, joints: tuple[LegJoint, ...], number: int) -> ChainJoint:
    """A single joint, or both axes of a universal one, with its name if it is not the usual one."""
    first, last = joints[0], joints[-1]
    own = first.name.removeprefix(f"{leg.name} ")
    if len(joints) == 2:
        kind, axes, own = "U", tuple(_row(joint.axis) for joint in joints), own[:-1]
    else:
        kind, axes = JOINT_LETTERS[last.kind], _row(last.axis)  # type: ignore[assignment]
    rotor, friction = without_drive(last.rotor, last.friction, last.drive)
    return ChainJoint(
        **{kind: axes},  # type: ignore[arg-type]
        name=None if own == f"{kind}{number}" else own,
        at=_row(last.at),
        actuated=last.actuated,
        rotor=rotor,
        drive=last.drive,
        viscous=friction.viscous,
        coulomb=friction.coulomb,
        offset=friction.offset,
        limits=None if last.limits == Limits() else last.limits,
        cross=_written_body(first.body) if len(joints) == 2 else None,
        link=_written_body(last.body),
        apart=last.apart,
    )


def _written_body(body: Body) -> DrawnBody | None:
    if body.is_nothing:
        return None
    return DrawnBody(mass=body.mass, center_of_mass=_row(body.center_of_mass), inertia=body.inertia)
