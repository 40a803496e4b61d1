"""linkwork design: the best machines of a study."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from linkwork.cli.arguments import AsJson, Force, ReportFile
from linkwork.cli.output import check_files, print_json, print_table, put_report, say
from linkwork.core.text import number

if TYPE_CHECKING:
    from linkwork.core.table_files import Plain
    from linkwork.design.optimise import Design


def design(
    study: Annotated[Path, typer.Argument(metavar="STUDY", help="A study (.yaml) with objectives.")],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FOLDER", help="Write the front and its machines as robot files."
        ),
    ] = None,
    force: Force = False,
    report: ReportFile = None,
    json: AsJson = False,
) -> None:
    """The machines of which none is better in all objectives, within the constraints of a study.

    \b
    Examples:
      linkwork design study.yaml --report design.html -o machines
    """
    from linkwork.core.progress import progress_bar
    from linkwork.design.optimise import optimise
    from linkwork.design.study_file import read_study
    from linkwork.exports.package import check_folder

    check_files(None, report, None)
    if output is not None:
        check_folder(output, force)
    asked = read_study(study)
    with progress_bar(asked.search.generations, "generations", None) as advance:
        found = optimise(asked, advance)
    if output is not None:
        _write(found, output)
        say(f"wrote {len(found.front)} machines to {output}")
    if report is not None:
        from linkwork.reports.design import design_report

        put_report(lambda command, _: design_report(found, command), report)
    if json:
        print_json(_facts(found))
    else:
        _show(found)


def _facts(found: Design) -> Plain:
    return {
        "robot": found.robot.name,
        "variables": [each.name for each in found.study.variables],
        "objectives": found.objectives,
        "start": {"values": found.start.values, **found.start.metrics},
        "start_keeps_constraints": found.start_feasible,
        "gains": {name: found.gain(name) for name in found.objectives},
        "front": [{"values": one.values, **one.metrics} for one in found.front],
    }


def _show(found: Design) -> None:
    names = [each.name.split(".")[-1] for each in found.study.variables]
    rows = []
    marked = [("start", found.start), *((f"best {name}", found.best(name)) for name in found.objectives)]
    for label, machine in marked:
        goals = [number(machine.metrics[name]) for name in found.objectives]
        rows.append((label, *(number(float(value)) for value in machine.values), *goals))
    print_table(("machine", *names, *found.objectives), rows, title=f"{len(found.front)} machines")
    for name in found.objectives:
        print(f"{name}: {100 * found.gain(name):+.1f} % better than the start")


def _write(found: Design, folder: Path) -> None:
    """The table of the front, and every machine as a robot file; all of them or none."""
    from linkwork.core.table_files import write_csv
    from linkwork.exports.package import Package, put
    from linkwork.files.yaml_lines import yaml_text
    from linkwork.model.robot_files import robot_document

    names = [each.name for each in found.study.variables]
    columns: dict[str, list[float]] = {
        name: [float(one.values[k]) for one in found.front] for k, name in enumerate(names)
    }
    columns |= {name: [one.metrics[name] for one in found.front] for name in found.start.metrics}
    table = io.StringIO()
    write_csv(columns, table)
    files = {"front.csv": table.getvalue().encode()}
    for k, one in enumerate(found.front, start=1):
        document = robot_document(found.machine(one).model)
        files[f"machine-{k:03d}.yaml"] = yaml_text(document).encode()
    put(Package(files), folder)
