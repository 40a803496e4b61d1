"""Exact derivatives of both dynamics of an arm, by differentiating their expressions.

Friction enters as it is written: viscous friction adds its coefficient to the derivative by velocity,
Coulomb friction is piecewise constant and adds nothing, at zero velocity either.
"""

from __future__ import annotations

from typing import NamedTuple

import casadi as ca

from linkwork.mechanics.arm.dynamics import ArmDynamics
from linkwork.mechanics.expressions import SX
from linkwork.mechanics.linear import solve_symmetric


class Partials(NamedTuple):
    """Derivatives of a vector by position, by velocity and by the third argument."""

    dq: SX
    dqd: SX
    third: SX


def of_inverse(arm: ArmDynamics, qd: SX, qdd: SX, formulation: str | None = None) -> Partials:
    """Of tau(q, qd, qdd); by qdd it is the mass matrix."""
    tau = arm.inverse(qd, qdd, formulation)
    return Partials(ca.jacobian(tau, arm.q), ca.jacobian(tau, qd), arm.mass_matrix())


def of_forward(arm: ArmDynamics, qd: SX, tau: SX) -> Partials:
    """Of qdd(q, qd, tau): M dqdd = dtau - tau_q dq - tau_qd dqd, those of the inverse at this qdd."""
    a = SX.sym("qdd", arm.model.n)
    inverse = of_inverse(arm, qd, a)
    dq, dqd = ca.substitute([inverse.dq, inverse.dqd], [a], [arm.forward(qd, tau)])
    n = arm.model.n
    solved = solve_symmetric(inverse.third, ca.horzcat(-dq, -dqd, SX.eye(n)))
    return Partials(solved[:, 0:n], solved[:, n : 2 * n], solved[:, 2 * n :])
