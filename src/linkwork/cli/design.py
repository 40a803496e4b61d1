"""linkwork design: the best machines of a study."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from linkwork.cli.arguments import FOLDER, AsJson, Force, ReportFile
from linkwork.cli.output import check_files, print_json, print_table, put_report, say
from linkwork.core.text import better, number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from linkwork.core.table_files import Plain
    from linkwork.design.optimize import Design, DesignVariant


def design(
    study: Annotated[Path, typer.Argument(metavar="STUDY", help="Study file (.yaml) with objectives.")],
    directory: Annotated[
        Path | None,
        typer.Option(
            *FOLDER,
            metavar="FOLDER",
            help="Folder for the Pareto front and its designs as robot files.",
        ),
    ] = None,
    force: Force = False,
    report: ReportFile = None,
    json: AsJson = False,
) -> None:
    """Pareto-optimal designs of a robot within the constraints of a study.

    \b
    Examples:
      linkwork design study.yaml --report design.html -d machines
    """
    from linkwork.core.progress import progress_bar
    from linkwork.design.optimize import optimize_design
    from linkwork.design.study_file import read_study
    from linkwork.exports.package import check_folder

    check_files(None, report, None)
    if directory is not None:
        check_folder(directory, force)
    asked = read_study(study)
    with progress_bar(asked.search.generations, "generations", None) as advance:
        found = optimize_design(asked, advance)
    for reason in dict.fromkeys(found.refused):
        say(f"warning: left out of the front, since its robot file would not load: {reason}")
    if directory is not None:
        _write(found, directory)
        say(f"wrote {len(found.front)} machines to {directory}")
    if report is not None:
        from linkwork.reports.design import design_report

        folder = directory and Path(os.path.relpath(directory, report.parent)).as_posix()
        put_report(lambda command, _: design_report(found, command, folder or ""), report)
    if json:
        print_json(_facts(found))
    else:
        _show(found)


def _facts(found: Design) -> Plain:
    return {
        "robot": found.robot.name,
        "variables": [each.name for each in found.study.variables],
        "objectives": found.objectives,
        "start": _machine(found.start),
        "start_keeps_constraints": found.start_feasible,
        "gains": {name: found.gain(name) for name in found.objectives},
        "best": {name: found.best(name).name for name in found.objectives},
        "front": [_machine(one) for one in found.front],
    }


def _machine(one: DesignVariant) -> Plain:
    from linkwork.design.metrics import LIMIT

    limited = {LIMIT: one.limit} if one.limit else {}
    return {"name": one.name, "values": one.values, **one.metrics, **limited}


def _show(found: Design) -> None:
    from linkwork.design.metrics import units_of

    heads, units = found.study.heads, units_of(found.robot, found.objectives)
    names = [head.split(".")[-1] for head in heads]
    rows = []
    marked = [("", found.start), *((name, found.best(name)) for name in found.objectives)]
    for best, machine in marked:
        goals = [number(machine.metrics[name]) for name in found.objectives]
        values = [number(value) for value in found.study.shown(machine.values)]
        rows.append((machine.name, best, *values, *goals))
    goals = [f"{name} [{units[name]}]" if units[name] else name for name in found.objectives]
    title = f"{len(found.front)} machines"
    print_table(("machine", "best in", *names, *goals), rows, title=title, left=("best in",))
    for name in found.objectives:
        print(f"{name}: {better(found.gain(name), 1)} than the start")


def _write(found: Design, folder: Path) -> None:
    """The table of the front, and every machine as a robot file; all of them or none."""
    from linkwork.core.table_files import write_csv
    from linkwork.core.whole_files import write_together
    from linkwork.design.metrics import LIMIT
    from linkwork.files.yaml_lines import yaml_text

    names = [each.name for each in found.study.variables]
    columns: dict[str, Sequence[object]] = {"machine": [one.name for one in found.front]}
    columns |= {name: [float(one.values[k]) for one in found.front] for k, name in enumerate(names)}
    columns |= {name: [one.metrics[name] for one in found.front] for name in found.start.metrics}
    if found.start.limit:
        columns[LIMIT] = [one.limit for one in found.front]
    table = io.StringIO()
    write_csv(columns, table)
    files = {"front.csv": table.getvalue().encode()}
    files |= {f"{one.name}.yaml": yaml_text(found.document(one)).encode() for one in found.front}
    write_together(folder, files)
