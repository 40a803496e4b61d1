"""Task space and joint reactions by the equations that the papers print.

H F = M(X) a + h: P (48) and (51) as printed; D's follow from its (33)-(37) in the same way, since its
equations are linear in the accelerations. Reactions by D 3.3: (21), (26), (27), (29) and (17); P prints
(37), (38) or (41) for the universal and the spherical joint, and leaves the others to them.
"""

from __future__ import annotations

import casadi as ca

from linkwork.mechanics.expressions import SX, cross, times, zeros
from linkwork.mechanics.leg_reactions import LegReactions
from linkwork.mechanics.linear import solve_orthogonal
from linkwork.mechanics.published import pedrammehr2012, stepwise
from linkwork.mechanics.published.legs import Geometry
from linkwork.mechanics.published.moving_base import CarriedLeg, carried_leg, carried_platform
from linkwork.mechanics.published.state import State
from linkwork.mechanics.published.stepwise import LegMotion, Reading


def _leg_force(state: State, leg: LegMotion, acceleration: SX, reading: Reading) -> SX:
    """The spherical joint's force without the actuator's, K + D s of D (21), (24); P (40) or (41)."""
    if "dropped-terms" in reading:
        return pedrammehr2012.closed_leg_force(state, leg, acceleration)
    K, D, _ = stepwise.leg_force(state, leg, reading)
    return K + D * leg.at.s


def demand(state: State, acceleration: SX, reading: Reading) -> SX:
    """H F that the motion needs."""
    total = -stepwise.platform_equations(state, acceleration, reading)
    for at in state.legs:
        leg = stepwise.leg_motion(state, at, acceleration, reading)
        force = _leg_force(state, leg, acceleration, reading)
        moment = cross(at.q, force) - stepwise.spherical_drag(state, leg)
        total = total + ca.vertcat(force, moment)
    return total


def carried_legs(state: State, base: SX, reading: Reading) -> list[CarriedLeg]:
    """What a moving base adds to the legs, with the paper's angular velocities and inertias."""
    found = []
    for at in state.legs:
        leg = stepwise.leg_motion(state, at, zeros(6), reading)
        I_d, I_u = stepwise.part_inertias(at, leg.r_d, leg.r_u, reading)
        found.append(carried_leg(at, leg.Ld, leg.w, (leg.r_d, I_d), (leg.r_u, I_u), base))
    return found


def _carried_force(leg: LegMotion, carried: CarriedLeg, reading: Reading) -> SX:
    """K + D s of what the base adds. P's closed form leaves out nothing here: its (38), (39)."""
    return stepwise.transverse_force(leg, carried.N, reading) + carried.D * leg.at.s


def added_load(state: State, base: SX, reading: Reading) -> SX:
    """H F that a base motion adds."""
    total = carried_platform(state, stepwise.platform_inertia(state, reading), base)
    for at, carried in zip(state.legs, carried_legs(state, base, reading), strict=True):
        leg = stepwise.leg_motion(state, at, zeros(6), reading)
        force = _carried_force(leg, carried, reading)
        total = total + ca.vertcat(force, cross(at.q, force))
    return total


def mass_matrix(state: State, reading: Reading) -> SX:
    """M(X): what the demand, which is linear in it, has of the acceleration. P's is not symmetric."""
    a = SX.sym("a", 6)
    return ca.jacobian(demand(state, a, reading), a)


def bias(state: State, reading: Reading) -> SX:
    """h."""
    return demand(state, zeros(6), reading)


def actuator_forces(state: State, acceleration: SX, reading: Reading) -> SX:
    """D (35)-(37), P (40); or P's closed form, (48) and (51)."""
    if "dropped-terms" in reading:
        return pedrammehr2012.closed_form_forces(state, acceleration, reading)
    return stepwise.actuator_forces(state, acceleration, reading)


def platform_acceleration(state: State, force: SX, carried: SX, reading: Reading) -> SX:
    """What M(X)^-1 (H F - h) makes of actuator forces; `carried` is what a moving base adds."""
    M = mass_matrix(state, reading)
    right = times(ca.horzcat(*state.H()), force) - bias(state, reading) - carried
    return solve_orthogonal([M[:, k] for k in range(6)], right)


def _universal_moment(leg: LegMotion, N: SX, reading: Reading) -> SX:
    s = leg.at.s
    along = ca.dot(N, s)
    if "moment-along-leg" in reading:
        return along * s  # D (29)
    return along / ca.dot(leg.c, s) * leg.c  # P (34), (37)


def leg_reactions(
    state: State,
    at: Geometry,
    acceleration: SX,
    actuator: SX,
    reading: Reading,
    carried: CarriedLeg | None,
) -> LegReactions:
    """Of one leg whose actuator pushes with `actuator`; `carried` is what a moving base adds."""
    leg = stepwise.leg_motion(state, at, acceleration, reading)
    lower, upper, friction = at.leg.lower, at.leg.upper, at.leg.friction
    a_d, a_u = stepwise.mass_centre_accelerations(leg)
    N, g, s = stepwise.leg_moment(state, leg), state.gravity, at.s
    Fs = _leg_force(state, leg, acceleration, reading) - actuator * s
    of_lower, of_upper = lower.mass * (a_d - g), upper.mass * (a_u - g)
    I_d = stepwise.part_inertias(at, leg.r_d, leg.r_u, reading)[0]
    turning = times(I_d, leg.A) + cross(leg.w, times(I_d, leg.w))
    if carried is not None:
        Fs = Fs + _carried_force(leg, carried, reading)
        N, turning = N + carried.N, turning + carried.lower.moment
        of_lower, of_upper = of_lower + carried.lower.force, of_upper + carried.upper.force
    Fp = of_upper - Fs + friction.prismatic * leg.Ld * s  # D (26)
    Fu = of_lower + of_upper - Fs  # D (27)
    Mu = _universal_moment(leg, N, reading)
    own = cross(leg.r_d, of_lower) + turning
    Mp = Mu - own - friction.universal * leg.w  # D (17), about the base point
    return LegReactions(
        spherical_force=Fs,
        universal_force=Fu,
        universal_moment=Mu,
        prismatic_force=Fp,
        prismatic_moment=Mp,
        prismatic_moment_at_platform=Mp - cross(at.S, Fp),
    )


def reactions(
    state: State,
    acceleration: SX,
    forces: SX,
    reading: Reading,
    base: SX | None = None,
) -> list[LegReactions]:
    """Of all legs under the actuator forces of the same motion; `base` is how the base moves."""
    carried = [None] * len(state.legs) if base is None else carried_legs(state, base, reading)
    return [
        leg_reactions(state, at, acceleration, forces[k], reading, carried[k])
        for k, at in enumerate(state.legs)
    ]
