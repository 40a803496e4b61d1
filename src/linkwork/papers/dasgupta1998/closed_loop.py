"""Dasgupta and Mruthyunjaya (1998): their paths, followed by a controlled platform."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from linkwork.control import TaskSpaceControl
from linkwork.drawing.style import COLOURS, legend_beside
from linkwork.motion import paper_path
from linkwork.papers.panels import new_figure
from linkwork.papers.platform_paths import papers_platform
from linkwork.robot.robot import Array
from linkwork.simulation import Simulation, simulate

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SAMPLES = 600  # control samples along a path
STYLES = ("-", "--", "-.", ":", "-", "--")


def closed_loop(path: str = "dasgupta-I", kp: float = 400.0, kv: float = 40.0) -> Simulation:
    """The papers' platform under task-space control, its pose found from leg lengths in the loop."""
    platform = papers_platform()
    motion = paper_path(path)
    step = motion.duration / SAMPLES
    return simulate(platform, TaskSpaceControl(platform, motion, kp, kv, period=step), step=step)


def planned_forces(path: str, times: Array) -> Array:
    """Forces of the exact inverse dynamics along the path itself."""
    return np.asarray(papers_platform().inverse_dynamics(*paper_path(path).at(times)))


def closed_loop_figure(run: Simulation, path: str) -> Figure:
    """Tracking errors, and how far the forces are from those planned."""
    assert run.error is not None
    figure, axes = new_figure(6.0, 3, 1, sharex=True)
    difference = run.effort - planned_forces(path, run.time)
    for ax, values, labels, title in (
        (axes[0, 0], 1e3 * run.error[:, :3], ("x", "y", "z"), "position error\n[mm]"),
        (axes[1, 0], 1e3 * run.error[:, 3:], ("x", "y", "z"), "orientation error\n[mrad]"),
        (axes[2, 0], difference, run.labels, "force − planned force\n[N]"),
    ):
        for k, label in enumerate(labels):
            ax.plot(run.time, values[:, k], STYLES[k], color=COLOURS[k], label=label)
        ax.set_ylabel(title)
        legend_beside(ax)
    axes[-1, 0].set_xlabel("time [s]")
    axes[-1, 0].set_xlim(run.time[0], run.time[-1])
    figure.align_ylabels()
    return figure
