"""The leg equations step by step in base axes, as both papers print them, with their deviations.

D: Dasgupta and Mruthyunjaya, Mech. Mach. Theory 33 (1998) 1135, lost dots in (9), (24), (25) restored.
P: see pedrammehr2012.py. The skeleton is common: D (1)-(37), P (7)-(40). What the papers do differently
from the exact model are deviations, each of which can be switched on by itself:

no-spin               w.s = 0 and A.s = 0, D (6), (9): the universal joint imposes a spin
moment-along-leg      the universal joint's moment along s, D (17)-(21): it lies along c
upper-inertia-at-base m_u L^2 diag(0, 1, 1) added to I_u, D (16): m_u r_u x a_u carries it already
parallel-axis-lower   parallel-axis term added to I_d, P (32), to I_u, P (33), and to the platform's
parallel-axis-upper   inertia, P (50): m r x a carries them already. As printed, base components
parallel-axis-platform stand inside T( )T'; `local_frames` reads them as local components instead
equation-25           the axial part of the leg's angular acceleration by P (25) as printed
dropped-terms         P's closed form (42)-(43) for its own (31)-(40): see pedrammehr2012.py

s leads along a leg, y along the moving axis of its universal joint, z = s x y.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np

from linkwork.mechanics.expressions import SX, any_normals, cross, number, times
from linkwork.mechanics.linear import solve_orthogonal
from linkwork.mechanics.mechanism.universal import SMALLEST_SINE
from linkwork.model.families.stewart import Leg, PlatformModel

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
class Deviations:
    """Which deviations are on, and how the papers' frames are read."""

    names: tuple[str, ...]
    local_frames: bool = False

    def __contains__(self, name: str) -> bool:
        return name in self.names


DASGUPTA1998 = Deviations(("no-spin", "moment-along-leg", "upper-inertia-at-base"))


@dataclass(frozen=True)
class Geometry:
    """A leg in one pose."""

    leg: Leg
    q: SX  # platform point from the reference point
    S: SX  # base point to platform point
    L: SX
    s: SX
    y: SX
    z: SX

    @property
    def T(self) -> SX:
        """Takes leg components to base components."""
        return ca.horzcat(self.s, self.y, self.z)


def geometry(leg: Leg, position: SX, rotation: SX) -> Geometry:
    q = times(rotation, number(leg.platform_point))
    S = q + position - number(leg.base_point)
    L2 = ca.sumsqr(S)
    L = ca.sqrt(L2)
    if leg.joints == "SPS":
        s = S * (1 / L)
        return Geometry(leg, q, S, L, s, *any_normals(s))
    across = cross(number(leg.fixed_axis), S)
    across2 = ca.sumsqr(across)
    Y = ca.sqrt(across2)
    # One division for both reciprocals.
    both = 1 / ca.if_else(across2 > SMALLEST_SINE**2 * L2, L * Y, 0)
    s, y = S * (both * Y), across * (both * L)
    return Geometry(leg, q, S, L, s, y, cross(s, y))


@dataclass(frozen=True)
class PlatformState:
    """Symbols of one state and the geometry they give. `wrench` acts on the platform, in its axes."""

    model: PlatformModel
    R: SX
    twist: SX
    wrench: SX
    gravity: SX
    legs: tuple[Geometry, ...]
    deviations: Deviations

    def H(self) -> list[SX]:
        """Columns [s; q x s], D (36): what unit forces along the legs do to the platform."""
        return [ca.vertcat(at.s, cross(at.q, at.s)) for at in self.legs]


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


def _added_inertias(at: Geometry, r_d: SX, r_u: SX, deviations: Deviations) -> tuple[SX, SX]:
    """What the deviations add inside T( )T' to the inertias of the lower and the upper part."""
    added = [SX(3, 3), SX(3, 3)]
    if "upper-inertia-at-base" in deviations:
        added[1] = added[1] + at.leg.upper.mass * at.L * at.L * number(np.diag([0.0, 1.0, 1.0]))
    for k, (name, mass, r) in enumerate(
        (
            ("parallel-axis-lower", at.leg.lower.mass, r_d),
            ("parallel-axis-upper", at.leg.upper.mass, r_u),
        )
    ):
        if name in deviations:
            arm = times(at.T.T, r) if deviations.local_frames else r
            added[k] = added[k] + _parallel_axis(mass, arm)
    return added[0], added[1]


def _leg_inertia(at: Geometry, r_d: SX, r_u: SX, deviations: Deviations) -> SX:
    lower, upper = _added_inertias(at, r_d, r_u, deviations)
    inside = number(at.leg.lower.inertia + at.leg.upper.inertia) + upper + lower
    return times(times(at.T, inside), at.T.T)


def part_inertias(at: Geometry, r_d: SX, r_u: SX, deviations: Deviations) -> tuple[SX, SX]:
    """I_d and I_u in base axes: D (15), (16), P (32), (33)."""
    lower, upper = _added_inertias(at, r_d, r_u, deviations)
    inside = number(at.leg.lower.inertia) + lower, number(at.leg.upper.inertia) + upper
    I_d, I_u = (times(times(at.T, part), at.T.T) for part in inside)
    return I_d, I_u


