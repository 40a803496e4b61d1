"""The Gibbs-Appell equations: P. Appell, J. reine angew. Math. 121 (1900) 310, for arms.

One scalar, the Gibbs function ("energy of accelerations") of the links,

    S = sum_i  m a*.a* / 2  +  al.I al / 2  +  al.(w x I w),    tau_i = dS/dqdd_i,

without the terms that contain no acceleration, as V. Mata, S. Provenzano, F. Valero and J. I. Cuadrado
(Mech. Mach. Theory 37 (2002) 739) write it for robots. Otherwise than there, the derivative is taken
of the expression of S itself, in reverse: that is a recursion from tip to base as they derive by hand.
Gravity is an acceleration of the base, the base may move, and a tip wrench adds f.a_n + n.al_n to S.
"""

from __future__ import annotations

import casadi as ca

from linkwork.mechanics.chain.chain import Chain
from linkwork.mechanics.expressions import SX, cross, dot, times


def gibbs_function(chain: Chain, qd: SX, qdd: SX) -> SX:
    """S of all links, and what a load at the tip adds; link i in frame i."""
    S = SX(0)
    w, al, a = chain.w0, chain.al0, chain.a0
    for k, link in enumerate(chain.links):
        w, al, b = link.moved(w, al, a, qd[k], qdd[k])
        a = cross(al, link.r) + cross(w, cross(w, link.r)) + b
        a_star = cross(al, link.rbar) + cross(w, cross(w, link.rbar)) + a
        S = S + link.m / 2 * dot(a_star, a_star)
        S = S + dot(al, times(link.I / 2, al) + cross(w, times(link.I, w)))
    return S + dot(a, chain.f_tip) + dot(al, chain.n_tip)


def torques(chain: Chain, qd: SX, qdd: SX) -> list[SX]:
    """Joint torques and forces."""
    any_qdd = SX.sym("qdd", len(chain.links))
    by_acceleration = ca.gradient(gibbs_function(chain, qd, any_qdd), any_qdd)
    return ca.vertsplit(ca.substitute(by_acceleration, any_qdd, SX(qdd)))
