"""A robot as equations of an FMU: forward dynamics with states, or inverse dynamics without.

Payload (ten numbers, as `point_load` gives them) and gravity are parameters; reactions are those of the
mechanism's joints. The functions are kernels, so that they come from the same graph as everything else.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from linkwork.interface.robot import Robot
from linkwork.kernels import Kernel
from linkwork.mechanics.bodies import PARAMETERS, body_of
from linkwork.mechanics.expressions import SX, stack
from linkwork.mechanics.mechanism.methods import METHODS, Options
from linkwork.mechanics.mechanism.robot_dynamics import MechanismDynamics
from linkwork.mechanics.methods import Outputs
from linkwork.mechanics.plant import RobotPlant

GRAVITY = 3


@dataclass(frozen=True)
class Equations:
    """Functions of x (states), u (inputs) and p (parameters): rates, outputs and their derivatives.

    `outputs` names the parts of y with their sizes; forward dynamics has reactions, inverse dynamics
    efforts and reactions.
    """

    states: int
    inputs: int
    parameters: int
    outputs: dict[str, int]
    rate: Kernel | None
    output: Kernel | None
    tangent: Kernel
    projected: Kernel | None


def equations(robot: Robot, forward: bool, friction: bool, rotors: bool) -> Equations:
    """The equations of one kind of FMU."""
    nq, nv, n = len(robot.coordinates), len(robot.velocities), robot.n
    p = SX.sym("p", PARAMETERS + GRAVITY)
    x = SX.sym("x", nq + nv if forward else 0)
    u = SX.sym("u", n if forward else nq + 2 * nv)
    plant = robot.plant(friction=friction, rotors=rotors)
    state = x if forward else u[0 : nq + nv]
    position, velocity = state[0:nq], state[nq:]
    inputs = {"payload": p[0:PARAMETERS], "gravity": p[PARAMETERS:]}
    rate = SX(0, 1)
    found: Outputs = {}
    if forward:
        rate = plant.rate(x, u, inputs)
        acceleration = rate[nq:]
    else:
        acceleration = u[nq + nv :]
        found["effort"] = plant.effort_for(state, acceleration, velocity, inputs), (n,)
    if robot.determinate:
        load, gravity = body_of(inputs["payload"]), inputs["gravity"]
        dynamics = MechanismDynamics(
            robot.mechanism, position, velocity, friction, rotors, gravity=gravity, load=load
        )
        options = Options(nq, friction=friction, rotors=rotors)
        moving = {"cd": velocity, "cdd": acceleration}
        found |= METHODS["reactions"].express(dynamics, moving, options)
    y = ca.vertcat(*[stack([value]) for value, _ in found.values()]) if found else SX(0, 1)
    symbols = {"x": x, "u": u, "p": p}
    return Equations(
        states=x.numel(),
        inputs=u.numel(),
        parameters=p.numel(),
        outputs={name: value.numel() for name, (value, _) in found.items()},
        rate=_kernel("rate", symbols, {"rate": rate}) if forward else None,
        output=_kernel("output", symbols, {"y": y}) if found else None,
        tangent=_tangent(symbols, {"rate": rate, "y": y}),
        projected=_projected(plant, x) if forward and robot.coordinates.quaternions else None,
    )


def _kernel(name: str, inputs: dict[str, SX], outputs: dict[str, SX]) -> Kernel:
    """A kernel of those inputs and outputs that have elements."""
    given = {key: value for key, value in inputs.items() if value.numel()}
    found = {key: ca.densify(value) for key, value in outputs.items() if value.numel()}
    function = ca.Function(name, list(given.values()), list(found.values()), list(given), list(found))
    return Kernel(function, tuple((value.numel(),) for value in found.values()))


def _tangent(symbols: dict[str, SX], outputs: dict[str, SX]) -> Kernel:
    """Derivatives of rate and y in the direction (dx, du)."""
    along = ca.vertcat(symbols["x"], symbols["u"])
    seeds = {f"d{key}": SX.sym(f"d{key}", symbols[key].numel()) for key in ("x", "u")}
    direction = ca.vertcat(*seeds.values())
    found = {
        f"d{key}": ca.jtimes(value, along, direction) for key, value in outputs.items() if value.numel()
    }
    return _kernel("tangent", {**symbols, **seeds}, found)


def _projected(plant: RobotPlant, x: SX) -> Kernel:
    """The state with its quaternions at unit length."""
    return _kernel("projected", {"x": x}, {"unit": plant.projected(x)})
