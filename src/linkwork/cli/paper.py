"""linkwork paper: the papers, reproduced."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from linkwork.cli.options import AsJson
from linkwork.cli.output import print_json, say


def paper_names(incomplete: str) -> list[str]:
    from linkwork.papers import NAMES

    return [name for name in NAMES if name.startswith(incomplete)]


def paper(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[NAME]",
            help="dasgupta1998, pedrammehr2012, turney1980, lee1982 or angeles.",
            autocompletion=paper_names,
        ),
    ] = None,
    out: Annotated[
        Path, typer.Option(metavar="FOLDER", help="Where to write; made if it is not there.")
    ] = Path("papers"),
    every: Annotated[bool, typer.Option("--all", help="All papers, a folder each.")] = False,
    json: AsJson = False,
) -> None:
    """Reproduce a paper: every figure and table, beside them the exact result, and what agrees.

    \b
    Examples:
      linkwork paper turney1980 --out turney
      linkwork paper --all --out papers
    """
    from linkwork.errors import InputError
    from linkwork.names import one_of
    from linkwork.papers import NAMES, build

    if (name is None) == (not every):
        raise InputError(f"paper takes one name or --all; there are {', '.join(NAMES)}.")
    chosen = NAMES if name is None else (one_of(name, NAMES, "paper"),)
    pages = {}
    for each in chosen:
        page = build(each, out / each if every else out, _progress)
        pages[each] = str(page)
        if not json:
            print(page)
    if json:
        print_json(pages)


def _progress(line: str) -> None:
    """Parts as they are done, for a person who waits."""
    if sys.stderr.isatty():
        say(f"  {line}")
