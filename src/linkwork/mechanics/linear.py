"""Linear systems on expressions, unrolled."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import combinations

import casadi as ca
import numpy as np

from linkwork.mechanics.expressions import SX, cross, vector, zeros
from linkwork.model.geometry import Array

# A column that has lost all but this fraction of its squared length lies in the span of the others.
SMALLEST_REMAINDER = 1e-22
# Inertia added to a coordinate that friction holds: beside it all others are lost in rounding.
LOCK = 1e30
# A pivot this small beside its diagonal element is rounding error of a singular matrix.
SMALLEST_PIVOT = 1e-13
SMALL = 3  # unknowns up to which Cramer's rule serves
SMALLEST = 1e-13  # of the determinant at home: rounding error of a singular matrix
SWEEPS = 6  # of rotations, after which the columns of a 6 x 6 matrix are orthogonal to rounding
TINY = 1e-300  # added to a divisor that may be zero


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


def singular_values(columns: list[SX]) -> list[SX]:
    """Of the matrix with these columns, which are made orthogonal by rotations of two at a time
    (one-sided Jacobi, Hestenes 1958); in no order."""
    work, squares = list(columns), [ca.sumsqr(column) for column in columns]
    for p, q in list(combinations(range(len(columns)), 2)) * SWEEPS:
        product, half = ca.dot(work[p], work[q]), (squares[q] - squares[p]) / 2
        root = ca.sqrt(half * half + product * product)
        # The tangent of the smaller angle; columns of length zero are not turned.
        tangent = product / (half + ca.if_else(half < 0, -root, root) + TINY)
        cosine = 1 / ca.sqrt(1 + tangent * tangent)
        sine = cosine * tangent
        work[p], work[q] = cosine * work[p] - sine * work[q], sine * work[p] + cosine * work[q]
        squares[p], squares[q] = squares[p] - tangent * product, squares[q] + tangent * product
    return [ca.norm_2(column) for column in work]


def solve_symmetric(M: SX, b: SX) -> SX:
    """x with M x = b, M positive definite; `b` may have several columns."""
    return symmetric_solver(M)(b)


def symmetric_solver(M: SX) -> Callable[[SX], SX]:
    """What solves M x = b for any b, M positive definite, by L D L' without square roots or pivoting
    (T 7).

    A singular M gives infinities, which callers find and report, never a wrong finite number.
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

    def solved(b: SX) -> SX:
        y = zeros(n, b.size2())
        for i in range(n):
            y[i, :] = b[i, :] - sum((L[i, k] * y[k, :] for k in range(i)), SX(0))
        x = zeros(n, b.size2())
        for i in reversed(range(n)):
            x[i, :] = y[i, :] * inverse[i] - sum((L[k, i] * x[k, :] for k in range(i + 1, n)), SX(0))
        return x

    return solved


def cholesky(M: SX) -> SX:
    """Lower triangular L with L L' = M; NaN where M is not positive definite."""
    n = M.size1()
    L = SX(n, n)
    for j in range(n):
        L[j, j] = ca.sqrt(M[j, j] - sum((L[j, k] ** 2 for k in range(j)), SX(0)))
        for i in range(j + 1, n):
            L[i, j] = (M[i, j] - sum((L[i, k] * L[j, k] for k in range(j)), SX(0))) / L[j, j]
    return L


def forward_substituted(L: SX, right: SX) -> SX:
    """X with L X = right, L lower triangular."""
    X = zeros(L.size1(), right.size2())
    for i in range(L.size1()):
        known = sum((L[i, k] * X[k, :] for k in range(i)), SX(0))
        X[i, :] = (right[i, :] - known) / L[i, i]
    return X


def solve_positive(M: SX, b: SX) -> SX:
    """x with M x = b, M positive definite; rows that couple with the fewest others are taken first.

    What is zero then mostly stays zero: the arms of a torso meet in the torso's row only.
    """
    order = _fewest_first(M)
    x = solve_symmetric(M[order, order], b[order])
    return x[[order.index(k) for k in range(len(order))]]


def _fewest_first(M: SX) -> list[int]:
    """An order of elimination that fills few zeros: the least degree of those left, first of equals."""
    n = M.size1()
    others = {i: {j for j in range(n) if j != i and not M[i, j].is_zero()} for i in range(n)}
    order = []
    while others:
        k = min(others, key=lambda i: len(others[i]))
        order.append(k)
        near = others.pop(k)
        for i in near:
            others[i] = (others[i] | near) - {i, k}
    return order


class Square(ABC):
    """A regular matrix J."""

    determinant: SX

    @abstractmethod
    def solve(self, right: list[SX]) -> list[SX]:
        """x with J x = right."""

    @abstractmethod
    def transposed(self, right: list[SX]) -> list[SX]:
        """x with J' x = right."""


def factored(rows: list[list[SX]], pivots: tuple[tuple[int, int], ...]) -> Square:
    """Up to three unknowns by Cramer's rule, more by elimination in the order of `pivots`."""
    if len(rows) <= SMALL:
        return Cramer(rows)
    return Eliminated(rows, pivots)


