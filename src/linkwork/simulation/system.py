"""A robot ready to be simulated: its plant as kernels, and how its state is read."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from linkwork.checks import numbers
from linkwork.control.base import ArmState, PlatformState
from linkwork.errors import InputError
from linkwork.interface.arm import Arm
from linkwork.interface.platform import Platform
from linkwork.interface.robot import Array
from linkwork.kernels import Kernel, Recipe
from linkwork.mechanics.arm.plant import ArmPlant
from linkwork.mechanics.plant import Plant
from linkwork.mechanics.platform.plant import PlatformPlant
from linkwork.rotations import with_quaternion
from linkwork.simulation.plants import rate_function, step_expression


class System:
    """The plant of a simulation, with parameters that differ from the robot's own if asked for."""

    def __init__(
        self,
        robot: Arm | Platform,
        payload: ArrayLike | None = None,
        friction: bool = True,
        rotors: bool = True,
    ) -> None:
        self.robot = robot
        self.extra: tuple[Array, ...] = ()
        names: tuple[str, ...] = ()
        if isinstance(robot, Arm):
            self.plant: Plant = ArmPlant(robot.model, friction, rotors)
            self.labels = robot.joint_names
            if payload is not None:
                names, self.extra = ("payload",), (_parameters(payload),)
        elif isinstance(robot, Platform):
            self.plant = PlatformPlant(robot.model, friction)
            self.labels = robot.leg_names
            if payload is not None:
                raise InputError("payload is for arms; a platform's file contains its payload.")
        else:
            raise InputError(f"simulate takes a robot from lw.load, not {type(robot).__name__}.")
        plant = self.plant
        shapes = ((plant.state_size,),)
        self.step = Kernel.from_recipe(
            Recipe(("step", plant, names), lambda: step_expression(plant, names))
        )
        self.rate = Kernel.from_recipe(
            Recipe(("rate", plant, names), lambda: (rate_function(plant, names), shapes))
        )

    @property
    def is_arm(self) -> bool:
        return isinstance(self.robot, Arm)

    @property
    def position_size(self) -> int:
        return self.plant.state_size - self.plant.effort_size

    def initial(self, start: Any) -> Array:
        """A state vector from what the user gives: positions, or (positions, rates), or nothing."""
        n = self.plant.effort_size
        if start is None:
            start = np.zeros(n) if self.is_arm else self.robot.home
        pair = isinstance(start, tuple) and len(start) == 2
        position, velocity = start if pair else (start, np.zeros(n))
        position = numbers(position, "start")
        if not self.is_arm:
            position = with_quaternion(position)
        velocity = numbers(velocity, "start")
        if position.shape != (self.position_size,) or velocity.shape != (n,):
            raise InputError(
                f"start has shapes {position.shape} and {velocity.shape}; it must be a position of "
                f"{self.position_size} numbers, or a pair of that and {n} rates."
            )
        return np.concatenate([position, velocity])

    def state(self, x: Array) -> ArmState | PlatformState:
        position, velocity = x[: self.position_size], x[self.position_size :]
        return ArmState(position, velocity) if self.is_arm else PlatformState(position, velocity)

    def energy(self, x: Array) -> tuple[Array, Array]:
        position, velocity = x[..., : self.position_size], x[..., self.position_size :]
        parts = self.robot.energy(position, velocity, errors="nan")
        return parts.kinetic, parts.potential

    def effort_limits(self) -> Array:
        """Greatest effort of every joint or leg; infinite where the robot file has none."""
        if isinstance(self.robot, Arm):
            bounds = [joint.limits.effort for joint in self.robot.model.joints]
        else:
            bounds = [leg.limits.force for leg in self.robot.model.legs]
        return np.array([np.inf if bound is None else bound for bound in bounds])

    def _bounded(self, x: Array) -> tuple[Array, Array, Array]:
        """Positions of joints or lengths of legs, and their bounds, infinite where there are none."""
        if isinstance(self.robot, Arm):
            values = x[: self.position_size]
            bounds = [joint.limits.position for joint in self.robot.model.joints]
        else:
            values = self.robot.leg_lengths(x[:7] / np.array([1, 1, 1, *[np.linalg.norm(x[3:7])] * 4]))
            bounds = [leg.limits.length for leg in self.robot.model.legs]
        low, high = np.array([(-np.inf, np.inf) if bound is None else bound for bound in bounds]).T
        return values, low, high

    def margin(self, x: Array) -> float:
        """Distance to the nearest limit; negative beyond it, large if there is none."""
        values, low, high = self._bounded(x)
        return float(min(np.min(values - low), np.min(high - values), 1e6))

    def outside(self, x: Array, slack: float = 0.0) -> str | None:
        """Which joint or leg stands beyond its limits (or within `slack` of them), in words."""
        values, low, high = self._bounded(x)
        beyond = (values < low + slack) | (values > high - slack)
        if not beyond.any():
            return None
        k = int(np.argmax(beyond))
        unit = "rad or m" if self.is_arm else "m"
        return (
            f"{self.labels[k]} is at {values[k]:.6g} {unit}; its limits are {low[k]:g} to {high[k]:g}."
        )


def _parameters(payload: ArrayLike) -> Array:
    values = numbers(payload, "payload")
    if values.shape == ():
        values = np.array([float(values), *[0.0] * 9])
    if values.shape != (10,):
        raise InputError(
            f"payload = {payload!r}: allowed is a mass [kg] at the tip, or ten parameters (point_load)."
        )
    return values
