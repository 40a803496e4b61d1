"""Tables of operation counts: printed rows, what tracing finds row by row, and totals."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

import casadi as ca
import numpy as np

from linkwork.analysis.general_arm import counted, general_chain
from linkwork.analysis.printed_counts import Polynomial, PrintedTable
from linkwork.kernels.graph import Counts
from linkwork.mechanics.chain.modified_newton_euler import twice_antisymmetric
from linkwork.mechanics.chain.newton_euler import swing_by_products
from linkwork.mechanics.expressions import SX, acceleration_operator, cross, times

Rows = list[list[object]]
# Names of rows as formulas; others are set as they are.
TYPESET = {
    "T_j^i": r"\(T_j^i\)",
    "T_i^j": r"\(T_i^j\)",
    "dT/dq": r"\(\partial T/\partial q\)",
    "d2T/dq2": r"\(\partial^2 T/\partial q^2\)",
    "{sum qdd, qd qd} J": r"\(\{\sum\ddot q, \dot q\dot q\}\,J\)",
    "Tr{ }": r"\(\mathrm{Tr}\{\cdots\}\)",
    "w": r"\(\omega\)",
    "w_1": r"\(\omega_1\)",
    "w_2": r"\(\omega_2\)",
    "al": r"\(\alpha\)",
    "al_1": r"\(\alpha_1\)",
    "al_2": r"\(\alpha_2\)",
    "A": r"\(A\)",
    "A_1": r"\(A_1\)",
    "a": r"\(a\)",
    "abar": r"\(\bar a\)",
    "m abar": r"\(m\,\bar a\)",
    "f": r"\(f\)",
    "F": r"\(F\)",
    "N": r"\(N\)",
    "n": r"\(n\)",
    "I al": r"\(I\,\alpha\)",
    "w x I w": r"\(\omega\times I\omega\)",
    "Tr{A K}": r"\(\mathrm{Tr}\{A K\sigma^t\}\)",
    "m s x abar": r"\(m(r + \bar r)\times\bar a\)",
    "r x R f": r"\(r\times R f\)",
    "R n": r"\(R\,n\)",
    "add n": r"sum of \(n\)",
    "tau": r"\(\tau\)",
    "qdd + Kv ed + Kp e": r"\(\ddot q + K_v\dot e + K_p e\)",
    "Tr of D": r"\(\mathrm{Tr}\) of \(D\)",
    "sum of D": r"sum of \(D\)",
    "Tr of H": r"\(\mathrm{Tr}\) of \(H\)",
    "sum of H": r"sum of \(H\)",
    "Q": r"\(Q\)",
    "c": r"\(c\)",
    "cd": r"\(\dot c\)",
    "wd": r"\(\dot\omega\)",
    "cdd": r"\(\ddot c\)",
}


def typeset(name: str) -> str:
    return TYPESET.get(name, name)


# In sentences, where single letters are words: the longest first.
SYMBOLS = {
    "qd_j qd_k": r"\(\dot q_j\,\dot q_k\)",
    "m_n a_n": r"\(m_n\bar a_n\)",
    "r x R f": TYPESET["r x R f"],
    "R n": TYPESET["R n"],
    "R a": r"\(R\,a\)",
    "qdd": r"\(\ddot q\)",
    "al": TYPESET["al"],
    "tau": TYPESET["tau"],
}


def in_symbols(sentence: str) -> str:
    """A sentence about a table with its quantities typeset."""
    names = "|".join(re.escape(name) for name in SYMBOLS)
    return re.sub(rf"\b({names})\b", lambda match: SYMBOLS[match[1]], sentence)


RowCounts = Mapping[str, Counts]
LARGEST_PART = 720  # denominator of a coefficient


def _less(one: Counts, other: Counts) -> Counts:
    return Counts(one.multiplications - other.multiplications, one.additions - other.additions)


def _sum(terms: int) -> Counts:
    """Adding that many vectors."""
    return Counts(0, 3 * (terms - 1))


class _Joint:
    """One inner joint of the general arm with symbols for all that reaches it."""

    def __init__(self, diagonal: bool) -> None:
        self.link = link = general_chain(1, diagonal=diagonal).links[0]
        names = ("w", "al", "a", "abar", "f", "n")
        self.w, self.al, self.a, self.abar, self.f, self.n = (SX.sym(name, 3) for name in names)
        self.A = SX.sym("A", 3, 3)
        qd, qdd = SX.sym("qd"), SX.sym("qdd")
        moved = link.moved(self.w, self.al, self.a, qd, qdd)
        self.moved = tuple(counted(part) for part in moved)
        self.turned = counted(link.rotation.to_parent(self.f))

    def swing(self) -> tuple[Counts, Counts]:
        """a and abar the way Lee counts them; w.w is formed once."""
        swing = swing_by_products(self.w, self.al)
        here = swing(self.link.r) + self.link.rotation.to_child(self.a)
        both = ca.vertcat(here, swing(self.link.rbar) + self.a)
        return counted(here), _less(counted(both), counted(here))


def turney_rows(*, modified: bool) -> RowCounts:
    """Rows of Turney's Table 3, or of his Table 4, for one inner joint."""
    joint = _Joint(diagonal=modified)
    link, A = joint.link, joint.A
    rows = {"w": joint.moved[0], "al": joint.moved[1]}
    rows["A"] = counted(acceleration_operator(joint.w, joint.al))
    rows["a"] = counted(times(A, link.r) + link.rotation.to_child(joint.a))
    if modified:
        rows["m abar"] = counted(times(A, link.ms) + link.m * joint.a)
        rows["f"] = counted(joint.abar + link.rotation.to_parent(joint.f))
        rows["Tr{A K}"] = counted(twice_antisymmetric(A, link.K))
        terms = 4
    else:
        rows["abar"] = counted(times(A, link.rbar) + joint.a)
        rows["f"] = counted(link.m * joint.abar + link.rotation.to_parent(joint.f))
        rows["I al"] = counted(times(link.I, joint.al))
        rows["w x I w"] = counted(cross(joint.w, times(link.I, joint.w)))
        terms = 5
    rows["m s x abar"] = counted(cross(link.s, joint.abar))
    rows["r x R f"] = counted(cross(link.r, joint.f))
    rows["R n"] = joint.turned
    rows["add n"] = _sum(terms)
    rows["tau"] = counted(link.along_axis(joint.f, joint.n))
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
        "F": counted(link.m * joint.abar),
        "f": counted(joint.abar + link.rotation.to_parent(joint.f)),
        "N": counted(moment),
        "n": counted(together),
        "qdd + Kv ed + Kp e": counted(correction),
        "tau": counted(link.along_axis(joint.f, joint.n)),
    }


