"""Mass matrix, Coriolis matrices and gravity load by strobing the recursion: Turney section 3.

Corrected: exciting two rates at once gives C_jj + 2 C_jk + C_kk, not C_jk.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from linkwork.mechanics.chain.chain import Chain
from linkwork.mechanics.expressions import SX, zeros

Recursion = Callable[[Chain, SX, SX], list[SX]]


def _unit(n: int, *indices: int) -> SX:
    result = zeros(n)
    for index in indices:
        result[index] = 1
    return result


def weightless(chain: Chain) -> Chain:
    """The same arm without gravity, base motion and tip wrench."""
    nothing = zeros()
    return replace(chain, w0=nothing, al0=nothing, a0=nothing, f_tip=nothing, n_tip=nothing)


def mass_matrix(chain: Chain, recursion: Recursion) -> SX:
    """Column j of M is the torque at unit acceleration of joint j, all else zero."""
    n = len(chain.links)
    still = weightless(chain)
    M = SX(n, n)
    for j in range(n):
        column = recursion(still, zeros(n), _unit(n, j))
        for i in range(j + 1):
            M[i, j] = M[j, i] = column[i]
    return M


def coriolis_matrices(chain: Chain, recursion: Recursion) -> list[SX]:
    """C^i with tau_i = qd' C^i qd: the diagonal from one rate, the rest from pairs of rates."""
    n = len(chain.links)
    still, rest = weightless(chain), zeros(n)
    single = [recursion(still, _unit(n, j), rest) for j in range(n)]
    result = [SX(n, n) for _ in range(n)]
    for j in range(n):
        for i in range(n):
            result[i][j, j] = single[j][i]
        for k in range(j):
            both = recursion(still, _unit(n, j, k), rest)
            for i in range(n):
                value = (both[i] - single[j][i] - single[k][i]) / 2
                result[i][j, k] = result[i][k, j] = value
    return result


def resting(chain: Chain) -> Chain:
    """The same arm on a base that does not turn and without a tip wrench: gravity alone acts."""
    nothing = zeros()
    return replace(chain, w0=nothing, al0=nothing, f_tip=nothing, n_tip=nothing)


def gravity_load(chain: Chain, recursion: Recursion) -> list[SX]:
    """Torque at rest."""
    n = len(chain.links)
    return recursion(resting(chain), zeros(n), zeros(n))
