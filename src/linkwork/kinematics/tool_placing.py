"""Where the tool of a robot is, and coordinates that bring it somewhere else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from linkwork.core.rotations import (
    angles_rpy,
    inverse,
    multiply,
    quaternion_of,
    rotation_of,
    to_vector,
)
from linkwork.model.geometry import Transform
from linkwork.model.mechanism import BASE, POSE, tool_frame
from linkwork.robot.compiled import Array

if TYPE_CHECKING:
    from linkwork.robot.robot import Robot

STEPS = 30  # toward a place
NEAR = 1e-10  # of the machine's size: there
DAMPING = 1e-6  # of the greatest squared singular value, where directions are lost
FARTHEST = 0.3  # [rad, sizes of the machine] of a step


def tool_pose(robot: Robot, position: Array) -> Array:
    """Of the tool (4, 4); of an impossible position where coordinates put it, else as at home."""
    pose = robot.body_pose(position, errors="nan")
    if np.isfinite(pose).all():
        return Transform.of(rotation_of(pose), pose[:3]).matrix()
    body, tool = tool_frame(robot.mechanism)
    six, angles = _six(robot, tool.matrix()), robot.coordinates.to_angles(position)
    for each, value in zip(robot.mechanism.coordinates, angles, strict=True):
        if each.of == body and each.relative_to == BASE and each.pose is not None:
            six[POSE.index(each.pose)] = value
    return np.asarray(Transform.of(rotation_of(six), six[:3]).matrix() @ _on_body(robot))


def _on_body(robot: Robot) -> Array:
    """The tool in the frame of its body."""
    body, tool = tool_frame(robot.mechanism)
    return np.asarray((robot.mechanism.part(body).frame.inverse() @ tool).matrix())


def _six(robot: Robot, tool: Array) -> Array:
    """x y z roll pitch yaw of the tool's body."""
    body = tool @ np.linalg.inv(_on_body(robot))
    return np.array([*body[:3, 3], *angles_rpy(body[:3, :3])])


def placed(robot: Robot, position: Array, target: Array, turn: bool) -> Array:
    """See `Robot.placed`."""
    coordinates, body = robot.mechanism.coordinates, tool_frame(robot.mechanism)[0]
    if all(each.of == body and each.pose and each.relative_to == BASE for each in coordinates):
        six = _six(robot, target)
        return robot.coordinates.from_angles(
            np.array([six[POSE.index(each.pose or "")] for each in coordinates])
        )
    reach = np.where([unit == "rad/s" for unit in robot.velocities.units], 1.0, robot.size)
    best, least = position, np.inf
    for _ in range(STEPS):
        pose = robot.body_pose(position, errors="nan")
        J = robot.jacobian(position, errors="nan")
        if not np.isfinite(J).all():
            break
        away = target[:3, 3] - pose[:3]
        rotation = to_vector(multiply(quaternion_of(target[:3, :3]), inverse(pose[3:])))
        turned = robot.length_scale * float(np.linalg.norm(rotation)) if turn else 0.0
        off = float(np.linalg.norm(away)) + turned
        if off >= least * (1 - 1e-6):
            break
        best, least = position, off
        step = _damped(J[:3], away)
        if turn:  # with what freedom is left
            free = np.eye(len(step)) - _damped(J[:3], J[:3])
            step = step + free @ _damped(J[3:] @ free, rotation - J[3:] @ step)
        if np.linalg.norm(step) < NEAR * robot.size:
            break
        shortened = step / max(1.0, np.abs(step / reach).max() / FARTHEST)
        position = robot.coordinates.moved(position, shortened)
    return best


def _damped(J: Array, wanted: Array) -> Array:
    """J's pseudo-inverse times something, small where J is nearly singular."""
    left, values, right = np.linalg.svd(J, full_matrices=False)
    factors = values / (values**2 + DAMPING * max(float(values.max(initial=0.0)) ** 2, 1e-30))
    return np.asarray((right.T * factors) @ (left.T @ wanted))
