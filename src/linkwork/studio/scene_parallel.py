"""A parallel robot in the scene: base, platform, and links drawn at home that go where their joints go.

Robot files describe everything at home in base axes; so does the drawing. A node per link holds its
displacement from home.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from linkwork.analysis.leg_places import held_at, places_of
from linkwork.interface.parallel import ParallelRobot
from linkwork.interface.robot import Array
from linkwork.robots.parallel import LegJoint, ParallelLeg
from linkwork.rotations import quaternion_of, rotation_about_axis, rotation_of
from linkwork.studio import colours
from linkwork.studio.arrows import ReactionArrows
from linkwork.studio.colours import effort_colour
from linkwork.studio.drawing import Drawing
from linkwork.studio.shapes import add_rod, along, plate, put

ROD = 0.013  # radius of a link, of the robot's size
ARC = 9  # points of a link between axes that meet
TELESCOPE = 0.62  # of the leg's length at home: how long its cylinder is
FREE_SLIDE = 0.25  # of the size: half the rail of a slide without limits


class ParallelScene(Drawing):
    """Built once for a robot; `show` moves and colours it."""

    def __init__(self, scene: Any, robot: ParallelRobot) -> None:
        self.scene = scene
        corners = self._corners(robot)
        low, high = corners.min(axis=0), corners.max(axis=0)
        self.middle = (low + high) / 2
        self.size = float(np.linalg.norm(high - low))
        self.r = ROD * self.size
        self.floor = float(low[2]) - 5 * self.r
        self._build(robot)
        self.labels = [
            scene.add_label(f"/labels/{k}", name, font_screen_scale=0.8, anchor="center-center")
            for k, name in enumerate(robot.leg_names)
        ]
        self.arrows = ReactionArrows(scene, self.size)

    @staticmethod
    def _corners(robot: ParallelRobot) -> Array:
        """Points that the picture must hold: joints, ends of legs, centres of mass."""
        model = robot.model
        points = [joint.at for joint in model.joints] + [held_at(leg, model) for leg in model.legs]
        points += [2 * joint.body.center_of_mass - joint.at for joint in model.joints if joint.body.mass]
        return np.array([*points, model.home[:3]])

    def _build(self, robot: ParallelRobot) -> None:
        self._robot = robot
        self.model = robot.model
        self.coloured: list[list[Any]] = []
        self._build_base()
        self.links = [self._build_leg(k, leg) for k, leg in enumerate(self.model.legs)]
        self.platform = self.scene.add_frame("/platform", show_axes=False)
        self._build_platform("/platform", colours.BODY)
        self.ghost = self.scene.add_frame("/ghost", show_axes=False, visible=False)
        self._build_platform("/ghost", colours.GHOST, opacity=0.4)

    # What stands still in the base, in links and in the platform, all at home

    def _build_base(self) -> None:
        points = np.array([leg.joints[0].at for leg in self.model.legs])
        self.outward = points - points.mean(axis=0)
        if _is_area(points) and all(leg.joints[0].is_revolute for leg in self.model.legs):
            side = 1.0 if points[:, 2].mean() > self.model.home[2] else -1.0
            lift = np.array([0.0, 0.0, side * 2.2 * self.r + (0.8 * self.r if side > 0 else 0.0)])
            self._plate("/base/plate", points + lift, colours.BASE)
        for k, point in enumerate(points):
            self.scene.add_icosphere(f"/base/joint{k}", 1.3 * self.r, colours.BASE, position=point)

    def _build_platform(self, root: str, colour: Any, **more: Any) -> None:
        home = self.model.home_frame
        points = np.array([held_at(leg, self.model) for leg in self.model.legs])
        reach = home.R @ self.model.platform.center_of_mass
        if _is_area(points):
            self._plate(f"{root}/plate", points, colour, **more)
        for k, (one, other) in enumerate(pairwise([*points, home.p])):
            add_rod(self.scene, f"{root}/rod{k}", one, other, 1.1 * self.r, colour, **more)
        # A platform of one point shows its body.
        self.scene.add_icosphere(f"{root}/middle", 1.6 * self.r, colour, position=home.p, **more)
        add_rod(self.scene, f"{root}/body", home.p, home.p + 2 * reach, 2 * self.r, colour, **more)
        if not more:
            self.scene.add_frame(
                f"{root}/axes",
                axes_length=7 * self.r,
                axes_radius=0.35 * self.r,
                position=home.p,
                wxyz=quaternion_of(home.R),
            )

    def _plate(self, name: str, points: Array, colour: Any, **more: Any) -> None:
        vertices, faces = plate(points, 0.8 * self.r)
        self.scene.add_mesh_simple(
            name, vertices, faces, color=colour, flat_shading=True, side="double", **more
        )

    def _build_leg(self, k: int, leg: ParallelLeg) -> list[Any]:
        nodes = []
        ends = [*(joint.at for joint in leg.joints[1:]), held_at(leg, self.model)]
        for j, joint in enumerate(leg.joints):
            name = f"/legs/{k}/{j}"
            nodes.append(self.scene.add_frame(name, show_axes=False))
            before = f"/legs/{k}/{j - 1}" if j else f"/base/leg{k}"
            if joint.is_revolute:
                drawn = self._link(name, leg, j, ends[j])
                drawn += self._axle(f"{before}/axle{j}", joint) if joint.actuated else []
            elif j:
                drawn = self._telescope(name, before, leg, j, ends[j])
            else:
                drawn = self._rail(name, before, joint, ends[j])
            self.scene.add_icosphere(f"{name}/end", 1.2 * self.r, colours.JOINT, position=ends[j])
            if joint.actuated:
                self.coloured.append(drawn)
        return nodes

    def _link(self, name: str, leg: ParallelLeg, j: int, end: Array) -> list[Any]:
        """A rod to the next joint; between axes that meet in a point an arc, unless of one joint."""
        joint = leg.joints[j]
        thin = 1.0 if joint.actuated else 0.75
        if np.linalg.norm(end - joint.at) > 1e-6 * self.size:
            return [add_rod(self.scene, f"{name}/rod", joint.at, end, thin * self.r, colours.METAL)]
        following = leg.joints[j + 1] if j + 1 < len(leg.joints) else None
        if following is None or not following.is_revolute or not joint.body.mass:
            return []
        radius = 1.6 * float(np.linalg.norm(joint.body.center_of_mass - joint.at))
        way = joint.at + radius * _arc(joint.axis, following.axis, joint.body.center_of_mass - joint.at)
        rods = [
            add_rod(self.scene, f"{name}/arc{i}", one, other, thin * self.r, colours.METAL)
            for i, (one, other) in enumerate(pairwise(way))
        ]
        self.scene.add_icosphere(f"{name}/eye", 1.5 * self.r, colours.JOINT, position=way[-1])
        return [rod for rod in rods if rod is not None]

    def _axle(self, name: str, joint: LegJoint) -> list[Any]:
        """The housing of a motor."""
        half = 2.4 * self.r * joint.axis
        return [add_rod(self.scene, name, joint.at - half, joint.at + half, 2.2 * self.r, colours.IDLE)]

    def _telescope(self, name: str, before: str, leg: ParallelLeg, j: int, end: Array) -> list[Any]:
        """A cylinder in the link before and a rod that slides in it."""
        start = leg.joints[j - 1].at
        inner = start + TELESCOPE * (end - start)
        add_rod(self.scene, f"{name}/rod", start + 0.3 * (end - start), end, 0.8 * self.r, colours.METAL)
        cylinder = add_rod(self.scene, f"{before}/cylinder{j}", start, inner, 1.5 * self.r, colours.IDLE)
        return [] if cylinder is None else [cylinder]

    def _rail(self, name: str, before: str, joint: LegJoint, end: Array) -> list[Any]:
        """A rail in the base and a carriage on it."""
        slide = FREE_SLIDE * self.size
        low, high = joint.limits.position or (-slide, slide)
        start, stop = end + low * joint.axis, end + high * joint.axis
        add_rod(self.scene, f"{before}/rail", start, stop, 0.6 * self.r, colours.BASE)
        box = (3 * self.r, 3 * self.r, 4 * self.r)
        turn = along(joint.axis)
        return [self.scene.add_box(f"{name}/carriage", colours.IDLE, box, position=end, wxyz=turn)]

    # What moves

    def show(self, reading: Any, scale: Array, switched_on: frozenset[str]) -> None:
        """Put everything where the reading says, coloured by effort; red where a limit is broken.

        Legs that do not reach the platform are not drawn.
        """
        places = reading.places
        for k, nodes in enumerate(self.links):
            for j, node in enumerate(nodes):
                put(node, visible=places is not None)
                if places is not None:
                    leg = places.legs[k]
                    put(node, position=leg.p[0, j], wxyz=quaternion_of(leg.R[0, j]))
        put(self.platform, visible=places is not None)
        if places is not None:
            self._put_platform(self.platform, places.pose[0])
        for k, drawn in enumerate(self.coloured):
            colour = effort_colour(float(reading.effort[k]), float(scale[k]), k in reading.broken)
            for node in drawn:
                put(node, color=colour)
        self._show_names(reading.broken)
        self.arrows.show(reading.reactions, switched_on)

    def _put_platform(self, node: Any, pose: Array) -> None:
        """By its displacement from home."""
        home = self.model.home_frame
        R = rotation_of(pose) @ home.R.T
        put(node, position=pose[:3] - R @ home.p, wxyz=quaternion_of(R))

    def _show_names(self, broken: frozenset[int]) -> None:
        """Outside the ring of the base, away from the legs."""
        actuator = 0
        for k, (leg, label) in enumerate(zip(self.model.legs, self.labels, strict=True)):
            driven = sum(joint.actuated for joint in leg.joints)
            marked = any(number in broken for number in range(actuator, actuator + driven))
            actuator += driven
            away = self.outward[k]
            length = float(np.linalg.norm(away))
            # Legs that begin in one point are named at the ends of their first axes.
            away = leg.joints[0].axis if length < 1e-9 else away / length
            place = leg.joints[0].at + (0.08 if length else 0.4) * self.size * away
            put(label, position=place, text=leg.name + (" !" if marked else ""))

    def show_labels(self, visible: bool) -> None:
        for label in self.labels:
            put(label, visible=visible)

    def show_frames(self, visible: bool) -> None:
        """The platform's own axes are always there."""

    def show_ghost(self, position: Array | None) -> None:
        put(self.ghost, visible=position is not None)
        if position is not None:
            self._put_platform(self.ghost, places_of(self._robot, position[None]).pose[0])

    def remodel(self, robot: Any) -> None:
        """After a change of the design: everything anew."""
        self._build(robot)


def _is_area(points: Array) -> bool:
    """Whether a plate goes through points."""
    if len(points) < 3:
        return False
    values = np.linalg.svd(points - points.mean(axis=0), compute_uv=False)
    return bool(values[1] > 1e-6 * max(values[0], 1e-12))


def _arc(start: Array, end: Array, through: Array) -> Array:
    """Unit vectors (ARC, 3) from one axis to another; the ends of the axes on the side of `through`."""
    one = start * (1.0 if start @ through >= 0 else -1.0)
    other = end * (1.0 if end @ through >= 0 else -1.0)
    normal = np.cross(one, other)
    size = float(np.linalg.norm(normal))
    if size < 1e-9:
        return np.array([one, other])
    angle = float(np.arctan2(size, one @ other))
    turns = [rotation_about_axis(normal / size, share * angle) for share in np.linspace(0, 1, ARC)]
    return np.array([turn @ one for turn in turns])
