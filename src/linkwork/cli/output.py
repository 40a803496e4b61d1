"""What a command prints and writes: data and tables on standard output, talk on standard error, plots
and reports, whose modules are loaded only where they are needed."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from linkwork.core.table_files import Columns
    from linkwork.core.text import AngleUnit
    from linkwork.reports import Page
    from linkwork.robot.limits import LeastMargin, LimitBreak

PLOT_ENDINGS = (".png", ".svg", ".pdf")
REPORT_ENDINGS = (".html", ".pdf")
GAP = 2  # spaces between columns
SHORTEST = 20  # characters that a column of words keeps


def say(text: str) -> None:
    """A message to the person, not data."""
    print(text, file=sys.stderr)


def print_table(
    headers: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    title: str = "",
    left: Sequence[str] = (),
    stderr: bool = False,
) -> None:
    """A table; the first column and those named in `left` are words, the others numbers.

    Numbers are never cut: a table that needs more room than there is gets wider. Only the last column,
    if it holds words, is shortened. Colors only on a terminal and without NO_COLOR.
    """
    from rich import box
    from rich.console import Console
    from rich.table import Table

    stream = sys.stderr if stderr else sys.stdout
    console = Console(file=stream, markup=False, emoji=False, highlight=False)
    cells = [tuple(row) for row in rows]
    widths = [max(len(row[k]) for row in (headers, *cells)) for k in range(len(headers))]
    natural = sum(widths) + GAP * (len(widths) - 1)
    if headers[-1] in left and natural > console.width:
        widths[-1] = max(SHORTEST, widths[-1] - (natural - console.width))
        cells = [(*row[:-1], shortened(row[-1], widths[-1])) for row in cells]
    console.width = max(console.width, sum(widths) + GAP * len(widths))
    weight = "none" if console.no_color else "bold"
    table = Table(
        box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0), header_style=weight
    )
    for k, header in enumerate(headers):
        justify: Literal["left", "right"] = "left" if k == 0 or header in left else "right"
        table.add_column(header, justify=justify, no_wrap=True, min_width=widths[k])
    for row in cells:
        table.add_row(*row)
    with console.capture() as printed:
        console.print(table)
    # Spaces that fill a line up are of no use to a file.
    lines = [line.rstrip() for line in printed.get().splitlines()]
    stream.write("\n".join([*([title] if title else []), *lines, "", ""]))


def shortened(text: str, width: int) -> str:
    """The beginning of a text, cut at a word."""
    if len(text) <= width:
        return text
    cut = text.rfind(" ", 0, width - 3)
    return text[: cut if cut > 0 else width - 4].rstrip(" ,;:") + " ..."


def print_json(value: Mapping[str, object] | Sequence[object]) -> None:
    """One JSON value on standard output; what is not finite is null."""
    from linkwork.core.table_files import plain

    json.dump(plain(value), sys.stdout, indent=2, allow_nan=False)
    sys.stdout.write("\n")


def check_files(output: Path | None, report: Path | None, plot: Path | None) -> None:
    """Refuse wrong endings, missing folders and folders in the way before any work is done."""
    from linkwork.core.errors import WriteError
    from linkwork.core.table_files import ENDINGS, ending_of

    for path, endings in ((output, ENDINGS), (report, REPORT_ENDINGS), (plot, PLOT_ENDINGS)):
        if path is not None:
            ending_of(path, endings)
            if not path.parent.is_dir():
                raise WriteError(f"{path} cannot be written: there is no folder {path.parent}.")
            if path.is_dir():
                raise WriteError(f"{path} cannot be written: it is a folder.")
    if report is not None and report.suffix.lower() == ".pdf":
        from linkwork.reports.page import browser

        browser()  # or an error that says what is missing


def put_data(columns: Columns, output: Path | None, arrays: Columns | None = None) -> None:
    """Data to a file, or as CSV to standard output if that is not a terminal."""
    from linkwork.core.table_files import write_csv, write_table

    if output is not None:
        write_table(output, columns, arrays)
        say(f"wrote {output}")
    elif not sys.stdout.isatty():
        write_csv(columns, sys.stdout)


def limit_in_words(found: LimitBreak, angles: AngleUnit) -> str:
    """A broken limit as a warning tells it."""
    from linkwork.core.text import number, shown

    return (
        f"{found.name}: {found.quantity} {found.shown_value(angles)} at "
        f"t = {number(found.worst_time)} s is beyond its limit "
        f"{shown(found.allowed, found.unit, angles)}, for {number(found.duration, 3)} s from "
        f"t = {number(found.first_time)} s on"
    )


def show_margin(margin: LeastMargin | None, stderr: bool) -> None:
    """The least margin of all limits, if there are limits."""
    if margin is not None:
        print(f"least margin of all limits: {margin}", file=sys.stderr if stderr else sys.stdout)


FIGURES = 7  # of a report, for the bar: about as many


def this_command() -> str:
    """The command line as it was typed."""
    return shlex.join(["linkwork", *sys.argv[1:]])


def put_plot(figure: Figure, plot: Path) -> None:
    """A figure to a file."""
    from linkwork.reports import save_figure

    save_figure(figure, plot)
    say(f"wrote {plot}")


RUNNING: ContextVar[Any] = ContextVar("running", default=None)  # context of the command that runs
# Options that say what is written, not what is computed.
WRITTEN = (
    "output", "report", "plot", "json", "force", "columns", "directory", "check", "check_limits",
    "strict", "state", "parts", "reactions",
)  # fmt: skip
OF_URDF = ("tip", "base", "fix")  # named where they are given
UNITS = {"S": " [s]", "M": " [m]", "KG": " [kg]"}  # by the placeholders of options


def put_report(
    page_of: Callable[[str, Callable[[int], None]], Page], report: Path, **settings: object
) -> None:
    """A page to a file, made from the command line and from what advances a bar for its figures; its
    last section has every setting of the run. `settings` are those that the command worked out."""
    from linkwork.core.progress import progress_bar

    with progress_bar(FIGURES, f"drawing {report.name}", None) as advance:
        page = page_of(this_command(), advance)
        rows = settings_rows(settings)
        if rows:
            page.section("Settings")
            page.table(("setting", "value"), rows, "All settings of this run.")
        page.save(report)
    say(f"wrote {report}")


def settings_rows(known: Mapping[str, object]) -> list[tuple[str, str]]:
    """Every argument and option of the running command with its value."""
    context = RUNNING.get()
    rows = []
    for parameter in [] if context is None else context.command.params:
        name = str(parameter.name)
        if name in WRITTEN or name not in context.params:
            continue
        value = known.get(name, context.params[name])
        if name in OF_URDF and not value:
            continue
        words = max(parameter.opts, key=len).lstrip("-").replace("-", " ")
        rows.append((words + UNITS.get(parameter.metavar or "", ""), setting_words(value)))
    return rows


def setting_words(value: Any) -> str:
    """A value of an option for people; numbers that are all equal are told once."""
    from linkwork.reports.cells import cell

    several = value.ravel().tolist() if hasattr(value, "ravel") else value
    if several is None or several == "" or several in ([], ()):
        return "not given"
    if not isinstance(several, (list, tuple)):
        return cell(several)
    return ", ".join(map(cell, several[:1] if len({*several}) == 1 else several))
