"""Figures of a study, each a function of its own; a robot drawn along its motion, from three sides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from linkwork.analysis.study import Conditioning, Study
from linkwork.drawing.projection import FRONT, SLANTED, TOP, Drawing
from linkwork.drawing.shape import PlacedShape, Solid, placed
from linkwork.drawing.style import (
    COLORS,
    INK,
    MUTED,
    WIDTH,
    grid,
    legend_below,
    legend_beside,
    new_figure,
    style,
)
from linkwork.drawing.time_plots import (
    draw_channels,
    draw_compared,
    draw_curve,
    draw_energy,
    draw_limits,
    finish,
    limit_words,
    literal,
    look,
    time_panels,
)
from linkwork.robot.limits import Quantity
from linkwork.robot.robot import Array, Robot

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "compared_figure",
    "conditioning_figure",
    "difference_figure",
    "effort_figure",
    "energy_figure",
    "formulation_figure",
    "mechanism_figure",
    "panels_figure",
    "parts_figure",
    "quantity_figure",
    "stacked_figure",
]


def effort_figure(study: Study) -> Figure:
    """Torques or leg forces over time with their limits."""
    return quantity_figure(study.time, study.effort)


def quantity_figure(time: Array, what: Quantity) -> Figure:
    """All channels in one pair of axes if one scale serves them, else a panel for each."""
    return stacked_figure(time, [what]) if what.alike else panels_figure(time, what)


def stacked_figure(time: Array, quantities: Sequence[Quantity], height: float = 2.3) -> Figure:
    """Quantities below each other, all channels of each in one pair of axes."""
    figure, axes = grid(height, len(quantities), extra=0.6, sharex=True)
    with style():
        one_legend = len({what.channels for what in quantities}) == 1
        for ax, what in zip(axes, quantities, strict=True):
            draw_channels(ax, time, what)
            # One quantity is named at its axis, several above, where long names have room.
            ax.set_ylabel(what.label if len(quantities) == 1 else f"[{what.unit}]")
            if len(quantities) > 1:
                ax.set_title(what.name)
            if not one_legend:
                legend_beside(ax)
        if one_legend:
            figure.legend(*axes[0].get_legend_handles_labels(), loc="outside right center")
        axes[-1].set_xlabel("time [s]")
        figure.align_ylabels()
    return figure


def panels_figure(time: Array, what: Quantity) -> Figure:
    """A panel for each channel, with its own scale and limits."""
    figure, axes = _panels(what)
    with style():
        for k, ax in enumerate(axes):
            one = what.channel(k)
            draw_curve(ax, time, one.values[:, 0], **look(k))
            draw_limits(ax, time, one)
            finish(ax, time)
    return figure


def parts_figure(study: Study) -> Figure:
    """The effort of every joint or leg and what it is for."""
    what = study.effort
    figure, axes = _panels(what, legend=len(study.parts) + 1)
    with style():
        for k, ax in enumerate(axes):
            for j, (name, values) in enumerate(study.parts.items()):
                draw_curve(ax, study.time, values[:, k], label=name, linewidth=1.2, **look(j))
            one = what.channel(k)
            draw_curve(ax, study.time, one.values[:, 0], label="total", color=INK, linewidth=1.8)
            draw_limits(ax, study.time, one)
            finish(ax, study.time)
        legend_below(figure, axes[0])
    return figure


def formulation_figure(study: Study) -> Figure:
    """The effort of every joint or leg by several formulations."""
    return compared_figure(study.time, study.effort, study.by_formulation)


def difference_figure(study: Study) -> Figure:
    """How far the formulations are from the first of them."""
    first, *others = study.by_formulation
    reference = study.by_formulation[first]
    differences = {f"{name} − {first}": study.by_formulation[name] - reference for name in others}
    return compared_figure(study.time, replace(study.effort, name="difference"), differences, 1)


def conditioning_figure(time: Array, found: Sequence[Conditioning]) -> Figure:
    """Numbers that tell how well a mechanism moves, each over time."""
    figure, axes = grid(1.9, len(found), extra=0.6, sharex=True)
    with style():
        for ax, what in zip(axes, found, strict=True):
            finite = what.values[np.isfinite(what.values) & (what.values > 0)]
            draw_curve(
                ax, time, np.where(np.isfinite(what.values), what.values, np.nan), color=COLORS[0]
            )
            if finite.size and finite.max() > 20 * finite.min():
                ax.set_yscale("log")
                # Six decades; beyond them a number only says that the position is singular.
                if what.least_is_best:
                    ax.set_ylim(top=min(2 * float(finite.max()), 1e6 * float(finite.min())))
                else:
                    ax.set_ylim(bottom=max(float(finite.min()) / 2, 1e-6 * float(finite.max())))
            else:
                ax.set_ylim(bottom=0)
            ax.set_title(what.name)
            ax.set_ylabel("[–]")
            ax.set_xlim(float(time[0]), float(time[-1]))
        axes[-1].set_xlabel("time [s]")
    return figure


def energy_figure(time: Array, kinetic: Array, potential: Array) -> Figure:
    """Energies over time, the potential from its start."""
    figure, (ax,) = grid(2.9)
    with style():
        draw_energy(ax, time, kinetic, potential)
        ax.set_xlabel("time [s]")
    return figure


def compared_figure(
    time: Array, effort: Quantity, curves: Mapping[str, Array], first_look: int = 0
) -> Figure:
    """Values (N, k) by several names over each other, a panel for each channel of the effort."""
    figure, axes = _panels(effort, limits=False, legend=len(curves))
    with style():
        for k, ax in enumerate(axes):
            draw_compared(ax, time, {label: each[:, k] for label, each in curves.items()}, first_look)
            finish(ax, time)
        legend_below(figure, axes[0])
    return figure


def _panels(what: Quantity, limits: bool = True, legend: int = 0) -> tuple[Figure, list[Axes]]:
    """A panel for each channel with name and limits at its head."""
    labels = [f"{what.name} [{unit}]" for unit in what.units]
    figure, axes = time_panels(what.channels, labels, legend)
    with style():
        for k, ax in enumerate(axes if limits else ()):
            ax.set_title(limit_words(what.channel(k)), loc="right", fontsize=7.5, color=MUTED)
    return figure, axes


INSTANTS = 5
FAINTEST, FAINT = 0.16, 0.42
PATH_SAMPLES = 200
MARGIN = 0.04  # around robots side by side, of the size of all
VIEW_COLUMNS = 7  # of the legend below three views
THICK, THIN = (4.0, 2.2), (1.8, 1.1)  # widths of rods: at the last instant, at the others


def mechanism_figure(robot: Robot, time: Array, position: Array) -> Figure:
    """The mechanism at five instants, faint to strong, and the path of its tip or reference point.

    Args:
        position: joints (N, n) of an arm, poses (N, 7) of a platform.
    """
    shown = np.unique(np.searchsorted(time, np.linspace(time[0], time[-1], INSTANTS)))
    along = np.unique(np.linspace(0, len(time) - 1, PATH_SAMPLES).astype(int))
    instants, moving = placed(robot, position[shown]), placed(robot, position[along])
    path = moving.at(moving.shape.tip)
    names = robot.efforts.names
    figure = new_figure(4.9)
    with style():
        axes = figure.subplot_mosaic([["all", "front"], ["all", "top"]], width_ratios=[1.55, 1])
        for name, view in (("all", SLANTED), ("front", FRONT), ("top", TOP)):
            ax = axes[name]
            drawing = Drawing(ax, view)
            draw_shape(drawing, instants, names if name == "all" else ())
            drawing.path(path)
            ax.set_aspect("equal", adjustable="datalim")
            ax.margins(0.06)
            if name == "all":
                drawing.directions()
                box = ax.dataLim
                ax.update_datalim([(box.x0, box.y0 - 0.14 * box.height)])  # room for the directions
                ax.autoscale_view()
                ax.set_axis_off()
            else:
                ax.set_title(name)
                ax.locator_params(nbins=4)
                ax.set_xlabel("x [m]")
                ax.set_ylabel("z [m]" if name == "front" else "y [m]")
        legend_below(figure, axes["all"], VIEW_COLUMNS)
    return figure


def gallery(
    shapes: Sequence[PlacedShape],
    columns: int,
    height: float,
    names: tuple[str, ...] = (),
    width: float = WIDTH,
) -> tuple[Figure, list[Axes]]:
    """Shapes at one position each, from the same side and to the same scale, with room for a line above.

    Args:
        height: of a row [inches].
        names: of the actuators, shown at the first shape.
    """
    figure, axes = grid(height, len(shapes), columns, width=width)
    with style():
        for k, (ax, shape) in enumerate(zip(axes, shapes, strict=True)):
            draw_shape(Drawing(ax, SLANTED).without_axes(), shape, () if k else names)
        views = np.array([ax.dataLim.get_points() for ax in axes]).reshape(-1, 2)
        if len(views):
            (left, low), (right, high) = views.min(axis=0), views.max(axis=0)
            room = MARGIN * max(right - left, high - low)
            for ax in axes:
                ax.set_xlim(left - room, right + room)
                ax.set_ylim(low - room, high + 3 * room)
    return figure, axes


def draw_shape(drawing: Drawing, placed: PlacedShape, names: tuple[str, ...]) -> None:
    """All instants; actuators of the last one in their colors, with names if there are any."""
    shape, count = placed.shape, len(placed.frames)
    rods, plates = shape.of("rod"), shape.of("plate")
    # Actuators are named at their axes or by numbers; cylinders that have neither, by their lines.
    unnamed = {rod.actuator for rod in rods} - {None, *(axis.actuator for axis in shape.axes)}
    unnamed -= {*shape.marks}
    faint = np.linspace(FAINTEST, FAINT, max(count - 1, 1))
    for at, strength in enumerate([*faint[: count - 1], 1.0]):
        last = at == count - 1
        for rod in rods:
            name = None
            if last and names and rod.actuator is not None and rod.actuator in unnamed:
                unnamed.remove(rod.actuator)
                name = literal(names[rod.actuator])
            widths = THICK if rod.radius > shape.unit else THIN
            drawing.line(
                placed.points(rod)[at],
                _color(rod) if last else MUTED,
                widths[0 if last else 1],
                alpha=strength,
                solid_capstyle="round" if rod.actuator is None else "butt",
                label=name,
            )
        for plate in plates:
            if plate.role != "base":
                drawing.area(placed.points(plate)[at], INK if last else MUTED, strength)
    for plate in plates:
        if plate.role == "base":
            drawing.area(placed.points(plate)[-1], MUTED, 0.9)
    for ball in shape.of("ball"):
        drawing.point(placed.points(ball)[-1, 0], MUTED, 2.5)
    for axis in shape.axes:
        drawing.line(
            placed.points(axis)[-1],
            _color(axis),
            4.0 if axis.form == "box" else 7.0,
            lift=0.5,
            solid_capstyle="butt",
            label=literal(names[axis.actuator]) if names and axis.actuator is not None else None,
        )
    middle = np.mean([anchor.at for anchor in shape.marks.values()], axis=0) if shape.marks else 0.0
    for actuator, anchor in shape.marks.items() if names else ():
        drawing.name(anchor.at, str(actuator + 1), drawing.along(anchor.at - middle, 9.0))


def _color(solid: Solid) -> str:
    if solid.actuator is None:
        return MUTED if solid.role == "base" else INK
    return str(look(solid.actuator)["color"])
