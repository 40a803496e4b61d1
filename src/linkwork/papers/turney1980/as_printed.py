"""Turney's and Lee's recursions with one misprint at a time taken literally."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import casadi as ca

from linkwork.mechanics.chain import newton_euler
from linkwork.mechanics.chain.chain import Chain, Link
from linkwork.mechanics.chain.modified_newton_euler import twice_antisymmetric
from linkwork.mechanics.expressions import SX, acceleration_operator, cross, times, vector
from linkwork.papers.random_arms import Misprints, median_errors

Operator = Callable[[SX, SX], SX]
Inertial = Callable[[SX, SX], SX]
Moved = Callable[[Link, SX, SX, SX, SX, SX], tuple[SX, SX, SX]]


def _moved(link: Link, w: SX, al: SX, a: SX, qd: SX, qdd: SX) -> tuple[SX, SX, SX]:
    return link.moved(w, al, a, qd, qdd)


def modified(
    chain: Chain,
    qd: SX,
    qdd: SX,
    operator: Operator = acceleration_operator,
    inertial: Inertial = twice_antisymmetric,
    moved: Moved = _moved,
) -> list[SX]:
    """T (5.1), (5.2) with exchangeable parts."""
    motions = []
    w, al, a = chain.w0, chain.al0, chain.a0
    for k, link in enumerate(chain.links):
        w, al, b = moved(link, w, al, a, qd[k], qdd[k])
        A = operator(w, al)
        motions.append((A, times(A, link.ms) + link.m * b))
        a = times(A, link.r) + b
    torques = []
    f, n = chain.f_tip, chain.n_tip
    for link, (A, F) in zip(reversed(chain.links), reversed(motions), strict=True):
        n = inertial(A, link.K) + cross(link.s, F) + cross(link.r, f) + n
        f = F + f
        torques.append(link.along_axis(f, n))
        f, n = link.rotation.to_parent(f), link.rotation.to_parent(n)
    return torques[::-1]


def _w_of_this_link(link: Link, w: SX, al: SX, a: SX, qd: SX, qdd: SX) -> tuple[SX, SX, SX]:
    """(3.16) with w_i where w_{i-1} belongs."""
    own, _, b = link.moved(w, al, a, qd, qdd)
    spin = vector(own[1] * qd, -own[0] * qd, qdd)
    return own, link.rotation.to_child(al + spin), b


def _wrong_corner(w: SX, al: SX) -> SX:
    """A with al_z in element (3, 2)."""
    A = acceleration_operator(w, al)
    A[2, 1] = w[2] * w[1] + al[2]
    return A


def _wrong_sign(A: SX, K: SX) -> SX:
    """n_x as (AK)_yz - (AK)_zy, and n_y and n_z likewise."""
    return -twice_antisymmetric(A, K)


def _with_links(chain: Chain, change: Callable[[Link], Link]) -> Chain:
    return replace(chain, links=tuple(change(link) for link in chain.links))


def _outer(v: SX) -> SX:
    return times(v, v.T)


def _moved_inertia(link: Link) -> Link:
    """K about the (i-1)th origin instead of the center of mass."""
    return replace(link, K=link.K + link.m * _outer(link.s))


def _principal(link: Link) -> Link:
    """Products of inertia left out, as (1.26) does."""
    return replace(link, K=ca.diag(ca.diag(link.K)))


def _without_mass(link: Link) -> Link:
    """I from L (2.21), which takes rbar rbar' off J without its factor m."""
    J = link.K + link.m * _outer(link.rbar) - _outer(link.rbar)
    return replace(link, I=ca.trace(J) * SX.eye(3) - J)


MISPRINTS: Misprints = {
    "T (3.16)": (
        r"\(\omega_i\times z_{i-1}\,\dot q_i\)",
        r"\(\omega_{i-1}\times z_{i-1}\,\dot q_i\)",
        lambda chain, q, qd, qdd: modified(chain, qd, qdd, moved=_w_of_this_link),
    ),
    "T (3.18)": (
        r"\(\bar a_i = A_i\,r_i + a_i\)",
        r"\(\bar a_i = A_i\,\bar r_i + a_i\)",
        lambda chain, q, qd, qdd: newton_euler.torques(
            _with_links(chain, lambda link: replace(link, rbar=link.r)), qd, qdd
        ),
    ),
    "T section 5, A": (
        r"\(A_{32} = \omega_y\omega_z + \alpha_z\)",
        r"\(A_{32} = \omega_y\omega_z + \alpha_x\)",
        lambda chain, q, qd, qdd: modified(chain, qd, qdd, operator=_wrong_corner),
    ),
    "T section 5, K": (
        r"\(K_i\) 'about the (i-1)th origin'",
        r"\(K_i = \frac{1}{2}\mathrm{tr}(I_i)E - I_i\), about the center of mass",
        lambda chain, q, qd, qdd: modified(_with_links(chain, _moved_inertia), qd, qdd),
    ),
    "T after (5.2)": (
        r"\(n_x = (AK)_{yz} - (AK)_{zy}\), 'and similar'",
        r"\(n_x = (AK)_{zy} - (AK)_{yz}\) and cyclic",
        lambda chain, q, qd, qdd: modified(chain, qd, qdd, inertial=_wrong_sign),
    ),
    "T (1.26)": (
        "no products of inertia: principal axes, as it assumes",
        "they are there unless axes are principal",
        lambda chain, q, qd, qdd: modified(_with_links(chain, _principal), qd, qdd),
    ),
    "L (2.21)": (
        r"\(J_i - \bar r_i\bar r_i^t\)",
        r"\(J_i - m_i\,\bar r_i\bar r_i^t\)",
        lambda chain, q, qd, qdd: newton_euler.torques(_with_links(chain, _without_mass), qd, qdd),
    ),
}


# What no damage of the reading explains; (1.26) is right under the report's own assumption.
CERTAIN = ("T section 5, K", "T after (5.2)", "L (2.21)")


def misprint_errors() -> dict[str, float]:
    """Median relative torque errors."""
    rules = {where: rule for where, (_, _, rule) in MISPRINTS.items()}
    rules["none"] = lambda chain, q, qd, qdd: modified(chain, qd, qdd)
    return median_errors(rules)
