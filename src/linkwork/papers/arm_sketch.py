"""Drawings of links, joints and their frames, from a small arm whose numbers suit drawings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from linkwork.drawing.projection import Drawing, Projection
from linkwork.drawing.projection import sketch as new_sketch
from linkwork.drawing.shape import PlacedShape, placed
from linkwork.drawing.style import INK, MUTED
from linkwork.model.families.arm import ArmModel, dh_joint
from linkwork.model.geometry import Body
from linkwork.model.joint import JointKind
from linkwork.papers.panels import AMBER, BLUE, GREEN, ORANGE, PINK
from linkwork.robot.arm import Arm
from linkwork.robot.robot import Array

if TYPE_CHECKING:
    from matplotlib.figure import Figure

VIEW = Projection(-75, 22)
Q = np.array([0.2, 0.6, 0.35])
QD, QDD = np.array([0.8, -1.0, 1.2]), np.array([1.0, 2.0, -1.5])


def drawing_arm(last: JointKind = "revolute") -> Arm:
    """Three joints, the last one revolute or prismatic."""
    numbers = ((0.3, 0.55, 0.3), (0.28, 0.75, 0.6), (0.3, 0.5, 0.4))  # d, a, alpha
    joints = []
    for k, (d, a, alpha) in enumerate(numbers):
        kind: JointKind = last if k == 2 else "revolute"
        # The center of mass lies beside the middle of the link.
        body = Body.of(4.0, np.array([-0.5 * a, 0.18, -0.12]), 0.05 * np.eye(3))
        joints.append(
            dh_joint(
                "standard",
                kind,
                theta=0.0 if kind == "revolute" else 0.5,
                d=d if kind == "revolute" else 0.15,
                a=a,
                alpha=alpha,
                name=f"joint{k + 1}",
                body=body,
            )
        )
    return Arm(ArmModel("drawing", tuple(joints)))


@dataclass(frozen=True)
class Placed:
    """The arm at Q: frames 0..n in the base, centers of mass and corners of its links, and its shape."""

    arm: Arm
    R: Array  # (n + 1, 3, 3)
    o: Array  # (n + 1, 3)
    shape: PlacedShape

    @classmethod
    def of(cls, arm: Arm) -> Placed:
        frames = np.concatenate([np.eye(4)[None], arm.link_frames(Q)])
        return cls(arm, frames[:, :3, :3], frames[:, :3, 3], placed(arm, Q[None]))

    def center(self, i: int) -> Array:
        """Mass center of link i, counted from 1."""
        return self.o[i] + self.R[i] @ self.arm.model.joints[i - 1].body.center_of_mass

    def corner(self, i: int) -> Array:
        """Where the common normal of link i leaves the axis of joint i."""
        axis = self.R[i - 1][:, 2]
        return self.o[i - 1] + axis * ((self.o[i] - self.o[i - 1]) @ axis)

    def wrenches(self) -> tuple[Array, Array]:
        """Forces and moments of link i-1 on link i in base axes, (n, 3) each."""
        found = self.arm.joint_wrenches(Q, QD, QDD)
        turned = np.einsum("iab,ib->ia", self.R[1:], found[:, :3])
        return turned, np.einsum("iab,ib->ia", self.R[1:], found[:, 3:])


def draw_link(sketch: Drawing, at: Placed, i: int, color: str = BLUE) -> None:
    for rod in at.shape.shape.of("rod"):
        if rod.carrier == i and rod.role == "link":
            sketch.line(at.shape.points(rod)[0], color, 9.0, alpha=0.25)


def draw_axis(sketch: Drawing, at: Placed, i: int, reach: float = 0.25) -> None:
    """The axis of joint i as a dash-dotted line."""
    axis = at.R[i - 1][:, 2]
    ends = [at.o[i - 1] - 0.15 * axis, at.corner(i) + reach * axis]
    sketch.line(ends, MUTED, 0.9, linestyle="-.")


def parameters_figure() -> Figure:
    """A pair of joints with its Denavit-Hartenberg parameters: Lee's and Turney's Figure 1."""
    # From where y of the first frame stands off its z.
    figure, sketch = new_sketch(5.0, Projection(-64, 26))
    at = Placed.of(drawing_arm())
    i = 2
    draw_link(sketch, at, i)
    for k in (i, i + 1):
        draw_axis(sketch, at, k, 0.45)
    x_before, z_before = at.R[i - 1][:, 0], at.R[i - 1][:, 2]
    x, z = at.R[i][:, 0], at.R[i][:, 2]
    corner, far = at.corner(i), at.o[i]
    sketch.frame(at.o[i - 1], at.R[i - 1], 0.22, ("$x_{i-1}$", "$y_{i-1}$", ""))
    sketch.name(at.o[i - 1] + 0.22 * z_before, "$z_{i-1}$", (-18, 4), BLUE)
    sketch.frame(far, at.R[i], 0.22, ("$x_i$", "$y_i$", ""))
    sketch.name(far + 0.22 * z, "$z_i$", (12, -6), BLUE)
    sketch.arrow(at.o[i - 1], corner - at.o[i - 1], "$d_i$", ORANGE, (-12, 0), at=0.5)
    sketch.arrow(corner, far - corner, "$a_i$", GREEN, (0, -12), at=0.5)
    sketch.line([corner, corner + 0.3 * x_before], MUTED, 0.8, linestyle=":")
    sketch.line([far, far + 0.3 * z_before], MUTED, 0.8, linestyle=":")
    _arc(sketch, corner, x_before, x, z_before, r"$\vartheta_i$", 0.24)
    _arc(sketch, far, z_before, z, x, r"$\alpha_i$", 0.27)
    sketch.name(at.o[i - 1], "$O_{i-1}$", (-20, -6))
    sketch.name(far, "$O_i$", (6, -14))
    sketch.name(corner + 0.45 * z_before, "axis of joint $i$", (0, 10))
    sketch.name(at.corner(i + 1) + 0.45 * z, "axis of joint $i+1$", (20, 10))
    return figure


def _arc(
    sketch: Drawing, center: Array, start: Array, end: Array, about: Array, text: str, radius: float
) -> None:
    """The angle from one unit vector to another, both normal to `about`."""
    angle = np.arctan2(np.cross(start, end) @ about, start @ end)
    steps = np.linspace(0.0, angle, 40)[:, None]
    points = center + radius * (np.cos(steps) * start + np.sin(steps) * np.cross(about, start))
    sketch.line(points, PINK, 1.4)
    sketch.name(points[20], text, sketch.along(points[20] - center, 11.0), PINK)


def vectors_figure() -> Figure:
    """Turney's Figure 2: p from the base to origins, r between origins, rbar to the center of mass."""
    figure, sketch = new_sketch(4.6, VIEW)
    at = Placed.of(drawing_arm())
    i = 2
    for k in (1, 2, 3):
        draw_link(sketch, at, k, BLUE if k == i else MUTED)
    sketch.frame(at.o[0], at.R[0], 0.2)
    sketch.name(at.o[0], "base", (-14, -8))
    sketch.arrow(at.o[0], at.o[i - 1], r"$p_0^{i-1}$", MUTED, (-4, 14), at=0.5)
    sketch.arrow(at.o[0], at.o[i], "$p_0^i$", MUTED, (-8, 10), at=0.66)
    sketch.arrow(at.o[i - 1], at.o[i] - at.o[i - 1], "$r_i$", GREEN, (8, -10), at=0.45)
    _center(sketch, at, i, r"$\bar r_i$")
    for k, text, offset in ((i - 1, "$O_{i-1}$", (18, -8)), (i, "$O_i$", (12, -6))):
        sketch.point(at.o[k], INK, 4)
        sketch.name(at.o[k], text, offset)
    return figure


