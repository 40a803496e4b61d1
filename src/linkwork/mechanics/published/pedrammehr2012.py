"""Pedrammehr, Mahboubkhah and Khani, J. Mech. Sci. Tech. 26 (2012) 103: improved dynamic equations.

`step`: equations (12)-(40) one after the other. `closed`: the compact form (41)-(43) with (48), (51),
which drops terms of its own (31)-(40). Misprints put right: (15) subscripts, (21) lacks c, (42) L_ui is
I_ui, (43) L_ui is L_di in its m_d term, S_i of the appendix needs the rate of l. What remains wrong and
is kept: parallel-axis terms (32), (33), (50) counted twice, and (25) where it is used.
"""

from __future__ import annotations

import casadi as ca

from linkwork.mechanics.expressions import SX, cross, number, skew, times
from linkwork.mechanics.linear import solve_orthogonal
from linkwork.mechanics.published import stepwise
from linkwork.mechanics.published.stepwise import Deviations, LegMotion, PlatformState

PARALLEL_AXES = ("parallel-axis-lower", "parallel-axis-upper", "parallel-axis-platform")
FORMS = ("closed", "step", "step-25")
FRAMES = ("printed", "local")


def as_published(form: str, frames: str) -> Deviations:
    """Those of one of FORMS, its frames read as one of FRAMES."""
    own = {"closed": ("dropped-terms",), "step-25": ("equation-25",)}.get(form, ())
    return Deviations((*PARALLEL_AXES, *own), local_frames=frames == "local")


def _closed_leg(state: PlatformState, leg: LegMotion) -> tuple[SX, SX]:
    """Q of (42) and V of (43)."""
    at = leg.at
    n, l, u, c = at.s, at.L, number(at.leg.fixed_axis), leg.c  # noqa: E741
    lower, upper, friction = at.leg.lower, at.leg.upper, at.leg.friction
    mu, md, Lu, Ld, I = upper.mass, lower.mass, leg.r_u, leg.r_d, leg.I  # noqa: E741
    w, W, G, rate = leg.w, state.twist[3:6], state.gravity, leg.Ld
    n_skew, Lu2, Ld2 = skew(n), times(skew(Lu), skew(Lu)), times(skew(Ld), skew(Ld))
    un = ca.dot(u, n)
    sine2 = 1 - un * un
    lever = cross(c, n) / ca.dot(c, n)
    swept = times(mu * Lu2 + md * Ld2, n_skew) / l**2
    axial = times(times(n, u.T), n_skew) * un / (l**2 * sine2)
    Q = mu * times(n, n.T) + times(n_skew, swept)
    Q = Q - times(times(n_skew, I), n_skew) / l**2
    Q = Q + times(lever, times(n.T, swept) - times(times(n.T, I), axial))

    spin = cross(w, cross(w, l * n))
    S = cross(n, cross(W, cross(W, at.q)) - spin - 2 * rate * cross(w, n))
    Su, Sd = cross(Lu, cross(Lu, S)), cross(Ld, cross(Ld, S))
    gyroscopic = cross(w, times(I, w))
    drag = friction.universal * w + friction.spherical * (w - W)
    weight = cross(mu * Lu + md * Ld, G)
    along = mu * ca.dot(n, cross(w, cross(w, Lu)) + cross(W, cross(W, at.q)) - spin - G)
    V = (along + friction.prismatic * rate) * n
    turning = -cross(weight, n) + cross(n, mu * Su + md * Sd) / l
    turning = turning + mu * cross(cross(Lu, cross(w, cross(w, Lu))), n)
    turning = turning + 2 * rate * mu * cross(cross(Lu, cross(w, n)), n)
    turning = turning + md * cross(cross(Ld, cross(w, cross(w, Ld))), n)
    turning = turning - cross(n, times(I, S)) / l + cross(gyroscopic + drag, n)
    axial_rate = ca.dot(u, S) * un / (l * sine2) - leg.wu * leg.wv
    twisting = -ca.dot(weight, n) - ca.dot(n, mu * Su + md * Sd) / l
    twisting = twisting + ca.dot(n, times(I, n)) * axial_rate + ca.dot(gyroscopic + drag, n)
    return Q, V + turning / l - twisting * lever / l


def closed_leg_force(state: PlatformState, leg: LegMotion, acceleration: SX) -> SX:
    """(41) without the actuator's force."""
    Q, V = _closed_leg(state, leg)
    return times(Q, acceleration[0:3] + cross(acceleration[3:6], leg.at.q)) + V


def closed_form_forces(state: PlatformState, acceleration: SX) -> SX:
    """(48) and (51): H F = the motion's demand, by Q and V of every leg."""
    right = -stepwise.platform_equations(state, acceleration)
    W = state.twist[3:6]
    for at in state.legs:
        leg = stepwise.leg_motion(state, at, acceleration)
        force = closed_leg_force(state, leg, acceleration)
        drag = at.leg.friction.spherical * (leg.w - W)
        right = right + ca.vertcat(force, cross(at.q, force) - drag)
    return solve_orthogonal(state.H(), right)
