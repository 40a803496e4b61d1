"""linkwork paper: the papers, reproduced."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from linkwork.cli.arguments import FOLDER, AsJson, starting
from linkwork.cli.output import print_json, say


def paper_names(incomplete: str) -> list[str]:
    from linkwork.papers.reproduction import NAMES, TABLE

    return starting((*NAMES, TABLE), incomplete)


def paper(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[NAME]",
            help="dasgupta1998, pedrammehr2012, turney1980, lee1982, angeles, or five-papers: a "
            "verdict for every equation.",
            autocompletion=paper_names,
        ),
    ] = None,
    directory: Annotated[
        Path,
        typer.Option(
            *FOLDER, metavar="FOLDER", help="Folder of the pages; created if it does not exist."
        ),
    ] = Path("papers"),
    every: Annotated[bool, typer.Option("--all", help="All papers, with an index page.")] = False,
    json: AsJson = False,
) -> None:
    """Reproduce a paper: all figures and tables, with the exact results and a verdict for each.

    With --all, all five papers and their common table; takes some minutes.

    \b
    Example:
      linkwork paper turney1980 -d turney
    """
    from linkwork.core.errors import InputError, WriteError
    from linkwork.papers import NAMES, build, build_all
    from linkwork.papers.reproduction import TABLE

    if (name is None) == (not every):
        raise InputError(f"paper takes one name or --all; there are {', '.join((*NAMES, TABLE))}.")
    if directory.exists() and not directory.is_dir():
        raise WriteError(f"{directory} is a file; -d expects a folder.")
    page = build_all(directory, _progress) if name is None else build(name, directory, _progress)
    if json:
        print_json({"papers": [name] if name else NAMES, "page": str(page)})
    else:
        print(page)


def _progress(line: str) -> None:
    """Parts as they are done, for a person who waits."""
    if sys.stderr.isatty():
        say(f"  {line}")
