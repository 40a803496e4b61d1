"""How far a plan has come: which bodies are placed, in which groups, and what that makes known."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from linkwork.mechanics.mechanism.closures import Closure
from linkwork.mechanics.mechanism.planning.analysis import Analysis
from linkwork.mechanics.mechanism.planning.placement_plan import (
    AxisGroup,
    PlacementBlock,
    Placing,
    Terms,
    common_group,
    home_jacobian,
    spinning_bodies,
    unknown_columns,
)
from linkwork.mechanics.mechanism.planning.spanning import AXES, home_pose
from linkwork.model.geometry import Array
from linkwork.model.joint import Friction
from linkwork.model.mechanism import BASE, POSE, MechanismJoint, MechanismJointKind, MechanismModel

PARALLEL = 1e-9


@dataclass
class Progress:
    """Bodies placed so far. Groups are made as bodies need them."""

    model: MechanismModel
    analysis: Analysis
    groups: list[AxisGroup] = field(default_factory=list)
    blocks: list[PlacementBlock] = field(default_factory=list)
    placed: dict[str, Placing | None] = field(default_factory=lambda: {BASE: None})
    used: set[str] = field(default_factory=set)  # joints that place bodies
    known: list[str] = field(default_factory=list)  # coordinates that others may follow
    doubtful: bool = False  # whether a relation was found that is not exact

    def __post_init__(self) -> None:
        # Rates of a body that turns freely are angular velocities: nothing follows its angles.
        self.known = [c.name for c in self.model.coordinates if c.of not in spinning_bodies(self.model)]

    def add(self, block: PlacementBlock) -> None:
        self.blocks.append(block)
        for placing in block.placings:
            self.placed[placing.body] = placing
            self.used.add(placing.joint)
            free = placing.kind == "pose" and placing.body in spinning_bodies(self.model)
            for name in placing.names:
                if name not in self.known and name in self.analysis.samples.values and not free:
                    self.known.append(name)

    @cached_property
    def coordinates(self) -> set[str]:
        return {each.name for each in self.model.coordinates}

    @cached_property
    def posed(self) -> dict[str, str]:
        return {c.of: c.relative_to for c in self.model.coordinates if c.pose is not None}

    def open(self, kinds: Iterable[str]) -> Iterator[tuple[MechanismJoint, str, str, float]]:
        """Joint, host, body, sense of every joint that could place a body now."""
        for joint in self.model.joints:
            a, b = joint.joins
            if joint.kind in kinds and (a in self.placed) != (b in self.placed):
                yield (joint, a, b, 1.0) if a in self.placed else (joint, b, a, -1.0)

    def neighbors(self, body: str, kinds: Iterable[str]) -> Iterator[tuple[MechanismJoint, str]]:
        for joint in self.model.joints:
            if body in joint.joins and joint.kind in kinds:
                a, b = joint.joins
                yield joint, b if a == body else a

    def depth(self, body: str) -> int:
        depth, placing = 0, self.placed[body]
        while placing is not None:
            depth, placing = depth + 1, self.placed[placing.host]
        return depth

    def pose_terms(self, body: str) -> tuple[Terms | None, ...]:
        found: list[Terms | None] = []
        for k, name in enumerate(f"{body}.{each}" for each in POSE):
            if k > 2 and self.model.part(body).point:
                found.append(())
                continue
            found.append(((name, 1.0),) if name in self.coordinates else self.terms_of(name))
        return tuple(found)

    def terms_of(self, name: str) -> Terms | None:
        if name not in self.analysis.samples.values:
            return None
        relation = self.analysis.relation(name, self.known)
        if relation is None:
            return None
        self.doubtful |= not relation.exact
        return relation.terms

    def sees(self, placing: Placing, joins: tuple[str, str]) -> bool:
        """Whether the root of a body's group carries both bodies, so that its axes serve."""
        common = common_group(self.groups, {**self.placed, placing.body: placing}, *joins)
        return common is not None and self.groups[common].root == self.groups[placing.group].root

    def placing(
        self, joint: MechanismJoint, host: str, body: str, sense: float, terms: tuple[Terms | None, ...]
    ) -> Placing:
        kind = {"revolute": "turn", "prismatic": "slide"}.get(joint.kind, "weld")
        axis = joint.axes[0] if kind != "weld" else AXES[2]
        group = self._group(host, body, kind, axis, joint.at)
        way = float(np.sign(self.groups[group].C[:, 2] @ axis)) if kind == "turn" else 1.0
        return Placing(body, host, group, kind, joint.name, axis, joint.at, sense, terms, way)

    def posed_placing(self, body: str, host: str, terms: tuple[Terms | None, ...]) -> Placing:
        frame = self.model.part(body).frame
        C = np.eye(3) if host == BASE else self.model.part(host).frame.R
        seen_from = np.zeros(3) if host == BASE else self.model.part(host).frame.p
        group = self._grouped(host, C, seen_from, False)
        home = home_pose(self.model, body, host)
        return Placing(body, host, group, "pose", body, C[:, 2], frame.p, 1.0, terms, 1.0, home)

    def _group(self, host: str, body: str, kind: str, axis: Array, at: Array) -> int:
        carrier = self.placed.get(host)
        own = None if carrier is None else carrier.group
        if kind != "turn":
            if own is not None:
                return own
            ahead = self._turn_beyond(body, {host})
            if ahead is None:
                return self._grouped(host, np.eye(3), at, False)
            axis, at = ahead
        elif own is not None:
            z = self.groups[own].C[:, 2]
            if self.groups[own].turning and np.linalg.norm(np.cross(z, axis)) < PARALLEL:
                return own
        for k, group in enumerate(self.groups):
            parallel = np.linalg.norm(np.cross(group.C[:, 2], axis)) < PARALLEL
            if group.root == host and group.turning and parallel:
                return k
        z = axis if axis[int(np.argmax(np.abs(axis)))] > 0 else -axis
        x = self._x_axis(host, body, z)
        origin = self._origin(host, z, at)
        return self._grouped(host, np.stack([x, np.cross(z, x), z], axis=1), origin, True)

    def _grouped(self, root: str, C: Array, origin: Array, turning: bool) -> int:
        for k, group in enumerate(self.groups):
            if group.root == root and not turning and not group.turning:
                return k
        self.groups.append(AxisGroup(root, C, origin, turning))
        return len(self.groups) - 1

    def _turn_beyond(self, body: str, seen: set[str]) -> tuple[Array, Array] | None:
        """The first turn that a sliding body carries."""
        for joint, other in self.neighbors(body, ("revolute", "prismatic")):
            if other in seen or other in self.placed:
                continue
            if joint.kind == "revolute":
                return joint.axes[0], joint.at
            ahead = self._turn_beyond(other, seen | {body})
            if ahead is not None:
                return ahead
        return None

    def _x_axis(self, host: str, body: str, z: Array) -> Array:
        """Along the common normal with the axis before, or with one that comes next."""
        carrier = self.placed.get(host)
        others = []
        if carrier is not None and self.groups[carrier.group].turning:
            others = [self.groups[carrier.group].C[:, 2]]
        elif carrier is None:
            others = [
                joint.axes[0]
                for joint, other in self.neighbors(body, ("revolute",))
                if other not in self.placed
            ]
        for other in others:
            normal = np.cross(other, z)
            if np.linalg.norm(normal) > 1e-6:
                return _tidied(normal / np.linalg.norm(normal))
        return _tidied(_nearest_normal(z))

    def _origin(self, host: str, z: Array, at: Array) -> Array:
        """The point of an axis nearest to where its host was placed."""
        carrier = self.placed.get(host)
        near = np.zeros(3) if carrier is None else carrier.at
        return at + z * float(z @ (near - at))

    def square(self, placings: tuple[Placing, ...], closures: tuple[Closure, ...]) -> bool:
        J = self.jacobian(list(placings), list(closures))
        return bool(np.abs(np.linalg.det(J)) > 1e-6)

    def jacobian(self, placings: list[Placing], closures: list[Closure]) -> Array:
        """Rates of closures per unit rates of unknowns, at home, in units of the machine's size."""
        placed = {**self.placed, **{placing.body: placing for placing in placings}}
        columns = unknown_columns(placings)
        return home_jacobian(self.groups, placed, closures, columns, self.model.size, scaled=True)


