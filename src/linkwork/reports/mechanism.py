"""A mechanism drawn along its motion, from three sides."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.interface.arm import Arm
from linkwork.interface.platform import Platform
from linkwork.interface.robot import Array
from linkwork.reports.lines import literal, look
from linkwork.reports.skeleton import (
    FRONT,
    SLANTED,
    TOP,
    View,
    arm_skeleton,
    outline,
    platform_points,
)
from linkwork.reports.style import INK, MUTED, PAPER, new_figure, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INSTANTS = 5
FAINTEST = 0.16
PATH_SAMPLES = 200


def mechanism_figure(robot: Arm | Platform, time: Array, position: Array) -> Figure:
    """The mechanism at five instants, faint to strong, and the path of its tip or reference point.

    Args:
        position: joints (N, n) of an arm, poses (N, 7) of a platform.
    """
    shown = np.unique(np.searchsorted(time, np.linspace(time[0], time[-1], INSTANTS)))
    path = np.unique(np.linspace(0, len(time) - 1, PATH_SAMPLES).astype(int))
    draw: Callable[..., None] = _arm_drawing if isinstance(robot, Arm) else _platform_drawing
    figure = new_figure(4.9)
    with style():
        axes = figure.subplot_mosaic([["all", "front"], ["all", "top"]], width_ratios=[1.55, 1])
        for name, view in (("all", SLANTED), ("front", FRONT), ("top", TOP)):
            ax = axes[name]
            drawing = _Drawing(ax, view)
            draw(drawing, robot, position[shown], position[path], name == "all")
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
        handles, labels = axes["all"].get_legend_handles_labels()
        if handles:
            figure.legend(handles, labels, loc="outside lower center", ncols=len(labels))
    return figure


class _Drawing:
    """Lines, areas and points in space, put on axes in the order of their nearness."""

    def __init__(self, ax: Axes, view: View) -> None:
        self.ax = ax
        self.view = view

    def line(self, points: Array, lift: float = 0.0, **options: Any) -> None:
        flat, near = self.view(points)
        self.ax.plot(flat[:, 0], flat[:, 1], zorder=3 + 0.1 * float(near.mean()) + lift, **options)

    def area(self, points: Array, colour: str, strength: float) -> None:
        flat, near = self.view(outline(points))
        order = 3 + 0.1 * float(near.mean())
        self.ax.fill(
            flat[:, 0], flat[:, 1], facecolor=colour, alpha=0.22 * strength, zorder=order, linewidth=0
        )
        closed = np.concatenate([flat, flat[:1]])
        self.ax.plot(
            closed[:, 0], closed[:, 1], color=colour, alpha=strength, linewidth=1.1, zorder=order
        )

    def point(self, place: Array, **options: Any) -> None:
        flat, near = self.view(place)
        order = 3.3 + 0.1 * float(near)
        self.ax.plot(flat[:1], flat[1:], marker="o", linestyle="none", zorder=order, **options)

    def name(self, place: Array, away_from: Array, text: str, **options: Any) -> None:
        flat, out = self.view(place)[0], self.view(place - away_from)[0]
        out = 9 * out / (float(np.linalg.norm(out)) or 1.0)
        self.ax.annotate(
            text,
            (float(flat[0]), float(flat[1])),
            xytext=(float(out[0]), float(out[1])),
            textcoords="offset points",
            ha="center",
            va="center",
            fontsize=8,
            zorder=9,
            **options,
        )

    def path(self, points: Array) -> None:
        self.line(points, lift=1.0, color=INK, linewidth=1.0, linestyle=(0, (3, 1.5)))
        flat, _ = self.view(points)
        for place, face in ((flat[0], PAPER), (flat[-1], INK)):
            self.ax.plot(*place, "o", color=INK, markerfacecolor=face, markersize=4.5, zorder=8)

    def directions(self) -> None:
        """x, y and z of the base, in a corner of the picture."""
        corner, length = (16.0, 12.0), 19.0  # points
        for name, end in zip("xyz", self.view(np.eye(3))[0], strict=True):
            for reach, text in ((1.0, ""), (1.42, name)):
                self.ax.annotate(
                    text,
                    corner,
                    xytext=(corner[0] + reach * length * end[0], corner[1] + reach * length * end[1]),
                    xycoords="axes points",
                    textcoords="axes points",
                    arrowprops=None
                    if text
                    else {"arrowstyle": "<|-", "color": MUTED, "lw": 1.0, "shrinkA": 0, "shrinkB": 0},
                    ha="center",
                    va="center",
                    fontsize=8,
                    color=MUTED,
                )


def _strengths(count: int) -> Array:
    """How strongly the instants are drawn; the last one fully."""
    faint = np.linspace(FAINTEST, 0.42, max(count - 1, 1))
    return np.concatenate([faint[: count - 1], [1.0]])


def _platform_drawing(
    drawing: _Drawing, platform: Platform, poses: Array, path: Array, named: bool
) -> None:
    base, tips = platform.model.points()[0], platform_points(platform, poses)
    drawing.area(base, MUTED, 0.9)
    for at, strength in zip(tips, _strengths(len(tips)), strict=True):
        last = strength == 1.0
        for k in range(6):
            middle = base[k] + 0.55 * (at[k] - base[k])
            colour = look(k)["color"] if last else MUTED
            options = {"color": colour, "alpha": strength, "solid_capstyle": "butt"}
            drawing.line(np.stack([base[k], middle]), linewidth=4.0 if last else 2.2, **options)
            drawing.line(np.stack([middle, at[k]]), linewidth=1.8 if last else 1.1, **options)
        drawing.area(at, INK if last else MUTED, strength)
    for k in range(6):
        drawing.point(base[k], color=MUTED, markersize=4)
        drawing.point(tips[-1, k], color=INK, markersize=3.5)
        if named:
            drawing.name(base[k], base.mean(axis=0), str(k + 1))
    drawing.path(path[:, :3])


def _arm_drawing(drawing: _Drawing, arm: Arm, q: Array, path: Array, named: bool) -> None:
    bones = arm_skeleton(arm, q)
    size = float(np.ptp(bones.line.reshape(-1, 3), axis=0).max()) or 1.0
    for k, strength in enumerate(_strengths(len(q))):
        last = strength == 1.0
        options = {"color": INK if last else MUTED, "alpha": strength, "solid_capstyle": "round"}
        drawing.line(bones.line[k], linewidth=3.2 if last else 2.0, **options)
    for k in range(arm.n):
        half = 0.035 * size * bones.axes[-1, k]
        ends = np.stack([bones.joints[-1, k] - half, bones.joints[-1, k] + half])
        width = 7.0 if arm.model.joints[k].is_revolute else 4.0
        options = {"color": look(k)["color"], "solid_capstyle": "butt", "linewidth": width}
        label = literal(arm.joint_names[k]) if named else None
        drawing.line(ends, lift=0.5, label=label, **options)
    ground = 0.12 * size
    corners = ground * np.array([[-1.0, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]])
    drawing.area(corners, MUTED, 0.9)
    drawing.path(arm_skeleton(arm, path).tip)
