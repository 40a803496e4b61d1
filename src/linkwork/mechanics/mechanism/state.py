"""Where the bodies of a mechanism are and how they move, each in the axes of its group.

Positions p, velocities v and accelerations a of a body's origin are those seen from the root of its
group, w and al are relative to the root too. So what turns in one plane is planar algebra, however its
root moves; the absolute motion of roots is added where forces need it (`dynamics.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import casadi as ca
import numpy as np

from linkwork.core.rotations import cosine_sine
from linkwork.mechanics.expressions import (
    SX,
    Pair,
    cross,
    number,
    rotation_by_pairs,
    squared,
    times,
    vector,
    zeros,
)
from linkwork.mechanics.mechanism.orientations import Angle, Atoms, BodyTurn, added
from linkwork.mechanics.mechanism.planning.placement_plan import (
    PlacementPlan,
    Placing,
    Terms,
    common_group,
    root_chain,
)
from linkwork.mechanics.mechanism.planning.spanning import home_value
from linkwork.model.geometry import Array
from linkwork.model.mechanism import BASE, Cylinder, MechanismJoint, Rod, TwoPoint

Z = number(np.array([0.0, 0.0, 1.0]))


class OriginMotion(NamedTuple):
    """Of a body's origin in its group, and how the body is turned."""

    p: SX
    v: SX
    a: SX
    w: SX
    al: SX
    turn: BodyTurn


RESTING = OriginMotion(*(zeros(3),) * 5, BodyTurn())


@dataclass(frozen=True, eq=False)
class SeenPoint:
    """A point of a body as seen from a group's root, in the group's axes; w and al are the body's.

    Only what is asked for is worked out: closures need positions or velocities alone, some thousand
    times where Newton's method closes loops. This point is fixed on the root; others move in its group,
    or are carried by a root that moves itself.
    """

    body: str
    group: int | None
    lever: SX  # from the body's origin to the point, in the axes of its own group

    @cached_property
    def p(self) -> SX:
        return self.lever

    @cached_property
    def v(self) -> SX:
        return zeros(3)

    @cached_property
    def a(self) -> SX:
        return zeros(3)

    @cached_property
    def w(self) -> SX:
        return zeros(3)

    @cached_property
    def al(self) -> SX:
        return zeros(3)

    @cached_property
    def R(self) -> BodyTurn:
        """From the body's axes at home to the group's."""
        return BodyTurn()


@dataclass(frozen=True, eq=False)
class _MovingPoint(SeenPoint):
    """In the body's own group."""

    origin: OriginMotion

    @cached_property
    def p(self) -> SX:
        return self.origin.p + self.lever

    @cached_property
    def v(self) -> SX:
        return self.origin.v + cross(self.w, self.lever)

    @cached_property
    def a(self) -> SX:
        return self.origin.a + cross(self.al, self.lever) + squared(self.w, self.lever)

    @cached_property
    def w(self) -> SX:
        return self.origin.w

    @cached_property
    def al(self) -> SX:
        return self.origin.al

    @cached_property
    def R(self) -> BodyTurn:
        return self.origin.turn


@dataclass(frozen=True, eq=False)
class _CarriedPoint(SeenPoint):
    """Seen from one root further in: the root of the group in which it is `inner` moves itself.

    Seen from another group on the same root, it is carried by a root that rests.
    """

    inner: SeenPoint
    root: OriginMotion
    start: SX  # of the inner group, from the root's origin
    K: SX  # from the inner group's axes to those of the root's group, at home

    def _lifted(self, vector: SX) -> SX:
        return self.root.turn.out(times(self.K, vector))

    @cached_property
    def _rho(self) -> SX:
        return self.root.turn.out(self.start) + self._lifted(self.inner.p)

    @cached_property
    def _v(self) -> SX:
        return self._lifted(self.inner.v)

    @cached_property
    def _w(self) -> SX:
        return self._lifted(self.inner.w)

    @cached_property
    def p(self) -> SX:
        return self.root.p + self._rho

    @cached_property
    def v(self) -> SX:
        return self.root.v + cross(self.root.w, self._rho) + self._v

    @cached_property
    def a(self) -> SX:
        W, rho = self.root.w, self._rho
        turning = self.root.a + cross(self.root.al, rho) + squared(W, rho)
        return turning + 2 * cross(W, self._v) + self._lifted(self.inner.a)

    @cached_property
    def w(self) -> SX:
        return self.root.w + self._w

    @cached_property
    def al(self) -> SX:
        return self.root.al + self._lifted(self.inner.al) + cross(self.root.w, self._w)

    @cached_property
    def R(self) -> BodyTurn:
        return BodyTurn(matrix=times(self.root.turn.R, times(self.K, self.inner.R.R)))