def fitted(count: Callable[[int], Counts], degree: int) -> tuple[Polynomial, Polynomial]:
    """The polynomials in n that counts follow, exactly; a further n must confirm them."""
    first = 2  # the base link may save something that n = 1 shows more of than others
    points = range(first, first + degree + 2)
    found = [count(n) for n in points]
    return (
        _through(points, [one.multiplications for one in found], degree),
        _through(points, [one.additions for one in found], degree),
    )


def _through(points: Sequence[int], values: Sequence[int], degree: int) -> Polynomial:
    """The polynomial of this degree with small denominators through all points."""
    coefficients = np.polynomial.polynomial.polyfit(points, values, degree)
    found = Polynomial(tuple(Fraction(float(c)).limit_denominator(LARGEST_PART) for c in coefficients))
    if any(found(n) != value for n, value in zip(points, values, strict=True)):
        raise ArithmeticError(f"counts follow no polynomial of degree {degree}")
    return found


def formula(polynomial: Polynomial) -> str:
    """As a book prints it."""
    text = str(polynomial).replace("-", "−")
    for power, sign in (("^2", "²"), ("^3", "³"), ("^4", "⁴")):
        text = text.replace(power, sign)
    return text


ROW_HEADER = ("term", "M printed", "A printed", "M traced, per joint", "A traced, per joint")


def row_table(table: PrintedTable, traced: RowCounts) -> tuple[Sequence[str], Rows]:
    """Printed rows, and what one inner joint really needs; printed rows that do not exist are empty."""
    rows: Rows = []
    names = {name for name, _, _ in table.rows}
    for name, m, a in table.rows:
        found = traced.get(name)
        cells = [found.multiplications, found.additions] if found else [None, None]
        rows.append([typeset(name), formula(m), formula(a), *cells])
    for name, found in traced.items():
        if name not in names:
            rows.append([typeset(name), "not printed", "", found.multiplications, found.additions])
    total_m = sum(c.multiplications for c in traced.values())
    total_a = sum(c.additions for c in traced.values())
    rows.append(
        ["**total**", formula(table.multiplications), formula(table.additions), total_m, total_a]
    )
    return ROW_HEADER, rows


def plain_table(table: PrintedTable, n: int) -> tuple[Sequence[str], Rows]:
    """Printed rows, their values at n joints, and whether they add up to the printed total."""
    rows: Rows = [
        [typeset(name), formula(m), formula(a), int(m(n)), int(a(n))] for name, m, a in table.rows
    ]
    m_sum = sum((m(n) for _, m, _ in table.rows), Fraction(0))
    a_sum = sum((a(n) for _, _, a in table.rows), Fraction(0))
    rows.append(["sum of the rows", "", "", int(m_sum), int(a_sum)])
    m, a = table.multiplications, table.additions
    rows.append(["**printed total**", formula(m), formula(a), int(m(n)), int(a(n))])
    return (*ROW_HEADER[:3], f"M at n = {n}", f"A at n = {n}"), rows
