"""Serial tips: rigid chains of coordinates that end a mechanism, by the minimal recursion of arms.

A body belongs to a tip if its coordinate moves it and all beyond it and nothing else. What the tip needs
of its host is one wrench; what the host's motion is to the tip is that of an arm's moving base. The
reduction of the tip's masses leaves some of them at the host, as numbers. Before a tip's reduced
expressions are used they are held against the plain recursion on random states; if they differ, the tip
is left to the general formulation and a warning says so.
"""

from __future__ import annotations

import json
import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import casadi as ca
import numpy as np

from linkwork.mechanics.chain import newton_euler
from linkwork.mechanics.chain.chain import chain_of
from linkwork.mechanics.chain.cheapest import ReductionWarning, operation_plan, own_gravity
from linkwork.mechanics.chain.minimal.common_normals import skeleton
from linkwork.mechanics.chain.minimal.mass_matrix import (
    CompositeMoments,
    composite_bodies,
    composite_inertia,
)
from linkwork.mechanics.chain.minimal.moments import PLACES, moments
from linkwork.mechanics.chain.minimal.operation_plan import Reduced, Situation, realized
from linkwork.mechanics.chain.minimal.recursion import Ends, Recursion
from linkwork.mechanics.chain.minimal.scalars import Scalar, TracedGraph
from linkwork.mechanics.expressions import SX, cross, number, squared, times, zeros
from linkwork.mechanics.mechanism.masses import Moments, body_need
from linkwork.mechanics.mechanism.orientations import BodyTurn
from linkwork.mechanics.mechanism.planning.placement_plan import PlacementPlan, Placing
from linkwork.model.families.arm import ArmModel, Step, serial_joints
from linkwork.model.geometry import Array, Transform
from linkwork.model.mechanism import BASE, tool_frame

SHORTEST = 2  # joints; a single one costs less as a body of its group


@dataclass(frozen=True, eq=False)
class SerialTip:
    """A chain on a host, as an arm whose base is the host: its axes at home, about its origin."""

    host: str
    bodies: tuple[str, ...]
    has_tool: bool  # whether its last frame is the tool's
    arm: ArmModel

    @property
    def names(self) -> tuple[str, ...]:
        """Of the coordinates."""
        return self.arm.joint_names

    @cached_property
    def trusted(self) -> bool:
        """Whether its reduced expressions agree with the plain recursion; a warning says if not."""
        return agrees(self.arm, self.moving, self.inertia, self.host == BASE)

    @cached_property
    def moving(self) -> TipArm:
        """Reduced for inverse dynamics on a host that may move in any way."""
        return TipArm.of(self.arm, Situation(None, standing=False))

    @cached_property
    def standing(self) -> TipArm:
        """Reduced for inverse dynamics on the base that stands, under the mechanism's gravity."""
        return TipArm.of(self.arm, Situation(own_gravity(self.arm)))

    @cached_property
    def inertia(self) -> TipArm:
        """Reduced for the mass matrix."""
        on_base = self.host == BASE
        situation = Situation(own_gravity(self.arm)) if on_base else Situation(None, standing=False)
        return TipArm.of(self.arm, situation, textbook=True)


@lru_cache(maxsize=64)
def tips_of(plan: PlacementPlan) -> tuple[SerialTip, ...]:
    """All tips of a mechanism."""
    return tuple(tip for tip in _alike(_TipSearch(plan).tips()) if tip.trusted)


def _alike(tips: list[SerialTip]) -> list[SerialTip]:
    """Tips that are built alike share the first one's plan, which took a search."""
    found: list[SerialTip] = []
    for tip in tips:
        same = next((other for other in found if _same_build(tip.arm, other.arm)), None)
        if same is not None:
            plan = operation_plan(same.arm, own_gravity(same.arm))
            tip = replace(tip, arm=replace(tip.arm, operation_plan=json.dumps(plan.to_data())))
        found.append(tip)
    return found


def _same_build(one: ArmModel, other: ArmModel) -> bool:
    """Whether two arms have the same joints and links, but for where they stand."""
    a, b = _build(one), _build(other)
    return a.shape == b.shape and np.allclose(a, b, rtol=1e-9, atol=1e-9)


