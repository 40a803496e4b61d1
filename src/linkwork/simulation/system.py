"""A robot ready to be simulated: its plant as kernels, and how its state is read."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from linkwork.checks import numbers
from linkwork.control.base import State
from linkwork.errors import InputError
from linkwork.interface.options import flag
from linkwork.interface.quantity import Quantity
from linkwork.interface.robot import Array, Robot
from linkwork.kernels import Kernel, Recipe
from linkwork.kernels.recipes import Expression
from linkwork.mechanics.plant import Plant
from linkwork.rotations import with_quaternion
from linkwork.simulation.payloads import payload_parameters
from linkwork.simulation.plants import (
    energy_expression,
    jacobian_expression,
    rate_expression,
    step_expression,
)
from linkwork.simulation.stick_slip import Friction, Indices, Step, advance


class System:
    """The plant of a simulation, with parameters that differ from the robot's own if asked for."""

    def __init__(
        self,
        robot: Robot,
        payload: ArrayLike | None = None,
        friction: bool = True,
        rotors: bool = True,
    ) -> None:
        self.robot = checked_robot(robot, "simulate")
        self.plant: Plant = robot.plant(
            friction=flag(friction, "friction"), rotors=flag(rotors, "rotors")
        )
        names: tuple[str, ...] = ()
        self.extra: tuple[Array, ...] = ()
        if payload is not None:
            names, self.extra = ("payload",), (payload_parameters(payload),)
        self._names = names

    # Made when they are first needed: a kernel that no integrator asks for would be traced for nothing.

    @cached_property
    def step(self) -> Kernel:
        return self._kernel("step", step_expression)

    @cached_property
    def rate(self) -> Kernel:
        return self._kernel("rate", rate_expression)

    @cached_property
    def _energy(self) -> Kernel:
        return self._kernel("plant energy", energy_expression)

    def _kernel(self, name: str, express: Callable[[Plant, tuple[str, ...]], Expression]) -> Kernel:
        plant, names = self.plant, self._names
        return Kernel.from_recipe(Recipe((name, plant, names), lambda: express(plant, names)))

    @cached_property
    def _jacobian(self) -> Kernel | None:
        if self.plant.actuated_coordinates:
            return None
        plant = self.plant
        return Kernel.from_recipe(
            Recipe(("actuator jacobian", plant), lambda: jacobian_expression(plant))
        )

    @cached_property
    def friction(self) -> Friction | None:
        """Coulomb friction, if there is any."""
        return Friction.of(self.plant) if self.plant.coulomb else None

    def rate_at(self, x: Array, effort: Array, slip: Array | None = None) -> tuple[Array, Array, bool]:
        """xd, the friction that holds what sticks (nothing without friction), and whether it is finite.

        Coordinates slip by the signs of their velocities unless `slip` tells otherwise.
        """
        if self.friction is None:
            xd, nonfinite = self.rate.evaluate((x, effort, *self.extra))
            return xd, np.empty(0), nonfinite
        way = self.friction.slip(self.split(x)[1]) if slip is None else slip
        (xd, hold), nonfinite = self.rate.evaluate((x, effort, way, *self.extra))
        return xd, hold, nonfinite

    def after(self, x: Array, effort: Array, h: float) -> tuple[Array, bool]:
        """The state a Runge-Kutta step later, the effort held, and whether a number is not finite."""
        length = np.array([h])
        if self.friction is None:
            following, nonfinite = self.step.evaluate((x, effort, length, *self.extra))
            return following, nonfinite

        def step(
            index: Indices, states: Array, gone: Array, lengths: Array, slip: Array
        ) -> tuple[Array, Array]:
            arrays = (states, effort, lengths[:, None], slip, *self.extra)
            (reached, hold, _), _ = self.step.evaluate(arrays)
            return reached, hold

        return self.slipping(x, h, step)

    def slipping(self, x: Array, h: float, step: Step) -> tuple[Array, bool]:
        """One state after a step with all that sticks and slips on the way."""
        assert self.friction is not None
        state = x[None]
        slip = self.friction.slip(self.split(state)[1])
        whole = np.array([h])
        reached, hold = step(np.zeros(1, dtype=np.intp), state, np.zeros(1), whole, slip)
        if not np.isfinite(reached).all():
            return reached[0], True
        turned = self.friction.crossed(slip, self.split(reached)[1]).any()
        if turned or self.friction.released(slip, hold).any():
            reached = advance(step, self.friction, state, whole, self.position_size)
        return reached[0], not np.isfinite(reached).all()

    @property
    def position_size(self) -> int:
        return self.plant.position_size

    def split(self, x: Array) -> tuple[Array, Array]:
        """Position and velocity of states."""
        return x[..., : self.position_size], x[..., self.position_size :]

    def state(self, x: Array) -> State:
        return State(*self.split(x))

    def initial(self, start: Any) -> Array:
        """A state vector from what the user gives: a position, or (position, velocity), or nothing."""
        m = self.plant.velocity_size
        if start is None:
            start = self.robot.home
        pair = isinstance(start, tuple) and len(start) == 2
        position, velocity = start if pair else (start, np.zeros(m))
        position, velocity = start_position(self.robot, position), numbers(velocity, "start")
        if position.shape != (self.position_size,) or velocity.shape != (m,):
            raise InputError(
                f"start has shapes {position.shape} and {velocity.shape}; it must be a position of "
                f"{self.position_size} numbers, or a pair of that and {m} velocities."
            )
        return np.concatenate([position, velocity])

    def projected(self, x: Array) -> Array:
        """A state on its manifold: quaternions of unit length."""
        if not self.robot.coordinates.is_pose:
            return x
        x = x.copy()
        x[3:7] /= np.linalg.norm(x[3:7])
        return x

    def energy(self, x: Array) -> tuple[Array, Array]:
        """Kinetic and potential energy of states, with the load."""
        (kinetic, potential), _ = self._energy.evaluate((x, *self.extra))
        return kinetic, potential

    def actuator_jacobian(self, x: Array) -> Array | None:
        """Velocities of the actuators per velocity of the robot; None where they are the same."""
        if self._jacobian is None:
            return None
        J, _ = self._jacobian.evaluate((x,))
        return np.asarray(J)

    def _bounded(self, x: Array) -> list[Quantity]:
        """Positions of joints or legs that the robot file bounds."""
        position, _ = self.split(self.projected(x))
        return [each for each in self.robot.quantities(position[None]) if each.bounded]

    def margin(self, x: Array) -> float:
        """Distance to the nearest limit; negative beyond it, large if there is none."""
        gaps = [np.minimum(each.values - each.low, each.high - each.values) for each in self._bounded(x)]
        return float(min((gap.min() for gap in gaps), default=1e6))

    def outside(self, x: Array, slack: float = 0.0) -> str | None:
        """Which joint or leg stands beyond its limits (or within `slack` of them), as a sentence."""
        for each in self._bounded(x):
            value = each.values[0]
            beyond = (value < each.low + slack) | (value > each.high - slack)
            if beyond.any():
                k = int(np.argmax(beyond))
                return (
                    f"{each.channels[k]} is at {each.name} {value[k]:.6g} {each.units[k]}; its limits "
                    f"are {each.low[k]:g} to {each.high[k]:g}."
                )
        return None


def checked_robot(robot: Any, who: str) -> Robot:
    """A robot of any kind, or an InputError."""
    if not isinstance(robot, Robot):
        raise InputError(f"{who} takes a robot from lw.load, not {type(robot).__name__}.")
    return robot


def start_position(robot: Robot, position: ArrayLike) -> Array:
    """Positions as numbers; a pose of six numbers becomes one of seven."""
    array = numbers(position, "start")
    return with_quaternion(array) if robot.coordinates.is_pose else array
