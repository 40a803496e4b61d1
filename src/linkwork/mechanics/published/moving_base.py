"""What a base that moves adds to a platform's equations: the inertia of all bodies against its motion.

Relative to the base a body has c, c' and w; in space its mass centre also has a0 + al0 x c
+ w0 x (w0 x c) + 2 w0 x c', and its angular momentum changes by what w0 and al0 add. All in base axes.
Every formulation writes its own w and inertias into this: its equations are linear in forces and
moments, so that what the base adds stands beside what the motion relative to the base needs. Friction
knows relative velocities only. Legs taken without spin (SPS, D) have none relative to the base.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from linkwork.mechanics.expressions import SX, cross, number, times
from linkwork.mechanics.published.legs import Geometry
from linkwork.mechanics.published.state import State


@dataclass(frozen=True)
class InertialLoad:
    """Force, and moment about the mass centre, that one body needs more than on a base at rest."""

    force: SX
    moment: SX


@dataclass(frozen=True)
class CarriedLeg:
    """What both parts of a leg need: together a moment N about the base point, D along the leg."""

    lower: InertialLoad
    upper: InertialLoad
    N: SX
    D: SX


def inertial_load(mass: float, inertia: SX, center: SX, velocity: SX, w: SX, base: SX) -> InertialLoad:
    """Of a body whose mass centre is at `center` and moves relative to the base."""
    w0, al0, a0 = base[0:3], base[3:6], base[6:9]
    force = mass * (a0 + cross(al0, center) + cross(w0, cross(w0, center) + 2 * velocity))

    def momentum(rate: SX) -> SX:
        return times(inertia, rate)

    both = w + w0
    moment = momentum(al0 + cross(w0, w)) + cross(both, momentum(both)) - cross(w, momentum(w))
    return InertialLoad(force, moment)


def carried_leg(
    at: Geometry, Ld: SX, w: SX, lower: tuple[SX, SX], upper: tuple[SX, SX], base: SX
) -> CarriedLeg:
    """A leg that lengthens with Ld and turns with w; of each part r from the base point, and inertia."""
    foot, (r_d, I_d), (r_u, I_u) = number(at.leg.base_point), lower, upper
    of_lower = inertial_load(at.leg.lower.mass, I_d, foot + r_d, cross(w, r_d), w, base)
    velocity = Ld * at.s + cross(w, r_u)
    of_upper = inertial_load(at.leg.upper.mass, I_u, foot + r_u, velocity, w, base)
    N = of_lower.moment + cross(r_d, of_lower.force) + of_upper.moment + cross(r_u, of_upper.force)
    return CarriedLeg(of_lower, of_upper, N, ca.dot(at.s, of_upper.force))  # the upper part alone slides


def carried_platform(state: State, inertia: SX, base: SX) -> SX:
    """Wrench at the reference point that the platform needs; its inertia in base axes."""
    first, body, W = state.legs[0], state.model.platform, state.twist[3:6]
    arm = times(state.R, number(body.center_of_mass))
    center = number(first.leg.base_point) + first.S - first.q + arm
    velocity = state.twist[0:3] + cross(W, arm)
    needed = inertial_load(body.mass, inertia, center, velocity, W, base)
    return ca.vertcat(needed.force, needed.moment + cross(arm, needed.force))
