"""Exact derivatives of both dynamics of a parallel robot by its coordinates.

Where the rotations are a quaternion, the position varies in its tangent space: translations and a
rotation vector in base axes, exp(dtheta~) R. Otherwise derivatives are by the coordinates themselves.
Legs that are solved by Newton's method are differentiated with its steps: where these have converged,
so have their derivatives.
"""

from __future__ import annotations

from typing import NamedTuple

import casadi as ca

from linkwork.mechanics.expressions import SX
from linkwork.mechanics.parallel.state import ParallelDynamics
from linkwork.mechanics.pose import quaternion_rate


class Partials(NamedTuple):
    """Derivatives of a vector by position (tangent), by velocity and by the third argument."""

    dc: SX
    dcd: SX
    third: SX


def tangents(c: SX, freedoms: int) -> SX:
    """How the numbers of a position change with the velocities, (size, d)."""
    unit = SX.eye(freedoms)
    if c.numel() == freedoms:
        return unit
    turned = [quaternion_rate(c[-4:], unit[-3:, k]) for k in range(freedoms)]
    return ca.horzcat(*[ca.vertcat(unit[:-3, k], turned[k]) for k in range(freedoms)])


def _of(robot: ParallelDynamics, value: SX, third: SX) -> Partials:
    along = ca.jtimes(value, robot.c, tangents(robot.c, robot.model.freedoms))
    return Partials(along, ca.jacobian(value, robot.velocity), ca.jacobian(value, third))


def of_inverse(robot: ParallelDynamics, cdd: SX) -> Partials:
    """Of tau(c, cd, cdd)."""
    return _of(robot, robot.inverse(cdd), cdd)


def of_forward(robot: ParallelDynamics, tau: SX) -> Partials:
    """Of cdd(c, cd, tau)."""
    return _of(robot, robot.forward(tau), tau)
