"""What every numbered place of a paper is worth, and where it stands in this package.

Of the papers only text that a machine had read was at hand, without figures. So a place that is not
right as read has one of two verdicts: "wrong" if no damage of the reading explains it (a dimension, a
contradiction within the paper, a number, a sentence in words), "reading damaged" if one lost or confused
sign, dot, bar, index, letter or digit does: then the paper itself may well be right.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal

from linkwork.core.errors import LinkworkError

Verdict = Literal["right", "wrong", "reading damaged", "not decidable"]
VERDICTS: tuple[Verdict, ...] = ("right", "wrong", "reading damaged", "not decidable")


@dataclass(frozen=True)
class Entry:
    """An equation, table, figure or claim.

    Args:
        place: its number, or the section of a claim.
        what: it is, in a few words.
        code: where it stands here, `path/module.py:function`, or nothing.
        read: what the text says, if that is not right.
        right: what should stand there; for other verdicts the number or the reason.
    """

    place: str
    what: str
    verdict: Verdict
    code: str = ""
    read: str = ""
    right: str = ""


def right(places: str, what: str, code: str = "", found: str = "") -> tuple[Entry, ...]:
    """One entry for each of several places, parted by spaces, that agree with what is computed here."""
    return tuple(Entry(place, own, "right", code, "", found) for place, own in _each(places, what))


def wrong(place: str, what: str, read: str, correct: str, code: str = "") -> Entry:
    return Entry(place, what, "wrong", code, read, correct)


def damaged(place: str, what: str, read: str, correct: str, code: str = "") -> Entry:
    return Entry(place, what, "reading damaged", code, read, correct)


def undecided(places: str, what: str, reason: str, code: str = "") -> tuple[Entry, ...]:
    return tuple(
        Entry(place, own, "not decidable", code, "", reason) for place, own in _each(places, what)
    )


def _each(places: str, what: str) -> Iterator[tuple[str, str]]:
    """Every place with its own words, parted by "; ", or with the words of all. Underscores part the
    words of one place."""
    names, words = places.split(), what.split("; ")
    if len(words) == 1:
        words *= len(names)
    return zip((name.replace("_", " ") for name in names), words, strict=True)


@cache
def _lines(module: str) -> dict[str, int]:
    """Functions and classes of a module by their names, methods as `Class.method`."""
    tree = ast.parse(files("linkwork").joinpath(module).read_text(encoding="utf-8"))
    return dict(_definitions(tree.body))


def _definitions(body: Sequence[ast.stmt], prefix: str = "") -> Iterator[tuple[str, int]]:
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield prefix + node.name, node.lineno
            yield from _definitions(node.body, f"{prefix}{node.name}.")
        elif isinstance(node, ast.Assign) and not prefix:
            yield from ((name.id, node.lineno) for name in node.targets if isinstance(name, ast.Name))


def location(code: str) -> tuple[str, str, int]:
    """Function, file and line of `path/module.py:function`."""
    module, _, name = code.partition(":")
    found = _lines(module)
    if name not in found:
        raise LinkworkError(f"{code}: {module} defines no {name}.")
    return name, module, found[name]


HEADER = ("place", "what", "function", "file and line", "verdict", "as read", "right, or what was found")
FAULTS: tuple[Verdict, ...] = ("wrong", "reading damaged")


def rows(entries: Sequence[Entry]) -> list[list[object]]:
    """For a table; functions without their module."""
    found: list[list[object]] = []
    for one in entries:
        where = ["", ""]
        if one.code:
            name, module, line = location(one.code)
            where = [f"`{name}`", f"{module}:{line}"]
        found.append([one.place, one.what, *where, one.verdict, one.read, one.right])
    return found


FORMULA = re.compile(r"\\\((.+?)\\\)")
STEP = re.compile(r"\\left|\\right|[{}()\[\]]| (?=[-+=] )")  # of braces, and where a formula may go on
OPENING, CLOSING = ("{", "\\left", "(", "["), ("}", "\\right", ")", "]")
# Signs of a formula's part after which a line may break: outside brackets, inside them, never in braces.
OUTSIDE, INSIDE = 12, 26


def in_lines(text: str) -> str:
    """Long formulas as parts with spaces between, since a browser breaks no line within one."""
    return FORMULA.sub(lambda found: r"\) \({} ".join(_parts(found[1])).join((r"\(", r"\)")), text)


def _parts(latex: str) -> list[str]:
    parts, start = [], 0
    depth = dict.fromkeys(OPENING, 0)
    for step in STEP.finditer(latex):
        if step[0] in OPENING:
            depth[step[0]] += 1
        elif step[0] in CLOSING:
            depth[OPENING[CLOSING.index(step[0])]] -= 1
        elif not depth["{"] and not depth["\\left"]:
            before = latex[start : step.start()]
            signs = len(re.sub(r"[{}^_ ]", "", re.sub(r"\\[a-zA-Z]+", "x", before)))
            if signs >= (INSIDE if depth["("] or depth["["] else OUTSIDE):
                parts.append(before)
                start = step.end()
    return [*parts, latex[start:]]


PAGE_HEADER = ("place", "verdict", "what, and what should stand there", "function, file and line")


def page_rows(entries: Sequence[Entry], page: str = "") -> list[list[object]]:
    """The same in the width of a page; places lead to the paper's own page, if it is another one."""
    found: list[list[object]] = []
    for one, name in zip(entries, anchors(entries), strict=True):
        words = one.what
        if one.read:
            words += f". As read: {one.read}. Right: {one.right}"
        elif one.right:
            words += f": {one.right}"
        place = f"[{one.place}]({page}#{name})" if page else one.place
        found.append([place, one.verdict, in_lines(words), _here(one.code)])
    return found


