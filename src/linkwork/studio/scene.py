"""A robot in the scene: a node for all that moves as one, arrows of reactions."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise, product
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from linkwork.core.rotations import quaternion_of
from linkwork.drawing.shape import (
    COLORS,
    Anchor,
    PlacedShape,
    Solid,
    body_frames,
    placed,
    plate_mesh,
    shape,
)
from linkwork.drawing.visuals import Visual
from linkwork.model.mechanism import tool_frame
from linkwork.robot.robot import Array, Robot
from linkwork.studio.controls import handle_freedoms, home_of
from linkwork.studio.host import Node, Scene
from linkwork.studio.reading import Reaction, StateReading
from linkwork.studio.readouts import BY_EFFORT, FORCE, GHOST, MOMENT, TRACE, motor_color
from linkwork.studio.session import Session

SLIM = 0.6  # of their size: motors of robots whose file has shapes
LONGEST = 0.4  # of the size of the robot: an arrow
HANGING = 0.5  # of its height: what reaches that far below its base stands on no floor there
NEGLIGIBLE = 1e-6  # of the greatest: not worth an arrow


def drawing_of(scene: Scene, session: Session) -> RobotScene:
    """Of the session's robot, with the shapes of its file if it has any."""
    return RobotScene(scene, session.robot, session.source.visuals)


