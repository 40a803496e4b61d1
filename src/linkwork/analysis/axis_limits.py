"""How far each axis of a pose can go from where a robot stands, and what stops it there."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from linkwork.analysis.region import Indices, first_exit
from linkwork.analysis.workspace import AXES, LIMITS, AxisRange
from linkwork.core.checked import checked
from linkwork.core.errors import InputError
from linkwork.core.rotations import from_angles, to_angles, with_quaternion
from linkwork.core.text import shown
from linkwork.kinematics.user_frames import UserFrames
from linkwork.robot.limits import limit_report
from linkwork.robot.robot import Array, Robot

MOST_TURN = np.radians([180.0, 89.9, 180.0])
PRECISION = 1e-7  # of the range looked at


@checked
def axis_limits(
    robot: Robot, pose: ArrayLike | None = None, frames: UserFrames | None = None
) -> tuple[AxisRange, ...]:
    """Of x y z roll pitch yaw, each alone from this pose; limits name the leg that reaches its own.

    Args:
        pose: of the object frame in the user frame, (7,) or (6,); home if left out.
        frames: without them the pose is that of the platform in base axes.
    """
    if not robot.coordinates.is_pose:
        raise InputError(
            f"{robot.name} is not placed by a whole pose; workspace(...).excursions tells how far its "
            "coordinates go."
        )
    frames = frames or UserFrames()
    at = frames.from_base(robot.home) if pose is None else with_quaternion(pose)
    start = np.array([*at[:3], *to_angles(at[3:])])
    if float(robot.margins(frames.to_base(at), errors="nan").least) < 0:
        raise InputError(f"{robot.name} cannot stand at this pose: {_reason(robot, frames, start)}.")
    return tuple(_range(robot, frames, start, k) for k in range(len(AXES)))


def _range(robot: Robot, frames: UserFrames, start: Array, k: int) -> AxisRange:
    def poses(values: Array) -> Array:
        angles = np.tile(start, (len(values), 1))
        angles[:, k] = values
        return frames.to_base(np.concatenate([angles[:, :3], from_angles(angles[:, 3:])], axis=1))

    def judge(points: Array) -> tuple[Array, Indices]:
        found = robot.margins(poses(points[:, 0]), errors="nan")
        lost = np.isnan(found.least)
        return np.where(lost, -1.0, found.least), np.where(lost, -1, found.kind)

    ends, why = [], []
    far = robot.size if k < 3 else MOST_TURN[k - 3]
    goals = start[k] + far * np.array([-1.0, 1.0]) if k < 3 else far * np.array([-1.0, 1.0])
    for goal in goals:
        reached, kind = first_exit(judge, float(start[k]), float(goal), PRECISION * far)
        beyond = start.copy()
        beyond[k] = reached + np.sign(goal - start[k]) * 1e-4 * far
        ends.append(reached)
        why.append("" if kind is None else _reason(robot, frames, beyond))
    return AxisRange(AXES[k], ends[0], why[0], ends[1], why[1], "m" if k < 3 else "rad")


def _reason(robot: Robot, frames: UserFrames, angles: Array) -> str:
    """Which limit of which leg or joint a pose breaks, in words."""
    place = frames.to_base(np.concatenate([angles[:3], from_angles(angles[3:])]))
    found = robot.margins(place, errors="nan")
    kinds = tuple(LIMITS[name] for name in found.by_kind)
    kind = kinds[int(found.kind)] if np.isfinite(found.least) else "singularity"
    if kind == LIMITS["reach"] or not np.isfinite(found.least):
        return kind
    measured = robot.quantities(place[None], np.zeros((1, robot.dof)))
    for each in limit_report(measured, (1,), None).breaks if measured else ():
        side = "below" if each.value < each.allowed else "above"
        what = each.limit.replace("_", " ")
        return f"{each.name}: {what} {side} {shown(each.allowed, each.unit, robot.angle_unit)}"
    return kind
