"""How groups and bodies move: absolutely in a group's axes, as forces need it, and in base axes."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np

from linkwork.mechanics.expressions import (
    SX,
    acceleration_operator,
    cross,
    number,
    squared,
    times,
    zeros,
)
from linkwork.mechanics.mechanism.planning.placement_plan import root_chain
from linkwork.mechanics.mechanism.state import MechanismState, SeenPoint, clean
from linkwork.model.geometry import Array, Transform
from linkwork.model.mechanism import BASE, Cylinder, Rod

Root = tuple[SX, SX, SX]  # angular velocity, angular acceleration, acceleration less gravity


class AbsoluteMotion:
    """A state in motion with the absolute motion of its groups' roots."""

    def __init__(self, state: MechanismState, gravity: SX, base_motion: SX | None = None) -> None:
        self.state = state
        self.plan = state.plan
        self.gravity = gravity
        self.base_motion = base_motion
        self._roots: dict[int, Root] = {}

    def root(self, group: int) -> Root:
        """Of the root of a group at the group's origin, in the group's axes."""
        if group not in self._roots:
            self._roots[group] = self._root(group)
        return self._roots[group]

    def _root(self, group: int) -> Root:
        there = self.plan.groups[group]
        if there.root == BASE:
            C = number(there.C).T
            if self.base_motion is None:
                return zeros(3), zeros(3), -times(C, self.gravity)
            w, al = self.base_motion[0:3], self.base_motion[3:6]
            o = number(there.origin)
            a = self.base_motion[6:9] + cross(al, o) + cross(w, cross(w, o)) - self.gravity
            return times(C, w), times(C, al), times(C, a)
        state, body = self.state, there.root
        w, al, A = self.body(body)
        turn, K = state.turns[body], number(state.step(group)).T
        rho = turn.out(state.offset_in(body, there.origin))
        A = A + cross(al, rho) + squared(w, rho)
        return tuple(times(K, turn.back(each)) for each in (w, al, A))  # type: ignore[return-value]

    def body(self, body: str) -> Root:
        """Of a body at its origin, in the axes of its group."""
        state = self.state
        none = zeros(3)
        return self._moved(
            state.plan.of_body[body].group,
            state.p[body],
            *(of.get(body, none) for of in (state.v, state.a, state.w, state.al)),
        )

    def in_body(self, body: str) -> Root:
        """Of a body at its origin, in its own axes: those that its group has at home."""
        if body == BASE:
            if self.base_motion is None:
                return zeros(3), zeros(3), -self.gravity
            w, al, a = (self.base_motion[k : k + 3] for k in (0, 3, 6))
            return w, al, a - self.gravity
        turn = self.state.turns[body]
        w, al, A = self.body(body)
        return turn.back(w), turn.back(al), turn.back(A)

    def absolute(self, view: SeenPoint) -> Root:
        """Of a viewed point, in the axes of the view."""
        if view.group is None:
            return zeros(3), zeros(3), -self.gravity
        return self._moved(view.group, view.p, view.v, view.a, view.w, view.al)

    def of_ends(self, strut: Rod | Cylinder) -> tuple[SX, SX]:
        """Accelerations of both ends less gravity."""
        start, end = (self.absolute(view)[2] for view in self.state.both(strut))
        return start, end

    def _moved(self, group: int, p: SX, v: SX, a: SX, w_rel: SX, al_rel: SX) -> Root:
        w, al, A = self.root(group)
        if w.is_zero() and al.is_zero():
            return w_rel, al_rel, A + a
        moved = A + times(acceleration_operator(w, al), p) + 2 * cross(w, v) + a
        return w + w_rel, al + al_rel + cross(w, w_rel), moved


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


def displaced(state: MechanismState, body: str) -> Displacement:
    """A body of a state, seen from the base."""
    if body == BASE:
        return STILL
    plan = state.plan
    chain = root_chain(plan.groups, plan.placed, body)
    outer = plan.of_body[chain[-2]].group
    group, own = plan.groups[outer], plan.groups[plan.of_body[body].group]
    seen = state.view(body, ORIGIN, outer)
    C = number(clean(group.C))
    R = times(times(C, seen.R.R), number(clean(own.C.T)))
    moving = (times(C, each) for each in (seen.v, seen.a, seen.w, seen.al))
    return Displacement(R, times(C, seen.p) + number(group.origin), *moving)


def axes_of(state: MechanismState, group: int | None) -> SX:
    """From a group's axes to those of the base."""
    if group is None:
        return SX.eye(3)
    there = state.plan.groups[group]
    return times(displaced(state, there.root).R, number(clean(there.C)))
