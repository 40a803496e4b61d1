"""Algorithms 7.4.1 and 7.4.2 with one misprint at a time taken literally."""

from __future__ import annotations

from collections.abc import Sequence

from linkwork.mechanics.chain import angeles
from linkwork.mechanics.chain.angeles import CenterOfMassMotion
from linkwork.mechanics.chain.chain import Chain, Link
from linkwork.mechanics.expressions import SX, cross, times, vector, zeros
from linkwork.papers.random_arms import Misprints, Torques, median_errors


def _sliding(p: CenterOfMassMotion, delta: SX, link: Link, b: SX, bd: SX, bdd: SX) -> CenterOfMassMotion:
    """The prismatic branch of 7.4.1 as printed: b e, bd e and bdd e are not turned by Q'."""
    to_child = link.rotation.to_child
    e, slide = vector(0, 0, b), vector(0, 0, bd)
    u = to_child(delta) + link.rho + e
    w, wd = to_child(p.w), to_child(p.wd)
    v = cross(w, u)
    cdd = to_child(p.cdd) + cross(wd, u) + cross(w, v + slide + slide) + vector(0, 0, bdd)
    return CenterOfMassMotion(w, wd, to_child(p.c) + u, to_child(p.cd) + v + slide, cdd)


def _outward(
    base: CenterOfMassMotion, links: Sequence[Link], q: SX, qd: SX, qdd: SX
) -> list[CenterOfMassMotion]:
    motions, previous, delta = [], base, zeros()
    for k, link in enumerate(links):
        if link.revolute:
            one = angeles.outward(previous, delta, [link], q[k], qd[k], qdd[k])
            previous = one[0]
        else:
            previous = _sliding(previous, delta, link, q[k], qd[k], qdd[k])
        motions.append(previous)
        delta = -link.rbar
    return motions


def _base(chain: Chain) -> CenterOfMassMotion:
    return CenterOfMassMotion(chain.w0, chain.al0, zeros(), zeros(), chain.a0)


def _read(chain: Chain, wrenches: list[angeles.JointWrench]) -> list[SX]:
    pairs = zip(chain.links, wrenches, strict=True)
    return [one.nu[2] if link.revolute else one.phi[2] for link, one in pairs]


def prismatic_branch(chain: Chain, q: SX, qd: SX, qdd: SX) -> list[SX]:
    """7.4.1 with its prismatic branch as printed, 7.4.2 right."""
    motions = _outward(_base(chain), chain.links, q, qd, qdd)
    return _read(chain, angeles.inward(chain, q, motions))


def _slide_beyond(chain: Chain, q: SX, k: int) -> SX:
    """b_{i+1} e_{i+1}, what (7.38d) leaves out, for link k counted from 0."""
    beyond = chain.links[k + 1 : k + 2]
    return vector(0, 0, q[k + 1]) if beyond and not beyond[0].revolute else zeros()


def _wrenches(
    chain: Chain, q: SX, motions: list[CenterOfMassMotion], turned: bool, slides: bool
) -> list[SX]:
    """7.4.2; its arms with b_{i+1} e_{i+1} if `slides`.

    With `turned` False with its frames as printed: Q_i where Q_{i+1} belongs, and z components read in
    frame i+1.
    """
    n = len(chain.links)
    torques = []
    f, m = chain.f_tip, chain.n_tip
    for k in reversed(range(n)):
        link, motion = chain.links[k], motions[k]
        inertial = times(link.I, motion.wd) + cross(motion.w, times(link.I, motion.w))
        arm = _slide_beyond(chain, q, k) * slides - link.rbar
        force = link.m * motion.cdd + f
        moment = inertial + cross(link.rho, force) + m + cross(arm, f)
        here = link.rotation.to_parent
        if turned:
            f, m = here(force), here(moment)
            torques.append(m[2] if link.revolute else f[2])
        else:
            torques.append(moment[2] if link.revolute else force[2])
            if k:
                wrong = chain.links[k - 1].rotation.to_parent
                f, m = wrong(force), wrong(moment)
    return torques[::-1]


def _right_motions(chain: Chain, q: SX, qd: SX, qdd: SX) -> list[CenterOfMassMotion]:
    return angeles.outward(_base(chain), zeros(), chain.links, q, qd, qdd)


def short_arm(chain: Chain, q: SX, qd: SX, qdd: SX) -> list[SX]:
    """(7.38d) without b_{i+1} e_{i+1}."""
    return _wrenches(chain, q, _right_motions(chain, q, qd, qdd), turned=True, slides=False)


def frames(chain: Chain, q: SX, qd: SX, qdd: SX) -> list[SX]:
    """7.4.2 with its frames as printed, arms put right."""
    return _wrenches(chain, q, _right_motions(chain, q, qd, qdd), turned=False, slides=True)


def turned_first(chain: Chain, q: SX, qd: SX, qdd: SX) -> list[SX]:
    """7.4.2 in its other reading: all that belongs to link i is turned into F_i before the algorithm.

    Then Q_i is the right matrix and the printed algorithm is right (b_{i+1} e_{i+1} added).
    """
    motions = _right_motions(chain, q, qd, qdd)
    torques: list[SX] = []
    f, m = chain.f_tip, chain.n_tip  # in F_{n+1}
    for k in reversed(range(len(chain.links))):
        link, motion = chain.links[k], motions[k]
        here = link.rotation.to_parent  # Q_i
        w, wd, cdd = here(motion.w), here(motion.wd), here(motion.cdd)
        R = link.rotation.matrix
        inertia = times(times(R, link.I), R.T)
        phi, rho, delta = here(f), here(link.rho), here(_slide_beyond(chain, q, k) - link.rbar)
        force = link.m * cdd + phi
        moment = times(inertia, wd) + cross(w, times(inertia, w)) + cross(rho, force)
        f, m = force, moment + here(m) + cross(delta, phi)
        torques.append(m[2] if link.revolute else f[2])
    return torques[::-1]


MISPRINTS: Misprints = {
    "Algorithm 7.4.1, P": (
        r"\(u_i = Q^T\delta_{i-1} + \rho_i + b_i e_i\), likewise \(\dot b_i e_i\), \(\ddot b_i e_i\)",
        r"\(u_i = Q^T(\delta_{i-1} + b_i e_i) + \rho_i\); \(Q^T\) on all three",
        prismatic_branch,
    ),
    "(7.38d)": (
        r"\(\delta_i\times f_{i+1}^P\)",
        r"\((\delta_i + b_{i+1}e_{i+1})\times f_{i+1}^P\) if joint i+1 is prismatic",
        short_arm,
    ),
    "Algorithm 7.4.2": (
        r"\(\phi_{i+1} = Q_i\,f_{i+1}^P,\ \tau_i = (n_i^P)_z\), link i as 7.4.1 leaves it",
        r"\(f_i^P = m_i\ddot c_i + \phi_{i+1}\) in \(F_{i+1}\), then \(\phi_i = Q_i f_i^P\), "
        r"\(\tau_i = (Q_i n_i^P)_z\)",
        frames,
    ),
}
OTHER_READING = "Algorithm 7.4.2, other reading"


def misprint_errors() -> dict[str, float]:
    """Median relative torque errors, on arms a third of whose joints are prismatic."""
    rules: dict[str, Torques] = {where: rule for where, (_, _, rule) in MISPRINTS.items()}
    rules[OTHER_READING] = turned_first
    rules["none"] = angeles.torques
    return median_errors(rules, prismatic=True)
