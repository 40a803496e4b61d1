"""Torques of an arm as a linear function of its parameters: tau = Y(q, qd, qdd) pi.

Each joint has the ten inertial parameters of its link, about the origin of the link's own frame and in
its axes, then the drive's: reflected rotor inertia, viscous friction, Coulomb friction forwards and
backwards, and a constant offset.
"""

from __future__ import annotations

import casadi as ca

from linkwork.mechanics.arm.chain import Layout, layout
from linkwork.mechanics.arm.dynamics import ArmDynamics
from linkwork.mechanics.expressions import SX, cross, number, times, zeros
from linkwork.mechanics.regressor import WrenchColumns, wrench_columns
from linkwork.robots.geometry import Transform
from linkwork.robots.parameters import BODY, JOINT


def regressor(arm: ArmDynamics, qd: SX, qdd: SX) -> SX:
    """Y, n x 15 n; columns of joint k from 15 k on."""
    n, size = arm.model.n, len(JOINT)
    Y = zeros(n, n * size)
    for k, columns in enumerate(_link_columns(arm, layout(arm.model), qd, qdd)):
        for j in reversed(range(k + 1)):
            link = arm.chain.links[j]
            columns = columns.about(link.r)
            row = times(link.z.T, columns.moment if link.revolute else columns.force)
            Y[j, size * k : size * k + len(BODY)] = row
            columns = columns.turned(link.rotation.matrix)
        drive = ca.horzcat(qdd[k], qd[k], qd[k] > 0, qd[k] < 0, 1)
        Y[k, size * k + len(BODY) : size * (k + 1)] = drive
    return Y


def _link_columns(arm: ArmDynamics, where: Layout, qd: SX, qdd: SX) -> list[WrenchColumns]:
    """Of every link, in the axes of its chain frame i and about O_i."""
    chain = arm.chain
    w, al, a = chain.w0, chain.al0, chain.a0
    found = []
    for k, (link, end) in enumerate(zip(chain.links, where.far_ends, strict=True)):
        w, al, b = link.moved(w, al, a, qd[k], qdd[k])
        a = b + cross(al, link.r) + cross(w, cross(w, link.r))
        found.append(_seen_from_far_end(w, al, a, end))
    return found


def _seen_from_far_end(w: SX, al: SX, a: SX, end: Transform) -> WrenchColumns:
    """`end` is frame i in the link's own frame, to which the parameters belong."""
    R, p = number(end.R), number(end.p)
    w, al, a = times(R, w), times(R, al), times(R, a)
    a = a - cross(al, p) - cross(w, cross(w, p))
    return wrench_columns(w, al, a).about(-p).turned(R.T)
