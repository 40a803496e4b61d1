"""The fields of a Stewart platform file. Numbers come out in SI units and radians."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import numpy as np
from pydantic import BeforeValidator, Field, ValidationInfo, field_validator
from pydantic.fields import FieldInfo

from linkwork.robots import quantities as q
from linkwork.robots import schema as s
from linkwork.robots.faults import Path, shown
from linkwork.robots.hexagon import PAIRS
from linkwork.robots.platform import LEGS, LegJoints

# Numbers that were written down are equal or not; this is the rounding of a unit conversion.
ROUNDING = 1e-12
Swing = Annotated[float, BeforeValidator(q.swing)]
ViscousTurn = Annotated[float, BeforeValidator(q.number("N m s", q.NOT_NEGATIVE))]


class Platform(s.Body):
    mass: s.Mass
    inertia: s.Inertia


class LegFriction(s.Part):
    universal: ViscousTurn = 0.0
    prismatic: Annotated[float, BeforeValidator(q.number("N s/m", q.NOT_NEGATIVE))] = 0.0
    spherical: ViscousTurn = 0.0
    coulomb: Annotated[float, BeforeValidator(q.number("N", q.NOT_NEGATIVE))] = 0.0


class LegLimits(s.Part):
    length: (
        Annotated[tuple[float, float], BeforeValidator(q.interval(q.number("m", q.POSITIVE)))] | None
    ) = None
    rate: Annotated[float, BeforeValidator(q.number("m/s", q.POSITIVE))] | None = None
    force: Annotated[float, BeforeValidator(q.number("N", q.POSITIVE))] | None = None
    force_velocity: s.Envelope | None = None
    universal_angle: Swing | None = None
    spherical_angle: Swing | None = None

    @field_validator("universal_angle", "spherical_angle")
    @classmethod
    def _has_home(cls, value: float | None, info: ValidationInfo) -> float | None:
        if value is not None and not (info.context or {}).get("has_home"):
            raise ValueError(
                "is measured from the leg's direction at home, which is not given;"
                " add home: [x, y, z, roll, pitch, yaw] to the file"
            )
        return value


def _asymmetry(center_of_mass: q.Vector, inertia: q.Matrix, ends: Sequence[q.Vector]) -> str:
    """What is not symmetric about the x axis of a leg, or nothing; its ends tell how large it is."""
    size = np.abs([center_of_mass, *ends]).max()
    if np.abs(center_of_mass[1:]).max() > ROUNDING * size:
        return f"center_of_mass {shown(list(center_of_mass))} is off the x axis"
    tensor = np.array(inertia)
    products = np.abs(tensor - np.diag(np.diag(tensor))).max()
    across = abs(tensor[1, 1] - tensor[2, 2])
    if max(products, across) > ROUNDING * np.abs(tensor).max():
        return "inertia is not of the form [Ixx, It, It] without products"
    return ""


class LegDefaults(s.Part):
    """What legs may share."""

    joints: Annotated[LegJoints, BeforeValidator(q.one_of("UPS", "SPS"))] = "UPS"
    fixed_axis: s.Direction | None = None
    lower: s.Body = Field(default_factory=s.Body)
    upper: s.Body = Field(default_factory=s.Body)
    friction: LegFriction = Field(default_factory=LegFriction)
    limits: LegLimits = Field(default_factory=LegLimits)
    stiffness: Annotated[float, BeforeValidator(q.number("N/m", q.POSITIVE))] | None = None


class LegEnds(s.Part):
    """What each leg has for itself."""

    name: s.Name | None = None
    base_point: s.Point
    platform_point: s.Point


class Leg(LegDefaults, LegEnds):
    """A leg with the defaults filled in. (Its ends come first in pydantic's order of validation.)"""

    fixed_axis: Annotated[s.Direction | None, Field(validate_default=True)] = None

    @field_validator("fixed_axis")
    @classmethod
    def _turns_about_an_axis(cls, axis: q.Vector | None, info: ValidationInfo) -> q.Vector | None:
        if axis is None and info.data.get("joints") == "UPS":
            raise ValueError(
                "is missing; a UPS leg needs the axis of its universal joint that is fixed in the base:"
                " add fixed_axis: [x, y, z]"
            )
        return axis

    @field_validator("lower", "upper")
    @classmethod
    def _may_spin(cls, part: s.Body, info: ValidationInfo) -> s.Body:
        if info.data.get("joints") != "SPS":
            return part
        ends = [info.data.get(end, s.ZERO) for end in ("base_point", "platform_point")]
        if problem := _asymmetry(part.center_of_mass, part.inertia, ends):
            raise ValueError(
                f"{problem}; a leg with spherical joints at both ends (SPS) spins freely about its axis,"
                " so its mass must be symmetric about it: correct it, or use joints: UPS"
            )
        return part


Radius = Annotated[float, BeforeValidator(q.number("m", q.POSITIVE))]


def _spread(value: object) -> float:
    """The angle between the joints of a pair, which has 120 deg of the circle."""
    result = q.angle(value)
    if not 0.0 <= result < 2 * math.pi / PAIRS:
        hint = f"; did you mean {value:g} deg?" if isinstance(value, int | float) and result > 0 else ""
        raise ValueError(f"{shown(value)} is out of range; allowed: 0 to below 120 deg{hint}")
    return result


class Geometry(s.Part):
    """Joints in pairs on two circles, instead of points leg by leg."""

    base_radius: Radius
    platform_radius: Radius
    base_spread: Annotated[float, BeforeValidator(_spread)]
    platform_spread: Annotated[float, BeforeValidator(_spread)]
    height: Radius
    turn: s.Angle = 0.0
    base_height: s.Length = 0.0
    platform_height: s.Length = 0.0


class PlatformFile(s.RobotFile):
    home: Annotated[q.Pose, BeforeValidator(q.pose)] | None = None
    geometry: Geometry | None = None
    platform: Platform
    leg_defaults: LegDefaults = Field(default_factory=LegDefaults)
    legs: tuple[Leg, ...]

    @field_validator("legs", mode="before")
    @classmethod
    def _with_defaults(cls, value: object, info: ValidationInfo) -> list[object]:
        if not isinstance(value, list | tuple):
            raise ValueError(f"{shown(value)} is not a list; allowed: a list of {LEGS} legs")
        defaults = (info.context or {}).get("leg_defaults")
        return [_filled_in(leg, defaults) for leg in value]


def _filled_in(leg: object, defaults: object) -> object:
    """A leg as written, with what it does not say taken from the defaults as written."""
    if not isinstance(leg, Mapping) or not isinstance(defaults, Mapping):
        return leg
    filled = dict(leg)
    for field in LegDefaults.model_fields.keys() & defaults.keys():
        own, default = leg.get(field), defaults[field]
        if field not in leg:
            filled[field] = default
        elif isinstance(own, Mapping) and isinstance(default, Mapping):
            filled[field] = {**default, **own}
    return filled


def context_of(data: Mapping[str, Any]) -> Mapping[str, Any]:
    """What the checks of a leg need to know of the rest of the file."""
    return {"has_home": data.get("home") is not None, "leg_defaults": data.get("leg_defaults")}


PARTS: Mapping[tuple[str, ...], type[s.Part]] = {
    (): PlatformFile,
    ("platform",): Platform,
    ("geometry",): Geometry,
    ("leg_defaults",): LegDefaults,
    ("legs",): Leg,
    **{(owner, side): s.Body for owner in ("leg_defaults", "legs") for side in ("lower", "upper")},
    **{(owner, "friction"): LegFriction for owner in ("leg_defaults", "legs")},
    **{(owner, "limits"): LegLimits for owner in ("leg_defaults", "legs")},
}


def fields_at(path: Path) -> Mapping[str, FieldInfo]:
    """The fields of the part that a path leads to."""
    return PARTS[tuple(step for step in path if isinstance(step, str))].model_fields


def stray(path: Path) -> str:
    """Why a field of a leg is not allowed among the defaults; else nothing."""
    among_defaults = len(path) == 2 and path[0] == "leg_defaults"
    return "belongs to each leg" if among_defaults and path[1] in Leg.model_fields else ""
