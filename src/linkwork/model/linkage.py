"""Links and joints as other formats have them, drawn at home, and the mechanism that they are.

Such a format declares no coordinates: it has a graph of bodies and joints, which may branch and close
loops. The coordinates are chosen here from the mobility of the graph at home, driven joints first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from linkwork.files.faults import Fault, FaultyError, listed
from linkwork.model.geometry import Array, Body, Transform
from linkwork.model.joint import STANDARD_GRAVITY
from linkwork.model.mechanism import (
    BASE,
    POSE,
    Coordinate,
    Coupling,
    Cylinder,
    Joins,
    MechanismJoint,
    MechanismModel,
    Motor,
    Part,
    PointSpring,
    driven_names,
)

INDEPENDENT = 1e-8  # of the largest singular value: below, constraints depend on each other
MOST_NAMED = 5


@dataclass(frozen=True, eq=False)
class Linkage:
    """Bodies and what joins them, at home in base axes.

    `floating` bodies have six freedoms of their own against the base. `tool` is the frame at which
    wrenches act.
    """

    name: str
    parts: tuple[Part, ...]
    joints: tuple[MechanismJoint, ...]
    floating: tuple[str, ...] = ()
    couplings: tuple[Coupling, ...] = ()
    motors: tuple[Motor, ...] = ()
    cylinders: tuple[Cylinder, ...] = ()
    springs: tuple[PointSpring, ...] = ()
    tool: tuple[str, Transform] | None = None
    gravity: Array = field(default_factory=lambda: STANDARD_GRAVITY)
    source: str = ""


def mechanism_of(linkage: Linkage) -> MechanismModel:
    """The mechanism with independent coordinates; FaultyError if a body hangs on nothing."""
    model = MechanismModel(
        name=linkage.name,
        parts=linkage.parts,
        coordinates=(),
        joints=linkage.joints,
        cylinders=linkage.cylinders,
        springs=linkage.springs,
        couplings=linkage.couplings,
        motors=linkage.motors,
        tool=linkage.tool,
        gravity=linkage.gravity,
        source=linkage.source,
        angle_unit="rad",
        order=(*(each.name for each in linkage.joints), *(each.name for each in linkage.cylinders)),
    )
    return replace(model, coordinates=_independent(model, linkage.floating))


def crossed(joint: MechanismJoint, cross: str) -> tuple[Part, tuple[MechanismJoint, ...]]:
    """A universal joint as two revolute ones, with a cross between them that has no mass."""
    a, b = joint.joins
    part = Part(cross, Body(), Transform.of(None, joint.at))
    ends: tuple[Joins, Joins] = ((a, cross), (cross, b))
    turns = (
        replace(joint, name=f"{joint.name} {k}", kind="revolute", joins=joins, axes=(axis,))
        for k, (joins, axis) in enumerate(zip(ends, joint.axes, strict=True), 1)
    )
    return part, tuple(turns)


class Freedom(NamedTuple):
    """One way in which a joint lets its second body move against the first."""

    coordinate: Coordinate
    screw: Array  # angular velocity, and velocity of the point at the base's origin


class Edge(NamedTuple):
    """What joins two bodies, with the freedoms that it leaves."""

    joins: Joins
    freedoms: tuple[Freedom, ...]
    driven: bool = False


def _independent(model: MechanismModel, floating: Sequence[str]) -> tuple[Coordinate, ...]:
    """Coordinates that determine all others: driven joints where possible, in the order of the file."""
    edges = list(_edges(model, floating))
    tree, closing = _spanning(model, edges)
    freedoms = [freedom for edge in tree for freedom in edge.freedoms]
    motions = _motions(model, tree, freedoms)
    A = _constraints(model, closing, motions, freedoms)
    rank = _rank(A)
    dependent = list(range(len(freedoms)))
    driven = driven_names(model)
    choices = [
        (freedom.coordinate.of not in driven, freedom.coordinate.pose is not None)
        for freedom in freedoms
    ]
    for k in sorted(dependent, key=choices.__getitem__):
        others = [other for other in dependent if other != k]
        if _rank(A[:, others]) == rank:
            dependent = others
    return tuple(freedom.coordinate for k, freedom in enumerate(freedoms) if k not in dependent)


def _edges(model: MechanismModel, floating: Sequence[str]) -> Iterator[Edge]:
    driven = driven_names(model)
    for name in floating:
        yield Edge((BASE, name), tuple(_pose(name, BASE, model.part(name).frame.p, POSE)))
    for joint in model.joints:
        a, b = joint.joins
        if joint.kind == "spherical":
            freedoms = tuple(_pose(b, a, joint.at, POSE[3:]))
        elif joint.kind == "fixed":
            freedoms = ()
        else:
            (axis,) = joint.axes
            freedoms = (Freedom(Coordinate(joint.name), _screw(joint.is_revolute, axis, joint.at)),)
        yield Edge(joint.joins, freedoms, joint.name in driven)


def _pose(body: str, seen_from: str, at: Array, words: Sequence[str]) -> Iterator[Freedom]:
    for word, axis in zip(POSE, (*np.eye(3), *np.eye(3)), strict=True):
        if word in words:
            yield Freedom(Coordinate(body, word, seen_from), _screw(word in POSE[3:], axis, at))


def _screw(turns: bool, axis: Array, at: Array) -> Array:
    still = np.zeros(3)
    return np.concatenate([axis, np.cross(at, axis)] if turns else [still, axis])


def _spanning(model: MechanismModel, edges: Sequence[Edge]) -> tuple[list[Edge], list[Edge]]:
    """Edges that carry every body once, driven joints and few freedoms first, and the rest."""
    group = {name: name for name in (BASE, *(part.name for part in model.parts))}

    def root(name: str) -> str:
        while group[name] != name:
            group[name] = group[group[name]]
            name = group[name]
        return name

    kept = set()
    for k in sorted(range(len(edges)), key=lambda k: (not edges[k].driven, len(edges[k].freedoms))):
        a, b = map(root, edges[k].joins)
        if a != b:
            group[a] = b
            kept.add(k)
    loose = [name for name in group if root(name) != root(BASE)]
    if loose:
        more = f" and {len(loose) - MOST_NAMED} more" if len(loose) > MOST_NAMED else ""
        what = f"no joint connects {listed(loose[:MOST_NAMED])}{more} to the base"
        raise FaultyError([Fault("", f"{what}; add a joint, fixed or free")])
    tree = [edge for k, edge in enumerate(edges) if k in kept]
    return tree, [edge for k, edge in enumerate(edges) if k not in kept]


def _motions(
    model: MechanismModel, tree: Sequence[Edge], freedoms: Sequence[Freedom]
) -> dict[str, Array]:
    """Velocities of every body per freedom, as columns of screws."""
    column = {freedom.coordinate: k for k, freedom in enumerate(freedoms)}
    motions = {BASE: np.zeros((6, len(freedoms)))}
    waiting = list(tree)
    while waiting:
        left = []
        for edge in waiting:
            a, b = edge.joins
            if a not in motions and b not in motions:
                left.append(edge)
                continue
            sign, known, new = (1.0, a, b) if a in motions else (-1.0, b, a)
            moved = motions[known].copy()
            for freedom in edge.freedoms:
                moved[:, column[freedom.coordinate]] += sign * freedom.screw
            motions[new] = moved
        waiting = left
    return motions


def _constraints(
    model: MechanismModel,
    closing: Sequence[Edge],
    motions: dict[str, Array],
    freedoms: Sequence[Freedom],
) -> Array:
    """Rows that hold the loops closed: what a closing joint does not allow, and couplings."""
    rows = [np.zeros((0, len(freedoms)))]
    scale = np.array([1.0, 1.0, 1.0, *[1 / model.size] * 3])
    for edge in closing:
        relative = scale[:, None] * (motions[edge.joins[1]] - motions[edge.joins[0]])
        allowed = np.array([scale * freedom.screw for freedom in edge.freedoms]).reshape(-1, 6)
        _, _, basis = np.linalg.svd(allowed) if len(allowed) else (0, 0, np.eye(6))
        rows.append(basis[len(allowed) :] @ relative)
    place = {freedom.coordinate.name: k for k, freedom in enumerate(freedoms)}
    joints = {edge_freedom.coordinate.name: edge for edge in closing for edge_freedom in edge.freedoms}
    for coupling in model.couplings:
        row = np.zeros(len(freedoms))
        for name, ratio in coupling.terms:
            if name in place:
                row[place[name]] += ratio
            elif name in joints:  # a joint that closes a loop moves as the loop tells
                edge = joints[name]
                (freedom,) = edge.freedoms
                screw = scale * freedom.screw
                relative = scale[:, None] * (motions[edge.joins[1]] - motions[edge.joins[0]])
                row += ratio * screw @ relative / (screw @ screw)
        rows.append(row[None, :])
    return np.vstack(rows)


def _rank(A: Array) -> int:
    sizes = np.linalg.svd(A, compute_uv=False) if A.size else np.zeros(0)
    return int((sizes > INDEPENDENT * max(1.0, sizes.max(initial=0.0))).sum())
