"""Plants as CasADi functions: rate, energy, actuator velocities, and one step of the integration.

Functions of a plant with Coulomb friction have the direction of slip as an input after the effort, and
the friction that holds what sticks as an output after the first.
"""

from __future__ import annotations

from collections.abc import Callable

import casadi as ca

from linkwork.kernels import Kernel
from linkwork.kernels.recipes import Expression
from linkwork.mechanics.expressions import SX, named_function, stack, times
from linkwork.mechanics.plant import Plant
from linkwork.robot.compiled import recipe_of

WRENCH = "wrench"
STAGES = (0, 1, 1, 2)  # of a Runge-Kutta step: at its beginning, its middle, twice, and its end


def extra_symbols(plant: Plant, names: tuple[str, ...], over_steps: bool = False) -> dict[str, SX]:
    """Symbols of the variations that a run has; a wrench over steps at beginning, middle and end."""
    sizes = dict(plant.variations)
    if over_steps:
        sizes[WRENCH] *= 3
    return {name: SX.sym(name, sizes[name]) for name in names}


def _slip_symbols(plant: Plant) -> dict[str, SX]:
    return {"slip": SX.sym("slip", len(plant.coulomb))} if plant.coulomb else {}


def rate_function(plant: Plant, names: tuple[str, ...] = ()) -> ca.Function:
    """xd = f(x, effort, slip, variations...)."""
    x, effort = SX.sym("x", plant.state_size), SX.sym("effort", plant.effort_size)
    extra, slip = extra_symbols(plant, names), _slip_symbols(plant)
    if slip:
        outputs = dict(
            zip(("xd", "hold"), plant.sticking_rate(x, effort, slip["slip"], extra), strict=True)
        )
    else:
        outputs = {"xd": plant.rate(x, effort, extra)}
    inputs = {"x": x, "effort": effort, **slip, **extra}
    return ca.Function(
        "rate", list(inputs.values()), list(outputs.values()), list(inputs), list(outputs)
    )


def rate_expression(plant: Plant, names: tuple[str, ...]) -> Expression:
    return rate_function(plant, names), _shapes(plant)


def _shapes(plant: Plant) -> tuple[tuple[int, ...], ...]:
    return ((plant.state_size,), (len(plant.coulomb),)) if plant.coulomb else ((plant.state_size,),)


def rk4(rate: Callable[[SX], SX], x: SX, h: SX | float, projected: Callable[[SX], SX]) -> SX:
    """x after a step h of xd = rate(x); `projected` puts a stage back on its manifold."""
    h1 = h * rate(x)
    h2 = h * rate(projected(x + h1 / 2))
    h3 = h * rate(projected(x + h2 / 2))
    h4 = h * rate(projected(x + h3))
    return projected(x + (h1 + 2 * h2 + 2 * h3 + h4) / 6)


def runge_kutta_step(
    plant: Plant, rate: ca.Function, x: SX, effort: SX, h: SX, slip: SX, extra: dict[str, SX]
) -> list[SX]:
    """Next x and, for a plant with Coulomb friction, what holds it at the beginning of the step, and
    whether anything changes between sticking and slipping within it."""
    held: list[SX] = []
    stages = iter(STAGES)

    def rate_at(state: SX) -> SX:
        k = 6 * next(stages)
        now = [value[k : k + 6] if name == WRENCH else value for name, value in extra.items()]
        if not plant.coulomb:
            return rate(state, effort, *now)
        xd, hold = rate(state, effort, slip, *now)
        held.append(hold)
        return xd

    following = rk4(rate_at, x, h, plant.projected)
    if not held:
        return [following]
    velocity = plant.friction_velocity(following)
    return [following, held[0], _changes(plant, slip, velocity, held[0], extra)]


def _changes(plant: Plant, slip: SX, velocity: SX, hold: SX, extra: dict[str, SX]) -> SX:
    """1 if a velocity has turned against its slip, or friction cannot hold what sticks; else 0."""
    scale = extra.get("friction_scale", SX(1))
    found = SX(0)
    for k, (low, high) in enumerate(plant.coulomb):
        if low or high:
            turned = slip[k] * velocity[k] < 0
            loose = ca.fmax(hold[k] > high * scale, hold[k] < low * scale)  # 0 holds what slips
            found = ca.fmax(found, ca.fmax(turned, loose))
    return found


