"""The recursions of Angeles, Algorithms 7.4.1 and 7.4.2, with a moving base and a tip wrench.

His frame F_{i+1} is frame i here, and his O_i is O_{i-1}. Corrected: in 7.4.1 the prismatic branch
rotates b e, bd e and bdd e with Q'; in (7.38d) the arm of a prismatic joint contains b_{i+1} e_{i+1};
in 7.4.2 every wrench is rotated into frame i before its z component is read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from linkwork.mechanics.chain.chain import Chain, Link
from linkwork.mechanics.expressions import SX, cross, times, vector, zeros


@dataclass(frozen=True)
class CenterOfMassMotion:
    """Of one link: angular velocity, acceleration; center of mass, its velocity, acceleration."""

    w: SX
    wd: SX
    c: SX
    cd: SX
    cdd: SX


def outward(
    base: CenterOfMassMotion, delta0: SX, links: Sequence[Link], q: SX, qd: SX, qdd: SX
) -> list[CenterOfMassMotion]:
    """Algorithm 7.4.1. `delta0` leads from the base's center of mass to O_0."""
    motions = []
    previous, delta = base, delta0  # delta: from the previous center of mass to O_i
    for k, link in enumerate(links):
        p, to_child = previous, link.rotation.to_child
        if link.revolute:
            w = to_child(p.w + vector(0, 0, qd[k]))
            u = cross(p.w, delta)
            v = cross(w, link.rho)
            c = to_child(p.c + delta) + link.rho
            cd = to_child(p.cd + u) + v
            wd = to_child(p.wd + vector(p.w[1] * qd[k], -p.w[0] * qd[k], qdd[k]))
            cdd = (
                to_child(p.cdd + cross(p.wd, delta) + cross(p.w, u)) + cross(wd, link.rho) + cross(w, v)
            )
        else:
            u = to_child(delta + vector(0, 0, q[k])) + link.rho
            w, wd = to_child(p.w), to_child(p.wd)
            v = cross(w, u)
            c = to_child(p.c) + u
            cd = to_child(p.cd + vector(0, 0, qd[k])) + v
            twice = 2 * qd[k]
            coriolis = vector(twice * p.w[1], -(twice * p.w[0]), qdd[k])
            cdd = to_child(p.cdd + coriolis) + cross(wd, u) + cross(w, v)
        previous = CenterOfMassMotion(w, wd, c, cd, cdd)
        motions.append(previous)
        delta = -link.rbar
    return motions


@dataclass(frozen=True)
class JointWrench:
    """Force and moment on link i at its joint: f, n in frame i, phi, nu the same in frame i-1."""

    f: SX
    n: SX
    phi: SX
    nu: SX


def inward(chain: Chain, q: SX, motions: list[CenterOfMassMotion]) -> list[JointWrench]:
    """Algorithm 7.4.2. Moments are about O_i, or about O_i + b_i e_i at a prismatic joint."""
    phi, nu = chain.f_tip, chain.n_tip  # wrench on what follows, in frame i
    arm = -chain.links[-1].rbar  # from the center of mass to where phi acts
    result = []
    for k in reversed(range(len(chain.links))):
        link, motion = chain.links[k], motions[k]
        inertial = times(link.I, motion.wd) + cross(motion.w, times(link.I, motion.w))
        f = link.m * motion.cdd + phi
        n = inertial + cross(link.rho, f) + nu + cross(arm, phi)
        phi, nu = link.rotation.to_parent(f), link.rotation.to_parent(n)
        result.append(JointWrench(f, n, phi, nu))
        if k:
            slide = zeros() if link.revolute else vector(0, 0, q[k])
            arm = -chain.links[k - 1].rbar + slide
    return result[::-1]


def torques(chain: Chain, q: SX, qd: SX, qdd: SX) -> list[SX]:
    """Joint torques and forces: z components at the joint, A (7.39), (7.40)."""
    base = CenterOfMassMotion(chain.w0, chain.al0, zeros(), zeros(), chain.a0)  # center of mass at O_0
    wrenches = inward(chain, q, outward(base, zeros(), chain.links, q, qd, qdd))
    pairs = zip(chain.links, wrenches, strict=True)
    return [wrench.nu[2] if link.revolute else wrench.phi[2] for link, wrench in pairs]