@dataclass
class Inputs:
    """Values of the coordinates as far as they are given: names to positions, rates, accelerations.

    A body whose three rotations are all coordinates may have a matrix for them, and its angular velocity
    and acceleration in the host's axes in place of derivatives of the angles (`spins`). `guess` is where
    Newton's method begins: unknowns by name, those of home if empty.
    """

    values: dict[str, SX]
    rates: dict[str, SX] = field(default_factory=dict)
    accelerations: dict[str, SX] = field(default_factory=dict)
    matrices: dict[str, SX] = field(default_factory=dict)
    spins: frozenset[str] = frozenset()
    guess: dict[str, SX] = field(default_factory=dict)


@dataclass
class MechanismState:
    """Filled block by block (`blocks.py`). Rates and accelerations that are not given are zero."""

    plan: PlacementPlan
    inputs: Inputs
    atoms: Atoms = field(default_factory=Atoms)
    angles: dict[str, Angle] = field(default_factory=dict)  # absolute in its group, by body
    joint_angles: dict[str, Angle] = field(default_factory=dict)  # of turns, by coordinate
    slides: dict[str, SX] = field(default_factory=dict)  # of slides and poses, from home
    p: dict[str, SX] = field(default_factory=dict)
    turns: dict[str, BodyTurn] = field(default_factory=dict)
    levers: dict[str, SX] = field(default_factory=dict)  # from the host's origin, group axes
    v: dict[str, SX] = field(default_factory=dict)
    w: dict[str, SX] = field(default_factory=dict)
    a: dict[str, SX] = field(default_factory=dict)
    al: dict[str, SX] = field(default_factory=dict)
    rates: dict[str, SX] = field(default_factory=dict)  # of coordinates and joints, by name
    accelerations: dict[str, SX] = field(default_factory=dict)
    guards: list[SX] = field(default_factory=list)

    def __post_init__(self) -> None:
        if not self.atoms.angles:
            homes = self.homes
            for name, value in self.inputs.values.items():
                self.atoms.angles[name] = value - homes[name] if homes.get(name) else value
        self.rates = {**self.inputs.rates, **self.rates}
        self.accelerations = {**self.inputs.accelerations, **self.accelerations}

    @cached_property
    def homes(self) -> dict[str, float]:
        """Values of pose coordinates at home; others count from there."""
        model = self.plan.model
        return {each.name: home_value(model, each) for each in model.coordinates if each.pose}

    def resting(self, inputs: Inputs) -> MechanismState:
        """The same place, where no motion has been worked out yet."""
        return replace(self, inputs=inputs, v={}, w={}, a={}, al={}, rates={}, accelerations={})

    # Coordinates.

    def sum_of(self, terms: Terms, of: Mapping[str, SX]) -> SX:
        return sum((ratio * of[name] for name, ratio in terms if name in of), SX(0))

    def angle_of(self, terms: Terms) -> Angle:
        """A turn that follows other coordinates, as a sum of atoms."""
        total: Angle = {}
        for name, ratio in terms:
            if name in self.joint_angles:
                total = added(total, self.joint_angles[name], ratio)
            elif name in self.inputs.values:
                total = added(total, {name: ratio})
            else:
                self.atoms.angles.setdefault(name, self.slides[name])
                total = added(total, {name: ratio})
        return total

    def offset(self, name: str) -> SX:
        """A coordinate, zero at home."""
        if name in self.joint_angles:
            return self.atoms.angle(self.joint_angles[name])
        return self.slides[name] if name in self.slides else self.atoms.angle_of(name)

    def slide_of(self, terms: Terms) -> SX:
        return sum((ratio * self.offset(name) for name, ratio in terms), SX(0))

    # Struts whose length may be a coordinate.

    def length(self, strut: Rod | Cylinder) -> SX:
        return strut.length + self.inputs.values.get(strut.name, SX(0))

    def length_rate(self, strut: Rod | Cylinder) -> SX:
        return self.inputs.rates.get(strut.name, SX(0))

    def length_acceleration(self, strut: Rod | Cylinder) -> SX:
        return self.inputs.accelerations.get(strut.name, SX(0))

    # Points and directions.

    def offset_in(self, body: str, r: Array) -> SX:
        """A point from a body's origin, in the group's axes at home."""
        C = self.plan.groups[self.plan.of_body[body].group].C
        return number(clean(C.T @ (r - self.plan.origin(body))))

    def both(self, element: TwoPoint | MechanismJoint) -> tuple[SeenPoint, SeenPoint]:
        """Its points on both bodies that it joins, in the axes of the group that carries both."""
        a, b = element.joins
        common = common_group(self.plan.groups, self.plan.placed, a, b)
        if isinstance(element, MechanismJoint):
            return self.view(a, element.at, common), self.view(b, element.at, common)
        return self.view(a, element.start, common), self.view(b, element.end, common)

    def view(self, body: str, r: Array, group: int | None) -> SeenPoint:
        """A point of a body seen from the root of a group, in its axes."""
        plan = self.plan
        if group is None:
            return SeenPoint(body, None, number(r))
        there = plan.groups[group]
        if body == there.root:
            return SeenPoint(body, group, number(clean(there.C.T @ (r - there.origin))))
        origin = self._origin(body)
        lever = origin.turn.out(self.offset_in(body, r))
        here: SeenPoint = _MovingPoint(body, plan.of_body[body].group, lever, origin)
        while plan.groups[here.group].root != there.root:  # type: ignore[index]
            here = self._climbed(here)
        return self._in_axes(here, group)

    def _origin(self, body: str) -> OriginMotion:
        """Its motion as far as that is known by now; the rest is zero."""
        v, a, w, al = (each.get(body, zeros(3)) for each in (self.v, self.a, self.w, self.al))
        return OriginMotion(self.p[body], v, a, w, al, self.turns[body])

    def _climbed(self, point: SeenPoint) -> SeenPoint:
        """The same, seen from one root further in."""
        assert point.group is not None
        group = self.plan.groups[point.group]
        start, K = self.offset_in(group.root, group.origin), number(self.step(point.group))
        outer, root = self.plan.of_body[group.root].group, self._origin(group.root)
        return _CarriedPoint(point.body, outer, point.lever, point, root, start, K)

    def _in_axes(self, point: SeenPoint, group: int) -> SeenPoint:
        """Turned to the axes of another group on the same root."""
        assert point.group is not None
        if point.group == group:
            return point
        here, there = self.plan.groups[point.group], self.plan.groups[group]
        C = number(clean(there.C.T @ here.C))
        shift = number(clean(there.C.T @ (here.origin - there.origin)))
        return _CarriedPoint(point.body, group, point.lever, point, RESTING, shift, C)

    def step(self, group: int) -> Array:
        """K: from a group's axes to those of its root's group, at home."""
        inner = self.plan.groups[group]
        outer = self.plan.groups[self.plan.of_body[inner.root].group]
        return clean(outer.C.T @ inner.C)

    def seen_direction(self, view: SeenPoint, axis: Array) -> SX:
        """A direction that is fixed in the viewed body, in the axes of the view."""
        if view.group is None:
            return number(axis)
        own = self.plan.groups[self._axes_of(view)]
        return view.R.out(number(clean(own.C.T @ axis)))

    def _axes_of(self, view: SeenPoint) -> int:
        """The group in whose axes the body is at home, before it is turned."""
        assert view.group is not None
        if view.body == self.plan.groups[view.group].root:
            return view.group
        return self.plan.of_body[view.body].group

    def downward(self, view: SeenPoint, force: SX) -> SX:
        """A vector in the axes of a view, in those of the body's own group."""
        assert view.group is not None
        plan = self.plan
        root = plan.groups[view.group].root
        chain = root_chain(plan.groups, plan.placed, view.body)
        path = chain[: chain.index(root)]  # the body, ..., the last one before the root
        group = plan.of_body[path[-1]].group
        C = clean(plan.groups[group].C.T @ plan.groups[view.group].C)
        here = force if group == view.group else times(number(C), force)
        for carrier, inner in zip(reversed(path[1:]), reversed(path[:-1]), strict=True):
            K = self.step(plan.of_body[inner].group)
            here = times(number(K).T, self.turns[carrier].back(here))
        return here

    # Placing bodies.

    def put(self, placing: Placing) -> None:
        """Position and orientation of a body whose coordinates are known or solved for."""
        if placing.kind == "pose":
            return self._put_pose(placing)
        body, host, group = placing.body, placing.host, self.plan.groups[placing.group]
        on_root = host == group.root
        base_angle: Angle = {} if on_root else self.angles.get(host, {})
        if placing.kind == "turn":
            name, terms = placing.name, placing.terms[0]
            if terms is None:
                self.angles[body] = {f"{body}|": 1.0}
                change = added(self.angles[body], base_angle, -1.0)
                self.joint_angles[name] = added({}, change, placing.way * placing.sense)
            else:
                own = self.angle_of(terms)
                self.joint_angles[name] = own
                self.angles[body] = added(base_angle, own, placing.way * placing.sense)
            self.turns[body] = self.atoms.turn(self.angles[body])
        else:
            self.angles[body] = base_angle
            self.turns[body] = BodyTurn() if on_root else self.turns[host]
        place = zeros(3) if on_root else self.p[host]
        lever = self.lever(placing)
        self.levers[body] = lever
        self.p[body] = place + lever
        return None

    def host_turn(self, placing: Placing) -> BodyTurn:
        on_root = placing.host == self.plan.groups[placing.group].root
        return BodyTurn() if on_root else self.turns[placing.host]

    def lever(self, placing: Placing) -> SX:
        """From the host's origin (or the group's) to the body's, in group axes."""
        group = self.plan.groups[placing.group]
        turn = self.host_turn(placing)
        if placing.kind == "turn":
            start = group.origin if placing.host == group.root else self.plan.origin(placing.host)
            return turn.out(number(clean(group.C.T @ (self.plan.origin(placing.body) - start))))
        if placing.kind == "weld":
            return zeros(3)
        terms = placing.terms[0]
        if terms is not None:
            self.slides[placing.name] = self.slide_of(terms)
        return self.slide_direction(placing) * self.slides[placing.name]

    def slide_direction(self, placing: Placing) -> SX:
        """Of a body that slides, seen from its host, in group axes."""
        group = self.plan.groups[placing.group]
        axis = placing.sense * clean(group.C.T @ placing.axis)
        return self.host_turn(placing).out(number(axis))

    def _put_pose(self, placing: Placing) -> None:
        """Position in the host's frame; rotation by roll, pitch and yaw, or as it is given."""
        body, home = placing.body, placing.home
        assert home is not None
        group = self.plan.groups[placing.group]
        six = [self._pose_value(placing, k) for k in range(6)]
        seen_from = np.zeros(3) if placing.host == BASE else self.plan.model.part(placing.host).frame.p
        shift = number(clean(group.C.T @ (group.origin - seen_from)))
        self.p[body] = ca.vertcat(*six[:3]) - shift
        R = self.inputs.matrices.get(body)
        if R is None:
            R = rotation_by_pairs(*(self.pose_pair(placing, k) for k in (3, 4, 5)))
        own = self.plan.model.part(body).frame.R
        turn = times(R, number(clean(own.T @ group.C)))
        if turn.is_constant() and np.abs(np.array(ca.DM(turn)) - np.eye(3)).max() < 1e-14:
            self.turns[body] = BodyTurn()
        else:
            self.turns[body] = BodyTurn(matrix=turn)
        self.angles[body] = {}
        self.levers[body] = self.p[body]

    def _pose_value(self, placing: Placing, k: int) -> SX:
        """A pose coordinate as it is, or an angle's offset from home if it is solved for."""
        assert placing.home is not None
        name, terms = placing.names[k], placing.terms[k]
        if terms == ((name, 1.0),):
            self.slides[name] = self.atoms.angles[name]
            return self.inputs.values[name]
        if terms is not None:
            self.slides[name] = self.slide_of(terms)
        elif k > 2:
            return SX(0)
        return placing.home[k] + self.slides[name]

    def pose_pair(self, placing: Placing, k: int) -> Pair:
        """Cosine and sine of roll (3), pitch (4) or yaw (5)."""
        assert placing.home is not None
        name, terms = placing.names[k], placing.terms[k]
        if terms is None:
            return self.atoms.pairs[name]
        if not terms:
            c, s = cosine_sine(float(placing.home[k]))
            return SX(c), SX(s)
        angle = self._pose_value(placing, k)
        return ca.cos(angle), ca.sin(angle)

    def rpy_axes(self, placing: Placing) -> tuple[SX, SX, SX]:
        """Axes of roll, pitch and yaw of a pose, in the group's."""
        (cy, sy), (cz, sz) = (self.pose_pair(placing, k) for k in (4, 5))
        return vector(cz * cy, sz * cy, -sy), vector(-sz, cz, 0), Z

    def is_spin(self, placing: Placing) -> bool:
        """Whether the rotation of a pose is given by angular velocity."""
        return placing.body in self.inputs.spins


def clean(array: Array) -> Array:
    """Without what rounding leaves; expressions as they are."""
    if not isinstance(array, np.ndarray):
        return array
    scale = float(np.abs(array).max()) if array.size else 0.0
    array = np.where(np.abs(array) < 1e-15 * max(scale, 1.0), 0.0, array)
    return np.where(np.abs(np.abs(array) - 1.0) < 1e-15, np.sign(array), array)
