"""Text that others chose, such as names of joints, within comments of exported files."""

from __future__ import annotations

import re
from collections.abc import Iterable

# The first characters of what would end or begin a comment of C, JavaScript, XML or a page, and of C's
# trigraphs: a space after them takes the meaning away.
ACTIVE = re.compile(r"\*(?=/)|/(?=\*)|-(?=-)|<(?=[/!])|\?(?=\?)")
REPLACED = str.maketrans({"\\": "/", '"': "'"})


def harmless(text: str) -> str:
    """One line that stays within a comment of any language exported to, whatever the text.

    Backslashes (which join lines of C) and double quotes (which end docstrings of Python) are replaced,
    characters that cannot be printed become a question mark.
    """
    plain = "".join(c if c.isprintable() else "?" for c in text.replace("\n", " "))
    return ACTIVE.sub(r"\g<0> ", plain.translate(REPLACED))


def block_comment(lines: Iterable[str], indent: str = "", begin: str = "/*") -> str:
    """Lines as a comment of C, JavaScript or TypeScript."""
    inner = [f"{indent} * {harmless(line)}".rstrip() for line in lines]
    return "\n".join([f"{indent}{begin}", *inner, f"{indent} */"]) + "\n"
