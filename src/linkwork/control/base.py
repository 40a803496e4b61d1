"""What a controller is: from time and measured state to actuator efforts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from linkwork.checks import numbers, positive
from linkwork.errors import InputError
from linkwork.interface.robot import Array, Robot
from linkwork.kernels import Kernel, Recipe


class State(NamedTuple):
    """A robot at one moment: an arm's q and qd, a platform's pose (7) and twist (6)."""

    position: Array
    velocity: Array

    @property
    def q(self) -> Array:
        """The position, of an arm."""
        return self.position

    @property
    def qd(self) -> Array:
        """The velocity, of an arm."""
        return self.velocity

    @property
    def pose(self) -> Array:
        """The position, of a platform."""
        return self.position

    @property
    def twist(self) -> Array:
        """The velocity, of a platform."""
        return self.velocity


class Trajectory(Protocol):
    """A motion over time; `at(t)` gives positions, velocities and accelerations."""

    @property
    def duration(self) -> float: ...
    def at(self, t: ArrayLike) -> Any: ...


class Controller(ABC):
    """A control law. `period` [s] is its sampling time; None: it acts without delay at all times."""

    trajectory: Trajectory | None = None
    period: float | None = None

    def start(self) -> None:
        """Forget what a former run has left; called when a simulation begins."""
        return None

    @abstractmethod
    def effort(self, time: float, state: State) -> Array:
        """Torques of an arm or forces of a platform for the state measured at `time`."""


class CompiledController(Controller):
    """A control law that is an expression, so that a kernel evaluates it and `rollout` compiles it.

    The law takes a position, a velocity, the reference (position, velocity, acceleration), kp and kv.
    """

    robot: Robot
    kp: Array
    kv: Array
    lookahead: float = 0.0

    @property
    @abstractmethod
    def ingredients(self) -> tuple[Any, ...] | None:
        """Frozen data that names the law, model included; None for a law that is not ours to know."""

    @abstractmethod
    def law_function(self) -> ca.Function:
        """The law as a CasADi function."""

    @cached_property
    def kernel(self) -> Kernel:
        """The law alone, compiled."""
        shapes = ((self.robot.n,),)
        ingredients = self.ingredients
        if ingredients is None:
            return Kernel(self.law_function(), shapes)
        return Kernel.from_recipe(Recipe(ingredients, lambda: (self.law_function(), shapes)))

    def __getstate__(self) -> dict[str, Any]:
        """Copies and pickles leave the kernel behind; it is made anew where it is needed."""
        return {name: value for name, value in self.__dict__.items() if name != "kernel"}

    def reference(self, time: ArrayLike) -> Any:
        """The trajectory as this controller uses it: seen ahead by `lookahead`."""
        assert self.trajectory is not None
        return self.trajectory.at(np.asarray(time) + self.lookahead)


class FunctionController(Controller):
    """A plain function f(time, state) -> effort as a controller."""

    def __init__(self, function: Any, period: float | None = None) -> None:
        self.function = function
        self.period = check_period(period)

    def effort(self, time: float, state: State) -> Array:
        return np.asarray(self.function(time, state), dtype=np.float64)


def check_period(period: float | None) -> float | None:
    return None if period is None else positive(period, "period", "s")


def check_trajectory(trajectory: Any, size: int, what: str) -> Trajectory:
    """A trajectory whose positions have this many numbers."""
    if not (hasattr(trajectory, "at") and hasattr(trajectory, "duration")):
        raise InputError(f"trajectory is {trajectory!r}: allowed is a motion with duration and at(t).")
    found = np.shape(trajectory.at(0.0)[0])
    if found != (size,):
        raise InputError(f"the trajectory gives positions {found}; {what} needs ({size},).")
    return trajectory


def per_joint(value: ArrayLike, n: int, name: str) -> Array:
    """A gain for every joint from one number or n numbers, none negative."""
    array = numbers(value, name)
    if array.shape not in ((), (n,)) or (array < 0).any():
        raise InputError(f"{name} = {value!r}: allowed is a number >= 0, or {n} of them.")
    return np.broadcast_to(array, (n,)).copy()
