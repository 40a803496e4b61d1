"""The reproduction of a paper: a page, its figures and its tables, from the paper's name to a folder,
written whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from linkwork.core.arguments import one_of
from linkwork.core.errors import InputError
from linkwork.core.whole_files import write_together
from linkwork.drawing.style import render
from linkwork.papers.entries import (
    EQUATION_HEADER,
    HEADER,
    PAGE_HEADER,
    Entry,
    anchors,
    claim_rows,
    counted,
    equation_anchors,
    equation_page_rows,
    equation_rows,
    faults,
    page_rows,
    rows,
)
from linkwork.reports.cells import table_csv
from linkwork.reports.figures import mechanism_figure
from linkwork.reports.live import LiveMotion
from linkwork.reports.page import Page
from linkwork.robot.robot import Array, Robot

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Progress = Callable[[str], None]
AS_READ_AND_RIGHT = ("where", "as read", "right")  # faults beside what should stand there
EQUATIONS = "The equations, corrected"
FIND = "section-the-equations-corrected"
SOURCE = (
    "Only text of the paper that a machine had read was at hand, without its figures. Where that text "
    "is not right, an error is called certain if no damage of the reading explains it: a dimension, a "
    "contradiction within the paper, a number, a sentence in words. What one lost or confused sign, "
    "dot, bar, index, letter or digit explains may be the reading's; the paper itself may then be right."
)


class PaperEntry(NamedTuple):
    """A paper in the index."""

    title: str
    summary: str
    file_name: str


class Reproduction:
    """Collects a page and the files that go with it; `write` puts them all into a folder."""

    def __init__(self, name: str, title: str, summary: str, progress: Progress | None = None) -> None:
        self.name = name
        self.page = Page(title, summary=summary, command=f"linkwork paper {name} -d FOLDER")
        self.files: dict[str, bytes] = {}
        self._progress = progress

    def section(self, title: str, level: int = 2) -> None:
        if self._progress is not None:
            self._progress(f"{self.name}: {title}")
        self.page.section(title, level)

    def text(self, text: str) -> None:
        self.page.text(text)

    def figure(self, name: str, figure: Figure, caption: str) -> None:
        """Show a figure on the page and keep it as SVG and PNG."""
        stem = f"{self.name}-{name}"
        # Arranged once instead of at every rendering.
        engine = figure.get_layout_engine()
        if engine is not None:
            engine.execute(figure)
            figure.set_layout_engine(None)
        self.files[f"{stem}.svg"] = self.page.figure(figure, caption, stem).encode()
        self.files[f"{stem}.png"] = render(figure, "png")

    def live(
        self,
        name: str,
        robot: Robot,
        motions: Sequence[LiveMotion],
        caption: str,
        friction: bool = True,
    ) -> None:
        """A figure of a robot along the first of its motions, which readers can move.

        Figures over time that come after follow that motion, or another one from `follow` on.
        """
        first = motions[0]
        self.figure(name, mechanism_figure(robot, first.time, first.position), caption)
        self.page.live(f"{self.name}-{name}", robot, motions, friction)

    def follow(self, motion: LiveMotion) -> None:
        self.page.follow(motion)

    def table(
        self,
        name: str,
        header: Sequence[str],
        rows: Sequence[Sequence[object]],
        caption: str,
        marks: Collection[tuple[int, int]] = (),
        stacked: bool = False,
    ) -> None:
        """Show a table on the page and keep it as CSV; cells (row, column) of `marks` are in red."""
        self.page.table(header, rows, caption, marks, stacked=stacked)
        self._keep(name, header, rows)

    def source(self, words: str) -> None:
        """What paper it is, and what of it was at hand."""
        self.text(words)
        self.text(SOURCE)
        self.text(f"[Find an equation, table, figure or claim by its number](#{FIND})")

    def entries(
        self,
        entries: Sequence[Entry],
        equations: Sequence[tuple[str, str, str]],
        symbols: str = "in the paper's symbols",
    ) -> None:
        """The corrected equations, what is not right in the paper, and every place with its verdict."""
        self.section(EQUATIONS)
        self.page.search()
        self.page.table(
            ("number", "equation, and the function, file and line that compute it"),
            equation_page_rows(equations),
            f"What is computed here, and where it stands in the package; {symbols}.",
            anchors=equation_anchors(equations),
        )
        self._keep("equations", EQUATION_HEADER, equation_rows(equations))
        self.section("Certain errors, and what may be the reading's")
        self.table(
            "certain-errors",
            AS_READ_AND_RIGHT,
            faults(entries, "wrong"),
            "Certain errors.",
            stacked=True,
        )
        self.table(
            "reading-damaged",
            AS_READ_AND_RIGHT,
            faults(entries, "reading damaged"),
            "Not right as read; lost or confused signs, letters or digits explain each of these, so the "
            "paper itself may be right.",
            stacked=True,
        )
        self.section("Every equation, table, figure and claim")
        self.entry_table("entries", entries, f"{len(entries)} places of the paper: {counted(entries)}.")

    def statements(
        self,
        columns: Sequence[str],
        claims: Sequence[Entry],
        found: Sequence[Sequence[object]],
        caption: str,
    ) -> None:
        """What the text says: each claim with its place, its verdict and what was computed for it."""
        self.section("What the text says, checked")
        lines = list(claim_rows(claims, found))
        self.table("statements", ("place", "claim", "verdict", *columns), lines, caption, stacked=True)

    def entry_table(
        self, name: str, entries: Sequence[Entry], caption: str, prefix: str = "", page: str = ""
    ) -> None:
        """Every place with its verdict, found by its number: in the width of a page, with all columns
        as CSV."""
        names = anchors(entries, prefix)
        self.page.table(PAGE_HEADER, page_rows(entries, page), caption, anchors=names)
        self._keep(name, HEADER, rows(entries))

    def _keep(self, name: str, header: Sequence[str], lines: Sequence[Sequence[object]]) -> None:
        """A table as CSV, under a name of its own."""
        file = f"{self.name}-{name}.csv"
        if file in self.files:
            raise InputError(f"{file}: two tables of the page have this name; every name must differ.")
        self.files[file] = table_csv(header, lines).encode()

    def data(self, name: str, columns: Mapping[str, Array]) -> None:
        """Keep the numbers behind a figure as CSV.

        Values are (N,), or (N, k) for k columns, whose numbers stand for {} in their name.
        """
        header: list[str] = []
        for title, values in columns.items():
            count = 1 if values.ndim == 1 else values.shape[1]
            header += [title.format(k) for k in range(1, count + 1)]
        rows = np.column_stack(list(columns.values())).tolist()
        self._keep(name, header, rows)

    @property
    def file_name(self) -> str:
        return f"{self.name}.html"

    @property
    def entry(self) -> PaperEntry:
        return PaperEntry(self.page.title, self.page.summary, self.file_name)

    def contents(self) -> dict[str, bytes]:
        """Every file by its name, the page last."""
        return {**self.files, self.file_name: self.page.html().encode()}

    def write(self, folder: Path) -> Path:
        """Put everything into the folder; the path of the page."""
        write_together(folder, self.contents())
        return folder / self.file_name


NAMES = ("dasgupta1998", "pedrammehr2012", "turney1980", "lee1982", "angeles")
TABLE = "five-papers"  # every place of all papers in one table
INDEX = "index.html"


def reproduce(name: str, progress: Progress | None = None) -> Reproduction:
    """A paper's page, figures and tables, not yet written."""
    from matplotlib import rcParams

    from linkwork.drawing.style import style

    one_of(name, (*NAMES, TABLE), "paper")
    if name == TABLE:
        return one_table(progress)
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
        name: one of NAMES, or TABLE for the page with every place of all papers.
        out: folder; made if it does not exist.
        progress: called with a line of text for every part.
    """
    return reproduce(name, progress).write(Path(out))


def build_all(out: str | os.PathLike[str], progress: Progress | None = None) -> Path:
    """Reproduce all papers in the folder `out`, everything or nothing; the path of the index page."""
    folder = Path(out)
    pages = [reproduce(name, progress) for name in (*NAMES, TABLE)]
    files: dict[str, bytes] = {}
    for page in pages:
        files.update(page.contents())
    files[INDEX] = index_page([page.entry for page in pages]).html().encode()
    write_together(folder, files)
    return folder / INDEX


TITLES = {
    "dasgupta1998": "Dasgupta and Mruthyunjaya (1998)",
    "pedrammehr2012": "Pedrammehr, Mahboubkhah and Khani (2012)",
    "turney1980": "Turney, Mudge and Lee (1980)",
    "lee1982": "Lee, Chung, Mudge and Turney (1982)",
    "angeles": "Angeles, sections 7.4 and 7.5",
}


def entries_of(name: str) -> tuple[Entry, ...]:
    """Every place of a paper with its verdict."""
    found: tuple[Entry, ...] = import_module(f"linkwork.papers.{name}.entries").ENTRIES
    return found


def one_table(progress: Progress | None = None) -> Reproduction:
    """Every numbered equation, table, figure and claim of all papers, with its place here."""
    found = {name: entries_of(name) for name in NAMES}
    total = tuple(entry for entries in found.values() for entry in entries)
    page = Reproduction(
        TABLE,
        "Five papers, one table",
        f"{len(total)} equations, tables, figures and claims of five papers, where each is computed "
        f"here, and its verdict: {counted(total)}. To find one, type the first author's name and "
        "the paper's number, such as lee 3.16. 'Wrong' and 'reading damaged' come with what should "
        "stand there; every place leads to the page of its paper.",
        progress,
    )
    page.page.search()
    page.text(SOURCE)
    for name, entries in found.items():
        page.section(TITLES[name])
        page.text(f"{len(entries)} places: {counted(entries)}. [The page of the paper]({name}.html)")
        page.entry_table(name, entries, f"{TITLES[name]}.", f"{name}-", f"{name}.html")
    every = [[TITLES[name], *row] for name, entries in found.items() for row in rows(entries)]
    page.files[f"{TABLE}.csv"] = table_csv(("paper", *HEADER), every).encode()
    page.text(f"[All of it as CSV]({TABLE}.csv)")
    return page


def index_page(entries: Sequence[PaperEntry]) -> Page:
    """The page that leads to the papers."""
    index = Page(
        "Five papers, reproduced",
        summary="What five classic papers on the dynamics of arms and Stewart platforms show, computed "
        "again, with the exact result beside it where a paper deviates.",
        command="linkwork paper --all -d FOLDER",
    )
    for entry in entries:
        index.section(entry.title)
        index.text(entry.summary)
        index.text(f"[Read the page]({entry.file_name})")
    return index
