"""Lagrange's equations: Turney section 2 with the order n^3 strategy of its appendix, Lee (3.6)-(3.10).

Corrected: U_qj carries the rates, one sign of gravity, J with full inertia (T 1.26 holds for principal
axes only). A prismatic joint only changes D_j: e3 e4' instead of Q. A base that turns is added:
with B = [[w0~, 0], [0, 0]] the second derivative of T_0^q gains (B' + B B) T_0^q + 2 B (dT_0^q/dt).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import casadi as ca

from linkwork.mechanics.chain.chain import Chain
from linkwork.mechanics.expressions import SX, skew, times

# D_j T = dT/dq_j: for a turn about z the first two rows swap with a sign, for a slide along z the
# last row moves up. Written as row moves, they cost nothing, as the papers count them.


def differentiated(T: SX, revolute: bool) -> SX:
    zero = SX(ca.DM.zeros(1, 4))
    if revolute:
        return ca.vertcat(-T[1, :], T[0, :], zero, zero)
    return ca.vertcat(zero, zero, T[3, :], zero)


@dataclass(frozen=True)
class Turning:
    """A base that turns: B and B' + B B, 4 x 4, in frame 0. Its linear acceleration acts as gravity."""

    first: SX
    second: SX


def turning_of(chain: Chain) -> Turning | None:
    """None for a base that is known not to turn."""
    if chain.w0.is_zero() and chain.al0.is_zero():
        return None
    w = skew(chain.w0)
    first, second = SX(4, 4), SX(4, 4)
    first[0:3, 0:3] = w
    second[0:3, 0:3] = skew(chain.al0) + times(w, w)
    return Turning(first, second)


@dataclass(frozen=True)
class Pieces:
    """T_{i-1}^i (4 x 4), J^a (4 x 4), weights -m_q g rbar_q^a (3 x 4), and how dT/dq is taken."""

    T: tuple[SX, ...]
    J: tuple[SX, ...]
    weights: tuple[SX, ...]
    revolute: tuple[bool, ...]
    differentiate: Callable[[SX, bool], SX] = differentiated
    turning: Turning | None = None  # of the base


def pieces_of(chain: Chain) -> Pieces:
    transforms, inertias = [], []
    for link in chain.links:
        R = link.rotation.matrix
        last_row = SX(ca.DM([[0, 0, 0, 1]]))
        transforms.append(ca.vertcat(ca.horzcat(R, times(R, link.r)), last_row))
        J = link.K + link.m * times(link.rbar, link.rbar.T)
        column = link.m * link.rbar
        inertias.append(ca.vertcat(ca.horzcat(J, column), ca.horzcat(column.T, link.m)))
    revolute = tuple(link.revolute for link in chain.links)
    weights = tuple(times(chain.a0, J[:, 3].T) for J in inertias)
    turning = turning_of(chain)
    return Pieces(tuple(transforms), tuple(inertias), weights, revolute, turning=turning)


class Derivatives:
    """First and second derivatives U_qj, U_qjk of T_0^q, shared as the appendix of T does."""

    def __init__(self, pieces: Pieces) -> None:
        n = len(pieces.T)
        self.between: dict[tuple[int, int], SX] = {}  # T_j^q
        for j in range(n):
            self.between[j, j + 1] = pieces.T[j]
            for q in range(j + 2, n + 1):
                self.between[j, q] = times(self.between[j, q - 1], pieces.T[q - 1])
        differentiate = pieces.differentiate
        self.first: dict[tuple[int, int], SX] = {}
        self.second: dict[tuple[int, int, int], SX] = {}
        for q in range(1, n + 1):
            for k in range(1, q + 1):
                tail = differentiate(self.between[k - 1, q], pieces.revolute[k - 1])
                twice = differentiate(tail, pieces.revolute[k - 1])
                head = self.between.get((0, k - 1))  # T_0^{k-1}; none for k = 1
                self.first[q, k] = tail if head is None else times(head, tail)
                self.second[q, k, k] = twice if head is None else times(head, twice)
                for j in range(1, k):
                    # U_qjk = U_{k-1,j} D_k T_{k-1}^q; for j = 1 that is D_1 U_qk, which is free.
                    if j == 1:
                        value = differentiate(self.first[q, k], pieces.revolute[0])
                    else:
                        value = times(self.first[k - 1, j], tail)
                    self.second[q, j, k] = value


