"""Plain text with a little markup, made into HTML; whatever is not markup is escaped."""

from __future__ import annotations

import html
import re
from functools import cache

LINK = re.compile(r"\[([^\]]+)\]\(((?:https?://|#|[\w./-]+)[^\s()<>]*)\)")


def paragraphs(text: str) -> str:
    """Paragraphs are parted by empty lines; lines that start with "- " are a list."""
    blocks = []
    for block in re.split(r"\n\s*\n", text.strip()):
        prose: list[str] = []
        items: list[str] = []
        for line in block.splitlines():
            stripped = line.strip()
            if stripped.startswith("- "):
                items.append(stripped[2:])
            elif items:  # a long item goes on
                items[-1] += " " + stripped
            else:
                prose.append(stripped)
        if prose:
            blocks.append(f"<p>{inline(' '.join(prose))}</p>")
        if items:
            blocks.append("<ul>" + "".join(f"<li>{inline(item)}</li>" for item in items) + "</ul>")
    return "\n".join(blocks)


def inline(text: str) -> str:
    r"""**bold**, *italic*, `code`, [text](address) and \(mathematics\) in LaTeX's words, of one line.

    Nothing inside code and mathematics is markup.
    """
    parts = re.split(r"`([^`]+)`", text)
    return "".join(
        f"<code>{html.escape(part)}</code>" if k % 2 else _with_mathematics(part)
        for k, part in enumerate(parts)
    )


def _with_mathematics(text: str) -> str:
    parts = re.split(r"\\\((.+?)\\\)", text)
    return "".join(mathml(part) if k % 2 else _emphasised(part) for k, part in enumerate(parts))


@cache
def mathml(latex: str) -> str:
    """A formula as MathML, which browsers set themselves: no script, no font, nothing to fetch."""
    from latex2mathml.converter import convert

    return convert(latex.replace("\N{NO-BREAK SPACE}", " "))


def _emphasised(text: str) -> str:
    text = html.escape(text)
    text = LINK.sub(r'<a href="\2">\1</a>', text)
    text = re.sub(r"\*\*(\S(?:.*?\S)?)\*\*", r"<strong>\1</strong>", text)
    return re.sub(r"(?<![\w*])\*([^\s*](?:[^*]*[^\s*])?)\*(?![\w*])", r"<em>\1</em>", text)
