"""The page on Lee, Chung, Mudge and Turney (1982)."""

from __future__ import annotations

import numpy as np

from linkwork.analysis import general_arm
from linkwork.analysis.printed_counts import LEE_1, LEE_2
from linkwork.papers.arm_sketch import parameters_figure
from linkwork.papers.count_tables import ROW_HEADER, fitted, formula, lee_rows, plain_rows, row_table
from linkwork.papers.lee1982 import claims, figures, findings
from linkwork.papers.lee1982.findings import LOAD, Case, LoadTrial
from linkwork.papers.lee1982.notes import CONTENTS, MISPRINTS
from linkwork.papers.lee1982.trials import BOUND, CONVERTER, KP, KV, PERIOD, experiment, puma
from linkwork.papers.reproduction import PRINTED_AND_RIGHT, Progress, Reproduction
from linkwork.papers.timing import machine, microseconds
from linkwork.reports.live import of_simulation
from linkwork.simulation import Simulation

DURATION = 3.0  # s: long enough for the paper's bound, since the paper does not say


def _worst(run: Simulation) -> float:
    assert run.error is not None
    return float(np.abs(run.error).max())


def reproduce(progress: Progress | None = None) -> Reproduction:
    ideal = experiment(DURATION, step=findings.STEP)
    rough = experiment(DURATION, loop=CONVERTER, step=findings.STEP)
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
        "motion; the public PUMA 560 stands in, in Lee's frames, and the duration is studied instead of "
        "guessed. Angles and errors are in mrad throughout; the paper's 4.26e-4 radian are "
        f"{_mrad(BOUND)}."
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
    _durations(page, cases, ideal)
    _claims(page)
    _loads(page, trials)
    _theorem(page)
    _statements(page, ideal, rough, cases)
    _times(page)
    _counts(page)
    page.section("Misprints")
    page.table("misprints", PRINTED_AND_RIGHT, MISPRINTS, "Found while reproducing it.")
    return page


KINDS = (("quintic", True), ("cubic", True), ("quintic", False), ("cubic", False))
MRAD = 1e3  # per rad: errors are given in mrad throughout


def _mrad(error: float) -> str:
    return f"{MRAD * error:.3g} mrad"


def _summary(ideal: Simulation, cases: list[Case], trials: list[LoadTrial]) -> str:
    quintic, _, bare, _ = cases
    return (
        "The paper drives a PUMA arm by computed torque, sampled every 10 ms, and reports position "
        f"errors below {_mrad(BOUND)}, one step of a 12-bit converter. With sensors and computer as "
        "ideal as in a simulation, that claim holds here when the motion is slow enough: from "
        f"{quintic.shortest:.1f} s on with the motors in the model, only from {bare.shortest:.1f} s on "
        f"without them. In {DURATION:g} s the largest error is {_mrad(_worst(ideal))}.\n\n"
        "The error has one cause: the torque is held for a sample, so it is half a sample late. With "
        "velocities differenced from 12-bit positions and the paper's own 3 ms of computing, the claim "
        "fails for such a motion; a table says exactly when it holds. A load "
        f"of {LOAD} kg that the controller does not know breaks the bound by far "
        f"({_mrad(_worst(trials[1].run))}); an adaptive law, which the paper names as future work, "
        "learns the load. The tables of operations are nearly right: four small slips are found."
    )