def _nearest_normal(z: Array) -> Array:
    """The axis of the base that is most across z, made normal to it."""
    k = int(np.argmin(np.abs(z)))
    order = [(int(np.argmax(np.abs(z))) + 1 + j) % 3 for j in range(2)]
    k = next((j for j in order if abs(z[j]) < 1e-12), k)
    x = AXES[k] - z * z[k]
    return x / np.linalg.norm(x)


def _tidied(v: Array) -> Array:
    """Components that are zero or one but for rounding, made so."""
    v = np.where(np.abs(v) < 1e-15, 0.0, v)
    return np.where(np.abs(np.abs(v) - 1) < 1e-15, np.sign(v), v)


def with_points_held(model: MechanismModel) -> MechanismModel:
    """Joints of points made balls; one of them holds the point, unless it has a pose of its own."""
    points = {part.name for part in model.parts if part.point}
    if not points:
        return model
    held = {each.of for each in model.coordinates if each.pose is not None}
    joints: list[MechanismJoint] = []
    for joint in model.joints:
        ends = points.intersection(joint.joins)
        if not ends or joint.kind not in ("revolute", "universal", "spherical"):
            joints.append(joint)
            continue
        kind: MechanismJointKind = "spherical" if ends <= held else "fixed"
        held |= ends
        joints.append(replace(joint, kind=kind, axes=(), friction=Friction(), rotor=0.0, spring=None))
    return replace(model, joints=tuple(joints))