def leg_motion(state: PlatformState, at: Geometry, acceleration: SX) -> LegMotion:
    k, s, y, L = number(at.leg.fixed_axis), at.s, at.y, at.L
    W = state.twist[3:6]
    Sd = state.twist[0:3] + cross(W, at.q)
    Sdd = acceleration[0:3] + cross(acceleration[3:6], at.q) + cross(W, cross(W, at.q))
    Ld = ca.dot(s, Sd)
    c = cross(k, y)
    kap, sig2 = ca.dot(k, s), 1 - ca.dot(k, s) ** 2
    swing = cross(s, Sd) / L  # D (6), P (16)
    if "no-spin" in state.deviations:
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
        if "equation-25" in state.deviations:
            axial = ca.dot(normal, k) * kap / sig2 - wu * wv  # P (25) as printed
        else:
            axial = (ca.dot(normal, k) * kap + wu * wv * ca.dot(c, s)) / sig2  # P (25) put right
        A = normal + axial * s  # P (22)
    r_d = times(at.T, number(at.leg.lower.center_of_mass))
    r_u = at.S + times(at.T, number(at.leg.upper.center_of_mass))
    inertia = _leg_inertia(at, r_d, r_u, state.deviations)
    return LegMotion(at, c, Ld, w, wu, wv, Ldd, A, r_d, r_u, inertia)


def mass_center_accelerations(leg: LegMotion) -> tuple[SX, SX]:
    """a_d and a_u: D (13), (14), P (29), (30)."""
    w, A, s = leg.w, leg.A, leg.at.s
    a_d = cross(A, leg.r_d) + cross(w, cross(w, leg.r_d))
    a_u = leg.Ldd * s + cross(A, leg.r_u) + cross(w, cross(w, leg.r_u)) + 2 * leg.Ld * cross(w, s)
    return a_d, a_u


def spherical_drag(state: PlatformState, leg: LegMotion) -> SX:
    """f, the viscous moment in the spherical joint."""
    return leg.at.leg.friction.spherical * (leg.w - state.twist[3:6])


def leg_moment(state: PlatformState, leg: LegMotion) -> SX:
    """C of D (20), N of P (36): the moment about the base point that the leg's motion needs."""
    w, A = leg.w, leg.A
    lower, upper = leg.at.leg.lower, leg.at.leg.upper
    a_d, a_u = mass_center_accelerations(leg)
    N = lower.mass * cross(leg.r_d, a_d - state.gravity)
    N = N + upper.mass * cross(leg.r_u, a_u - state.gravity)
    N = N + times(leg.I, A) + cross(w, times(leg.I, w))
    return N + leg.at.leg.friction.universal * w + spherical_drag(state, leg)


def leg_force(state: PlatformState, leg: LegMotion) -> tuple[SX, SX, SX]:
    """K, D and f of a leg: D (21), (24), P (38), (39)."""
    at, s = leg.at, leg.at.s
    upper, friction = at.leg.upper, at.leg.friction
    N, (_, a_u) = leg_moment(state, leg), mass_center_accelerations(leg)
    f = spherical_drag(state, leg)
    D = upper.mass * ca.dot(s, a_u - state.gravity) + friction.prismatic * leg.Ld
    return transverse_force(leg, N, state.deviations), D, f


def transverse_force(leg: LegMotion, N: SX, deviations: Deviations) -> SX:
    """K: the part of the spherical joint's force that gives the moment N, D (21) or P (38)."""
    s, L = leg.at.s, leg.at.L
    K = cross(N, s) / L  # D (21)
    if "moment-along-leg" not in deviations:
        K = K - ca.dot(N, s) / ca.dot(leg.c, s) * cross(leg.c, s) / L  # P (38)
    return K


def platform_inertia(state: PlatformState) -> SX:
    """About the center of mass, in base axes; P (50) adds a parallel-axis term."""
    body = state.model.platform
    inside = number(body.inertia)
    if "parallel-axis-platform" in state.deviations:
        local = number(body.center_of_mass)
        arm = local if state.deviations.local_frames else times(state.R, local)
        inside = inside + _parallel_axis(body.mass, arm)
    return times(times(state.R, inside), state.R.T)


def platform_equations(state: PlatformState, acceleration: SX) -> SX:
    """Right-hand side of D (35) without the legs; the sign of its sum of K is that of (35), not (33)."""
    body = state.model.platform
    W, al = state.twist[3:6], acceleration[3:6]
    Rc = times(state.R, number(body.center_of_mass))
    a = acceleration[0:3] + cross(al, Rc) + cross(W, cross(W, Rc))
    inertia = platform_inertia(state)
    weight = body.mass * (state.gravity - a)
    force = times(state.R, state.wrench[0:3]) + weight
    moment = times(state.R, state.wrench[3:6]) + cross(Rc, weight)
    moment = moment - times(inertia, al) - cross(W, times(inertia, W))
    return ca.vertcat(force, moment)


def actuator_forces(state: PlatformState, acceleration: SX) -> SX:
    """F = D - x with H x = c, D (35)-(37)."""
    right = platform_equations(state, acceleration)
    along = []
    for at in state.legs:
        K, D, f = leg_force(state, leg_motion(state, at, acceleration))
        right = right - ca.vertcat(K, cross(at.q, K) - f)
        along.append(D)
    return ca.vertcat(*along) - solve_orthogonal(state.H(), right)
