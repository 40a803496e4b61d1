"""XML elements with their line numbers; bounded, and without entities."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.parsers import expat

from linkwork.robots.faults import Fault, FaultyError

LARGEST_URDF = 20 * 2**20
MOST_ELEMENTS = 10_000
DEEPEST = 50


@dataclass
class Element:
    tag: str
    line: int
    attributes: dict[str, str]
    children: list[Element] = field(default_factory=list)

    def named(self, tag: str) -> Iterator[Element]:
        return (child for child in self.children if child.tag == tag)

    def first(self, tag: str) -> Element | None:
        return next(self.named(tag), None)


def read_xml(raw: bytes | str) -> Element:
    """The root element; FaultyError if the text is not XML that a robot needs."""
    if len(raw) > LARGEST_URDF:
        raise FaultyError([Fault("", f"more than {LARGEST_URDF} bytes; a URDF is at most that large")])
    builder = _Builder()
    try:
        builder.parser.Parse(raw, True)
    except expat.ExpatError as error:
        what = f"not valid XML: {expat.ErrorString(error.code)}"
        raise FaultyError([Fault("", what, error.lineno)]) from None
    except (LookupError, ValueError) as error:
        raise FaultyError([Fault("", f"the text encoding cannot be read: {error}", 1)]) from None
    return builder.root.children[0]


class _Builder:
    def __init__(self) -> None:
        self.root = Element("", 0, {})
        self.open = [self.root]
        self.count = 0
        self.parser = expat.ParserCreate()
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        # Entities, the way to make XML explode or read other files, can be declared only there.
        self.parser.StartDoctypeDeclHandler = self._refuse_doctype

    def _fail(self, what: str) -> None:
        raise FaultyError([Fault("", what, self.parser.CurrentLineNumber)])

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self.count += 1
        if self.count > MOST_ELEMENTS:
            self._fail(f"more than {MOST_ELEMENTS} elements; a URDF has at most that many")
        if len(self.open) > DEEPEST:
            self._fail(f"nested deeper than {DEEPEST} levels; a URDF is flatter than that")
        if tag.startswith("xacro:"):
            self._fail(f"<{tag}> is a macro; expand the file first, for instance with `xacro`")
        element = Element(tag, self.parser.CurrentLineNumber, attributes)
        self.open[-1].children.append(element)
        self.open.append(element)

    def _end(self, tag: str) -> None:
        self.open.pop()

    def _refuse_doctype(self, *declaration: object) -> None:
        self._fail("<!DOCTYPE> is not allowed, nor are entities; remove it")
