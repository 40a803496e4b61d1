"""A robot as a system of differential equations (state and effort in, rate out), and what it touches.

The state x is a position and a velocity. What a simulation varies (a load, a change of mass or friction)
are further inputs of the expressions, by name. A contact is a wrench that follows from where the tip is
and how it moves. Control laws are made of a plant's own equations too.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import casadi as ca

from linkwork.core.arguments import not_negative, numbers, positive
from linkwork.core.errors import InputError
from linkwork.mechanics.expressions import SX, times, zeros

Inputs = Mapping[str, SX]
ChosenFormulation = Any  # the name of an arm's, or a platform's published model; None is the fastest
STILL = 1e-12  # [m/s or rad/s] of a joint that is held: what rounding leaves


@dataclass(frozen=True)
class TipMotion:
    """The frame in which wrenches are given: where it is and how it moves, in base axes."""

    position: SX
    R: SX
    velocity: SX
    angular_velocity: SX


class Contact(ABC):
    """Surroundings that push the tip; frozen data, so that kernels can be named by it."""

    @abstractmethod
    def wrench(self, tip: TipMotion) -> SX:
        """Force, then moment, on the robot at its tip, in base axes."""

    def energy(self, tip: TipMotion) -> SX:
        """What is stored in the surroundings [J]."""
        return SX(0)


@dataclass(frozen=True)
class SpringWall(Contact):
    """A flat wall that gives way: a spring and a damper that act while the tip is behind its surface.

    Args:
        point: a point of the surface [m], base axes.
        normal: out of the wall, toward the robot; of any length.
        stiffness: [N/m].
        damping: [N s/m]; the wall never pulls.
    """

    point: tuple[float, float, float]
    normal: tuple[float, float, float]
    stiffness: float
    damping: float = 0.0

    def __post_init__(self) -> None:
        point, normal = numbers(self.point, "point"), numbers(self.normal, "normal")
        if point.shape != (3,) or normal.shape != (3,) or not normal.any():
            raise InputError(
                f"SpringWall: point = {self.point!r}, normal = {self.normal!r}; expected three "
                "numbers each, the normal not zero."
            )
        normal = normal / (normal @ normal) ** 0.5
        checked = {
            "point": tuple(map(float, point)),
            "normal": tuple(map(float, normal)),
            "stiffness": positive(self.stiffness, "stiffness", "N/m"),
            "damping": not_negative(self.damping, "damping", "N s/m"),
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    def _depth(self, tip: TipMotion) -> SX:
        return -ca.dot(ca.DM(self.normal), tip.position - ca.DM(self.point))

    def wrench(self, tip: TipMotion) -> SX:
        depth, rate = self._depth(tip), -ca.dot(ca.DM(self.normal), tip.velocity)
        push = ca.fmax(self.stiffness * depth + self.damping * rate, 0)
        return ca.vertcat(ca.if_else(depth > 0, push, 0) * ca.DM(self.normal), zeros())

    def energy(self, tip: TipMotion) -> SX:
        depth = ca.fmax(self._depth(tip), 0)
        return self.stiffness * depth * depth / 2


@dataclass(frozen=True)
class FrictionKinematics:
    """The velocities that Coulomb friction opposes: J v, and their changes J vd + drift."""

    jacobian: SX
    drift: SX


@dataclass(frozen=True)
class ReferenceMotion:
    """What an adaptive law asks for (Slotine and Li): a reference velocity and acceleration, which the
    error has a share in, a pull (an acceleration) toward them, and the velocity of friction."""

    velocity: SX
    acceleration: SX
    pull: SX
    sliding: SX


@dataclass(frozen=True)
class Plant(ABC):
    """Expressions of one kind of robot; frozen data, so that kernels can be named by it.

    `contact` is what its tip touches while it moves; its control laws do not know of it.
    """

    contact: Contact | None = field(default=None, kw_only=True)

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
    def actuated_coordinates(self) -> bool:
        """Whether efforts act along the coordinates themselves, as in an arm."""

    @property
    def indexed(self) -> bool:
        """Whether its code belongs to this package, so that the kernel index knows it."""
        return self.contact is None or type(self.contact).__module__.startswith("linkwork.")

    # Coulomb friction.

    @property
    @abstractmethod
    def has_friction(self) -> bool:
        """Whether anything in it takes friction."""

    @property
    @abstractmethod
    def coulomb(self) -> tuple[tuple[float, float], ...]:
        """What holds every joint at rest that may have Coulomb friction, backward (<= 0) and forward;
        empty if none has."""

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

    # Wrenches.

    @property
    @abstractmethod
    def wrench_sign(self) -> float:
        """+1 if wrenches act on the robot, -1 if they are what it exerts on its surroundings."""

    @abstractmethod
    def tip(self, x: SX) -> TipMotion:
        """The frame in which wrenches are given."""

    def contact_wrench(self, x: SX) -> SX | None:
        """The wrench of what it touches, as `inputs` have it; None if it touches nothing."""
        if self.contact is None:
            return None
        tip = self.tip(x)
        push = self.contact.wrench(tip)
        turned = ca.vertcat(ca.mtimes(tip.R.T, push[0:3]), ca.mtimes(tip.R.T, push[3:6]))
        return ca.densify(self.wrench_sign * turned)

    def _touching(self, x: SX, inputs: Inputs) -> Inputs:
        """Inputs with the wrench of what it touches."""
        own = self.contact_wrench(x)
        if own is None:
            return inputs
        return {**inputs, "wrench": own + inputs["wrench"] if "wrench" in inputs else own}

    def wrench_power(self, x: SX, wrench: SX) -> SX:
        """Power that a wrench puts into the robot."""
        tip = self.tip(x)
        force, moment = ca.mtimes(tip.R, wrench[0:3]), ca.mtimes(tip.R, wrench[3:6])
        power = ca.dot(force, tip.velocity) + ca.dot(moment, tip.angular_velocity)
        return self.wrench_sign * power

    # Motion.

    def rate(self, x: SX, effort: SX, inputs: Inputs) -> SX:
        """xd under an effort."""
        return self._rate(x, effort, self._touching(x, inputs))

    @abstractmethod
    def _rate(self, x: SX, effort: SX, inputs: Inputs) -> SX: ...

    def sticking_rate(self, x: SX, effort: SX, slip: SX, inputs: Inputs) -> tuple[SX, SX]:
        """xd of a plant with Coulomb friction, and the friction that holds the joints that stick.

        `slip` is +1 or -1, the direction of slip of every joint of `coulomb`; 0 sticks where there is
        friction.
        """
        return self._sticking_rate(x, effort, slip, self._touching(x, inputs))

    @abstractmethod
    def _sticking_rate(self, x: SX, effort: SX, slip: SX, inputs: Inputs) -> tuple[SX, SX]: ...

    def energy(self, x: SX, inputs: Inputs) -> tuple[SX, SX]:
        """Kinetic and potential energy, with what is stored in the surroundings."""
        kinetic, potential = self._energy(x, inputs)
        if self.contact is None:
            return kinetic, potential
        return kinetic, potential + self.contact.energy(self.tip(x))

    @abstractmethod
    def _energy(self, x: SX, inputs: Inputs) -> tuple[SX, SX]: ...

    def position_rate(self, x: SX) -> SX:
        """How the position changes: by the velocity, but for quaternions."""
        return x[self.position_size :]

    @abstractmethod
    def momentum(self, x: SX, inputs: Inputs) -> tuple[SX, SX]:
        """Momenta M v of the coordinates, and the forces on them that a motion without acceleration
        needs: h of M a + h = forces of the actuators, friction included."""

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

    # Efforts, for control laws.

    @abstractmethod
    def effort_for(
        self,
        x: SX,
        acceleration: SX,
        sliding: SX,
        inputs: Inputs,
        formulation: ChosenFormulation = None,
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
    def holding_effort(
        self, position: SX, force: SX, gravity: bool, formulation: ChosenFormulation = None
    ) -> SX:
        """Efforts that put a force on the coordinates of the robot at rest, and hold its weight."""

    @abstractmethod
    def adaptive_effort(
        self, x: SX, wanted: ReferenceMotion, payload: SX, formulation: ChosenFormulation = None
    ) -> tuple[SX, SX]:
        """Efforts of a motion with a load, and what the load is learned from: forces on the coordinates
        that are linear in its ten parameters."""
