"""Checking a name against the names there are."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from linkwork.errors import InputError


def one_of(name: str, allowed: Iterable[str], what: str, other: str = "") -> str:
    """`name` itself if it is allowed; else an InputError that lists the names and suggests one.

    Args:
        other: what is allowed besides names, after the list of them.
    """
    names = list(allowed)
    if isinstance(name, str) and name in names:
        return name
    close = difflib.get_close_matches(str(name), names, n=1)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    raise InputError(f"unknown {what} {name!r}; there are {', '.join(names) or 'none'}{other}.{hint}")
