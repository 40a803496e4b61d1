"""Exact derivatives of both dynamics of a mechanism by its coordinates.

Where rotations are a quaternion, the position varies in its tangent space: translations and a rotation
vector in the axes that the pose is seen from, exp(dtheta~) R. Otherwise derivatives are by the
coordinates themselves. With Ga' tau = need(c, cd, cdd), of which both sides are differentiated at given
efforts and accelerations: Ga' dtau = dneed - dGa' tau, M dcdd = Ga' dtau + dGa' tau - dneed. Blocks that
are solved by Newton's method are differentiated with its steps: where these have converged, so have
their derivatives.
"""

from __future__ import annotations

from typing import NamedTuple

import casadi as ca

from linkwork.mechanics.expressions import SX
from linkwork.mechanics.linear import solve_symmetric
from linkwork.mechanics.mechanism.robot_dynamics import MechanismDynamics


class Partials(NamedTuple):
    """Derivatives of a vector by position (tangent), by velocity and by the third argument."""

    dc: SX
    dcd: SX
    third: SX


def _missing(robot: MechanismDynamics, tau: SX, cdd: SX) -> tuple[SX, SX]:
    """Derivatives of the balance Ga' tau - need, zero at this effort and acceleration, by c and cd."""
    effort, acceleration = SX.sym("effort", tau.numel()), SX.sym("acceleration", robot.freedoms)
    balance = robot.generalised(effort) - robot.need(acceleration)
    along = ca.jtimes(balance, robot.c, robot.layout.tangents(robot.c))
    partials = [along] if robot.cd is None else [along, ca.jacobian(balance, robot.cd)]
    found = ca.substitute(partials, [effort, acceleration], [tau, cdd])
    return found[0], found[-1]


def _is_square(robot: MechanismDynamics) -> bool:
    return len(robot.model.effort_names) == robot.freedoms


def of_inverse(robot: MechanismDynamics, cdd: SX) -> Partials:
    """Of tau(c, cd, cdd)."""
    tau, d = robot.inverse(cdd), robot.freedoms
    if not _is_square(robot):  # the least norm changes with Ga
        along = ca.jtimes(tau, robot.c, robot.layout.tangents(robot.c))
        return Partials(along, ca.jacobian(tau, robot.velocity), ca.jacobian(tau, cdd))
    by_c, by_cd = _missing(robot, tau, cdd)
    solved = robot.efforts_for(ca.horzcat(-by_c, -by_cd, robot.mass_matrix()))
    return Partials(solved[:, 0:d], solved[:, d : 2 * d], solved[:, 2 * d :])


def by_position(robot: MechanismDynamics, cdd: SX) -> SX:
    """The first of `of_inverse` alone."""
    tau = robot.inverse(cdd)
    if not _is_square(robot):
        return ca.jtimes(tau, robot.c, robot.layout.tangents(robot.c))
    return robot.efforts_for(-_missing(robot, tau, cdd)[0])


def of_forward(robot: MechanismDynamics, tau: SX) -> Partials:
    """Of cdd(c, cd, tau)."""
    d = robot.freedoms
    by_c, by_cd = _missing(robot, tau, robot.forward(tau))
    solved = solve_symmetric(robot.mass_matrix(), ca.horzcat(by_c, by_cd, robot.actuation.T))
    return Partials(solved[:, 0:d], solved[:, d : 2 * d], solved[:, 2 * d :])
