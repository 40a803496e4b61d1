"""The page on Dasgupta and Mruthyunjaya (1998)."""

from __future__ import annotations

import numpy as np

from linkwork.core.text import number
from linkwork.papers.dasgupta1998 import figures
from linkwork.papers.dasgupta1998.entries import CLAIMS, ENTRIES, EQUATIONS
from linkwork.papers.dasgupta1998.findings import (
    PATHS,
    ROMAN,
    PathForces,
    Singularity,
    first_axes,
    force_and_condition,
    path_forces,
    singularity,
)
from linkwork.papers.dasgupta1998.tables import (
    FIGURES,
    branch_rows,
    count_rows,
    inertia_rows,
    manipulator_rows,
    path_rows,
    reaction_rows,
    statement_rows,
)
from linkwork.papers.platform_paths import (
    KP,
    KV,
    LOST,
    TRACKED,
    Deviation,
    closed_loop,
    deviation,
    deviation_table,
    peak,
    times_worse,
    tracking_table,
)
from linkwork.papers.platform_sketch import leg_figure, platform_figure
from linkwork.papers.reproduction import Progress, Reproduction
from linkwork.reports.live import LiveMotion


def _keep(page: Reproduction, run: PathForces) -> None:
    """The numbers behind the figures as a table."""
    columns = {
        "time [s]": run.run.time,
        "published leg {} [N]": run.published,
        "exact leg {} [N]": run.exact,
        "massless leg {} [N]": run.massless,
        "condition number": run.run.condition(),
    }
    page.data(ROMAN[run.run.name].replace(" ", "-").lower(), columns)


def ordinary_paths(
    page: Reproduction, runs: dict[str, PathForces], motions: dict[str, LiveMotion]
) -> None:
    for name, force, fraction in (("dasgupta-I", 4, 6), ("dasgupta-II", 7, 8)):
        run, roman = runs[name], ROMAN[name]
        page.follow(motions[name])
        _keep(page, run)
        top, exact = peak(run.run.time, run.published), peak(run.run.time, run.exact)
        published, true = (np.median(np.abs(x)) for x in (run.published_fraction, run.exact_fraction))
        page.section(roman)
        page.text(
            f"The largest force is {abs(top.value):.0f} N in leg {top.leg} at t = {top.time:g} s as "
            f"published, {abs(exact.value):.0f} N exactly. Half of all dynamic fractions are above "
            f"{published:.3f} as published and above {true:.3f} exactly."
        )
        page.figure(
            f"figure-{force}",
            figures.force_figure(run),
            f"The paper's Fig. {force}: forces on {roman}, T, S and D as it letters them, with the "
            "exact total beside them.",
        )
        if name == "dasgupta-I":
            page.figure(
                "figure-5",
                figures.condition_figure(run),
                "The paper's Fig. 5: condition number on Path I. It depends on the place only, so Path "
                "II has the same.",
            )
        page.figure(
            f"figure-{fraction}",
            figures.fraction_figure(run),
            f"The paper's Fig. {fraction}: share of leg inertia and friction in the force on {roman}, "
            "cut at ±1. It has a pole where the total force passes through zero; there the curve is "
            "broken.",
        )


def singular_path(page: Reproduction, run: PathForces, crossing: Singularity) -> None:
    _keep(page, run)
    top, published = peak(run.run.time, run.exact), peak(run.run.time, run.published)
    page.section("Path III, through a singularity")
    page.text(
        f"det H changes its sign once, at t* = {crossing.time:.6f} s. There no forces hold the "
        f"platform. The paper samples every 0.1 s, comes nearest at {top.time:g} s, at a distance of "
        f"{1e3 * abs(top.time - crossing.time):.1f} ms and so finds a finite peak: "
        f"{number(abs(top.value), 3)} N exactly, {number(abs(published.value), 3)} "
        "N as published. A finer sampling finds any peak one likes, because the force grows as "
        f"{number(crossing.growth, 3)} N s / |t - t*|.\n\n"
        "No other path between the same ends avoids it: det H is continuous and has different signs at "
        "them. `hexapod.plan_path` says so, and finds paths that are proven free of singularities "
        "between poses of one sign."
    )
    page.figure(
        "figure-9",
        figures.force_figure(run, 1e5, "force [$10^5$ N]"),
        "The paper's Fig. 9: forces on Path III. The paper says 'of the order of 100 000 N'; what a "
        "sample shows depends on how near it comes to the singularity.",
    )
    page.figure(
        "figure-10",
        figures.condition_figure(run, fine=2001),
        "The paper's Fig. 10: condition number on Path III, on a logarithmic scale.",
    )
    page.figure(
        "growth",
        figures.growth_figure(crossing),
        "Not in the paper: the largest force beside the singularity follows a hyperbola.",
    )