def _center(sketch: Drawing, at: Placed, i: int, text: str) -> None:
    center = at.center(i)
    sketch.arrow(at.o[i], center - at.o[i], text, ORANGE, (4, -12), at=0.5)
    sketch.point(center, ORANGE, 6)
    sketch.name(center, "center of mass", (-30, -12), ORANGE)


def mass_element_figure() -> Figure:
    """Turney's Figure 3: a mass element dm of link q at d from its origin, s from the base."""
    figure, sketch = new_sketch(4.6, VIEW)
    at = Placed.of(drawing_arm())
    q = 2
    draw_link(sketch, at, q)
    element = at.o[q] + at.R[q] @ np.array([-0.3, 0.12, 0.18])
    sketch.frame(at.o[0], at.R[0], 0.2)
    sketch.frame(at.o[q], at.R[q], 0.2, ("$x_q$", "$y_q$", "$z_q$"))
    sketch.arrow(at.o[0], at.o[q], "$p_0^q$", MUTED, (6, -12), at=0.6)
    sketch.arrow(at.o[0], element, "s", GREEN, (-8, 8), at=0.5)
    sketch.arrow(at.o[q], element - at.o[q], "$d_q$", PINK, (2, 12), at=0.45)
    sketch.point(element, PINK, 6)
    sketch.name(element, "dm", (-14, 8), PINK)
    _center(sketch, at, q, r"$\bar r_q$")
    return figure