def _build(arm: ArmModel) -> Array:
    steps = skeleton(arm).steps
    rows = [[*step.twist, step.a, step.theta, step.d, step.body.mass] for step in steps[1:]]
    return np.array([[1.0, 0.0, 0.0, 0.0, 0.0, steps[0].body.mass], *rows])


class _TipSearch:
    """Where chains end."""

    def __init__(self, plan: PlacementPlan) -> None:
        self.plan, self.model = plan, plan.model
        self.ties: dict[str, int] = {}
        for tie in (*self.model.ties, *self.model.springs):
            ends = {self.rigid(body) for body in tie.joins}
            if len(ends) == 2:
                for body in ends:
                    self.ties[body] = self.ties.get(body, 0) + 1
        followed = [t for placing in plan.placings for terms in placing.terms for t in terms or ()]
        names = [name for name, _ in followed]
        own = {each.name for each in self.model.coordinates if each.pose is None}
        self.free = {name for name in own if names.count(name) == 1}

    def rigid(self, body: str) -> str:
        """The body that carries what is fixed to it."""
        while body != BASE and self.plan.of_body[body].kind == "weld":
            body = self.plan.of_body[body].host
        return body

    def _carries(self, body: str, ties: int) -> bool:
        """Whether a body is one link of a chain, with so many joints to others."""
        if body == BASE or self.ties.get(body, 0) != ties or self.model.part(body).point:
            return False
        placing = self.plan.of_body[body]
        own = placing.terms == (((placing.name, 1.0),),)
        return placing.kind in ("turn", "slide") and own and placing.name in self.free

    def tips(self) -> list[SerialTip]:
        found = []
        for part in self.model.parts:
            if self.rigid(part.name) == part.name and self._carries(part.name, 1):
                chain = [part.name]
                host = self.rigid(self.plan.of_body[part.name].host)
                while self._carries(host, 2):
                    chain.append(host)
                    host = self.rigid(self.plan.of_body[host].host)
                if len(chain) >= SHORTEST:
                    found.append(self._tip(host, chain[::-1]))
        return found

    def _tip(self, host: str, chain: list[str]) -> SerialTip:
        plan, model = self.plan, self.model
        steps = [self._step(plan.of_body[body]) for body in chain]
        base = Transform()
        if host != BASE:
            base = Transform.of(plan.groups[plan.of_body[host].group].C, plan.origin(host))
        tool, frame = tool_frame(model)
        last = steps[-1][1]
        joints = serial_joints(model, steps, base, frame if tool in last else model.part(last[0]).frame)
        gravity = base.R.T @ model.gravity
        arm = ArmModel(f"{model.name}: {', '.join(chain)}", joints, gravity=gravity)
        bodies = tuple(name for _, names in steps for name in names)
        return SerialTip(host, bodies, tool in last, arm)

    def _step(self, placing: Placing) -> Step:
        joint = next(each for each in self.model.joints if each.name == placing.name)
        axis = placing.sense * joint.axes[0]
        names = [part.name for part in self.model.parts if self.rigid(part.name) == placing.body]
        return replace(joint, axes=(axis,)), tuple(names)


DUST = 1e-14  # of the largest moment of a tip