AS_PUBLISHED = ("no-spin", "moment-along-leg", "upper-inertia-at-base")


def reproduce(progress: Progress | None = None) -> Reproduction:
    runs = {name: path_forces(name) for name in PATHS}
    off = {name: deviation(run.published, run.exact) for name, run in runs.items()}
    crossing = singularity()
    page = Reproduction(
        "dasgupta1998",
        "Dasgupta and Mruthyunjaya (1998), reproduced",
        _summary(off, crossing),
        progress,
    )
    page.source(
        "B. Dasgupta and T. S. Mruthyunjaya, *A Newton-Euler formulation for the inverse dynamics of "
        "the Stewart platform manipulator*, Mechanism and Machine Theory 33(8), 1998, pp. 1135-1152. "
        "Equation and figure numbers below are the paper's. 'As published' means its own equations, "
        "misprints put right; 'exact' means the rigid-body model in which the three deviations named "
        "below are removed, which two independent physics engines confirm."
    )
    page.table("contents", ("paper", "here"), FIGURES, "What the paper shows, and where it is.")
    motions = {
        name: LiveMotion(name, ROMAN[name], run.run.time, *run.run.motion) for name, run in runs.items()
    }
    _manipulator(page, motions)
    ordinary_paths(page, runs, motions)
    page.follow(motions["dasgupta-III"])
    singular_path(page, runs["dasgupta-III"], crossing)
    _deviations(page, runs, off)
    page.statements(
        ("as published", "exact"),
        CLAIMS,
        statement_rows(runs, crossing),
        "Claims of the paper; 'as published' is by its own equations, 'exact' by ours.",
    )
    _condition_and_force(page, runs)
    _operations(page)
    _reactions(page, runs)
    _tracking(page)
    _closed_loop(page)
    page.entries(
        ENTRIES,
        EQUATIONS,
        r"in the paper's symbols; \(c = k\times y\) and the velocities \(\omega_u\), \(\omega_v\) about "
        r"\(k\) and \(y\) are Pedrammehr's",
    )
    return page


def _summary(off: dict[str, Deviation], crossing: Singularity) -> str:
    slow, fast = off["dasgupta-I"], off["dasgupta-II"]
    return (
        "The paper computes the actuator forces of a general Stewart platform along three straight "
        "paths. All that it plots is computed again. Its text holds in the main: the legs' own mass "
        "matters, and forces grow without bound at a singularity "
        f"(here at t = {crossing.time:.4f} s). Its conclusion that a higher condition number means "
        "higher forces does not hold away from the singularity: on Path I the two go opposite ways.\n\n"
        "Its equations are not exact, though. They leave out the spin that a universal joint forces on "
        "its leg, put the joint's moment in the wrong direction and count one inertia twice. On Path I "
        f"that makes errors of up to {slow.largest:.1f} N ({100 * slow.rms:.2f} % RMS), on the ten "
        f"times faster Path II up to {fast.largest:.1f} N ({100 * fast.rms:.2f} % RMS, "
        f"{100 * fast.worst:.1f} % at the worst instant). One fixed axis is printed with norm 0.858; a "
        "table below says what the errors are if it lacks a component instead of its length."
    )


