"""What a robot's hand or platform touches: a wrench that follows from where it is and how it moves."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass

import casadi as ca

from linkwork.mechanics.expressions import SX, zeros
from linkwork.mechanics.plant import FrictionKinematics, Inputs, Plant, Tip


class Contact(ABC):
    """Surroundings that push the tip; frozen data, so that kernels can be named by it."""

    @abstractmethod
    def wrench(self, tip: Tip) -> SX:
        """Force, then moment, on the robot at its tip, in base axes."""

    def energy(self, tip: Tip) -> SX:
        """What is stored in the surroundings [J]."""
        return SX(0)


@dataclass(frozen=True)
class SpringWall(Contact):
    """A flat wall that gives way: a spring and a damper that act while the tip is behind its surface.

    Args:
        point: a point of the surface [m], base axes.
        normal: out of the wall, towards the robot; of any length.
        stiffness: [N/m].
        damping: [N s/m]; the wall never pulls.
    """

    point: tuple[float, float, float]
    normal: tuple[float, float, float]
    stiffness: float
    damping: float = 0.0

    def __post_init__(self) -> None:
        from linkwork.checks import not_negative, numbers, positive
        from linkwork.errors import InputError

        point, normal = numbers(self.point, "point"), numbers(self.normal, "normal")
        if point.shape != (3,) or normal.shape != (3,) or not normal.any():
            raise InputError(
                f"SpringWall: point = {self.point!r}, normal = {self.normal!r}; allowed are three "
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

    def _depth(self, tip: Tip) -> SX:
        return -ca.dot(ca.DM(self.normal), tip.position - ca.DM(self.point))

    def wrench(self, tip: Tip) -> SX:
        depth, rate = self._depth(tip), -ca.dot(ca.DM(self.normal), tip.velocity)
        push = ca.fmax(self.stiffness * depth + self.damping * rate, 0)
        return ca.vertcat(ca.if_else(depth > 0, push, 0) * ca.DM(self.normal), zeros())

    def energy(self, tip: Tip) -> SX:
        depth = ca.fmax(self._depth(tip), 0)
        return self.stiffness * depth * depth / 2


@dataclass(frozen=True)
class PlantInContact(Plant):
    """A plant whose tip touches something."""

    plant: Plant
    contact: Contact

    def _inputs(self, x: SX, inputs: Inputs) -> Mapping[str, SX]:
        own = self.contact_wrench(x)
        assert own is not None
        return {**inputs, "wrench": own + inputs["wrench"] if "wrench" in inputs else own}

    def contact_wrench(self, x: SX) -> SX | None:
        tip = self.plant.tip(x)
        push = self.contact.wrench(tip)
        turned = ca.vertcat(ca.mtimes(tip.R.T, push[0:3]), ca.mtimes(tip.R.T, push[3:6]))
        return ca.densify(self.wrench_sign * turned)

    def rate(self, x: SX, effort: SX, inputs: Inputs) -> SX:
        return self.plant.rate(x, effort, self._inputs(x, inputs))

    def sticking_rate(self, x: SX, effort: SX, slip: SX, inputs: Inputs) -> tuple[SX, SX]:
        return self.plant.sticking_rate(x, effort, slip, self._inputs(x, inputs))

    def energy(self, x: SX, inputs: Inputs) -> tuple[SX, SX]:
        kinetic, potential = self.plant.energy(x, inputs)
        return kinetic, potential + self.contact.energy(self.plant.tip(x))

    @property
    def indexed(self) -> bool:
        return self.plant.indexed and type(self.contact).__module__.startswith("linkwork.")

    # All else is the plant's.

    @property
    def position_size(self) -> int:
        return self.plant.position_size

    @property
    def velocity_size(self) -> int:
        return self.plant.velocity_size

    @property
    def effort_size(self) -> int:
        return self.plant.effort_size

    @property
    def variations(self) -> dict[str, int]:
        return self.plant.variations

    @property
    def has_friction(self) -> bool:
        return self.plant.has_friction

    @property
    def coulomb(self) -> tuple[tuple[float, float], ...]:
        return self.plant.coulomb

    def friction_kinematics(self, x: SX) -> FrictionKinematics:
        return self.plant.friction_kinematics(x)

    @property
    def actuated_coordinates(self) -> bool:
        return self.plant.actuated_coordinates

    @property
    def wrench_sign(self) -> float:
        return self.plant.wrench_sign

    def tip(self, x: SX) -> Tip:
        return self.plant.tip(x)

    def actuator_jacobian(self, x: SX) -> SX:
        return self.plant.actuator_jacobian(x)

    def actuator_position(self, x: SX) -> SX:
        return self.plant.actuator_position(x)

    def position_of_actuators(self, actuators: SX, near: SX) -> SX:
        return self.plant.position_of_actuators(actuators, near)

    def projected(self, x: SX) -> SX:
        return self.plant.projected(x)

    def position_error(self, wanted: SX, actual: SX) -> SX:
        return self.plant.position_error(wanted, actual)
