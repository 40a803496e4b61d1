"""The task-space law of platforms as an expression."""

from __future__ import annotations

import casadi as ca

from linkwork.mechanics.expressions import SX, cross, number, zeros
from linkwork.mechanics.platform import exact, legs
from linkwork.mechanics.platform.pose import rotation_wxyz
from linkwork.robots.platform import PlatformModel

NAMES = ("pose", "twist", "pose_ref", "twist_ref", "acceleration_ref", "kp", "kv")
SIZES = (7, 6, 7, 6, 6, 6, 6)


def orientation_error(wanted: SX, actual: SX) -> SX:
    """Twice the vector part of the quaternion between two orientations, the short way round.

    To third order it is the rotation vector, in base axes; unlike that it needs no arc tangent.
    """
    w1, v1, w2, v2 = wanted[0], wanted[1:4], actual[0], actual[1:4]
    w = w1 * w2 + ca.dot(v1, v2)
    v = w2 * v1 - w1 * v2 - cross(v1, v2)
    return 2 * ca.if_else(w < 0, -1, 1) * v


def task_space_force(model: PlatformModel, signals: list[SX]) -> SX:
    """Exact inverse dynamics at a_ref + kv ed + kp e."""
    pose, twist, pose_ref, twist_ref, acceleration_ref, kp, kv = signals
    turn = orientation_error(pose_ref[3:7], pose[3:7])
    error = ca.vertcat(pose_ref[0:3] - pose[0:3], turn)
    wanted = acceleration_ref + kv * (twist_ref - twist) + kp * error
    R = rotation_wxyz(pose[3:7])
    state = exact.State(
        model=model,
        R=R,
        twist=twist,
        wrench=zeros(6),
        gravity=number(model.gravity),
        legs=tuple(legs.geometry(leg, pose[0:3], R) for leg in model.legs),
    )
    return exact.actuator_forces(state, wanted)


def platform_law_function(model: PlatformModel) -> ca.Function:
    signals = [SX.sym(name, size) for name, size in zip(NAMES, SIZES, strict=True)]
    return ca.Function("task_space", signals, [task_space_force(model, signals)], list(NAMES), ["force"])
