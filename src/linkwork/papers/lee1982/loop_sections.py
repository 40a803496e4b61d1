"""The loop as it really is, unknown loads, and the theorem of section 4: parts of Lee's page."""

from __future__ import annotations

import numpy as np

from linkwork.papers.lee1982 import claims, figures, findings
from linkwork.papers.lee1982.findings import LOAD, LoadTrial
from linkwork.papers.lee1982.trials import BOUND, DURATION, MRAD, in_mrad, largest
from linkwork.papers.reproduction import Reproduction
from linkwork.simulation.run import LARGEST_VELOCITY


def claims_section(page: Reproduction) -> None:
    page.section("When the claim holds")
    found = claims.claims()
    columns = [(bits, duration) for bits in claims.BITS for duration in claims.DURATIONS]
    rows: list[list[object]] = []
    marks = []
    for row, (delay, velocity) in enumerate((d, v) for d in claims.DELAYS for v in claims.VELOCITIES):
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
        f"motions of {claims.kept_from():.1f} s and longer. A computer that takes the whole period of "
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
        "keep the paper's conditions for an error that dies out: both are positive definite (least "
        f"eigenvalue {found.smallest_gain:.1f}), and the rank of "
        r"\([K_v\,|\,K_p K_v\,|\cdots|\,K_p^{n-1}K_v]\)"
        f" is {found.rank}. With a positive definite Kv that rank is always n; the condition matters "
        "only for a Kv that leaves some direction without damping."
    )
