"""Serial tips: rigid chains of coordinates that end a mechanism, by the minimal recursion of arms.

A body belongs to a tip if its coordinate moves it and all beyond it and nothing else. What the tip needs
of its host is one wrench; what the host's motion is to the tip is that of an arm's moving base. The
reduction of the tip's masses leaves some of them at the host, as numbers.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np

from linkwork.mechanics.arm.minimal.common_normals import skeleton
from linkwork.mechanics.arm.minimal.plan import Situation
from linkwork.mechanics.arm.rigid import own_gravity, plan_of
from linkwork.mechanics.mechanism.plan import Placing, Plan
from linkwork.mechanics.mechanism.tip_agreement import agrees
from linkwork.mechanics.mechanism.tip_arm import TipArm
from linkwork.robots.arm import ArmModel
from linkwork.robots.family_arm import Step, serial_joints
from linkwork.robots.geometry import Array, Transform
from linkwork.robots.mechanism import BASE
from linkwork.robots.mechanism_elements import tool_frame

SHORTEST = 2  # joints; a single one costs less as a body of its group


@dataclass(frozen=True, eq=False)
class Tip:
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
def tips_of(plan: Plan) -> tuple[Tip, ...]:
    """All tips of a mechanism."""
    return tuple(tip for tip in _alike(_Found(plan).tips()) if tip.trusted)


def _alike(tips: list[Tip]) -> list[Tip]:
    """Tips that are built alike share the first one's plan, which took a search."""
    found: list[Tip] = []
    for tip in tips:
        same = next((other for other in found if _same_build(tip.arm, other.arm)), None)
        if same is not None:
            plan = plan_of(same.arm, own_gravity(same.arm))
            tip = replace(tip, arm=replace(tip.arm, plan=json.dumps(plan.to_data())))
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


class _Found:
    """Where chains end."""

    def __init__(self, plan: Plan) -> None:
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

    def tips(self) -> list[Tip]:
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

    def _tip(self, host: str, chain: list[str]) -> Tip:
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
        return Tip(host, bodies, tool in last, arm)

    def _step(self, placing: Placing) -> Step:
        joint = next(each for each in self.model.joints if each.name == placing.name)
        axis = placing.sense * joint.axes[0]
        names = [part.name for part in self.model.parts if self.rigid(part.name) == placing.body]
        return replace(joint, axes=(axis,)), tuple(names)
