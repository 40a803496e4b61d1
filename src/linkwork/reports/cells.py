"""Tables of a page: how a value looks, and the same table as CSV."""

from __future__ import annotations

import csv
import html
import io
import math
import re
from collections.abc import Collection, Sequence
from numbers import Integral, Real

from linkwork.errors import InputError
from linkwork.formatting import number as text_of
from linkwork.reports.markup import inline

NUMERIC = re.compile(r"[-+−±<>≤≥~ ]*\d[\d.,\xa0]*(\s?[eE×][-+−^10]*\d+)?\s?%?")
LONGEST_NAME = 16  # characters of a name that is not broken
EMPTY = "–"
NBSP = "\N{NO-BREAK SPACE}"
# What a line may not break in: a unit, a range, a number with its unit, a vector.
UNIT = re.compile(
    r"\[[^\]]*\]|\S+ … \S+( [a-zA-Z]+)?|^[-−±\d.]+ [a-zA-Z/² ]+$|^[-−\d.]+(, [-−\d.]+)+$|\d m?s$"
)


def cell(value: object) -> str:
    """A value as text: four significant digits for a float, a dash for what is not there."""
    if value is None:
        return EMPTY
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Real) and not isinstance(value, Integral):
        number = float(value)
        if math.isnan(number):
            return EMPTY
        return text_of(number).replace("-", "−").replace("inf", "∞").replace(" ", NBSP)
    return str(value).replace("-", "−") if isinstance(value, Integral) else str(value)


def table_html(
    header: Sequence[str], rows: Sequence[Sequence[object]], marks: Collection[tuple[int, int]]
) -> str:
    """<table> with numbers to the right; cells (row, column) of `marks` are violations."""
    for k, row in enumerate(rows):
        if len(row) != len(header):
            raise InputError(f"row {k} of the table has {len(row)} cells; the header has {len(header)}.")
    texts = [[cell(value) for value in row] for row in rows]
    right = [_is_numeric([row[k] for row in texts]) for k in range(len(header))]

    def line(tag: str, values: Sequence[str], row: int) -> str:
        cells = []
        for k, text in enumerate(values):
            classes = (["n"] if right[k] else []) + (["violation"] if (row, k) in marks else [])
            if tag == "td" and k == 0 and "-" in text and len(text) <= LONGEST_NAME:
                classes.append("name")  # leg-1 stays on one line
            attribute = f' class="{" ".join(classes)}"' if classes else ""
            whole = UNIT.sub(lambda match: match[0].replace(" ", NBSP), text)
            cells.append(f"<{tag}{attribute}>{inline(whole)}</{tag}>")
        return f"<tr>{''.join(cells)}</tr>"

    body = "\n".join(line("td", row, k) for k, row in enumerate(texts))
    return f"<table>\n<thead>{line('th', header, -1)}</thead>\n<tbody>\n{body}\n</tbody></table>"


def table_csv(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """The values themselves, with all their digits."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(header)
    writer.writerows([["" if value is None else value for value in row] for row in rows])
    return buffer.getvalue()


def _is_numeric(texts: Sequence[str]) -> bool:
    """Whether a column holds numbers: two thirds of its filled cells do; others may be remarks."""
    filled = [html.unescape(text).strip() for text in texts if text.strip() not in ("", EMPTY)]
    found = [bool(NUMERIC.fullmatch(text.strip("*`"))) or text == "∞" for text in filled]
    return bool(filled) and 3 * sum(found) >= 2 * len(filled)