class RobotScene:
    """Built once for a robot; `show` moves and colors it.

    `points` tell the camera where to look, `floor` [m] where the ground is.
    """

    def __init__(self, scene: Scene, robot: Robot, visuals: tuple[Visual, ...] = ()) -> None:
        self.scene, self.visuals = scene, visuals
        now = placed(robot, home_of(robot)[None])
        self.points = np.concatenate([now.corners[0], *_mesh_corners(visuals, now.frames[0], robot)])
        low, high = self.points.min(axis=0), self.points.max(axis=0)
        self.middle = (low + high) / 2
        self.size = float(np.linalg.norm(high - low))
        self._build(robot)
        self.floor = self._ground(float(low[2]), float(high[2]), bool(visuals))
        self.arrows = ReactionArrows(scene, self.size)

    def _ground(self, low: float, high: float, has_meshes: bool) -> float:
        """Under the base of what stands on it, under all of what hangs from it."""
        base = [each.points[:, 2].min() for each in self.shape.solids if not each.carrier]
        foot = min(0.0, *base) if has_meshes or not base else float(min(base))
        thick = 0.0 if has_meshes else 1.2 * self.shape.unit
        if foot - low < HANGING * (high - low):
            return foot - thick
        return low - 5 * self.shape.unit

    def _build(self, robot: Robot) -> None:
        self._robot, self.shape = robot, shape(robot)
        self.bodies = 1 + len(robot.bodies)
        self.colored: dict[int, list[Node]] = {k: [] for k in range(robot.n)}
        carriers = range(self.bodies + sum(len(strut.carriers) for strut in self.shape.struts))
        self.nodes = [self.scene.add_frame(self._path(k), show_axes=False) for k in carriers]
        nothing = np.zeros((1, 2, 3), np.float32)
        width = {"thickness": 2.0, "thickness_units": "screen"}
        self.trace = self.scene.add_line_segments("/trace", nothing, TRACE, visible=False, **width)
        self.ghost = self.scene.add_frame("/ghost", show_axes=False, visible=False)
        self.ghosts = [self.scene.add_frame(f"/ghost/{k}", show_axes=False) for k in carriers[1:]]
        shown = {visual.link + 1 for visual in self.visuals}  # links are numbered from 0, the base is -1
        for j, visual in enumerate(self.visuals):
            self._mesh(j, visual)
        for k, solid in enumerate(self.shape.solids):
            if solid.carrier not in shown or solid.form not in ("rod", "plate"):
                self._solid(f"{self._path(solid.carrier)}/{solid.form}{k}", solid, slim=bool(shown))
            if solid.carrier and solid.form in ("rod", "plate"):
                self._solid(f"/ghost/{solid.carrier}/{solid.form}{k}", solid, is_ghost=True)
        more = {"font_screen_scale": 0.8, "anchor": "center-center"}
        self.labels: dict[int, tuple[Node, Anchor]] = {
            k: (self.scene.add_label(f"/labels/{k}", robot.efforts.names[k], **more), anchor)
            for k, anchor in self.shape.labels.items()
        }
        self._axes()

    def _path(self, carrier: int) -> str:
        kind = "bodies" if carrier < self.bodies else "struts"
        return f"/{kind}/{carrier}" if carrier else "/base"

    def _axes(self) -> None:
        """Of the tool, always shown, and of all bodies."""
        unit, parts = self.shape.unit, self._robot.mechanism.parts
        size = {"axes_length": 7 * unit, "axes_radius": 0.35 * unit}
        _, tool = tool_frame(self._robot.mechanism)
        path = f"{self._path(self.shape.tip.carrier)}/tool"
        self.scene.add_frame(path, position=tool.p, wxyz=quaternion_of(tool.R), **size)
        self.frames = []
        for k, part in enumerate(parts, 1):
            place = {"position": part.frame.p, "wxyz": quaternion_of(part.frame.R), "visible": False}
            self.frames.append(self.scene.add_frame(f"{self._path(k)}/axes", **place, **size))

    def _mesh(self, j: int, visual: Visual) -> None:
        """A shape of the file, which gives it in the frame of its link."""
        body, parts = visual.link + 1, self._robot.mechanism.parts
        place = parts[visual.link].frame @ visual.place if body else visual.place
        path, color = f"{self._path(body)}/mesh{j}", visual.color
        where = {"position": place.p, "wxyz": quaternion_of(place.R)}
        if visual.kind == "mesh":
            drawn = (visual.mesh.vertices, visual.mesh.faces)
            self.scene.add_mesh_simple(path, *drawn, color=color, flat_shading=True, **where)
        elif visual.kind == "box":
            self.scene.add_box(path, color, visual.size, **where)
        elif visual.kind == "cylinder":
            self.scene.add_cylinder(path, *visual.size, color, **where)
        else:
            self.scene.add_icosphere(path, visual.size[0], color, **where)

    def _solid(self, path: str, solid: Solid, slim: bool = False, is_ghost: bool = False) -> None:
        """A solid at home; rods have balls at their knees."""
        scene, points = self.scene, solid.points
        more: dict[str, Any] = {"opacity": 0.4} if is_ghost else {}
        color = GHOST if is_ghost else COLORS[solid.role]
        radius = solid.radius * (SLIM if slim and solid.form == "drum" else 1.0)
        if solid.form == "plate":
            more |= {"flat_shading": True, "side": "double"}
            scene.add_mesh_simple(path, *plate_mesh(points, radius), color=color, **more)
            return
        for j, ball in enumerate(points if solid.form == "ball" else points[1:-1]):
            scene.add_icosphere(f"{path} ball{j}", radius, color, position=ball, **more)
        drawn = []
        for j, (start, end) in enumerate(pairwise(points)):
            length = float(np.linalg.norm(end - start))
            if length < 1e-9:
                continue
            name, place = f"{path}-{j}", {"position": (start + end) / 2, "wxyz": _along(end - start)}
            if solid.form == "box":
                drawn.append(scene.add_box(name, color, (2 * radius, 2 * radius, length), **place))
            else:
                cylinder = {"radius": radius, "height": length, "color": color, "radial_segments": 24}
                drawn.append(scene.add_cylinder(name, **cylinder, **place, **more))
        if solid.actuator is not None and solid.role != "piston" and not is_ghost:
            self.colored[solid.actuator] += drawn

    def show(
        self,
        reading: StateReading,
        scale: Array,
        switched_on: frozenset[str],
        colors: str = BY_EFFORT,
    ) -> None:
        """Put everything where the reading says, in one of COLOR_CHOICES; red where a limit is broken.

        A mechanism whose loops do not close is not drawn.
        """
        frames = reading.frames
        for node in (*self.nodes[1:], *(label for label, _ in self.labels.values())):
            put(node, visible=frames is not None)
        if frames is not None:
            self._place(frames)
        for k, drawn in self.colored.items():
            effort, full = float(reading.effort[k]), float(scale[k])
            color = motor_color(colors, k, effort, full, k in reading.broken)
            for node in drawn:
                put(node, color=color)
        for k, (label, _) in self.labels.items():
            put(label, text=self._robot.efforts.names[k] + (" !" if k in reading.broken else ""))
        self.arrows.show(reading.reactions, switched_on)

    def _place(self, bodies: Array) -> None:
        now = PlacedShape(self.shape, self.shape.frames(bodies[None]))
        _put_frames(self.nodes[1:], now.frames[0, 1:])
        for label, anchor in self.labels.values():
            place = now.at(anchor)[0]
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
            frames = self.shape.frames(body_frames(self._robot, position[None]))
            _put_frames(self.ghosts, frames[0, 1:])

    def show_trace(self, positions: Array | None) -> None:
        """Where the tool comes through along a motion, (N, ...)."""
        if positions is None:
            put(self.trace, visible=False)
            return
        tool = placed(self._robot, positions).at(self.shape.tip).astype(np.float32)
        tool = tool[np.isfinite(tool).all(axis=1)]
        self.trace.points = np.stack([tool[:-1], tool[1:]], axis=1)
        put(self.trace, visible=len(tool) > 1)

    def remodel(self, robot: Robot) -> None:
        """After a change of the design: everything anew."""
        self._build(robot)


