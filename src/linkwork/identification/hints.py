"""Which motion would show a parameter that a log does not show."""

from __future__ import annotations

import numpy as np

from linkwork.robot.base_parameters import BaseParameters
from linkwork.robot.robot import Array, Robot

SLOW = "slow motions through many positions"
STATES = 100


def hint(robot: Robot, base: BaseParameters, k: int) -> str:
    """In words: the kind of motion in which the parameter's column of the regressor is largest."""
    position, velocity, acceleration = robot.random_states(STATES, seed=1)
    still = np.zeros_like(velocity)
    column = base.basis[:, k]

    def size(*motion: Array) -> float:
        return float(np.abs(robot.regressor(*motion) @ column).max(axis=1).mean())

    rest = size(position, still, still)
    tried = {SLOW: rest}
    for j, name in enumerate(robot.velocities.names):
        alone = still.copy()
        alone[:, j] = acceleration[:, j]
        tried[f"hard accelerations of {name}"] = size(position, still, alone) - rest
        alone = still.copy()
        alone[:, j] = velocity[:, j]
        tried[f"high velocities of {name}"] = size(position, alone, still) - rest
    # Half, since it asks for more: one coordinate alone is easier to move fast.
    tried["high velocities of several coordinates at once"] = size(position, velocity, still) / 2 - rest
    best = max(tried, key=lambda name: tried[name])
    return f"{base.labels[k]}: {best} would show it"
