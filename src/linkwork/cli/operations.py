"""linkwork operations: how many operations the formulations take."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from linkwork.cli.arguments import AsJson, Formulations, RobotIfAny, formulations_of, robot_of
from linkwork.cli.output import print_json, print_table

if TYPE_CHECKING:
    from linkwork.core.table_files import Plain
    from linkwork.kernels import Counts
    from linkwork.model.urdf.chain import ChainSelection
    from linkwork.robot.compiled import CallOptions
    from linkwork.robot.robot import Robot

HEADERS = ("formulation", "M", "A", "div", "sqrt", "sin cos", "M ", "A ", "div ", "chain")


def operations(
    robot: RobotIfAny = None,
    joints: Annotated[
        int | None,
        typer.Option("-n", metavar="N", help="Tables of the papers for an arm with N joints."),
    ] = None,
    method: Annotated[str, typer.Option(metavar="NAME", help="Method to count.")] = "inverse_dynamics",
    formulation: Formulations = None,
    chain: ChainSelection | None = None,
    json: AsJson = False,
) -> None:
    """Operation counts of a robot's dynamics, or of the papers' general arm.

    As written: before common subexpressions are eliminated, the measure of the papers. Kernel: after
    elimination, the cost of one state. Chain: length of the critical path. Friction and rotors of arms
    are not included.

    \b
    Examples:
      linkwork operations ur5
      linkwork operations -n 6
    """
    from linkwork.core.errors import InputError

    if (robot is None) == (joints is None):
        raise InputError("operations takes either a robot or -n and a number of joints.")
    if robot is None:
        assert joints is not None
        _papers(joints, json)
        return
    found = robot_of(robot, chain=chain)
    names = formulations_of(found, formulation or _own(method))
    rows = [_row(found, method, name) for name in names or (None,)]
    if json:
        print_json({"robot": found.name, "method": method, "counts": rows})
        return
    print_table(
        HEADERS,
        [(row["formulation"], *_cells(row)) for row in rows],
        title=f"{found.name}, {method}: as written (M to sin cos) and as a kernel (M A div chain)",
    )


def _own(method: str) -> list[str] | None:
    """All formulations of inverse dynamics; other methods have their own way."""
    return ["all"] if method == "inverse_dynamics" else None


def _row(robot: Robot, method: str, formulation: str | None) -> Plain:
    from linkwork.model.mechanism import is_chain

    options: CallOptions = {} if formulation is None else {"formulation": formulation}
    if is_chain(robot.mechanism):
        drive = ("friction", "rotors")
        options |= {name: False for name in robot.kernel_options(method) if name in drive}
    kernel = robot.kernel(method, **options)
    return {
        "formulation": formulation or method,
        "as_written": _numbers(kernel.traced_counts),
        "kernel": _numbers(kernel.counts),
        "longest_chain": kernel.depth,
    }


def _numbers(counts: Counts) -> dict[str, int]:
    return asdict(counts)


def _cells(row: Plain) -> list[str]:
    names = ("multiplications", "additions", "divisions", "square_roots", "sine_cosines")
    written = [str(row["as_written"][name]) for name in names]
    kernel = [str(row["kernel"][name]) for name in names[:3]]
    return [*written, *kernel, str(row["longest_chain"])]


def _papers(joints: int, json: bool) -> None:
    from linkwork.analysis.operation_table import operation_table

    table = operation_table(joints, robots=())
    if not json:
        print(table)
        return
    print_json(
        {
            "joints": joints,
            "rule": table.rule,
            "papers": [
                {
                    "table": row.printed.name,
                    "formulation": row.printed.subject,
                    "printed": [row.printed_multiplications, row.printed_additions],
                    "traced": None if row.traced is None else _numbers(row.traced),
                    "slips": row.printed.slips,
                }
                for row in table.papers
            ],
            "general": [
                {
                    "formulation": row.formulation,
                    "as_written": _numbers(row.traced),
                    "kernel": _numbers(row.kernel),
                    "longest_chain": row.depth,
                }
                for row in table.general
            ],
        }
    )
