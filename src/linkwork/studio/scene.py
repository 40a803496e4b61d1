"""A robot in the scene: bodies drawn at home that go where they are, rods, cylinders of two parts.

`shape` tells what a mechanism looks like at home in base axes; so does the drawing. A node per body
holds its displacement from home.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from linkwork.analysis.shape import Pin, Shape, motors, shape
from linkwork.analysis.skeleton import body_frames, skeleton
from linkwork.interface.robot import Array, Robot
from linkwork.robots.mechanism import BASE, MechanismJoint
from linkwork.robots.mechanism_elements import tool_frame
from linkwork.rotations import quaternion_of
from linkwork.studio import colours
from linkwork.studio.arrows import ReactionArrows
from linkwork.studio.colours import effort_colour
from linkwork.studio.controls import home_of
from linkwork.studio.scene_struts import Strut
from linkwork.studio.session import Session
from linkwork.studio.shapes import add_rod, along, arc, plate, put
from linkwork.studio.urdf_visuals import Visual

THICK = 0.013  # radius of a link, of the robot's size
DRIVEN = 1.7  # times that: a link that a motor carries
FREE_SLIDE = 0.25  # of the size: half the rail of a slide without limits


def drawing_of(scene: Any, session: Session) -> RobotScene:
    """Of the session's robot, with the shapes of its file if it has any."""
    return RobotScene(scene, session.robot, session.source.visuals)