@dataclass(frozen=True, eq=False)
class TipArm:
    """The numbers of a tip's recursion, and what its reduction left to the host."""

    reduced: Reduced
    left: Moments

    @staticmethod
    def of(arm: ArmModel, situation: Situation, textbook: bool = False) -> TipArm:
        plan = operation_plan(arm, own_gravity(arm))
        if textbook:
            plan = replace(plan, conditions=())
        plan = replace(plan, variant=replace(plan.variant, acceleration=1.0, force=1.0))
        reduced = realized(arm, plan, situation)
        true = [moments(step.body).tolist() for step in reduced.steps]
        difference = _whole(replace(reduced, parameters=true), arm.n) - _whole(reduced, arm.n)
        scale = np.abs(_whole(replace(reduced, parameters=true), arm.n))
        kinds = [scale[:1].max(), *[scale[1:4].max()] * 3, *[scale[4:].max()] * 6]
        difference = np.where(np.abs(difference) < DUST * np.array(kinds), 0.0, difference)
        return TipArm(reduced, _at_host(reduced.base, SX(ca.DM(difference))))

    def needs(
        self, q: SX, qd: SX, qdd: SX, host: tuple[SX, SX, SX], wrench: SX | None
    ) -> tuple[list[SX], SX, SX]:
        """Torques, and force and moment about its origin that the host gives, in the host's axes.

        Args:
            host: its angular velocity, angular acceleration and acceleration less gravity.
            wrench: of the last link on its surroundings, in the last frame.
        """
        robot, traced = self.reduced, TracedGraph()
        R, p = number(robot.base.R), number(robot.base.p)
        w, al, A = host
        at_frame = [times(R.T, each) for each in (w, al, A + cross(al, p) + squared(w, p))]
        force, moment = zeros(3), zeros(3)
        if wrench is not None:
            force = times(number(robot.tip.R), wrench[0:3])
            moment = times(number(robot.tip.R), wrench[3:6]) + cross(number(robot.tip.p), force)
        ends = Ends(*(traced.vector(each) for each in (*at_frame, force, moment)))
        state = (traced.scalars(q), traced.scalars(qd), traced.scalars(qdd))
        function = traced.graph.cosine_sine
        recursion = Recursion(robot.steps, robot.parameters, robot.variant, state, function)
        torques, F, N = recursion.inward(recursion.outward(ends), ends)
        found = traced.expressions([*torques, *F, *N])
        count = len(torques)
        force, moment = (times(R, ca.vertcat(*found[k : k + 3])) for k in (count, count + 3))
        return found[:count], force, moment + cross(p, force)

    def composite(self, q: SX) -> Composite:
        robot, traced = self.reduced, TracedGraph()
        found = composite_inertia(robot, traced.scalars(q), traced.graph.cosine_sine)
        n = len(found.M)
        flat = [value for row in found.M for value in row] + _flat(found.whole)
        flat += [value for wrench in found.wrenches for part in wrench for value in part]
        values = traced.expressions(flat)
        M = ca.reshape(ca.vertcat(*values[: n * n]), n, n)
        whole = _at_host(robot.base, ca.vertcat(*values[n * n : n * n + 10]))
        R, p = number(robot.base.R), number(robot.base.p)
        wrenches = []
        for k in range(n):
            six = ca.vertcat(*values[n * n + 10 + 6 * k : n * n + 16 + 6 * k])
            force = times(R, six[0:3])
            wrenches.append((force, times(R, six[3:6]) + cross(p, force)))
        return Composite(M, whole, wrenches)


@dataclass(frozen=True, eq=False)
class Composite:
    """M of a tip's joints, the whole tip as one body, and what each joint's unit acceleration needs of
    the host, in the host's axes about its origin."""

    M: SX
    whole: Moments
    wrenches: list[tuple[SX, SX]]


def _flat(body: CompositeMoments) -> list[Scalar]:
    return [body.m, *body.first, *body.J]


def _whole(robot: Reduced, n: int) -> Array:
    """All links as one body about frame 0, with every joint at zero: ten numbers."""
    state = [0.0] * n, (), ()
    recursion = Recursion(robot.steps, robot.parameters, robot.variant, state, _cosine_sine)
    return np.array(_flat(composite_bodies(recursion)[0]), dtype=float)


def _cosine_sine(angle: Scalar) -> tuple[Scalar, Scalar]:
    assert isinstance(angle, float)
    return math.cos(angle), math.sin(angle)


def _at_host(base: Transform, ten: SX) -> Moments:
    """Moments that are given in frame 0."""
    J = SX.zeros(3, 3)
    for k, (i, j) in enumerate(PLACES):
        J[i, j] = J[j, i] = ten[4 + k]
    return Moments(ten[0], ten[1:4], J).turned(base.R).about(number(base.p))


STATES = 6
AGREEMENT = 1e-12  # of the largest effort at a joint, or of the host's force or moment
ROUNDING = 1e-14  # of the largest of all
Loads = Callable[[SX, SX, SX, SX], SX]  # of q, qd, qdd and the host's motion


