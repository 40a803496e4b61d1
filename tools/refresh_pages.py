"""Write the blocks of the documentation again: code from the examples, outputs as they are now.

    python -m tools.refresh_pages [page ...]

The comment above a block says where it comes from (tests/pages.py). Look at what changed before you
commit it: the tests compare the pages with the same files and commands.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
from pathlib import Path

from tests.pages import BLOCK, PAGES, Block, Desk, cells


def refreshed(block: Block, desk: Desk) -> str:
    """The text that a block should have."""
    if block.language == "console":
        return "".join(f"$ {command}\n{desk.run(command).rstrip()}\n" for command, _ in block.commands)
    if block.source is None or block.part:
        return block.text
    if block.source.suffix != ".py":
        return block.source.read_text("utf-8")
    text = cells(block.source)[block.cell]
    if block.language != "python":
        text = desk.outputs(block.source)[block.cell]
    return text.strip("\n") + "\n"


def refresh(page: Path) -> None:
    def write(match: re.Match[str]) -> str:
        block = Block(match["mark"] or "", match["language"], match["text"])
        mark = f"<!-- {block.mark} -->\n" if block.mark else ""
        return f"{mark}```{block.language}\n{refreshed(block, desk)}```"

    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        os.environ["LINKWORK_CACHE"] = tempfile.mkdtemp(
            dir=folder
        )  # no plans of the user's own searches
        desk = Desk(Path(folder))
        page.write_text(BLOCK.sub(write, page.read_text("utf-8")), "utf-8")
        os.chdir(page.parent)


if __name__ == "__main__":
    for page in [Path(name).resolve() for name in sys.argv[1:]] or PAGES:
        refresh(page)