def _mesh_corners(visuals: Sequence[Visual], frames: Array, robot: Robot) -> Iterator[Array]:
    """Corners (8, 3) around every shape of the file, where it stands."""
    for visual in visuals:
        low, high = visual.extent
        corners = np.array(list(product(*zip(low, high, strict=True))))
        at = corners @ visual.place.R.T + visual.place.p
        if visual.link >= 0:
            part = robot.mechanism.parts[visual.link].frame
            at = at @ part.R.T + part.p
        frame = frames[visual.link + 1]
        yield at @ frame[:, :3].T + frame[:, 3]


class ReactionArrows:
    """Forces and moments at the joints that are switched on.

    The longest arrow is the greatest force, or moment, of all joints.
    """

    def __init__(self, scene: Scene, size: float) -> None:
        self.size = size
        nothing = np.zeros((1, 2, 3))
        looks = {
            "shaft_radius": 0.008 * size,
            "head_radius": 0.022 * size,
            "head_length": 0.055 * size,
            "visible": False,
        }
        self.forces = scene.add_arrows("/reactions/forces", nothing, FORCE, **looks)
        self.moments = scene.add_arrows("/reactions/moments", nothing, MOMENT, **looks)

    def show(self, reactions: Sequence[Reaction], switched_on: Collection[str]) -> None:
        self._draw(self.forces, reactions, switched_on, [found.force for found in reactions])
        self._draw(self.moments, reactions, switched_on, [found.moment for found in reactions])

    def _draw(
        self, node: Node, reactions: Sequence[Reaction], on: Collection[str], vectors: list[Array]
    ) -> None:
        greatest = max((float(np.linalg.norm(vector)) for vector in vectors), default=0.0)
        points = [
            (found.at, found.at + vector * (LONGEST * self.size / greatest))
            for found, vector in zip(reactions, vectors, strict=True)
            if found.name in on and np.linalg.norm(vector) > NEGLIGIBLE * greatest
        ]
        if points:
            node.points = np.array(points, dtype=np.float32)
        put(node, visible=bool(points))


def handles_of(scene: Scene, robot: Robot, scale: float) -> list[Node]:
    """Handles at the tool, only along and about axes in which it is free.

    One has the arrows; rings are part of it where all are there, else each is a handle of its own.
    """
    moves, turns = handle_freedoms(robot)
    looks = {"scale": scale, "line_width": 3.0, "depth_test": False}
    found = [
        scene.add_transform_controls(
            "/handle", active_axes=moves, disable_rotations=not all((*turns, *moves)), **looks
        )
    ]
    for k, turn in enumerate(turns):
        if turn and not all((*turns, *moves)):
            # A ring is drawn between the two axes across it.
            across = tuple(j != k for j in range(3))
            only = {"active_axes": across, "disable_axes": True, "disable_sliders": True}
            found.append(scene.add_transform_controls(f"/handle about {'xyz'[k]}", **only, **looks))
    return found


def put(node: Node, **values: ArrayLike) -> None:
    """Change properties of a node; what is already so is not sent again."""
    for name, value in values.items():
        if not np.array_equal(getattr(node, name), value):
            setattr(node, name, value)


def _put_frames(nodes: Sequence[Node], frames: Array) -> None:
    for node, frame in zip(nodes, frames, strict=True):
        put(node, position=frame[:, 3], wxyz=quaternion_of(frame[:, :3]))


def _along(direction: Array) -> Array:
    """Quaternion w x y z that turns z into a direction."""
    z = direction / np.linalg.norm(direction)
    other = np.eye(3)[int(np.argmin(np.abs(z)))]
    x = np.cross(other, z)
    x /= np.linalg.norm(x)
    return quaternion_of(np.column_stack([x, np.cross(z, x), z]))


def grid_cell(size: float) -> float:
    """A round cell for a floor under something of this size [m]."""
    raw = size / 8
    unit = 10.0 ** np.floor(np.log10(raw))
    return float(max(unit * k for k in (1, 2, 5) if unit * k <= raw))
