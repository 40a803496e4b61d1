"""A robot as a system of differential equations: state and effort in, rate of the state out.

The state x is a position and a velocity. What a simulation varies (a load, a change of mass or friction)
are further inputs of the expressions, by name.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import casadi as ca

from linkwork.mechanics.expressions import SX, times, zeros

Inputs = Mapping[str, SX]
STILL = 1e-12  # [m/s or rad/s] of a joint that is held: what rounding leaves


@dataclass(frozen=True)
class Tip:
    """The frame in which wrenches are given: where it is and how it moves, in base axes."""

    position: SX
    R: SX
    velocity: SX
    angular_velocity: SX


@dataclass(frozen=True)
class FrictionKinematics:
    """The velocities that Coulomb friction opposes: J v, and their changes J vd + drift."""

    jacobian: SX
    drift: SX


class Plant(ABC):
    """Expressions of one kind of robot; frozen data, so that kernels can be named by it."""

    @property
    @abstractmethod
    def position_size(self) -> int: ...

    @property
    @abstractmethod
    def velocity_size(self) -> int: ...

    @property
    @abstractmethod
    def effort_size(self) -> int: ...

    @property
    def state_size(self) -> int:
        return self.position_size + self.velocity_size

    @property
    @abstractmethod
    def variations(self) -> dict[str, int]:
        """Inputs that may differ from run to run, and their sizes, in the order of the kernels."""

    @property
    @abstractmethod
    def has_friction(self) -> bool:
        """Whether anything in it takes friction."""

    @property
    def coulomb(self) -> tuple[tuple[float, float], ...]:
        """Coulomb friction of every joint that may have it, backward (<= 0) and forward; empty if none
        has."""
        return ()

    def friction_kinematics(self, x: SX) -> FrictionKinematics:
        """How those joints move: as the coordinates do, in an arm."""
        size = self.velocity_size
        return FrictionKinematics(SX.eye(size), zeros(size))

    def friction_velocity(self, x: SX) -> SX:
        """The velocities that Coulomb friction opposes."""
        return times(self.friction_kinematics(x).jacobian, x[self.position_size :])

    def slip(self, x: SX) -> SX:
        """Directions of slip by velocity; 0 stands still. What constraints hold still does so but for
        rounding, if joints are not the coordinates."""
        velocity = self.friction_velocity(x)
        if self.actuated_coordinates:
            return ca.sign(velocity)
        return ca.if_else(ca.fabs(velocity) < STILL, 0, ca.sign(velocity))

    @property
    def indexed(self) -> bool:
        """Whether its code belongs to this package, so that the kernel index knows it."""
        return True

    @property
    @abstractmethod
    def wrench_sign(self) -> float:
        """+1 if wrenches act on the robot, -1 if they are what it exerts on its surroundings."""

    @abstractmethod
    def tip(self, x: SX) -> Tip:
        """The frame in which wrenches are given."""

    def contact_wrench(self, x: SX) -> SX | None:
        """The wrench of what it touches, as `inputs` have it; None if it touches nothing."""
        return None

    def wrench_power(self, x: SX, wrench: SX) -> SX:
        """Power that a wrench puts into the robot."""
        tip = self.tip(x)
        force, moment = ca.mtimes(tip.R, wrench[0:3]), ca.mtimes(tip.R, wrench[3:6])
        power = ca.dot(force, tip.velocity) + ca.dot(moment, tip.angular_velocity)
        return self.wrench_sign * power

    @abstractmethod
    def rate(self, x: SX, effort: SX, inputs: Inputs) -> SX:
        """xd under an effort."""

    @abstractmethod
    def sticking_rate(self, x: SX, effort: SX, slip: SX, inputs: Inputs) -> tuple[SX, SX]:
        """xd of a plant with Coulomb friction, and the friction that holds the joints that stick.

        `slip` is +1 or -1, the direction of slip of every joint of `coulomb`; 0 sticks where there is
        friction.
        """

    @abstractmethod
    def energy(self, x: SX, inputs: Inputs) -> tuple[SX, SX]:
        """Kinetic and potential energy."""

    @property
    @abstractmethod
    def actuated_coordinates(self) -> bool:
        """Whether efforts act along the coordinates themselves, as in an arm."""

    @abstractmethod
    def actuator_jacobian(self, x: SX) -> SX:
        """Velocities along which the efforts do work, per velocity."""

    def actuator_position(self, x: SX) -> SX:
        """Where the actuators are: the coordinates themselves, as in an arm."""
        return x[0 : self.position_size]

    def position_of_actuators(self, actuators: SX, near: SX) -> SX:
        """The position with these actuator positions, close to `near`."""
        return actuators

    def projected(self, x: SX) -> SX:
        """The state put back on its manifold after a step."""
        return x

    def position_error(self, wanted: SX, actual: SX) -> SX:
        """From the actual position to the wanted one, in the axes of the velocity."""
        return wanted - actual


@dataclass(frozen=True)
class Wanted:
    """What an adaptive law asks for (Slotine and Li): a reference velocity and acceleration, which the
    error has a share in, a pull (an acceleration) towards them, and the velocity of friction."""

    velocity: SX
    acceleration: SX
    pull: SX
    sliding: SX


class RobotPlant(Plant):
    """A robot's own equations, by which control laws are made too."""

    @abstractmethod
    def effort_for(
        self,
        x: SX,
        acceleration: SX,
        sliding: SX,
        inputs: Inputs,
        formulation: Any = None,
        by_matrix: bool = False,
    ) -> SX:
        """Efforts of an acceleration at a state.

        Args:
            sliding: the velocity at which friction is taken: at a measured one its sign would chatter
                at rest.
            inputs: what else acts: a wrench as it is measured, a payload, gravity.
            formulation: as `Robot.chosen_formulation` gives it; None is the fastest.
            by_matrix: M acceleration + bias, instead of both at once.
        """

    @abstractmethod
    def holding_effort(self, position: SX, force: SX, gravity: bool, formulation: Any = None) -> SX:
        """Efforts that put a force on the coordinates of the robot at rest, and hold its weight."""

    @abstractmethod
    def adaptive_effort(
        self, x: SX, wanted: Wanted, payload: SX, formulation: Any = None
    ) -> tuple[SX, SX]:
        """Efforts of a motion with a load, and what the load is learned from: forces on the coordinates
        that are linear in its ten parameters."""
