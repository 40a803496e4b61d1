"""The leg equations step by step in base axes, as both papers print them, with their deviations.

The skeleton is common: D (1)-(37), P (7)-(40). What the papers do differently from the exact model are
deviations, each of which can be switched on by itself:

no-spin               w.s = 0 and A.s = 0, D (6), (9): the universal joint imposes a spin
moment-along-leg      the universal joint's moment along s, D (17)-(21): it lies along c
upper-inertia-at-base m_u L^2 diag(0, 1, 1) added to I_u, D (16): m_u r_u x a_u carries it already
parallel-axis-lower   parallel-axis term added to I_d, P (32), to I_u, P (33), and to the platform's
parallel-axis-upper   inertia, P (50): m r x a carries them already. As printed, base components
parallel-axis-platform stand inside T( )T'; `local_frames` reads them as local components instead
equation-25           the axial part of the leg's angular acceleration by P (25) as printed
dropped-terms         P's closed form (42)-(43) for its own (31)-(40): see pedrammehr2012.py
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np

from linkwork.mechanics.expressions import SX, cross, number, times
from linkwork.mechanics.linear import solve_orthogonal
from linkwork.mechanics.published.legs import Geometry
from linkwork.mechanics.published.state import State

DEVIATIONS = (
    "no-spin",
    "moment-along-leg",
    "upper-inertia-at-base",
    "parallel-axis-lower",
    "parallel-axis-upper",
    "parallel-axis-platform",
    "equation-25",
    "dropped-terms",
)


@dataclass(frozen=True)
class Reading:
    """Which deviations are on, and how the papers' frames are read."""

    deviations: frozenset[str]
    local_frames: bool = False

    def __contains__(self, deviation: str) -> bool:
        return deviation in self.deviations


@dataclass(frozen=True)
class LegMotion:
    """One leg in base axes."""

    at: Geometry
    c: SX  # normal of the universal joint's cross
    Ld: SX
    w: SX
    wu: SX
    wv: SX
    Ldd: SX
    A: SX
    r_d: SX
    r_u: SX
    I: SX  # noqa: E741  (both parts)


def _parallel_axis(mass: float, r: SX) -> SX:
    return mass * (ca.dot(r, r) * SX.eye(3) - times(r, r.T))


def _added_inertias(at: Geometry, r_d: SX, r_u: SX, reading: Reading) -> tuple[SX, SX]:
    """What the deviations add inside T( )T' to the inertias of the lower and the upper part."""
    added = [SX(3, 3), SX(3, 3)]
    if "upper-inertia-at-base" in reading:
        added[1] = added[1] + at.leg.upper.mass * at.L * at.L * number(np.diag([0.0, 1.0, 1.0]))
    for k, (name, mass, r) in enumerate(
        (
            ("parallel-axis-lower", at.leg.lower.mass, r_d),
            ("parallel-axis-upper", at.leg.upper.mass, r_u),
        )
    ):
        if name in reading:
            arm = times(at.T.T, r) if reading.local_frames else r
            added[k] = added[k] + _parallel_axis(mass, arm)
    return added[0], added[1]


def _leg_inertia(at: Geometry, r_d: SX, r_u: SX, reading: Reading) -> SX:
    lower, upper = _added_inertias(at, r_d, r_u, reading)
    inside = number(at.leg.lower.inertia + at.leg.upper.inertia) + upper + lower
    return times(times(at.T, inside), at.T.T)


def part_inertias(at: Geometry, r_d: SX, r_u: SX, reading: Reading) -> tuple[SX, SX]:
    """I_d and I_u in base axes: D (15), (16), P (32), (33)."""
    lower, upper = _added_inertias(at, r_d, r_u, reading)
    inside = number(at.leg.lower.inertia) + lower, number(at.leg.upper.inertia) + upper
    I_d, I_u = (times(times(at.T, part), at.T.T) for part in inside)
    return I_d, I_u


def leg_motion(state: State, at: Geometry, acceleration: SX, reading: Reading) -> LegMotion:
    k, s, y, L = number(at.leg.fixed_axis), at.s, at.y, at.L
    W = state.twist[3:6]
    Sd = state.twist[0:3] + cross(W, at.q)
    Sdd = acceleration[0:3] + cross(acceleration[3:6], at.q) + cross(W, cross(W, at.q))
    Ld = ca.dot(s, Sd)
    c = cross(k, y)
    kap, sig2 = ca.dot(k, s), 1 - ca.dot(k, s) ** 2
    swing = cross(s, Sd) / L  # D (6), P (16)
    if "no-spin" in reading:
        wu = wv = SX(0)
        w = swing
        Ldd = ca.dot(s, Sdd) + L * ca.dot(w, w)  # D (8)
        A = (cross(s, Sdd) - 2 * Ld * w) / L  # D (9)
    else:
        wu, wv = ca.dot(y, Sd) / (L * ca.sqrt(sig2)), -ca.dot(at.z, Sd) / L  # P (13), (14)
        w = wu * k + wv * y  # P (12)
        Ldd = ca.dot(s, Sdd) + L * ca.dot(swing, swing)  # P (9)
        turning = cross(w, cross(w, at.S)) + 2 * Ld * cross(w, s)
        normal = (cross(s, Sdd) - cross(s, turning)) / L  # P (23)
        if "equation-25" in reading:
            axial = ca.dot(normal, k) * kap / sig2 - wu * wv  # P (25) as printed
        else:
            axial = (ca.dot(normal, k) * kap + wu * wv * ca.dot(c, s)) / sig2  # P (25) put right
        A = normal + axial * s  # P (22)
    r_d = times(at.T, number(at.leg.lower.center_of_mass))
    r_u = at.S + times(at.T, number(at.leg.upper.center_of_mass))
    inertia = _leg_inertia(at, r_d, r_u, reading)
    return LegMotion(at, c, Ld, w, wu, wv, Ldd, A, r_d, r_u, inertia)


