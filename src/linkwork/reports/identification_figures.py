"""Figures of an identification: efforts measured and predicted, what is left, and its spectrum."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from linkwork.identification.predictions import Prediction
from linkwork.interface.coordinates import Coordinates
from linkwork.plotting.lines import draw_curve, finish, literal, look
from linkwork.plotting.style import COLOURS, INK, MUTED, legend_beside, new_figure, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLUMNS = 2
SEGMENTS = 8  # that the spectrum is the mean of


def effort_figure(efforts: Coordinates, log: Prediction) -> Figure:
    """Measured and predicted efforts, a panel for each."""
    figure, axes = _panels(efforts)
    with style():
        for k, ax in enumerate(axes):
            # Broad and pale: the identified robot's curve lies on it.
            broad = {"color": MUTED, "linewidth": 4.0, "alpha": 0.45}
            draw_curve(ax, log.time, log.measured[:, k], label="measured", **broad)
            draw_curve(ax, log.time, log.before[:, k], label="file", color=COLOURS[1], linewidth=1.0)
            draw_curve(
                ax, log.time, log.after[:, k], label="identified", color=COLOURS[0], linewidth=1.0
            )
            finish(ax, log.time)
        figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return figure


def residual_figure(efforts: Coordinates, log: Prediction) -> Figure:
    """What the identified robot leaves, a panel for each effort."""
    figure, axes = _panels(efforts)
    with style():
        for k, ax in enumerate(axes):
            draw_curve(ax, log.time, log.measured[:, k] - log.after[:, k], color=INK, linewidth=0.7)
            finish(ax, log.time)
    return figure


def spectrum_figure(efforts: Coordinates, log: Prediction, bandwidth: float) -> Figure:
    """Power of what is left over frequency; noise of a sensor is level, a missing term is not."""
    from scipy.signal import welch

    figure = new_figure(3.2)
    with style():
        ax = figure.subplots()
        rate = 1 / float(log.time[1] - log.time[0])
        left = np.where(log.moving, log.measured - log.after, 0.0)
        frequency, power = welch(left, rate, nperseg=max(len(left) // SEGMENTS, 64), axis=0)
        for k, name in enumerate(efforts.names):
            root = np.sqrt(power[1:, k])
            ax.loglog(frequency[1:], root, label=literal(name), linewidth=1.0, **look(k))
        ax.axvline(bandwidth, color=MUTED, linewidth=1.0, linestyle=(0, (4, 2)), label="filter")
        ax.set_xlabel("frequency [Hz]")
        ax.set_ylabel(f"residual [{efforts.unit}/√Hz]")
        legend_beside(ax)
    return figure


def _panels(efforts: Coordinates) -> tuple[Figure, Sequence[Axes]]:
    count = len(efforts)
    rows = -(-count // COLUMNS)
    figure = new_figure(0.6 + 1.7 * rows)
    with style():
        grid = figure.subplots(rows, min(COLUMNS, count), sharex=True, squeeze=False)
        axes = list(grid.flat)
        for ax in axes[count:]:
            ax.set_visible(False)
        for k, ax in enumerate(axes[:count]):
            ax.set_title(literal(efforts.names[k]))
            ax.set_ylabel(f"[{efforts.units[k]}]")
        for ax in axes[max(count - COLUMNS, 0) : count]:
            ax.set_xlabel("time [s]")
            ax.tick_params(labelbottom=True)
    return figure, axes[:count]