@dataclass
class Cramer(Square):
    """By cofactors over the determinant; one division. A determinant of no more than `smallest` is
    rounding error of a singular matrix, and gives infinities."""

    rows: list[list[SX]]
    smallest: float = 0.0

    def __post_init__(self) -> None:
        J, n = self.rows, len(self.rows)
        if n == 1:
            self.cofactors = [[SX(1)]]
            self.determinant = J[0][0]
        elif n == 2:
            self.cofactors = [[J[1][1], -J[1][0]], [-J[0][1], J[0][0]]]
            self.determinant = J[0][0] * J[1][1] - J[0][1] * J[1][0]
        else:
            a, b, c = (vector(*row) for row in J)
            columns = (cross(b, c), cross(c, a), cross(a, b))
            self.cofactors = [[column[k] for k in range(3)] for column in columns]
            self.determinant = sum((a[k] * columns[0][k] for k in range(3)), SX(0))
        regular = self.determinant
        if self.smallest:
            regular = ca.if_else(ca.fabs(regular) > self.smallest, regular, 0)
        self.inverse = 1 / regular

    def solve(self, right: list[SX]) -> list[SX]:
        n, scaled = len(right), [each * self.inverse for each in right]
        return [sum((self.cofactors[j][i] * scaled[j] for j in range(n)), SX(0)) for i in range(n)]

    def transposed(self, right: list[SX]) -> list[SX]:
        n, scaled = len(right), [each * self.inverse for each in right]
        return [sum((self.cofactors[i][j] * scaled[j] for j in range(n)), SX(0)) for i in range(n)]


@dataclass
class Eliminated(Square):
    """L U of the matrix with rows and columns in the order of its pivots at home."""

    rows: list[list[SX]]
    pivots: tuple[tuple[int, int], ...]
    inverses: list[SX] = field(default_factory=list)

    def __post_init__(self) -> None:
        n = len(self.rows)
        work = [[self.rows[r][c] for _, c in self.pivots] for r, _ in self.pivots]
        self.determinant = SX(1)
        for k in range(n):
            self.determinant = self.determinant * work[k][k]
            inverse = 1 / work[k][k]
            self.inverses.append(inverse)
            for i in range(k + 1, n):
                work[i][k] = work[i][k] * inverse
                for j in range(k + 1, n):
                    work[i][j] = work[i][j] - work[i][k] * work[k][j]
        self.work = work

    def solve(self, right: list[SX]) -> list[SX]:
        n, W = len(right), self.work
        y = [right[r] for r, _ in self.pivots]
        for i in range(n):
            y[i] = y[i] - sum((W[i][j] * y[j] for j in range(i)), SX(0))
        for i in reversed(range(n)):
            y[i] = (y[i] - sum((W[i][j] * y[j] for j in range(i + 1, n)), SX(0))) * self.inverses[i]
        x = [SX(0)] * n
        for k, (_, column) in enumerate(self.pivots):
            x[column] = y[k]
        return x

    def transposed(self, right: list[SX]) -> list[SX]:
        n, W = len(right), self.work
        y = [right[c] for _, c in self.pivots]
        for i in range(n):
            y[i] = (y[i] - sum((W[j][i] * y[j] for j in range(i)), SX(0))) * self.inverses[i]
        for i in reversed(range(n)):
            y[i] = y[i] - sum((W[j][i] * y[j] for j in range(i + 1, n)), SX(0))
        x = [SX(0)] * n
        for k, (row, _) in enumerate(self.pivots):
            x[row] = y[k]
        return x


def solved(rows: list[list[SX]], right: list[SX], home: Callable[[], Array]) -> list[SX]:
    """A square system: what stands alone in its row first, the rest by Cramer or Gram-Schmidt.

    `home` is its matrix at home, beside which a singular one is told: it gives infinities.
    """
    n = len(rows)
    left, columns, found = list(range(n)), list(range(n)), {}
    right = list(right)
    changed = True
    while changed:
        changed = False
        for row in left:
            there = [c for c in columns if not rows[row][c].is_zero()]
            if len(there) == 1:
                (column,) = there
                found[column] = right[row] / rows[row][column]
                for other in left:
                    if other != row and not rows[other][column].is_zero():
                        right[other] = right[other] - rows[other][column] * found[column]
                left.remove(row)
                columns.remove(column)
                changed = True
                break
    if left:
        part = [[rows[r][c] for c in columns] for r in left]
        rest = [right[r] for r in left]
        if len(left) <= 3:
            smallest = SMALLEST * abs(float(np.linalg.det(home()[np.ix_(left, columns)])))
            values = Cramer(part, smallest).solve(rest)
        else:
            stacked = [ca.vertcat(*[row[k] for row in part]) for k in range(len(columns))]
            solution = solve_orthogonal(stacked, ca.vertcat(*rest))
            values = [solution[k, :] for k in range(len(columns))]
        found |= dict(zip(columns, values, strict=True))
    return [found[k] for k in range(n)]
