"""All methods of a robot that take states, with states that they take."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import linkwork as lw
from linkwork.analysis.agreement import random_states

POSITION, VELOCITY = ("q", "c", "pose", "position"), ("qd", "cd", "twist", "velocity")
ACCELERATION = ("qdd", "cdd", "acceleration")
EFFORT = ("tau", "force", "effort")
# Of a path or a machine, not of a batch of states; `quantities` hands back what it is given.
LEFT_OUT = (
    "plan_path", "assembly_modes", "follow", "placed", "motion_from_legs", "check_limits", "quantities",
)  # fmt: skip
OF_SPRINGS = ("stiffness", "vibration_modes")
SETTINGS = np.array([0.01, 0.02, 1.0])  # of the kernel of a platform's margins


def states(robot: lw.Robot, count: int, seed: int = 0) -> dict[str, np.ndarray]:
    """Inputs of methods by their names, (count, ...): motions within reach, with some efforts."""
    drawn = random_states(robot, count, seed)
    position, velocity, acceleration = (np.resize(part, (count, part.shape[1])) for part in drawn)
    effort = np.random.default_rng(seed).normal(size=(count, robot.n))
    return {
        **dict.fromkeys(POSITION, position),
        **dict.fromkeys(VELOCITY, velocity),
        **dict.fromkeys(ACCELERATION, acceleration),
        **dict.fromkeys(EFFORT, effort),
        "settings": np.tile(SETTINGS, (count, 1)),
    }


def methods(robot: lw.Robot) -> Iterator[tuple[Callable[..., Any], list[str]]]:
    """Public methods of a batch of states, and the names of their inputs."""
    stiff = robot.with_fields({robot.stiffness_field: 1e5}) if robot.stiffness_field else robot
    known = {*POSITION, *VELOCITY, *ACCELERATION, *EFFORT}
    for name in dir(type(robot)):
        method = getattr(type(robot), name)
        if name.startswith("_") or name in LEFT_OUT or not inspect.isfunction(method):
            continue
        wanted = list(inspect.signature(method).parameters.values())[1:]
        needed = [each.name for each in wanted if each.default is each.empty]
        poses = name == "inverse_kinematics" and isinstance(robot, lw.Arm)
        if needed and set(needed) <= known and not poses:
            yield getattr(stiff if name in OF_SPRINGS else robot, name), needed


def arrays(result: Any, rows: int) -> dict[str, np.ndarray]:
    """The arrays of a result that have one entry per state, by their places in it."""
    if isinstance(result, np.ndarray):
        return {"": result} if result.shape[:1] == (rows,) else {}
    parts: Any = ()
    if isinstance(result, dict):
        parts = result.items()
    elif isinstance(result, tuple | list):
        parts = zip(getattr(result, "_fields", range(len(result))), result, strict=True)
    elif dataclasses.is_dataclass(result):
        parts = vars(result).items()
    return {f"{name}.{key}": value for name, part in parts for key, value in arrays(part, rows).items()}
