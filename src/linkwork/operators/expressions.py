"""Expressions that operators have and methods of robots have not."""

from __future__ import annotations

import casadi as ca

from linkwork.kernels.recipes import Expression
from linkwork.mechanics.expressions import SX, stack
from linkwork.mechanics.plant import Plant
from linkwork.simulation.plant_functions import rk4


def frame_expression(expression: Expression) -> Expression:
    """T (4, 4) from a method whose outputs are a position and a rotation matrix."""
    inputs = expression[0].sx_in()
    position, rotation = expression[0].call(inputs)
    R = ca.reshape(rotation, 3, 3).T  # elements come row by row
    T = ca.vertcat(ca.horzcat(R, position), SX(ca.DM([[0, 0, 0, 1]])))
    names = expression[0].name_in()
    return ca.Function("forward_kinematics", inputs, [stack([T])], names, ["T"]), ((4, 4),)


def step_expression(expression: Expression, plant: Plant) -> Expression:
    """A Runge-Kutta step with the effort held, from the forward dynamics: position, velocity, effort, h,
    further inputs -> position, velocity. Coulomb friction opposes the velocity of every stage."""
    forward = expression[0]
    position, velocity, effort, *others = forward.sx_in()
    h, n = SX.sym("h", 1), plant.position_size

    state = SX.sym("x", plant.state_size)
    without_effort = plant.rate(state, SX.zeros(plant.effort_size), {})
    moving = ca.Function("moving", [state], [without_effort[:n]])  # how the position changes

    def rate(x: SX) -> SX:
        return ca.vertcat(moving(x), forward(x[:n], x[n:], effort, *others))

    x = rk4(rate, ca.vertcat(position, velocity), h, plant.projected)
    first, second, third, *names = forward.name_in()
    function = ca.Function(
        "step",
        [position, velocity, effort, h, *others],
        [ca.densify(x[:n]), ca.densify(x[n:])],
        [first, second, third, "h", *names],
        ["position", "velocity"],
    )
    return function, ((n,), (plant.velocity_size,))
