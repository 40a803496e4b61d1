"""Kane's equations: T. R. Kane and D. A. Levinson, Dynamics: Theory and Applications, 1985, for arms.

K: the book's sections. Generalized speeds are the joint rates, u_r = qd_r, as in their paper on robots
(Int. J. Robotics Research 2(3), 1983). Otherwise than there: accelerations come from the recursion of
the chain instead of intermediate quantities Z found by hand for one arm; gravity is an acceleration of
the base instead of a contribution to the active forces; and the base may move. Link i in frame i.
"""

from __future__ import annotations

from dataclasses import dataclass

from linkwork.mechanics.chain.chain import Chain, Link
from linkwork.mechanics.expressions import SX, cross, dot, times, zeros


@dataclass(frozen=True)
class Partial:
    """Partial angular velocity of a link and partial velocity of a point of it, for one u_r."""

    w: SX
    v: SX

    def carried(self, link: Link) -> Partial:
        """To the next link, and there to O_i: the rate of link i's own joint does not enter."""
        w, v = link.rotation.to_child(self.w), link.rotation.to_child(self.v)
        return Partial(w, v + cross(w, link.r))

    def at(self, arm: SX) -> SX:
        """Partial velocity of another point of the same link."""
        return self.v + cross(self.w, arm)


def own_partial(link: Link) -> Partial:
    """Of the link that the joint moves, at O_i."""
    if link.revolute:
        return Partial(link.z, cross(link.z, link.r))
    return Partial(zeros(), link.z)


def torques(chain: Chain, qd: SX, qdd: SX) -> list[SX]:
    """Joint torques and forces: the part of F_r that balances F*_r and the load at the tip."""
    n = len(chain.links)
    total = [SX(0)] * n
    partials: list[Partial] = []
    w, al, a = chain.w0, chain.al0, chain.a0
    for k, link in enumerate(chain.links):
        partials = [*(each.carried(link) for each in partials), own_partial(link)]  # K 2.14
        w, al, b = link.moved(w, al, a, qd[k], qdd[k])
        a = cross(al, link.r) + cross(w, cross(w, link.r)) + b
        a_star = cross(al, link.rbar) + cross(w, cross(w, link.rbar)) + a
        R_star = -link.m * a_star  # K 4.11: inertia force
        T_star = -(times(link.I, al) + cross(w, times(link.I, w)))  # K 4.11: inertia torque
        for r, each in enumerate(partials):
            inertia_force = dot(each.w, T_star) + dot(each.at(link.rbar), R_star)  # K 4.11: F*_r
            total[r] = total[r] - inertia_force  # K 6.1: F_r + F*_r = 0
    for r, each in enumerate(partials):  # K 4.6: the surroundings push back at O_n
        total[r] = total[r] + dot(each.w, chain.n_tip) + dot(each.v, chain.f_tip)
    return total
