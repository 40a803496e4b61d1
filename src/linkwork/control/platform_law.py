"""The task-space law of platforms and parallel robots as an expression."""

from __future__ import annotations

import casadi as ca

from linkwork.mechanics.expressions import SX
from linkwork.mechanics.parallel.plant import ParallelPlant
from linkwork.mechanics.platform.dynamics import Formulation, PlatformDynamics
from linkwork.mechanics.platform.pose import orientation_error
from linkwork.robots.parallel import ParallelModel
from linkwork.robots.platform import PlatformModel

NAMES = ("pose", "twist", "pose_ref", "twist_ref", "acceleration_ref", "kp", "kv")
SIZES = (7, 6, 7, 6, 6, 6, 6)


def task_space_force(model: PlatformModel, formulation: Formulation, signals: list[SX]) -> SX:
    """Inverse dynamics at a_ref + kv ed + kp e."""
    pose, twist, pose_ref, twist_ref, acceleration_ref, kp, kv = signals
    turn = orientation_error(pose_ref[3:7], pose[3:7])
    error = ca.vertcat(pose_ref[0:3] - pose[0:3], turn)
    wanted = acceleration_ref + kv * (twist_ref - twist) + kp * error
    return PlatformDynamics(model, pose, twist).inverse(wanted, formulation)


def platform_law_function(model: PlatformModel, formulation: Formulation) -> ca.Function:
    signals = [SX.sym(name, size) for name, size in zip(NAMES, SIZES, strict=True)]
    force = task_space_force(model, formulation, signals)
    return ca.Function("task_space", signals, [force], list(NAMES), ["force"])


def parallel_law_function(model: ParallelModel) -> ca.Function:
    """Exact inverse dynamics at cdd_ref + kv ed + kp e, in the robot's coordinates."""
    plant = ParallelPlant(model)
    size, d = plant.position_size, plant.velocity_size
    sizes = (size, d, size, d, d, d, d)
    signals = [SX.sym(name, count) for name, count in zip(NAMES, sizes, strict=True)]
    c, cd, c_ref, cd_ref, cdd_ref, kp, kv = signals
    wanted = cdd_ref + kv * (cd_ref - cd) + kp * plant.position_error(c_ref, c)
    robot = plant.dynamics(ca.vertcat(c, cd), {})
    effort = robot.inverse(wanted) * robot.posture.guard
    return ca.Function("task_space", signals, [effort], list(NAMES), ["force"])