def _wrench(
    sketch: Drawing, place: Array, force: Array, moment: Array, names: tuple[str, str], scale: float
) -> None:
    for vector, text, color in ((force, names[0], BLUE), (2.5 * moment, names[1], PINK)):
        beyond = 10.0 + 2.0 * len(text.strip("$").replace("{", "").replace("}", ""))
        sketch.arrow(place, scale * vector, text, color, sketch.along(vector, beyond), 2.0)


def link_forces_figure(i: int, names: tuple[str, str, str, str]) -> Figure:
    """Link i cut free: force and moment at both joints and gravity, computed and drawn to scale."""
    figure, sketch = new_sketch(4.6, VIEW)
    at = Placed.of(drawing_arm())
    forces, moments = at.wrenches()
    scale = 0.45 / max(float(np.linalg.norm(forces, axis=1).max()), 1e-9)
    draw_link(sketch, at, i, MUTED)
    center = at.center(i)
    body = at.arm.model.joints[i - 1].body
    sketch.point(center, ORANGE, 6)
    sketch.arrow(center, scale * body.mass * at.arm.model.gravity, "$m g$", AMBER, (14, 8), 2.0)
    _wrench(sketch, at.o[i - 1], forces[i - 1], moments[i - 1], names[:2], scale)
    if i < len(forces):
        _wrench(sketch, at.o[i], -forces[i], -moments[i], names[2:], scale)
    sketch.point(at.o[i - 1], INK, 4)
    sketch.point(at.o[i], INK, 4)
    return figure


def joint_figure(kind: JointKind) -> Figure:
    """Angeles' Figures 7.2 and 7.3: two links and the vectors between their centers of mass."""
    figure, sketch = new_sketch(4.6, VIEW)
    at = Placed.of(drawing_arm(kind))
    i = 3
    axis = at.R[i - 1][:, 2]
    slide = (Q[i - 1] + 0.15) * axis if kind == "prismatic" else np.zeros(3)
    before, after = at.center(i - 1), at.center(i)
    draw_link(sketch, at, i - 1, MUTED)
    draw_link(sketch, at, i)
    draw_axis(sketch, at, i, 0.2)
    sketch.arrow(at.o[i - 1], 0.3 * axis, "$e_i$", PINK, (-12, 4), 2.0)
    sketch.arrow(
        at.o[i - 2],
        at.o[i - 1] - at.o[i - 2],
        "$a_{i-1}$" if kind == "revolute" else "$d_{i-1}$",
        MUTED,
        (0, -12),
        at=0.5,
    )
    sketch.arrow(at.o[i - 2], before - at.o[i - 2], r"$\rho_{i-1}$", GREEN, (-20, 4), at=0.55)
    sketch.arrow(before, at.o[i - 1] - before, r"$\delta_{i-1}$", ORANGE, (6, 12), at=0.5)
    start = at.o[i - 1] + slide
    if kind == "prismatic":
        sketch.arrow(at.o[i - 1], slide, "$b_i e_i$", AMBER, (18, -9), at=0.5)
    sketch.arrow(start, after - start, r"$\rho_i$", GREEN, (12, 4), at=0.6)
    for point, text, offset in (
        (at.o[i - 2], "$O_{i-1}$", (-16, -8)),
        (at.o[i - 1], "$O_i$", (4, -14)),
        (before, "$C_{i-1}$", (-14, 10)),
        (after, "$C_i$", (14, 4)),
    ):
        sketch.point(point, INK, 4)
        sketch.name(point, text, offset)
    return figure
