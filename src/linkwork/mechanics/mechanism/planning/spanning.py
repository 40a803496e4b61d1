"""A mechanism as a spanning tree with closures, in numbers: what its analysis samples.

Everything is drawn at home, so a body's place is its displacement from home, and a tree is a product of
the displacements of its joints. Which tree does not matter here: any will do to close the loops.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import casadi as ca
import numpy as np

from linkwork.core.rotations import angles_rpy
from linkwork.mechanics.expressions import SX, cross, number, rotation_rpy, skew, times
from linkwork.model.geometry import Array, Transform
from linkwork.model.mechanism import (
    BASE,
    POSE,
    Coordinate,
    Cylinder,
    MechanismJoint,
    MechanismModel,
    Rod,
)

AXES = tuple(np.eye(3))
# The order in which joints take bodies into the tree, after those that are coordinates.
PRECEDENCE = ("fixed", "prismatic", "revolute", "universal")


@dataclass(frozen=True, eq=False)
class Freedom:
    """One number of the tree: a turn about an axis, or a slide along it."""

    name: str
    turns: bool
    axis: Array
    at: Array


@dataclass(frozen=True, eq=False)
class Edge:
    """How a body hangs on another one in the tree: by a joint, or by its pose (joint is None)."""

    body: str
    host: str
    joint: MechanismJoint | None
    freedoms: tuple[Freedom, ...]
    home: Array | None = None  # of a pose: x y z roll pitch yaw there, seen from the host's frame


@dataclass(frozen=True)
class RigidDisplacement:
    """Of a body from home: points r at home are at R r + p."""

    R: SX
    p: SX

    def point(self, r: Array) -> SX:
        return times(self.R, number(r)) + self.p

    def direction(self, v: Array) -> SX:
        return times(self.R, number(v))

    def __matmul__(self, other: RigidDisplacement) -> RigidDisplacement:
        return RigidDisplacement(times(self.R, other.R), times(self.R, other.p) + self.p)

    def inverse(self) -> RigidDisplacement:
        return RigidDisplacement(self.R.T, -times(self.R.T, self.p))


def turned(axis: Array, at: Array, angle: SX) -> RigidDisplacement:
    """By an angle about an axis through a point (Rodrigues)."""
    K = skew(number(axis))
    R = SX.eye(3) + ca.sin(angle) * K + (1 - ca.cos(angle)) * times(K, K)
    return RigidDisplacement(R, number(at) - times(R, number(at)))


def frame_of(model: MechanismModel, body: str) -> Transform:
    return Transform() if body == BASE else model.part(body).frame


def home_pose(model: MechanismModel, body: str, host: str) -> Array:
    """x y z roll pitch yaw of a body's frame at home, seen from the frame of another one."""
    seen = frame_of(model, host).inverse() @ frame_of(model, body)
    return np.array([*seen.p, *angles_rpy(seen.R)])


def home_value(model: MechanismModel, coordinate: Coordinate) -> float:
    """Of a coordinate: pose coordinates are absolute, all others count from home."""
    if coordinate.pose is None:
        return 0.0
    home = home_pose(model, coordinate.of, coordinate.relative_to)
    return float(home[POSE.index(coordinate.pose)])


def joint_freedoms(joint: MechanismJoint) -> tuple[Freedom, ...]:
    name, at = joint.name, joint.at
    match joint.kind:
        case "revolute" | "prismatic":
            return (Freedom(name, joint.is_revolute, joint.axes[0], at),)
        case "universal":
            return tuple(Freedom(f"{name}.{k}", True, axis, at) for k, axis in enumerate(joint.axes, 1))
        case "spherical":
            return tuple(Freedom(f"{name}.{k}", True, axis, at) for k, axis in enumerate(AXES, 1))
        case _:
            return ()