def _manipulator(page: Reproduction, motions: dict[str, LiveMotion]) -> None:
    run = path_forces("dasgupta-I").run
    platform = run.platform
    page.section("The manipulator and its paths")
    page.figure(
        "figure-1",
        platform_figure(platform, platform.home),
        "The paper's Fig. 1, drawn from its data at the middle of Paths I and II: base (gray), "
        "platform (orange), lower leg parts (thick) and upper leg parts (thin).",
    )
    page.figure(
        "figure-2",
        leg_figure(platform, platform.home, 2),
        "The paper's Fig. 2, drawn from its data: leg 3 with base point b, leg vector S, fixed axis k "
        "of the universal joint, frames D and U, centers of mass of the lower and the upper part. The "
        "test manipulator's centers of mass lie far off the leg's axis.",
    )
    page.table(
        "manipulator",
        ("leg", "base point [m]", "fixed axis, normalized", "platform point [m]"),
        manipulator_rows(platform),
        "The Appendix as Linkwork reads it; masses, centers of mass and inertias are in the robot file "
        "`dasgupta1998`.",
    )
    page.table(
        "first-axis",
        ("first axis", "Path I: largest error [N]", "Path II: largest error [N]"),
        [[words, f"{slow:.1f}", f"{fast:.1f}"] for words, (slow, fast) in first_axes().items()],
        "The first fixed axis reads (-0.8141, 0.2714, 0) and has norm 0.858. Normalized, as taken here, "
        "or with a lost third component: how far the published forces are then from the exact ones.",
    )
    page.table(
        "inertias",
        ("inertia as printed", "principal moments [kg m²]", "fault"),
        inertia_rows(),
        "None of the printed inertias can be that of a body: a principal moment may be neither negative "
        "nor above the sum of the other two.",
    )
    page.table(
        "paths",
        ("path", "duration [s]", "speed [m/s]", "blend [s]", "rate of angles [rad/s]", "blend [s]"),
        path_rows(),
        "The three paths: cruising speeds, and the blend times that follow from them by (39).",
    )
    page.live(
        "motion",
        platform,
        list(motions.values()),
        "Not in the paper: the manipulator along Path I at equal steps of time, faint to strong.",
    )
    page.figure(
        "figure-3",
        figures.trajectory_figure(),
        "The paper's Fig. 3: a coordinate, linear with parabolic blends; here x of Path I.",
    )


def _deviations(page: Reproduction, runs: dict[str, PathForces], off: dict[str, Deviation]) -> None:
    page.section("How far the published equations are off, and why")
    page.text(
        "- **Spin.** The paper says that the universal joint allows no rotation about the leg, "
        r"\(s\cdot W = 0\)."
        " But its own frame T turns about the leg whenever the leg swings: the joint's two axes force a "
        r"spin of \(k\cdot s\) times the velocity about \(k\)."
        "\n"
        "- **Direction of the joint's moment.** A universal joint passes a moment only along the normal "
        "of its cross, c = k × y. The paper puts it along the leg s, so part of it is missing from "
        "the bending of the leg. This error is there even at rest.\n"
        "- **An inertia counted twice.** (16) moves the upper part's inertia to the base point by "
        r"\(m_u L^2\), but (18) contains \(m_u r_u\times a_u\), which already holds that term. The "
        "error grows with the acceleration, a hundred times from Path I to Path II."
    )
    slow, fast = runs["dasgupta-I"].run, runs["dasgupta-II"].run
    page.table(
        "one-at-a-time",
        *deviation_table(AS_PUBLISHED, slow, fast),
        "The three deviations, each switched on alone. They partly cancel, so the published error is "
        "not their sum.",
    )
    page.table(
        "deviation",
        ("path", "largest error [N]", "RMS error [%]", "worst instant [%]"),
        [
            [ROMAN[name], number(one.largest), f"{100 * one.rms:.2f}", f"{100 * one.worst:.1f}"]
            for name, one in off.items()
        ],
        "Published minus exact forces, all legs, at the paper's sampling instants.",
    )
    page.figure(
        "difference",
        figures.difference_figure(runs["dasgupta-I"], runs["dasgupta-II"]),
        "Not in the paper: published minus exact force. On the slow Path I nearly all of it is the "
        "misdirected moment under gravity; on Path II the doubled inertia steps with the acceleration.",
    )


def _condition_and_force(page: Reproduction, runs: dict[str, PathForces]) -> None:
    found = {ROMAN[name]: force_and_condition(run) for name, run in runs.items()}
    slow = found["Path I"]
    page.text(
        "**'Higher the condition number, higher are the actuator forces' (section 6).** From the "
        f"beginning to the end of Path I the condition number rises from {slow.condition[0]:.1f} to "
        f"{slow.condition[-1]:.1f} while the largest force falls from {slow.force[0]:.0f} to "
        f"{slow.force[-1]:.0f} N. Rank correlations along the paths are "
        + ", ".join(f"{one.rank_correlation:+.4f} ({name})" for name, one in found.items())
        + ". The claim holds beside a singularity, where one direction of the force dominates, and not "
        "where the platform is well conditioned: there its weight and its pose decide. Nor is the "
        "number free of the unit of length (4.2 says so): H mixes forces and moments, here in meters."
    )
    page.figure(
        "condition-and-force",
        figures.condition_and_force_figure(found),
        "Not in the paper: the largest force over the condition number of H, moments in meters. Left "
        "Path I (blue) and Path II (orange), right Path III; large dots mark the start.",
    )


