"""Variables of an FMU: names, units, start values, and their places in one vector of values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwork.exports.fmu_equations import Equations
from linkwork.interface.robot import Robot
from linkwork.mechanics.bodies import PARAMETERS
from linkwork.robots.mechanism_elements import reaction_names

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
    "kg": {"kg": 1},
    "kg m": {"kg": 1, "m": 1},
    "kg m^2": {"kg": 1, "m": 2},
}


@dataclass(frozen=True)
class Variable:
    """A number of the FMU; its value reference is its place in the list."""

    name: str
    unit: str
    causality: str
    variability: str = "continuous"
    initial: str | None = None
    start: float | None = None
    derivative_of: int | None = None
    description: str = ""


def variables(robot: Robot, equations: Equations) -> list[Variable]:
    """Time, states, their rates, inputs, outputs, parameters: in the order of the C code."""
    forward = equations.states > 0
    positions, velocities, efforts = robot.coordinates, robot.velocities, robot.efforts
    found = [Variable("time", "s", "independent", description="time")]

    def add(
        prefix: str, names: tuple[str, ...], units: tuple[str, ...], starts: object, **more: str
    ) -> None:
        values = np.broadcast_to(np.asarray(starts, dtype=float), (len(names),))
        for name, unit, start in zip(names, units, values, strict=True):
            found.append(Variable(f"{prefix}_{name}", unit, start=float(start), **more))  # type: ignore[arg-type]

    accelerations = tuple(f"{unit}^2" for unit in velocities.units)
    if forward:
        kept = {"causality": "output", "initial": "exact"}
        add("position", positions.names, positions.units, robot.home, **kept)
        add("velocity", velocities.names, velocities.units, 0.0, **kept)
        rates = tuple("1/s" if unit == "1" else f"{unit}/s" for unit in positions.units)
        names = [f"der_position_{name}" for name in positions.names]
        names += [f"acceleration_{name}" for name in velocities.names]
        for k, (name, unit) in enumerate(zip(names, (*rates, *accelerations), strict=True)):
            found.append(Variable(name, unit, "local", initial="calculated", derivative_of=1 + k))
        add("effort", efforts.names, efforts.units, 0.0, causality="input")
    else:
        given = {"causality": "input"}
        add("position", positions.names, positions.units, robot.home, **given)
        add("velocity", velocities.names, velocities.units, 0.0, **given)
        add("acceleration", velocities.names, accelerations, 0.0, **given)
    found += [
        Variable(name, unit, "output", initial="calculated") for name, unit in _outputs(robot, equations)
    ]
    fixed = {"causality": "parameter", "variability": "tunable", "initial": "exact"}
    payload = ("mass", *(f"moment_{axis}" for axis in AXES), *(f"inertia_{pair}" for pair in INERTIA))
    assert len(payload) == PARAMETERS
    add("payload", payload, ("kg", *["kg m"] * 3, *["kg m^2"] * 6), 0.0, **fixed)
    add("gravity", AXES, ("m/s^2",) * 3, robot.model.gravity, **fixed)
    return found


def _outputs(robot: Robot, equations: Equations) -> list[tuple[str, str]]:
    """Names and units of the elements of y."""
    found: list[tuple[str, str]] = []
    for part in equations.outputs:
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
