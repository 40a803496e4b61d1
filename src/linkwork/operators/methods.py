"""The methods that PyTorch and JAX have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

from linkwork.operators.operations import FORWARD_KINEMATICS, STEP, Operations

T = TypeVar("T")
Parameters = Mapping[str, T] | None


class EnergyOf(NamedTuple, Generic[T]):
    """Kinetic and potential energy [J]."""

    kinetic: T
    potential: T


class StateOf(NamedTuple, Generic[T]):
    """Position and velocity."""

    position: T
    velocity: T


class DynamicsOperators(ABC, Generic[T]):
    """Methods of one robot as differentiable functions.

    Shapes are those of the robot's own methods: any batch axes, which broadcast, before the last one.
    Optional inputs are those of `robot.kernel` by name: `gravity`, `base_motion`, and `tip_wrench` of
    arms or `wrench` of other robots. `parameters` are values by the names that `dynamics` was asked for:
    all of a field's numbers on the last axis, before it any batch axes.
    """

    def __init__(self, operations: Operations) -> None:
        self.operations = operations
        self.robot = operations.robot

    @abstractmethod
    def _run(
        self,
        method: str,
        states: Sequence[T],
        optional: Mapping[str, T | None],
        parameters: Parameters[T],
    ) -> tuple[T, ...]:
        """Results of a method."""

    @abstractmethod
    def _scalar(self, value: Any, like: T) -> T:
        """A number, or an array of them with a last axis of one, in the precision of another."""

    def inverse_dynamics(
        self, q: T, qd: T, qdd: T, *, parameters: Parameters[T] = None, **optional: T | None
    ) -> T:
        """Efforts of a motion, (..., n)."""
        return self._run("inverse_dynamics", (q, qd, qdd), optional, parameters)[0]

    def forward_dynamics(
        self, q: T, qd: T, tau: T, *, parameters: Parameters[T] = None, **optional: T | None
    ) -> T:
        """Accelerations under efforts, (..., d)."""
        return self._run("forward_dynamics", (q, qd, tau), optional, parameters)[0]

    def mass_matrix(self, q: T, *, parameters: Parameters[T] = None) -> T:
        """M, (..., d, d)."""
        return self._run("mass_matrix", (q,), {}, parameters)[0]

    def gravity_load(self, q: T, *, parameters: Parameters[T] = None, **optional: T | None) -> T:
        """Efforts that hold the robot at rest, (..., n)."""
        return self._run("gravity_load", (q,), optional, parameters)[0]

    def energy(
        self, q: T, qd: T, *, parameters: Parameters[T] = None, **optional: T | None
    ) -> EnergyOf[T]:
        """Kinetic and potential energy, (...) each."""
        return EnergyOf(*self._run("energy", (q, qd), optional, parameters))

    def forward_kinematics(self, q: T, *, parameters: Parameters[T] = None) -> T:
        """The frame of an arm's last link, or of another robot's tool, in the base, (..., 4, 4): from
        the coordinates, whatever the robot."""
        return self._run(FORWARD_KINEMATICS, (q,), {}, parameters)[0]

    def step(
        self,
        q: T,
        qd: T,
        tau: T,
        h: T | float,
        *,
        parameters: Parameters[T] = None,
        **optional: T | None,
    ) -> StateOf[T]:
        """Position and velocity a time `h` [s] later, the efforts held: one classical Runge-Kutta step.

        Coulomb friction opposes the velocity; joints do not stick, as they do in `simulate`.
        """
        states = (q, qd, tau, self._scalar(h, q))
        return StateOf(*self._run(STEP, states, optional, parameters))