def _operations(page: Reproduction) -> None:
    page.section("Operations (4.5)")
    page.text(
        "The paper counts its MATLAB program with `flops`: 694 per leg, 273 for the platform and 452 "
        "for the linear system, 6 × 694 + 273 + 452 = 4889 in all, 3.36 times the 1454 of a serial arm. "
        "Linkwork's trace of the same equations counts every multiplication, addition, division and "
        "square root, friction left out as in the paper."
    )
    page.table(
        "branches",
        ("branch", "the paper", "its equations, as written here"),
        branch_rows(),
        "The paper's parallel branches: legs and platform need nothing of each other, so with a "
        "processor for each the time is that of one leg and of the linear system, 694 + 452 = 1146 "
        "against the 1454 of a serial arm. The same comparison of our expressions stands in the last "
        "two lines. Every count is of one program, not a bound.",
    )
    page.table(
        "operations",
        ("what", "multiplications", "additions", "divisions, roots", "all", "longest chain"),
        count_rows(),
        "The paper's total, and what our expressions of the whole platform need. 'As written' is the "
        "expression before common parts are shared, 'kernel' the machine code; the longest chain is "
        "what remains with unlimited parallelism, which the paper announces as a strength.",
    )


def _reactions(page: Reproduction, runs: dict[str, PathForces]) -> None:
    page.section("Joint reactions (3.3)")
    page.text(
        "The paper says how to find all joint reactions but shows none. These are the exact ones. Its "
        r"(29) takes the universal joint's moment to be \(s\cdot C\), along the leg; the true moment "
        r"lies along \(c\) and is longer by the factor \(1/|k\times s|\)."
    )
    page.table(
        "reactions",
        ("reaction", "Path I: largest", "leg", "at [s]", "Path II: largest", "leg", "at [s]"),
        reaction_rows(runs["dasgupta-I"].run, runs["dasgupta-II"].run),
        "Largest magnitudes over all legs and instants.",
    )


def _tracking(page: Reproduction) -> None:
    page.section("What the errors cost in tracking")
    page.text(
        "The paper wants its equations for control. Here they are the model inside the controller, "
        r"\(J^T F = M(X)\,[a_d + K_v\dot e + K_p e] + h\)"
        f" with gains {KP:g} and {KV:g}, {TRACKED} samples along the path, while the platform itself "
        "moves exactly. Feedback hides a part of a model's error and never all: with the published "
        f"equations the orientation is off {times_worse('dasgupta-I', 'dasgupta1998'):.0f} times as far "
        "on Path I as with the exact model, and "
        f"{times_worse('dasgupta-II', 'dasgupta1998'):.0f} times on Path II. Without feedback the "
        f"forces that they plan lose the path ({1e3 * LOST:g} mrad) sooner."
    )
    page.table(
        "tracking",
        *tracking_table("dasgupta-I", "dasgupta-II"),
        "Largest errors under feedback on Path I (slow) and Path II (fast), and how long planned forces "
        "alone keep the platform on its path.",
    )


def _closed_loop(page: Reproduction) -> None:
    page.section("Beyond the paper: the platform under control")
    run = closed_loop("dasgupta-I", measured="legs")
    assert run.error is not None
    page.text(
        "The paper closes with the hope that its equations will serve simulation and control. Here the "
        f"exact model follows Path I under task-space control, {TRACKED} samples with the force held "
        "over each, the pose found from the leg lengths inside the loop. The position stays within "
        f"{1e3 * np.abs(run.error[:, :3]).max():.2g} mm and the orientation within "
        f"{1e3 * np.abs(run.error[:, 3:]).max():.2g} mrad of the path."
    )
    page.figure(
        "closed-loop",
        figures.closed_loop_figure(run, "dasgupta-I"),
        "Closed loop on Path I: errors, and the difference of the forces from the planned ones.",
    )
