"""Newton-Euler recursion of Luh, Walker and Paul: Turney (3.15)-(3.21), Lee (3.21)-(3.27).

Corrected: T (3.16) needs w_{i-1} and (3.18) rbar; L is right as printed. Prismatic joints added.
f_i and n_i are in frame i, n_i about O_{i-1}.
"""

from __future__ import annotations

from collections.abc import Callable

from linkwork.mechanics.chain.chain import Chain
from linkwork.mechanics.expressions import SX, cross, dot, times

Swing = Callable[[SX, SX], Callable[[SX], SX]]


def swing_by_products(w: SX, al: SX) -> Callable[[SX], SX]:
    """b -> w x (w x b) + al x b, the way Lee counts it: w (w.b) - (w.w) b + al x b."""
    ww = dot(w, w)
    return lambda b: dot(w, b) * w - ww * b + cross(al, b)


def wrenches(chain: Chain, qd: SX, qdd: SX, swing_of: Swing = swing_by_products) -> list[tuple[SX, SX]]:
    """Force and moment (f_i, n_i) of link i-1 on link i."""
    motions = []
    w, al, a = chain.w0, chain.al0, chain.a0
    for k, link in enumerate(chain.links):
        w, al, b = link.moved(w, al, a, qd[k], qdd[k])  # T (3.15), (3.16)
        swing = swing_of(w, al)
        a = swing(link.r) + b  # T (3.17)
        abar = swing(link.rbar) + a  # T (3.18)
        motions.append((w, al, abar))

    result: list[tuple[SX, SX]] = []
    f, n = chain.f_tip, chain.n_tip
    for link, (w, al, abar) in zip(reversed(chain.links), reversed(motions), strict=True):
        F = link.m * abar
        N = times(link.I, al) + cross(w, times(link.I, w))
        n = N + cross(link.s, F) + cross(link.r, f) + n  # T (3.20)
        f = F + f  # T (3.19)
        result.append((f, n))
        f, n = link.rotation.to_parent(f), link.rotation.to_parent(n)
    return result[::-1]


def torques(chain: Chain, qd: SX, qdd: SX, swing_of: Swing = swing_by_products) -> list[SX]:
    """Joint torques and forces, T (3.21)."""
    pairs = zip(chain.links, wrenches(chain, qd, qdd, swing_of), strict=True)
    return [link.along_axis(f, n) for link, (f, n) in pairs]
