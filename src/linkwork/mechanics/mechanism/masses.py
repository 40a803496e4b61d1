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

from linkwork.mechanics.expressions import SX, number, skew, times
from linkwork.mechanics.mechanism.plan import Plan
from linkwork.mechanics.mechanism.state import State, clean
from linkwork.robots.geometry import Array, Body
from linkwork.robots.mechanism import BASE, Rod


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


def true_masses(plan: Plan, state: State) -> dict[str, Moments]:
    """Of the bodies alone, where they are, in group axes at home."""
    found = {}
    for part in plan.model.parts:
        origin = plan.origin(part.name)
        C = plan.groups[plan.of_body[part.name].group].C
        found[part.name] = moments_of(part.body, origin).turned(clean(C.T)).tidy()
    return found


def reduced_masses(
    plan: Plan, state: State, tips: Collection[str] = (), left: Sequence[tuple[str, Moments]] = ()
) -> dict[str, Moments]:
    """With rods and cylinders' rods, moved towards the base.

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


def inertia_matrix(body: Body, origin: Array) -> SX:
    """Inertia of a body about a point, in its own axes."""
    r = number(body.center_of_mass) - number(origin)
    return number(body.inertia) - body.mass * times(skew(r), skew(r))
