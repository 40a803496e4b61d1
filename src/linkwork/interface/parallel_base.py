"""What a parallel robot is: its names, units, limits, and how its methods become kernels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from linkwork.checks import real
from linkwork.errors import InputError
from linkwork.interface.coordinates import POSE, TWIST, Coordinates
from linkwork.interface.limits import Limits, bounds_of, ranges_of
from linkwork.interface.options import RuntimeInputs, flag
from linkwork.interface.parallel_diagnosis import explain
from linkwork.interface.robot import Array, Noun, Robot
from linkwork.kernels.recipes import Expression
from linkwork.mechanics.methods import Method
from linkwork.mechanics.parallel.coordinates import takes_quaternion
from linkwork.mechanics.parallel.methods import METHODS, Options, express
from linkwork.mechanics.parallel.plant import ParallelPlant
from linkwork.mechanics.parallel.reactions import is_determinate
from linkwork.names import one_of
from linkwork.robots.families import mechanism_of_parallel
from linkwork.robots.mechanism import MechanismModel
from linkwork.robots.parallel import COORDINATES, ParallelModel
from linkwork.robots.parameters import Parameters, parallel_parameters
from linkwork.rotations import to_angles, with_quaternion

EXACT = "exact"
UNITS = dict(zip(COORDINATES, ("m", "m", "m", "rad", "rad", "rad"), strict=True))
VELOCITIES = ("vx", "vy", "vz", "roll_rate", "pitch_rate", "yaw_rate")


class ParallelBase(Robot):
    """A parallel robot as a robot among others; `ParallelRobot` adds what it computes."""

    _kernel_options = ("position_size",)

    def __init__(self, model: ParallelModel) -> None:
        super().__init__()
        if not isinstance(model, ParallelModel):
            raise InputError(
                f"ParallelRobot takes a ParallelModel, not {type(model).__name__}; lw.load makes robots."
            )
        self.model: ParallelModel = model

    def __repr__(self) -> str:
        legs = f"{len(self.model.legs)} legs"
        return f"<ParallelRobot {self.name}: {legs}, {', '.join(self.model.coordinates)}>"

    @property
    def n(self) -> int:
        """Number of actuators."""
        return len(self.model.actuators)

    @property
    def freedoms(self) -> int:
        """Number of independent coordinates."""
        return self.model.freedoms

    @property
    def noun(self) -> Noun:
        return "leg" if self._actuated_once else "joint"

    @property
    def _actuated_once(self) -> bool:
        counts = [sum(joint.actuated for joint in leg.joints) for leg in self.model.legs]
        return max(counts) == 1

    @property
    def leg_names(self) -> tuple[str, ...]:
        """Names of the legs."""
        return self.model.leg_names

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of all joints, in the order of the legs."""
        return tuple(joint.name for joint in self.model.joints)

    @property
    def coordinates(self) -> Coordinates:
        if self.freedoms == 6:
            return POSE
        names = self.model.coordinates
        return Coordinates(names, names, tuple(UNITS[name] for name in names))

    @property
    def velocities(self) -> Coordinates:
        if self.freedoms == 6:
            return TWIST
        names = self.model.coordinates
        labels = tuple(f"velocity of {name}" for name in names)
        units = tuple(f"{UNITS[name]}/s" for name in names)
        return Coordinates(tuple(VELOCITIES[COORDINATES.index(name)] for name in names), labels, units)

    @property
    def efforts(self) -> Coordinates:
        units = tuple("N m" if joint.is_revolute else "N" for joint in self.model.actuators)
        if self._actuated_once:
            legs = [leg.name for leg in self.model.legs if any(j.actuated for j in leg.joints)]
            return Coordinates(tuple(legs), tuple(legs), units)
        names = tuple(joint.name for joint in self.model.actuators)
        return Coordinates(names, names, units)

    @property
    def limits(self) -> Limits:
        """Bounds of the actuated joints."""
        limits = [joint.limits for joint in self.model.actuators]
        return Limits(
            position=ranges_of(each.position for each in limits),
            velocity=bounds_of(each.velocity for each in limits),
            effort=bounds_of(each.effort for each in limits),
        )

    @property
    def wrench_option(self) -> str:
        return "wrench"

    @property
    def formulations(self) -> tuple[str, ...]:
        return (EXACT,)

    @property
    def home(self) -> Array:
        """Where the legs are described: a pose (7,), or the coordinates (d,)."""
        home = self.model.home
        return with_quaternion(home) if self.freedoms == 6 else home[list(self.model.independent)]

    def random_motion(self, count: int, seed: int = 0) -> tuple[Array, Array, Array]:
        """Positions about home: a twentieth of the machine's size and 0.15 rad away."""
        rng = np.random.default_rng(seed)
        turns = np.array(["rad" in unit for unit in self.velocities.units])
        units = np.where(turns, 1.0, self.size)
        rate = np.sqrt(9.81 / self.size)
        away, velocity, acceleration = rng.normal(size=(3, count, len(units)))
        home = np.asarray(self.home)
        if self.coordinates.is_pose:
            home = np.concatenate([home[:3], to_angles(home[3:])])
        position = home + units * np.where(turns, 0.15, 0.05) * np.clip(away, -1, 1)
        if self.coordinates.is_pose:
            position = with_quaternion(position)
        return position, rate * units * velocity, rate**2 * units * acceleration

    @property
    def size(self) -> float:
        return self.model.size()

    @property
    def parameters(self) -> Parameters:
        return parallel_parameters(self.model)

    @property
    def determinate(self) -> bool:
        """Whether statics alone determines all joint reactions."""
        return is_determinate(self.model)

    # How it is computed.

    @property
    def _sizes(self) -> tuple[int, ...]:
        """Allowed sizes of the coordinates."""
        d = self.freedoms
        return (d, d + 1) if takes_quaternion(self.model) else (d,)

    def _expanded(self) -> MechanismModel:
        return mechanism_of_parallel(self.model)

    def _methods(self) -> Mapping[str, Method[Any, Options]]:
        return METHODS

    def _options(self, method: str, inputs: RuntimeInputs, options: dict[str, Any]) -> Options:
        size = options.get("position_size", len(self.home))
        if size not in self._sizes:
            raise InputError(f"position_size = {size!r}: allowed are {_either(self._sizes)}.")
        one_of(options.get("formulation") or EXACT, (EXACT,), "formulation")
        friction = flag(options.get("friction", True), "friction")
        rotors = flag(options.get("rotors", True), "rotors")
        return Options(size, inputs.names, friction, rotors, inputs.gravity)

    def _implied_options(self, method: str, arrays: tuple[Any, ...]) -> dict[str, Any]:
        """Quaternions and angles have kernels of their own."""
        c = arrays[METHODS[method].inputs.index("c")]
        try:
            size = c.shape[-1]
        except (AttributeError, IndexError):
            size = self._positions(c).shape[-1]
        if size not in self._sizes:
            self._positions(c)
        return {"position_size": size}

    def plant(self, *, friction: bool = True, rotors: bool = True) -> ParallelPlant:
        """The robot as a system of differential equations in its coordinates."""
        return ParallelPlant(self.model, friction, rotors)

    def _express(self, method: str, options: Options) -> Expression:
        return express(self.model, method, options)

    def _positions(self, position: ArrayLike) -> Array:
        c = real(position, "c")
        if c.ndim == 0 or c.shape[-1] not in self._sizes:
            names = ", ".join(self.model.coordinates)
            raise InputError(
                f"c has shape {c.shape}; its last axis must be {_either(self._sizes)}: {names}"
                + (", or a unit quaternion w x y z for the rotations." if len(self._sizes) > 1 else ".")
            )
        return c

    def _labels(self) -> dict[str, tuple[str, ...]]:
        d, names = self.freedoms, self.model.coordinates
        forces = ("fx", "fy", "fz", "mx", "my", "mz")
        positions = (*names[: d - 3], "qw or roll", "qx or pitch", "qy or yaw", "qz")
        return {
            "c": positions if takes_quaternion(self.model) else names,
            "cd": self.velocities.labels,
            "cdd": tuple(f"acceleration of {name}" for name in names),
            "tau": self.efforts.labels,
            "actuators": self.efforts.labels,
            "wrench": forces,
            "gravity": ("x", "y", "z"),
        }

    def _reason(self, method: str, inputs: dict[str, Array]) -> str:
        return explain(self, method, inputs)


def _either(sizes: tuple[int, ...]) -> str:
    return " or ".join(str(size) for size in sizes)
