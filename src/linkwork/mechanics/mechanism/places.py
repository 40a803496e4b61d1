"""Bodies, rods and cylinders of a mechanism in base axes: where they are and how they move."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np

from linkwork.mechanics.expressions import SX, cross, number, times, zeros
from linkwork.mechanics.mechanism.plan import root_chain
from linkwork.mechanics.mechanism.state import State, clean
from linkwork.mechanics.mechanism.struts import Strut
from linkwork.robots.geometry import Array, Transform
from linkwork.robots.mechanism import BASE, Cylinder, Rod


@dataclass(frozen=True)
class Displacement:
    """Of a body from home, and how it moves: points r at home are at R r + p.

    v and a are velocity and acceleration of the point that is at the base's origin at home.
    """

    R: SX
    p: SX
    v: SX
    a: SX
    w: SX
    al: SX

    def point(self, r: Array) -> SX:
        return times(self.R, number(r)) + self.p

    def frame(self, frame: Transform) -> tuple[SX, SX]:
        """Rotation and place of a frame that is fixed in the body, given at home."""
        return times(self.R, number(frame.R)), self.point(frame.p)

    def velocity(self, r: Array) -> SX:
        return self.v + cross(self.w, times(self.R, number(r)))

    def acceleration(self, r: Array) -> SX:
        arm = times(self.R, number(r))
        return self.a + cross(self.al, arm) + cross(self.w, cross(self.w, arm))

    def twist(self, r: Array) -> SX:
        return ca.vertcat(self.velocity(r), self.w)


STILL = Displacement(SX.eye(3), zeros(3), *(zeros(3),) * 4)
ORIGIN = np.zeros(3)


def displaced(state: State, body: str) -> Displacement:
    """A body of a state, seen from the base."""
    if body == BASE:
        return STILL
    plan = state.plan
    chain = root_chain(plan.groups, {BASE: None, **plan.of_body}, body)
    outer = plan.of_body[chain[-2]].group
    group, own = plan.groups[outer], plan.groups[plan.of_body[body].group]
    seen = state.view(body, ORIGIN, outer)
    C = number(clean(group.C))
    R = times(times(C, seen.R.R), number(clean(own.C.T)))
    moving = (times(C, each) for each in (seen.v, seen.a, seen.w, seen.al))
    return Displacement(R, times(C, seen.p) + number(group.origin), *moving)


def axes_of(state: State, group: int | None) -> SX:
    """From a group's axes to those of the base."""
    if group is None:
        return SX.eye(3)
    there = state.plan.groups[group]
    return times(displaced(state, there.root).R, number(clean(there.C)))


def strut_axes(state: State, strut: Rod | Cylinder) -> tuple[SX, SX, SX]:
    """Axes of a rod or cylinder, along it first, as columns in base axes; its start and its end."""
    here = Strut(strut, state)
    _, _, s, y, z, _ = here.frame
    T = times(axes_of(state, here.ends[0].group), ca.horzcat(s, y, z))
    start = displaced(state, strut.joins[0]).point(strut.start)
    return T, start, displaced(state, strut.joins[1]).point(strut.end)
