"""Legs as a file writes them, made of single joints: repeated, universal joints as two, with bodies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from linkwork.robots import parallel_schema as schema
from linkwork.robots.arm import Friction, Limits
from linkwork.robots.faults import Path
from linkwork.robots.geometry import SAME, Array, Body, frozen, second_axis
from linkwork.robots.parallel import EndKind, LegEnd, LegJoint, ParallelLeg
from linkwork.robots.validation import Found
from linkwork.rotations import rotation_about

NO_BODY = Body.of(0.0, np.zeros(3), np.zeros((3, 3)))
SYMMETRIC = 1e-9
JOINT_KINDS = {"R": "revolute", "P": "prismatic", "U": "universal", "S": "spherical"}


class LegFault(Exception):
    """A fault of a leg, at a path within it."""

    def __init__(self, path: Path, what: str) -> None:
        self.path, self.what = path, what
        super().__init__(what)


@dataclass(frozen=True)
class Turn:
    """A rotation of the base, which takes a written leg to one of its copies."""

    R: Array

    def vector(self, v: Sequence[float] | Array) -> Array:
        return frozen(self.R @ np.asarray(v, dtype=np.float64))

    def body(self, body: Body) -> Body:
        return Body.of(body.mass, self.R @ body.center_of_mass, self.R @ body.inertia @ self.R.T)


def body_of(link: object, at: Array) -> Body:
    """The body that a file writes, in base axes at home; without a place, at the joint."""
    if link is None:
        return NO_BODY
    start, end = getattr(link, "from"), link.to  # type: ignore[attr-defined]
    mass = link.mass  # type: ignore[attr-defined]
    given = link.inertia  # type: ignore[attr-defined]
    if start is None:
        placed = link.center_of_mass  # type: ignore[attr-defined]
        center = at if placed is None else np.array(placed)
        return Body.of(mass, center, np.zeros((3, 3)) if given is None else given)
    first, last = np.array(start), np.array(end)
    length = float(np.linalg.norm(last - first))
    e = (last - first) / length
    r = link.radius  # type: ignore[attr-defined]
    axial, across = given or solid_rod(mass, length, r)
    along = np.outer(e, e)
    inertia = axial * along + across * (np.eye(3) - along)
    center = first + link.center * (last - first)  # type: ignore[attr-defined]
    return Body.of(mass, center, inertia)


def solid_rod(mass: float, length: float, radius: float) -> tuple[float, float]:
    """Inertia of a solid cylinder about its centre: along its axis, and across."""
    return mass * radius**2 / 2, mass * (3 * radius**2 + length**2) / 12


def expanded(file: schema.ParallelFile) -> tuple[list[ParallelLeg], list[int], list[Found]]:
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


def _leg(leg: schema.Leg, name: str, turn: Turn, parasitic: bool) -> ParallelLeg:
    points = points_of(leg)
    joints: list[LegJoint] = []
    *before, last = leg.joints
    closes = last.kind != "P"
    for k, entry in enumerate(before if closes else leg.joints):
        joints += _simple(leg, k, entry, points, name, turn)
    if not joints:
        raise LegFault(("joints",), "has no joint before the one at the platform; add the leg's joints")
    if not closes:
        return _checked(ParallelLeg(name, tuple(joints), LegEnd("rigid", turn.vector(points[-1])), True))
    k = len(leg.joints) - 1
    at, axes = points[k], _end_axes(leg, points)
    if last.link is not None or last.cross is not None:
        what = "carries nothing: it belongs to the platform; add its mass to platform"
        raise LegFault(("joints", k, "link" if last.link is not None else "cross"), what)
    kinds: dict[str, EndKind] = {"S": "spherical", "U": "universal", "R": "revolute"}
    kind = kinds[last.kind]
    moves = last.actuated or last.rotor or last.coulomb != (0.0, 0.0) or last.limits is not None
    if kind == "spherical":
        if leg.frame or moves:
            what = (
                "an S joint at the platform closes by three equations and has `viscous` only; leave out"
            )
            raise LegFault(("joints", k), f"{what} frame, actuated, rotor, coulomb, limits")
        end = LegEnd(kind, turn.vector(at), (), last.viscous)
        return _checked(ParallelLeg(name, tuple(joints), end))
    end = LegEnd(kind, turn.vector(at), tuple(turn.vector(axis) for axis in axes))
    framed = leg.frame or bool(moves) or last.viscous > 0 or parasitic
    if not framed and not _degenerate(joints, end.at):
        return _checked(ParallelLeg(name, tuple(joints), end))
    tail = _simple_joints(last, k, at, axes, [NO_BODY] * len(axes), name, turn)
    return _checked(ParallelLeg(name, (*joints, *tail), LegEnd("rigid", turn.vector(at)), True))


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


def _degenerate(joints: list[LegJoint], tip: Array) -> bool:
    """Whether three equations of the tip do not determine the joints: all axes through one point."""
    columns = [
        np.cross(joint.axis, tip - joint.at) if joint.is_revolute else joint.axis for joint in joints
    ]
    if len(columns) > 3:
        return True
    values = np.linalg.svd(np.array(columns), compute_uv=False)
    return bool(values[-1] <= 1e-6 * values[0] or values[0] == 0.0)


def points_of(leg: schema.Leg) -> list[Array]:
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
    leg: schema.Leg, k: int, entry: schema.Joint, points: list[Array], name: str, turn: Turn
) -> list[LegJoint]:
    at = points[k]
    link, cross = body_of(entry.link, at), body_of(entry.cross, at)
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
    bodies = [*[cross, NO_BODY][: len(axes) - 1], link]
    return _simple_joints(entry, k, at, axes, bodies, name, turn)


def _simple_joints(
    entry: schema.Joint,
    k: int,
    at: Array,
    axes: Sequence[Array],
    bodies: list[Body],
    name: str,
    turn: Turn,
) -> list[LegJoint]:
    own = entry.name or f"{entry.kind}{k + 1}"
    names = [own] if len(axes) == 1 else [f"{own}{letter}" for letter in "abc"[: len(axes)]]
    limits = Limits() if entry.limits is None else Limits(**dict(entry.limits))
    return [
        LegJoint(
            name=f"{name} {label}",
            kind="prismatic" if entry.kind == "P" else "revolute",
            axis=turn.vector(axis),
            at=turn.vector(at),
            body=turn.body(body),
            actuated=entry.actuated,
            rotor=entry.rotor,
            friction=Friction(entry.viscous, *entry.coulomb),
            limits=limits,
            apart=entry.apart if label == names[-1] else 0.0,
        )
        for label, axis, body in zip(names, axes, bodies, strict=True)
    ]


def _way(points: list[Array], k: int, outwards: bool) -> Array | None:
    """The direction from a joint to the next one at another place (or back to the one before)."""
    others = points[k + 1 :] if outwards else points[k - 1 :: -1] if k else []
    for other in others:
        way = other - points[k] if outwards else points[k] - other
        length = float(np.linalg.norm(way))
        if length > SAME:
            return np.asarray(way / length)
    return None


def _second_axis(axis: Array, points: list[Array], k: int, outwards: bool) -> Array:
    way = _way(points, k, outwards)
    across = None if way is None else second_axis(axis, way)
    if across is None:
        what = "has one axis, and the other, perpendicular to it and to the link, is not determined"
        raise LegFault(("joints", k, "U"), f"{what}; write both: U: [[x, y, z], [x, y, z]]")
    return across


def _universal_axes(leg: schema.Leg, k: int, points: list[Array]) -> list[Array]:
    axes = [np.array(axis) for axis in leg.joints[k].U or ()]
    return axes if len(axes) == 2 else [axes[0], _second_axis(axes[0], points, k, True)]


def _end_axes(leg: schema.Leg, points: list[Array]) -> list[Array]:
    """Of the joint at the platform: in the order of the chain, the platform's axis last."""
    k, last = len(leg.joints) - 1, leg.joints[-1]
    if last.kind == "R":
        return [np.array(last.R)]
    if last.kind == "S":
        return []
    axes = [np.array(axis) for axis in last.U or ()]
    return axes if len(axes) == 2 else [_second_axis(axes[0], points, k, False), axes[0]]