def anchors(entries: Sequence[Entry], prefix: str = "") -> list[str]:
    """A name for the address of every entry: its number, or the words of its place."""
    taken: dict[str, int] = {}
    for one in entries:
        base = prefix + re.sub(r"[^\w.]+", "-", one.place).strip("-.").lower()
        count = sum(name == base or name.startswith(f"{base}-also-") for name in taken)
        taken[base if not count else f"{base}-also-{count}"] = count
    return list(taken)


def claim_rows(claims: Sequence[Entry], found: Sequence[Sequence[object]]) -> Iterator[Sequence[object]]:
    """Place, claim and verdict, and what was computed for it."""
    for one, cells in zip(claims, found, strict=True):
        yield one.place, f"{one.what}: {one.read}" if one.read else one.what, one.verdict, *cells


def _here(code: str) -> str:
    if not code:
        return ""
    name, module, line = location(code)
    return f"`{name}` {module}:{line}"


def counted(entries: Sequence[Entry]) -> str:
    """How many have which verdict, in words."""
    numbers = {verdict: sum(one.verdict == verdict for one in entries) for verdict in VERDICTS}
    return ", ".join(f"{count} {verdict}" for verdict, count in numbers.items() if count)


def faults(entries: Sequence[Entry], verdict: Verdict) -> list[list[object]]:
    """Place, as read, and right, of the entries with one verdict."""
    return [[one.place, one.read, one.right] for one in entries if one.verdict == verdict]


EQUATION_HEADER = ("number", "equation", "function, file and line")


def equation_rows(equations: Sequence[tuple[str, str, str]]) -> list[list[object]]:
    """Number, equation, function with file and line."""
    return [[place, latex, _here(code)] for place, latex, code in equations]


def equation_page_rows(equations: Sequence[tuple[str, str, str]]) -> list[list[object]]:
    """The same in the width of a page: what computes an equation stands below it."""
    return [[place, f"{in_lines(latex)} {_here(code)}"] for place, latex, code in equations]


def equation_anchors(equations: Sequence[tuple[str, str, str]]) -> list[str]:
    """A name for the address of every equation; one number may have several."""
    return [f"equation-{k}" for k in range(1, len(equations) + 1)]
