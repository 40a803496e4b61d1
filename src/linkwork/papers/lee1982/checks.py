"""What Lee's text and tables say, checked: statements, times and counts of operations."""

from __future__ import annotations

import numpy as np

from linkwork.analysis import general_arm
from linkwork.analysis.printed_counts import LEE_1, LEE_2
from linkwork.formatting import number
from linkwork.papers.count_tables import ROW_HEADER, fitted, formula, lee_rows, plain_rows, row_table
from linkwork.papers.lee1982 import findings
from linkwork.papers.lee1982.findings import Case
from linkwork.papers.lee1982.trials import BOUND, DURATION, KP, in_mrad, largest
from linkwork.papers.reproduction import Reproduction
from linkwork.papers.timing import machine, microseconds
from linkwork.simulation import Simulation


def statements_section(
    page: Reproduction, ideal: Simulation, rough: Simulation, cases: list[Case]
) -> None:
    ratio = findings.printed_ratio()
    poles = findings.sampled_poles()
    rows: list[list[object]] = [
        [
            "errors stay below one bit of a 12-bit converter",
            in_mrad(BOUND),
            f"{in_mrad(largest(ideal))} in {DURATION:g} s; true from {cases[0].shortest:.1f} s on",
        ],
        [
            "errors are slightly oscillatory",
            "figures",
            f"with 12-bit positions: up to {findings.zero_crossings(rough).max()} changes of sign",
        ],
        [
            "one bit of the converter",
            in_mrad(BOUND),
            f"4096 steps of it span {np.degrees(4096 * BOUND):.0f} degrees, not a full turn",
        ],
        [
            "Lagrange takes about 100 times the operations of Newton-Euler, n = 6",
            "100",
            f"{ratio.multiplications:.0f} (multiplications), {ratio.additions:.0f} (additions)",
        ],
        [
            "Kv = 2 sqrt(Kp): critically damped",
            "Kp = 100, Kv = 20",
            f"sampled at 10 ms the poles are {poles[0]:.3f} and {poles[1]:.3f}; stable up to "
            f"{findings.longest_stable_period():.3f} s",
        ],
        [
            "natural frequency not over ten hertz",
            "10 Hz",
            f"{np.sqrt(KP) / (2 * np.pi):.2f} Hz",
        ],
    ]
    page.section("What the text says, checked")
    page.table(
        "statements",
        ("statement", "the paper", "found"),
        rows,
        "Section 5 of the paper. Numbers in the column 'the paper' are quoted.",
    )


def times_section(page: Reproduction) -> None:
    page.section("How long one set point takes")
    rows: list[list[object]] = [
        [
            "PDP 11/45 (1982), Newton-Euler",
            "'approximately 3 ms', quoted",
            f"{1e3 * findings.pdp_time():.2f} ms from its Table 2 and instruction times",
        ]
    ]
    for label, seconds in findings.control_times().items():
        rows.append(
            [label, microseconds(seconds), f"{3e-3 / seconds:,.0f} times less".replace(",", " ")]
        )
    page.table(
        "times",
        ("what", "time", "beside 3 ms"),
        rows,
        "Torques of one set point. The lower lines were measured when this page was built "
        f"({machine()}) and differ from build to build; everything else on the page does not.",
    )


def counts_section(page: Reproduction) -> None:
    n = 6
    counted, there = findings.traces(n)
    spare = 256 * (counted - there)
    traced = fitted(general_arm.count_newton_euler_lee, 1)
    lagrange = general_arm.count_lagrange(n)
    newton = general_arm.count_newton_euler_lee(n)
    page.section("Operations (Tables 1 and 2)")
    page.text(
        "The paper's Table 1 adds up. Its row for the Coriolis terms counts "
        f"{counted} traces at n = {n}; only {there} differ from each other and from zero, which would "
        f"save {number(spare, 6)} of {number(float(LEE_1.multiplications(n)), 6)} multiplications. "
        "Turney's way of ordering the "
        f"same Lagrange equations needs {lagrange.multiplications} multiplications and "
        f"{lagrange.additions} additions, so most of the 'hundred times' is a matter of programming: "
        f"against {newton.multiplications} and {newton.additions} it is a factor of "
        f"{lagrange.flops / newton.flops:.1f}."
    )
    header = ("term", "M printed", "A printed", f"M at n = {n}", f"A at n = {n}")
    page.table("table-1", header, plain_rows(LEE_1, n), "The paper's Table 1. Its rows add up.")
    page.text(
        "The paper's Table 2, traced row by row on a general arm, is short of 2 multiplications in the "
        "angular "
        "acceleration (the two products of the rate with w) and leaves out the last step, (3.27); it "
        f"counts too many additions for f and n. Right is {formula(traced[0])} and "
        f"{formula(traced[1])}, against {formula(LEE_2.multiplications)} and "
        f"{formula(LEE_2.additions)} printed."
    )
    page.table(
        "table-2",
        ROW_HEADER,
        row_table(LEE_2, lee_rows()),
        "The paper's Table 2 and what one inner joint needs (M: multiplications, A: additions).",
    )
