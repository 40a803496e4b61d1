"""The figures of Dasgupta and Mruthyunjaya, each with the exact result beside the published one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from linkwork.core.text import number
from linkwork.drawing.style import grid, legend_below
from linkwork.motion import published_path
from linkwork.papers.dasgupta1998.findings import ForceAndCondition, PathForces, Singularity
from linkwork.papers.panels import BLUE, GREEN, INK, ORANGE, panels
from linkwork.papers.platform_paths import LEG_TITLES, papers_platform, run_path
from linkwork.reports.figures import stacked_figure
from linkwork.reports.simulation import error_quantities
from linkwork.robot.limits import quantity
from linkwork.robot.robot import Array
from linkwork.simulation import Simulation

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def trajectory_figure(path: str = "dasgupta-I") -> Figure:
    """Figure 3: one coordinate, its rate and its acceleration over time."""
    trajectory = published_path(path)
    time = np.linspace(0.0, trajectory.duration, 1201)
    pose, twist, acceleration = trajectory.at(time)
    figure, axes = grid(4.6 / 3, 3, sharex=True)
    labels = ("$x$ [m]", "velocity\n[m/s]", "acceleration\n[m/s²]")
    cruising = time[np.abs(acceleration[:, 0]) < 1e-12]
    for ax, values, label in zip(axes, (pose, twist, acceleration), labels, strict=True):
        ax.plot(time, values[:, 0], color=BLUE)
        ax.set_ylabel(label)
        for instant in (cruising[0], cruising[-1]):
            ax.axvline(instant, color=INK, linewidth=0.8, linestyle=":")
    for instant, text in ((cruising[0], r"$\tau_t$"), (cruising[-1], r"$\tau_f-\tau_t$")):
        axes[0].annotate(text, (instant, pose[0, 0]), (4, 4), textcoords="offset points")
    axes[-1].set_xlabel("time [s]")
    axes[-1].set_xlim(time[0], time[-1])
    figure.align_ylabels()
    return figure


def force_figure(path: PathForces, unit: float = 1.0, label: str = "force [N]") -> Figure:
    """Figures 4, 7 and 9: total T, massless legs S and their difference D, as published; exact total."""
    curves = {
        "total, exact": path.exact / unit,
        "T: total, as published": path.published / unit,
        "S: massless legs, no friction": path.massless / unit,
        "D = T − S, as published": (path.published - path.massless) / unit,
    }
    return panels(path.run.time, curves, LEG_TITLES, label)


def condition_figure(path: PathForces, fine: int = 0) -> Figure:
    """Figures 5 and 10: condition number of H; the same sampled finely, if asked."""
    figure, (ax,) = grid(3.4 if fine else 2.8)
    ax.plot(path.run.time, path.run.condition(), color=BLUE, label="sampled as in the paper")
    if fine:
        dense = run_path(path.run.name, samples=fine)
        label = f"sampled at {fine} instants"
        ax.semilogy(dense.time, dense.condition(), "--", color=ORANGE, label=label, zorder=1)
        legend_below(figure, ax)
    ax.set_xlim(path.run.time[0], path.run.time[-1])
    ax.set_xlabel("time [s]")
    ax.set_ylabel("condition number of H")
    return figure


def fraction_figure(path: PathForces) -> Figure:
    """Figures 6 and 8: share of leg inertia and friction in the force, broken at its poles."""
    curves = {
        "exact": _broken(path.exact_fraction, path.exact),
        "as published": _broken(path.published_fraction, path.published),
    }
    time = np.linspace(path.run.time[0], path.run.time[-1], 2 * len(path.run.time) - 1)
    return panels(time, curves, LEG_TITLES, "dynamic fraction [1]", limits=(-1.0, 1.0))


def _broken(fraction: Array, force: Array) -> Array:
    """With the means between samples; none where the force changes its sign: there it has a pole."""
    poles = np.sign(force[1:]) != np.sign(force[:-1])
    found = np.repeat(fraction, 2, axis=0)[:-1]
    found[1::2] = np.where(poles, np.nan, (fraction[1:] + fraction[:-1]) / 2)
    return found


def difference_figure(slow: PathForces, fast: PathForces) -> Figure:
    """Published minus exact force on Paths I and II, over the fraction of the path's duration."""
    curves = {
        "Path I (6 s)": slow.published - slow.exact,
        "Path II (0.6 s)": fast.published - fast.exact,
    }
    share, label = slow.run.time / slow.run.time[-1], "time over duration of the path [1]"
    return panels(share, curves, LEG_TITLES, "published − exact [N]", time_label=label, reference=False)


def growth_figure(found: Singularity, path: str = "dasgupta-III") -> Figure:
    """The largest exact force beside the singularity against the law c / |t - t*|."""
    trajectory = published_path(path)
    platform = run_path(path).platform
    distance = np.geomspace(1e-4, 2.0, 200)
    figure, (ax,) = grid(3.4)
    for sign, color, style, label in (
        (-1, BLUE, "-", "before the singularity"),
        (1, ORANGE, "--", "after the singularity"),
    ):
        forces = platform.inverse_dynamics(*trajectory.at(found.time + sign * distance))
        largest = np.abs(forces).max(axis=1)
        ax.loglog(distance, largest, style, color=color, label=label)
    law = found.growth / distance
    ax.loglog(distance, law, ":", color=INK, label=f"{number(found.growth, 3)} N s / |t − t*|")
    ax.set_xlabel("|t − t*| [s]")
    ax.set_ylabel("largest leg force [N]")
    legend_below(figure, ax)
    return figure


def condition_and_force_figure(found: Mapping[str, ForceAndCondition]) -> Figure:
    """The largest force over the condition number, a curve for each path."""
    figure, axes = grid(2.8, 2, 2)
    places = (axes[0], axes[0], axes[1])
    for (name, one), ax, color in zip(found.items(), places, (BLUE, ORANGE, GREEN), strict=True):
        ax.plot(one.condition, one.force, ".-", color=color, label=name, linewidth=0.8, markersize=3)
        ax.plot(one.condition[:1], one.force[:1], "o", color=color, markersize=6)
        ax.set_xlabel("condition number of H")
        ax.set_title(", ".join(str(line.get_label()) for line in ax.lines[::2]), fontsize="medium")
    axes[0].set_ylabel("largest leg force, exact [N]")
    axes[1].loglog()
    return figure


def closed_loop_figure(run: Simulation, path: str) -> Figure:
    """Tracking errors, and how far the forces are from those that the exact model plans."""
    platform = papers_platform()
    difference = run.effort - platform.inverse_dynamics(*published_path(path).at(run.time))
    forces = quantity("force − planned force", run.labels, "N", difference)
    return stacked_figure(run.time, [*error_quantities(platform, run), forces], 1.8)
