"""Masses as the sweeps use them: moments about each body's origin, moved where they cost the least.

What lies on the axis of a turn belongs to both bodies that share it, and what turns with a slide turns
with its host: such parts of the moments are given to the host, and to the base in the end, where they
need nothing. Rods are two point masses and a coupling; a cylinder's rod gives its mass to its end.
Efforts and mass matrix stay the same; joint reactions need the masses where they are.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import casadi as ca
import numpy as np

from linkwork.mechanics.expressions import (
    SX,
    acceleration_operator,
    congruent,
    cross,
    number,
    skew,
    times,
    turning,
    vector,
)
from linkwork.mechanics.mechanism.orientations import BodyTurn
from linkwork.mechanics.mechanism.planning.placement_plan import PlacementPlan
from linkwork.mechanics.mechanism.state import MechanismState, clean
from linkwork.model.geometry import Array, Body
from linkwork.model.mechanism import BASE, Rod


@dataclass(frozen=True)
class Moments:
    """Mass m, first moment h and J = integral r r' dm about an origin."""

    m: SX
    h: SX
    J: SX

    def __add__(self, other: Moments) -> Moments:
        return Moments(self.m + other.m, self.h + other.h, self.J + other.J)

    def about(self, shift: SX) -> Moments:
        """The same about an origin from which the present one is at `shift`."""
        outer = times(self.h, shift.T)
        J = self.J + outer + outer.T + self.m * times(shift, shift.T)
        return Moments(self.m, self.h + self.m * shift, J)

    def turned(self, C: Array) -> Moments:
        """In other axes: components are C times the present ones."""
        R = number(C)
        return Moments(self.m, times(R, self.h), times(times(R, self.J), R.T))

    def tidy(self) -> Moments:
        return Moments(*(_tidy(each) for each in (self.m, self.h, self.J)))

    @property
    def nothing(self) -> bool:
        return bool(self.m.is_zero() and self.h.is_zero() and self.J.is_zero())

    @property
    def inertia(self) -> SX:
        return ca.trace(self.J) * SX.eye(3) - self.J


NOTHING = Moments(SX(0), SX.zeros(3, 1), SX.zeros(3, 3))


def _tidy(x: SX) -> SX:
    if not x.is_constant():
        return x
    array = np.array(ca.DM(x))
    scale = float(np.abs(array).max()) if array.size else 0.0
    return SX(ca.DM(np.where(np.abs(array) < 1e-15 * scale, 0.0, array)))


def moments_of(body: Body, origin: Array) -> Moments:
    """Of a body drawn in base axes, about a point."""
    inertia, r = number(body.inertia), number(body.center_of_mass) - number(origin)
    J = ca.trace(inertia) / 2 * SX.eye(3) - inertia
    m = SX(body.mass)
    return Moments(m, m * r, J + m * times(r, r.T))


def point_mass(m: float | SX, r: SX) -> Moments:
    return Moments(SX(m), m * r, m * times(r, r.T))


def inertia_matrix(body: Body, origin: Array) -> SX:
    """Inertia of a body about a point, in its own axes."""
    r = number(body.center_of_mass) - number(origin)
    return number(body.inertia) - body.mass * times(skew(r), skew(r))


@dataclass(frozen=True)
class RodMasses:
    """Point masses at both ends and the coupling between their accelerations: exact without spin."""

    start: SX
    between: SX
    end: SX

    @staticmethod
    def of(rod: Rod) -> RodMasses:
        across, L = rod.across, rod.length
        end = across / L**2 + rod.mass * rod.center**2 if L else 0.0
        between = rod.mass * rod.center - end
        return RodMasses(SX(rod.mass - 2 * between - end), SX(between), SX(end))


def true_masses(plan: PlacementPlan, state: MechanismState) -> dict[str, Moments]:
    """Of the bodies alone, where they are, in group axes at home."""
    found = {}
    for part in plan.model.parts:
        origin = plan.origin(part.name)
        C = plan.groups[plan.of_body[part.name].group].C
        found[part.name] = moments_of(part.body, origin).turned(clean(C.T)).tidy()
    return found


