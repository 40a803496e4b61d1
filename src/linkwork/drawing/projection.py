"""Mechanisms drawn in space: points seen from one side, nearer ones over farther ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from linkwork.drawing.style import COLORS, INK, MUTED, PAPER, grid
from linkwork.robot.robot import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FRAME_COLORS = (COLORS[1], COLORS[2], COLORS[0])  # x, y, z
ARROW = {"arrowstyle": "-|>", "shrinkA": 0, "shrinkB": 0}
ORDER = 3.0  # of drawings in matplotlib's order: over grid and axes
NAMES = 9.0  # names and ends of paths lie over everything


@dataclass(frozen=True)
class Projection:
    """Parallel projection along the direction of a viewer at this azimuth and elevation [deg]."""

    azimuth: float = -60.0
    elevation: float = 20.0

    def __call__(self, points: ArrayLike) -> Array:
        """Points (..., 3) on the picture (..., 2)."""
        toward, right = self._directions()
        return np.asarray(points, dtype=np.float64) @ np.stack([right, np.cross(toward, right)]).T

    def at(self, place: ArrayLike) -> tuple[float, float]:
        """One point on the picture."""
        x, y = self(place)
        return float(x), float(y)

    def nearness(self, points: ArrayLike) -> float:
        """How near to the viewer points (..., 3) are on average."""
        return float(np.mean(np.asarray(points, dtype=np.float64) @ self._directions()[0]))

    def _directions(self) -> tuple[Array, Array]:
        """To the viewer, and to the right of the picture."""
        a, e = np.radians([self.azimuth, self.elevation])
        toward = np.array([np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)])
        return toward, np.array([-np.sin(a), np.cos(a), 0.0])


SLANTED, FRONT, TOP = Projection(-58.0, 20.0), Projection(-90.0, 0.0), Projection(-90.0, 90.0)


class Drawing:
    """Lines, areas, arrows and names in one pair of axes; places are points in space."""

    def __init__(self, ax: Axes, view: Projection) -> None:
        self.ax = ax
        self.view = view
        ax.set_aspect("equal")

    def without_axes(self) -> Drawing:
        """No ticks and no grid: a sketch."""
        self.ax.set_axis_off()
        self.ax.grid(False)
        return self

    def line(
        self,
        points: ArrayLike,
        color: str = MUTED,
        width: float = 1.5,
        lift: float = 0.0,
        **options: Any,
    ) -> None:
        x, y = self.view(points).T
        if options.get("linestyle") is None:
            options = {"solid_capstyle": "round", **options}
        self.ax.plot(x, y, color=color, linewidth=width, zorder=self._order(points) + lift, **options)

    def area(self, points: ArrayLike, color: str, strength: float = 0.8) -> None:
        """A polygon through points."""
        x, y = self.view(points).T
        order = self._order(points)
        self.ax.fill(x, y, facecolor=color, alpha=0.22 * strength, zorder=order, linewidth=0)
        closed = [*range(len(x)), 0]
        self.ax.plot(x[closed], y[closed], color=color, alpha=strength, linewidth=1.1, zorder=order)

    def point(self, place: ArrayLike, color: str = MUTED, size: float = 5.0) -> None:
        x, y = self.view.at(place)
        order = self._order(place) + 0.3
        self.ax.plot([x], [y], "o", color=color, markersize=size, zorder=order)

    def name(
        self, place: ArrayLike, text: str, offset: tuple[float, float] = (5, 5), color: str = INK
    ) -> None:
        """A name beside a place; the offset is in points."""
        from matplotlib.patheffects import withStroke

        self.ax.annotate(
            text,
            self.view.at(place),
            xytext=offset,
            textcoords="offset points",
            color=color,
            fontsize=9.5,
            ha="center",
            va="center",
            zorder=NAMES,
            path_effects=[withStroke(linewidth=2.5, foreground=PAPER)],
        )

    def along(self, vector: ArrayLike, length: float) -> tuple[float, float]:
        """An offset [points] in the direction in which a vector is seen."""
        x, y = self.view(vector)
        size = float(np.hypot(x, y)) or 1.0
        return length * float(x) / size, length * float(y) / size

    def arrow(
        self,
        start: ArrayLike,
        vector: ArrayLike,
        text: str = "",
        color: str = INK,
        offset: tuple[float, float] = (7, 7),
        width: float = 1.5,
        at: float = 1.0,
    ) -> None:
        """An arrow with its name at a fraction of its length."""
        foot = np.asarray(start, dtype=np.float64)
        along = np.asarray(vector, dtype=np.float64)
        self.ax.annotate(
            "",
            self.view.at(foot + along),
            xytext=self.view.at(foot),
            arrowprops={**ARROW, "color": color, "linewidth": width, "mutation_scale": 11},
            zorder=self._order(foot + along / 2) + 0.5,
        )
        # Annotations do not widen the axes; an invisible line does.
        x, y = self.view([foot, foot + along]).T
        self.ax.plot(x, y, alpha=0.0)
        if text:
            self.name(foot + at * along, text, offset, color)

    def frame(
        self, origin: ArrayLike, axes: ArrayLike, length: float, names: Sequence[str] = ("x", "y", "z")
    ) -> None:
        """Three axes, the columns of `axes`; red-orange, green, blue as x, y, z."""
        columns = np.asarray(axes, dtype=np.float64)
        for k, text in enumerate(names):
            offset = self.along(columns[:, k], 9.0 if len(text) < 4 else 13.0)
            self.arrow(origin, length * columns[:, k], text, FRAME_COLORS[k], offset, 1.2)

    def path(self, points: ArrayLike) -> None:
        """Where a point went: dashed, from the ring to the dot."""
        self.line(points, INK, 1.0, lift=1.0, linestyle=(0, (3, 1.5)))
        flat = self.view(points)
        for place, face in ((flat[0], PAPER), (flat[-1], INK)):
            self.ax.plot(*place, "o", color=INK, markerfacecolor=face, markersize=4.5, zorder=8)

    def directions(self) -> None:
        """x, y and z of the base, in a corner of the picture."""
        corner, length = np.array([16.0, 12.0]), 19.0  # points
        for name, end in zip("xyz", self.view(np.eye(3)), strict=True):
            for reach, text in ((1.0, ""), (1.42, name)):
                tip = corner + reach * length * end
                self.ax.annotate(
                    text,
                    (corner[0], corner[1]),
                    xytext=(tip[0], tip[1]),
                    xycoords="axes points",
                    textcoords="axes points",
                    arrowprops=None
                    if text
                    else {**ARROW, "arrowstyle": "<|-", "color": MUTED, "lw": 1.0},
                    ha="center",
                    va="center",
                    fontsize=8,
                    color=MUTED,
                )

    def _order(self, points: ArrayLike) -> float:
        return ORDER + 0.1 * self.view.nearness(points)


def sketch(height: float, view: Projection) -> tuple[Figure, Drawing]:
    """A figure [inches] that is one drawing without axes."""
    figure, (ax,) = grid(height)
    return figure, Drawing(ax, view).without_axes()