@dataclass(frozen=True, eq=False)
class Spanning:
    """A tree over all bodies, and what it leaves to be closed."""

    model: MechanismModel
    edges: tuple[Edge, ...]
    closing: tuple[MechanismJoint, ...]

    @staticmethod
    def of(model: MechanismModel) -> Spanning:
        return Spanning(model, *_grown(model))

    @cached_property
    def freedoms(self) -> tuple[Freedom, ...]:
        return tuple(freedom for edge in self.edges for freedom in edge.freedoms)

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(freedom.name for freedom in self.freedoms)

    def displacements(self, q: SX) -> dict[str, RigidDisplacement]:
        """Of all bodies at tree coordinates q, zero at home."""
        found = {BASE: RigidDisplacement(SX.eye(3), SX.zeros(3, 1))}
        place = 0
        for edge in self.edges:
            count = len(edge.freedoms)
            own = q[place : place + count]
            found[edge.body] = found[edge.host] @ _step(self.model, edge, own)
            place += count
        return found

    def residuals(self, at: dict[str, RigidDisplacement]) -> list[SX]:
        """What must vanish for all loops to be closed."""
        model = self.model
        found = [row for joint in self.closing for row in joint_closure(joint, at)]
        found += [row for rod in model.rods for row in rod_closure(rod, at)]
        for cylinder in model.cylinders:
            if cylinder.hinge == "revolute":
                found.append(_plane(cylinder, at))
        for coupling in model.couplings:
            terms = [ratio * self.value(name, at) for name, ratio in coupling.terms]
            found.append(sum(terms[1:], terms[0]))
        return found

    def value(self, name: str, at: dict[str, RigidDisplacement]) -> SX:
        """The coordinate of a joint or cylinder, or one of a pose, zero at home."""
        model = self.model
        for joint in model.joints:
            if joint.name == name:
                return joint_coordinate(joint, at)
        for cylinder in model.cylinders:
            if cylinder.name == name:
                return length_of(cylinder, at) - cylinder.length
        body, pose = name.rsplit(".", 1)
        host = next((c.relative_to for c in model.coordinates if c.of == body and c.pose), BASE)
        place = POSE.index(pose)
        return pose_coordinate(model, body, host, at)[place] - home_pose(model, body, host)[place]

    @cached_property
    def all_names(self) -> tuple[str, ...]:
        """Of all scalar coordinates that a plan may use: joints, cylinders, poses of the tree."""
        joints = [j.name for j in self.model.joints if j.kind in ("revolute", "prismatic")]
        poses = [f.name for edge in self.edges if edge.joint is None for f in edge.freedoms]
        return (*joints, *(c.name for c in self.model.cylinders), *poses)

    @cached_property
    def functions(self) -> tuple[ca.Function, ca.Function]:
        """q -> residuals, Jacobian, c, its Jacobian; q -> values of `all_names`, Jacobian, places."""
        q = SX.sym("q", len(self.freedoms))
        at = self.displacements(q)
        rows = self.residuals(at)
        phi = ca.vertcat(*rows) if rows else SX(0, 1)
        c = ca.vertcat(*[self.value(each.name, at) for each in self.model.coordinates])
        first = ca.Function("closures", [q], [phi, ca.jacobian(phi, q), c, ca.jacobian(c, q)])
        values = ca.vertcat(*[self.value(name, at) for name in self.all_names])
        places = [ca.horzcat(at[part.name].R, at[part.name].p) for part in self.model.parts]
        return first, ca.Function("values", [q], [values, ca.jacobian(values, q), ca.vertcat(*places)])


def _step(model: MechanismModel, edge: Edge, q: SX) -> RigidDisplacement:
    if edge.home is None:
        result = RigidDisplacement(SX.eye(3), SX.zeros(3, 1))
        for k, freedom in enumerate(edge.freedoms):
            if freedom.turns:
                result = result @ turned(freedom.axis, freedom.at, q[k])
            else:
                result = result @ RigidDisplacement(SX.eye(3), number(freedom.axis) * q[k])
        return result
    host, own = frame_of(model, edge.host), frame_of(model, edge.body)
    C = number(host.R)
    if q.numel() == 3:  # a point does not turn
        return RigidDisplacement(SX.eye(3), times(C, q))
    R = times(times(C, rotation_rpy(number(edge.home[3:]) + q[3:6])), number(own.R).T)
    moved = number(own.p) + times(C, q[0:3])
    return RigidDisplacement(R, moved - times(R, number(own.p)))


def joint_closure(joint: MechanismJoint, at: dict[str, RigidDisplacement]) -> Iterator[SX]:
    """Equations of a joint that both bodies share: a common point, axes that stay together."""
    a, b = (at[name] for name in joint.joins)
    gap = times(a.R.T, b.point(joint.at) - a.point(joint.at))
    match joint.kind:
        case "prismatic":
            normals = two_normals(joint.axes[0])
            yield from (ca.dot(number(n), gap) for n in normals)
            R = times(a.R.T, b.R)
            yield from (R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1])
            return
        case "fixed":
            R = times(a.R.T, b.R)
            yield from (R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1])
        case "revolute":
            axis = b.direction(joint.axes[0])
            yield from (ca.dot(a.direction(n), axis) for n in two_normals(joint.axes[0]))
        case "universal":
            first, second = joint.axes
            level = float(first @ second)
            yield ca.dot(a.direction(first), b.direction(second)) - level
    yield from ca.vertsplit(gap)