def step_expression(plant: Plant, names: tuple[str, ...]) -> Expression:
    """A Runge-Kutta step with the effort held: x, effort, h, slip, variations -> next x."""
    rate = rate_function(plant, names)
    x, effort, h = SX.sym("x", plant.state_size), SX.sym("effort", plant.effort_size), SX.sym("h", 1)
    extra, slip = extra_symbols(plant, names, over_steps=True), _slip_symbols(plant)
    outputs = runge_kutta_step(plant, rate, x, effort, h, slip.get("slip", SX()), extra)
    inputs = {"x": x, "effort": effort, "h": h, **slip, **extra}
    named = dict(zip(("next", "hold", "changes"), outputs, strict=False))
    return named_function("step", inputs, named), (*_shapes(plant), ())[: len(outputs)]


def energy_expression(plant: Plant, names: tuple[str, ...]) -> Expression:
    """Kinetic and potential energy: x, variations -> two numbers."""
    inputs = {"x": SX.sym("x", plant.state_size), **extra_symbols(plant, names)}
    kinetic, potential = plant.energy(inputs["x"], {name: inputs[name] for name in names})
    return named_function("energy", inputs, {"kinetic": kinetic, "potential": potential}), ((), ())


def jacobian_expression(plant: Plant, names: tuple[str, ...]) -> Expression:
    """Velocities of the actuators per velocity of the robot: x -> (effort_size, velocity_size)."""
    x = SX.sym("x", plant.state_size)
    J = stack([plant.actuator_jacobian(x)])
    function = named_function("actuator_jacobian", {"x": x}, {"J": J})
    return function, ((plant.effort_size, plant.velocity_size),)


def wrench_power_expression(plant: Plant, names: tuple[str, ...]) -> Expression:
    """Power that a wrench puts into a plant: x, wrench -> a number."""
    x, wrench = SX.sym("x", plant.state_size), SX.sym(WRENCH, 6)
    power = plant.wrench_power(x, wrench)
    return named_function("wrench_power", {"x": x, WRENCH: wrench}, {"power": power}), ((),)


def contact_expression(plant: Plant, names: tuple[str, ...]) -> Expression:
    """The wrench of what a plant touches: x -> six numbers."""
    x = SX.sym("x", plant.state_size)
    wrench = plant.contact_wrench(x)
    assert wrench is not None
    return named_function("contact_wrench", {"x": x}, {WRENCH: wrench}), ((6,),)


def sliding_expression(plant: Plant, names: tuple[str, ...]) -> Expression:
    """What Coulomb friction opposes: x, xd -> velocities, accelerations, Jacobian of the velocities."""
    x, xd = SX.sym("x", plant.state_size), SX.sym("xd", plant.state_size)
    found, size, n = plant.friction_kinematics(x), plant.position_size, len(plant.coulomb)
    J = found.jacobian
    velocity, acceleration = times(J, x[size:]), times(J, xd[size:]) + found.drift
    outputs = {"velocity": velocity, "acceleration": acceleration, "J": stack([J])}
    function = named_function("sliding", {"x": x, "xd": xd}, outputs)
    return function, ((n,), (n,), (n, plant.velocity_size))


EXPRESSIONS: dict[str, Callable[[Plant, tuple[str, ...]], Expression]] = {
    "step": step_expression,
    "rate": rate_expression,
    "plant energy": energy_expression,
    "actuator jacobian": jacobian_expression,
    "wrench power": wrench_power_expression,
    "contact wrench": contact_expression,
    "sliding": sliding_expression,
}


def plant_kernel(name: str, plant: Plant, names: tuple[str, ...] = (), optimize: bool = True) -> Kernel:
    """A function of a plant as a kernel; the index knows it if the plant's code is ours."""
    express = EXPRESSIONS[name]
    if not plant.indexed:
        return Kernel(*express(plant, names), optimize=optimize)
    recipe = recipe_of((name, plant, names), lambda: express(plant, names))
    return Kernel.from_recipe(recipe, optimize=optimize)
