"""A serial arm in the scene: links, joints about their axes, frames; meshes of a URDF if it has any."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from linkwork.interface.arm import Arm
from linkwork.interface.robot import Array
from linkwork.robots.arm import Joint
from linkwork.studio import colours
from linkwork.studio.arrows import ReactionArrows
from linkwork.studio.colours import effort_colour
from linkwork.studio.drawing import Drawing
from linkwork.studio.reading import ArmReading
from linkwork.studio.shapes import add_rod, along, node_of, put
from linkwork.studio.urdf_visuals import BASE, Visual

LINK = 0.026  # radius of a link, of the reach
JOINT = 0.036
THINNER = 0.55  # from the first link to the last


class ArmScene(Drawing):
    """Built once for a robot; `show` moves and colours it."""

    def __init__(self, scene: Any, robot: Arm, reach: float, visuals: tuple[Visual, ...] = ()) -> None:
        self.scene, self.model = scene, robot.model
        self.reach = reach
        self.size = 1.3 * reach
        self.middle = np.array([0.0, 0.0, 0.12 * reach])
        self.visuals = visuals
        self.joints: list[Any] = []
        self.slides: list[Any] = []
        self._build_base()
        self.frames = [self._build_link("/links", k, None) for k in range(robot.n)]
        self.labels = [
            scene.add_label(f"/labels/{k}", joint.name, font_screen_scale=0.8, anchor="center-left")
            for k, joint in enumerate(self.model.joints)
        ]
        self.arrows = ReactionArrows(scene, 0.8 * reach)
        self.ghost = scene.add_frame("/ghost", show_axes=False, visible=False)
        self.ghost_frames = [self._build_link("/ghost", k, colours.GHOST) for k in range(robot.n)]
        self._robot = robot

    def radius(self, k: int) -> float:
        n = max(len(self.model.joints) - 1, 1)
        return self.reach * LINK * (1 - (1 - THINNER) * k / n)

    def _build_base(self) -> None:
        first = self.model.joints[0]
        r = self.radius(0)
        self.floor = min(0.0, float(first.before.p[2])) - 4.5 * r
        meshes = [visual for visual in self.visuals if visual.link == BASE]
        for j, visual in enumerate(meshes):
            visual.add_to(self.scene, f"/base/mesh{j}")
        if meshes:
            self.floor = 0.0
            return
        foot = np.array([0.0, 0.0, self.floor])
        top = foot + np.array([0.0, 0.0, 0.8 * r])
        add_rod(self.scene, "/base/foot", foot, top, 3.6 * r, colours.BASE)
        add_rod(self.scene, "/base/column", foot, np.zeros(3), 1.5 * r, colours.BASE)
        add_rod(self.scene, "/base/link", np.zeros(3), first.before.p, 1.5 * r, colours.BASE)

    def _build_link(self, root: str, k: int, ghost: Any) -> Any:
        """A node in the link's frame: everything under it stands still there."""
        scene, joint, r = self.scene, self.model.joints[k], self.radius(k)
        name = f"{root}/{k}"
        frame = scene.add_frame(
            name,
            show_axes=False,
            axes_length=0.09 * self.reach,
            axes_radius=0.005 * self.reach,
        )
        more = {} if ghost is None else {"opacity": 0.35}
        body = ghost or colours.BODY
        inner = joint.after.inverse()
        axis = inner.R @ joint.axis
        seat = inner.p
        elbow = seat - axis * float(seat @ axis)
        last = k + 1 == len(self.model.joints)
        ahead = np.zeros(3) if last else self.model.joints[k + 1].before.p
        meshes = [] if ghost is not None else [v for v in self.visuals if v.link == k]
        if not meshes:
            way = [seat, elbow, np.zeros(3), ahead]
            for j, (start, end) in enumerate(pairwise(way)):
                add_rod(scene, f"{name}/rod{j}", start, end, r, body, **more)
                scene.add_icosphere(f"{name}/knee{j}", r, body, position=end, **more)
        for j, visual in enumerate(meshes):
            visual.add_to(scene, f"{name}/mesh{j}")
        if ghost is None:
            self._build_joint(name, joint, k, seat, axis, bool(meshes))
        return frame

    def _build_joint(
        self, name: str, joint: Joint, k: int, seat: Array, axis: Array, slim: bool
    ) -> None:
        scene, r = self.scene, self.radius(k) * JOINT / LINK * (0.6 if slim else 1.0)
        if joint.is_revolute:
            node = scene.add_cylinder(
                f"{name}/joint", 1.25 * r, 3.2 * r, colours.IDLE, position=seat, wxyz=along(axis)
            )
        else:
            node = scene.add_box(
                f"{name}/joint",
                colours.IDLE,
                (2.4 * r, 2.4 * r, 3.2 * r),
                position=seat,
                wxyz=along(axis),
            )
        self.joints.append(node)
        reach = axis * (3.4 * r)
        add_rod(scene, f"{name}/axis", seat - reach, seat + reach, 0.16 * r, colours.METAL)
        slide = scene.add_cylinder(f"/slides/{k}", 0.5 * r, 1.0, colours.METAL)
        slide.visible = not joint.is_revolute
        self.slides.append(slide)

    def show(self, reading: Any, scale: Array, switched_on: frozenset[str]) -> None:
        """Put everything where the reading says, joints coloured by torque; red at a broken limit."""
        for k, frame in enumerate(self.frames):
            position, wxyz = node_of(reading.frames[k])
            put(frame, position=position, wxyz=wxyz)
            broken = k in reading.broken
            colour = effort_colour(float(reading.effort[k]), float(scale[k]), broken)
            put(self.joints[k], color=colour)
            lift = reading.axes[k] * 4.2 * self.radius(k)
            name = self.model.joints[k].name + (" !" if broken else "")
            put(self.labels[k], position=reading.origins[k] + lift, text=name)
            if not self.model.joints[k].is_revolute:
                self._slide(k, reading)
        self.arrows.show(reading.reactions, switched_on)

    def _slide(self, k: int, reading: ArmReading) -> None:
        """The rod of a prismatic joint, from its seat to where the link has gone."""
        joint, start = self.model.joints[k], reading.origins[k]
        way = reading.axes[k] * float(reading.state.position[k] + joint.offset)
        length = float(np.linalg.norm(way))
        slide = self.slides[k]
        slide.visible = length > 1e-6
        if slide.visible:
            slide.scale = (1.0, 1.0, length)
            slide.position, slide.wxyz = start + way / 2, along(way)

    def show_labels(self, visible: bool) -> None:
        for label in self.labels:
            put(label, visible=visible)

    def remodel(self, robot: Any) -> None:
        """After a change of the design: base and links anew."""
        self.model, self._robot = robot.model, robot
        self.joints, self.slides = [], []
        self._build_base()
        self.frames = [self._build_link("/links", k, None) for k in range(robot.n)]
        self.ghost_frames = [self._build_link("/ghost", k, colours.GHOST) for k in range(robot.n)]

    def show_frames(self, visible: bool) -> None:
        for frame in self.frames:
            put(frame, show_axes=visible)

    def show_ghost(self, q: Array | None) -> None:
        put(self.ghost, visible=q is not None)
        if q is not None:
            for frame, pose in zip(self.ghost_frames, self._robot.link_frames(q), strict=True):
                frame.position, frame.wxyz = node_of(pose)