def mass_centre_accelerations(leg: LegMotion) -> tuple[SX, SX]:
    """a_d and a_u: D (13), (14), P (29), (30)."""
    w, A, s = leg.w, leg.A, leg.at.s
    a_d = cross(A, leg.r_d) + cross(w, cross(w, leg.r_d))
    a_u = leg.Ldd * s + cross(A, leg.r_u) + cross(w, cross(w, leg.r_u)) + 2 * leg.Ld * cross(w, s)
    return a_d, a_u


def spherical_drag(state: State, leg: LegMotion) -> SX:
    """f, the viscous moment in the spherical joint."""
    return leg.at.leg.friction.spherical * (leg.w - state.twist[3:6])


def leg_moment(state: State, leg: LegMotion) -> SX:
    """C of D (20), N of P (36): the moment about the base point that the leg's motion needs."""
    w, A = leg.w, leg.A
    lower, upper = leg.at.leg.lower, leg.at.leg.upper
    a_d, a_u = mass_centre_accelerations(leg)
    N = lower.mass * cross(leg.r_d, a_d - state.gravity)
    N = N + upper.mass * cross(leg.r_u, a_u - state.gravity)
    N = N + times(leg.I, A) + cross(w, times(leg.I, w))
    return N + leg.at.leg.friction.universal * w + spherical_drag(state, leg)


def leg_force(state: State, leg: LegMotion, reading: Reading) -> tuple[SX, SX, SX]:
    """K, D and f of a leg: D (21), (24), P (38), (39)."""
    at, s = leg.at, leg.at.s
    upper, friction = at.leg.upper, at.leg.friction
    N, (_, a_u) = leg_moment(state, leg), mass_centre_accelerations(leg)
    f = spherical_drag(state, leg)
    D = upper.mass * ca.dot(s, a_u - state.gravity) + friction.prismatic * leg.Ld
    return transverse_force(leg, N, reading), D, f


def transverse_force(leg: LegMotion, N: SX, reading: Reading) -> SX:
    """K: the part of the spherical joint's force that gives the moment N, D (21) or P (38)."""
    s, L = leg.at.s, leg.at.L
    K = cross(N, s) / L  # D (21)
    if "moment-along-leg" not in reading:
        K = K - ca.dot(N, s) / ca.dot(leg.c, s) * cross(leg.c, s) / L  # P (38)
    return K


def platform_inertia(state: State, reading: Reading) -> SX:
    """About the mass centre, in base axes; P (50) adds a parallel-axis term."""
    body = state.model.platform
    inside = number(body.inertia)
    if "parallel-axis-platform" in reading:
        local = number(body.center_of_mass)
        arm = local if reading.local_frames else times(state.R, local)
        inside = inside + _parallel_axis(body.mass, arm)
    return times(times(state.R, inside), state.R.T)


def platform_equations(state: State, acceleration: SX, reading: Reading) -> SX:
    """Right-hand side of D (35) without the legs; the sign of its sum of K is that of (35), not (33)."""
    body = state.model.platform
    W, al = state.twist[3:6], acceleration[3:6]
    Rc = times(state.R, number(body.center_of_mass))
    a = acceleration[0:3] + cross(al, Rc) + cross(W, cross(W, Rc))
    inertia = platform_inertia(state, reading)
    weight = body.mass * (state.gravity - a)
    force = times(state.R, state.wrench[0:3]) + weight
    moment = times(state.R, state.wrench[3:6]) + cross(Rc, weight)
    moment = moment - times(inertia, al) - cross(W, times(inertia, W))
    return ca.vertcat(force, moment)


def actuator_forces(state: State, acceleration: SX, reading: Reading) -> SX:
    """F = D - x with H x = c, D (35)-(37)."""
    right = platform_equations(state, acceleration, reading)
    along = []
    for at in state.legs:
        K, D, f = leg_force(state, leg_motion(state, at, acceleration, reading), reading)
        right = right - ca.vertcat(K, cross(at.q, K) - f)
        along.append(D)
    return ca.vertcat(*along) - solve_orthogonal(state.H(), right)
