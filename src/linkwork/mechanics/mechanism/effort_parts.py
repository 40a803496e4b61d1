"""Efforts split by what needs them: the tool's body, the other bodies, springs, rotors, friction."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from linkwork.mechanics.expressions import SX
from linkwork.mechanics.mechanism.acting import Acting
from linkwork.mechanics.mechanism.coordinates import by_name, in_order
from linkwork.mechanics.mechanism.robot_dynamics import MechanismDynamics
from linkwork.robots.geometry import Body
from linkwork.robots.mechanism import MechanismModel
from linkwork.robots.mechanism_elements import tool_frame

NOTHING = Body.of(0.0, np.zeros(3), np.zeros((3, 3)))


def without_springs(model: MechanismModel) -> MechanismModel:
    return replace(
        model,
        joints=tuple(replace(joint, spring=None) for joint in model.joints),
        cylinders=tuple(replace(each, spring=None) for each in model.cylinders),
        springs=(),
    )


def tool_alone(model: MechanismModel) -> MechanismModel:
    """With mass in the tool's body only."""
    name = tool_frame(model)[0]
    return replace(
        model,
        parts=tuple(part if part.name == name else replace(part, body=NOTHING) for part in model.parts),
        rods=tuple(replace(rod, mass=0.0, axial=0.0, across=0.0) for rod in model.rods),
        cylinders=tuple(replace(each, barrel=NOTHING, rod=NOTHING) for each in model.cylinders),
    )


def effort_parts(robot: MechanismDynamics, cdd: SX) -> dict[str, SX]:
    """Efforts (n) by name: the total, then parts that add up to it."""
    rigid = replace(robot.acting, friction=False, rotors=False)
    turning = replace(robot.acting, friction=False)
    plain = without_springs(robot.model)

    def need(model: MechanismModel, acting: Acting) -> SX:
        found = robot.but(acting, model)
        return in_order(model, found.need(found.moving(by_name(model, cdd))))

    tool = need(tool_alone(plain), rigid)
    bodies, springs = need(plain, rigid), need(robot.model, rigid)
    with_rotors, total = need(robot.model, turning), need(robot.model, robot.acting)
    parts = {
        "total": total,
        "tool": tool,
        "bodies": bodies - tool,
        "springs": springs - bodies,
        "rotors": with_rotors - springs,
        "friction": total - with_rotors,
    }
    return {name: robot.efforts_for(value) for name, value in parts.items()}
