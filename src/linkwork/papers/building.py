"""From a paper's name to its page in a folder, one paper or all of them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from linkwork.names import one_of
from linkwork.papers.reproduction import Entry, Progress, Reproduction, write_together
from linkwork.reports.page import Page

NAMES = ("dasgupta1998", "pedrammehr2012", "turney1980", "lee1982", "angeles")
INDEX = "index.html"


def reproduce(name: str, progress: Progress | None = None) -> Reproduction:
    """A paper's page, figures and tables, not yet written."""
    from matplotlib import rcParams

    from linkwork.plotting.style import style

    one_of(name, NAMES, "paper")
    page = import_module(f"linkwork.papers.{name}.page")
    if progress is not None:
        progress(f"{name}: computing")
    with style():
        # Axes are scaled to need no powers of ten; setting every number as mathematics takes seconds.
        rcParams["axes.formatter.use_mathtext"] = False
        return page.reproduce(progress)


def build(name: str, out: str | os.PathLike[str], progress: Progress | None = None) -> Path:
    """Reproduce a paper in the folder `out`, all of its files or none; the path of its page.

    Args:
        name: one of NAMES.
        out: folder; made if it does not exist.
        progress: called with a line of text for every part.
    """
    return reproduce(name, progress).write(Path(out))


def build_all(out: str | os.PathLike[str], progress: Progress | None = None) -> Path:
    """Reproduce all papers in the folder `out`, everything or nothing; the path of the index page."""
    folder = Path(out)
    pages = [reproduce(name, progress) for name in NAMES]
    files: dict[str, bytes] = {}
    for page in pages:
        files.update(page.contents())
    files[INDEX] = index_page([page.entry for page in pages]).html().encode()
    write_together(folder, files)
    return folder / INDEX


def index_page(entries: Sequence[Entry]) -> Page:
    """The page that leads to the papers."""
    index = Page(
        "Five papers, reproduced",
        summary="What five classic papers on the dynamics of arms and Stewart platforms show, computed "
        "again, with the exact result beside it where a paper deviates.",
        command="linkwork paper --all --out FOLDER",
    )
    for entry in entries:
        index.section(entry.title)
        index.text(entry.summary)
        index.text(f"[Read the page]({entry.file_name})")
    return index
