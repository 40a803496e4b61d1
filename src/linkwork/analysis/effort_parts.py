"""What an effort is for: gravity, inertia, velocity, rotors, springs, friction, an external wrench."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from linkwork.interface.robot import Array, Robot
from linkwork.robots.mechanism import MechanismModel
from linkwork.robots.mechanism_elements import tool_frame


def effort_parts(
    robot: Robot,
    position: Array,
    velocity: Array,
    acceleration: Array,
    wrench: ArrayLike | None = None,
) -> dict[str, Array]:
    """Efforts (..., n) by cause; their sum is the effort of the whole motion.

    Where loops carry the tool's body, as they do a platform, its part and that of all other bodies are
    told apart. Causes that the robot does not have (rotors, springs, friction) or that are not given
    (the wrench, as `robot.wrench_option` takes it) are left out.
    """
    model, still = robot.mechanism, np.zeros(robot.freedoms)
    moving = robot.effort_parts(position, velocity, acceleration)
    held = robot.effort_parts(position, still, still)
    if _is_carried(model):
        tool = tool_frame(model)[0]
        others = "the legs" if all(tool in tie.joins for tie in model.ties) else "other bodies"
        parts = {
            f"weight of the {tool}": held.tool,
            f"inertia of the {tool}": moving.tool - held.tool,
            f"weight of {others}": held.bodies,
            f"inertia of {others}": moving.bodies - held.bodies,
        }
    else:
        steady = robot.effort_parts(position, velocity, still)
        gravity, bias, whole = (each.tool + each.bodies for each in (held, steady, moving))
        parts = {
            "gravity": gravity,
            "inertia": whole - bias,
            "Coriolis and centrifugal": bias - gravity,
        }
    parts |= {name: getattr(moving, name) for name in _causes(model)}
    if wrench is not None:
        parts["external wrench"] = _of_wrench(robot, position, still, wrench)
    return parts


def _is_carried(model: MechanismModel) -> bool:
    """Whether more than one joint, rod or cylinder holds the tool's body."""
    tool = tool_frame(model)[0]
    return sum(tool in tie.joins for tie in model.ties) > 1


def _causes(model: MechanismModel) -> list[str]:
    """What the mechanism has besides mass: springs, rotors, friction."""
    springs = model.springs or any(each.spring for each in model.elements)
    rotors = any(each.rotor for each in (*model.elements, *model.motors))
    viscous = [rod.viscous for rod in model.rods] + [(c.universal, c.spherical) for c in model.cylinders]
    rubs = any(each.friction.acts for each in model.elements) or bool(np.any(viscous))
    found = {"springs": springs, "rotors": rotors, "friction": rubs}
    return [name for name, there in found.items() if there]


def _of_wrench(robot: Robot, position: Array, still: Array, wrench: ArrayLike) -> Array:
    """Efforts that hold a wrench alone, without gravity; springs cancel."""
    options: dict[str, Any] = {"gravity": np.zeros(3), "friction": False}
    given: dict[str, Any] = {robot.wrench_option: wrench}
    loaded = robot.inverse_dynamics(position, still, still, **options, **given)
    return loaded - robot.inverse_dynamics(position, still, still, **options)
