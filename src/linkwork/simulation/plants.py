"""Plants as CasADi functions: rate, energy, actuator velocities, and one step of the integration."""

from __future__ import annotations

import casadi as ca

from linkwork.kernels.recipes import Expression
from linkwork.mechanics.expressions import SX, stack
from linkwork.mechanics.plant import Plant
from linkwork.simulation.runge_kutta import rk4


def extra_symbols(plant: Plant, names: tuple[str, ...]) -> dict[str, SX]:
    """Symbols of the variations that a run has."""
    return {name: SX.sym(name, plant.variations[name]) for name in names}


def rate_function(plant: Plant, names: tuple[str, ...] = ()) -> ca.Function:
    """xd = f(x, effort, variations...)."""
    x, effort = SX.sym("x", plant.state_size), SX.sym("effort", plant.effort_size)
    extra = extra_symbols(plant, names)
    rate = plant.rate(x, effort, extra)
    return ca.Function("rate", [x, effort, *extra.values()], [rate], ["x", "effort", *extra], ["xd"])


def rate_expression(plant: Plant, names: tuple[str, ...]) -> Expression:
    return rate_function(plant, names), ((plant.state_size,),)


def step_expression(plant: Plant, names: tuple[str, ...]) -> Expression:
    """A Runge-Kutta step with the effort held: x, effort, h, variations -> next x."""
    rate = rate_function(plant, names)
    x, effort, h = SX.sym("x", plant.state_size), SX.sym("effort", plant.effort_size), SX.sym("h", 1)
    extra = extra_symbols(plant, names)
    following = rk4(lambda s: rate(s, effort, *extra.values()), x, h, plant.projected)
    inputs = ["x", "effort", "h", *extra]
    function = ca.Function("step", [x, effort, h, *extra.values()], [following], inputs, ["next"])
    return function, ((plant.state_size,),)


def energy_expression(plant: Plant, names: tuple[str, ...]) -> Expression:
    """Kinetic and potential energy: x, variations -> two numbers."""
    x, extra = SX.sym("x", plant.state_size), extra_symbols(plant, names)
    outputs = list(plant.energy(x, extra))
    inputs = ["x", *extra]
    function = ca.Function("energy", [x, *extra.values()], outputs, inputs, ["kinetic", "potential"])
    return function, ((), ())


def jacobian_expression(plant: Plant) -> Expression:
    """Velocities of the actuators per velocity of the robot: x -> (effort_size, velocity_size)."""
    x = SX.sym("x", plant.state_size)
    J = plant.actuator_jacobian(x)
    function = ca.Function("actuator_jacobian", [x], [stack([J])], ["x"], ["J"])
    return function, ((plant.effort_size, plant.velocity_size),)
