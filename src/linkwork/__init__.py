"""Linkwork: exact and fast dynamics of arms, parallel robots and mechanisms with loops and branches."""

from __future__ import annotations

import importlib
import re
from functools import cache
from pathlib import Path
from typing import Any

__version__ = "0.1.0"


@cache
def _places() -> dict[str, tuple[str, str]]:
    """Of every public name, its module and its name there: the imports that `__init__.pyi` lists."""
    listed = Path(__file__).with_suffix(".pyi").read_text("utf-8")
    found = re.findall(r"^from (\S+) import (\w+) as \w+$", listed, re.MULTILINE)
    places = {name: (module, name) for module, name in found}
    earlier = re.findall(r"^(\w+) = (\w+)$", listed, re.MULTILINE)
    return places | {name: places[now] for name, now in earlier}


def __getattr__(name: str) -> Any:
    """A public name, or a module of the package; it loads when it is first asked for."""
    if name == "__all__":
        return sorted(_places())
    missing = AttributeError(f"module 'linkwork' has no attribute {name!r}")
    if name.startswith("__"):
        raise missing
    if name in _places():
        module, there = _places()[name]
        value = getattr(importlib.import_module(module), there)
    else:
        try:
            value = importlib.import_module(f"linkwork.{name}")
        except ModuleNotFoundError as error:
            if error.name != f"linkwork.{name}":  # something that it needs
                raise
            raise missing from None
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_places()})
