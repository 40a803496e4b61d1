"""YAML as plain data that remembers the line of every field, and plain data as YAML.

Only what a robot file needs: one document of mappings, lists and scalars. Anchors, aliases and tags
are refused and everything is bounded, so a hostile file costs neither memory nor code execution.
Numbers follow YAML 1.2 (`1e-3` is one), and so do truth values (`yes`, `on` are text); numbers are
written with all their digits.
"""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import yaml

from linkwork.files.faults import Document, Fault, FaultyError, Path, shortened
from linkwork.files.quantities import NUMBER

LARGEST_FILE = 2**20
MOST_NODES = 100_000
DEEPEST = 12
EXACT_DIGITS = 18

EMPTY = "the file is empty or holds only comments; it begins with fields such as `kind: arm`"
NOT_FINITE = re.compile(r"[-+]?\.(inf|nan)", re.IGNORECASE)
QUICK_LOADER = getattr(yaml, "CSafeLoader", None)  # PyYAML has it where it was built with libyaml
CONSTANTS = {"": None, "~": None, "null": None, "true": True, "false": False}


def read_yaml(raw: bytes) -> Document:
    """The document in `raw`; FaultyError if there is none to be had."""
    text = _decoded(raw)
    if QUICK_LOADER is not None:
        try:
            return _Reader(yaml.parse(text, Loader=QUICK_LOADER)).document()
        except (yaml.YAMLError, ValueError, OverflowError):
            pass  # the parser in Python says what is wrong
    try:
        return _Reader(yaml.parse(text, Loader=yaml.SafeLoader)).document()
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        what = f"character {error.character:#x} is not allowed in YAML; remove it"
        raise FaultyError([Fault("", what, line)]) from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = 1 if mark is None else mark.line + 1
        raise FaultyError([Fault("", f"not valid YAML: {error.problem or error}", line)]) from None
    except (ValueError, OverflowError):
        # PyYAML converts version numbers and character escapes without checking their size.
        what = "not valid YAML: a %YAML version or a \\U escape is out of range"
        raise FaultyError([Fault("", what)]) from None


def _decoded(raw: bytes) -> str:
    if len(raw) > LARGEST_FILE:
        what = f"the file has more than {LARGEST_FILE} bytes; a robot file is at most that large"
        raise FaultyError([Fault("", what)])
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        what = f"byte {raw[error.start]:#04x} is not UTF-8; save the file as UTF-8"
        raise FaultyError([Fault("", what, line)]) from None
    if not text.strip():
        raise FaultyError([Fault("", EMPTY)])
    return text


def scalar(text: str) -> object:
    """What an unquoted scalar means."""
    if NUMBER.fullmatch(text):
        # Python refuses to read an integer of thousands of digits; a float is never refused.
        return int(text) if text.lstrip("+-").isdigit() and len(text) <= EXACT_DIGITS else float(text)
    if NOT_FINITE.fullmatch(text):
        return float(text.replace(".", ""))
    return CONSTANTS.get(text.lower(), text)


Event = Any  # of PyYAML's parser


