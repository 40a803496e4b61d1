"""Drive trains: a motor, a gear or belt, and a screw or pulley where the joint slides.

Power goes from the motor through the stages to the joint. Inertia and friction of a stage are at its
input shaft; `ratio` is how far the input turns per unit of the output. What a drive does to a robot's
dynamics is its inertia and its friction as the joint feels them: they are part of the joint's `rotor`
and `friction`. Efficiencies act in the torque of the motor (`analysis/drives.py`).
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import Annotated, Any

from linkwork.core.checked import checked
from linkwork.files import quantities as q
from linkwork.files.declared import REQUIRED, Found, Of
from linkwork.files.faults import shown
from linkwork.model.joint import Friction

INERTIA = q.number("kg m^2", q.NOT_NEGATIVE)
TORQUE = q.number("N m", q.POSITIVE)
MASS = q.number("kg", q.NOT_NEGATIVE)
PRICE = q.number("", q.NOT_NEGATIVE)
RATIO = q.number("", q.NOT_ZERO)
RESISTANCE = q.number("K/W", q.POSITIVE)
TIME = q.number("s", q.POSITIVE)
VOLTAGE = q.number("V", q.POSITIVE)
CURRENT = q.number("A", q.POSITIVE)
CELSIUS = q.number("deg C")
COPPER = 0.00393  # [1/K] by which the resistance of copper grows, from 25 deg C on
REFERENCE = 25.0  # [deg C] at which resistances are given


def _efficiency(least: float) -> q.FieldQuantity[float]:
    words = f"a number {'above 0' if least else 'from 0'} to 1"

    def read(value: object) -> float:
        result = q.number("-")(value)
        if not least <= result <= 1:
            percent = f" (did you mean {result / 100:g}?)" if 1 < result <= 100 else ""
            raise ValueError(f"{shown(value)} is not an efficiency{percent}; allowed: {words}")
        return result

    return q.FieldQuantity(read, "", words, 1)


EFFICIENCY, BACKDRIVING = _efficiency(1e-6), _efficiency(0.0)


@dataclass(frozen=True)
class ShaftFriction:
    """Friction of a shaft, whatever it carries."""

    viscous: Annotated[float, q.number("N m s", q.NOT_NEGATIVE), "against the speed"] = 0.0
    coulomb: Annotated[float, q.number("N m", q.NOT_NEGATIVE), "dry, either way"] = 0.0


FREE = ShaftFriction()


@dataclass(frozen=True)
class Brake:
    """A holding brake on the motor's shaft."""

    torque: Annotated[float, TORQUE, "that it holds"]
    inertia: Annotated[float, INERTIA, "of what turns with the motor"] = 0.0


@dataclass(frozen=True)
class Thermal:
    """Two bodies, winding and housing, each with a resistance to the next and a time constant."""

    winding_to_housing: Annotated[float, RESISTANCE, "thermal resistance"]
    housing_to_ambient: Annotated[float, RESISTANCE, "thermal resistance"]
    winding_time_constant: Annotated[float, TIME, "resistance times heat capacity of the winding"]
    housing_time_constant: Annotated[float, TIME, "the same of the housing"]
    winding_limit: Annotated[float | None, CELSIUS, "greatest temperature of the winding"] = None

    @property
    def winding_capacity(self) -> float:
        """Heat capacity [J/K]."""
        return self.winding_time_constant / self.winding_to_housing

    @property
    def housing_capacity(self) -> float:
        """Heat capacity [J/K]."""
        return self.housing_time_constant / self.housing_to_ambient


@dataclass(frozen=True, kw_only=True)
class DriveMotor:
    """A motor. Its copper loss is resistance * current^2, its voltage resistance * current +
    torque_constant * speed."""

    name: Annotated[str, q.name, "as in a catalog"] = ""
    inertia: Annotated[float, INERTIA, "of the rotor"]
    torque_constant: Annotated[float | None, q.number("N m/A", q.POSITIVE), "torque per current"] = None
    resistance: Annotated[
        float | None, q.number("ohm", q.POSITIVE), "at 25 deg C; 1.5 times that between two phases, of "
        "three phases with RMS currents"
    ] = None  # fmt: skip
    rated_torque: Annotated[float | None, TORQUE, "for any time"] = None
    peak_torque: Annotated[float | None, TORQUE, "for a short time"] = None
    rated_speed: Annotated[float | None, q.speed, "for any time"] = None
    max_speed: Annotated[float | None, q.speed, "greatest"] = None
    torque_speed: Annotated[
        tuple[tuple[float, float], ...] | None, q.envelope, "what it gives at which speed [rad/s]"
    ] = None
    friction: Annotated[ShaftFriction, Of(ShaftFriction), "of its bearings and seals"] = FREE
    brake: Annotated[Brake | None, Of(Brake), "holding brake"] = None
    thermal: Annotated[Thermal | None, Of(Thermal), "winding and housing"] = None
    mass: Annotated[float | None, MASS, "of the product; the robot's bodies have their own"] = None
    price: Annotated[float | None, PRICE, "in any currency"] = None

    @property
    def brake_torque(self) -> float | None:
        """What its brake holds."""
        return None if self.brake is None else self.brake.torque

    @property
    def turning_inertia(self) -> float:
        """Of rotor and brake."""
        return self.inertia + (0.0 if self.brake is None else self.brake.inertia)


