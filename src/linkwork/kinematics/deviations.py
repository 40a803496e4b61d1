"""By which numbers a machine may differ from its file: places, directions, lengths, zeros of motors.

A deviation is a small change of one part: the place of a joint on a body and the direction of its
axis, in base axes at home; the length of a rod; the zero of a motor; the tool on its body, in its own
axes; the frame in which poses are measured. Places on a body count from the joint that carries it (those
that none carries: from their frame), which therefore has none there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from linkwork.model.mechanism import (
    BASE,
    Cylinder,
    MechanismJoint,
    MechanismModel,
    Rod,
    tool_frame,
)
from linkwork.robot.compiled import Array
from linkwork.robot.robot import Robot

DeviationKind = Literal["position", "direction", "length", "offset"]
Tie = MechanismJoint | Rod | Cylinder
TOOL, FRAME = "tool", "frame"


@dataclass(frozen=True, eq=False)
class Deviation:
    """One number by which a machine may differ from its file [m or rad].

    `owner` is a joint, rod, cylinder or motor, "tool" or "frame"; `end` is the far side of it.
    """

    name: str
    kind: DeviationKind
    unit: str
    owner: str
    axis: Array = field(default_factory=lambda: np.zeros(3))
    end: bool = False


def deviations_of(robot: Robot) -> tuple[Deviation, ...]:
    """All that a robot may have, the frame and the tool first."""
    return tuple(_found(robot))


def _found(robot: Robot) -> Iterator[Deviation]:
    model = robot.mechanism
    carriers = carried_by(model)
    for owner in (FRAME, TOOL):
        yield from _placements(owner, owner, False, np.eye(3))
    for tie in model.ties:
        carries = isinstance(tie, MechanismJoint) and carriers.get(tie.joins[1]) is tie
        for end in (False,) if carries else (False, True):
            name = tie.name if carries else f"{tie.name}.{'end' if end else 'start'}"
            yield from _placements(name, tie.name, end, tilts(model, tie))
        if isinstance(tie, Rod):
            yield Deviation(f"{tie.name}.length", "length", "m", tie.name)
    for name, unit in zip(model.effort_names, robot.efforts.units, strict=True):
        yield Deviation(f"{name}.offset", "offset", "rad" if unit == "N m" else "m", name)


def _placements(name: str, owner: str, end: bool, turns: Array) -> Iterator[Deviation]:
    for letter, axis in zip("xyz", np.eye(3), strict=True):
        yield Deviation(f"{name}.{letter}", "position", "m", owner, axis, end)
    for axis in turns:
        letter = "xyz"[int(np.abs(axis).argmax())]
        yield Deviation(f"{name}.r{letter}", "direction", "rad", owner, axis, end)


def carried_by(model: MechanismModel) -> dict[str, MechanismJoint]:
    """Of every body that one carries, the joint: the first that joins it to what comes before."""
    found: dict[str, MechanismJoint] = {}
    for joint in model.joints:
        found.setdefault(joint.joins[1], joint)
    return found


def datum(model: MechanismModel, body: str) -> Array:
    """The point of a body at home that its places count from."""
    if body == BASE:
        return np.zeros(3)
    carrier = carried_by(model).get(body)
    return np.asarray(model.part(body).frame.p if carrier is None else carrier.at)


def tilts(model: MechanismModel, tie: Tie) -> Array:
    """The rotations (k, 3) of a side that matter."""
    if isinstance(tie, Cylinder):
        return across(np.asarray(tie.axis)) if tie.hinge == "revolute" else np.zeros((0, 3))
    if isinstance(tie, Rod) or acts_as_ball(model, tie):
        return np.zeros((0, 3))
    return np.eye(3) if tie.kind == "fixed" else across(np.asarray(tie.axes[0]))


def acts_as_ball(model: MechanismModel, joint: MechanismJoint) -> bool:
    """Balls, and joints to bodies that are points."""
    points = {part.name for part in model.parts if part.point}
    return joint.kind == "spherical" or bool(points.intersection(joint.joins))


def across(axis: Array) -> Array:
    """Two directions (2, 3) across an axis, those of base axes where it is one of them."""
    first, second = np.eye(3)[np.sort(np.argsort(np.abs(axis), kind="stable")[:2])]
    u = first - (first @ axis) * axis
    u /= np.linalg.norm(u)
    v = second - (second @ axis) * axis - (second @ u) * u
    return np.stack([u, v / np.linalg.norm(v)])


def drawn(model: MechanismModel, tie: Tie, end: bool) -> tuple[Array, Array]:
    """A side of a tie at home: its place, and axes u, w, n as columns; n is that of the joint.

    Of the far side of a universal joint u is its axis there.
    """
    if not isinstance(tie, MechanismJoint):
        axis = getattr(tie, "axis", None)
        place = np.asarray(tie.end if end else tie.start)
        return place, np.eye(3) if axis is None else _triad(np.asarray(axis))
    if not tie.axes:
        return np.asarray(tie.at), np.eye(3)
    axes = _triad(np.asarray(tie.axes[0]))
    if tie.kind == "universal" and end:
        other = np.asarray(tie.axes[1])
        axes = np.column_stack([other, across(other).T])
    return np.asarray(tie.at), axes


def _triad(axis: Array) -> Array:
    u = across(axis)[0]
    return np.column_stack([u, np.cross(axis, u), axis])


def tool_of(model: MechanismModel) -> tuple[str, Array, Array]:
    """The body of the tool, and place and axes of the tool at home."""
    body, frame = tool_frame(model)
    return body, np.asarray(frame.p), np.asarray(frame.R)
