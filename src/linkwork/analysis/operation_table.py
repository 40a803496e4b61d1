"""How many operations each formulation takes: the papers' tables beside what tracing finds."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from linkwork.analysis import general_arm, printed_counts
from linkwork.analysis.printed_counts import PrintedTable
from linkwork.core.checked import checked
from linkwork.core.errors import InputError
from linkwork.kernels import Counts
from linkwork.model.bundled import bundled_names
from linkwork.model.families.arm import ArmModel, dh_joint
from linkwork.model.geometry import Body
from linkwork.robot.arm import Arm
from linkwork.robot.loading import load_arm

RULE = (
    "Counting rule: no trigonometry, no negation, no product with 0 or 1; a square is a "
    "multiplication, doubling an addition; what depends on the links alone is computed off-line; "
    "general twist angles. 'traced' counts our expressions by the rule of the paper's own table, "
    "before common subexpressions are shared."
)
LARGEST_N = 30
TEXT_WIDTH = 100

TRACED: dict[str, Callable[[int], Counts]] = {
    "Turney 2": general_arm.count_lagrange,
    "Turney 3": general_arm.count_newton_euler_turney,
    "Turney 4": lambda n: general_arm.count_modified(n, diagonal=True),
    "Lee 2": general_arm.count_newton_euler_lee,
    "Angeles 7.1 + 7.2": general_arm.count_angeles,
}


@dataclass(frozen=True)
class PaperRow:
    """A printed table at n joints beside our trace of the same formulation, where there is one."""

    printed: PrintedTable
    printed_multiplications: int
    printed_additions: int
    traced: Counts | None


@dataclass(frozen=True)
class KernelRow:
    """One formulation on one robot: expression as written, kernel after sharing, longest chain."""

    robot: str
    formulation: str
    traced: Counts
    kernel: Counts
    depth: int


@dataclass(frozen=True)
class OperationTable:
    """The result of `operation_table`; printing it shows everything."""

    n: int
    papers: tuple[PaperRow, ...]
    general: tuple[KernelRow, ...]
    bundled: tuple[KernelRow, ...]
    others: tuple[tuple[str, str, int, int], ...]
    rule: str = RULE

    def __str__(self) -> str:
        return "\n".join(_render(self))


def general_model(n: int) -> ArmModel:
    """A revolute arm with no zero and no special angle among its parameters, gravity along z."""
    rng = np.random.default_rng(n)
    joints = []
    for k in range(n):
        A = rng.normal(size=(3, 3))
        J = A @ A.T + np.eye(3)
        body = Body.of(rng.uniform(1, 2), rng.normal(size=3), np.trace(J) * np.eye(3) - J)
        theta, d, a, alpha = 0.0, *rng.uniform(0.2, 1.2, 3)
        joints.append(
            dh_joint(
                "standard",
                "revolute",
                theta=theta,
                d=d,
                a=a,
                alpha=alpha,
                name=f"joint{k + 1}",
                body=body,
            )
        )
    return ArmModel(f"general {n}R", tuple(joints))


def _kernel_rows(model: ArmModel) -> Iterable[KernelRow]:
    arm = Arm(model)
    for name in arm.formulations:
        kernel = arm.kernel("inverse_dynamics", formulation=name, friction=False, rotors=False)
        yield KernelRow(model.name, name, kernel.traced_counts, kernel.counts, kernel.depth)


@checked
def operation_table(n: int = 6, robots: Iterable[str] | None = None) -> OperationTable:
    """Operation counts of inverse dynamics, printed and traced.

    Args:
        n: number of joints of the general arm, 1 to 30.
        robots: bundled arms to count; all of them if None.
    """
    if isinstance(n, bool) or not isinstance(n, int) or not 1 <= n <= LARGEST_N:
        raise InputError(f"n = {n!r}: expected an integer of joints from 1 to {LARGEST_N}.")
    papers = tuple(
        PaperRow(
            printed=table,
            printed_multiplications=int(table.multiplications(n)),
            printed_additions=int(table.additions(n)),
            traced=TRACED[table.name](n) if table.name in TRACED else None,
        )
        for table in printed_counts.PRINTED
    )
    names = bundled_names("arm") if robots is None else tuple(robots)
    bundled = [row for name in names for row in _kernel_rows(load_arm(name).model)]
    others = [
        (author, method, int(m(n)), int(a(n))) for author, method, m, a in printed_counts.ANGELES_7_3
    ]
    if n == 6:
        known = {author for author, *_ in others}
        others += [row for row in printed_counts.ANGELES_7_4 if row[0] not in known]
    return OperationTable(
        n, papers, tuple(_kernel_rows(general_model(n))), tuple(bundled), tuple(others)
    )


def _pair(multiplications: int, additions: int) -> str:
    return f"{multiplications:>7}{additions:>8}"


def _render(table: OperationTable) -> Iterable[str]:
    yield f"Inverse dynamics of a general arm, {table.n} revolute joints: multiplications M, additions A"
    yield from textwrap.wrap(table.rule, TEXT_WIDTH)
    yield ""
    yield f"  {'table':<20}{'formulation':<30}{'printed M':>10}{'A':>8}{'traced M':>12}{'A':>8}"
    for row in table.papers:
        traced = row.traced
        ours = f"    {_pair(traced.multiplications, traced.additions)}" if traced else ""
        printed = _pair(row.printed_multiplications, row.printed_additions)
        yield f"  {row.printed.name:<20}{row.printed.subject:<30}   {printed}{ours}"
    chain = next(row.depth for row in table.general if row.formulation == "modified-newton-euler")
    yield "  Turney 1 repeats the totals of 2 to 4. Turney 5 counts steps that wait for each other;"
    yield f"  in our kernel of the same formulation the longest chain has {chain} operations."
    yield ""
    yield "Formulas as printed, and their slips"
    for row in table.papers:
        yield f"  {row.printed.name}: {row.printed.multiplications} / {row.printed.additions}"
        yield from textwrap.wrap(
            row.printed.slips, TEXT_WIDTH, initial_indent="    ", subsequent_indent="    "
        )
    yield ""
    yield f"Other authors, by Angeles 7.3 and 7.4 at n = {table.n}"
    for author, method, m, a in table.others:
        yield f"  {author:<30}{method:<8}{_pair(m, a)}"
    for title, rows in (
        ("Our expressions for a general arm: zeros of the geometry used, fixed base", table.general),
        ("Our kernels for the bundled arms, rigid body", table.bundled),
    ):
        yield ""
        yield title
        heading = f"{'traced M':>9}{'A':>8}{'kernel M':>12}{'A':>8}{'chain':>8}"
        yield f"  {'robot':<16}{'formulation':<24}{heading}"
        for item in rows:
            written = _pair(item.traced.multiplications, item.traced.additions)
            kernel = _pair(item.kernel.multiplications, item.kernel.additions)
            yield f"  {item.robot:<16}{item.formulation:<24}  {written}     {kernel}{item.depth:>8}"
