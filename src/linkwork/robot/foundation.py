"""What a robot does to what it stands on: force and moment of all that holds it to the base."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from linkwork.core.rotations import rotation_of
from linkwork.model.mechanism import BASE, PointSpring, reaction_names
from linkwork.robot.compiled import Array

if TYPE_CHECKING:
    from linkwork.robot.robot import Robot


def on_foundation(robot: Robot, c: Array, wrenches: Array) -> Array:
    """Force, and moment about the base's origin (..., 6), base axes, of reactions (..., k, 6)."""
    model = robot.mechanism
    names = reaction_names(model)
    total = np.zeros((*wrenches.shape[:-2], 6))
    for name, at, sign in _holds(robot, c):
        wrench = sign * wrenches[..., names.index(name), :]
        total += np.concatenate([wrench[..., :3], wrench[..., 3:] + np.cross(at, wrench[..., :3])], -1)
    for spring in model.springs:
        if BASE in spring.joins:
            at, force = _pulled(robot, c, spring)
            total += np.concatenate([force, np.cross(at, force)], axis=-1)
    return total


def _holds(robot: Robot, c: Array) -> Iterator[tuple[str, Array, float]]:
    """Reactions between the base and the rest: where, and -1 for those that act on the rest."""
    for joint in robot.mechanism.joints:
        if joint.joins[0] == BASE:  # told about the point that goes with the second body
            slides = joint.kind == "prismatic"
            yield joint.name, _place(robot, c, joint.joins[1], joint.at) if slides else joint.at, -1.0
        elif joint.joins[1] == BASE:
            yield joint.name, joint.at, 1.0
    for strut in robot.mechanism.struts:
        if strut.joins[0] == BASE:
            yield f"{strut.name} start", strut.start, -1.0
        elif strut.joins[1] == BASE:
            yield f"{strut.name} end", strut.end, 1.0


def _place(robot: Robot, c: Array, body: str, point: Array) -> Array:
    """Where a point of a body is, that is given at home."""
    frame, still = robot.mechanism.part(body).frame, np.zeros(robot.dof)
    motion = robot.joint_motion(c, still, still)
    pose = motion.poses[..., motion.bodies.index(body), :]
    return np.asarray(rotation_of(pose) @ (frame.R.T @ (point - frame.p)) + pose[..., :3])


def _pulled(robot: Robot, c: Array, spring: PointSpring) -> tuple[Array, Array]:
    """The point of the base at which a spring pulls, and its force on the base."""
    (at, far), body = (spring.start, spring.end), spring.joins[1]
    if spring.joins[0] != BASE:
        (far, at), body = (spring.start, spring.end), spring.joins[0]
    way = _place(robot, c, body, far) - at
    length = np.linalg.norm(way, axis=-1, keepdims=True)
    law = spring.spring
    return at, (law.preload + law.stiffness * (length - law.free)) * way / length
