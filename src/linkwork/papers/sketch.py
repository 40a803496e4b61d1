"""Line drawings of mechanisms: points in space, seen from one side, with arrows and names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from linkwork.interface.robot import Array
from linkwork.reports.style import COLOURS, INK, MUTED, PAPER

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FRAME_COLOURS = (COLOURS[1], COLOURS[2], COLOURS[0])  # x, y, z


@dataclass(frozen=True)
class View:
    """Parallel projection from a direction given by azimuth and elevation [deg]."""

    azimuth: float = -60.0
    elevation: float = 20.0

    def at(self, place: ArrayLike) -> tuple[float, float]:
        """Of one point."""
        x, y = self(place)
        return float(x), float(y)

    def __call__(self, points: ArrayLike) -> Array:
        az, el = np.radians([self.azimuth, self.elevation])
        right = [-np.sin(az), np.cos(az), 0.0]
        up = [-np.sin(el) * np.cos(az), -np.sin(el) * np.sin(az), np.cos(el)]
        return np.asarray(points, dtype=np.float64) @ np.array([right, up]).T


class Sketch:
    """Draws into an axes without ticks; places are points in space."""

    def __init__(self, ax: Axes, view: View | None = None) -> None:
        self.ax = ax
        self.view = View() if view is None else view
        ax.set_aspect("equal")
        ax.axis("off")
        ax.grid(False)

    def line(self, points: ArrayLike, colour: str = MUTED, width: float = 1.5, **style: Any) -> None:
        x, y = self.view(points).T
        self.ax.plot(x, y, color=colour, linewidth=width, solid_capstyle="round", **style)

    def area(self, points: ArrayLike, colour: str, alpha: float = 0.18) -> None:
        x, y = self.view(points).T
        self.ax.fill(x, y, color=colour, alpha=alpha, linewidth=0)
        self.ax.plot([*x, x[0]], [*y, y[0]], color=colour, linewidth=1.2)

    def point(self, place: ArrayLike, colour: str = MUTED, size: float = 5.0) -> None:
        x, y = self.view(place)
        self.ax.plot([x], [y], "o", color=colour, markersize=size)

    def name(
        self, place: ArrayLike, text: str, offset: tuple[float, float] = (5, 5), colour: str = INK
    ) -> None:
        """A name beside a place; the offset is in points."""
        from matplotlib.patheffects import withStroke

        self.ax.annotate(
            text,
            self.view.at(place),
            xytext=offset,
            textcoords="offset points",
            color=colour,
            fontsize=9.5,
            ha="center",
            va="center",
            path_effects=[withStroke(linewidth=2.5, foreground=PAPER)],
        )

    def arrow(
        self,
        start: ArrayLike,
        vector: ArrayLike,
        text: str = "",
        colour: str = INK,
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
            arrowprops={
                "arrowstyle": "-|>",
                "color": colour,
                "linewidth": width,
                "shrinkA": 0,
                "shrinkB": 0,
                "mutation_scale": 11,
            },
        )
        # Annotations do not widen the axes; an invisible line does.
        x, y = self.view([foot, foot + along]).T
        self.ax.plot(x, y, alpha=0.0)
        if text:
            self.name(foot + at * along, text, offset, colour)

    def frame(
        self, origin: ArrayLike, axes: ArrayLike, length: float, names: Sequence[str] = ("x", "y", "z")
    ) -> None:
        """Three axes, the columns of `axes`; red-orange, green, blue as x, y, z."""
        columns = np.asarray(axes, dtype=np.float64)
        for k, text in enumerate(names):
            direction = self.view(columns[:, k])
            size = float(np.linalg.norm(direction)) or 1.0
            offset = tuple((9.0 if len(text) < 4 else 13.0) * direction / size)
            self.arrow(
                origin, length * columns[:, k], text, FRAME_COLOURS[k], (offset[0], offset[1]), 1.2
            )