@dataclass(frozen=True, kw_only=True)
class Amplifier:
    """What feeds a motor. Currents and voltages are in the measure of the motor's torque constant."""

    name: Annotated[str, q.name, "as in a catalog"] = ""
    voltage: Annotated[
        float | None, VOLTAGE, "greatest at the motor; of three phases with RMS currents 1.73 times the "
        "RMS between two"
    ] = None  # fmt: skip
    rated_current: Annotated[float | None, CURRENT, "for any time, RMS"] = None
    peak_current: Annotated[float | None, CURRENT, "for a short time"] = None
    mass: Annotated[float | None, MASS, "of the product; the robot's bodies have their own"] = None
    price: Annotated[float | None, PRICE, "in any currency"] = None


@dataclass(frozen=True, kw_only=True)
class Stage(ABC):
    """What all stages have; inertia and friction are at the input shaft."""

    name: Annotated[str, q.name, "as in a catalog"] = ""
    efficiency: Annotated[float, EFFICIENCY, "when the motor drives the load"] = 1.0
    backdriving_efficiency: Annotated[
        float | None, BACKDRIVING, "when the load drives the motor; 0 locks itself"
    ] = None
    inertia: Annotated[float, INERTIA, "at the input shaft"] = 0.0
    friction: Annotated[ShaftFriction, Of(ShaftFriction), "at the input shaft"] = FREE
    max_speed: Annotated[float | None, q.speed, "of the input shaft"] = None
    mass: Annotated[float | None, MASS, "of the product; the robot's bodies have their own"] = None
    price: Annotated[float | None, PRICE, "in any currency"] = None

    @property
    @abstractmethod
    def turns(self) -> float:
        """How far the input turns [rad] per unit of the output."""

    @property
    def backdriving(self) -> float:
        """The efficiency from the load to the motor; without a number, that of the other way."""
        return self.efficiency if self.backdriving_efficiency is None else self.backdriving_efficiency

    @property
    def load_limits(self) -> tuple[float | None, float | None]:
        """Rated and greatest effort at the output."""
        return None, None

    @property
    def rated_load(self) -> float | None:
        return self.load_limits[0]

    @property
    def peak_load(self) -> float | None:
        return self.load_limits[1]


@dataclass(frozen=True, kw_only=True)
class Gear(Stage):
    """A gear, or a belt between two pulleys."""

    ratio: Annotated[float, RATIO, "input turns per output turn"]
    rated_torque: Annotated[float | None, TORQUE, "at the output, RMS"] = None
    peak_torque: Annotated[float | None, TORQUE, "at the output"] = None

    @property
    def turns(self) -> float:
        return self.ratio

    @property
    def load_limits(self) -> tuple[float | None, float | None]:
        return self.rated_torque, self.peak_torque


@dataclass(frozen=True, kw_only=True)
class Slider(Stage, ABC):
    """From a turning shaft to a joint that slides."""

    rated_force: Annotated[float | None, q.number("N", q.POSITIVE), "at the joint, RMS"] = None
    peak_force: Annotated[float | None, q.number("N", q.POSITIVE), "at the joint"] = None

    @property
    def load_limits(self) -> tuple[float | None, float | None]:
        return self.rated_force, self.peak_force


@dataclass(frozen=True, kw_only=True)
class Screw(Slider):
    """A ball or lead screw. Without a number its backdriving efficiency is 2 - 1 / efficiency, at least
    0: the one that friction of the thread leaves."""

    lead: Annotated[float, q.number("m", q.NOT_ZERO), "way of one turn; negative: left-handed"]

    @property
    def turns(self) -> float:
        return 2 * math.pi / self.lead

    @property
    def backdriving(self) -> float:
        given = self.backdriving_efficiency
        return max(0.0, 2 - 1 / self.efficiency) if given is None else given


@dataclass(frozen=True, kw_only=True)
class Pulley(Slider):
    """Drum of a belt, or pinion of a rack."""

    diameter: Annotated[float, q.number("m", q.POSITIVE), "pitch diameter"]

    @property
    def turns(self) -> float:
        return 2 / self.diameter


STAGES = ("gear", "belt", "screw", "pulley")  # of a drive, from the motor to the joint


