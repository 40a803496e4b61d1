"""What a kernel is made of, known before it is made.

Tracing an expression takes longer than loading its machine code. A recipe names a kernel by all that
goes into it; an index on disk then says which object code belongs to it and what its arrays are, and
the expression is traced only if somebody asks for it. An entry that does not fit is ignored.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass

import casadi as ca
import numpy as np

from linkwork.core.package_digest import Sources
from linkwork.kernels import cache as disk
from linkwork.kernels.abi import signals_wait

Shape = tuple[int, ...]
Expression = tuple[ca.Function, tuple[Shape, ...]]


@dataclass(frozen=True)
class Recipe:
    """`ingredients` are frozen data that determine the expression which `express` traces.

    `sources` are the files whose code traces it. Without them the expression is traced every time.
    """

    ingredients: tuple[object, ...]
    express: Callable[[], Expression]
    sources: Sources | None = None

    @property
    def is_current(self) -> bool:
        """Whether the code that traces is still that of its files: a module loaded later may be new."""
        return self.sources is not None and self.sources.unchanged()

    def followed_by(self, name: str, change: Callable[[Expression], Expression]) -> Recipe:
        """The recipe of an expression that is made from this one; `name` says by what."""
        express = self.express
        return Recipe((*self.ingredients, name), lambda: change(express()), self.sources)

    def traced(self) -> Expression:
        """The expression; a signal that comes meanwhile is handled when it is there."""
        with signals_wait():
            return self.express()


@dataclass(frozen=True)
class IndexEntry:
    """An index entry: what a kernel must know of itself to run without its expression."""

    name: str
    inputs: dict[str, int]
    outputs: dict[str, Shape]
    object_key: str
    operations: int  # rough work per state, for the choice of threads


def _encode(value: object, into: list[bytes]) -> None:
    """Exact and unambiguous bytes of frozen data."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        into.append(type(value).__name__.encode())
        for field in dataclasses.fields(value):
            if field.compare:  # what is no part of a description's identity shapes no kernel
                _encode(getattr(value, field.name), into)
    elif isinstance(value, tuple):
        into.append(f"tuple {len(value)}".encode())
        for item in value:
            _encode(item, into)
    elif isinstance(value, np.ndarray):
        into.append(f"array {value.shape}".encode() + np.ascontiguousarray(value, float).tobytes())
    elif value is None or isinstance(value, (str, bool, int, float)):
        into.append(f"{type(value).__name__} {value!r}".encode())
    else:
        raise TypeError(f"no ingredient of a kernel: {type(value).__name__}")


def index_key(recipe: Recipe, machine: str) -> str | None:
    """Where the index keeps a recipe for a machine; None if it cannot know this code."""
    if recipe.sources is None or recipe.sources.digest is None:
        return None
    parts = [recipe.sources.digest.encode(), ca.CasadiMeta.version().encode(), machine.encode()]
    _encode(recipe.ingredients, parts)
    digest = hashlib.sha256()
    for part in parts:
        digest.update(len(part).to_bytes(8, "little") + part)
    return digest.hexdigest()


def read_entry(key: str) -> IndexEntry | None:
    content = disk.read(key, "index")
    if content is None:
        return None
    try:
        data = json.loads(content)
        outputs = {name: tuple(shape) for name, shape in data["outputs"].items()}
        return IndexEntry(data["name"], data["inputs"], outputs, data["object_key"], data["operations"])
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def write_entry(key: str, entry: IndexEntry) -> None:
    disk.write(key, json.dumps(dataclasses.asdict(entry)).encode(), "index")
