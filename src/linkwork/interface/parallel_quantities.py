"""What a parallel robot's limits are about: positions, velocities and efforts of its joints."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from linkwork.interface.limits import ranges_of
from linkwork.interface.quantity import Quantity, quantity
from linkwork.interface.robot import Array

if TYPE_CHECKING:
    from linkwork.interface.parallel import ParallelRobot


def joint_quantities(
    robot: ParallelRobot, c: Array, cd: Array | None, effort: Array | None
) -> tuple[Quantity, ...]:
    """Of the actuators, and positions of the passive joints that have limits."""
    limits, names = robot.limits, robot.efforts.names
    units = tuple("rad" if joint.is_revolute else "m" for joint in robot.model.actuators)
    still = np.zeros(robot.freedoms)
    everything = robot.joints(c, still if cd is None else cd, still)
    actuated = np.array([joint.actuated for joint in robot.model.joints])
    found = [quantity("position", names, units, everything.q[:, actuated], limits.position, "position")]
    if cd is not None:
        speeds = everything.qd[:, actuated]
        per_second = tuple(f"{unit}/s" for unit in units)
        found.append(quantity("velocity", names, per_second, speeds, limits.velocity, "velocity"))
    if effort is not None:
        found.append(quantity("effort", names, robot.efforts.units, effort, limits.effort, "effort"))
    bounded = [
        k
        for k, joint in enumerate(robot.model.joints)
        if not joint.actuated and joint.limits.position is not None
    ]
    if bounded:
        passive = [robot.model.joints[k] for k in bounded]
        found.append(
            quantity(
                "passive joint position",
                tuple(joint.name for joint in passive),
                tuple("rad" if joint.is_revolute else "m" for joint in passive),
                everything.q[:, bounded],
                ranges_of(joint.limits.position for joint in passive),
                "position",
            )
        )
    return tuple(found)
