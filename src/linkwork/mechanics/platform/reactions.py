"""All joint reactions of the exact model, D 3.3 with the universal joint's moment put right."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from linkwork.mechanics.expressions import SX, cross, number, times, vector
from linkwork.mechanics.platform import leg_dynamics as dynamics
from linkwork.mechanics.platform import legs
from linkwork.mechanics.platform.exact import State
from linkwork.mechanics.platform.moving_base import CarriedLeg, carried_legs


@dataclass(frozen=True)
class Reactions:
    """Of one leg, in base axes; friction of the joint itself is not included."""

    spherical_force: SX  # platform on leg
    universal_force: SX  # base on leg
    universal_moment: SX  # base on leg, along the normal of the joint's cross
    prismatic_force: SX  # lower on upper part, actuator included
    prismatic_moment: SX  # lower on upper part, about the base point
    prismatic_moment_at_platform: SX  # the same about the platform point


def _acceleration(A: SX, w: SX, r: SX) -> SX:
    return cross(A, r) + cross(w, cross(w, r))


def leg_reactions(
    state: State, at: legs.Geometry, acceleration: SX, force: SX, carried: CarriedLeg | None
) -> Reactions:
    """Reactions of one leg whose actuator pushes with `force`; `carried` is what a moving base adds."""
    leg = at.leg
    W = state.twist[3:6]
    rate = legs.rates(at, state.twist)
    motion = legs.accelerations(at, rate, state.twist, acceleration)
    need = dynamics.demand(at, rate, motion, state.gravity, W, state.friction)
    w, A, g = rate.w, motion.A, at.components(state.gravity)
    r_d, r_u = number(leg.lower.center_of_mass), dynamics.together(at).upper
    slide = vector(motion.Ldd, 2 * rate.Ld * w[2], -2 * rate.Ld * w[1])
    lower = leg.lower.mass * (_acceleration(A, w, r_d) - g)
    upper = leg.upper.mass * (slide + _acceleration(A, w, r_u) - g)
    Iu = number(leg.upper.inertia)
    turning, N, D = times(Iu, A) + cross(w, times(Iu, w)), need.N, need.D
    if carried is not None:
        N, D = N + at.components(carried.N), D + carried.D
        lower, upper = (
            lower + at.components(carried.lower.force),
            upper + at.components(carried.upper.force),
        )
        turning = turning + at.components(carried.upper.moment)

    Fs = dynamics.transverse(at, N)
    dry = leg.friction.coulomb * ca.sign(rate.Ld) if state.friction else SX(0)
    Fs[0] = D - force  # the actuator's force without what dry friction takes of it
    drag = dry + (leg.friction.prismatic * rate.Ld if state.friction else SX(0))
    Fp = upper - Fs + vector(drag, 0, 0)
    Nu = cross(r_u, upper) + turning
    if state.friction:
        Nu = Nu + dynamics.spherical_moment(at, rate, W)
    S = vector(at.L, 0, 0)
    Mp = Nu - cross(S, Fs)
    Mu = vector(N[0], 0, -N[0] * at.t) if leg.joints == "UPS" else vector(0, 0, 0)
    T = at.T
    return Reactions(
        spherical_force=times(T, Fs),
        universal_force=times(T, lower + upper - Fs),
        universal_moment=times(T, Mu),
        prismatic_force=times(T, Fp),
        prismatic_moment=times(T, Mp),
        prismatic_moment_at_platform=times(T, Mp - cross(S, Fp)),
    )


def reactions(state: State, acceleration: SX, forces: SX, base: SX | None = None) -> list[Reactions]:
    """Of all legs under the actuator forces of the same motion; `base` is how the base moves."""
    carried = [None] * len(state.legs) if base is None else carried_legs(state, base)
    return [
        leg_reactions(state, at, acceleration, forces[k], carried[k]) for k, at in enumerate(state.legs)
    ]
