"""What a load at the tool adds to the efforts of a motion, per each of its ten parameters."""

from __future__ import annotations

import casadi as ca
import numpy as np

from linkwork.kernels import Kernel
from linkwork.kernels.recipes import Expression
from linkwork.mechanics.bodies import PARAMETERS
from linkwork.mechanics.expressions import SX, named_function, row_major, zeros
from linkwork.mechanics.plant import Plant
from linkwork.robot.compiled import recipe_of
from linkwork.robot.robot import Array, Robot


def payload_columns_expression(plant: Plant) -> Expression:
    """Position, velocity, acceleration -> (efforts, 10); efforts are linear in a load."""
    sizes = (plant.position_size, plant.velocity_size, plant.velocity_size)
    names = ("position", "velocity", "acceleration")
    c, cd, cdd = motion = tuple(SX.sym(name, n) for name, n in zip(names, sizes, strict=True))
    load = SX.sym("load", PARAMETERS)
    effort = plant.effort_for(ca.vertcat(c, cd), cdd, cd, {"payload": load})
    columns = ca.substitute(ca.jacobian(effort, load), load, zeros(PARAMETERS))
    inputs = dict(zip(names, motion, strict=True))
    function = named_function("payload_columns", inputs, {"columns": row_major(columns)})
    return function, ((plant.effort_size, PARAMETERS),)


def payload_columns(robot: Robot, position: Array, velocity: Array, acceleration: Array) -> Array:
    """Columns (N, n, 10) of a motion."""
    plant = robot.plant(friction=False)
    recipe = recipe_of(("payload columns", plant), lambda: payload_columns_expression(plant))
    found, nonfinite = Kernel.from_recipe(recipe).evaluate((position, velocity, acceleration))
    if nonfinite:
        robot.inverse_dynamics(position, velocity, acceleration)  # says at which row, and why
    return np.asarray(found)
