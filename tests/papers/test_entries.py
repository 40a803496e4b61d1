"""Every place of every paper has its verdict, its function here, and a row in the common table."""

from __future__ import annotations

import re
from importlib import import_module

import pytest

import linkwork as lw
from linkwork import papers
from linkwork.analysis.printed_counts import TURNEY_2, TURNEY_2_ROW_4, appendix_sum
from linkwork.papers.entries import FAULTS, VERDICTS, Entry, anchors, in_lines, location
from linkwork.papers.reproduction import TABLE, entries_of, reproduce
from linkwork.papers.turney1980.findings import totals
from linkwork.reports.cells import mathml
from tests.papers.tables import rows

# Numbered equations: by prefix, the numbers from 1 on.
NUMBERED = {
    "dasgupta1998": {"": 42},
    "pedrammehr2012": {"": 51},
    "turney1980": {"1.": 28, "2.": 11, "3.": 21, "4.": 34, "5.": 2},
    "lee1982": {"2.": 22, "3.": 27, "4.": 41},
    "angeles": {},
}
LETTERED = {  # letters a, b ... in place of one number, or none at all
    "angeles": "23b 24a 24b 25a 25b 26a 26b 27 28 29 30 31 32a 32b 32c 32d 33a 33b 34a 34b 34c 34d 34e "
    "34f 35 36 37 38a 38b 38c 38d 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55a 55b 56 57 58"
}
NUMBER = re.compile(r"\d+(?:\.\d+)?")
FIGURES = {"dasgupta1998": 10, "pedrammehr2012": 10, "turney1980": 4, "lee1982": 8, "angeles": 4}
TABLES = {"turney1980": 5, "lee1982": 2, "angeles": 4}


@pytest.mark.parametrize("name", papers.NAMES)
def test_no_numbered_place_is_missing(name: str) -> None:
    found = {number for one in entries_of(name) for number in re.findall(r"\(([^)]+)\)", one.place)}
    wanted = {f"{prefix}{k}" for prefix, n in NUMBERED[name].items() for k in range(1, n + 1)}
    wanted |= {f"7.{k}" for k in LETTERED.get(name, "").split()}
    assert wanted <= found
    places = [one.place for one in entries_of(name)]
    assert sum(place.startswith("Fig.") for place in places) == FIGURES[name]
    assert sum(place.startswith("Table") for place in places) == TABLES.get(name, 0)


@pytest.mark.parametrize("name", papers.NAMES)
def test_every_fault_is_put_right_and_every_function_is_there(name: str) -> None:
    for one in entries_of(name):
        assert one.verdict in VERDICTS
        if one.verdict in FAULTS:
            assert one.read, one.place
            assert one.right, one.place
            assert one.read != one.right
        elif one.verdict == "not decidable":
            assert one.right, one.place
        else:
            assert one.code or one.right, one.place
        if one.code:
            function, module, line = location(one.code)
            assert line > 0
            assert function.rpartition(".")[2] in one.code
            assert module.endswith(".py")


def test_a_function_that_is_gone_is_named() -> None:
    with pytest.raises(lw.LinkworkError, match=r"lagrange\.py defines no potential"):
        location("mechanics/chain/lagrange.py:potential")


def test_the_common_table_has_every_row() -> None:
    page = reproduce(TABLE)
    lines = page.contents()[f"{TABLE}.csv"].decode().splitlines()
    assert len(lines) == 1 + sum(len(entries_of(name)) for name in papers.NAMES)
    html = page.contents()[f"{TABLE}.html"].decode()
    for name in papers.NAMES:
        assert f'href="{name}.html"' in html
    assert "newton_euler.py:" in html


def test_row_4_of_turneys_table_put_right_gives_the_traced_total() -> None:
    assert appendix_sum(4) == (768, 448)
    lagrange = totals()[0].traced
    for n in (2, 3, 6):
        for kind, (own, total, rest) in enumerate(
            zip(TURNEY_2_ROW_4[1:], lagrange, (0, n), strict=True)
        ):
            printed = [row[1 + kind](n) for k, row in enumerate(TURNEY_2.rows) if k != 3]
            # Adding the gravity terms takes n additions that no printed row has.
            assert sum(printed) + own(n) + rest == total(n)


@pytest.mark.parametrize("name", papers.NAMES)
def test_every_row_has_an_address_of_its_own(name: str) -> None:
    entries = entries_of(name)
    names = anchors(entries, f"{name}-")
    assert len(set(names)) == len(entries)
    assert not any(re.search(r"\s", one) for one in names)


def test_a_long_formula_has_places_to_break_a_line_and_keeps_its_signs() -> None:
    for name in papers.NAMES:
        module = import_module(f"linkwork.papers.{name}.entries")
        for _, latex, _ in module.EQUATIONS:
            parts = in_lines(latex)
            assert parts.replace(r"\) \({} ", " ") == latex
            for formula in re.findall(r"\\\((.+?)\\\)", parts):
                assert formula.count("{") == formula.count("}")
                assert formula.count(r"\left") == formula.count(r"\right")
                mathml(formula)
    assert in_lines(r"\(a = b\)") == r"\(a = b\)"


def claims_of(name: str) -> tuple[Entry, ...]:
    found: tuple[Entry, ...] = import_module(f"linkwork.papers.{name}.entries").CLAIMS
    return found


@pytest.mark.parametrize("name", papers.NAMES)
def test_claims_stand_in_the_common_table_with_the_numbers_of_their_page(folder, name: str) -> None:
    claims = claims_of(name)
    assert set(claims) <= set(entries_of(name))
    lines = rows(folder, f"{name}-statements")
    for one, line in zip(claims, lines, strict=True):
        assert (line["place"], line["verdict"]) == (one.place, one.verdict)
        computed = NUMBER.findall(" ".join(line.values()).replace("\N{NO-BREAK SPACE}", ""))
        told = re.sub(r"\\\(.*?\\\)", "", one.right)  # numbers of formulas are not results
        assert set(NUMBER.findall(told)) <= set(computed), one.place