@checked
@dataclass(frozen=True, kw_only=True)
class Drive:
    """What moves a joint, a leg or a cylinder."""

    motor: Annotated[DriveMotor, Of(DriveMotor), REQUIRED, "fields, or a name of the catalog"]
    gear: Annotated[Gear | None, Of(Gear), "behind the motor"] = None
    belt: Annotated[Gear | None, Of(Gear), "behind the gear, between two pulleys"] = None
    screw: Annotated[Screw | None, Of(Screw), "of a joint that slides"] = None
    pulley: Annotated[Pulley | None, Of(Pulley), "of a joint that slides: belt or rack"] = None
    amplifier: Annotated[Amplifier | None, Of(Amplifier), "that feeds the motor"] = None

    @property
    def named_parts(self) -> dict[str, DriveMotor | Stage | Amplifier]:
        """By what they are: motor, gear, belt, screw, pulley, amplifier."""
        found = {each.name: getattr(self, each.name) for each in fields(self)}
        return {place: part for place, part in found.items() if part is not None}

    @property
    def stages(self) -> tuple[Stage, ...]:
        """From the motor to the joint."""
        every = (getattr(self, name) for name in STAGES)
        return tuple(stage for stage in every if stage is not None)

    @property
    def ratio(self) -> float:
        """How far the motor turns [rad] per unit of the joint, rad or m."""
        return math.prod(stage.turns for stage in self.stages)

    @property
    def slides(self) -> bool:
        """Whether it is for a joint that slides."""
        return self.screw is not None or self.pulley is not None

    def shafts(self) -> Iterator[tuple[float, float, ShaftFriction]]:
        """Of every shaft: its turns per unit of the joint, inertia and friction."""
        turns = self.ratio
        yield turns, self.motor.turning_inertia, self.motor.friction
        for stage in self.stages:
            yield turns, stage.inertia, stage.friction
            turns /= stage.turns

    @property
    def inertia(self) -> float:
        """As the joint feels it [kg m^2 or kg]."""
        return sum(turns**2 * inertia for turns, inertia, _ in self.shafts())

    @property
    def viscous(self) -> float:
        """As the joint feels it [N m s or N s/m]."""
        return sum(turns**2 * friction.viscous for turns, _, friction in self.shafts())

    @property
    def coulomb(self) -> float:
        """As the joint feels it [N m or N]."""
        return sum(abs(turns) * friction.coulomb for turns, _, friction in self.shafts())

    @property
    def locks(self) -> bool:
        """Whether no load can drive the motor."""
        return any(stage.backdriving == 0 for stage in self.stages)

    @property
    def in_words(self) -> str:
        """Its parts by name, or by what they are."""
        return " + ".join(part.name or word for word, part in self.named_parts.items())

    def without(self, *, friction: bool = False, inertia: bool = False) -> Drive:
        """The drive without friction of its shafts or without inertia."""
        bare: dict[str, Any] = {"friction": FREE} if friction else {}
        bare |= {"inertia": 0.0} if inertia else {}
        brake = (
            replace(self.motor.brake, inertia=0.0) if self.motor.brake and inertia else self.motor.brake
        )
        stages = {name: getattr(self, name) for name in STAGES}
        return replace(
            self,
            motor=replace(self.motor, brake=brake, **bare),
            **{name: stage and replace(stage, **bare) for name, stage in stages.items()},
        )


# What joints of every kind of file do with a drive: fold it in when read, take it out when written.


def drive_faults(drive: Drive | None, slides: bool, power: float = 1.0) -> Iterator[Found]:
    """What does not fit the joint that has the drive; `power` is that of its viscous friction."""
    if drive is None:
        return
    if drive.slides and not slides:
        wrong = "screw" if drive.screw is not None else "pulley"
        yield ("drive", wrong), f"is for a joint that slides; this one turns, leave out {wrong}"
    if slides and not drive.slides:
        what = "has a motor that turns and a joint that slides; add screw: {lead: ...} or pulley:"
        yield ("drive",), f"{what} {{diameter: ...}}"
    if drive.screw is not None and drive.pulley is not None:
        yield ("drive", "pulley"), "is given beside screw; give one of them"
    if power != 1 and drive.viscous:
        what = "has viscous friction, and the joint's grows with another power of the velocity"
        yield ("drive",), f"{what}; write viscous friction in one of the two places"


def with_drive(rotor: float, friction: Friction, drive: Drive | None) -> tuple[float, Friction]:
    """Inertia and friction of a joint together with those of its drive."""
    if drive is None:
        return rotor, friction
    both = replace(
        friction,
        viscous=friction.viscous + drive.viscous,
        coulomb_forward=friction.coulomb_forward + drive.coulomb,
        coulomb_backward=friction.coulomb_backward - drive.coulomb,
    )
    return rotor + drive.inertia, both


def without_drive(rotor: float, friction: Friction, drive: Drive | None) -> tuple[float, Friction]:
    """What a joint has itself, so that `with_drive` gives the same numbers again."""
    if drive is None:
        return rotor, friction
    own = replace(
        friction,
        viscous=_rest(friction.viscous, drive.viscous),
        coulomb_forward=_rest(friction.coulomb_forward, drive.coulomb),
        coulomb_backward=-_rest(-friction.coulomb_backward, drive.coulomb) + 0.0,
    )
    return _rest(rotor, drive.inertia), own


def _rest(total: float, part: float) -> float:
    """The number that adds up to `total` with `part`, without digits that rounding left in it."""
    rest = total - part
    for guess in (0.0, float(f"{rest:.12g}")):
        if guess + part == total:
            return guess
    return rest


def bare_drive(drive: Drive | None) -> Drive | None:
    """A drive whose inertia and friction the joint has: of a robot that was identified."""
    return drive and drive.without(friction=True, inertia=True)