def trace_product(A: SX, B: SX) -> SX:
    """tr(A B')."""
    terms = [A[i, j] * B[i, j] for i in range(4) for j in range(4)]
    return sum(terms[1:], terms[0])


def torques_from(pieces: Pieces, U: Derivatives, qd: SX, qdd: SX) -> list[SX]:
    """tau_i by T (2.10), the sum in brackets formed once per link as in the appendix."""
    n = len(pieces.T)
    rates: dict[tuple[int, int], SX] = {}
    for j in range(1, n + 1):
        for k in range(j, n + 1):
            product = qd[j - 1] * qd[k - 1]
            rates[j, k] = product if j == k else 2 * product
    loads = {}
    for q in range(1, n + 1):
        terms = [U.first[q, j] * qdd[j - 1] for j in range(1, q + 1)]
        terms += [U.second[q, j, k] * rates[j, k] for j in range(1, q + 1) for k in range(j, q + 1)]
        if pieces.turning is not None:
            swept = [2 * qd[j - 1] * U.first[q, j] for j in range(1, q + 1)]
            terms.append(times(pieces.turning.second, U.between[0, q]))
            terms.append(times(pieces.turning.first, sum(swept[1:], swept[0])))
        loads[q] = times(sum(terms[1:], terms[0]), pieces.J[q - 1])
    gravity = gravity_loads(pieces, U)
    torques = []
    for i in range(1, n + 1):
        parts = [trace_product(loads[q], U.first[q, i]) for q in range(i, n + 1)]
        torques.append(sum(parts[1:], parts[0]) + gravity[i - 1])
    return torques


def gravity_loads(pieces: Pieces, U: Derivatives) -> list[SX]:
    """G_i = - sum_q m_q g' U_qi rbar_q; the products of constants were formed beforehand."""
    n = len(pieces.T)
    result = []
    for i in range(1, n + 1):
        total = SX(0)
        for q in range(i, n + 1):
            for c in range(3):
                for j in range(4):
                    total = total + U.first[q, i][c, j] * pieces.weights[q - 1][c, j]
        result.append(total)
    return result


def _tip_torques(chain: Chain, U: Derivatives) -> list[SX]:
    """tau_i = tr(U_ni W') with W = [[R_0^n [n]x / 2, R_0^n f], [0, 0]]."""
    n = len(chain.links)
    R = U.between[0, n][0:3, 0:3]
    W = ca.vertcat(
        ca.horzcat(times(R, skew(chain.n_tip)) / 2, times(R, chain.f_tip)), SX(ca.DM.zeros(1, 4))
    )
    return [trace_product(U.first[n, i], W) for i in range(1, n + 1)]


def torques(chain: Chain, qd: SX, qdd: SX) -> list[SX]:
    """Joint torques and forces of a chain."""
    pieces = pieces_of(chain)
    U = Derivatives(pieces)
    rigid = torques_from(pieces, U, qd, qdd)
    return [tau + tip for tau, tip in zip(rigid, _tip_torques(chain, U), strict=True)]


def mass_matrix(chain: Chain) -> SX:
    """M_ij = sum_q tr(U_qj J^a U_qi')."""
    pieces = pieces_of(chain)
    n = len(pieces.T)
    U = Derivatives(pieces)
    weighted = {key: times(value, pieces.J[key[0] - 1]) for key, value in U.first.items()}
    M = SX(n, n)
    for i in range(1, n + 1):
        for j in range(1, i + 1):
            terms = [trace_product(weighted[q, j], U.first[q, i]) for q in range(i, n + 1)]
            M[i - 1, j - 1] = M[j - 1, i - 1] = sum(terms[1:], terms[0])
    return M


def coriolis_matrices(chain: Chain) -> list[SX]:
    """C^i_jk = sum_q tr(U_qjk J^a U_qi'), the Christoffel symbols of M."""
    pieces = pieces_of(chain)
    n = len(pieces.T)
    U = Derivatives(pieces)
    weighted = {key: times(value, pieces.J[key[0] - 1]) for key, value in U.second.items()}
    result = []
    for i in range(1, n + 1):
        C = SX(n, n)
        for j in range(1, n + 1):
            for k in range(j, n + 1):
                terms = [
                    trace_product(weighted[q, j, k], U.first[q, i]) for q in range(max(i, k), n + 1)
                ]
                C[j - 1, k - 1] = C[k - 1, j - 1] = sum(terms[1:], terms[0])
        result.append(C)
    return result
