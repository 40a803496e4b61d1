"""The natural orthogonal complement: Angeles section 7.5, in base axes.

Twists are [w; velocity of the center of mass], wrenches [moment about the center of mass; force]. T
shapes the twists of all links from the joint velocities, K T = 0, and T' removes every constraint
wrench. On a base that turns (A 7.5.2) the twists are T qd plus those of a rigid arm carried along,
t = T qd + t_0; K t is then no longer zero, but K T is, and so is the power of constraints on T qd.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from linkwork.mechanics.chain.chain import E3, Chain
from linkwork.mechanics.expressions import SX, cross, skew, times, zeros


@dataclass(frozen=True)
class Configuration:
    """Places in base axes: axes e_j, joint origins o_j, centers of mass c_i, inertias I_i."""

    chain: Chain
    e: tuple[SX, ...]
    o: tuple[SX, ...]
    c: tuple[SX, ...]
    I: tuple[SX, ...]  # noqa: E741
    R_tip: SX
    o_tip: SX
    w0: SX
    al0: SX

    @property
    def turns(self) -> bool:
        """Whether the base may turn."""
        return not (self.w0.is_zero() and self.al0.is_zero())


def configuration(chain: Chain) -> Configuration:
    R, o = chain.base_R, chain.base_p
    axes, origins, centers, inertias = [], [], [], []
    for link in chain.links:
        axes.append(times(R, E3))
        origins.append(o)
        R = times(R, link.rotation.matrix)
        o = o + times(R, link.r)
        centers.append(o + times(R, link.rbar))
        inertias.append(times(times(R, link.I), R.T))
    w0, al0 = times(chain.base_R, chain.w0), times(chain.base_R, chain.al0)
    return Configuration(
        chain, tuple(axes), tuple(origins), tuple(centers), tuple(inertias), R, o, w0, al0
    )


def twist_shaping(at: Configuration) -> list[list[SX]]:
    """T_ij for j <= i: [e_j; e_j x r_ij] or [0; e_j]."""
    rows = []
    for i in range(len(at.c)):
        row = []
        for j in range(i + 1):
            if at.chain.links[j].revolute:
                row.append(ca.vertcat(at.e[j], cross(at.e[j], at.c[i] - at.o[j])))
            else:
                row.append(ca.vertcat(zeros(), at.e[j]))
        rows.append(row)
    return rows


def twists_of(at: Configuration, T: list[list[SX]], qd: SX) -> list[SX]:
    """t = T qd + t_0, seen from the base's origin O_0; t_0 = [w_0; w_0 x (c_i - o_0)]."""
    own = shaped(T, qd)
    if not at.turns:
        return own
    carried = [ca.vertcat(at.w0, cross(at.w0, c - at.o[0])) for c in at.c]
    return [a + b for a, b in zip(own, carried, strict=True)]


def carried_accelerations(at: Configuration, twists: list[SX]) -> list[SX]:
    """The rate of t_0: [al_0; al_0 x (c_i - o_0) + w_0 x cd_i]; nothing on a base that does not turn."""
    if not at.turns:
        return [zeros(6) for _ in at.c]
    return [
        ca.vertcat(at.al0, cross(at.al0, c - at.o[0]) + cross(at.w0, twist[3:6]))
        for c, twist in zip(at.c, twists, strict=True)
    ]


def twist_shaping_rate(at: Configuration, twists: list[SX]) -> list[list[SX]]:
    """Td_ij: [ed; ed x r + e x (cd_i - od_j)] or [0; ed], ed_j = w_{j-1} x e_j."""
    w = [at.w0, *[twist[0:3] for twist in twists]]
    ed = [cross(w[j], at.e[j]) for j in range(len(at.e))]
    # O_j is a point of link j-1.
    od = [zeros()]
    for j in range(1, len(at.o)):
        od.append(twists[j - 1][3:6] + cross(w[j], at.o[j] - at.c[j - 1]))
    rows = []
    for i in range(len(at.c)):
        row = []
        for j in range(i + 1):
            if at.chain.links[j].revolute:
                arm, arm_rate = at.c[i] - at.o[j], twists[i][3:6] - od[j]
                row.append(ca.vertcat(ed[j], cross(ed[j], arm) + cross(at.e[j], arm_rate)))
            else:
                row.append(ca.vertcat(zeros(), ed[j]))
        rows.append(row)
    return rows


def shaped(T: list[list[SX]], rates: SX) -> list[SX]:
    """Sum over joints of T_ij rates_j, for every link i."""
    return [sum((row[j] * rates[j] for j in range(1, len(row))), row[0] * rates[0]) for row in T]


def inertia_wrenches(at: Configuration, twists: list[SX], rates: list[SX]) -> list[SX]:
    """M td + W M t for every link, gravity excluded."""
    result = []
    for link, I, t, td in zip(at.chain.links, at.I, twists, rates, strict=True):  # noqa: E741
        moment = times(I, td[0:3]) + cross(t[0:3], times(I, t[0:3]))
        result.append(ca.vertcat(moment, link.m * td[3:6]))
    return result


def gravity_wrenches(at: Configuration) -> list[SX]:
    """w^G, A (7.49); an acceleration of the base acts like gravity."""
    gravity = times(at.chain.base_R, -at.chain.a0)
    return [ca.vertcat(zeros(), link.m * gravity) for link in at.chain.links]


def external_wrenches(at: Configuration) -> list[SX]:
    """w^E: the surroundings on the last link, minus the tip wrench."""
    f, n = times(at.R_tip, at.chain.f_tip), times(at.R_tip, at.chain.n_tip)
    moment = n + cross(at.o_tip - at.c[-1], f)
    return [*[zeros(6) for _ in at.c[:-1]], -ca.vertcat(moment, f)]


