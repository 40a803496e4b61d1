"""Names that a C compiler, and so every target, accepts."""

from __future__ import annotations

import re

from linkwork.errors import InputError

IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
LONGEST = 63  # significant characters that C99 promises for an internal name
KEYWORDS = """
    auto break case char const continue default do double else enum extern float for goto if inline int
    long main register restrict return short signed sizeof static struct switch typedef union unsigned
    void volatile while
"""


def is_identifier(name: str) -> bool:
    """Whether C takes it as a name of something new."""
    return bool(IDENTIFIER.fullmatch(name)) and len(name) <= LONGEST and name not in KEYWORDS.split()


def identifier(name: str | None, robot: str) -> str:
    """The name that prefixes everything exported: as given, or the robot's with _ for - and spaces."""
    if name is not None:
        if not is_identifier(name):
            raise InputError(
                f"name = {name!r} is no C identifier; allowed are letters, digits and _, a letter "
                f"first, at most {LONGEST} of them, and no keyword of C."
            )
        return name
    derived = re.sub(r"[-. ]", "_", robot)
    if not is_identifier(derived):
        raise InputError(
            f"the robot's name {robot!r} gives no C identifier; say what to call it, such as "
            f'name="{_suggested(derived)}" (--name {_suggested(derived)}).'
        )
    return derived


def _suggested(name: str) -> str:
    words = re.sub(r"\W", "_", name, flags=re.ASCII)[:40].strip("_")
    return f"robot_{words}" if words else "robot"
