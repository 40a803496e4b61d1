"""Lagrange's equations by recursion: J. M. Hollerbach, IEEE Trans. Syst., Man, Cybern. 10 (1980) 730.

His form with 3 x 3 rotations. W_i takes frame i to the base and p_i leads to O_i; with A_i = R_{i-1}^i

    tau_i = tr(dW_i/dq_i D_i) - g'. dW_i/dq_i c_i.

D_i, e_i and c_i are summed from the tip: places from O_{i-1} in frame i (rows) times accelerations in
the base (columns); forces; moments of mass. Otherwise than there: places are from O_{i-1}, about which
joint i turns, so that the frames need not be Denavit and Hartenberg's; prismatic joints, a tip wrench
and a base that moves are added. "The base" is frame 0; one that turns begins with W' and W'' of its own.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from linkwork.mechanics.chain.chain import E3, Chain
from linkwork.mechanics.expressions import SX, dot, skew, times, zeros


def turned(A: SX) -> SX:
    """dA/dq of a turn about z: rows move, which costs nothing."""
    return ca.vertcat(-A[1, :], A[0, :], SX(1, 3))


@dataclass(frozen=True)
class LinkMotion:
    """What joint i moves by (dW_i/dq_i of a turn, dp_i/dq_i of a slide), W''_i and p''_i."""

    by_q: SX
    Wdd: SX
    pdd: SX


def outward(chain: Chain, qd: SX, qdd: SX) -> tuple[list[LinkMotion], SX]:
    """W_i = W_{i-1} A_i and p_i = p_{i-1} + W_i r_i, differentiated twice; and W_n."""
    W, Wd, pdd = SX.eye(3), skew(chain.w0), zeros()
    Wdd = skew(chain.al0) + times(Wd, Wd)
    found = []
    for k, link in enumerate(chain.links):
        A = link.rotation.matrix
        if link.revolute:
            QA = turned(A)
            by_q = times(W, QA)
            Wdd = times(Wdd, A) + 2 * qd[k] * times(Wd, QA) + qd[k] ** 2 * times(W, turned(QA))
            Wdd, Wd = Wdd + qdd[k] * by_q, times(Wd, A) + qd[k] * by_q
        else:
            by_q = times(W, E3)
            pdd = pdd + 2 * qd[k] * times(Wd, E3) + qdd[k] * by_q
            Wd, Wdd = times(Wd, A), times(Wdd, A)
        W, pdd = times(W, A), pdd + times(Wdd, link.r)
        found.append(LinkMotion(by_q, Wdd, pdd))
    return found, W


def torques(chain: Chain, qd: SX, qdd: SX) -> list[SX]:
    """Joint torques and forces."""
    motions, W = outward(chain, qd, qdd)
    D = (times(W, skew(chain.n_tip)) / 2).T  # about O_i, in frame i: the moment on the surroundings
    e, c, mass = times(W, chain.f_tip).T, zeros(), SX(0)
    result = []
    for link, motion in zip(reversed(chain.links), reversed(motions), strict=True):
        first = link.m * link.rbar
        J = link.K + times(first, link.rbar.T)  # integral of x x' over the link, about O_i
        D = D + times(J, motion.Wdd.T) + times(first, motion.pdd.T)
        e = e + link.m * motion.pdd.T + times(motion.Wdd, first).T
        c, mass = c + first, mass + link.m
        D, c = D + times(link.r, e), c + mass * link.r  # about O_{i-1}
        if link.revolute:
            traced = ca.trace(times(motion.by_q, D))
            result.append(traced + dot(chain.a0, times(motion.by_q, c)))  # a0 is -g
        else:
            result.append(dot(motion.by_q, e.T + mass * chain.a0))
        A = link.rotation.matrix
        D, c = times(A, D), times(A, c)
    return result[::-1]
