"""What a base that moves adds to the exact model: the inertia of all bodies against its motion.

Relative to the base a body has c, c' and w; in space its mass centre also has a0 + al0 x c
+ w0 x (w0 x c) + 2 w0 x c', and its angular momentum changes by what w0 and al0 add. All in base axes.
A leg that is free to spin (SPS) is taken without spin relative to the base.
"""

from __future__ import annotations

import casadi as ca

from linkwork.mechanics.expressions import SX, cross, number, times, zeros
from linkwork.mechanics.platform import leg_dynamics as dynamics
from linkwork.mechanics.platform.body_motion import BodyMotion, body_motions
from linkwork.mechanics.platform.exact import State
from linkwork.mechanics.platform.legs import Geometry
from linkwork.robots.geometry import Body


def _added(body: Body, turn: SX, motion: BodyMotion, base: SX) -> tuple[SX, SX]:
    """Force and moment about the mass centre that one body needs more than on a base at rest."""
    w0, al0, a0 = base[0:3], base[3:6], base[6:9]
    c, v, w = motion.center, motion.center_velocity, motion.angular_velocity
    force = body.mass * (a0 + cross(al0, c) + cross(w0, cross(w0, c) + 2 * v))
    inertia = times(times(turn, number(body.inertia)), turn.T)

    def momentum(rate: SX) -> SX:
        return times(inertia, rate)

    both = w + w0
    moment = momentum(al0 + cross(w0, w)) + cross(both, momentum(both)) - cross(w, momentum(w))
    return force, moment


def _of_leg(at: Geometry, lower: BodyMotion, upper: BodyMotion, base: SX) -> SX:
    """Wrench at the reference point: [K + D s; q x (K + D s)], as the leg's own inertia has it."""
    foot = number(at.leg.base_point)
    N, D = zeros(), SX(0)
    for body, motion in ((at.leg.lower, lower), (at.leg.upper, upper)):
        force, moment = _added(body, at.T, motion, base)
        N = N + moment + cross(motion.center - foot, force)
        D = ca.dot(at.s, force)  # of the upper part, which comes last: it alone slides
    along = dynamics.transverse(at, at.components(N))
    along[0] = D
    push = times(at.T, along)
    return ca.vertcat(push, cross(at.q, push))


def added_load(state: State, base: SX) -> SX:
    """H F that a base motion adds: angular velocity, angular and linear acceleration of the base."""
    motions = body_motions(state, zeros(6))
    platform = motions[-1]
    force, moment = _added(state.model.platform, state.R, platform, base)
    arm = times(state.R, number(state.model.platform.center_of_mass))
    total = ca.vertcat(force, moment + cross(arm, force))
    for k, at in enumerate(state.legs):
        total = total + _of_leg(at, motions[k], motions[len(state.legs) + k], base)
    return total
