"""What acts on a mechanism besides its motion, and where: gravity, base motion, tool."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import casadi as ca

from linkwork.mechanics.bodies import CompositeBody
from linkwork.mechanics.expressions import SX, number, times
from linkwork.mechanics.mechanism.inertial import body_need
from linkwork.mechanics.mechanism.masses import Moments
from linkwork.mechanics.mechanism.motion import Motion
from linkwork.mechanics.mechanism.plan import Plan
from linkwork.mechanics.mechanism.state import State, View, clean
from linkwork.mechanics.mechanism.wrenches import Wrenches
from linkwork.robots.mechanism_elements import tool_frame


@dataclass(frozen=True, eq=False)
class Acting:
    """What acts besides the motion: gravity (base axes), base motion, a wrench on the tool, a load."""

    gravity: SX
    base_motion: SX | None = None
    wrench: SX | None = None
    load: CompositeBody | None = None
    friction: bool = True
    rotors: bool = True
    slip: dict[str, SX] | None = None


@dataclass(frozen=True, eq=False)
class Tool:
    """The frame at which a wrench and a load act, both given in its axes at its origin."""

    plan: Plan
    acting: Acting

    def put_wrench(self, wrenches: Wrenches) -> None:
        if self.acting.wrench is not None:
            view = self.view(wrenches.state)
            force, moment = (view.R.out(times(self.axes, self.acting.wrench[k : k + 3])) for k in (0, 3))
            wrenches.add(view, -force, -moment)

    def put_load(self, wrenches: Wrenches, motion: Motion) -> None:
        if self.acting.load is not None:
            view = self.view(wrenches.state)
            wrenches.add(view, *body_need(self.load, view.R, *motion.absolute(view)))

    @property
    def _group(self) -> int:
        return self.plan.of_body[tool_frame(self.plan.model)[0]].group

    def view(self, state: State) -> View:
        """Its origin in the axes of its body's group."""
        body, frame = tool_frame(self.plan.model)
        return state.view(body, frame.p, self._group)

    @cached_property
    def axes(self) -> SX:
        """Its axes at home in those of its body's group."""
        frame = tool_frame(self.plan.model)[1]
        return number(clean(self.plan.groups[self._group].C.T @ frame.R))

    @cached_property
    def load(self) -> Moments:
        """About its origin, in the axes of its body's group at home."""
        load, C = self.acting.load, self.axes
        assert load is not None
        J = ca.trace(load.J) / 2 * SX.eye(3) - load.J
        return Moments(load.m, times(C, load.h), times(times(C, J), C.T))
