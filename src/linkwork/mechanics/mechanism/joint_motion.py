"""Joints and cylinders of a mechanism: how they move, and what efforts at them put on bodies."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import casadi as ca

from linkwork.mechanics.expressions import SX, cross, zeros
from linkwork.mechanics.mechanism.plan import Plan
from linkwork.mechanics.mechanism.spanning import two_normals
from linkwork.mechanics.mechanism.state import State, View
from linkwork.mechanics.mechanism.struts import Strut
from linkwork.mechanics.mechanism.wrenches import Wrenches
from linkwork.robots.mechanism import Cylinder, MechanismJoint


@dataclass(frozen=True, eq=False)
class Joints:
    """Those of a plan, whether they carry bodies, close loops or are cylinders."""

    plan: Plan

    @cached_property
    def elements(self) -> dict[str, MechanismJoint | Cylinder]:
        return {each.name: each for each in self.plan.model.elements}

    @cached_property
    def coordinates(self) -> set[str]:
        return {each.name for each in self.plan.model.coordinates}

    def motion(self, name: str, state: State) -> tuple[SX, SX, SX]:
        """Coordinate from home, rate and acceleration of a joint or cylinder."""
        if name in self.plan.carrying:
            zero = SX(0)
            return (
                state.offset(name),
                state.rates.get(name, zero),
                state.accelerations.get(name, zero),
            )
        element = self.elements[name]
        if isinstance(element, Cylinder):
            strut = Strut(element, state)
            Ld, Ldd, _, _ = strut.motion
            return strut.frame[0] - element.length, Ld, Ldd
        a, b = state.both(element.joins, element.at, element.at)
        z = state.seen_direction(a, element.axes[0])
        # The axis belongs to both bodies, so that its own turning adds nothing.
        w, al = b.w - a.w, b.al - a.al - cross(a.w, b.w)
        n = element.axes[0]
        return self._closing_angle(element, a, b, state), ca.dot(z, w), ca.dot(z, al) if n.size else al

    def _closing_angle(self, joint: MechanismJoint, a: View, b: View, state: State) -> SX:
        axis = joint.axes[0]
        n, m = two_normals(axis)
        here, there, across = (
            state.seen_direction(b, n),
            state.seen_direction(a, n),
            state.seen_direction(a, m),
        )
        return ca.atan2(ca.dot(across, here), ca.dot(there, here))

    def put_effort(self, wrenches: Wrenches, name: str, effort: SX) -> None:
        """An effort at a joint or cylinder, as needed by both bodies."""
        if name in self.plan.carrying:
            wrenches.felt(name, effort)
            return
        element, state = self.elements[name], wrenches.state
        if isinstance(element, Cylinder):
            if element.name in self.coordinates:
                wrenches.felt(name, effort)
            else:
                Strut(element, state).push(wrenches, effort)
            return
        a, b = state.both(element.joins, element.at, element.at)
        moment = effort * state.seen_direction(a, element.axes[0])
        wrenches.add(b, zeros(3), moment)
        wrenches.add(a, zeros(3), -moment)
