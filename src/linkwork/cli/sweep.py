"""linkwork sweep: many variants of a machine compared."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from linkwork.cli.arguments import FOLDER, AsJson, ReportFile
from linkwork.cli.output import check_files, print_json, put_report
from linkwork.core.text import number

if TYPE_CHECKING:
    from collections.abc import Callable


def sweep(
    study: Annotated[Path, typer.Argument(metavar="STUDY", help="Study file (.yaml).")],
    directory: Annotated[Path, typer.Option(*FOLDER, metavar="FOLDER", help="Folder of the results.")],
    part: Annotated[
        str, typer.Option(metavar="I/N", help="Evaluate only this part, for job arrays: 3/16.")
    ] = "1/1",
    cluster: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="A Dask scheduler, such as tcp://host:8786, or local."),
    ] = None,
    report: ReportFile = None,
    json: AsJson = False,
) -> None:
    """Evaluate many variants of a robot; resumes where it stopped.

    A study file defines robot, variables, motions, metrics and sampling. Results are Parquet files;
    --part and --cluster distribute the work.

    \b
    Examples:
      linkwork sweep study.yaml -d runs --report sweep.html
    """
    from linkwork.core.progress import progress_bar
    from linkwork.design.sweep import open_sweep, part_of

    check_files(None, report, None)
    chosen = part_of(part)
    found = open_sweep(study, directory)
    found.prepare()
    missing = len(found.missing(chosen))
    title = f"{found.count} variants, {missing} of {found.chunks} chunks to do"
    begun = time.monotonic()
    with progress_bar(missing, title, None) as bar:
        advance: Callable[[int], None] = bar
        if cluster is None:
            done = found.run(chosen, advance)
        else:
            from linkwork.design.sweep import run_on

            done = run_on(found, cluster, chosen, advance)
    took = time.monotonic() - begun
    left = len(found.missing())
    if report is not None:
        from linkwork.reports.sweep import sweep_report

        put_report(lambda command, _: sweep_report(directory, command), report)
    facts = {
        "folder": str(directory),
        "variants": found.count,
        "computed": done,
        "states": done * found.states,
        "seconds": took,
        "chunks_left": left,
    }
    if json:
        print_json(facts)
        return
    rate = done * found.states / took if took > 0 else 0.0
    print(
        f"{number(done, 9)} variants of {number(found.count, 9)} computed in {number(took, 3)} s "
        f"({number(rate, 3)} states per second); {left} chunks left"
    )
