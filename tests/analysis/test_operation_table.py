"""Operation counts: our traces follow the papers' rules exactly, for any number of joints."""

from __future__ import annotations

from fractions import Fraction

import pytest

import linkwork as lw
from linkwork.analysis import general_arm, printed_counts
from linkwork.analysis.printed_counts import ANGELES, poly


@pytest.mark.parametrize("n", [1, 2, 3, 5])
@pytest.mark.parametrize(
    ("count", "multiplications", "additions"),
    [
        (general_arm.count_newton_euler_turney, "112 -24", "98 -24"),
        (general_arm.count_newton_euler_lee, "123 -24", "105 -24"),
        (lambda n: general_arm.count_newton_euler_turney(n, diagonal=True), "100 -24", "86 -24"),
        (lambda n: general_arm.count_modified(n, diagonal=True), "94 -33", "83 -33"),
        (lambda n: general_arm.count_modified(n, diagonal=False), "103 -33", "95 -33"),
        (general_arm.count_lagrange, "40/3 181/2 79/6 0", "32/3 149/2 -13/6 0"),
        # 137n - 22 and 110n - 14 as printed, and what the printed algorithm leaves out
        (general_arm.count_angeles, "137 -14", "110 -7"),
    ],
)
def test_traced_counts(n, count, multiplications, additions) -> None:
    counts = count(n)
    assert counts.multiplications == poly(multiplications)(n)
    assert counts.additions == poly(additions)(n)


@pytest.mark.parametrize("table", printed_counts.PRINTED, ids=lambda table: table.name)
def test_printed_rows_add_up_to_printed_totals(table) -> None:
    rows = [*table.rows]
    if table is ANGELES:  # its total contains the row of c, which is not printed
        rows.append(("c", poly("8 0"), poly("10 0")))
    for n in range(1, 10):
        assert sum(m(n) for _, m, _ in rows) == table.multiplications(n)
        assert sum(a(n) for _, _, a in rows) == table.additions(n)


def test_angeles_7_4_follows_7_3() -> None:
    at_six = {author: (m, a) for author, _, m, a in printed_counts.ANGELES_7_4}
    misprint = "Balafoutis & Patel (1991)"
    for author, _, m, a in printed_counts.ANGELES_7_3:
        expected = (m(6), a(6) - (author == misprint))
        assert at_six[author] == expected


def test_polynomials_read_as_printed() -> None:
    assert str(poly("27/2 165/2 5 0")) == "27/2 n^3 + 165/2 n^2 + 5n"
    assert str(poly("108 -12")) == "108n - 12"
    assert str(poly("-1 0")) == "-n"
    assert poly("1 2 3")(2) == Fraction(11)


def test_table() -> None:
    table = lw.operation_table(6, robots=["puma560"])
    text = str(table)
    for word in (
        "Counting rule",
        "Turney 3",
        "Lee 1",
        "Angeles 7.1",
        "Hollerbach",
        "mis-summed",
        "puma560",
    ):
        assert word in text
    assert {row.formulation for row in table.bundled} == set(lw.load("puma560").formulations)
    by_name = {row.printed.name: row for row in table.papers}
    assert by_name["Turney 3"].printed_multiplications == 636
    assert by_name["Turney 3"].traced.multiplications == 648
    for row in table.general:
        assert row.kernel.flops <= row.traced.flops


@pytest.mark.parametrize("n", [0, 31, 2.0, True, "6"])
def test_bad_n(n) -> None:
    with pytest.raises(lw.InputError, match=r"from 1 to 30|an integer"):
        lw.operation_table(n)