def rod_closure(rod: Rod, at: dict[str, RigidDisplacement]) -> Iterator[SX]:
    a, b = (at[name] for name in rod.joins)
    S = b.point(rod.end) - a.point(rod.start)
    yield (ca.sumsqr(S) - rod.length**2) / (2 * rod.length)
    if rod.axis is not None and rod.far_axis is not None:  # the rod keeps the twist between both axes
        near, far = cross(a.direction(rod.axis), S), cross(b.direction(rod.far_axis), S)
        s0 = rod.end - rod.start
        n0, f0 = np.cross(rod.axis, s0), np.cross(rod.far_axis, s0)
        length = rod.length
        cosine, sine = n0 @ f0, s0 @ np.cross(n0, f0) / length
        size = float(np.hypot(cosine, sine)) * length
        turn = ca.dot(S, cross(near, far)) * cosine - length * ca.dot(near, far) * sine
        yield turn / (size * length)


def _plane(cylinder: Cylinder, at: dict[str, RigidDisplacement]) -> SX:
    """A cylinder on a pin swings in a plane of its host."""
    a, b = (at[name] for name in cylinder.joins)
    axis = cylinder.axis
    assert axis is not None
    level = float(axis @ (cylinder.end - cylinder.start))
    S = b.point(cylinder.end) - a.point(cylinder.start)
    return ca.dot(a.direction(axis), S) - level


def length_of(strut: Rod | Cylinder, at: dict[str, RigidDisplacement]) -> SX:
    a, b = (at[name] for name in strut.joins)
    return ca.norm_2(b.point(strut.end) - a.point(strut.start))


def joint_coordinate(joint: MechanismJoint, at: dict[str, RigidDisplacement]) -> SX:
    """Of a revolute or prismatic joint whose loop is closed."""
    a, b = (at[name] for name in joint.joins)
    axis = joint.axes[0]
    if not joint.is_revolute:
        return ca.dot(a.direction(axis), b.point(joint.at) - a.point(joint.at))
    n, _ = two_normals(axis)
    here, there = times(a.R.T, b.direction(n)), number(n)
    return ca.atan2(ca.dot(number(axis), cross(there, here)), ca.dot(there, here))


def pose_coordinate(model: MechanismModel, body: str, host: str, at: dict[str, RigidDisplacement]) -> SX:
    """x y z roll pitch yaw of a body's frame, seen from another body's."""
    seen, own, view = at[host].inverse() @ at[body], frame_of(model, body), frame_of(model, host)
    p = times(number(view.R).T, seen.point(own.p) - number(view.p))
    R = times(number(view.R).T, times(seen.R, number(own.R)))
    pitch = ca.atan2(-R[2, 0], ca.sqrt(R[2, 1] ** 2 + R[2, 2] ** 2))
    return ca.vertcat(p, ca.atan2(R[2, 1], R[2, 2]), pitch, ca.atan2(R[1, 0], R[0, 0]))


def two_normals(axis: Array) -> tuple[Array, Array]:
    """Unit vectors that complete an axis to a right-handed frame."""
    other = AXES[int(np.argmin(np.abs(axis)))]
    first = np.cross(axis, other)
    first = first / np.linalg.norm(first)
    return first, np.cross(axis, first)


def _grown(model: MechanismModel) -> tuple[tuple[Edge, ...], tuple[MechanismJoint, ...]]:
    """Edges in an order in which hosts come first, and the joints that are not among them."""
    reached, edges, used = {BASE}, [], set()
    chosen = {each.of for each in model.coordinates if each.pose is None}
    posed = {each.of: each.relative_to for each in model.coordinates if each.pose is not None}

    def hang(joint: MechanismJoint) -> bool:
        a, b = joint.joins
        if (a in reached) == (b in reached):
            return False
        body, host = (b, a) if a in reached else (a, b)
        if body in posed:
            return False
        freedoms = joint_freedoms(joint)
        if body == a:  # seen from b, everything goes the other way
            freedoms = tuple(Freedom(f.name, f.turns, -f.axis, f.at) for f in reversed(freedoms))
        edges.append(Edge(body, host, joint, freedoms))
        used.add(joint.name)
        reached.add(body)
        return True

    def pose(body: str, host: str) -> None:
        home = home_pose(model, body, host)
        view = frame_of(model, host).R
        at = model.part(body).frame.p
        freedoms = tuple(
            Freedom(f"{body}.{name}", k > 2, view[:, k % 3], at)
            for k, name in enumerate(POSE[:3] if model.part(body).point else POSE)
        )
        edges.append(Edge(body, host, None, freedoms, home))
        reached.add(body)

    def grow() -> bool:
        for body, host in posed.items():
            if body not in reached and host in reached:
                pose(body, host)
                return True
        if any(joint.name in chosen and hang(joint) for joint in model.joints):
            return True
        for kind in PRECEDENCE:
            if any(joint.kind == kind and hang(joint) for joint in model.joints):
                return True
        for part in model.parts:  # held by balls, rods and cylinders alone
            if part.name not in reached and part.name not in posed:
                pose(part.name, BASE)
                return True
        return False

    while grow():
        pass
    return tuple(edges), tuple(joint for joint in model.joints if joint.name not in used)
