"""Parts of Lee's page: statements, times, counts; the real loop, loads, the theorem."""

from __future__ import annotations

import numpy as np

from linkwork.analysis import general_arm
from linkwork.analysis.printed_counts import LEE_1, LEE_2
from linkwork.core.text import number
from linkwork.kernels.graph import Counts
from linkwork.papers.count_tables import fitted, formula, lee_rows, plain_table, row_table
from linkwork.papers.evaluation import machine, microseconds
from linkwork.papers.lee1982 import figures, findings, trials
from linkwork.papers.lee1982.entries import CLAIMS
from linkwork.papers.lee1982.findings import LOAD, Case, LoadTrial
from linkwork.papers.lee1982.trials import BOUND, DURATION, KP, MRAD, in_mrad, largest
from linkwork.papers.reproduction import Reproduction
from linkwork.simulation import Simulation
from linkwork.simulation.run import LARGEST_VELOCITY


def statements_section(
    page: Reproduction,
    ideal: Simulation,
    rough: Simulation,
    cases: list[Case],
    loads: list[LoadTrial],
    changing: dict[str, list[LoadTrial]],
) -> None:
    ratio = findings.printed_ratio()
    lagrange, newton = _shared()
    poles = findings.sampled_poles()
    theorem, slow = findings.theorem(), findings.pdp_time(table=LEE_1)
    ends = {trial.label: end_error(trial) for trial in changing[findings.DROPPED]}
    found = [
        f"{in_mrad(largest(ideal))} in {DURATION:g} s; true of the quintic from "
        f"{cases[0].shortest:.1f} s on, of blends later; profile and duration are not given",
        f"with 12-bit positions up to {findings.zero_crossings(rough).max()} changes of sign",
        f"4096 steps of it span {np.degrees(4096 * BOUND):.0f} degrees, not a full turn; the range of a "
        "joint is not given",
        f"{ratio.multiplications:.0f} (multiplications) and {ratio.additions:.0f} (additions) by its "
        f"tables; with shared products {lagrange.flops / newton.flops:.1f}",
        f"to {theorem.difference:.0e} of the largest torque",
        f"least eigenvalue of the gains {theorem.smallest_gain:.1f}, rank {theorem.rank}",
        f"sampled at 10 ms the poles are {poles[0]:.3f} and {poles[1]:.3f}; stable up to "
        f"{findings.longest_stable_period():.3f} s",
        f"{np.sqrt(KP):g} rad/s, {np.sqrt(KP) / (2 * np.pi):.2f} Hz; for ten hertz it would be "
        f"{(2 * np.pi * 10) ** 2:.0f}",
        f"{1e3 * findings.pdp_time():.2f} ms by its own counts and instruction times",
        f"{1e3 * slow:.0f} ms by its Table 1 and instruction times, "
        f"{slow / trials.PERIOD:.0f} of its periods",
        f"least eigenvalue on {theorem.states} random states {theorem.smallest_inertia:.1e} kg m²",
        f"other papers; under computed torque {LOAD} kg make an error of "
        f"{in_mrad(largest(loads[1].run))}",
        "2 kg dropped at 2.2 s: "
        + ", ".join(f"{law} ends at {in_mrad(ends[law])}" for law in findings.DRAWN),
    ]
    page.statements(
        ("found",), CLAIMS, [[one] for one in found], "Claims of the paper; numbers are computed here."
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
        rows.append([label, microseconds(seconds), f"{number(3e-3 / seconds)} times less"])
    page.table(
        "times",
        ("what", "time", "beside 3 ms"),
        rows,
        "Torques of one set point. The lower lines were measured when this page was built "
        f"({machine()}) and differ from build to build; everything else on the page does not.",
    )


def _shared(n: int = 6) -> tuple[Counts, Counts]:
    """Lagrange with shared products, and Newton-Euler as in Table 2."""
    return general_arm.count_lagrange(n), general_arm.count_newton_euler_lee(n)


def counts_section(page: Reproduction) -> None:
    n = 6
    counted, there = findings.traces(n)
    spare = 256 * (counted - there)
    traced = fitted(general_arm.count_newton_euler_lee, 1)
    lagrange, newton = _shared(n)
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
    page.table("table-1", *plain_table(LEE_1, n), "The paper's Table 1. Its rows add up.")
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
        *row_table(LEE_2, lee_rows()),
        "The paper's Table 2 and what one inner joint needs (M: multiplications, A: additions).",
    )


def claims_section(page: Reproduction) -> None:
    page.section("When the claim holds")
    found = trials.claims()
    columns = [(bits, duration) for bits in trials.BITS for duration in trials.DURATIONS]
    rows: list[list[object]] = []
    marks = []
    for row, (delay, velocity) in enumerate((d, v) for d in trials.DELAYS for v in trials.VELOCITIES):
        own = {
            (c.bits, c.duration): c.outcome for c in found if (c.delay, c.velocity) == (delay, velocity)
        }
        rows.append([f"{1e3 * delay:g}", velocity, *[str(own[key]) for key in columns]])
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
        f"motions of {trials.kept_from():.1f} s and longer. A computer that takes the whole period of "
        "10 ms keeps it in 6 s, not in 3 s, whatever its sensors. At six periods the loop itself gives "
        "way: the observer's grows until the arm is lost, that of differences still grows when the "
        "motion ends, that of exact velocities stays stable."
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
        f"({in_mrad(BOUND)}), for delays of the computer, sources of velocities, word lengths and "
        "durations of the quintic motion. The claim is an error of at most 1; red where it fails, with "
        f"the time at which a loop that diverges passed {LARGEST_VELOCITY:g} rad/s. The "
        "longer word has the same range, so a step of a sixteenth.",
        marks,
    )


