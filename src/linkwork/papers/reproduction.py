"""The reproduction of a paper: a page, its figures and its tables, from the paper's name to a folder,
written whole or not at all."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from collections.abc import Callable, Collection, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from linkwork.core.arguments import one_of
from linkwork.core.errors import WriteError
from linkwork.drawing.style import render
from linkwork.reports.cells import table_csv
from linkwork.reports.figures import mechanism_figure
from linkwork.reports.live import LiveMotion
from linkwork.reports.page import Page
from linkwork.robot.robot import Array, Robot

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Progress = Callable[[str], None]
PRINTED_AND_RIGHT = ("where", "printed", "right")  # misprints beside what should stand there


class PaperEntry(NamedTuple):
    """A paper in the index."""

    title: str
    summary: str
    file_name: str


class Reproduction:
    """Collects a page and the files that go with it; `write` puts them all into a folder."""

    def __init__(self, name: str, title: str, summary: str, progress: Progress | None = None) -> None:
        self.name = name
        self.page = Page(title, summary=summary, command=f"linkwork paper {name} --out FOLDER")
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
    ) -> None:
        """Show a table on the page and keep it as CSV; cells (row, column) of `marks` are in red."""
        self.page.table(header, rows, caption, marks)
        self.files[f"{self.name}-{name}.csv"] = table_csv(header, rows).encode()

    def data(self, name: str, columns: Mapping[str, Array]) -> None:
        """Keep the numbers behind a figure as CSV.

        Values are (N,), or (N, k) for k columns, whose numbers stand for {} in their name.
        """
        header: list[str] = []
        for title, values in columns.items():
            count = 1 if values.ndim == 1 else values.shape[1]
            header += [title.format(k) for k in range(1, count + 1)]
        rows = np.column_stack(list(columns.values())).tolist()
        self.files[f"{self.name}-{name}.csv"] = table_csv(header, rows).encode()

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


def write_together(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write all files or none: first beside their places, then moved there."""
    made = not folder.exists()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        waiting = Path(tempfile.mkdtemp(prefix=".linkwork-", dir=folder))
        try:
            for name, content in files.items():
                if (folder / name).is_dir():
                    raise IsADirectoryError(errno.EISDIR, f"{name} is a folder")
                (waiting / name).write_bytes(content)
            for name in files:
                os.replace(waiting / name, folder / name)
        finally:
            shutil.rmtree(waiting, ignore_errors=True)
    except OSError as error:
        if made and folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()
        raise WriteError(
            f"{folder}: the reproduction cannot be written there: {error.strerror or error}. "
            "Name a folder that can be written to and has some megabytes left."
        ) from error


NAMES = ("dasgupta1998", "pedrammehr2012", "turney1980", "lee1982", "angeles")
INDEX = "index.html"


def reproduce(name: str, progress: Progress | None = None) -> Reproduction:
    """A paper's page, figures and tables, not yet written."""
    from matplotlib import rcParams

    from linkwork.drawing.style import style

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


def index_page(entries: Sequence[PaperEntry]) -> Page:
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
