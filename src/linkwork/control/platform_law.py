"""The task-space law of platforms as an expression."""

from __future__ import annotations

import casadi as ca

from linkwork.mechanics.expressions import SX
from linkwork.mechanics.platform.dynamics import PlatformDynamics
from linkwork.mechanics.platform.pose import orientation_error
from linkwork.robots.platform import PlatformModel

NAMES = ("pose", "twist", "pose_ref", "twist_ref", "acceleration_ref", "kp", "kv")
SIZES = (7, 6, 7, 6, 6, 6, 6)


def task_space_force(model: PlatformModel, signals: list[SX]) -> SX:
    """Exact inverse dynamics at a_ref + kv ed + kp e."""
    pose, twist, pose_ref, twist_ref, acceleration_ref, kp, kv = signals
    turn = orientation_error(pose_ref[3:7], pose[3:7])
    error = ca.vertcat(pose_ref[0:3] - pose[0:3], turn)
    wanted = acceleration_ref + kv * (twist_ref - twist) + kp * error
    return PlatformDynamics(model, pose, twist).inverse(wanted)


def platform_law_function(model: PlatformModel) -> ca.Function:
    signals = [SX.sym(name, size) for name, size in zip(NAMES, SIZES, strict=True)]
    return ca.Function("task_space", signals, [task_space_force(model, signals)], list(NAMES), ["force"])
