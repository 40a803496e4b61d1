"""How far universal and ball joints tilt from their mounting axes."""

from __future__ import annotations

import casadi as ca

from linkwork.mechanics.expressions import SX
from linkwork.mechanics.mechanism.robot_dynamics import MechanismDynamics


def cone_cosines(robot: MechanismDynamics) -> list[SX]:
    """Of every cone, between the mounting axis and the link."""
    state, found = robot.place, []
    for cone in robot.model.cones:
        joint, far = state.both(cone)
        link = far.p - joint.p
        found.append(ca.dot(state.seen_direction(joint, cone.axis), link) / ca.norm_2(link))
    return found
