"""A mechanism in the scene: bodies drawn at home that go where they are, rods, cylinders of two parts.

Robot files describe everything at home in base axes; so does the drawing. A node per body holds its
displacement from home.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from linkwork.analysis.shape import Pin, Shape, shape
from linkwork.analysis.skeleton import body_frames
from linkwork.interface.robot import Array, Mechanism
from linkwork.robots.mechanism import BASE, Cylinder, MechanismJoint, Part
from linkwork.robots.mechanism_elements import motor_terms, tool_frame
from linkwork.rotations import quaternion_of, rotation_about_axis
from linkwork.studio import colours
from linkwork.studio.arrows import ReactionArrows
from linkwork.studio.colours import effort_colour
from linkwork.studio.drawing import Drawing
from linkwork.studio.shapes import add_rod, along, plate, put

THICK = 0.013  # radius of a link, of the robot's size
ARC = 9  # points of a link between axes that meet
BARREL = 0.62  # of a cylinder's length at home: how long its barrel is
SLIDING = 0.7  # ... and its rod
FREE_SLIDE = 0.25  # of the size: half the rail of a slide without limits


class MechanismScene(Drawing):
    """Built once for a robot; `show` moves and colours it."""

    def __init__(self, scene: Any, robot: Mechanism) -> None:
        self.scene = scene
        drawn = shape(robot)
        several = [each.pins for each in drawn.rods] + [each.pins for each in drawn.plates]
        corners = np.array([pin.at for pins in several for pin in pins])
        low, high = corners.min(axis=0), corners.max(axis=0)
        self.middle = (low + high) / 2
        self.size = float(np.linalg.norm(high - low))
        self.r = THICK * self.size
        self.floor = float(low[2]) - 5 * self.r
        self._build(robot, drawn)
        self.arrows = ReactionArrows(scene, self.size)

    def _build(self, robot: Mechanism, drawn: Shape) -> None:
        self._robot, self.model = robot, robot.mechanism
        self.number = {BASE: 0, **{name: k for k, name in enumerate(robot.bodies, 1)}}
        self.motor = {
            name: k for k, terms in enumerate(motor_terms(self.model).values()) for name, _ in terms
        }
        self.coloured: dict[int, list[Any]] = {k: [] for k in range(robot.n)}
        self.labels: dict[int, tuple[Any, Pin]] = {}
        self.nodes = [self.scene.add_frame(self._path(k), show_axes=False) for k in self.number.values()]
        body, tool = tool_frame(self.model)
        self._bodies(drawn, {})
        for part in self.model.parts:
            self._arcs(part)
        for joint in self.model.joints:
            self._joint(joint)
        self.struts = [self._strut(each) for each in self.model.struts]
        size = {"axes_length": 7 * self.r, "axes_radius": 0.35 * self.r}
        path, turn = f"{self._path(self.number[body])}/tool", quaternion_of(tool.R)
        self.scene.add_frame(path, position=tool.p, wxyz=turn, **size)
        self.ghost = self.scene.add_frame("/ghost", show_axes=False, visible=False)
        self.ghost_body = self.number[body]
        self._bodies(drawn, {self.ghost_body: "/ghost"})
        self.scene.add_frame("/ghost/tool", position=tool.p, wxyz=turn, **size)

    @staticmethod
    def _path(body: int) -> str:
        return f"/bodies/{body}" if body else "/base"

    # What stands still in the bodies, at home

    def _bodies(self, drawn: Shape, ghosts: dict[int, str]) -> None:
        """Lines and areas through the points of bodies; of some of them only, as ghosts."""

        def seen(pins: tuple[Pin, ...]) -> str | None:
            bodies = {pin.body for pin in pins}
            if len(bodies) != 1 or (ghosts and not bodies <= ghosts.keys()):
                return None
            body = bodies.pop()
            return ghosts.get(body, self._path(body))

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
            for j, (one, other) in enumerate(pairwise(line.pins)):
                radius = (1.0 if line.thick else 0.75) * self.r
                rod = add_rod(self.scene, f"{path}/rod{k}-{j}", one.at, other.at, radius, colour, **more)
                if line.actuator is not None and rod is not None and not ghosts:
                    self.coloured[line.actuator].append(rod)

    def _arcs(self, part: Part) -> None:
        """A link between axes that meet in one point bends around it."""
        hinges = [joint for joint in self.model.joints if part.name in joint.joins and joint.is_revolute]
        if len(hinges) < 2:
            return
        center, reach = hinges[0].at, part.body.center_of_mass - hinges[0].at
        apart = max(float(np.linalg.norm(hinge.at - center)) for hinge in hinges)
        if apart > 1e-6 * self.size or not part.body.mass:
            return
        path = self._path(self.number[part.name])
        for k, (one, other) in enumerate(pairwise(hinges)):
            way = center + 1.6 * np.linalg.norm(reach) * _arc(one.axes[0], other.axes[0], reach)
            for j, (start, end) in enumerate(pairwise(way)):
                add_rod(self.scene, f"{path}/arc{k}-{j}", start, end, 0.9 * self.r, colours.METAL)
            for j in (0, -1):
                self.scene.add_icosphere(
                    f"{path}/eye{k}{j}", 1.5 * self.r, colours.JOINT, position=way[j]
                )

    def _joint(self, joint: MechanismJoint) -> None:
        """A motor's housing or a rail on the first body; a ball where there is no motor."""
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
            half = 2.4 * self.r * joint.axes[0]
            name = f"{first}/motor {joint.name}"
            ends = joint.at - half, joint.at + half
            drawn = [add_rod(self.scene, name, *ends, 2.2 * self.r, colours.IDLE)]
        elif joint.kind != "fixed":
            name = f"{first}/joint {joint.name}"
            self.scene.add_icosphere(name, 1.2 * self.r, colours.JOINT, position=joint.at)
        if motor is not None:
            self.coloured[motor] += drawn
            self._label(motor, Pin(self.number[joint.joins[0]], joint.at))

    def _strut(self, strut: Any) -> tuple[Pin, Pin, list[Any]]:
        """A rod in one node; a cylinder in two, a barrel from its start and a rod from its end."""
        a, b = (self.number[body] for body in strut.joins)
        length, along_z = strut.length, np.array([0.0, 0.0, 1.0])
        parts = [("rod", 0.0, 1.0, 0.75, colours.METAL)]
        if isinstance(strut, Cylinder):
            parts = [
                ("barrel", 0.0, BARREL, 1.5, colours.IDLE),
                ("rod", -SLIDING, 0.0, 0.8, colours.METAL),
            ]
        nodes = []
        for word, low, high, thick, colour in parts:
            path = f"/struts/{strut.name} {word}"
            nodes.append(self.scene.add_frame(path, show_axes=False))
            ends = low * length * along_z, high * length * along_z
            drawn = add_rod(self.scene, f"{path}/body", *ends, thick * self.r, colour)
            ball = ends[1] if word == "rod" else ends[0]
            self.scene.add_icosphere(f"{path}/ball", 1.2 * self.r, colours.JOINT, position=ball)
            if word == "barrel" and strut.name in self.motor:
                self.coloured[self.motor[strut.name]].append(drawn)
                self._label(self.motor[strut.name], Pin(a, strut.start))
        if len(nodes) == 1:
            self.scene.add_icosphere(
                f"/struts/{strut.name} rod/foot", 1.2 * self.r, colours.JOINT, position=np.zeros(3)
            )
        return Pin(a, strut.start), Pin(b, strut.end), nodes

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
        moving = [*self.nodes[1:], *(node for *_, nodes in self.struts for node in nodes)]
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
        for first, second, nodes in self.struts:
            start, end = _at(frames, first), _at(frames, second)
            turn = along(end - start)
            for node, place in zip(nodes, (start, end), strict=False):
                put(node, position=place, wxyz=turn)
        for label, pin in self.labels.values():
            place = _at(frames, pin)
            away = place - self.middle
            put(label, position=place + 0.06 * self.size * away / max(float(np.linalg.norm(away)), 1e-9))

    def show_labels(self, visible: bool) -> None:
        for label, _ in self.labels.values():
            put(label, visible=visible)

    def show_frames(self, visible: bool) -> None:
        """The tool's own axes are always there."""

    def show_ghost(self, position: Array | None) -> None:
        put(self.ghost, visible=position is not None)
        if position is not None:
            frame = body_frames(self._robot, position[None])[0, self.ghost_body]
            put(self.ghost, position=frame[:, 3], wxyz=quaternion_of(frame[:, :3]))

    def remodel(self, robot: Any) -> None:
        """After a change of the design: everything anew."""
        self._build(robot, shape(robot))


def _at(frames: Array, pin: Pin) -> Array:
    frame = frames[pin.body]
    return np.asarray(frame[:, :3] @ pin.at + frame[:, 3])


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
