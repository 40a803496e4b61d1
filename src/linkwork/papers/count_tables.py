"""Tables of operation counts: printed rows, what tracing finds row by row, and totals."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction

import casadi as ca

from linkwork.analysis.general_arm import general_chain
from linkwork.analysis.printed_counts import Polynomial, PrintedTable
from linkwork.kernels.graph import Counts, traced_counts
from linkwork.mechanics.chain.modified_newton_euler import twice_antisymmetric
from linkwork.mechanics.chain.newton_euler import swing_by_products
from linkwork.mechanics.expressions import SX, acceleration_operator, cross, times

Rows = list[list[object]]
RowCounts = Mapping[str, Counts]


def cost(expression: SX) -> Counts:
    """Operations of one expression of symbols."""
    return traced_counts(ca.Function("row", [ca.vertcat(*ca.symvar(expression))], [expression]))


def _less(one: Counts, other: Counts) -> Counts:
    return Counts(one.multiplications - other.multiplications, one.additions - other.additions)


def _sum(terms: int) -> Counts:
    """Adding that many vectors."""
    return Counts(0, 3 * (terms - 1))


class _Joint:
    """One inner joint of the general arm with symbols for all that reaches it."""

    def __init__(self, diagonal: bool) -> None:
        link = general_chain(1).links[0]
        if diagonal:
            link = replace(link, K=ca.diag(ca.diag(link.K)))
        self.link = link
        names = ("w", "al", "a", "abar", "f", "n")
        self.w, self.al, self.a, self.abar, self.f, self.n = (SX.sym(name, 3) for name in names)
        self.A = SX.sym("A", 3, 3)
        qd, qdd = SX.sym("qd"), SX.sym("qdd")
        moved = link.moved(self.w, self.al, self.a, qd, qdd)
        self.moved = tuple(cost(part) for part in moved)
        self.turned = cost(link.rotation.to_parent(self.f))

    def swing(self) -> tuple[Counts, Counts]:
        """a and abar the way Lee counts them; w.w is formed once."""
        swing = swing_by_products(self.w, self.al)
        here = swing(self.link.r) + self.link.rotation.to_child(self.a)
        both = ca.vertcat(here, swing(self.link.rbar) + self.a)
        return cost(here), _less(cost(both), cost(here))


def turney_rows(*, modified: bool) -> RowCounts:
    """Rows of Turney's Table 3, or of his Table 4, for one inner joint."""
    joint = _Joint(diagonal=modified)
    link, A = joint.link, joint.A
    rows = {"w": joint.moved[0], "al": joint.moved[1]}
    rows["A"] = cost(acceleration_operator(joint.w, joint.al))
    rows["a"] = cost(times(A, link.r) + link.rotation.to_child(joint.a))
    if modified:
        rows["m abar"] = cost(times(A, link.ms) + link.m * joint.a)
        rows["f"] = cost(joint.abar + link.rotation.to_parent(joint.f))
        rows["Tr{A K}"] = cost(twice_antisymmetric(A, link.K))
        terms = 4
    else:
        rows["abar"] = cost(times(A, link.rbar) + joint.a)
        rows["f"] = cost(link.m * joint.abar + link.rotation.to_parent(joint.f))
        rows["I al"] = cost(times(link.I, joint.al))
        rows["w x I w"] = cost(cross(joint.w, times(link.I, joint.w)))
        terms = 5
    rows["m s x abar"] = cost(cross(link.s, joint.abar))
    rows["r x R f"] = cost(cross(link.r, joint.f))
    rows["R n"] = joint.turned
    rows["add n"] = _sum(terms)
    rows["tau"] = cost(link.along_axis(joint.f, joint.n))
    return rows