def reduced_masses(
    plan: PlacementPlan,
    state: MechanismState,
    tips: Collection[str] = (),
    left: Sequence[tuple[str, Moments]] = (),
) -> dict[str, Moments]:
    """With rods and cylinders' rods, moved toward the base.

    Args:
        tips: bodies that are left out.
        left: moments of those that are given to their hosts.
    """
    found = {placing.body: NOTHING for placing in plan.placings} | true_masses(plan, state)
    found |= dict.fromkeys(tips, NOTHING)
    for host, moments in left:
        if host != BASE:
            found[host] = found[host] + moments

    def add_point(body: str, m: SX, at: Array) -> None:
        if body != BASE:
            found[body] = found[body] + point_mass(m, state.offset_in(body, at))

    for rod in plan.model.rods:
        masses = RodMasses.of(rod)
        add_point(rod.joins[0], masses.start, rod.start)
        add_point(rod.joins[1], masses.end, rod.end)
    for cylinder in plan.model.cylinders:
        add_point(cylinder.joins[1], SX(cylinder.rod.mass), cylinder.end)
    for placing in reversed(plan.placings):
        own = found[placing.body].tidy()
        give = NOTHING
        if placing.kind == "turn":
            J, h = SX.zeros(3, 3), SX.zeros(3, 1)
            h[2], J[2, 2] = own.h[2], own.J[2, 2]
            give = Moments(own.m, h, J)
        elif placing.kind == "slide":
            give = Moments(SX(0), SX.zeros(3, 1), own.J)
        elif placing.kind == "weld":
            give = own
        if placing.kind == "pose":
            found[placing.body] = own
            continue
        found[placing.body] = Moments(own.m - give.m, own.h - give.h, own.J - give.J).tidy()
        if placing.host == BASE:
            continue
        C = plan.groups[placing.group].C
        host_C = plan.groups[plan.of_body[placing.host].group].C
        shift = number(clean(C.T @ (plan.origin(placing.body) - plan.origin(placing.host))))
        if placing.kind == "slide":
            shift = SX.zeros(3, 1)
        found[placing.host] = found[placing.host] + give.about(shift).turned(clean(host_C.T @ C))
    return {body: moments.tidy() for body, moments in found.items()}


def body_need(moments: Moments, turn: BodyTurn, w: SX, al: SX, A: SX) -> tuple[SX, SX]:
    """Force and moment about its origin that a body's motion needs, in group axes."""
    h = turn.out(moments.h)
    if w[0].is_zero() and w[1].is_zero() and al[0].is_zero() and al[1].is_zero():
        thd, fast = al[2], -w[2] * w[2]
        F = moments.m * A + vector(fast * h[0] - thd * h[1], fast * h[1] + thd * h[0], 0)
        J = turned_moments(moments.J, turn)
        Nx = -thd * J[0, 2] - fast * J[1, 2]
        Ny = fast * J[0, 2] - thd * J[1, 2]
        about = moments.J if turn.matrix is None else J  # a turn about z leaves the sum as it is
        Nz = (about[0, 0] + about[1, 1]) * thd
        return F, vector(Nx, Ny, Nz) + cross(h, A)
    U = acceleration_operator(w, al)
    F = moments.m * A + times(U, h)
    if turn.matrix is not None:
        own = acceleration_operator(turn.back(w), turn.back(al))
        return F, turn.out(turning(own, moments.J)) + cross(h, A)
    J = turned_moments(moments.J, turn)
    return F, turning(U, J) + cross(h, A)


def turned_moments(J: SX, turn: BodyTurn) -> SX:
    """T J T' of a symmetric J."""
    if turn.matrix is not None:
        return times(times(turn.matrix, J), turn.matrix.T)
    if turn.pair is None:
        return J
    c, s = turn.pair
    mean, half, cc = (J[0, 0] + J[1, 1]) / 2, (J[0, 0] - J[1, 1]) / 2, c * c - s * s
    double = 2 * c * s
    change = half * cc - J[0, 1] * double
    xy = half * double + J[0, 1] * cc
    xz, yz = c * J[0, 2] - s * J[1, 2], s * J[0, 2] + c * J[1, 2]
    return ca.vertcat(
        ca.horzcat(mean + change, xy, xz),
        ca.horzcat(xy, mean - change, yz),
        ca.horzcat(xz, yz, J[2, 2]),
    )


def spatial(moments: Moments, turn: BodyTurn, extra: SX | None) -> SX:
    """Inertia of a body about its origin in group axes, 6 x 6."""
    h = skew(turn.out(moments.h))
    inertia = moments.inertia
    if turn.matrix is not None or turn.pair is not None:
        inertia = congruent(inertia, turn.R.T)
    matrix = ca.vertcat(ca.horzcat(moments.m * SX.eye(3), -h), ca.horzcat(h, inertia))
    return matrix if extra is None else matrix + extra
