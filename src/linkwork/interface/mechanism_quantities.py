"""What a mechanism's limits are about: positions, velocities and efforts of motors, passive joints."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from linkwork.interface.compiled import Array
from linkwork.interface.limits import ranges_of
from linkwork.interface.quantity import Quantity, against_envelopes, quantity
from linkwork.interface.results import MechanismMotion
from linkwork.robots.mechanism import Cylinder
from linkwork.robots.mechanism_elements import Element, motor_terms, passive_bounded

if TYPE_CHECKING:
    from linkwork.interface.robot import Robot


def unit_of(each: Element) -> str:
    return "m" if isinstance(each, Cylinder) or not each.is_revolute else "rad"


def of_motors(robot: Robot, motion: MechanismMotion) -> tuple[Array, Array, Array]:
    """Positions, velocities and accelerations of the motors, (..., n) each."""
    places = {name: k for k, name in enumerate(motion.names)}
    matrix = np.zeros((len(places), robot.n))
    for column, terms in enumerate(motor_terms(robot.mechanism).values()):
        for name, ratio in terms:
            matrix[places[name], column] = ratio
    return motion.q @ matrix, motion.qd @ matrix, motion.qdd @ matrix


def quantities_of(
    robot: Robot, c: Array, cd: Array | None, effort: Array | None
) -> tuple[Quantity, ...]:
    """Of the motors, and positions of the passive joints and cylinders that have limits."""
    limits, names = robot.limits, robot.efforts.names
    units = tuple("rad" if unit == "N m" else "m" for unit in robot.efforts.units)
    still = np.zeros(robot.freedoms)
    everything = robot.joint_motion(c, still if cd is None else cd, still)
    position, velocity, _ = of_motors(robot, everything)
    found = [quantity("position", names, units, position, limits.position, "position")]
    if cd is not None:
        per_second = tuple(f"{unit}/s" for unit in units)
        found.append(quantity("velocity", names, per_second, velocity, limits.velocity, "velocity"))
    if effort is not None:
        found.append(quantity("effort", names, robot.efforts.units, effort, limits.effort, "effort"))
        if cd is not None:
            found += against_envelopes("effort_velocity", names, limits.envelopes, velocity, effort)
    passive = passive_bounded(robot.mechanism)
    if passive:
        places = [everything.names.index(each.name) for each in passive]
        found.append(
            quantity(
                "passive joint position",
                tuple(each.name for each in passive),
                tuple(unit_of(each) for each in passive),
                everything.q[:, places],
                ranges_of(each.limits.position for each in passive),
                "position",
            )
        )
    return tuple(found)