def _errors(page: Reproduction, ideal: Simulation, rough: Simulation) -> None:
    page.section("Position errors (Figures 3 to 8)")
    assert ideal.error is not None
    assert rough.error is not None
    crossings = findings.zero_crossings(rough)
    page.text(
        f"A quintic motion of {DURATION:g} s between the paper's end points, Kp = {KP:g}, Kv = {KV:g}, "
        f"{1e3 * PERIOD:g} ms, on the PUMA 560 in Lee's own frames (`puma560-lee`), in which his angles "
        "keep every limit of the joints. With exact sensors the errors are smooth. When the positions "
        "are rounded to one step of the converter, they become 'slightly oscillatory', as the paper "
        f"puts it ({crossings.min()} to {crossings.max()} changes of sign per joint), and stay inside "
        f"the bound, {_mrad(_worst(rough))}, as long as velocities are exact."
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
    columns.update({f"joint {k + 1} [mrad]": MRAD * ideal.error[:, k] for k in range(6)})
    page.data("errors", columns)
    largest = [MRAD * np.abs(error).max(axis=0) for error in (ideal.error, rough.error)]
    rows = [
        [k + 1, name, *[float(values[k]) for values in largest]] for k, name in enumerate(ideal.labels)
    ]
    page.table(
        "largest-errors",
        ("joint", "name", "exact sensors [mrad]", "12-bit positions [mrad]"),
        rows,
        f"Largest errors; the paper's bound is {_mrad(BOUND)}.",
    )


def _durations(page: Reproduction, cases: list[Case], ideal: Simulation) -> None:
    page.section("Which motions keep the bound")
    ahead = experiment(DURATION, lookahead=PERIOD / 2, step=findings.STEP)
    page.text(
        "A torque held over a sample acts on average half a sample late. What is missing of it, "
        r"\(M^{-1}\,\frac{T}{2}\,\dot\tau\), drives the error by "
        r"\(\ddot e + K_v\dot e + K_p e = M^{-1}\,\frac{T}{2}\,\dot\tau\)"
        " (solid lines). For slow motions the error follows at once and is "
        r"\(M^{-1}\,\frac{T}{2}\,\dot\tau / K_p\)"
        " (thin dotted lines); for fast ones the loop is too slow to reach that. The part that comes "
        "from inertia falls with the cube of the duration, the part from gravity only in proportion to "
        "it, and the lightest joints have most of the error. The rotors of the motors, seen through "
        "the gears, make the wrist many times heavier and its error small.\n\n"
        "Evaluating the torque for the middle of the coming sample removes the delay: in "
        f"{DURATION:g} s the largest error falls from {_mrad(_worst(ideal))} to {_mrad(_worst(ahead))}."
    )
    page.figure(
        "durations",
        figures.duration_figure(cases),
        "Not in the paper: the largest error against the duration, by the law of the held torque with "
        "the loop's own dynamics (solid) and without (dotted), and simulated (marks).",
    )
    at = np.array([1.0, 2.0])
    rows: list[list[object]] = []
    for one in cases:
        law = findings.predicted(at, one.profile, one.rotors)
        row: list[object] = [one.profile, one.rotors, f"{one.shortest:.1f}"]
        for k in range(len(at)):
            row += [MRAD * float(value[k]) for value in (one.simulated, law.filtered, law.still)]
        rows.append(row)
    page.table(
        "durations",
        (
            "profile",
            "rotors",
            "bound kept from [s]",
            *[
                f"at {t:g} s, {what} [mrad]"
                for t in at
                for what in ("simulated", "by the law", "as if still")
            ],
        ),
        rows,
        "From which duration on the paper's bound is kept, and how well the law tells the error; 'as if "
        "still' leaves out the loop's own dynamics.",
    )


def _claims(page: Reproduction) -> None:
    page.section("When the claim holds")
    found = claims.claims()
    columns = [(bits, duration) for bits in claims.BITS for duration in claims.DURATIONS]
    rows: list[list[object]] = []
    marks = []
    for row, (delay, velocity) in enumerate((d, v) for d in claims.DELAYS for v in claims.VELOCITIES):
        own = {(c.bits, c.duration): c for c in found if (c.delay, c.velocity) == (delay, velocity)}
        rows.append([f"{1e3 * delay:g}", velocity, *[f"{own[key].error:.2f}" for key in columns]])
        marks += [(row, 2 + k) for k, key in enumerate(columns) if not own[key].holds]
    page.text(
        "A simulation knows velocities exactly and computes in no time; the paper's computer did "
        "neither. It reckons 3 ms for a set point, has positions of 12 bits, and does not say where its "
        "velocities come from. With positions alone they must be differenced, which is late by half a "
        "period more, and rounds.\n\n"
        "The claim needs a good source of velocities more than a long word: 16 bits instead of 12 "
        "change little, an observer that is told the planned acceleration changes much. With the "
        "paper's own 3 ms and 12 bits, and velocities from differences, the error stays within one bit "
        "only for "
        f"motions of {claims.kept_from():.1f} s and longer."
    )
    page.table(
        "claims",
        (
            "delay [ms]",
            "velocities",
            *[f"{bits} bits, {duration:g} s" for bits, duration in columns],
        ),
        rows,
        "Not in the paper: largest error of any joint in steps of the 12-bit converter "
        f"({_mrad(BOUND)}), for delays of the computer, sources of velocities, word lengths and "
        "durations of the quintic motion. The claim is an error of at most 1; red where it fails. The "
        "longer word has the same range, so a step of a sixteenth.",
        marks,
    )


def _loads(page: Reproduction, trials: list[LoadTrial]) -> None:
    page.section("An unknown load")
    rows: list[list[object]] = []
    for trial in trials:
        assert trial.run.error is not None
        tail = float(np.abs(trial.run.error[trial.run.time >= DURATION - 0.5]).max())
        worst = _worst(trial.run)
        rows.append([trial.label, MRAD * worst, MRAD * tail, worst / BOUND])
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
        ("controller and load", "largest error [mrad]", "in the last 0.5 s [mrad]", "times the bound"),
        rows,
        "Largest errors of any joint.",
    )


