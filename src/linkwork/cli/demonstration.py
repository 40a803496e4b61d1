"""The demonstration: the papers' platform along its paths, and a PUMA under control, in one report."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from linkwork.analysis.study import Study, effort_first, peaks, study
from linkwork.core.progress import progress_bar
from linkwork.motion import published_path
from linkwork.papers.lee1982 import BOUND, experiment
from linkwork.reports import Page, figures
from linkwork.reports.inverse import add_formulations, add_robot, add_table
from linkwork.reports.live import of_simulation, of_study
from linkwork.reports.simulation import error_table
from linkwork.reports.tables import peak_table
from linkwork.robot.limits import quantity
from linkwork.robot.loading import load, load_arm
from linkwork.simulation import Simulation

FORMULATIONS = ("exact", "dasgupta1998", "pedrammehr2012")
SAMPLES = 601
PARTS = 7  # of the work, for the progress bar


@dataclass(frozen=True)
class TellingNumber:
    """A telling number, and what it tells."""

    number: str
    words: str


def build() -> tuple[Page, list[TellingNumber]]:
    """The report, and its three most telling numbers; a bar on a terminal, for it takes some seconds."""
    with progress_bar(PARTS, "demonstration", None) as advance:
        return _build(advance)


def _build(advance: Callable[[int], None]) -> tuple[Page, list[TellingNumber]]:
    platform = load("dasgupta1998")
    studies = {}
    for name in ("dasgupta-I", "dasgupta-II"):
        motion = published_path(name)
        times = np.linspace(0.0, motion.duration, SAMPLES)
        studies[name] = study(platform, name, times, motion.at(times), formulations=FORMULATIONS)
        advance(1)
    slow, fast = studies.values()
    tracking = experiment()
    advance(1)
    assert tracking.error is not None
    findings = [*_platform_findings(fast), _tracking_finding(float(np.abs(tracking.error).max()))]
    page = Page(
        "Linkwork: a demonstration",
        "Which forces does a motion need, how far off are published formulas, and how well does a "
        "controller follow?\n\n" + "\n".join(f"- **{one.number}** {one.words}" for one in findings),
        command="linkwork demo",
    )
    page.section("The platform of the papers")
    page.text(
        "The test manipulator of Dasgupta and Mruthyunjaya (1998), used again by Pedrammehr et al. "
        "(2012): no real machine, and on purpose without symmetry."
    )
    page.figure(
        figures.mechanism_figure(platform, fast.time, fast.position),
        "The platform along its path at equal steps of time, faint to strong; dashed: path of its "
        "reference point, from the ring to the dot.",
        "mechanism",
    )
    motions = [of_study(slow, "path-1"), of_study(fast, "path-2")]
    page.live("mechanism", platform, motions)
    add_robot(page, platform)
    advance(1)
    _add_path(page, slow, "Path I: slow", "path-1-")
    advance(1)
    page.follow(motions[1])
    _add_path(page, fast, "Path II: the same in a tenth of the time", "path-2-")
    advance(1)
    _add_tracking(page, tracking)
    return page, findings


def _platform_findings(fast: Study) -> list[TellingNumber]:
    exact = fast.by_formulation["exact"]
    worst, who, leg = 0.0, "", 0
    for name in FORMULATIONS[1:]:
        off = np.abs(fast.by_formulation[name] - exact).max(axis=0)
        share = off / np.abs(exact).max(axis=0)
        if share.max() > worst:
            worst, who, leg = float(share.max()), name, int(np.argmax(share))
    row, k = np.unravel_index(np.argmax(np.abs(exact)), exact.shape)
    return [
        TellingNumber(
            f"{abs(exact[row, k]):.0f} N",
            f"is the greatest leg force on Path II ({fast.effort.channels[k]}, "
            f"t = {fast.time[row]:.2g} s); standing still along it would take {_weight(fast):.0f} N.",
        ),
        TellingNumber(
            f"{100 * worst:.1f} %",
            f"of a leg's peak force on Path II is the error of a published model ({who}, "
            f"{fast.effort.channels[leg]}) against the exact equations.",
        ),
    ]


def _weight(fast: Study) -> float:
    """The greatest leg force if the platform stood still along its path."""
    return float(np.abs(fast.parts["weight of the platform"] + fast.parts["weight of the legs"]).max())


def _tracking_finding(error: float) -> TellingNumber:
    return TellingNumber(
        f"{1e3 * error:.2f} mrad",
        f"is the greatest position error of a PUMA 560 under computed torque at 100 Hz; one step of the "
        f"converter of Lee (1982) is {1e3 * BOUND:.3f} mrad.",
    )


def _add_path(page: Page, found: Study, title: str, prefix: str) -> None:
    page.section(title)
    add_table(
        page,
        peak_table(found.effort, found.peaks, found.actuated_element),
        "Peaks of the exact forces and of the power, and when they occur.",
    )
    page.figure(
        figures.parts_figure(found),
        "Force of every leg and its parts, which add up to the total.",
        f"{prefix}parts",
    )
    add_formulations(page, found, prefix, level=3)


def _add_tracking(page: Page, run: Simulation) -> None:
    arm = load_arm("puma560-lee")
    assert run.error is not None
    wrong = quantity("error", arm.joint_names, "mrad", 1e3 * run.error, np.full(arm.n, 1e3 * BOUND))
    page.section("A PUMA under computed torque")
    page.text(
        "The experiment of Lee, Chung, Mudge and Turney (1982), section 5: a quintic motion of 3 s, "
        "torques computed every 10 ms and held. The paper's link data, profile and duration are not "
        "given; the public PUMA 560 stands in."
    )
    page.figure(
        figures.mechanism_figure(arm, run.time, run.q),
        "The arm along its motion at equal steps of time, faint to strong; dashed: path of its tip.",
        "puma-mechanism",
    )
    page.live("puma-mechanism", arm, [of_simulation(arm, run, friction=False)], friction=False)
    page.figure(
        figures.panels_figure(run.time, wrong),
        "Position errors. Limits: one step of the paper's 12-bit converter.",
        "puma-errors",
    )
    add_table(page, error_table(run.time, [wrong]), "Greatest errors, and when they occur.")
    efforts = effort_first(arm.quantities(run.q, run.qd, run.effort), run.effort)[0]
    found = peaks(run.time, efforts, run.effort * run.qd)
    add_table(page, peak_table(efforts, found, "joint"), "Peaks of the torques.")
