"""Exact derivatives of both dynamics of a platform, in the tangent space of its pose.

A small motion of the pose is a translation of the reference point and a rotation vector, both in base
axes: p + dx, exp(dtheta~) R. Twist and acceleration are held in base axes.
"""

from __future__ import annotations

from typing import NamedTuple

import casadi as ca

from linkwork.mechanics.expressions import SX, row_major
from linkwork.mechanics.linear import solve_orthogonal, solve_symmetric
from linkwork.mechanics.platform.dynamics import PlatformDynamics
from linkwork.mechanics.platform.pose import quaternion_rate


class Partials(NamedTuple):
    """Derivatives of a vector by pose (tangent), by twist and by the third argument."""

    dpose: SX
    dtwist: SX
    third: SX


def tangents(pose: SX) -> SX:
    """How a pose of seven numbers changes with the six components of a twist, (7, 6)."""
    unit = SX.eye(6)
    turned = [quaternion_rate(pose[3:7], unit[3:6, k]) for k in range(6)]
    return ca.horzcat(*[ca.vertcat(unit[0:3, k], turned[k]) for k in range(6)])


def along(value: SX, pose: SX) -> SX:
    """Derivatives of a vector along the tangents of the pose."""
    return ca.jtimes(value, pose, tangents(pose))


def _missing(platform: PlatformDynamics, force: SX, acceleration: SX) -> Partials:
    """Of the balance H F - load(motion) at this force and acceleration, which is zero there."""
    pose, twist = platform.pose, platform.state.twist
    F, a = SX.sym("force", 6), SX.sym("acceleration", 6)
    balance = platform.generalised(F) - platform.demand(a)
    partials = [along(balance, pose), ca.jacobian(balance, twist)]
    by_pose, by_twist = ca.substitute(partials, [F, a], [force, acceleration])
    return Partials(by_pose, by_twist, platform.mass_matrix())


def of_inverse(platform: PlatformDynamics, acceleration: SX) -> Partials:
    """Of F(pose, twist, acceleration): H dF = M da - (derivatives of the balance)."""
    found = _missing(platform, platform.inverse(acceleration), acceleration)
    columns = platform.state.H()
    right = ca.horzcat(-found.dpose, -found.dtwist, found.third)
    solved = solve_orthogonal(columns, right)
    return Partials(solved[:, 0:6], solved[:, 6:12], solved[:, 12:])


def of_forward(platform: PlatformDynamics, force: SX) -> Partials:
    """Of the acceleration under forces: M da = H dF + (derivatives of the balance)."""
    found = _missing(platform, force, platform.forward(force))
    right = ca.horzcat(found.dpose, found.dtwist, *platform.state.H())
    solved = solve_symmetric(found.third, right)
    return Partials(solved[:, 0:6], solved[:, 6:12], solved[:, 12:])


def jacobian_rate(J: SX, pose: SX, twist: SX) -> SX:
    """Rate of a matrix of the pose under a twist."""
    rate = ca.jtimes(row_major(J), pose, ca.mtimes(tangents(pose), twist))
    return ca.reshape(rate, J.size2(), J.size1()).T
