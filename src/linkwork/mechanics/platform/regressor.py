"""Leg forces of a platform as a linear function of its parameters: F = Y(pose, twist, acceleration) pi.

Parameters: the ten inertial ones of the platform about its reference point; of every leg the ten of the
lower part about the base point and the ten of the upper part about the platform point, in leg axes, and
the viscous coefficients of its universal, prismatic and spherical joints.
"""

from __future__ import annotations

import casadi as ca

from linkwork.mechanics.expressions import SX, cross, skew, times, vector, zeros
from linkwork.mechanics.linear import solve_orthogonal
from linkwork.mechanics.platform import legs
from linkwork.mechanics.platform.dynamics import PlatformDynamics
from linkwork.mechanics.platform.exact import State
from linkwork.mechanics.regressor import wrench_columns
from linkwork.robots.parameters import LEG


def regressor(platform: PlatformDynamics, acceleration: SX) -> SX:
    """Y, 6 x (10 + 6 * 23), and 6 more columns if a leg has Coulomb friction."""
    state = platform.state
    columns = [_platform_columns(state, acceleration)]
    columns += [_leg_columns(state, at, acceleration) for at in state.legs]
    Y = solve_orthogonal(state.H(), ca.horzcat(*columns))
    return ca.horzcat(Y, ca.diag(ca.sign(platform.leg_rates()))) if state.model.has_coulomb else Y


def _platform_columns(state: State, acceleration: SX) -> SX:
    """Wrench at the reference point per parameter of the platform, 6 x 10, base axes."""
    R = state.R
    a = acceleration[0:3] - state.gravity
    w, al, a = (times(R.T, v) for v in (state.twist[3:6], acceleration[3:6], a))
    columns = wrench_columns(w, al, a).turned(R)
    return ca.vertcat(columns.force, columns.moment)


def _leg_columns(state: State, at: legs.Geometry, acceleration: SX) -> SX:
    """Wrench at the reference point per parameter of a leg, 6 x 23, base axes."""
    rate = legs.rates(at, state.twist)
    motion = legs.accelerations(at, rate, state.twist, acceleration)
    w, A, Ld = rate.w, motion.A, rate.Ld
    g, reach = at.components(state.gravity), vector(at.L, 0, 0)
    lower = wrench_columns(w, A, -g)
    slide = vector(motion.Ldd, 2 * Ld * w[2], -2 * Ld * w[1])  # Ldd s + 2 Ld w x s
    upper = wrench_columns(w, A, slide + cross(A, reach) + cross(w, cross(w, reach)) - g).about(reach)
    slip = w - at.components(state.twist[3:6])
    if at.leg.joints == "SPS":
        slip = vector(0, slip[1], slip[2])
    N = ca.horzcat(lower.moment, upper.moment, w, zeros(), slip)
    D = ca.horzcat(zeros(1, 10), upper.force[0, :], 0, Ld, 0)
    across = (N[2, :] + at.t * N[0, :]) * at.inverse_L
    force = times(at.T, ca.vertcat(D, across, -N[1, :] * at.inverse_L))
    moment = times(skew(at.q), force)
    last = len(LEG) - 1
    moment[:, last] = moment[:, last] - times(at.T, slip)
    return ca.vertcat(force, moment)