def _needed_wrenches(at: Configuration, T: list[list[SX]], qd: SX, qdd: SX) -> list[SX]:
    """What actuators, friction and constraints must supply to each link."""
    twists = twists_of(at, T, qd)
    T_rate = twist_shaping_rate(at, twists)
    parts = (shaped(T, qdd), shaped(T_rate, qd), carried_accelerations(at, twists))
    rates = [a + b + c for a, b, c in zip(*parts, strict=True)]
    inertial = inertia_wrenches(at, twists, rates)
    given = zip(inertial, gravity_wrenches(at), external_wrenches(at), strict=True)
    return [inertia - gravity - external for inertia, gravity, external in given]


def _projected(T: list[list[SX]], wrenches: list[SX]) -> list[SX]:
    """T' w."""
    n = len(T)
    return [sum((ca.dot(T[i][j], wrenches[i]) for i in range(j, n)), SX(0)) for j in range(n)]


def torques(chain: Chain, qd: SX, qdd: SX) -> list[SX]:
    """Joint torques and forces of a chain, A (7.57)."""
    at = configuration(chain)
    T = twist_shaping(at)
    return _projected(T, _needed_wrenches(at, T, qd, qdd))


def generalized_inertia(chain: Chain) -> SX:
    """I = T' M T, A (7.58)."""
    at = configuration(chain)
    T = twist_shaping(at)
    n = len(T)
    result = SX(n, n)
    for j in range(n):
        momenta = [
            ca.vertcat(times(at.I[i], T[i][j][0:3]), chain.links[i].m * T[i][j][3:6])
            for i in range(j, n)
        ]
        for k in range(j + 1):
            total = sum(ca.dot(T[i][k], momenta[i - j]) for i in range(j, n))
            result[j, k] = result[k, j] = total
    return result


def constraint_matrix(at: Configuration) -> SX:
    """K with K t = 0 for every motion that the joints allow; six rows per joint."""
    n = len(at.c)
    K = SX(ca.DM.zeros(6 * n, 6 * n))
    one = SX.eye(3)
    for i in range(n):
        rows = slice(6 * i, 6 * i + 3), slice(6 * i + 3, 6 * i + 6)
        w, v = rows  # columns of link i
        E = skew(at.e[i])
        if at.chain.links[i].revolute:
            K[rows[0], w] = E
            K[rows[1], w] = skew(at.c[i] - at.o[i])
            K[rows[1], v] = one
        else:
            K[rows[0], w] = one
            K[rows[1], v] = E
            if i == 0:  # link 0 stands still, so its angular velocity is that of link 1
                K[rows[1], w] = times(E, skew(at.c[0]))
        if i:
            w0, v0 = slice(6 * i - 6, 6 * i - 3), slice(6 * i - 3, 6 * i)  # of link i-1
            if at.chain.links[i].revolute:
                K[rows[0], w0] = -E
                K[rows[1], w0] = skew(at.o[i] - at.c[i - 1])
                K[rows[1], v0] = -one
            else:
                K[rows[0], w0] = -one
                K[rows[1], w0] = times(E, skew(at.c[i] - at.c[i - 1]))
                K[rows[1], v0] = -E
    return K


def joint_axis_wrenches(at: Configuration, tau: list[SX]) -> list[SX]:
    """w^A or w^D: what acts at a joint pushes its link and, back, the link before, along its axis."""
    n = len(at.c)
    result = [zeros(6) for _ in range(n)]
    for j in range(n):
        push = at.e[j] * tau[j]
        for i, sign in ((j, 1), (j - 1, -1)):
            if i < 0:
                continue
            if at.chain.links[j].revolute:
                result[i] = result[i] + sign * ca.vertcat(push, zeros())
            else:
                moment = cross(at.o[j] - at.c[i], push)
                result[i] = result[i] + sign * ca.vertcat(moment, push)
    return result


def _filled(T: list[list[SX]]) -> SX:
    n = len(T)
    full = SX(ca.DM.zeros(6 * n, n))
    for i, row in enumerate(T):
        for j, block in enumerate(row):
            full[6 * i : 6 * i + 6, j] = block
    return full


def complement(chain: Chain, qd: SX, qdd: SX, friction: SX) -> dict[str, SX]:
    """T, its rate, K, T'MT and the wrenches of A (7.48): M td + W M t = w^A + w^G + w^E + w^D + w^C.

    Args:
        friction: torques that friction takes at every joint; actuators supply them, w^D takes them.
    """
    at = configuration(chain)
    T = twist_shaping(at)
    needed = _needed_wrenches(at, T, qd, qdd)
    taken = ca.vertsplit(friction)
    tau = [rigid + lost for rigid, lost in zip(_projected(T, needed), taken, strict=True)]
    active, dissipative = (
        joint_axis_wrenches(at, torques) for torques in (tau, [-lost for lost in taken])
    )
    constraint = [n - a - d for n, a, d in zip(needed, active, dissipative, strict=True)]
    return {
        "T": _filled(T),
        "T_rate": _filled(twist_shaping_rate(at, twists_of(at, T, qd))),
        "K": constraint_matrix(at),
        "inertia": generalized_inertia(chain),
        "actuator_wrench": ca.vertcat(*active),
        "constraint_wrench": ca.vertcat(*constraint),
        "gravity_wrench": ca.vertcat(*gravity_wrenches(at)),
        "external_wrench": ca.vertcat(*external_wrenches(at)),
        "dissipative_wrench": ca.vertcat(*dissipative),
    }
