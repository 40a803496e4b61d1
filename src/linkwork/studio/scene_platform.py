"""A Stewart platform in the scene: base, platform, joints, and legs that telescope."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwork.interface.platform import Platform
from linkwork.interface.robot import Array
from linkwork.rotations import rotation_of
from linkwork.studio import colours
from linkwork.studio.arrows import ReactionArrows
from linkwork.studio.colours import effort_colour
from linkwork.studio.drawing import Drawing
from linkwork.studio.shapes import add_rod, along, plate, put

CYLINDER = 0.034  # radius of the lower part, of the leg's length at home
ROD = 0.019
LONGEST_CYLINDER = 0.9  # of the leg's length now
OVERLAP = 0.12  # of the leg's length: how far the rod reaches into the cylinder at home


class PlatformScene(Drawing):
    """Built once for a robot; `show` moves and colours it."""

    def __init__(self, scene: Any, robot: Platform) -> None:
        self.scene = scene
        self.model = robot.model
        base, points = robot.model.points()
        lengths = robot.leg_lengths(robot.home)
        self.leg_size = float(lengths.mean())
        home = points @ rotation_of(robot.home).T + robot.home[:3]
        corners = np.concatenate([base, home])
        self.middle = (corners.min(axis=0) + corners.max(axis=0)) / 2
        self.size = float(np.linalg.norm(corners.max(axis=0) - corners.min(axis=0)))
        self.floor = float(base[:, 2].min()) - 0.06 * self.leg_size
        bounds = [leg.limits.length for leg in robot.model.legs]
        shortest = [
            0.62 * length if bound is None else bound[0]
            for bound, length in zip(bounds, lengths, strict=True)
        ]
        self.cylinder = np.array([0.84 * length for length in shortest])
        self._build_base(base)
        self.platform = scene.add_frame("/platform", show_axes=False)
        self._build_platform(points)
        self.legs = [self._build_leg(k) for k in range(len(base))]
        self.arrows = ReactionArrows(scene, self.size)
        self.ghost = self._build_ghost(points)

    def _build_base(self, base: Array) -> None:
        scene, r = self.scene, CYLINDER * self.leg_size
        vertices, faces = plate(base - np.array([0, 0, 1.2 * r]), 0.6 * r)
        scene.add_mesh_simple(
            "/base/plate", vertices, faces, color=colours.BASE, flat_shading=True, side="double"
        )
        for k, leg in enumerate(self.model.legs):
            scene.add_icosphere(f"/base/joint{k}", 1.25 * r, colours.JOINT, position=leg.base_point)
            half = 2.6 * r * leg.fixed_axis
            if leg.joints == "UPS":
                add_rod(
                    scene,
                    f"/base/axis{k}",
                    leg.base_point - half,
                    leg.base_point + half,
                    0.4 * r,
                    colours.METAL,
                )

    def _build_platform(self, points: Array) -> None:
        scene, r = self.scene, CYLINDER * self.leg_size
        vertices, faces = plate(points + np.array([0, 0, 1.6 * r]), 0.7 * r)
        self.plate = scene.add_mesh_simple(
            "/platform/plate", vertices, faces, color=colours.BODY, flat_shading=True, side="double"
        )
        for k, point in enumerate(points):
            scene.add_icosphere(f"/platform/joint{k}", 1.1 * r, colours.JOINT, position=point)
        scene.add_frame("/platform/axes", axes_length=5 * r, axes_radius=0.25 * r, origin_radius=0.4 * r)

    def _build_leg(self, k: int) -> dict[str, Any]:
        scene, r = self.scene, CYLINDER * self.leg_size
        height = float(self.cylinder[k])
        name = f"/legs/{k}"
        frame = scene.add_frame(name, show_axes=False, position=self.model.legs[k].base_point)
        return {
            "frame": frame,
            "lower": scene.add_cylinder(
                f"{name}/lower", r, height, colours.IDLE, position=(0, 0, height / 2)
            ),
            "collar": scene.add_cylinder(
                f"{name}/collar", 1.22 * r, 0.6 * r, colours.JOINT, position=(0, 0, height)
            ),
            "upper": scene.add_cylinder(f"{name}/upper", ROD * self.leg_size, 1.0, colours.METAL),
            "label": scene.add_label(
                f"/labels/{k}", self.model.legs[k].name, font_screen_scale=0.8, anchor="center-center"
            ),
        }

    def _build_ghost(self, points: Array) -> Any:
        r = CYLINDER * self.leg_size
        ghost = self.scene.add_frame("/ghost", show_axes=False, visible=False)
        vertices, faces = plate(points + np.array([0, 0, 1.6 * r]), 0.7 * r)
        self.scene.add_mesh_simple(
            "/ghost/plate", vertices, faces, color=colours.GHOST, opacity=0.4, side="double"
        )
        return ghost

    def show(self, reading: Any, scale: Array, switched_on: frozenset[str]) -> None:
        """Put everything where the reading says, coloured by force; red where a limit is broken."""
        pose = reading.state.position
        put(self.platform, position=pose[:3], wxyz=pose[3:])
        reach = OVERLAP * self.leg_size
        middle = reading.lower.mean(axis=0)
        for k, leg in enumerate(self.legs):
            way = reading.upper[k] - reading.lower[k]
            length = float(reading.lengths[k])
            broken = k in reading.broken
            colour = effort_colour(float(reading.effort[k]), float(scale[k]), broken)
            put(leg["frame"], position=reading.lower[k])
            if length > 1e-9:
                put(leg["frame"], wxyz=along(way))
            # A leg shorter than its cylinder is drawn with a shorter one: it ends below its joint.
            height = max(min(float(self.cylinder[k]), LONGEST_CYLINDER * length), 1e-6)
            put(
                leg["lower"],
                scale=(1.0, 1.0, height / float(self.cylinder[k])),
                position=(0.0, 0.0, height / 2),
            )
            put(leg["collar"], position=(0.0, 0.0, height))
            begin = max(0.0, height - reach)
            put(
                leg["upper"],
                scale=(1.0, 1.0, max(length - begin, 1e-6)),
                position=(0.0, 0.0, (begin + length) / 2),
                color=colours.BROKEN if broken else colours.METAL,
            )
            put(leg["lower"], color=colour)
            # Labels stand outside the ring of the base, away from the legs.
            outward = reading.lower[k] - middle
            outward = outward / max(float(np.linalg.norm(outward)), 1e-9) * 0.13 * self.leg_size
            name = self.model.legs[k].name + (" !" if broken else "")
            put(leg["label"], position=reading.lower[k] + outward, text=name)
        self.arrows.show(reading.reactions, switched_on)

    def show_labels(self, visible: bool) -> None:
        for leg in self.legs:
            put(leg["label"], visible=visible)

    def remodel(self, robot: Any) -> None:
        """After a change of the design: base and platform anew; the legs follow their readings."""
        self.model = robot.model
        base, points = robot.model.points()
        self._build_base(base)
        self._build_platform(points)

    def show_frames(self, visible: bool) -> None:
        """The platform's own axes are always there."""

    def show_ghost(self, pose: Array | None) -> None:
        put(self.ghost, visible=pose is not None)
        if pose is not None:
            put(self.ghost, position=pose[:3], wxyz=pose[3:])
