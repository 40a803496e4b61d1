"""The robots that come with the package, by name: quick to list, nothing is parsed."""

from __future__ import annotations

import re
from importlib import resources
from importlib.resources.abc import Traversable

from linkwork.core.errors import InputError
from linkwork.files.faults import listed, shown, suggestion

KIND_NAMES = ("arm", "stewart-platform", "parallel-robot", "mechanism")
KIND_WORDS = dict(
    zip(KIND_NAMES, ("serial arm", "Stewart platform", "parallel robot", "mechanism"), strict=True)
)
KIND_LINE = re.compile(r"^kind: *(\S+)", re.MULTILINE)


def bundled_names(kind: str | None = None) -> tuple[str, ...]:
    """Names of the robots that come with the package: all, or those of kind arm or stewart-platform."""
    if kind is not None and not (isinstance(kind, str) and kind in KIND_NAMES):
        raise InputError(f"{shown(kind)} {unknown_kind(kind)}")
    files = [entry for entry in _library().iterdir() if entry.name.endswith(".yaml")]
    chosen = [file for file in files if kind is None or _kind_of(file) == kind]
    return tuple(sorted(file.name.removesuffix(".yaml") for file in chosen))


def bundled_file(name: str) -> Traversable:
    """The file of a bundled robot."""
    return _library().joinpath(f"{name}.yaml")


def unknown_kind(kind: object) -> str:
    """What to say of a kind that is none."""
    return f"is not a kind of robot{suggestion(kind, KIND_NAMES)}; allowed: {listed(KIND_NAMES)}"


def _library() -> Traversable:
    return resources.files(__package__).joinpath("library")


def _kind_of(file: Traversable) -> str | None:
    """Our own files say it on a line of its own; no need to parse them."""
    match = KIND_LINE.search(file.read_text(encoding="utf-8"))
    return None if match is None else match[1]
