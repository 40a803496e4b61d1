"""Mass matrix by composite bodies: Walker and Orin's recursion, cheaper than strobing.

When only joint j accelerates, the links from j outward move as one body. That body is carried
inward link by link as (mass, first moment, second moment) about the near joint, in frame j-1.
"""

from __future__ import annotations

import casadi as ca

from linkwork.mechanics.bodies import CompositeBody
from linkwork.mechanics.chain.chain import Chain, JointTurn, Link
from linkwork.mechanics.expressions import SX, cross, times, vector


def about_far_end(link: Link) -> CompositeBody:
    return CompositeBody(link.m, link.m * link.rbar, link.I + link.m * _steiner(link.rbar, link.rbar))


def _steiner(a: SX, b: SX) -> SX:
    """(a.b) E - (a b' + b a')/2, the parallel-axis matrix, linear in a and in b."""
    result = SX(3, 3)
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        result[i, i] = a[j] * b[j] + a[k] * b[k]
        result[i, j] = result[j, i] = -(a[i] * b[j] + a[j] * b[i]) / 2
    return result


def _shifted(body: CompositeBody, r: SX) -> CompositeBody:
    """About a new origin, from which r leads to the old one: J + steiner(r, 2 h + m r)."""
    return CompositeBody(body.m, body.h + body.m * r, body.J + _steiner(r, 2 * body.h + body.m * r))


def turned(J: SX, turn: JointTurn) -> SX:
    """R J R' with R = Rz(c, s) C, of a symmetric J."""
    J = times(times(turn.C, J), turn.C.T)
    c, s = turn.c, turn.s
    u = c * (J[0, 0] - J[1, 1]) - 2 * s * J[0, 1]
    xx, yy, xy = J[1, 1] + c * u, J[0, 0] - c * u, J[0, 1] + s * u
    xz, yz = c * J[0, 2] - s * J[1, 2], s * J[0, 2] + c * J[1, 2]
    return ca.vertcat(ca.horzcat(xx, xy, xz), ca.horzcat(xy, yy, yz), ca.horzcat(xz, yz, J[2, 2]))


def turned_any(H: SX, turn: JointTurn) -> SX:
    """The same of any matrix: its antisymmetric part about z stays as it is."""
    H = times(times(turn.C, H), turn.C.T)
    c, s = turn.c, turn.s
    u = c * (H[0, 0] - H[1, 1]) - s * (H[0, 1] + H[1, 0])
    cu, su = c * u, s * u
    row = (s * H[2, 1], c * H[2, 1], s * H[2, 0], c * H[2, 0])
    return ca.vertcat(
        ca.horzcat(H[1, 1] + cu, H[0, 1] + su, c * H[0, 2] - s * H[1, 2]),
        ca.horzcat(H[1, 0] + su, H[0, 0] - cu, s * H[0, 2] + c * H[1, 2]),
        ca.horzcat(row[3] - row[0], row[2] + row[1], H[2, 2]),
    )


def composite_bodies(chain: Chain, load: CompositeBody | None = None) -> list[CompositeBody]:
    """For every joint j, links j..n (and a load in frame n) as one body about O_{j-1}, in frame j-1."""
    result: list[CompositeBody] = []
    beyond = load
    for link in reversed(chain.links):
        own = about_far_end(link)
        body = _shifted(own if beyond is None else own + beyond, link.r)
        beyond = CompositeBody(body.m, link.rotation.to_parent(body.h), turned(body.J, link.turn))
        result.append(beyond)
    return result[::-1]


def mass_matrix(chain: Chain, load: CompositeBody | None = None) -> SX:
    """M, one column per joint: the wrench of a unit acceleration, carried down to the base."""
    n = len(chain.links)
    M = SX(n, n)
    for j, body in enumerate(composite_bodies(chain, load)):
        if chain.links[j].revolute:
            f, moment = vector(-body.h[1], body.h[0], 0), body.J[:, 2]
        else:
            f, moment = vector(0, 0, body.m), vector(body.h[1], -body.h[0], 0)
        for i in range(j, -1, -1):
            if i < j:
                link = chain.links[i]
                moment = link.rotation.to_parent(moment + cross(link.r, f))
                f = link.rotation.to_parent(f)
            M[i, j] = M[j, i] = moment[2] if chain.links[i].revolute else f[2]
    return M