def _theorem(page: Reproduction) -> None:
    page.section("The two control laws are one (section 4)")
    found = findings.theorem()
    page.text(
        "The paper's theorem: sending the correction through the recursion, (4.4), gives the torques of "
        "the computed torque technique with its matrices, (4.1).\n\n"
        r"\(\displaystyle \tau = D(\vartheta)\,[\ddot\vartheta^d + K_v\dot e + K_p e]"
        r" + H(\vartheta,\dot\vartheta) + G(\vartheta)\quad(4.1)\)"
        "\n\nagainst the recursion (3.21)-(3.27) with\n\n"
        r"\(\displaystyle \ddot\vartheta_i \to \ddot\vartheta_i^d"
        r" + \sum_s K_v^{is}\dot e_s + \sum_s K_p^{is} e_s\quad(4.4)\)"
        "\n\n"
        f"Computed on {found.states} random states of the PUMA with full symmetric gain matrices, D, H "
        f"and G by Lagrange, the torques differ by {found.difference:.0e} of the largest. The gains "
        "keep the paper's conditions for an error that dies out: both are positive definite (least "
        f"eigenvalue {found.smallest_gain:.1f}), and the rank of "
        r"\([K_v\,|\,K_p K_v\,|\cdots|\,K_p^{n-1}K_v]\)"
        f" is {found.rank}. With a positive definite Kv that rank is always n; the condition matters "
        "only for a Kv that leaves some direction without damping."
    )


def _times(page: Reproduction) -> None:
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


def _statements(page: Reproduction, ideal: Simulation, rough: Simulation, cases: list[Case]) -> None:
    ratio = findings.printed_ratio()
    poles = findings.sampled_poles()
    rows: list[list[object]] = [
        [
            "errors stay below one bit of a 12-bit converter",
            _mrad(BOUND),
            f"{_mrad(_worst(ideal))} in {DURATION:g} s; true from {cases[0].shortest:.1f} s on",
        ],
        [
            "errors are slightly oscillatory",
            "figures",
            f"with 12-bit positions: up to {findings.zero_crossings(rough).max()} changes of sign",
        ],
        [
            "one bit of the converter",
            _mrad(BOUND),
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
