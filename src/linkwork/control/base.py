"""What a controller is: from time and measured state to actuator efforts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike

from linkwork.checks import numbers, positive
from linkwork.errors import InputError
from linkwork.interface.robot import Array


class ArmState(NamedTuple):
    """Joint positions and rates, (n,) each."""

    q: Array
    qd: Array


class PlatformState(NamedTuple):
    """Pose (7) and twist (6)."""

    pose: Array
    twist: Array


class Trajectory(Protocol):
    """A motion over time; `at(t)` gives positions, rates and accelerations."""

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
    def effort(self, time: float, state: Any) -> Array:
        """Torques of an arm or forces of a platform for the state measured at `time`."""


class FunctionController(Controller):
    """A plain function f(time, state) -> effort as a controller."""

    def __init__(self, function: Any, period: float | None = None) -> None:
        self.function = function
        self.period = check_period(period)

    def effort(self, time: float, state: Any) -> Array:
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
