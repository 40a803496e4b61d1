"""Linear systems on expressions, unrolled."""

from __future__ import annotations

import casadi as ca

from linkwork.mechanics.expressions import SX, zeros

# A column that has lost all but this fraction of its squared length lies in the span of the others.
SMALLEST_REMAINDER = 1e-22


def solve_orthogonal(columns: list[SX], right: SX) -> SX:
    """x with sum_j columns_j x_j = right, by Gram-Schmidt in its modified, square-root free form.

    `right` may have several columns; the others are made orthogonal once.
    Applied to the right-hand side together with the columns it is backward stable, where elimination
    without pivoting is not. A singular system gives infinities, never a wrong finite number.
    """
    n = len(columns)
    work = list(columns)
    upper: dict[tuple[int, int], SX] = {}
    y: list[SX] = []
    for j in range(n):
        size = ca.sumsqr(work[j])
        smallest = SMALLEST_REMAINDER * ca.sumsqr(columns[j])
        # Products are formed while the division is under way.
        inverse = 1 / ca.if_else(smallest < size, size, 0)
        for k in range(j + 1, n):
            upper[j, k] = ca.dot(work[j], work[k]) * inverse
            work[k] = work[k] - upper[j, k] * work[j]
        y.append(ca.mtimes(work[j].T, right) * inverse)
        right = right - ca.mtimes(work[j], y[j])
    x = zeros(n, right.size2())
    for j in reversed(range(n)):
        x[j, :] = y[j] - sum((upper[j, k] * x[k, :] for k in range(j + 1, n)), SX(0))
    return x


# Inertia added to a coordinate that friction holds: beside it all others are lost in rounding.
LOCK = 1e30
# A pivot this small beside its diagonal element is rounding error of a singular matrix.
SMALLEST_PIVOT = 1e-13


def solve_symmetric(M: SX, b: SX) -> SX:
    """x with M x = b, M positive definite, by L D L' without square roots or pivoting (T 7).

    `b` may have several columns; M is factored once. A singular M gives infinities, which callers find
    and report, never a wrong finite number.
    """
    n = M.size1()
    L, LD = SX.eye(n), SX(n, n)
    inverse: list[SX] = []
    for j in range(n):
        pivot = M[j, j] - sum((L[j, k] * LD[j, k] for k in range(j)), SX(0))
        inverse.append(1 / ca.if_else(pivot > SMALLEST_PIVOT * M[j, j], pivot, 0))
        for i in range(j + 1, n):
            LD[i, j] = M[i, j] - sum((L[i, k] * LD[j, k] for k in range(j)), SX(0))
            L[i, j] = LD[i, j] * inverse[j]
    y = zeros(n, b.size2())
    for i in range(n):
        y[i, :] = b[i, :] - sum((L[i, k] * y[k, :] for k in range(i)), SX(0))
    x = zeros(n, b.size2())
    for i in reversed(range(n)):
        x[i, :] = y[i, :] * inverse[i] - sum((L[k, i] * x[k, :] for k in range(i + 1, n)), SX(0))
    return x
