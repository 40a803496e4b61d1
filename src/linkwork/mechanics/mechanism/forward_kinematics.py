"""Coordinates from actuators by Newton's method: Ga dc = what the actuators are off."""

from __future__ import annotations

from dataclasses import replace

import casadi as ca

from linkwork.mechanics.expressions import SX
from linkwork.mechanics.linear import solve_orthogonal
from linkwork.mechanics.mechanism.robot_dynamics import MechanismDynamics
from linkwork.robots.mechanism_elements import motor_terms


def newton(robot: MechanismDynamics, wanted: SX, steps: int) -> tuple[SX, SX]:
    """The coordinates after some steps, and how far the actuators are off there [m, rad].

    With more actuators than freedoms these are steps of least squares.
    """
    for _ in range(steps):
        Ga = robot.actuation
        change = solve_orthogonal([Ga[:, k] for k in range(robot.freedoms)], _off(robot, wanted))
        robot = replace(robot, c=robot.layout.stepped(robot.c, change))
    error = ca.sum1(ca.fabs(_off(robot, wanted)))  # fmax would hide NaN
    return robot.c, error * robot.guard


def _off(robot: MechanismDynamics, wanted: SX) -> SX:
    """What the actuators lack; turns that are solved for are known but for whole turns."""
    lack = wanted - robot.actuators(robot.place)[0]
    given = {each.name for each in robot.model.coordinates}
    turns = {joint.name for joint in robot.model.joints if joint.is_revolute} - given
    for k, terms in enumerate(motor_terms(robot.model).values()):
        if len(terms) == 1 and terms[0][0] in turns:
            lack[k] = ca.atan2(ca.sin(lack[k]), ca.cos(lack[k]))
    return lack
