"""What drives and joints of every robot have: rotor, friction and limits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, TypeVar

from linkwork.files import quantities as q
from linkwork.files.declared import ALWAYS, At, Data
from linkwork.model.geometry import frozen, vanishes

JointKind = Literal["revolute", "prismatic"]
STANDARD_GRAVITY = frozen([0.0, 0.0, -9.81])

VISCOUS = q.number("N m s or N s/m", q.NOT_NEGATIVE)
REFLECTED = q.number("kg m^2 or kg", q.NOT_NEGATIVE)
STRIBECK = q.number("N m or N", q.NOT_NEGATIVE)
STRIBECK_VELOCITY = q.number("rad/s or m/s", q.NOT_NEGATIVE)
POWER = q.number("", q.Range("a number above 0 up to 2", "is not such a power", lambda x: 0 < x <= 2))
STIFFNESS = q.number("N m/rad or N/m", q.POSITIVE)
LOAD_FRICTION = q.number(
    "", q.Range("a number from 0 to below 1", "is not such a share", lambda x: 0 <= x < 1)
)
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


def stribeck_refusal(stribeck: float, velocity: float) -> str:
    """Why Stribeck friction of these numbers is none; nothing if it is."""
    missing = stribeck > 0 and velocity == 0
    return (
        "has stribeck but no stribeck_velocity, within which of rest it acts; add it" if missing else ""
    )


@dataclass(frozen=True)
class Friction:
    """Joint friction on the joint's side: torque = viscous qd + coulomb by the sign of qd + offset.

    The offset is constant, whichever way the joint moves: of a cable, a spring, a current sensor. Near
    rest `stribeck` exp(-(qd / stribeck_velocity)^2) adds to the Coulomb friction. With `viscous_power`
    viscous friction grows as a power of the velocity; `viscous` is what it is at 1 rad/s or 1 m/s.
    Friction of gears under load is `load_friction` times the magnitude of what the joint carries, its
    effort without friction; None is a joint without such friction, and without a parameter for it.
    """

    viscous: float = 0.0
    coulomb_forward: float = 0.0
    coulomb_backward: float = 0.0
    offset: float = 0.0
    stribeck: float = 0.0
    stribeck_velocity: float = 0.0
    viscous_power: float = 1.0
    load_friction: float | None = None

    @property
    def coulomb(self) -> tuple[float, float]:
        return self.coulomb_forward, self.coulomb_backward

    @property
    def breakaway(self) -> tuple[float, float]:
        """What holds a joint at rest, backward (<= 0) and forward."""
        return self.coulomb_backward - self.stribeck, self.coulomb_forward + self.stribeck

    @property
    def acts(self) -> bool:
        idle = vanishes(self.viscous) and vanishes(self.offset)
        return self.is_dry or self.grows_with_load or not idle

    @property
    def grows_with_load(self) -> bool:
        return self.load_friction is not None and not vanishes(self.load_friction)

    @property
    def is_dry(self) -> bool:
        """Whether it holds at rest."""
        return not all(map(vanishes, (self.coulomb_forward, self.coulomb_backward, self.stribeck)))

    @property
    def has_shape(self) -> bool:
        """Whether it is more than viscous, Coulomb and constant."""
        return self.stribeck_velocity > 0 or self.viscous_power != 1 or self.grows_with_load

    @property
    def symmetric(self) -> bool:
        return vanishes(self.coulomb_forward + self.coulomb_backward)


Value = TypeVar("Value")  # a number, an array, or an expression


def used_share(value: Value, low: Any, high: Any) -> Value:
    """How far a value goes from the middle of its range, by how far it may: 1 at a limit.

    Of a limit that holds for both signs this is |value| / limit.
    """
    from_middle: Any = value - (low + high) / 2
    found: Value = abs(from_middle) / ((high - low) / 2)
    return found


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


@dataclass(frozen=True)
class ConeLimit:
    """How far a universal or ball joint may tilt from its mounting axis, to any side."""

    angle: Annotated[float, q.swing, "greatest angle between the mounting axis and the link"]
    axis: Annotated[
        q.Vector | None, q.direction, "mounting axis, along the link at home if left out"
    ] = None


def limits_of_joint(data: Data) -> type[Limits]:
    """By the kind of the joint that is written beside them."""
    slides = data.get("joint") == "prismatic" or "P" in data
    return Limits if slides else TurnLimits