def _ball_axes(leg: schema.Leg, k: int, points: list[Array]) -> list[Array]:
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


def _spinless(leg: schema.Leg, k: int, body: Body, points: list[Array]) -> Body:
    """The body behind an S joint without its inertia about the line between the S joints."""
    for later, entry in enumerate(leg.joints[k:-1], start=k):
        whole = body_of(entry.link, points[later])
        way = _way(points, k, True)
        assert way is not None
        arm = whole.center_of_mass - points[k]
        off = float(np.linalg.norm(np.cross(way, arm))) if whole.mass else 0.0
        across = np.eye(3) - np.outer(way, way)
        cut = across @ whole.inertia @ across
        spread = cut - np.trace(cut) / 2 * across
        products = whole.inertia @ way - way * (way @ whole.inertia @ way)
        size = float(np.abs(whole.inertia).max()) or 1.0
        uneven = max(np.abs(spread).max(), np.abs(products).max()) > SYMMETRIC * size
        if off > SYMMETRIC * max(1.0, float(np.linalg.norm(arm))) or uneven:
            raise LegFault(
                ("joints", later, "link"),
                "is not symmetric about the line between the leg's S joints, about which it may spin;"
                " make it symmetric, or write U for the S within the leg",
            )
    way = _way(points, k, True)
    assert way is not None
    along = way @ body.inertia @ way
    return Body.of(body.mass, body.center_of_mass, body.inertia - along * np.outer(way, way))


def repeated_leg_names(legs: Sequence[ParallelLeg], places: Sequence[int]) -> Iterator[Found]:
    seen: dict[str, int] = {}
    for leg, place in zip(legs, places, strict=True):
        if leg.name in seen:
            what = f"{leg.name!r} is also the name of legs[{seen[leg.name]}]; names must be unique"
            yield ("legs", place, "name"), what
        seen.setdefault(leg.name, place)
