"""Attributes of XML elements as checked quantities; every fault is noted on the way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from linkwork.robots import quantities as q
from linkwork.robots.faults import Fault
from linkwork.robots.urdf_xml import Element

T = TypeVar("T")


@dataclass
class AttributeReader:
    """A faulty value is noted and reads as its default, so that reading goes on.

    `remarks` are texts about what is accepted but probably not meant.
    """

    faults: list[Fault] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)

    def note(self, element: Element, where: str, what: str) -> None:
        self.faults.append(Fault(where, what, element.line))

    def inner(self, element: Element, tag: str, where: str) -> Element | None:
        """A child element that has to be there."""
        inner = element.first(tag)
        if inner is None:
            self.note(element, where, f"has no <{tag}>; add one")
        return inner

    def text(self, element: Element, attribute: str, where: str) -> str:
        """An attribute that has to be there."""
        text = element.attributes.get(attribute, "").strip()
        if not text:
            self.note(
                element, where, f'has no {attribute}; write {attribute}="..." into <{element.tag}>'
            )
        return text

    def number(
        self,
        element: Element | None,
        attribute: str,
        where: str,
        read: Callable[[object], float],
        default: float | None = None,
    ) -> float:
        """A number; without a default the attribute has to be there."""
        if element is not None and default is None and attribute not in element.attributes:
            self.note(element, f"{where} {element.tag}", f"has no {attribute}; add it")
        return self._read(element, attribute, where, lambda parts: read(_only(parts)), default or 0.0)

    def vector(
        self,
        element: Element | None,
        attribute: str,
        where: str,
        read: Callable[[object], q.Vector],
        default: q.Vector = (0.0, 0.0, 0.0),
    ) -> q.Vector:
        return self._read(element, attribute, where, read, default)

    def _read(
        self,
        element: Element | None,
        attribute: str,
        where: str,
        read: Callable[[list[object]], T],
        default: T,
    ) -> T:
        if element is None or attribute not in element.attributes:
            return default
        words = element.attributes[attribute].split()
        try:
            return read([float(word) if q.NUMBER.fullmatch(word) else word for word in words])
        except ValueError as error:
            self.note(element, f"{where} {element.tag} {attribute}", str(error))
            return default


def _only(parts: list[object]) -> object:
    """The one item of a list; if there are none or several, the list, which is not a number."""
    return parts[0] if len(parts) == 1 else parts
