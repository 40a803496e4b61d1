"""Drawings of a Stewart platform and of one of its legs, from the model's own numbers."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from linkwork.core.rotations import rotation_of
from linkwork.drawing.projection import Drawing, Projection
from linkwork.drawing.projection import sketch as new_sketch
from linkwork.drawing.shape import Role, placed
from linkwork.drawing.style import MUTED
from linkwork.papers.panels import AMBER, BLUE, GREEN, ORANGE, PINK
from linkwork.robot.platform import Platform
from linkwork.robot.robot import Array

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class LegAxes:
    """One leg at a pose, in base axes; T has its axes x, y, z as columns."""

    base: Array
    tip: Array
    T: Array
    fixed_axis: Array
    lower_center: Array
    upper_center: Array
    q: Array  # platform point from the platform's reference point

    @property
    def cross_normal(self) -> Array:
        """c, the normal of the universal joint's cross."""
        return np.cross(self.fixed_axis, self.T[:, 1])


def leg_place(platform: Platform, pose: Array, leg: int) -> LegAxes:
    """`leg` counts from 0."""
    model = platform.model.legs[leg]
    q = rotation_of(pose) @ model.platform_point
    tip = pose[:3] + q
    s = (tip - model.base_point) / np.linalg.norm(tip - model.base_point)
    y = np.cross(model.fixed_axis, s)
    y = y / np.linalg.norm(y)
    T = np.column_stack([s, y, np.cross(s, y)])
    return LegAxes(
        base=model.base_point,
        tip=tip,
        T=T,
        fixed_axis=model.fixed_axis,
        lower_center=model.base_point + T @ model.lower.center_of_mass,
        upper_center=tip + T @ model.upper.center_of_mass,
        q=q,
    )


def draw_legs(
    sketch: Drawing, platform: Platform, pose: Array, legs: Collection[int], color: str,
    wide: float = 1.0, alpha: float = 0.9,
) -> None:  # fmt: skip
    """Lower parts thick, upper parts thin; `wide` times as usual."""
    now = placed(platform, pose[None])
    for rod in now.shape.of("rod"):
        if rod.actuator in legs:
            width = wide * (1.8 if rod.role == "piston" else 4.0)
            sketch.line(now.points(rod)[0], color, width, alpha=alpha)


def draw_plate(
    sketch: Drawing, platform: Platform, pose: Array, role: Role, strength: float = 0.8
) -> Array:
    """The base, or the platform as a "body"; the middle of its corners."""
    now = placed(platform, pose[None])
    (plate,) = (each for each in now.shape.of("plate") if each.role == role)
    corners = now.points(plate)[0]
    sketch.area(corners, MUTED if role == "base" else ORANGE, strength)
    return corners.mean(axis=0)


def draw_bodies(sketch: Drawing, platform: Platform, pose: Array) -> None:
    """Base, platform and six legs, lower parts thick, upper parts thin."""
    below = draw_plate(sketch, platform, pose, "base")
    draw_legs(sketch, platform, pose, range(6), BLUE)
    above = draw_plate(sketch, platform, pose, "body")
    for k in range(6):
        place = leg_place(platform, pose, k)
        ends = ((below, place.base, "b", MUTED), (above, place.tip, "p", ORANGE))
        for middle, at, text, color in ends:
            sketch.point(at, color)
            sketch.name(at, f"${text}_{k + 1}$", sketch.along(at - middle, 13.0))


def platform_figure(platform: Platform, pose: Array) -> Figure:
    """The whole manipulator with its two frames."""
    figure, sketch = new_sketch(4.8, Projection(-60, 20))
    draw_bodies(sketch, platform, pose)
    sketch.frame(np.zeros(3), np.eye(3), 0.11)
    sketch.frame(pose[:3], rotation_of(pose), 0.11)
    sketch.name(np.zeros(3), "base frame", (-34, -8))
    sketch.name(pose[:3], "frame P", (-30, 4))
    return figure


def leg_figure(platform: Platform, pose: Array, leg: int) -> Figure:
    """One leg with the vectors and frames of the papers: b, t, q, S, k, frames D and U, G_d and G_u."""
    figure, sketch = new_sketch(5.6, Projection(-60, 20))
    place = leg_place(platform, pose, leg)
    draw_plate(sketch, platform, pose, "body", 0.45)
    draw_legs(sketch, platform, pose, (leg,), BLUE, wide=2.25, alpha=0.35)
    origin = np.zeros(3)
    sketch.frame(origin, np.eye(3), 0.12)
    sketch.name(origin, "base frame", (-4, -14))
    sketch.frame(pose[:3], rotation_of(pose), 0.12, ("x", "", "z"))
    sketch.name(pose[:3] + 0.12 * rotation_of(pose)[:, 1], "y", (8, -6), GREEN)
    sketch.name(pose[:3], "frame P", (30, -24))
    sketch.arrow(origin, place.base, "b", MUTED, (-9, -3), at=0.5)
    sketch.arrow(origin, pose[:3], "t", MUTED, (9, -4), at=0.3)
    sketch.arrow(pose[:3], place.q, r"q = $\Re$p", MUTED, (-26, 8), at=0.8)
    sketch.arrow(place.base, place.tip - place.base, "S = L s", BLUE, (24, -9), at=0.3)
    sketch.frame(place.base, place.T, 0.13, ("", "$y$", "$z$"))
    sketch.name(place.base, "D", (-12, 9))
    sketch.frame(place.tip, place.T, 0.11, ("$x$", "$y$", "$z$"))
    sketch.name(place.tip, "U", (-14, 4))
    sketch.arrow(place.base, 0.2 * place.fixed_axis, "k", PINK, (-4, 8))
    for center, name, color, offset in (
        (place.lower_center, "d", GREEN, (-4.0, 9.0)),
        (place.upper_center, "u", AMBER, (2.0, -10.0)),
    ):
        sketch.arrow(place.base, center - place.base, f"$r_{name}$", color, offset, at=0.5)
        sketch.point(center, color)
        sketch.name(center, f"$G_{name}$", (12, 6), color)
    return figure
