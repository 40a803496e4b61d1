"""What the motion of one rigid body needs, and its inertia as a matrix."""

from __future__ import annotations

import casadi as ca

from linkwork.mechanics.expressions import SX, cross, operator, skew, times, turning, vector
from linkwork.mechanics.mechanism.masses import Moments
from linkwork.mechanics.mechanism.struts import congruent
from linkwork.mechanics.mechanism.turns import Turn


def body_need(moments: Moments, turn: Turn, w: SX, al: SX, A: SX) -> tuple[SX, SX]:
    """Force and moment about its origin that a body's motion needs, in group axes."""
    h = turn.out(moments.h)
    if w[0].is_zero() and w[1].is_zero() and al[0].is_zero() and al[1].is_zero():
        thd, fast = al[2], -w[2] * w[2]
        F = moments.m * A + vector(fast * h[0] - thd * h[1], fast * h[1] + thd * h[0], 0)
        J = turned_moments(moments.J, turn)
        Nx = -thd * J[0, 2] - fast * J[1, 2]
        Ny = fast * J[0, 2] - thd * J[1, 2]
        about = moments.J if turn.matrix is None else J  # a turn about z leaves the sum as it is
        Nz = (about[0, 0] + about[1, 1]) * thd
        return F, vector(Nx, Ny, Nz) + cross(h, A)
    U = operator(w, al)
    F = moments.m * A + times(U, h)
    if turn.matrix is not None:
        own = operator(turn.back(w), turn.back(al))
        return F, turn.out(turning(own, moments.J)) + cross(h, A)
    J = turned_moments(moments.J, turn)
    return F, turning(U, J) + cross(h, A)


def turned_moments(J: SX, turn: Turn) -> SX:
    """T J T' of a symmetric J."""
    if turn.matrix is not None:
        return times(times(turn.matrix, J), turn.matrix.T)
    if turn.pair is None:
        return J
    c, s = turn.pair
    mean, half, cc = (J[0, 0] + J[1, 1]) / 2, (J[0, 0] - J[1, 1]) / 2, c * c - s * s
    double = 2 * c * s
    change = half * cc - J[0, 1] * double
    xy = half * double + J[0, 1] * cc
    xz, yz = c * J[0, 2] - s * J[1, 2], s * J[0, 2] + c * J[1, 2]
    return ca.vertcat(
        ca.horzcat(mean + change, xy, xz),
        ca.horzcat(xy, mean - change, yz),
        ca.horzcat(xz, yz, J[2, 2]),
    )


def spatial(moments: Moments, turn: Turn, extra: SX | None) -> SX:
    """Inertia of a body about its origin in group axes, 6 x 6."""
    h = skew(turn.out(moments.h))
    inertia = moments.inertia
    if turn.matrix is not None or turn.pair is not None:
        inertia = congruent(inertia, turn.R.T)
    matrix = ca.vertcat(ca.horzcat(moments.m * SX.eye(3), -h), ca.horzcat(h, inertia))
    return matrix if extra is None else matrix + extra
