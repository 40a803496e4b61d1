"""Sections of the page on Dasgupta and Mruthyunjaya: the three paths with their figures."""

from __future__ import annotations

import numpy as np

from linkwork.papers.dasgupta1998 import figures
from linkwork.papers.dasgupta1998.findings import ROMAN, PathForces, Singularity
from linkwork.papers.platform_paths import grouped, peak
from linkwork.papers.reproduction import Reproduction
from linkwork.reports.live import LiveMotion


def _keep(page: Reproduction, run: PathForces) -> None:
    """The numbers behind the figures as a table."""
    columns = {"time [s]": run.run.time}
    for label, values in (
        ("published", run.published),
        ("exact", run.exact),
        ("massless", run.massless),
    ):
        columns.update({f"{label} leg {k + 1} [N]": values[:, k] for k in range(6)})
    columns["condition number"] = run.run.condition()
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
    top = peak(run.run.time, run.exact)
    page.section("Path III, through a singularity")
    page.text(
        f"det H changes its sign once, at t* = {crossing.time:.6f} s. There no forces hold the "
        f"platform. The paper samples every 0.1 s, comes nearest at {top.time:g} s, at a distance of "
        f"{1e3 * abs(top.time - crossing.time):.1f} ms and so finds a finite peak: "
        f"{grouped(abs(top.value))} N exactly, {grouped(abs(peak(run.run.time, run.published).value))} "
        "N as published. A finer sampling finds any peak one likes, because the force grows as "
        f"{grouped(crossing.growth)} N s / |t - t*|.\n\n"
        "No other path between the same ends avoids it: det H is continuous and has different signs at "
        "them. `hexapod.plan` says so, and finds ways that are proven free of singularities between "
        "poses of one sign."
    )
    page.figure(
        "figure-9",
        figures.force_figure(run, 1e5, "force [$10^5$ N]"),
        "The paper's Fig. 9: forces on Path III, of the order of 100 000 N as it says.",
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