class RobotScene:
    """Built once for a robot; `show` moves and colours it.

    `middle` and `size` tell the camera where to look, `floor` [m] where the ground is.
    """

    def __init__(self, scene: Any, robot: Robot, visuals: tuple[Visual, ...] = ()) -> None:
        self.scene, self.visuals = scene, visuals
        seen = skeleton(robot, home_of(robot)[None])
        lines = [rod.points[0] for rod in seen.rods] + [area.points[0] for area in seen.plates]
        corners = np.concatenate(lines)
        low, high = corners.min(axis=0), corners.max(axis=0)
        self.middle = (low + high) / 2
        self.size = float(np.linalg.norm(high - low))
        self.r = THICK * self.size
        self.floor = min(float(low[2]), 0.0) if visuals else float(low[2]) - 5 * self.r
        self._build(robot)
        self.arrows = ReactionArrows(scene, self.size)

    def _build(self, robot: Robot) -> None:
        drawn = shape(robot)
        self._robot, self.model = robot, robot.mechanism
        self.number = {BASE: 0, **{name: k for k, name in enumerate(robot.bodies, 1)}}
        self.motor = motors(self.model)
        self.coloured: dict[int, list[Any]] = {k: [] for k in range(robot.n)}
        self.labels: dict[int, tuple[Any, Pin]] = {}
        self.nodes = [self.scene.add_frame(self._path(k), show_axes=False) for k in self.number.values()]
        shown = {visual.link + 1 for visual in self.visuals}  # links are numbered from 0, the base is -1
        for j, visual in enumerate(self.visuals):
            self._mesh(j, visual)
        self._bodies(drawn, {k: self._path(k) for k in self.number.values() if k not in shown})
        self._arcs(shown)
        for joint in self.model.joints:
            self._joint(joint, slim=bool(shown))
        self.struts = [self._strut(each) for each in self.model.struts]
        self._axes()
        self.ghost = self.scene.add_frame("/ghost", show_axes=False, visible=False)
        self.ghosts = [
            self.scene.add_frame(f"/ghost/{k}", show_axes=False) for k in list(self.number.values())[1:]
        ]
        self._bodies(drawn, {k: f"/ghost/{k}" for k in self.number.values() if k}, ghosts=True)

    def _axes(self) -> None:
        """Of the tool, always shown, and of all bodies."""
        size = {"axes_length": 7 * self.r, "axes_radius": 0.35 * self.r}
        body, tool = tool_frame(self.model)
        path = f"{self._path(self.number[body])}/tool"
        self.scene.add_frame(path, position=tool.p, wxyz=quaternion_of(tool.R), **size)
        self.frames = []
        for k, part in enumerate(self.model.parts, 1):
            place = {"position": part.frame.p, "wxyz": quaternion_of(part.frame.R), "visible": False}
            self.frames.append(self.scene.add_frame(f"{self._path(k)}/axes", **place, **size))

    def _mesh(self, j: int, visual: Visual) -> None:
        """A shape of the file, which gives it in the frame of its link."""
        body = visual.link + 1
        place = self.model.parts[visual.link].frame @ visual.place if body else visual.place
        replace(visual, place=place).add_to(self.scene, f"{self._path(body)}/mesh{j}")

    @staticmethod
    def _path(body: int) -> str:
        return f"/bodies/{body}" if body else "/base"

    # What stands still in the bodies, at home

    def _bodies(self, drawn: Shape, paths: dict[int, str], ghosts: bool = False) -> None:
        """Lines and areas through the points of bodies, in the nodes of these paths."""

        def seen(pins: tuple[Pin, ...]) -> str | None:
            bodies = {pin.body for pin in pins}
            return paths.get(bodies.pop()) if len(bodies) == 1 else None

        more: dict[str, Any] = {"opacity": 0.4} if ghosts else {}
        for k, area in enumerate(drawn.plates):
            path = seen(area.pins)
            if path is not None:
                colour = colours.GHOST if ghosts else colours.BODY if area.moves else colours.BASE
                vertices, faces = plate(np.array([pin.at for pin in area.pins]), 0.8 * self.r)
                self.scene.add_mesh_simple(
                    f"{path}/plate{k}", vertices, faces, color=colour, flat_shading=True, side="double",
                    **more,
                )  # fmt: skip
        for k, line in enumerate(drawn.rods):
            path = seen(line.pins)
            if path is None:
                continue
            colour = colours.GHOST if ghosts else colours.METAL if line.pins[0].body else colours.BASE
            radius = (DRIVEN if line.thick or not line.pins[0].body else 0.75) * self.r
            for j, (one, other) in enumerate(pairwise(line.pins)):
                rod = add_rod(self.scene, f"{path}/rod{k}-{j}", one.at, other.at, radius, colour, **more)
                if line.actuator is not None and rod is not None and not ghosts:
                    self.coloured[line.actuator].append(rod)
            for j, pin in enumerate(line.pins[1:-1]):
                knee = f"{path}/knee{k}-{j}"
                self.scene.add_icosphere(knee, radius, colour, position=pin.at, **more)

    def _arcs(self, shown: set[int]) -> None:
        """A link between axes that meet in one point bends around it."""
        for part in self.model.parts:
            body = self.number[part.name]
            hinges = [each for each in self.model.joints if part.name in each.joins and each.is_revolute]
            if len(hinges) < 2 or body in shown:
                continue
            center, reach = hinges[0].at, part.body.center_of_mass - hinges[0].at
            apart = max(float(np.linalg.norm(hinge.at - center)) for hinge in hinges)
            if apart > 1e-6 * self.size or np.linalg.norm(reach) < self.r:
                continue
            for k, (one, other) in enumerate(pairwise(hinges)):
                way = center + 1.6 * np.linalg.norm(reach) * arc(one.axes[0], other.axes[0], reach)
                path = f"{self._path(body)}/arc{k}"
                for j, (start, end) in enumerate(pairwise(way)):
                    add_rod(self.scene, f"{path}-{j}", start, end, 0.9 * self.r, colours.METAL)
                for j in (0, -1):
                    self.scene.add_icosphere(
                        f"{path} eye{j}", 1.5 * self.r, colours.JOINT, position=way[j]
                    )

    def _joint(self, joint: MechanismJoint, slim: bool) -> None:
        """A motor's housing or a rail on the first body; a ball where there is no motor."""
        housing = (1.6 if slim else 2.6) * self.r
        first, second = (self._path(self.number[body]) for body in joint.joins)
        motor = self.motor.get(joint.name)
        drawn: list[Any] = []
        if joint.kind == "prismatic":
            axis = joint.axes[0]
            free = FREE_SLIDE * self.size
            low, high = joint.limits.position or (-free, free)
            ends = joint.at + low * axis, joint.at + high * axis
            add_rod(self.scene, f"{first}/rail {joint.name}", *ends, 0.6 * self.r, colours.BASE)
            name, box = f"{second}/carriage {joint.name}", (3 * self.r, 3 * self.r, 4 * self.r)
            turn = along(axis)
            drawn = [self.scene.add_box(name, colours.IDLE, box, position=joint.at, wxyz=turn)]
        elif motor is not None:
            half = 1.3 * housing * joint.axes[0]
            name = f"{first}/motor {joint.name}"
            ends = joint.at - half, joint.at + half
            drawn = [add_rod(self.scene, name, *ends, housing, colours.IDLE)]
        elif joint.kind != "fixed":
            name = f"{first}/joint {joint.name}"
            self.scene.add_icosphere(name, 1.2 * self.r, colours.JOINT, position=joint.at)
        if motor is not None:
            self.coloured[motor] += drawn
            self._label(motor, Pin(self.number[joint.joins[0]], joint.at))

    def _strut(self, each: Any) -> Strut:
        a, b = (self.number[body] for body in each.joins)
        strut = Strut(self.scene, each, self.r, Pin(a, each.start), Pin(b, each.end))
        if each.name in self.motor:
            self.coloured[self.motor[each.name]].append(strut.barrel)
            self._label(self.motor[each.name], strut.start)
        return strut

    def _label(self, motor: int, pin: Pin) -> None:
        if motor not in self.labels:
            name = self._robot.efforts.names[motor]
            more = {"font_screen_scale": 0.8, "anchor": "center-center"}
            self.labels[motor] = self.scene.add_label(f"/labels/{motor}", name, **more), pin

    # What moves

    def show(self, reading: Any, scale: Array, switched_on: frozenset[str]) -> None:
        """Put everything where the reading says, coloured by effort; red where a limit is broken.

        A mechanism whose loops do not close is not drawn.
        """
        frames = reading.frames
        moving = [*self.nodes[1:], *(node for strut in self.struts for node in strut.nodes)]
        for node in (*moving, *(label for label, _ in self.labels.values())):
            put(node, visible=frames is not None)
        if frames is not None:
            self._place(frames)
        for k, drawn in self.coloured.items():
            colour = effort_colour(float(reading.effort[k]), float(scale[k]), k in reading.broken)
            for node in drawn:
                put(node, color=colour)
        for k, (label, _) in self.labels.items():
            put(label, text=self._robot.efforts.names[k] + (" !" if k in reading.broken else ""))
        self.arrows.show(reading.reactions, switched_on)

    def _place(self, frames: Array) -> None:
        for node, frame in zip(self.nodes[1:], frames[1:], strict=True):
            put(node, position=frame[:, 3], wxyz=quaternion_of(frame[:, :3]))
        for strut in self.struts:
            strut.place(_at(frames, strut.start), _at(frames, strut.end))
        for label, pin in self.labels.values():
            place = _at(frames, pin)
            away = place - self.middle
            put(label, position=place + 0.06 * self.size * away / max(float(np.linalg.norm(away)), 1e-9))

    def show_labels(self, visible: bool) -> None:
        """Names of the motors."""
        for label, _ in self.labels.values():
            put(label, visible=visible)

    def show_frames(self, visible: bool) -> None:
        """Axes of the links."""
        for frame in self.frames:
            put(frame, visible=visible)

    def show_ghost(self, position: Array | None) -> None:
        """Where the reference is while a simulation is shown."""
        put(self.ghost, visible=position is not None)
        if position is not None:
            frames = body_frames(self._robot, position[None])[0, 1:]
            for node, frame in zip(self.ghosts, frames, strict=True):
                put(node, position=frame[:, 3], wxyz=quaternion_of(frame[:, :3]))

    def remodel(self, robot: Robot) -> None:
        """After a change of the design: everything anew."""
        self._build(robot)


def _at(frames: Array, pin: Pin) -> Array:
    frame = frames[pin.body]
    return np.asarray(frame[:, :3] @ pin.at + frame[:, 3])
