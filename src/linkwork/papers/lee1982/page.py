"""The page on Lee, Chung, Mudge and Turney (1982)."""

from __future__ import annotations

import numpy as np

from linkwork.papers.arm_sketch import parameters_figure
from linkwork.papers.lee1982 import figures, findings, sections
from linkwork.papers.lee1982.entries import ENTRIES, EQUATIONS
from linkwork.papers.lee1982.findings import LOAD, Case, LoadTrial
from linkwork.papers.lee1982.trials import (
    BOUND,
    CONVERTER,
    DURATION,
    KP,
    KV,
    MRAD,
    PERIOD,
    experiment,
    in_mrad,
    largest,
    puma,
)
from linkwork.papers.reproduction import Progress, Reproduction
from linkwork.reports.live import of_simulation
from linkwork.simulation import Simulation

CONTENTS = [
    ["Fig. 1: parameters of a coordinate system", "drawn from a model"],
    ["Fig. 2: flow chart of the simulation", "drawn as the loop that runs here; no numbers in it"],
    ["Figs. 3 to 8: position errors of joints 1 to 6", "computed, one panel each"],
    ["Table 1: operations, Lagrange-Euler controller", "rows and total checked"],
    ["Table 2: operations, Newton-Euler controller", "rows traced, total corrected"],
]

KINDS = (("quintic", True), ("cubic", True), ("quintic", False), ("cubic", False))


def reproduce(progress: Progress | None = None) -> Reproduction:
    ideal = experiment(DURATION, step=findings.STEP)
    rough = experiment(DURATION, loop=CONVERTER, step=findings.STEP)
    trials = findings.load_trials(DURATION)
    changing = findings.changing_load_trials(DURATION)
    cases = [findings.case(*kind) for kind in KINDS]
    page = Reproduction(
        "lee1982",
        "Lee, Chung, Mudge and Turney (1982), reproduced",
        _summary(ideal, cases, trials),
        progress,
    )
    page.source(
        "C. S. G. Lee, M. J. Chung, T. N. Mudge and J. L. Turney, *On the control of mechanical "
        "manipulators*, University of Michigan, 1982. Equation, table and figure numbers are the "
        "paper's. It gives neither the link data of its PUMA 600 nor the profile and duration of its "
        "motion; the public PUMA 560 stands in, in Lee's frames, and the duration is studied instead of "
        "guessed. Angles and errors are in mrad throughout; the paper's 4.26e-4 radian are "
        f"{in_mrad(BOUND)}."
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
    sections.claims_section(page)
    sections.loads_section(page, trials)
    sections.changing_load_section(page, changing)
    sections.theorem_section(page)
    sections.statements_section(page, ideal, rough, cases, trials, changing)
    sections.times_section(page)
    sections.counts_section(page)
    page.entries(ENTRIES, EQUATIONS)
    return page


def _summary(ideal: Simulation, cases: list[Case], trials: list[LoadTrial]) -> str:
    quintic, _, bare, _ = cases
    return (
        "The paper drives a PUMA arm by computed torque, sampled every 10 ms, and reports position "
        f"errors below {in_mrad(BOUND)}, one step of a 12-bit converter. With sensors and computer as "
        "ideal as in a simulation, that claim holds here when the motion is slow enough and smooth: for "
        f"a quintic from {quintic.shortest:.1f} s on with the motors in the model, only from "
        f"{bare.shortest:.1f} s on without them; with parabolic blends, whose acceleration jumps, not "
        f"even in 3 s. The paper does not give its profile. In {DURATION:g} s the largest error is "
        f"{in_mrad(largest(ideal))}.\n\nThe error has one cause: the torque is held for a sample, so it "
        "is half a sample late. With velocities differenced from 12-bit positions and the paper's own 3 "
        "ms of computing, the claim fails for such a motion; a table says exactly when it holds. A load "
        f"of {LOAD} kg that the controller does not know breaks the bound by far "
        f"({in_mrad(largest(trials[1].run))}); an adaptive law, which the paper names as future work, "
        "learns the load. The tables of operations are nearly right: four small slips are found."
    )


def _errors(page: Reproduction, ideal: Simulation, rough: Simulation) -> None:
    page.section("Position errors (Figures 3 to 8)")
    assert ideal.error is not None
    assert rough.error is not None
    crossings = findings.zero_crossings(rough)
    page.text(
        f"A quintic motion of {DURATION:g} s between the paper's end points, "
        rf"\(K_p = {KP:g}\), \(K_v = {KV:g}\), "
        f"{1e3 * PERIOD:g} ms, on the PUMA 560 in Lee's own frames (`puma560-lee`), in which his angles "
        "keep every limit of the joints. With exact sensors the errors are smooth. When the positions "
        "are rounded to one step of the converter, they become 'slightly oscillatory', as the paper "
        f"puts it ({crossings.min()} to {crossings.max()} changes of sign per joint), and stay inside "
        f"the bound, {in_mrad(largest(rough))}, as long as velocities are exact."
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
    page.data("errors", {"time [s]": ideal.time, "joint {} [mrad]": MRAD * ideal.error})
    most = [MRAD * np.abs(error).max(axis=0) for error in (ideal.error, rough.error)]
    rows = [[k + 1, name, *[float(values[k]) for values in most]] for k, name in enumerate(ideal.labels)]
    page.table(
        "largest-errors",
        ("joint", "name", "exact sensors [mrad]", "12-bit positions [mrad]"),
        rows,
        f"Largest errors; the paper's bound is {in_mrad(BOUND)}.",
    )


def _durations(page: Reproduction, cases: list[Case], ideal: Simulation) -> None:
    page.section("Which motions keep the bound")
    ahead = experiment(DURATION, lookahead=PERIOD / 2, step=findings.STEP)
    page.text(
        "A torque held over a sample, here for T = 10 ms, acts on average half a sample late. What is "
        r"missing of it, \(M^{-1}\,\frac{T}{2}\,\dot\tau\), drives the error by "
        r"\(\ddot e + K_v\dot e + K_p e = M^{-1}\,\frac{T}{2}\,\dot\tau\)"
        " (solid lines). For slow motions the error follows at once and is "
        r"\(M^{-1}\,\frac{T}{2}\,\dot\tau / K_p\)"
        " (thin dotted lines); for fast ones the loop is too slow to reach that. The part that comes "
        "from inertia falls with the cube of the duration, the part from gravity only in proportion to "
        "it, and the lightest joints have most of the error. The rotors of the motors, seen through "
        "the gears, make the wrist many times heavier and its error small.\n\n"
        "Evaluating the torque for the middle of the coming sample removes the delay: in "
        f"{DURATION:g} s the largest error falls from {in_mrad(largest(ideal))} to "
        f"{in_mrad(largest(ahead))}."
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
    page.table(
        "profiles",
        ("profile", *[f"in {t:g} s" for t in findings.PROFILE_DURATIONS]),
        [
            [words, *[f"{one:.2f}" for one in errors]]
            for words, errors in findings.profile_errors().items()
        ],
        "Largest error in steps of the 12-bit converter, rotors included: the claim is at most 1. The "
        "paper does not give its profile.",
    )
