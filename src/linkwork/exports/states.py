"""States for the check that every export carries, and what inputs and outputs of routines mean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkwork.core.errors import InputError
from linkwork.core.table_files import Plain
from linkwork.exports.rounding import DOUBLE, spread
from linkwork.exports.routines import Routine
from linkwork.robot.coordinates import Coordinates
from linkwork.robot.robot import Array, Robot

COUNT = 8
SEED = 1
TRIED = 4  # times as many as needed: some may be out of reach
SHARES = (0.3, 0.1, 0.03)  # of the way from home to a random position
ROUNDING = 90.0  # roundoffs: 1e-14 in double precision
SAFETY = 8.0  # times the spread of a few samples: others round in their own ways
NO_DIGITS = 1e-3  # of results, spread: there a robot is singular


@dataclass(frozen=True)
class CheckedStates:
    """Inputs (N, size) and results (N, *shape) of a routine by name.

    `spread`: by which random rounding of every operation takes results from these, of a state's largest.
    """

    inputs: dict[str, Array]
    outputs: dict[str, Array]
    spread: float = 0.0
    unit: float = DOUBLE  # roundoff of the precision of these programs

    @property
    def tolerance(self) -> float:
        """How far other programs of the same graph may be from the results, of a state's largest."""
        return max(ROUNDING * self.unit, SAFETY * self.spread)

    @property
    def data(self) -> Plain:
        """For a file that other programs read; matrices row by row."""
        outputs = {key: values.reshape(len(values), -1) for key, values in self.outputs.items()}
        return {
            "tolerance": self.tolerance,
            "inputs": {key: values.tolist() for key, values in self.inputs.items()},
            "outputs": {key: values.tolist() for key, values in outputs.items()},
        }


def _positions(robot: Robot, count: int, rng: np.random.Generator) -> Array:
    """About home, nearer where loops do not close or a limit is broken."""
    drawn = robot.random_states(count, int(rng.integers(2**31)))[0]
    found, usable = drawn, np.zeros(count, dtype=bool)
    for share in SHARES:
        nearer = robot.coordinates.normalized(robot.home + share * (drawn - robot.home))
        found = np.where(usable[:, None], found, nearer)
        usable = _usable(robot, found)
    return found


def _usable(robot: Robot, position: Array) -> NDArray[np.bool_]:
    """Where loops close and no limit is broken."""
    usable = np.array(np.isfinite(robot.mass_matrix(position, errors="nan")).all(axis=(-1, -2)))
    rows = np.flatnonzero(usable)
    for each in robot.quantities(position[rows]):
        usable[rows] &= ~each.broken.any(axis=-1)
    return usable


def sampled(robot: Robot, routine: Routine, count: int = COUNT) -> CheckedStates:
    """Random states within limits or near home that have finite results, or an InputError."""
    rng = np.random.default_rng(SEED)
    rows = TRIED * count
    inputs = _inputs(robot, routine, rows, rng)
    results, _ = routine.kernel.evaluate(tuple(inputs.values()))
    outputs = results if isinstance(results, tuple) else (results,)
    finite = np.ones(rows, dtype=bool)
    for values in outputs:
        finite &= np.isfinite(values).reshape(rows, -1).all(axis=1)
    usable = np.flatnonzero(finite)
    apart = np.full(rows, np.inf)
    if len(usable):
        apart[usable] = spread_of(routine, inputs, outputs, usable, DOUBLE)
    finite &= apart < NO_DIGITS
    if finite.sum() < count:
        raise InputError(
            f"{routine.name} of {robot.name} has finite results in {finite.sum()} of {rows} states "
            f"about home: the robot is singular there. `linkwork check {robot.name}` tells more."
        )
    kept = np.flatnonzero(finite)[:count]
    return CheckedStates(
        {name: values[kept] for name, values in inputs.items()},
        {name: values[kept] for name, values in zip(routine.kernel.outputs, outputs, strict=True)},
        float(apart[kept].max()),
    )


def spread_of(
    routine: Routine,
    inputs: dict[str, Array],
    outputs: Sequence[Array],
    rows: NDArray[np.intp] | slice,
    unit: float,
) -> Array:
    """By how much random rounding takes results apart, of a state's largest."""
    values = np.concatenate([each.reshape(len(each), -1)[rows] for each in outputs], axis=1)
    return spread(routine.kernel.graph, [each[rows] for each in inputs.values()], values, unit)


