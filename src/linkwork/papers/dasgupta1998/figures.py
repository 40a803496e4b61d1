"""The figures of Dasgupta and Mruthyunjaya, each with the exact result beside the published one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from linkwork.motion import paper_path
from linkwork.papers.dasgupta1998.findings import PathForces, Singularity
from linkwork.papers.panels import (
    BLUE,
    GREEN,
    INK,
    ORANGE,
    PINK,
    Series,
    legend_below,
    new_figure,
    panels,
    single,
)
from linkwork.papers.platform_paths import LEG_TITLES, grouped, run_path
from linkwork.robot.robot import Array

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def trajectory_figure(path: str = "dasgupta-I") -> Figure:
    """Figure 3: one coordinate, its rate and its acceleration over time."""
    trajectory = paper_path(path)
    time = np.linspace(0.0, trajectory.duration, 1201)
    pose, twist, acceleration = trajectory.at(time)
    figure, axes = new_figure(4.6, 3, 1, sharex=True)
    for ax, values, quantity in zip(
        axes[:, 0],
        (pose[:, 0], twist[:, 0], acceleration[:, 0]),
        ("$x$ [m]", "velocity\n[m/s]", "acceleration\n[m/s²]"),
        strict=True,
    ):
        ax.plot(time, values, color=BLUE)
        ax.set_ylabel(quantity)
    cruising = time[np.abs(acceleration[:, 0]) < 1e-12]
    for ax in axes[:, 0]:
        for instant in (cruising[0], cruising[-1]):
            ax.axvline(instant, color=INK, linewidth=0.8, linestyle=":")
    axes[0, 0].annotate(r"$\tau_t$", (cruising[0], pose[0, 0]), (4, 4), textcoords="offset points")
    axes[0, 0].annotate(
        r"$\tau_f-\tau_t$", (cruising[-1], pose[0, 0]), (4, 4), textcoords="offset points"
    )
    axes[-1, 0].set_xlabel("time [s]")
    axes[-1, 0].set_xlim(time[0], time[-1])
    figure.align_ylabels()
    return figure


def force_figure(path: PathForces, unit: float = 1.0, quantity: str = "force [N]") -> Figure:
    """Figures 4, 7 and 9: total T, massless legs S and their difference D, as published; exact total."""
    series = [
        Series("total, exact", path.exact / unit, ORANGE, "-", 4.5, 0.45),
        Series("T: total, as published", path.published / unit, BLUE, "-", 1.1),
        Series("S: massless legs, no friction", path.massless / unit, GREEN, "-."),
        Series("D = T − S, as published", (path.published - path.massless) / unit, PINK, ":"),
    ]
    return panels(path.run.time, series, LEG_TITLES, quantity)


def condition_figure(path: PathForces, fine: int = 0) -> Figure:
    """Figures 5 and 10: condition number of H; the same sampled finely, if asked."""
    series = [Series("sampled as in the paper", path.run.condition(), BLUE)]
    if not fine:
        return single(path.run.time, series, "condition number of H", height=2.8)
    dense = run_path(path.run.name, samples=fine)
    figure = single(path.run.time, series, "condition number of H", height=3.4, log=True)
    ax = figure.axes[0]
    ax.plot(
        dense.time, dense.condition(), "--", color=ORANGE, label=f"sampled at {fine} instants", zorder=1
    )
    for legend in figure.legends:
        legend.remove()
    legend_below(figure, ax)
    return figure


def fraction_figure(path: PathForces) -> Figure:
    """Figures 6 and 8: share of leg inertia and friction in the force, broken at its poles."""
    series = [
        Series("as published", path.published_fraction, BLUE, breaks=_poles(path.published)),
        Series("exact", path.exact_fraction, ORANGE, "--", breaks=_poles(path.exact)),
    ]
    return panels(path.run.time, series, LEG_TITLES, "dynamic fraction [1]", limits=(-1.0, 1.0))


def _poles(force: Array) -> NDArray[np.bool_]:
    """Between which samples a force changes its sign, so that a fraction of it has a pole."""
    return np.asarray(np.sign(force[1:]) != np.sign(force[:-1]))


def difference_figure(slow: PathForces, fast: PathForces) -> Figure:
    """Published minus exact force on Paths I and II, over the fraction of the path's duration."""
    series = [
        Series("Path I (6 s)", slow.published - slow.exact, BLUE),
        Series("Path II (0.6 s)", fast.published - fast.exact, ORANGE, "--"),
    ]
    share = slow.run.time / slow.run.time[-1]
    return panels(
        share,
        series,
        LEG_TITLES,
        "published − exact [N]",
        time_label="time over duration of the path [1]",
    )


def growth_figure(found: Singularity, path: str = "dasgupta-III") -> Figure:
    """The largest exact force beside the singularity against the law c / |t - t*|."""
    trajectory = paper_path(path)
    platform = run_path(path).platform
    distance = np.geomspace(1e-4, 2.0, 200)
    figure, axes = new_figure(3.4)
    ax = axes[0, 0]
    for sign, colour, style, label in (
        (-1, BLUE, "-", "before the singularity"),
        (1, ORANGE, "--", "after the singularity"),
    ):
        forces = platform.inverse_dynamics(*trajectory.at(found.time + sign * distance))
        largest = np.abs(forces).max(axis=1)
        ax.loglog(distance, largest, style, color=colour, label=label)
    law = found.growth / distance
    ax.loglog(distance, law, ":", color=INK, label=f"{grouped(found.growth)} N s / |t − t*|")
    ax.set_xlabel("|t − t*| [s]")
    ax.set_ylabel("largest leg force [N]")
    legend_below(figure, ax)
    return figure
