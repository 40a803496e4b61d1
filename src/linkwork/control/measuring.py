"""The state of a robot from positions and velocities of its actuators."""

from __future__ import annotations

import numpy as np

from linkwork.control.base import State
from linkwork.interface.robot import Array, Robot


def actuated_directly(robot: Robot) -> bool:
    """Whether the actuators are the coordinates, as in an arm."""
    return robot.efforts.names == robot.coordinates.names


def state_of_actuators(robot: Robot, position: Array, velocity: Array, near: Array) -> State:
    """The state that actuator positions and velocities tell.

    Where actuators are not the coordinates, as in a platform, the pose near `near` is found by forward
    kinematics and the velocity from the velocities of the actuators there.
    """
    if actuated_directly(robot):
        return State(position, velocity)
    found = robot.forward_kinematics(position, near)
    J = actuator_jacobian(robot, found)
    twist = np.asarray(np.linalg.lstsq(J, velocity, rcond=None)[0], dtype=np.float64)
    return State(found, twist)


def actuator_jacobian(robot: Robot, position: Array) -> Array:
    """Velocities of the actuators per velocity of the robot."""
    unit_velocities = np.eye(len(robot.velocities))
    J = robot.actuator_motion(position, unit_velocities).velocity
    assert J is not None
    return np.asarray(J.T)


def from_actuators(robot: Robot, state: State, guess: Array | None) -> State:
    """The state found again from exact actuator positions and velocities."""
    readings = robot.actuator_motion(state.position, state.velocity)
    assert readings.velocity is not None
    near = state.position if guess is None else guess
    return state_of_actuators(robot, readings.position, readings.velocity, near)