def agrees(arm: ArmModel, moving: TipArm, inertia: TipArm, on_base: bool) -> bool:
    """Whether both reductions of a tip do what the plain recursion does."""
    n = arm.n
    plain, ours = _values(arm, _plain(arm)), _values(arm, _reduced(moving))
    rng = np.random.default_rng(0)
    motions = rng.uniform(-2, 2, (STATES, 3 * n + 9))
    good = _close(np.array([ours(x) for x in motions]), np.array([plain(x) for x in motions]))
    places = rng.uniform(-2, 2, (STATES, n))
    expected = np.array([_by_units(plain, q) for q in places])
    found = np.array([*map(_composite(inertia, n), places)])
    if on_base:  # of which nothing but the joints' own part is used
        expected, found = expected[:, :n, :n], found[:, :n, :n]
    count = expected.shape[1]
    good = good and _close(found.reshape(-1, count), expected.reshape(-1, count))
    if not good:
        warnings.warn(
            f"{arm.name}: the reduced expressions do not agree with the plain recursion to"
            f" {AGREEMENT:.0e}; the general formulation is used. Results are right, only slower.",
            ReductionWarning,
            stacklevel=2,
        )
    return good


def _close(found: Array, expected: Array) -> bool:
    scale = np.abs(expected).max(axis=0)
    return bool((np.abs(found - expected) <= AGREEMENT * scale + ROUNDING * scale.max()).all())


def _values(arm: ArmModel, loads: Loads) -> Callable[[Array], Array]:
    q, qd, qdd = (SX.sym(name, arm.n) for name in ("q", "qd", "qdd"))
    host = SX.sym("host", 9)
    symbols = ca.vertcat(q, qd, qdd, host)
    function = ca.Function("loads", [symbols], [ca.densify(loads(q, qd, qdd, host))])
    return lambda x: np.array(function(x)).ravel()


def _reduced(tip: TipArm) -> Loads:
    """Torques, then force and moment about the host's origin."""

    def loads(q: SX, qd: SX, qdd: SX, host: SX) -> SX:
        moving = host[0:3], host[3:6], host[6:9]
        torques, force, moment = tip.needs(q, qd, qdd, moving, None)
        left = body_need(tip.left, BodyTurn(), *moving)
        return ca.vertcat(*torques, force + left[0], moment + left[1])

    return loads


def _plain(arm: ArmModel) -> Loads:
    def loads(q: SX, qd: SX, qdd: SX, host: SX) -> SX:
        chain = chain_of(arm, q, gravity=zeros(3), base_motion=host)
        pairs = newton_euler.wrenches(chain, qd, qdd)
        torques = [link.along_axis(f, n) for link, (f, n) in zip(chain.links, pairs, strict=True)]
        rotation = chain.links[0].rotation
        force, moment = (times(chain.base_R, rotation.to_parent(each)) for each in pairs[0])
        return ca.vertcat(*torques, force, moment + cross(chain.base_p, force))

    return loads


def _by_units(loads: Callable[[Array], Array], q: Array) -> Array:
    """Inertia of joints and host: loads of unit accelerations from rest, (n + 6, n + 6)."""
    n = len(q)
    rows = []
    for k in [*range(n), *range(n + 6, n + 9), *range(n + 3, n + 6)]:  # A before al, as force, moment
        unit = np.zeros(3 * n + 9)
        unit[:n], unit[2 * n + k] = q, 1.0
        rows.append(loads(unit))
    return np.array(rows)


def _composite(tip: TipArm, n: int) -> Callable[[Array], Array]:
    """The same by the composite, as a function of q."""
    q = SX.sym("q", n)
    found = tip.composite(q)
    result = SX.zeros(n + 6, n + 6)
    result[:n, :n] = found.M
    for k, wrench in enumerate(found.wrenches):
        result[k, n:] = ca.vertcat(*wrench).T
        result[n:, k] = ca.vertcat(*wrench)
    for k in range(6):
        unit = zeros(6)
        unit[k] = 1
        need = body_need(found.whole + tip.left, BodyTurn(), zeros(3), unit[3:6], unit[0:3])
        result[n:, n + k] = ca.vertcat(*need)
    function = ca.Function("inertia", [q], [ca.densify(result)])
    return lambda x: np.array(function(x))
