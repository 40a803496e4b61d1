"""Turney's modified Newton-Euler set, section 5.

Corrected: A(3,2) is w_z w_y + al_x; K is about the center of mass; n_x is (AK)_zy - (AK)_yz. K may be
full, not only diagonal, and prismatic joints are added.
"""

from __future__ import annotations

from collections.abc import Callable

import casadi as ca

from linkwork.mechanics.chain.chain import Chain
from linkwork.mechanics.expressions import SX, acceleration_operator, cross, times


def swing_by_operator(w: SX, al: SX) -> Callable[[SX], SX]:
    """b -> A b, which lets the plain recursion share A as Turney's Table 3 does."""
    A = acceleration_operator(w, al)
    return lambda b: times(A, b)


X, Y, Z = [0, 1, 2], [1, 2, 0], [2, 0, 1]  # axes, and those that follow them


def _places(rows: list[int], columns: list[int]) -> list[int]:
    """Where the elements (rows[k], columns[k]) stand in a matrix written column by column."""
    return [i + 3 * j for i, j in zip(rows, columns, strict=True)]


ZY, YZ, ZX, YX = _places(Z, Y), _places(Y, Z), _places(Z, X), _places(Y, X)
YY, ZZ = _places(Y, Y), _places(Z, Z)


def twice_antisymmetric(A: SX, K: SX) -> SX:
    """The vector of A K - (A K)' for symmetric K: equals I al + w x I w.

    Its x component is A_zy K_yy - A_yz K_zz + (A_zz - A_yy) K_yz + A_zx K_xy - A_yx K_xz.
    """
    a, k = ca.vec(A), ca.vec(K)
    return a[ZY] * k[YY] - a[YZ] * k[ZZ] + (a[ZZ] - a[YY]) * k[YZ] + a[ZX] * k[YX] - a[YX] * k[ZX]


def wrenches(chain: Chain, qd: SX, qdd: SX) -> list[tuple[SX, SX]]:
    """Force and moment (f_i, n_i) of link i-1 on link i, T (5.1), (5.2)."""
    motions = []
    w, al, a = chain.w0, chain.al0, chain.a0
    for k, link in enumerate(chain.links):
        w, al, b = link.moved(w, al, a, qd[k], qdd[k])
        A = acceleration_operator(w, al)
        F = times(A, link.ms) + link.m * b  # m abar
        a = times(A, link.r) + b
        motions.append((A, F))

    result: list[tuple[SX, SX]] = []
    f, n = chain.f_tip, chain.n_tip
    for link, (A, F) in zip(reversed(chain.links), reversed(motions), strict=True):
        N = twice_antisymmetric(A, link.K)
        n = N + cross(link.s, F) + cross(link.r, f) + n
        f = F + f
        result.append((f, n))
        f, n = link.rotation.to_parent(f), link.rotation.to_parent(n)
    return result[::-1]


def torques(chain: Chain, qd: SX, qdd: SX) -> list[SX]:
    """Joint torques and forces, T (3.21)."""
    pairs = zip(chain.links, wrenches(chain, qd, qdd), strict=True)
    return [link.along_axis(f, n) for link, (f, n) in pairs]
