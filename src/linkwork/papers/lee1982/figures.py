"""The figures of Lee, Chung, Mudge and Turney, and those that explain them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from linkwork.drawing.style import MUTED, grid, legend_below
from linkwork.papers.lee1982.findings import Case, LoadTrial
from linkwork.papers.lee1982.trials import BOUND
from linkwork.papers.panels import BLUE, GREEN, INK, ORANGE, PINK, panels
from linkwork.simulation import Simulation

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def error_figure(
    run: Simulation, bound: float | None = BOUND, rough: Simulation | None = None
) -> Figure:
    """Figures 3 to 8: position error of every joint, with the converter's resolution.

    `rough` is the same run with rounded positions, drawn over it.
    """
    assert run.error is not None
    titles = [f"Figure {k + 3}: joint {k + 1} ({name})" for k, name in enumerate(run.labels)]
    curves = {"exact sensors": 1e3 * run.error}
    if rough is not None:
        assert rough.error is not None
        curves["12-bit positions"] = 1e3 * rough.error
    line = None if bound is None else (1e3 * bound, f"±{1e3 * bound:.3g} mrad, one bit")
    return panels(run.time, curves, titles, "error [mrad]", bound=line, reference=False)


def duration_figure(cases: list[Case]) -> Figure:
    """Largest error against the duration of the motion: simulated, and by the law of a held torque."""
    figure, (ax,) = grid(4.4)
    for case, color, marker in zip(cases, (BLUE, ORANGE, GREEN, PINK), "osD^", strict=True):
        ax.loglog(
            case.durations, 1e3 * case.law.filtered, color=color, label=f"{case.label}, by the law"
        )
        ax.loglog(case.durations, 1e3 * case.law.still, ":", color=color, linewidth=0.9)
        ax.loglog(
            case.trial_durations,
            1e3 * case.simulated,
            marker,
            color=color,
            label=f"{case.label}, simulated",
        )
    ax.plot([], [], ":", color=MUTED, linewidth=0.9, label="without the loop's own dynamics")
    ax.axhline(1e3 * BOUND, color=INK, linestyle="--", linewidth=0.9)
    ax.annotate(
        "the paper's bound",
        (1.0, 1e3 * BOUND),
        (0, 3),
        textcoords="offset points",
        ha="left",
        va="bottom",
    )
    ticks = [1, 2, 3, 4, 5, 6, 8]
    ax.set_xticks(ticks, [str(t) for t in ticks], minor=False)
    ax.set_xticks([], minor=True)
    ax.set_xlabel("duration of the motion [s]")
    ax.set_ylabel("largest error of any joint [mrad]")
    legend_below(figure, ax, 2)
    return figure


def load_figure(trials: list[LoadTrial]) -> Figure:
    """The largest error of any joint over time, with a load that the controller does not know."""
    figure, (ax,) = grid(3.6)
    lines = ((BLUE, "-"), (ORANGE, "--"), (GREEN, "-."), (PINK, (0, (1, 1))))
    for trial, (color, style) in zip(trials, lines, strict=False):
        assert trial.run.error is not None
        worst = np.abs(trial.run.error).max(axis=1)
        ax.semilogy(trial.run.time[1:], 1e3 * worst[1:], linestyle=style, color=color, label=trial.label)
    ax.axhline(1e3 * BOUND, color=INK, linestyle=":", linewidth=1.0, label="the paper's bound")
    ax.set_xlim(0.0, trials[0].run.time[-1])
    ax.set_ylim(1e-3, None)
    ax.set_xlabel("time [s]")
    ax.set_ylabel("largest error of any joint [mrad]")
    legend_below(figure, ax, 2)
    return figure


BOXES = {
    "plan": (0.0, 1.0, "planned motion\n" + r"$\vartheta^d, \dot\vartheta^d, \ddot\vartheta^d$"),
    "law": (1.25, 1.0, r"$\ddot\vartheta^d + K_v\dot e + K_p e$" + "\n(4.4)"),
    "model": (2.5, 1.0, "Newton-Euler\n(3.21)-(3.27)"),
    "hold": (2.5, 0.0, "torque held\nfor 10 ms"),
    "arm": (1.25, 0.0, "PUMA arm\nRunge-Kutta"),
    "record": (0.0, 0.0, r"error $\vartheta^d - \vartheta$" + "\nFigures 3-8"),
}


def loop_figure() -> Figure:
    """Figure 2: the loop as this simulation runs it."""
    figure, (ax,) = grid(2.6)
    ax.axis("off")
    ax.grid(False)
    for x, y, text in BOXES.values():
        ax.text(
            x,
            y,
            text,
            ha="center",
            va="center",
            color=INK,
            bbox={"boxstyle": "round,pad=0.6", "facecolor": "none", "edgecolor": MUTED},
        )
    _flow(ax, (0.38, 1.0), (0.85, 1.0))
    _flow(ax, (1.68, 1.0), (2.12, 1.0))
    _flow(ax, (2.5, 0.74), (2.5, 0.27), r"$\tau$")
    _flow(ax, (2.15, 0.0), (1.62, 0.0))
    _flow(ax, (1.25, 0.27), (1.25, 0.72), r"$\vartheta, \dot\vartheta$ every 10 ms")
    _flow(ax, (0.9, 0.0), (0.42, 0.0))
    ax.set_xlim(-0.45, 2.95)
    ax.set_ylim(-0.35, 1.35)
    return figure


def _flow(ax: Axes, start: tuple[float, float], end: tuple[float, float], text: str = "") -> None:
    ax.annotate(
        "", end, xytext=start, arrowprops={"arrowstyle": "-|>", "color": BLUE, "mutation_scale": 12}
    )
    if text:
        middle = (start[0] + end[0]) / 2, (start[1] + end[1]) / 2
        ax.annotate(text, middle, (7, 0), textcoords="offset points", va="center")
