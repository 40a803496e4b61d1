"""The page of a frequency response: Bode diagrams, cross-talk, bandwidths."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from linkwork.analysis.frequency_response import FrequencyResponse
from linkwork.core.text import number
from linkwork.drawing.style import MUTED, grid, legend_below, style
from linkwork.drawing.time_plots import literal, look
from linkwork.reports.inverse import add_robot
from linkwork.reports.page import Page
from linkwork.reports.tables import position_words
from linkwork.robot.robot import Array

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

QUIETEST = 1e-6  # of cross-talk that is drawn


def bandwidth_report(
    found: FrequencyResponse,
    command: str | None = None,
    advance: Callable[[int], None] = lambda done: None,
) -> Page:
    """A page about how a controlled robot follows small sines."""
    page = Page(f"Bandwidth of {found.robot.name}", _summary(found), command, advance)
    several = len(found.poses) > 1
    page.section("Bandwidth")
    _table(page, found, several)
    page.section("Frequency response at home")
    page.figure(
        bode_figure(found),
        "Amplitude of every coordinate relative to its own command, and its phase. Dashed: -3 dB and 90 "
        "degrees" + ("; pale: the position with the least bandwidth of the axis." if several else "."),
        "bode",
    )
    if len(found.axes) > 1:
        page.figure(
            cross_talk_figure(found),
            "Cross-talk: the largest response of any other coordinate to a command of one, "
            f"{_compared(found)}.",
            "cross-talk",
        )
    page.section("Assumptions")
    page.table(("of the loop", "as analyzed"), [list(pair) for pair in found.assumptions.items()])
    page.section("The robot")
    add_robot(page, found.robot)
    return page


def _compared(found: FrequencyResponse) -> str:
    mixed = len(set(found.units)) > 1
    scale = number(found.length_scale, 3)
    return f"lengths beside angles in units of {scale} m" if mixed else "relative to the command"


def _summary(found: FrequencyResponse) -> str:
    top = number(float(found.frequencies[-1]), 3)
    if not found.stable.all():
        bad = int((~found.stable).sum())
        return (
            f"**The loop is unstable** at {bad} of {len(found.poses)} positions: responses there are "
            "not reached. Lower the gains, or shorten delay and period."
        )
    least = np.where(np.isnan(found.bandwidth), np.inf, found.bandwidth)
    pose, axis = np.unravel_index(int(least.argmin()), least.shape)
    if not np.isfinite(least[pose, axis]):
        return f"Every axis follows to {top} Hz without losing 3 dB; the loop is stable."
    where = " at home" if len(found.poses) == 1 else f", the worst of {len(found.poses)} positions"
    return (
        f"The least bandwidth is {number(float(least[pose, axis]), 3)} Hz (-3 dB, "
        f"{found.axes[int(axis)]}{where}). The loop is stable; its slowest motion decays with "
        f"{number(float(found.slowest.min()), 3)} 1/s."
    )


def _table(page: Page, found: FrequencyResponse, several: bool) -> None:
    top = f"above {number(float(found.frequencies[-1]), 3)}"

    def hertz(value: float) -> str:
        return top if np.isnan(value) else number(float(value))

    rows: list[list[object]] = []
    for k, axis in enumerate(found.axes):
        worst = int(found.worst[k])
        row: list[object] = [axis, hertz(found.bandwidth[0, k]), hertz(found.phase_limit[0, k])]
        row += [number(float(found.peak[0, k]), 3), _share(found.cross_talk[0, k])]
        if several:
            row += [
                hertz(found.bandwidth[worst, k]),
                position_words(found.robot, found.poses[worst]),
                hertz(float(np.fmin.reduce(found.phase_limit[:, k]))),
                _share(found.cross_talk[:, k].max()),
            ]
        rows.append(row)
    head = ["axis", "-3 dB [Hz]", "90 deg [Hz]", "peak", "cross-talk"]
    more = ["least -3 dB [Hz]", "at", "least 90 deg [Hz]", "most cross-talk"] if several else []
    page.table(
        [*head, *more],
        rows,
        "Lowest frequencies at which the amplitude is 3 dB below the command and the lag is 90 degrees; "
        f"greatest amplitude; cross-talk up to the bandwidth, {_compared(found)}.",
    )


def _share(value: float) -> str:
    """Cross-talk, without what rounding leaves."""
    return number(round(float(value), 9), 2)


def bode_figure(found: FrequencyResponse) -> Figure:
    """Amplitude [dB] and phase [deg] of every axis."""
    figure, (upper, lower) = grid(2.6, 2, 1, sharex=True, extra=0.4)
    f = found.frequencies
    lowest = 0.0
    with style():
        for k, axis in enumerate(found.axes):
            for pose in dict.fromkeys((int(found.worst[k]), 0)):
                strength = 1.0 if pose == 0 else 0.35
                options = {**look(k), "alpha": strength, "label": literal(axis) if pose == 0 else None}
                decibels = _decibels(found.amplitude[pose, :, k])
                lowest = min(lowest, float(decibels.min()))
                upper.plot(f, decibels, **options)
                lower.plot(f, np.degrees(found.phase[pose, :, k]), **options)
        _line(upper, -3.0)
        _line(lower, -90.0)
        upper.set_ylabel("amplitude [dB]")
        upper.set_ylim(bottom=max(lowest - 3, -60))
        lower.set_ylabel("phase [deg]")
        lower.set_yticks(np.arange(-720, 181, 90))
        least = min(float(np.degrees(found.phase).min()), -100.0)
        lower.set_ylim(max(least - 15, -380), max(float(np.degrees(found.phase).max()) + 15, 15))
        lower.set_xlabel("frequency [Hz]")
        for ax in (upper, lower):
            ax.set_xscale("log")
            ax.set_xlim(f[0], f[-1])
        legend_below(figure, upper)
    return figure


def cross_talk_figure(found: FrequencyResponse) -> Figure:
    """The greatest response of another axis to each commanded one, at home and at most anywhere."""
    figure, (ax,) = grid(2.8, 1, 1, extra=0.4)
    others = found.others
    with style():
        for k, axis in enumerate(found.axes):
            ax.plot(found.frequencies, others[0, :, k], **look(k), label=literal(f"{axis} commanded"))
            if len(found.poses) > 1:
                ax.plot(found.frequencies, others[:, :, k].max(axis=0), **look(k), alpha=0.35)
        ax.set_xscale("log")
        ax.set_yscale("log")
        ax.set_xlim(found.frequencies[0], found.frequencies[-1])
        top = max(float(others.max()), 10 * QUIETEST)
        ax.set_ylim(max(QUIETEST, 1e-5 * top), 2 * top)
        ax.set_xlabel("frequency [Hz]")
        ax.set_ylabel("cross-talk")
        legend_below(figure, ax)
    return figure


def _decibels(amplitude: Array) -> Array:
    return np.asarray(20 * np.log10(np.maximum(amplitude, 1e-12)))


def _line(ax: Axes, value: float) -> None:
    ax.axhline(value, color=MUTED, linewidth=0.8, linestyle=(0, (5, 2)), zorder=1.2)
