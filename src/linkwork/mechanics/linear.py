"""Linear systems on expressions, unrolled."""

from __future__ import annotations

import casadi as ca

from linkwork.mechanics.expressions import SX, zeros

# A column that has lost all but this fraction of its squared length lies in the span of the others.
SMALLEST_REMAINDER = 1e-22


def solve_orthogonal(columns: list[SX], right: SX) -> SX:
    """x with sum_j columns_j x_j = right, by Gram-Schmidt in its modified, square-root free form.

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
        inverse = 1 / ca.if_else(smallest < size, size, 0)
        scaled = work[j] * inverse
        for k in range(j + 1, n):
            upper[j, k] = ca.dot(scaled, work[k])
            work[k] = work[k] - upper[j, k] * work[j]
        y.append(ca.dot(scaled, right))
        right = right - y[j] * work[j]
    x = zeros(n)
    for j in reversed(range(n)):
        x[j] = y[j] - sum((upper[j, k] * x[k] for k in range(j + 1, n)), SX(0))
    return x
