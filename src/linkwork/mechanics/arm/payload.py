"""A load in the hand: what it adds to an arm, linear in its ten inertial parameters.

The load is known by mass m, first moment h and inertia J about the origin of the last frame, in that
frame. It acts on the last link with the wrench that its motion needs, so it enters every formulation
as a tip wrench.
"""

from __future__ import annotations

from dataclasses import replace

import casadi as ca

from linkwork.mechanics.arm.chain import Chain
from linkwork.mechanics.arm.kinematics import far_frames, frame_jacobian
from linkwork.mechanics.arm.modified_newton_euler import acceleration_operator, twice_antisymmetric
from linkwork.mechanics.bodies import CompositeBody
from linkwork.mechanics.expressions import SX, cross, skew, times


def tip_motion(chain: Chain, qd: SX, qdd: SX) -> tuple[SX, SX, SX]:
    """Angular velocity and acceleration of the last link; acceleration of its origin less gravity."""
    w, al, a = chain.w0, chain.al0, chain.a0
    for k, link in enumerate(chain.links):
        w, al, b = link.moved(w, al, a, qd[k], qdd[k])
        a = times(acceleration_operator(w, al), link.r) + b
    return w, al, a


def loaded(chain: Chain, qd: SX, qdd: SX, load: CompositeBody) -> Chain:
    """The chain with the wrench that the load needs for this motion at its tip."""
    w, al, a = tip_motion(chain, qd, qdd)
    A = acceleration_operator(w, al)
    K = ca.trace(load.J) / 2 * SX.eye(3) - load.J
    f = load.m * a + times(A, load.h)
    n = twice_antisymmetric(A, K) + cross(load.h, a)
    return replace(chain, f_tip=chain.f_tip + f, n_tip=chain.n_tip + n)


def mass_matrix(chain: Chain, load: CompositeBody) -> SX:
    """What the load adds to M: J' [[m E, -h~], [h~, J]] J with the Jacobian of the last frame."""
    tip = far_frames(chain)[-1]
    R, last = tip[0:3, 0:3], len(chain.links) - 1
    jacobian = frame_jacobian(chain, tip[0:3, 3], last)
    h = skew(times(R, load.h))
    inertia = times(times(R, load.J), R.T)
    whole = ca.vertcat(ca.horzcat(load.m * SX.eye(3), -h), ca.horzcat(h, inertia))
    return times(times(jacobian.T, whole), jacobian)


def scaled(chain: Chain, factors: SX) -> Chain:
    """The chain with the mass and inertia of every link multiplied by a factor."""
    links = tuple(
        replace(
            link,
            m=factors[k] * link.m,
            ms=factors[k] * link.ms,
            I=factors[k] * link.I,
            K=factors[k] * link.K,
        )
        for k, link in enumerate(chain.links)
    )
    return replace(chain, links=links)