class _Reader:
    """Builds data from parser events, which come before PyYAML recurses into anything."""

    def __init__(self, events: Iterator[Event]) -> None:
        self.events = events
        self.nodes = 0
        self.lines: dict[Path, int] = {}
        self.repeated: list[tuple[Path, str, int]] = []
        self.refused: list[tuple[Path, str, int]] = []

    def document(self) -> Document:
        data: object = None
        documents = 0
        for event in self.events:
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    self._refuse((), event, "a second document begins; one file holds one robot")
                    break
            elif isinstance(event, yaml.NodeEvent):
                data = self._value(event, ())
        if documents == 0:
            raise FaultyError([Fault("", EMPTY)])
        document = Document(data, self.lines)
        faults = [document.fault(*fault) for fault in self.repeated + self.refused]
        if self.refused:
            raise FaultyError(faults)
        return Document(data, self.lines, tuple(faults))

    def _refuse(self, path: Path, event: Event, what: str) -> None:
        self.refused.append((path, what, _line(event)))

    def _value(self, event: Event, path: Path) -> object:
        self._count(event, path)
        self.lines.setdefault(path, _line(event))
        if isinstance(event, yaml.AliasEvent):
            self._refuse(path, event, "an alias (*) is not allowed; write the value out")
            return None
        if event.anchor is not None:
            self._refuse(path, event, "an anchor (&) is not allowed; remove it")
        if event.tag is not None:
            self._refuse(path, event, f"tag {shortened(event.tag)} is not allowed; remove it")
        if isinstance(event, yaml.ScalarEvent):
            return scalar(event.value) if event.implicit[0] else event.value
        if isinstance(event, yaml.SequenceStartEvent):
            return self._list(path)
        return self._mapping(path)

    def _count(self, event: Event, path: Path) -> None:
        self.nodes += 1
        if self.nodes > MOST_NODES:
            what = f"more than {MOST_NODES} values; a robot file has at most that many"
        elif len(path) > DEEPEST:
            what = f"nested deeper than {DEEPEST} levels; a robot file is flatter than that"
        else:
            return
        raise FaultyError([Fault("", what, _line(event))])

    def _list(self, path: Path) -> list[object]:
        items: list[object] = []
        while not isinstance(event := next(self.events), yaml.SequenceEndEvent):
            items.append(self._value(event, (*path, len(items))))
        return items

    def _mapping(self, path: Path) -> dict[str, object]:
        fields: dict[str, object] = {}
        while not isinstance(event := next(self.events), yaml.MappingEndEvent):
            if not isinstance(event, yaml.ScalarEvent):
                what = "a field name should be a word, not a list, a mapping or an alias"
                raise FaultyError([Fault("", what, _line(event))])
            key = (*path, event.value)
            if event.value in fields:
                self._skip_repeated(event, key)
            else:
                self.lines[key] = _line(event)
                fields[event.value] = self._value(next(self.events), key)
        return fields

    def _skip_repeated(self, event: Event, key: Path) -> None:
        what = f"is given twice, at lines {self.lines[key]} and {_line(event)}; keep one"
        self.repeated.append((key, what, _line(event)))
        kept, self.lines = self.lines, {}
        self._value(next(self.events), key)
        self.lines = kept


def _line(event: Event) -> int:
    return int(event.start_mark.line) + 1


WIDTH = 100
BARE = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
KEY = re.compile(r"[A-Za-z_]([A-Za-z0-9_ -]*[A-Za-z0-9_])?")
WORDS = ("true", "false", "null", "yes", "no", "on", "off", "y", "n")  # bare, not texts to every reader


def yaml_text(document: Mapping[str, object]) -> str:
    """A robot file: the list of links or legs in blocks, whatever is small on a line."""
    return "\n".join(_block(document, 0)) + "\n"


def _block(fields: Mapping[str, object], indent: int) -> Iterable[str]:
    space = " " * indent
    for name, value in fields.items():
        flat = _flat(value)
        if isinstance(value, str) and len(value) > WIDTH and " ".join(value.split()) == value:
            yield f"{space}{_key(name)}: >-"  # folded: lines are joined by single spaces
            inner = space + "  "
            yield from textwrap.wrap(
                value,
                WIDTH,
                initial_indent=inner,
                subsequent_indent=inner,
                break_long_words=False,
                break_on_hyphens=False,
            )
        elif len(space) + len(name) + 2 + len(flat) <= WIDTH or not isinstance(value, Mapping | list):
            yield f"{space}{_key(name)}: {flat}"
        elif isinstance(value, Mapping):
            yield f"{space}{_key(name)}:"
            yield from _block(value, indent + 2)
        elif all(isinstance(item, Mapping) for item in value):
            yield f"{space}{_key(name)}:"
            for item in value:
                first, *rest = _block(item, indent + 4)
                yield f"{space}  - {first.strip()}"
                yield from rest
        else:
            yield f"{space}{_key(name)}:"
            yield from (f"{space}  - {_flat(item)}" for item in value)


def _key(name: str) -> str:
    """A field's name; that of a body or joint may be any text."""
    return name if KEY.fullmatch(name) else json.dumps(name)


def _flat(value: Any) -> str:
    """On one line. JSON's texts are YAML's quoted texts."""
    if value is None:
        return "null"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_key(name)}: {_flat(item)}" for name, item in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_flat, value)) + "]"
    if isinstance(value, str):
        return value if BARE.fullmatch(value) and value.lower() not in WORDS else json.dumps(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    return repr(float(value))  # NumPy's numbers have another repr
