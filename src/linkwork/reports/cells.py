"""Text of a page with a little markup, everything else escaped; cells of tables, and the same as CSV."""

from __future__ import annotations

import html
import io
import math
import re
from collections.abc import Collection, Sequence
from functools import cache
from numbers import Integral, Real

from linkwork.core.errors import InputError
from linkwork.core.table_files import write_rows
from linkwork.core.text import number as text_of

LINK = re.compile(r"\[([^\]]+)\]\(((?:https?://|#|[\w./-]+)[^\s()<>]*)\)")


def paragraphs(text: str) -> str:
    """Paragraphs are parted by empty lines; lines that start with "- " are a list."""
    blocks = []
    for block in re.split(r"\n\s*\n", text.strip()):
        prose: list[str] = []
        items: list[str] = []
        for line in block.splitlines():
            stripped = line.strip()
            if stripped.startswith("- "):
                items.append(stripped[2:])
            elif items:  # a long item goes on
                items[-1] += " " + stripped
            else:
                prose.append(stripped)
        if prose:
            blocks.append(f"<p>{inline(' '.join(prose))}</p>")
        if items:
            blocks.append("<ul>" + "".join(f"<li>{inline(item)}</li>" for item in items) + "</ul>")
    return "\n".join(blocks)


def inline(text: str) -> str:
    r"""**bold**, *italic*, `code`, [text](address) and \(mathematics\) in LaTeX's words, of one line.

    Nothing inside code and mathematics is markup.
    """
    parts = re.split(r"`([^`]+)`", text)
    return "".join(
        f"<code>{html.escape(part)}</code>" if k % 2 else _with_mathematics(part)
        for k, part in enumerate(parts)
    )


def _with_mathematics(text: str) -> str:
    parts = re.split(r"\\\((.+?)\\\)", text)
    return "".join(mathml(part) if k % 2 else _emphasized(part) for k, part in enumerate(parts))


@cache
def mathml(latex: str) -> str:
    """A formula as MathML, which browsers set themselves: no script, no font, nothing to fetch."""
    from latex2mathml.converter import convert

    return convert(latex.replace("\N{NO-BREAK SPACE}", " "))


def _emphasized(text: str) -> str:
    text = html.escape(SPACE.sub(NBSP, text))
    text = LINK.sub(r'<a href="\2">\1</a>', text)
    text = re.sub(r"\*\*(\S(?:.*?\S)?)\*\*", r"<strong>\1</strong>", text)
    return re.sub(r"(?<![\w*])\*([^\s*](?:[^*]*[^\s*])?)\*(?![\w*])", r"<em>\1</em>", text)


NUMERIC = re.compile(r"[-+−±<>≤≥~ ]*\d[\d.,\xa0]*(\s?[eE×][-+−^10]*\d+)?\s?%?")
SLASH = re.compile(r"(?<=\w)/(?=[\w/]+\.py:\d)")  # of a source file, after which a line may break
LONGEST_NAME = 16  # characters of a name that is not broken
EMPTY = "–"
NBSP = "\N{NO-BREAK SPACE}"
# What a line may not break in: a unit, a range, a number with its unit, a vector.
UNIT = re.compile(
    r"\[[^\]]*\](?!\()|\S+ … \S+( [a-zA-Z]+)?|\S+ ± \S+"
    r"|^[-−±\d.]+ [a-zA-Z/² ]+$|^[-−\d.]+(, [-−\d.]+)+$|\d m?s$"
)

