"""Drawings of Pedrammehr, Mahboubkhah and Khani: universal joint, pod and platform cut free."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from linkwork.core.rotations import rotation_of
from linkwork.drawing.projection import Projection
from linkwork.drawing.projection import sketch as new_sketch
from linkwork.drawing.style import INK, MUTED
from linkwork.papers.panels import AMBER, BLUE, GREEN, ORANGE, PINK
from linkwork.papers.platform_paths import PathRun
from linkwork.papers.platform_sketch import draw_bodies, draw_legs, draw_plate, leg_place
from linkwork.robot.platform import Platform
from linkwork.robot.results import JointReactions

if TYPE_CHECKING:
    from matplotlib.figure import Figure

POD = 2  # pod 3, counted from 0: its axis k is neither along nor across it
VIEW = Projection(-60, 20)


def universal_joint_figure(platform: Platform) -> Figure:
    """Figure 2: axes u (fixed) and v of the joint, normal c of its cross, the pod's frame n, v, c'."""
    figure, sketch = new_sketch(4.4, VIEW)
    place = leg_place(platform, platform.home, POD)
    n, y, z = place.T.T
    center = np.zeros(3)
    sketch.line([center, 1.3 * n], BLUE, 9.0, alpha=0.3)
    corners = [0.55 * (a * place.fixed_axis + b * y) for a, b in ((1, 1), (-1, 1), (-1, -1), (1, -1))]
    sketch.area(corners, MUTED, 0.55)
    for vector, text, color in (
        (n, "$n$", BLUE),
        (place.fixed_axis, "$u$ (fixed)", PINK),
        (y, "$v$", GREEN),
        (place.cross_normal, "$c = u × v$", ORANGE),
        (z, "$c'$", AMBER),
    ):
        away = sketch.along(vector, 14 + 2.2 * max(0, len(text) - 4))
        offset = (-10.0, 9.0) if text == "$n$" else away  # beside the pod, not on it
        sketch.arrow(center, vector, text, color, offset, 2.0)
    return figure


def pod_figure(run: PathRun, sample: int) -> Figure:
    """Figure 3: one pod cut free with its computed forces, forces drawn to scale, weights longer."""
    figure, sketch = new_sketch(5.0, VIEW)
    pose = run.pose[sample]
    place = leg_place(run.platform, pose, POD)
    found = JointReactions(*(part[sample] for part in run.reactions()))
    model = run.platform.model
    scale = 0.2 / float(np.linalg.norm(found.spherical_force[POD]))
    draw_legs(sketch, run.platform, pose, (POD,), MUTED, wide=2.25, alpha=0.3)
    leg = model.legs[POD]
    for center, mass, name in (
        (place.lower_center, leg.lower.mass, "d"),
        (place.upper_center, leg.upper.mass, "u"),
    ):
        sketch.point(center, AMBER)
        weight = 8 * scale * mass * model.gravity
        sketch.arrow(center, weight, f"$m_{name} G$", AMBER, (18, 8), 1.8)
    sketch.arrow(place.tip, scale * found.spherical_force[POD], "$F_i$", BLUE, (18, -8), 2.0)
    sketch.arrow(place.base, scale * found.universal_force[POD], "base on pod", GREEN, (44, -8), 2.0)
    moment = 60 * scale * found.universal_moment[POD]
    sketch.arrow(place.base, moment, "$M_i = m_i c_i$", PINK, (34, 0), 2.0)
    sketch.name(place.base, "$b_i$", (-12, -4))
    sketch.name(place.tip, "$a_i$", (-4, 12))
    return figure


def platform_free_figure(run: PathRun, sample: int) -> Figure:
    """Figure 4: the moving platform cut free with the computed forces of the pods, drawn to scale."""
    figure, sketch = new_sketch(4.8, VIEW)
    pose = run.pose[sample]
    forces = -run.reactions().spherical_force[sample]  # pods on platform
    body = run.platform.model.platform
    R = rotation_of(pose)
    scale = 0.45 / float(np.linalg.norm(forces, axis=1).max())
    draw_plate(sketch, run.platform, pose, "body")
    for k in range(6):
        tip = leg_place(run.platform, pose, k).tip
        sketch.point(tip, ORANGE)
        offset = sketch.along(forces[k], 12.0)
        sketch.arrow(tip, scale * forces[k], f"$-F_{k + 1}$", BLUE, offset, 1.8)
    center = pose[:3] + R @ body.center_of_mass
    weight = scale * body.mass * run.platform.model.gravity
    sketch.point(center, INK)
    sketch.arrow(center, weight, "$m_p G$", AMBER, (16, 0), 2.0)
    return figure


def manipulator_figure(platform: Platform) -> Figure:
    """Figure 1: the manipulator and the vectors of one pod."""
    figure, sketch = new_sketch(5.2, VIEW)
    draw_bodies(sketch, platform, platform.home)
    place = leg_place(platform, platform.home, POD)
    position = platform.home[:3]
    sketch.frame(np.zeros(3), np.eye(3), 0.12)
    sketch.name(np.zeros(3), "{W}", (-12, -8))
    sketch.name(position, "{P}", (14, -8))
    sketch.arrow(np.zeros(3), position, "X", INK, (10, -4), at=0.4)
    sketch.arrow(position, place.q, "$q_i$", PINK, (-6, 12), at=0.5)
    sketch.arrow(np.zeros(3), place.base, "$b_i$", GREEN, (-12, -4), at=0.5)
    sketch.arrow(place.base, place.tip - place.base, "$L_i = l_i n_i$", AMBER, (30, -12), 1.8, at=0.25)
    return figure
