"""A robot as equations of an FMU: forward dynamics with states, inverse dynamics without, or an observer
of what acts from outside.

Payload (ten numbers, as `point_payload` gives them) and gravity are parameters; reactions are those of
the mechanism's joints. The functions are kernels, so that they come from the same graph as everything
else.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np

from linkwork.kernels import Kernel
from linkwork.mechanics.bodies import PARAMETERS, body_of
from linkwork.mechanics.expressions import SX, stack, times
from linkwork.mechanics.mechanism.methods import METHODS
from linkwork.mechanics.mechanism.robot_dynamics import MechanismDynamics
from linkwork.mechanics.methods import Options, Outputs
from linkwork.mechanics.momentum import momentum_and_force, tool_wrench
from linkwork.mechanics.plant import Plant
from linkwork.model.mechanism import reaction_names
from linkwork.robot.robot import Robot

GRAVITY = 3
STATES = {"forward": "forward_dynamics", "inverse": "inverse_dynamics", "observer": "forward_dynamics"}
BANDWIDTH = 10.0  # [Hz], of the observer at start


@dataclass(frozen=True)
class FmuEquations:
    """Functions of x (states), u (inputs) and p (parameters): rates, outputs and their derivatives.

    `outputs` names the parts of y with their sizes; forward dynamics has reactions, inverse dynamics
    efforts and reactions, the observer what it finds.
    """

    model: str
    states: int
    inputs: int
    parameters: int
    outputs: dict[str, int]
    rate: Kernel | None
    output: Kernel | None
    tangent: Kernel
    projected: Kernel | None


def observer_equations(robot: Robot, friction: bool, rotors: bool) -> FmuEquations:
    """Those of a momentum observer of first order in continuous time:

    sd = G' tau + b + r,    r = 2 pi f (p - s),

    with the integral s as state. It starts from rest; a robot that moves then is a push that fades.
    """
    plant = robot.plant(friction=friction, rotors=rotors)
    d, size = plant.velocity_size, plant.state_size
    s, u = SX.sym("x", d), SX.sym("u", size + plant.effort_size)
    p = SX.sym("p", PARAMETERS + GRAVITY + 1)
    inputs = {"payload": p[0:PARAMETERS], "gravity": p[PARAMETERS : PARAMETERS + GRAVITY]}
    momentum, force = momentum_and_force(plant, u[0:size], inputs)
    residual = 2 * np.pi * p[-1] * (momentum - s)
    rate = times(plant.actuator_jacobian(u[0:size]).T, u[size:]) + force + residual
    wrench = tool_wrench(plant, u[0:size], residual, True, float(robot.size))
    y, symbols = ca.vertcat(residual, wrench), {"x": s, "u": u, "p": p}
    return FmuEquations(
        model="observer",
        states=d,
        inputs=u.numel(),
        parameters=p.numel(),
        outputs={"residual": d, "external_wrench": wrench.numel()},
        rate=_kernel("rate", symbols, {"rate": rate}),
        output=_kernel("output", symbols, {"y": y}),
        tangent=_tangent(symbols, {"rate": rate, "y": y}),
        projected=None,
    )


def equations(robot: Robot, model: str, friction: bool, rotors: bool) -> FmuEquations:
    """The equations of one kind of FMU."""
    if model == "observer":
        return observer_equations(robot, friction, rotors)
    forward = model == "forward"
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
    return FmuEquations(
        model=model,
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


def _projected(plant: Plant, x: SX) -> Kernel:
    """The state with its quaternions at unit length."""
    return _kernel("projected", {"x": x}, {"unit": plant.projected(x)})


Names = tuple[str, ...]
AXES = ("x", "y", "z")
INERTIA = ("xx", "yy", "zz", "xy", "xz", "yz")
# SI base units of every unit, as FMI wants them.
UNITS: dict[str, dict[str, int]] = {
    "1": {},
    "s": {"s": 1},
    "m": {"m": 1},
    "rad": {"rad": 1},
    "1/s": {"s": -1},
    "m/s": {"m": 1, "s": -1},
    "rad/s": {"rad": 1, "s": -1},
    "m/s^2": {"m": 1, "s": -2},
    "rad/s^2": {"rad": 1, "s": -2},
    "N": {"kg": 1, "m": 1, "s": -2},
    "N m": {"kg": 1, "m": 2, "s": -2},
    "N s": {"kg": 1, "m": 1, "s": -1},
    "N m s": {"kg": 1, "m": 2, "s": -1},
    "Hz": {"s": -1},
    "kg": {"kg": 1},
    "kg m": {"kg": 1, "m": 1},
    "kg m^2": {"kg": 1, "m": 2},
}


@dataclass(frozen=True)
class FmuVariable:
    """A number of the FMU; its value reference is its place in the list."""

    name: str
    unit: str
    causality: str
    variability: str = "continuous"
    initial: str | None = None
    start: float | None = None
    derivative_of: int | None = None


def variables(robot: Robot, equations: FmuEquations) -> list[FmuVariable]:
    """Time, states, their rates, inputs, outputs, parameters: in the order of the C code."""
    model = equations.model
    positions, velocities, efforts = robot.coordinates, robot.velocities, robot.efforts
    found = [FmuVariable("time", "s", "independent")]

    def add(
        prefix: str, names: tuple[str, ...], units: tuple[str, ...], starts: object, **more: Any
    ) -> None:
        values = np.broadcast_to(np.asarray(starts, dtype=float), (len(names),))
        for name, unit, start in zip(names, units, values, strict=True):
            found.append(FmuVariable(f"{prefix}_{name}", unit, start=float(start), **more))

    accelerations = tuple(f"{unit}^2" for unit in velocities.units)
    if model == "forward":
        kept = {"causality": "output", "initial": "exact"}
        add("position", positions.names, positions.units, robot.home, **kept)
        add("velocity", velocities.names, velocities.units, 0.0, **kept)
        rates = tuple("1/s" if unit == "1" else f"{unit}/s" for unit in positions.units)
        names = [f"der_position_{name}" for name in positions.names]
        names += [f"acceleration_{name}" for name in velocities.names]
        for k, (name, unit) in enumerate(zip(names, (*rates, *accelerations), strict=True)):
            found.append(FmuVariable(name, unit, "local", initial="calculated", derivative_of=1 + k))
        add("effort", efforts.names, efforts.units, 0.0, causality="input")
    else:
        given = {"causality": "input"}
        if model == "observer":
            impulses = _of_coordinates(robot, ("N s", "N m s"))
            add("impulse", velocities.names, impulses, 0.0, causality="local", initial="exact")
            forces = _of_coordinates(robot, ("N", "N m"))
            for k, (name, unit) in enumerate(zip(velocities.names, forces, strict=True)):
                rate = f"der_impulse_{name}"
                found.append(FmuVariable(rate, unit, "local", initial="calculated", derivative_of=1 + k))
        add("position", positions.names, positions.units, robot.home, **given)
        add("velocity", velocities.names, velocities.units, 0.0, **given)
        if model == "observer":
            add("effort", efforts.names, efforts.units, 0.0, **given)
        else:
            add("acceleration", velocities.names, accelerations, 0.0, **given)
    found += [
        FmuVariable(name, unit, "output", initial="calculated")
        for name, unit in _outputs(robot, equations)
    ]
    fixed = {"causality": "parameter", "variability": "tunable", "initial": "exact"}
    payload = ("mass", *(f"moment_{axis}" for axis in AXES), *(f"inertia_{pair}" for pair in INERTIA))
    assert len(payload) == PARAMETERS
    add("payload", payload, ("kg", *["kg m"] * 3, *["kg m^2"] * 6), 0.0, **fixed)
    add("gravity", AXES, ("m/s^2",) * 3, robot.model.gravity, **fixed)
    if model == "observer":
        found.append(FmuVariable("bandwidth", "Hz", "parameter", "tunable", "exact", BANDWIDTH))
    return found


def _of_coordinates(robot: Robot, units: tuple[str, str]) -> tuple[str, ...]:
    """The unit of a slide or of a turn, for every coordinate."""
    return tuple(units[unit.startswith("rad")] for unit in robot.velocities.units)


def _outputs(robot: Robot, equations: FmuEquations) -> list[tuple[str, str]]:
    """Names and units of the elements of y."""
    found: list[tuple[str, str]] = []
    for part in equations.outputs:
        if part == "residual":
            names, units = robot.velocities.names, _of_coordinates(robot, ("N", "N m"))
            found += [(f"residual_{name}", unit) for name, unit in zip(names, units, strict=True)]
            continue
        if part == "external_wrench":
            for quantity, unit in (("force", "N"), ("moment", "N m")):
                found += [(f"external_{quantity}_{axis}", unit) for axis in AXES]
            continue
        if part == "effort":
            names, units = robot.efforts.names, robot.efforts.units
            found += [(f"effort_{name}", unit) for name, unit in zip(names, units, strict=True)]
            continue
        kinds = ("force", "moment") if part.endswith("wrench") else ("",)
        for place in reaction_names(robot.mechanism):
            for kind in kinds:
                quantity = part.removesuffix("wrench") + kind if kind else part
                unit = "N m" if "moment" in quantity else "N"
                found += [(f"{quantity}_{place}_{axis}", unit) for axis in AXES]
    return found