def loads_section(page: Reproduction, trials: list[LoadTrial]) -> None:
    page.section("An unknown load")
    rows: list[list[object]] = []
    for trial in trials:
        assert trial.run.error is not None
        tail = float(np.abs(trial.run.error[trial.run.time >= DURATION - 0.5]).max())
        worst = largest(trial.run)
        rows.append([trial.label, MRAD * worst, MRAD * tail, worst / BOUND])
    page.text(
        "The paper ends with adaptive control for loads that vary within a task. Computed torque trusts "
        "its model: gravity on a load that the model does not know pulls every joint away until "
        r"\(K_p\) balances it. The adaptive law (Slotine and Li) estimates the load while it moves."
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


def end_error(trial: LoadTrial) -> float:
    assert trial.run.error is not None
    return float(np.abs(trial.run.error[-1]).max())


def changing_load_section(page: Reproduction, found: dict[str, list[LoadTrial]]) -> None:
    page.section("A load that changes within the task", 3)
    by_load = {words: {trial.label: trial for trial in several} for words, several in found.items()}
    free, carried, dropped = by_load.values()
    rows: list[list[object]] = []
    for law, trial in dropped.items():
        error = trial.run.error
        assert error is not None
        row: list[object] = [law]
        row += [MRAD * largest(free[law].run) if law in free else None]
        row += [MRAD * x for x in _worst_and_end(carried[law])] if law in carried else [None, None]
        worst, end = _worst_and_end(trial)
        row += [MRAD * worst, MRAD * float(np.sqrt((error**2).mean())), MRAD * end, end / BOUND]
        rows.append(row)
    ends = {law: in_mrad(end_error(trial)) for law, trial in dropped.items()}
    stays = {law: in_mrad(end_error(trial)) for law, trial in carried.items()}
    four = in_mrad(largest(free["adaptive, four times as fast"].run))
    rough = {law: largest(findings.rough_trial(law)) for law in findings.DRAWN}
    page.text(
        "The load that the paper names as future work varies within a task. With 2 kg picked up at 0.8 "
        f"s and dropped at 2.2 s the adaptive law ends {ends['adaptive']} off, where plain computed "
        f"torque, whose model is right again, ends at {ends['computed torque']}: what was learned is "
        "wrong after the drop and has to be unlearned. Four ways out are compared below.\n\n"
        f"- **Learning faster.** Twice as fast, it ends at {ends['adaptive, twice as fast']}, still "
        "above the bound. Four times as fast, it takes the error of sampling for a load: without any "
        f"load it is up to {four} off.\n"
        "- **Forgetting**, here 2 in a second (`forgetting=2`), ends at "
        f"{ends['adaptive, forgets at 2 /s']}, but a load that stays is then never learned: it ends at "
        f"{stays['adaptive, forgets at 2 /s']} instead of {stays['adaptive']}.\n"
        "- **A reset** at the drop (`resets=(2.2,)`) ends at "
        f"{ends['adaptive, reset at the drop']}. It takes a controller that is told when the gripper "
        "opens, and it does nothing for the jump at which the load is picked up.\n"
        "- **A robust law** (`RobustComputedTorque`) learns no load. It compares the velocity gained "
        "over a sample with the acceleration asked for and takes off the rest, filtered at "
        f"{trials.BANDWIDTH:g} rad/s. It is told nothing, ends at {ends['robust']} and has the smallest "
        "errors at both jumps.\n\n"
        "Under a load that stays, adaptive and robust law end alike, and only the adaptive one then "
        "knows the load's mass. With 12-bit positions, their differences and 3 ms of delay the largest "
        "errors under the changing load are "
        + ", ".join(f"{in_mrad(error)} ({law})" for law, error in rough.items())
        + "; the observer then also passes the noise of the differences into the torques."
    )
    page.figure(
        "changing-load",
        figures.load_figure([dropped[law] for law in findings.DRAWN]),
        "Not in the paper: 2 kg carried from 0.8 to 2.2 s, unknown to the controller.",
    )
    page.table(
        "changing-load",
        (
            "law",
            "no load: largest [mrad]",
            "load that stays: largest [mrad]",
            "load that stays: at the end [mrad]",
            "load that changes: largest [mrad]",
            "load that changes: RMS [mrad]",
            "load that changes: at the end [mrad]",
            "the same over the bound",
        ),
        rows,
        "Errors of any joint with 2 kg throughout, and from 0.8 to 2.2 s; exact sensors, the gains of "
        f"the paper, whose bound is {in_mrad(BOUND)}. A reset belongs to the load that is dropped.",
    )


def _worst_and_end(trial: LoadTrial) -> tuple[float, float]:
    return largest(trial.run), end_error(trial)


def theorem_section(page: Reproduction) -> None:
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
        "keep the paper's conditions for an error that decays: both are positive definite (least "
        f"eigenvalue {found.smallest_gain:.1f}), and the rank of "
        r"\([K_v\,|\,K_p K_v\,|\cdots|\,K_p^{n-1}K_v]\)"
        rf" is {found.rank}. With a positive definite \(K_v\) that rank is always n; the condition "
        r"matters only for a \(K_v\) that leaves some direction without damping."
    )
