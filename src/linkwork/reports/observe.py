"""The report of an observer along logs: residuals and thresholds, wrenches, alarms, delays."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from linkwork.control.observers import WRENCH
from linkwork.core.text import number
from linkwork.drawing.style import MUTED, VIOLATION, style
from linkwork.drawing.time_plots import draw_curve, finish, look, time_panels
from linkwork.identification.collisions import ObservedLog
from linkwork.identification.observe import Observation
from linkwork.reports.figures import stacked_figure
from linkwork.reports.page import Page
from linkwork.robot.limits import quantity

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def residual_figure(found: Observation, log: ObservedLog) -> Figure:
    """A panel for each coordinate: its residual, the thresholds dashed, alarms marked."""
    velocities = found.robot.velocities
    units = force_units(found)
    labels = [f"residual [{unit}]" for unit in units]
    figure, axes = time_panels(velocities.names, labels, 0)
    with style():
        for k, ax in enumerate(axes):
            draw_curve(ax, log.time, np.where(log.settled, log.residual[:, k], np.nan), **look(0))
            for sign in (-1, 1):
                ax.axhline(sign * found.thresholds[k], color=MUTED, linewidth=0.9, linestyle=(0, (4, 2)))
            for time in log.alarms:
                ax.axvline(time, color=VIOLATION, linewidth=0.9)
            finish(ax, log.time)
    return figure


def force_units(found: Observation) -> tuple[str, ...]:
    """Of the residual of every coordinate."""
    return tuple("N m" if unit.startswith("rad") else "N" for unit in found.robot.velocities.units)


def observation_report(
    found: Observation, command: str | None = None, advance: Callable[[int], None] = lambda done: None
) -> Page:
    """A page about logs; `advance` is told of every figure."""
    observer = found.observer
    summary = (
        f"A momentum observer of {number(observer.bandwidth, 3)} Hz and order {observer.order} along "
        f"{len(found.logs)} logs. {found}. With no more seen than that, there are at most "
        f"{number(found.bound, 2)} false alarms per hour (95 % confidence); "
        f"{number(found.false_alarms, 3)} per hour were asked for."
    )
    page = Page(f"Forces from outside on {found.robot.name}", summary, command, advance)
    page.section("Collisions")
    page.table(
        ["coordinate", "threshold", "largest in free logs", "unit"],
        threshold_rows(found),
        "Thresholds continue the tail of the residuals in free logs to the false alarms allowed.",
    )
    page.table(
        ["log", "minutes", "thresholds from it", "alarms", "first alarm [s]"], log_rows(found), ""
    )
    if found.pushes:
        page.table(
            ["push on the tool [N]", "detected within 1 s [%]", "half within [ms]", "95 % within [ms]"],
            push_rows(found),
            "Pushes in any direction, added to the free logs at random times.",
        )
    for note in found.notes:
        page.text(note if note.endswith(".") else f"{note}.")
    page.section("Logs")
    for k, log in enumerate(found.logs):
        page.figure(
            residual_figure(found, log),
            f"`{log.source}`: what acts on each coordinate beside its actuator. Dashed: thresholds; "
            "upright lines: alarms.",
            f"residual-{k + 1}",
        )
        shown = np.where(log.settled[:, None], log.wrench, np.nan)
        parts = [quantity("force", WRENCH[:3], "N", shown[:, :3])]
        if observer.moments:
            parts.append(quantity("moment", WRENCH[3:], "N m", shown[:, 3:]))
        page.figure(
            stacked_figure(log.time, parts),
            f"`{log.source}`: the wrench on the robot that explains the residuals, if it acts at the "
            "tool; in the tool's axes. Left out near singular positions, where it does not follow.",
            f"wrench-{k + 1}",
        )
    return page


def threshold_rows(found: Observation) -> list[list[object]]:
    """A row for each coordinate."""
    return [
        [name, float(found.thresholds[k]), float(found.largest[k]), unit]
        for k, (name, unit) in enumerate(
            zip(found.robot.velocities.names, force_units(found), strict=True)
        )
    ]


def log_rows(found: Observation) -> list[list[object]]:
    """A row for each log."""
    return [
        [
            log.source,
            60 * log.hours,
            "yes" if log.free else "no",
            len(log.alarms),
            log.alarms[0] if log.alarms else "",
        ]
        for log in found.logs
    ]


def push_rows(found: Observation) -> list[list[object]]:
    """A row for each force."""
    return [
        [each.force, 100 * each.detected, _milliseconds(each.median), _milliseconds(each.late)]
        for each in found.pushes
    ]


def _milliseconds(time: float) -> float | str:
    return 1e3 * time if np.isfinite(time) else "missed"
