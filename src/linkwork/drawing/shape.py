"""What a robot looks like: the one shape that pictures, pages, the studio and MuJoCo draw.

A shape is made of solids, each fixed to something rigid, its carrier: the base (number 0), the bodies
of `robot.mechanism`, then rods, and barrel and rod of cylinders. Points are those at home in base axes;
`placed` tells where they are at other positions.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import count, pairwise
from typing import Literal, NamedTuple

import numpy as np

from linkwork.core.rotations import rotation_of
from linkwork.drawing.body_lines import Hold, arc, body_lines, different
from linkwork.model.geometry import distance
from linkwork.model.mechanism import (
    BASE,
    Cylinder,
    MechanismJoint,
    MechanismModel,
    Rod,
    motor_terms,
    tool_frame,
)
from linkwork.robot.robot import Array, Robot

RGB = tuple[int, int, int]
Form = Literal["rod", "drum", "box", "ball", "plate"]
Role = Literal["base", "link", "body", "motor", "piston", "joint"]
COLORS: dict[Role, RGB] = {  # where solids have light and shade
    "base": (70, 78, 92),
    "link": (196, 200, 206),
    "body": (92, 103, 120),
    "motor": (170, 174, 180),
    "piston": (196, 200, 206),
    "joint": (52, 58, 70),
}
THICK = 0.013  # the unit of all radii, of the shape's size
DRIVEN, THIN = 1.7, 0.75  # links that a motor carries, and others
HOUSING = 2.6  # of a motor: its radius and half its length
GROUND = 0.08  # half the side of the square below a robot on one joint, of its size
SAME = 1e-6  # of the size of a mechanism: points that near are one
AROUND = 1.2  # of the distance of their centers of mass: the radius of links around a point
SHORT = 0.01  # of the size: centers of mass nearer to that point do not tell
FREE_SLIDE = 0.25  # of the size: half the rail of a slide without limits
BARREL, SLIDING = 0.62, 0.7  # of its length at home: barrel and rod of a cylinder without limits
IN_BARREL = 0.84  # of its shortest length: the barrel of one with limits
OVERLAP = 0.3  # of the barrel: what of the rod stays in it at the longest


class Anchor(NamedTuple):
    """A point (3,) that a carrier takes along."""

    carrier: int
    at: Array


@dataclass(frozen=True, eq=False)
class Solid:
    """A rod through points, a drum or a box between two, a ball at one, or a plate through corners.

    `radius` [m] is half its width, of a plate its thickness. A piston begins at the mouth of its barrel,
    `hidden` [m] of it are inside; a slide begins on one body and ends on the other.
    """

    form: Form
    anchors: tuple[Anchor, ...]
    radius: float
    role: Role
    actuator: int | None = None
    hidden: float = 0.0

    @property
    def carrier(self) -> int:
        return self.anchors[-1].carrier

    @property
    def points(self) -> Array:
        """All of it at home, (k, 3)."""
        points = np.array([anchor.at for anchor in self.anchors])
        if self.hidden:
            way = points[0] - points[1]
            points[0] += self.hidden / np.linalg.norm(way) * way
        return points


def plate_mesh(corners: Array, thickness: float) -> tuple[Array, Array]:
    """Vertices (2 k + 2, 3) and triangles of a plate through corners in order around it."""
    middle, n = corners.mean(axis=0), len(corners)
    normal = np.linalg.svd(corners - middle, full_matrices=False)[2][2]
    ring = np.array([*corners, middle])
    vertices = np.concatenate([ring, ring - thickness * normal * (1.0 if normal[2] >= 0 else -1.0)])
    faces = []
    for k, j in pairwise([*range(n), 0]):
        a, b = n + 1 + k, n + 1 + j
        faces += [(n, k, j), (2 * n + 1, b, a), (k, a, b), (k, b, j)]
    return vertices, np.array(faces)


class StrutEnds(NamedTuple):
    """The ends of a rod or cylinder on its bodies; a rod is one carrier, barrel and rod are two."""

    start: Anchor
    end: Anchor
    carriers: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Shape:
    """A robot at home. `labels` are the places of motors by number, `size` [m] is its diagonal."""

    solids: tuple[Solid, ...]
    struts: tuple[StrutEnds, ...]
    labels: dict[int, Anchor]
    tip: Anchor
    size: float

    def of(self, *forms: Form) -> tuple[Solid, ...]:
        """All solids of these forms."""
        return tuple(each for each in self.solids if each.form in forms)

    @property
    def unit(self) -> float:
        """Of the radii [m]."""
        return THICK * self.size

    @property
    def axes(self) -> tuple[Solid, ...]:
        """Of joints with a motor."""
        return tuple(each for each in self.of("drum", "box") if each.actuator is not None)

    @property
    def marks(self) -> dict[int, Anchor]:
        """Numbers of cylinders that are all the motors there are and stand on the base."""
        fixed = all(anchor.carrier == 0 for anchor in self.labels.values())
        return self.labels if fixed and not self.axes else {}

    def frames(self, bodies: Array) -> Array:
        """How all carriers have gone from home, (N, carriers, 3, 4), by the bodies."""
        found = [bodies]
        for strut in self.struts:
            start, end = _moved(bodies, strut.start), _moved(bodies, strut.end)
            R = turn_between(strut.end.at - strut.start.at, end - start)
            ways = [start - R @ strut.start.at, end - R @ strut.end.at][: len(strut.carriers)]
            found += [np.concatenate([R, way[..., None]], axis=-1)[:, None] for way in ways]
        return np.concatenate(found, axis=1)


@dataclass(frozen=True, eq=False)
class PlacedShape:
    """A shape at N positions; `frames` (N, carriers, 3, 4) are the ways of its carriers from home."""

    shape: Shape
    frames: Array

    def at(self, anchor: Anchor) -> Array:
        """(N, 3)."""
        return _moved(self.frames, anchor)

    def points(self, solid: Solid) -> Array:
        """Of a solid as it is seen, (N, k, 3)."""
        return np.stack([self.at(anchor) for anchor in solid.anchors], axis=1)

    @property
    def corners(self) -> Array:
        """Points (N, m, 3) between which everything is."""
        return np.concatenate([self.points(each) for each in self.shape.of("rod", "plate")], axis=1)


def placed(robot: Robot, position: Array) -> PlacedShape:
    """The shape of a robot at positions (N, ...)."""
    drawn = shape(robot)
    return PlacedShape(drawn, drawn.frames(body_frames(robot, position)))


def body_frames(robot: Robot, position: Array) -> Array:
    """How all bodies, the base first, have gone from home, (N, bodies, 3, 4)."""
    still, parts = np.zeros(robot.dof), robot.mechanism.parts
    poses = robot.joint_motion(position, still, still).poses
    home = np.array([part.frame.R for part in parts])
    R = rotation_of(poses) @ np.swapaxes(home, -1, -2)
    moved = R @ np.array([part.frame.p for part in parts])[..., None]
    frames = np.concatenate([R, poses[..., :3, None] - moved], axis=-1)
    base = np.broadcast_to(np.eye(3, 4), (len(frames), 1, 3, 4))
    return np.concatenate([base, frames], axis=1)


def _moved(frames: Array, anchor: Anchor) -> Array:
    frame = frames[:, anchor.carrier]
    return np.asarray(frame[:, :, :3] @ anchor.at + frame[:, :, 3])


def turn_between(before: Array, now: Array) -> Array:
    """The shortest turns (N, 3, 3) from one direction (3,) to others (N, 3)."""
    a, b = before / np.linalg.norm(before), now / np.linalg.norm(now, axis=-1, keepdims=True)
    half = a + b
    size = np.linalg.norm(half, axis=-1, keepdims=True)
    across = np.cross(a, np.eye(3)[int(np.argmin(np.abs(a)))])
    half = np.where(size > 1e-9, half / np.maximum(size, 1e-9), across / np.linalg.norm(across))
    # Half a turn about a, then half a turn about the direction in between.
    first, second = (2 * x[..., :, None] * x[..., None, :] - np.eye(3) for x in (a, half))
    return np.asarray(second @ first)


def shape(robot: Robot) -> Shape:
    """Every body through the points where joints, rods and cylinders hold it; what holds it there."""
    return _ShapeBuilder(robot.mechanism).shape()


@dataclass(eq=False)
class _ShapeBuilder:
    """Collects the solids of a mechanism."""

    model: MechanismModel
    solids: list[Solid] = field(default_factory=list)
    labels: dict[int, Anchor] = field(default_factory=dict)

    def shape(self) -> Shape:
        model = self.model
        self.number = {BASE: 0, **{part.name: k for k, part in enumerate(model.parts, 1)}}
        self.more = count(len(self.number))
        # The number of the motor that acts on a joint or cylinder; of the first, if several do.
        terms = reversed([*enumerate(motor_terms(model).values())])
        self.motor = {name: k for k, each in terms for name, _ in each}
        moved = [each for each in model.joints if each.name in self.motor]
        self.driven = {each.joins[1]: self.motor[each.name] for each in moved}
        # In a chain of motors their axes tell whose link is whose; elsewhere the colors of bodies do.
        self.is_chain = not model.struts and len(moved) == len(model.joints)
        self.near = SAME * model.size
        self.around = _around_points(model, self.near)
        lines = {body: self._lines(body, holds) for body, holds in self._holds().items()}
        every = [points for ways, area in lines.values() for points in (*ways, area)]
        every += [np.array([each.start, each.end]) for each in model.struts]
        size = float(np.linalg.norm(np.ptp(np.concatenate(every), axis=0)))
        self.r = THICK * size
        for body, (ways, area) in lines.items():
            self._body(body, ways, area)
        for joint in model.joints:
            self._joint(joint, FREE_SLIDE * size)
        struts = tuple(self._strut(each) for each in model.struts)
        tool, frame = tool_frame(model)
        tip = Anchor(self.number[tool], frame.p)
        return Shape(tuple(self.solids), struts, self.labels, tip, size)

    def _add(
        self, form: Form, anchors: tuple[Anchor, ...], radius: float, role: Role,
        actuator: int | None = None, hidden: float = 0.0,
    ) -> None:  # fmt: skip
        """A solid with its radius by the unit of all."""
        self.solids.append(Solid(form, anchors, radius * self.r, role, actuator, hidden))

    def _on(self, body: str, *points: Array) -> tuple[Anchor, ...]:
        return tuple(Anchor(self.number[body], at) for at in points)

    # Bodies

    def _holds(self) -> dict[str, list[Hold]]:
        """Different places where every body is held, and the tool; of one place its center of mass."""
        model = self.model
        found: dict[str, list[Hold]] = {BASE: [], **{part.name: [] for part in model.parts}}
        for joint in model.joints:
            axis = joint.axes[0] if len(joint.axes) == 1 else None
            for body in joint.joins:
                found[body].append(Hold(self._place(joint), axis))
        for tie in (*model.struts, *model.springs):
            found[tie.joins[0]].append(Hold(tie.start))
            found[tie.joins[1]].append(Hold(tie.end))
        tool, frame = tool_frame(model)
        found[tool].append(Hold(frame.p, is_tool=True))
        places = {body: different(holds, self.near) for body, holds in found.items()}
        for part in model.parts:
            if len(places[part.name]) == 1:
                holds = [*places[part.name], Hold(part.body.center_of_mass)]
                places[part.name] = different(holds, self.near)
        return places

    def _place(self, joint: MechanismJoint) -> Array:
        """A point of its axis: where links around a point meet there, or where the file has it."""
        return joint.at + self.around.get(joint.name, 0.0)

    def _lines(self, body: str, holds: list[Hold]) -> tuple[list[Array], Array]:
        """Lines of a body and the corners of its area."""
        own = [each for each in self.model.joints if body in each.joins]
        if body != BASE and len(own) == 2 and all(each.name in self.around for each in own):
            return [own[0].at + arc(*(self.around[each.name] for each in own))], np.zeros((0, 3))
        if body != BASE or len(holds) > 1:
            return body_lines(holds)
        # A square on the ground, and what carries the joint there.
        lines, _ = body_lines(different([Hold(np.zeros(3)), *holds], self.near))
        side = GROUND * self.model.size
        return lines, side * np.array([[-1.0, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]])

    def _body(self, body: str, lines: list[Array], area: Array) -> None:
        fixed, is_driven = body == BASE, body in self.driven
        if len(area):
            self._add("plate", self._on(body, *area), 0.8, "base" if fixed else "body")
            lines = [*lines, np.array([*area, area[0]])] if is_driven else lines
        for line in lines:
            radius = DRIVEN if fixed or is_driven else THIN
            drive = None if self.is_chain else self.driven.get(body)
            self._add("rod", self._on(body, *line), radius, "base" if fixed else "link", drive)

    # What holds them

    def _joint(self, joint: MechanismJoint, free: float) -> None:
        """A motor's housing or a rail on the first body; a ball where there is no motor."""
        first, second = joint.joins
        motor, at = self.motor.get(joint.name), self._place(joint)
        role: Role = "joint" if motor is None else "motor"
        if joint.kind == "prismatic":
            (axis,) = joint.axes
            low, high = joint.limits.position or (-free, free)
            ends = at + min(low, 0.0) * axis, at + max(high, 0.0) * axis
            self._add("rod", self._on(first, *ends), 0.6, "base")
            way = *self._on(first, at), *self._on(second, at)
            self._add("rod", way, DRIVEN, "link", None if self.is_chain else motor)
            half = 2 * self.r * axis
            self._add("box", self._on(second, at - half, at + half), 1.5, role, motor)
        elif motor is not None:
            half = HOUSING * self.r * joint.axes[0]
            self._add("drum", self._on(first, at - half, at + half), HOUSING, role, motor)
        elif joint.kind != "fixed":
            self._add("ball", self._on(first, at), 1.2, role)
        if motor is not None:
            self.labels.setdefault(motor, *self._on(first, at))

    def _strut(self, each: Rod | Cylinder) -> StrutEnds:
        """A rod, or a barrel and the piston that slides in it; a ball at either end."""
        a, b = each.joins
        (start,), (end,) = self._on(a, each.start), self._on(b, each.end)
        for anchor in (start, end):
            self._add("ball", (anchor,), 1.2, "joint")
        if isinstance(each, Rod):
            line = start, Anchor(next(self.more), each.end)
            self._add("rod", line, THIN, "link", self.driven.get(a))
            return StrutEnds(start, end, (line[1].carrier,))
        motor, way = self.motor.get(each.name), (each.end - each.start) / each.length
        length, sliding = _cylinder_lengths(each)
        mouth = Anchor(next(self.more), each.start + length * way)
        tip = Anchor(next(self.more), each.end)
        self._add("rod", (start, mouth), 1.5, "motor", motor)
        self._add("rod", (mouth, tip), 0.8, "piston", motor, hidden=sliding + length - each.length)
        collar = tuple(mouth._replace(at=mouth.at + side * self.r * way) for side in (-0.5, 0.5))
        self._add("drum", collar, 1.8, "joint")
        if each.axis is not None:  # the pin or the cross at its foot
            half = 2.8 * self.r * each.axis
            self._add("drum", self._on(a, each.start - half, each.start + half), 0.5, "link")
        if motor is not None:
            self.labels.setdefault(motor, start)
        return StrutEnds(start, end, (mouth.carrier, tip.carrier))


