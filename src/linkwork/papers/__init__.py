"""One module per paper: its tables and figures, reproduced with one command."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from linkwork.names import one_of
from linkwork.papers.reproduction import Progress, Reproduction

NAMES = ("dasgupta1998", "pedrammehr2012", "turney1980", "lee1982", "angeles")


def reproduce(name: str, progress: Progress | None = None) -> Reproduction:
    """A paper's page, figures and tables, not yet written."""
    from matplotlib import rcParams

    from linkwork.reports.style import style

    one_of(name, NAMES, "paper")
    page = import_module(f"linkwork.papers.{name}.page")
    with style():
        # Axes are scaled to need no powers of ten; setting every number as mathematics takes seconds.
        rcParams["axes.formatter.use_mathtext"] = False
        return page.reproduce(progress)


def build(name: str, out: Path, progress: Progress | None = None) -> Path:
    """Reproduce a paper in the folder `out`, all of its files or none; the path of its page.

    Args:
        name: one of NAMES.
        out: folder; made if it does not exist.
        progress: called with a line of text for every part.
    """
    return reproduce(name, progress).write(Path(out))
