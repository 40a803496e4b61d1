"""What a controller knows of a state: positions as the actuators' sensors tell them."""

from __future__ import annotations

import numpy as np

from linkwork.control.base import State
from linkwork.interface.robot import Array, Robot


def rounded(values: Array, resolution: float) -> Array:
    """Readings of sensors of this resolution; 0 is exact."""
    return np.round(values / resolution) * resolution if resolution else values


def from_actuators(robot: Robot, state: State, resolution: float, guess: Array | None) -> State:
    """The state that follows from actuator positions, read to a resolution, and their exact velocities.

    Where actuators are not the coordinates, as in a platform, the pose near `guess` is found by forward
    kinematics and the velocity from the velocities of the actuators there.
    """
    if robot.efforts.names == robot.coordinates.names:
        return State(rounded(state.position, resolution), state.velocity)
    readings = robot.actuator_motion(state.position, state.velocity)
    lengths = rounded(readings.position, resolution)
    near = state.position if guess is None else guess
    position = robot.forward_kinematics(lengths, near)  # type: ignore[attr-defined]
    unit_twists = np.eye(len(robot.velocities))
    J = robot.actuator_motion(position, unit_twists).velocity
    assert J is not None
    velocity = np.linalg.solve(J.T, np.asarray(readings.velocity))
    return State(position, np.asarray(velocity, dtype=np.float64))