def _inputs(robot: Robot, routine: Routine, rows: int, rng: np.random.Generator) -> dict[str, Array]:
    drawn: dict[str, Array] = {}
    for name, size in routine.kernel.inputs.items():
        role = role_of(name)
        if role == "position":
            value = _positions(robot, rows, rng)
        elif role == "effort":
            m = len(robot.velocities)
            # Accelerations of the size of gravity: small ones would be differences of large forces.
            motion = (*list(drawn.values())[:2], 10 * rng.normal(size=(rows, m)))
            value = robot.inverse_dynamics(*motion, errors="nan")
        elif role == "gravity":
            value = np.asarray(robot.model.gravity) + rng.normal(size=(rows, size))
        elif role == "gain":
            value = rng.uniform(10, 100, (rows, size))
        elif role in RANGES:
            value = rng.uniform(*RANGES[role], (rows, size))
        elif role == "memory":  # as other states have left it
            before = [np.roll(each, 1, axis=0) for each in drawn.values()]
            value = routine.kernel.evaluate((*before, np.zeros((rows, size))))[0][0]
        else:
            value = rng.normal(size=(rows, size))
        drawn[name] = np.ascontiguousarray(value, dtype=np.float64)
    return drawn


ROLES = {
    "position": ("q", "pose", "c", "q_ref", "pose_ref"),
    "velocity": ("qd", "twist", "cd", "qd_ref", "twist_ref"),
    "acceleration": ("qdd", "acceleration", "cdd", "qdd_ref", "acceleration_ref"),
    "effort": ("tau", "force"),
    "gravity": ("gravity",),
    "gain": ("kp", "kv"),
    "period": ("period",),
    "bandwidth": ("bandwidth",),
    "forgetting": ("forgetting",),
    "memory": ("memory",),
}
RANGES = {"period": (1e-3, 1e-2), "bandwidth": (2.0, 20.0), "forgetting": (0.9, 1.0)}
_ROLE_OF = {name: role for role, names in ROLES.items() for name in names}
OTHERS = {
    "gravity": "acceleration of gravity, base axes [m/s^2]",
    "tip_wrench": "exerted on the surroundings, last link's frame: force [N], moment [N m]",
    "wrench": "acts on the platform, platform axes at its reference point: force [N], moment [N m]",
    "base_motion": "angular velocity, angular and linear acceleration of the base, base axes",
    "kp": "gains on the position's error, one per freedom",
    "kv": "gains on the velocity's error, one per freedom",
    "M": "mass matrix, row by row",
    "J": "Jacobian, row by row",
    "T": "homogeneous transforms, row by row",
    "period": "since the last sample [s]",
    "bandwidth": "of the low-pass, 3 dB down [Hz]",
    "forgetting": "what a sample counts for after the next; 1 forgets nothing",
    "memory": "zeros before the first sample, then memory_next of the last",
    "memory_next": "for the next sample",
    "residual": "forces on the coordinates from outside, in their order [N m or N]",
    "external_wrench": "acts on the robot at its tool's origin, tool axes: force [N], moment [N m]",
    "load": "m, m x, m y, m z, Jxx, Jyy, Jzz, Jxy, Jxz, Jyz about the tool's origin, tool axes",
    "scales": "true efforts over those given, one per actuator",
    "carried": "the load as a body that can exist, to be given to a model as payload",
}


def role_of(name: str) -> str:
    """What kind of quantity an input or output is: position, velocity, ..., or other."""
    return _ROLE_OF.get(name, "other")


def coordinates_of(robot: Robot, name: str) -> Coordinates | None:
    """Names and units of the elements, where they are those of the robot's coordinates."""
    role = role_of(name)
    if role == "position":
        return robot.coordinates
    if role == "velocity":
        return robot.velocities
    if role == "acceleration":
        units = tuple(f"{unit}^2" for unit in robot.velocities.units)  # rad/s -> rad/s^2
        return Coordinates(robot.velocities.names, robot.velocities.labels, units)
    return robot.efforts if role == "effort" else None


def meaning(robot: Robot, name: str, shape: tuple[int, ...]) -> str:
    """One line on an input or output."""
    found = coordinates_of(robot, name)
    if found is not None and shape == (len(found),):
        wanted = "reference " if name.endswith("_ref") else ""
        return f"{wanted}{role_of(name)}: {', '.join(found.names)} [{found.unit}]"
    return OTHERS.get(name, name.replace("_", " "))


def motion_check(robot: Robot, **options: Any) -> dict[str, list[list[float]]]:
    """Motions and the efforts that they need, for programs that know a robot's mechanism only."""
    routine = Routine("inverse_dynamics", robot.kernel("inverse_dynamics", **options))
    found = sampled(robot, routine)
    values = (*found.inputs.values(), *found.outputs.values())
    names = ("position", "velocity", "acceleration", "effort")
    return {name: value.tolist() for name, value in zip(names, values, strict=True)}
