"""What a controller is: from time and measured state to actuator efforts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from linkwork.checks import positive
from linkwork.control.feedback import per_freedom
from linkwork.control.integral import unwound
from linkwork.errors import InputError
from linkwork.interface.robot import Array, Robot
from linkwork.kernels import Kernel, Recipe


class State(NamedTuple):
    """A robot at one moment: position and velocity of its coordinates, a pose with a quaternion."""

    position: Array
    velocity: Array
    wrench: Array | None = None  # that a force-torque sensor measures, if there is one

    @property
    def q(self) -> Array:
        """The position, as arms call it."""
        return self.position

    @property
    def qd(self) -> Array:
        """The velocity, as arms call it."""
        return self.velocity

    @property
    def pose(self) -> Array:
        """The position, as platforms call it."""
        return self.position

    @property
    def twist(self) -> Array:
        """The velocity, as platforms call it."""
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

    def given_out(self, wanted: Array, bound: Array) -> None:
        """Told after every sample: the effort that was wanted, and the greatest that there is."""
        return None


@dataclass(frozen=True)
class LawInputs:
    """What a compiled law takes beside states and references."""

    matrices: bool = False
    integral: bool = False
    tip_wrench: bool = False


PLAIN = LawInputs()


class CompiledController(Controller):
    """A control law that is an expression, so that a kernel evaluates it and `rollout` compiles it.

    The law takes a position, a velocity, the reference (position, velocity, acceleration), kp and kv,
    then as `inputs` tells `integral` (ki times the integral of the error) and `tip_wrench` (measured at
    the wrist). With an integral, it also gives the error.
    """

    robot: Robot
    kp: Array
    kv: Array
    ki: Array | None = None
    lookahead: float = 0.0
    force_feedback: bool = False

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
        shapes: tuple[tuple[int, ...], ...] = ((self.robot.n,),)
        if self.ki is not None:
            shapes = (*shapes, (len(self.ki),))
        ingredients = self.ingredients
        if ingredients is None:
            return Kernel(self.law_function(), shapes)
        return Kernel.from_recipe(Recipe(ingredients, lambda: (self.law_function(), shapes)))

    def __getstate__(self) -> dict[str, Any]:
        """Copies and pickles leave the kernel behind; it is made anew where it is needed."""
        return {name: value for name, value in self.__dict__.items() if name != "kernel"}

    @property
    def inputs(self) -> LawInputs:
        """What the law takes beside states and references."""
        return LawInputs(self.kp.ndim == 2, self.ki is not None, self.force_feedback)

    def start(self) -> None:
        self._integral: Array | None = None if self.ki is None else np.zeros(len(self.ki))
        self._error: Array | None = None

    def answer(self, time: float, state: State) -> tuple[Array, bool]:
        """The law's effort, and whether a number is not finite. Its error waits for `given_out`."""
        arrays = [*state[:2], *self.reference(time), self.kp.ravel(), self.kv.ravel()]
        if self.ki is not None:
            assert self._integral is not None
            arrays.append(self.ki * self._integral)
        if self.force_feedback:
            arrays.append(np.zeros(6) if state.wrench is None else state.wrench)
        found, nonfinite = self.kernel.evaluate(tuple(arrays))
        if self.ki is None:
            return np.asarray(found), nonfinite
        effort, self._error = found
        return np.asarray(effort), nonfinite

    def given_out(self, wanted: Array, bound: Array) -> None:
        if self._error is None or self._integral is None or self.period is None:
            return
        error = unwound(self._error, wanted, bound, self.robot.plant().actuated_coordinates)
        self._integral = self._integral + self.period * error

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


def check_integral(ki: ArrayLike, n: int, period: float | None) -> Array | None:
    """Gains of the integral, (n,); None if there is none."""
    gain = per_freedom(ki, n, "ki")
    if not gain.any():
        return None
    if period is None:
        raise InputError("ki: an integral adds up errors of samples; give the controller a period.")
    return gain


def check_trajectory(trajectory: Any, size: int, what: str) -> Trajectory:
    """A trajectory whose positions have this many numbers."""
    if not (hasattr(trajectory, "at") and hasattr(trajectory, "duration")):
        raise InputError(f"trajectory is {trajectory!r}: allowed is a motion with duration and at(t).")
    found = np.shape(trajectory.at(0.0)[0])
    if found != (size,):
        raise InputError(f"the trajectory gives positions {found}; {what} needs ({size},).")
    return trajectory
