"""Exact derivatives of both dynamics of a mechanism by its coordinates.

Where rotations are a quaternion, the position varies in its tangent space: translations and a rotation
vector in the axes that the pose is seen from, exp(dtheta~) R. Otherwise derivatives are by the
coordinates themselves. Blocks that are solved by Newton's method are differentiated with its steps:
where these have converged, so have their derivatives.
"""

from __future__ import annotations

from typing import NamedTuple

import casadi as ca

from linkwork.mechanics.expressions import SX
from linkwork.mechanics.mechanism.robot_dynamics import MechanismDynamics


class Partials(NamedTuple):
    """Derivatives of a vector by position (tangent), by velocity and by the third argument."""

    dc: SX
    dcd: SX
    third: SX


def _of(robot: MechanismDynamics, value: SX, third: SX) -> Partials:
    along = ca.jtimes(value, robot.c, robot.layout.tangents(robot.c))
    return Partials(along, ca.jacobian(value, robot.velocity), ca.jacobian(value, third))


def of_inverse(robot: MechanismDynamics, cdd: SX) -> Partials:
    """Of tau(c, cd, cdd)."""
    return _of(robot, robot.inverse(cdd), cdd)


def of_forward(robot: MechanismDynamics, tau: SX) -> Partials:
    """Of cdd(c, cd, tau)."""
    return _of(robot, robot.forward(tau), tau)