def lee_rows() -> RowCounts:
    """Rows of Lee's Table 2 for one inner joint."""
    joint = _Joint(diagonal=False)
    link = joint.link
    a, abar = joint.swing()
    moment = times(link.I, joint.al) + cross(joint.w, times(link.I, joint.w))
    # R f is formed once, in the row of f.
    arms = cross(link.s, joint.abar) + cross(link.r, joint.f)
    together = arms + link.rotation.to_parent(joint.n) + SX.sym("N", 3)
    e, ed, qdd, kp, kv = (SX.sym(name, 2) for name in ("e", "ed", "qdd", "kp", "kv"))
    correction = qdd[0] + kv[0] * (ed[0] - ed[1]) + kp[0] * (e[0] - e[1])
    return {
        "w": joint.moved[0],
        "al": joint.moved[1],
        "a": a,
        "abar": abar,
        "F": cost(link.m * joint.abar),
        "f": cost(joint.abar + link.rotation.to_parent(joint.f)),
        "N": cost(moment),
        "n": cost(together),
        "qdd + Kv ed + Kp e": cost(correction),
        "tau": cost(link.along_axis(joint.f, joint.n)),
    }


def fitted(count: Callable[[int], Counts], degree: int) -> tuple[Polynomial, Polynomial]:
    """The polynomials in n that counts follow, exactly; a further n must confirm them."""
    first = 2  # the base link may save something that n = 1 shows more of than others
    points = range(first, first + degree + 2)
    found = [count(n) for n in points]
    result = []
    for name in ("multiplications", "additions"):
        values = [Fraction(getattr(one, name)) for one in found]
        polynomial = _interpolated(list(points)[:-1], values[:-1])
        if polynomial(points[-1]) != values[-1]:
            raise ArithmeticError(f"counts follow no polynomial of degree {degree}")
        result.append(polynomial)
    return result[0], result[1]


def _interpolated(points: list[int], values: list[Fraction]) -> Polynomial:
    """Lagrange's interpolation in fractions."""
    total = Polynomial((Fraction(0),))
    for i, x in enumerate(points):
        coefficients = [values[i]]
        for j, other in enumerate(points):
            if j != i:
                coefficients = _times_linear(coefficients, -other, Fraction(1, x - other))
        total = total + Polynomial(tuple(coefficients))
    return total


def _times_linear(coefficients: list[Fraction], constant: int, scale: Fraction) -> list[Fraction]:
    """Times (n + constant) scale."""
    shifted = [Fraction(0), *coefficients]
    kept = [*[c * constant for c in coefficients], Fraction(0)]
    return [(a + b) * scale for a, b in zip(shifted, kept, strict=True)]


def formula(polynomial: Polynomial) -> str:
    """As a book prints it."""
    text = str(polynomial).replace("-", "−")
    for power, sign in (("^2", "²"), ("^3", "³"), ("^4", "⁴")):
        text = text.replace(power, sign)
    return text


ROW_HEADER = ("term", "M printed", "A printed", "M traced, per joint", "A traced, per joint")


def row_table(table: PrintedTable, traced: RowCounts) -> Rows:
    """Printed rows, and what one inner joint really needs; printed rows that do not exist are empty."""
    rows: Rows = []
    names = {name for name, _, _ in table.rows}
    for name, m, a in table.rows:
        found = traced.get(name)
        cells = [found.multiplications, found.additions] if found else [None, None]
        rows.append([f"`{name}`", formula(m), formula(a), *cells])
    for name, found in traced.items():
        if name not in names:
            rows.append([f"`{name}`", "not printed", "", found.multiplications, found.additions])
    total_m = sum(c.multiplications for c in traced.values())
    total_a = sum(c.additions for c in traced.values())
    rows.append(
        ["**total**", formula(table.multiplications), formula(table.additions), total_m, total_a]
    )
    return rows


def plain_rows(table: PrintedTable, n: int) -> Rows:
    """Printed rows, their values at n joints, and whether they add up to the printed total."""
    rows: Rows = [
        [f"`{name}`", formula(m), formula(a), int(m(n)), int(a(n))] for name, m, a in table.rows
    ]
    m_sum = sum((m(n) for _, m, _ in table.rows), Fraction(0))
    a_sum = sum((a(n) for _, _, a in table.rows), Fraction(0))
    rows.append(["sum of the rows", "", "", int(m_sum), int(a_sum)])
    m, a = table.multiplications, table.additions
    rows.append(["**printed total**", formula(m), formula(a), int(m(n)), int(a(n))])
    return rows
