"""The page on Lee, Chung, Mudge and Turney (1982)."""

from __future__ import annotations

import numpy as np

from linkwork.analysis import general_arm
from linkwork.analysis.printed_counts import LEE_1, LEE_2
from linkwork.papers.arm_sketch import parameters_figure
from linkwork.papers.count_tables import ROW_HEADER, fitted, formula, lee_rows, plain_rows, row_table
from linkwork.papers.lee1982 import figures, findings
from linkwork.papers.lee1982.findings import LOAD, Case, LoadTrial
from linkwork.papers.lee1982.notes import CONTENTS, MISPRINTS
from linkwork.papers.lee1982.trials import BOUND, CONVERTER, KP, KV, PERIOD, experiment, puma
from linkwork.papers.reproduction import Progress, Reproduction
from linkwork.reports.live import of_simulation
from linkwork.simulation import Simulation

DURATION = 3.0  # s: long enough for the paper's bound, since the paper does not say


def _worst(run: Simulation) -> float:
    assert run.error is not None
    return float(np.abs(run.error).max())


def reproduce(progress: Progress | None = None) -> Reproduction:
    ideal = experiment(DURATION)
    rough = experiment(DURATION, loop=CONVERTER)
    trials = findings.load_trials(DURATION)
    cases = [findings.case(*kind) for kind in KINDS]
    page = Reproduction(
        "lee1982",
        "Lee, Chung, Mudge and Turney (1982), reproduced",
        _summary(ideal, cases, trials),
        progress,
    )
    page.text(
        "C. S. G. Lee, M. J. Chung, T. N. Mudge and J. L. Turney, *On the control of mechanical "
        "manipulators*, University of Michigan, 1982. Equation, table and figure numbers are the "
        "paper's. It gives neither the link data of its PUMA 600 nor the profile and duration of its "
        "motion; the public PUMA 560 stands in, and the duration is studied instead of guessed."
    )
    page.table("contents", ("paper", "here"), CONTENTS, "What the paper shows, and where it is.")
    page.section("The arm and the loop")
    page.figure(
        "figure-1",
        parameters_figure(),
        "The paper's Fig. 1: Denavit-Hartenberg parameters of one pair of joint and link.",
    )
    page.figure(
        "figure-2",
        figures.loop_figure(),
        "In place of the paper's Fig. 2, a flow chart: the loop that is simulated here.",
    )
    _errors(page, ideal, rough)
    _durations(page, cases)
    _loads(page, trials)
    _statements(page, ideal, rough, cases)
    _counts(page)
    page.section("Misprints")
    page.table("misprints", ("where", "printed", "right"), MISPRINTS, "Found while reproducing it.")
    return page


KINDS = (("quintic", True), ("cubic", True), ("quintic", False), ("cubic", False))


def _summary(ideal: Simulation, cases: list[Case], trials: list[LoadTrial]) -> str:
    quintic, _, bare, _ = cases
    return (
        "The paper drives a PUMA arm by computed torque, sampled every 10 ms, and reports position "
        f"errors below {BOUND:.3g} rad, one step of a 12-bit converter. That claim holds here when the "
        f"motion is slow enough: from {quintic.shortest:.1f} s on with the motors in the model, "
        f"only from {bare.shortest:.1f} s on without it. In {DURATION:g} s the largest error is "
        f"{_worst(ideal):.3g} rad.\n\n"
        "The error has one cause: the torque is held for a sample, so it is half a sample late. A load "
        f"of {LOAD} kg that the controller does not know breaks the bound by far "
        f"({_worst(trials[1].run):.2g} rad); an adaptive law, which the paper names as future work, "
        "learns the load. The tables of operations are nearly right: four small slips are found."
    )


def _errors(page: Reproduction, ideal: Simulation, rough: Simulation) -> None:
    page.section("Position errors (Figures 3 to 8)")
    assert ideal.error is not None
    crossings = findings.zero_crossings(rough)
    page.text(
        f"A quintic motion of {DURATION:g} s between the paper's end points, Kp = {KP:g}, Kv = {KV:g}, "
        f"{1e3 * PERIOD:g} ms. With exact sensors the errors are smooth. When the positions are "
        "rounded to one step of the converter, they become 'slightly oscillatory', as the paper puts "
        f"it ({crossings.min()} to {crossings.max()} changes of sign per joint), and stay inside the "
        f"bound: {_worst(rough):.3g} rad."
    )
    arm = puma()
    page.live(
        "motion",
        arm,
        [of_simulation(arm, ideal, friction=False)],
        "Not in the paper: the arm along its motion at equal steps of time, faint to strong.",
        friction=False,
    )
    page.figure(
        "figures-3-to-8",
        figures.error_figure(ideal, BOUND, rough),
        "The paper's Figs. 3 to 8: position errors of the six joints over time.",
    )
    columns = {"time [s]": ideal.time}
    columns.update({f"joint {k + 1} [rad]": ideal.error[:, k] for k in range(6)})
    page.data("errors", columns)
    assert rough.error is not None
    largest = [np.abs(error).max(axis=0) for error in (ideal.error, rough.error)]
    rows = [
        [k + 1, name, *[float(values[k]) for values in largest]] for k, name in enumerate(ideal.labels)
    ]
    page.table(
        "largest-errors",
        ("joint", "name", "exact sensors [rad]", "12-bit positions [rad]"),
        rows,
        f"Largest errors; the paper's bound is {BOUND:.3g} rad.",
    )