# Spaces within a number with its unit: 21 430 N m, 0.25 mrad.
SPACE = re.compile(
    r"(?<=\d) (?=\d{3}(?!\d))"
    r"|(?<=\d) (?=(?:[kmµu]?(?:N|m|s|g|W|J|Hz|rad)|MN|MW|deg|°|%)(?:[\s.,;:)/²³^*]|$))"
    r"|(?<=[\d\xa0 \[]N) (?=[ms]\b)|(?<=\bkg) (?=m²)"
)
SHEET = 100  # characters that stand beside each other on a sheet of paper, or 1100 px of a screen
GAP = 1.7  # characters between columns


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
    header: Sequence[str],
    rows: Sequence[Sequence[object]],
    marks: Collection[tuple[int, int]],
    anchors: Sequence[str] = (),
    stacked: bool = False,
) -> str:
    """<table> with numbers to the right; cells (row, column) of `marks` are violations. With `anchors`
    every row has an address of its own, and its cells stand below each other on narrow screens; so they
    do if `stacked`, each after its column's name. Other tables wider than a sheet of paper go on below,
    each part with the first column: no column is cut off."""
    for k, row in enumerate(rows):
        if len(row) != len(header):
            raise InputError(f"row {k} of the table has {len(row)} cells; the header has {len(header)}.")
    texts = [[cell(value) for value in row] for row in rows]
    right = [_is_numeric([row[k] for row in texts]) for k in range(len(header))]

    def line(tag: str, values: Sequence[str], row: int, part: Sequence[int], named: bool = False) -> str:
        cells = []
        for k in part:
            text = values[k]
            classes = (["n"] if right[k] else []) + (["violation"] if (row, k) in marks else [])
            if tag == "td" and k == 0 and "-" in text and len(LINK.sub(r"\1", text)) <= LONGEST_NAME:
                classes.append("name")  # leg-1 stays on one line
            attribute = ' scope="col"' if tag == "th" else ""
            attribute += f' class="{" ".join(classes)}"' if classes else ""
            if stacked and tag == "td":
                attribute += f' data-column="{html.escape(header[k])}"'
            cells.append(f"<{tag}{attribute}>{SLASH.sub('/<wbr>', inline(_whole(text)))}</{tag}>")
        name = f' id="{html.escape(anchors[row])}"' if anchors and named else ""
        return f"<tr{name}>{''.join(cells)}</tr>"

    kind = ' class="stacked"' if stacked or anchors else ""
    every = list(range(len(header)))
    parts = [every] if kind else sheets([[*column] for column in zip(header, *texts, strict=True)])
    return "\n".join(
        f"<table{kind}>\n<thead>{line('th', header, -1, part)}</thead>\n<tbody>\n"
        + "\n".join(line("td", row, k, part, named=part is parts[0]) for k, row in enumerate(texts))
        + "\n</tbody></table>"
        for part in parts
    )


def sheets(columns: Sequence[Sequence[str]]) -> list[list[int]]:
    """Columns by the parts of a table that fit on a sheet; the first column leads every part."""
    widths = [
        GAP
        + max(len(word) for text in column for word in [*_whole(LINK.sub(r"\1", text)).split(" "), ""])
        for column in columns
    ]
    parts: list[list[int]] = [[]]
    for k, width in enumerate(widths):
        part = parts[-1]
        if len(part) > 1 and sum(widths[j] for j in part) + width > SHEET:
            part = [0]
            parts.append(part)
        part.append(k)
    return parts


def _whole(text: str) -> str:
    """A text whose numbers and units do not break."""
    return SPACE.sub(NBSP, UNIT.sub(lambda match: match[0].replace(" ", NBSP), text))


def table_csv(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """The values themselves, with all their digits; of links their words."""
    buffer = io.StringIO()
    texts = [[LINK.sub(r"\1", each) if isinstance(each, str) else each for each in row] for row in rows]
    write_rows(header, texts, buffer)
    return buffer.getvalue()


def _is_numeric(texts: Sequence[str]) -> bool:
    """Whether a column holds numbers: two thirds of its filled cells do; others may be remarks."""
    filled = [html.unescape(text).strip() for text in texts if text.strip() not in ("", EMPTY)]
    found = [bool(NUMERIC.fullmatch(text.strip("*`"))) or text == "∞" for text in filled]
    return bool(filled) and 3 * sum(found) >= 2 * len(filled)
