"""What drives and joints of every robot have: rotor, friction and limits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from linkwork.files import quantities as q
from linkwork.files.declared import ALWAYS, At, Data
from linkwork.model.geometry import frozen, vanishes

JointKind = Literal["revolute", "prismatic"]
STANDARD_GRAVITY = frozen([0.0, 0.0, -9.81])

VISCOUS = q.number("N m s or N s/m", q.NOT_NEGATIVE)
REFLECTED = q.number("kg m^2 or kg", q.NOT_NEGATIVE)
STIFFNESS = q.number("N m/rad or N/m", q.POSITIVE)
SIGNS = (q.NOT_NEGATIVE, q.NOT_POSITIVE)


@dataclass(frozen=True)
class Rotor:
    """Motor rotor: inertia [kg m^2] on the motor's side, gear ratio motor turns per joint turn."""

    inertia: Annotated[
        float, q.number("kg m^2", q.NOT_NEGATIVE), ALWAYS, At("inertia"), "of the rotor, motor side"
    ] = 0.0
    gear_ratio: Annotated[float, q.number("", q.NOT_ZERO), ALWAYS, "motor turns per joint turn"] = 1.0

    @property
    def reflected(self) -> float:
        """Inertia as the joint feels it."""
        return self.gear_ratio**2 * self.inertia


@dataclass(frozen=True)
class Friction:
    """Joint friction on the joint's side: torque = viscous qd + coulomb by the sign of qd + offset.

    The offset is constant, whichever way the joint moves: of a cable, a spring, a current sensor.
    """

    viscous: float = 0.0
    coulomb_forward: float = 0.0
    coulomb_backward: float = 0.0
    offset: float = 0.0

    @property
    def coulomb(self) -> tuple[float, float]:
        return self.coulomb_forward, self.coulomb_backward

    @property
    def acts(self) -> bool:
        parts = (self.viscous, self.coulomb_forward, self.coulomb_backward, self.offset)
        return not all(map(vanishes, parts))

    @property
    def is_dry(self) -> bool:
        """Whether there is Coulomb friction."""
        return not (vanishes(self.coulomb_forward) and vanishes(self.coulomb_backward))

    @property
    def symmetric(self) -> bool:
        return vanishes(self.coulomb_forward + self.coulomb_backward)


@dataclass(frozen=True)
class Limits:
    """Bounds of a joint; None is unbounded.

    `effort_velocity` are pairs of speed and effort: what the actuator can give at which speed.
    """

    position: Annotated[
        tuple[float, float] | None, q.interval(q.length), "of an arm's joint; else from home"
    ] = None
    velocity: Annotated[float | None, q.number("rad/s or m/s", q.POSITIVE), "greatest speed"] = None
    effort: Annotated[float | None, q.number("N m or N", q.POSITIVE), "of the actuator"] = None
    effort_velocity: Annotated[
        tuple[tuple[float, float], ...] | None, q.envelope, "what the actuator gives at which speed"
    ] = None


@dataclass(frozen=True)
class TurnLimits(Limits):
    """As files write those of a joint that turns."""

    makes: ClassVar[Any] = Limits
    position: Annotated[
        tuple[float, float] | None, q.interval(q.angle), "of an arm's joint; else from home"
    ] = None


def limits_of_joint(data: Data) -> type[Limits]:
    """By the kind of the joint that is written beside them."""
    slides = data.get("joint") == "prismatic" or "P" in data
    return Limits if slides else TurnLimits