def _durations(page: Reproduction, cases: list[Case]) -> None:
    page.section("Which motions keep the bound")
    ahead = experiment(DURATION, lookahead=PERIOD / 2)
    plain = experiment(DURATION)
    page.text(
        "A torque held over a sample acts on average half a sample late. To first order the error is "
        "M⁻¹ (T/2) (rate of torque) / Kp. The part that comes from inertia falls with the cube of the "
        "duration, the part from gravity only in proportion to it, and the lightest joints have most "
        "of the error. The rotors of the motors, seen through the gears, make "
        "the wrist many times heavier and its error small.\n\n"
        "Evaluating the torque for the middle of the coming sample removes the delay: in "
        f"{DURATION:g} s the largest error falls from {_worst(plain):.3g} to {_worst(ahead):.2g} rad."
    )
    page.figure(
        "durations",
        figures.duration_figure(cases),
        "Not in the paper: the largest error against the duration, by the law of the held torque "
        "(lines) and simulated (marks).",
    )
    page.table(
        "durations",
        (
            "profile",
            "rotors",
            "bound kept from [s]",
            "error at 2 s, simulated [rad]",
            "by the law [rad]",
        ),
        [
            [
                one.profile,
                one.rotors,
                f"{one.shortest:.1f}",
                float(one.simulated[1]),
                float(findings.predicted_errors(2.0, one.profile, one.rotors).max()),
            ]
            for one in cases
        ],
        "From which duration on the paper's bound is kept.",
    )


def _loads(page: Reproduction, trials: list[LoadTrial]) -> None:
    page.section("An unknown load")
    rows: list[list[object]] = []
    for trial in trials:
        assert trial.run.error is not None
        tail = float(np.abs(trial.run.error[trial.run.time >= DURATION - 0.5]).max())
        rows.append([trial.label, _worst(trial.run), tail, _worst(trial.run) / BOUND])
    page.text(
        "The paper ends with adaptive control for loads that vary within a task. Computed torque trusts "
        "its model: gravity on a load that the model does not know pulls every joint away until Kp "
        "balances it. The adaptive law (Slotine and Li) estimates the load while it moves."
    )
    page.figure(
        "load",
        figures.load_figure(trials),
        f"Not in the paper: {LOAD} kg in the hand, unknown to the controller.",
    )
    page.table(
        "load",
        ("controller and load", "largest error [rad]", "in the last 0.5 s [rad]", "times the bound"),
        rows,
        "Largest errors of any joint.",
    )


def _statements(page: Reproduction, ideal: Simulation, rough: Simulation, cases: list[Case]) -> None:
    ratio = findings.printed_ratio()
    poles = findings.sampled_poles()
    rows: list[list[object]] = [
        [
            "errors stay below one bit of a 12-bit converter",
            f"{BOUND:.3g} rad",
            f"{_worst(ideal):.3g} rad in {DURATION:g} s; true from {cases[0].shortest:.1f} s on",
        ],
        [
            "errors are slightly oscillatory",
            "figures",
            f"with 12-bit positions: up to {findings.zero_crossings(rough).max()} changes of sign",
        ],
        [
            "one bit of the converter",
            f"{BOUND:.3g} rad",
            f"4096 steps of it span {np.degrees(4096 * BOUND):.0f} degrees, not a full turn",
        ],
        [
            "Lagrange takes about 100 times the operations of Newton-Euler, n = 6",
            "100",
            f"{ratio.multiplications:.0f} (multiplications), {ratio.additions:.0f} (additions)",
        ],
        [
            "one set point takes approximately 3 ms on a PDP 11/45",
            "3 ms",
            f"{1e3 * findings.pdp_time():.2f} ms from its Table 2",
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


def _counts(page: Reproduction) -> None:
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
        f"save {spare} of {int(LEE_1.multiplications(n))} multiplications. Turney's way of ordering the "
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