def _cylinder_lengths(cylinder: Cylinder) -> tuple[float, float]:
    """Of barrel and rod: they fit into each other at the shortest and still overlap at the longest."""
    if cylinder.limits.position is None:
        return BARREL * cylinder.length, SLIDING * cylinder.length
    shortest, longest = (cylinder.length + end for end in cylinder.limits.position)
    barrel = IN_BARREL * shortest
    return barrel, min(longest - (1 - OVERLAP) * barrel, 0.98 * shortest)


def _around_points(model: MechanismModel, near: float) -> dict[str, Array]:
    """Joints of spherical mechanisms, whose axes meet in one point: the way to them along their axes.

    The centers of mass of the links tell to which side and how far.
    """
    own = {part.name: [each for each in model.joints if part.name in each.joins] for part in model.parts}
    tied = {body for tie in (*model.struts, *model.springs) for body in tie.joins}
    meeting = {
        body
        for body, joints in own.items()
        if len(joints) > 1 and body not in tied
        if all(each.is_revolute and distance(each.at, joints[0].at) <= near for each in joints)
    }
    while loose := {b for b in meeting if any({*each.joins} - {BASE, *meeting} for each in own[b])}:
        meeting -= loose
    reaches: dict[str, list[Array]] = {}
    for body in meeting:
        for joint in own[body]:
            reach = model.part(body).body.center_of_mass - joint.at
            if np.linalg.norm(reach) > SHORT * model.size:
                reaches.setdefault(joint.name, []).append(reach)
    found = {}
    for joint in model.joints:
        if joint.name in reaches:
            far = AROUND * float(np.mean(np.linalg.norm(reaches[joint.name], axis=1)))
            side = 1.0 if joint.axes[0] @ np.sum(reaches[joint.name], axis=0) >= 0 else -1.0
            found[joint.name] = side * far * joint.axes[0]
    return found
