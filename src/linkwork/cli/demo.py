"""linkwork demo: the main job in under a minute."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from linkwork.cli.arguments import AsJson
from linkwork.cli.output import check_files, print_json


def demo(
    report: Annotated[
        Path, typer.Option("--report", metavar="FILE", help="Report to write (.html).")
    ] = Path("linkwork-demo.html"),
    json: AsJson = False,
) -> None:
    """Demo report: the papers' Stewart platform by three formulations, and a PUMA in closed loop.

    Writes one report and prints its path and key figures.

    \b
    Example:
      linkwork demo --report demo.html
    """
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    from linkwork.cli.demonstration import build

    check_files(None, report, None)
    page, findings = build()
    page.save(report)
    if json:
        print_json({"report": str(report.resolve()), "findings": [asdict(each) for each in findings]})
        return
    table = Table.grid(padding=(0, 2))
    table.add_column(justify="right", no_wrap=True, style="bold")
    table.add_column()
    for each in findings:
        table.add_row(escape(each.number), escape(each.words))
    Console().print(table)
    print(f"report: {report.resolve()}")
