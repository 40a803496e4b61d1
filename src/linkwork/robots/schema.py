"""The fields of an arm file. Numbers come out in SI units and radians."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, TypeAdapter, ValidationInfo, field_validator
from pydantic.fields import FieldInfo

from linkwork.robots import quantities as q
from linkwork.robots.faults import Path, shown

MOST_LINKS = 100
ZERO: q.Vector = (0.0, 0.0, 0.0)

Name = Annotated[str, BeforeValidator(q.name)]
Length = Annotated[float, BeforeValidator(q.length)]
Angle = Annotated[float, BeforeValidator(q.angle)]
Point = Annotated[q.Vector, BeforeValidator(q.vector("m"))]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Rotor(_Part):
    inertia: Annotated[float, BeforeValidator(q.number("kg m^2", q.NOT_NEGATIVE))] = 0.0
    gear_ratio: Annotated[float, BeforeValidator(q.number("", q.NOT_ZERO))] = 1.0


class Friction(_Part):
    viscous: Annotated[float, BeforeValidator(q.number("N m s or N s/m", q.NOT_NEGATIVE))] = 0.0
    coulomb: Annotated[tuple[float, float], BeforeValidator(q.coulomb)] = (0.0, 0.0)
    side: Annotated[Literal["motor", "joint"], BeforeValidator(q.one_of("motor", "joint"))] = "joint"


class _Limits(_Part):
    position: tuple[float, float] | None = None
    velocity: Annotated[float, BeforeValidator(q.number("rad/s or m/s", q.POSITIVE))] | None = None
    effort: Annotated[float, BeforeValidator(q.number("N m or N", q.POSITIVE))] | None = None


class RevoluteLimits(_Limits):
    position: Annotated[tuple[float, float], BeforeValidator(q.interval(q.angle))] | None = None


class PrismaticLimits(_Limits):
    position: Annotated[tuple[float, float], BeforeValidator(q.interval(q.length))] | None = None


class Link(_Part):
    """What a link has under every convention."""

    name: Name | None = None
    joint: Annotated[
        Literal["revolute", "prismatic"], BeforeValidator(q.one_of("revolute", "prismatic"))
    ]
    mass: Annotated[float, BeforeValidator(q.number("kg", q.NOT_NEGATIVE))] = 0.0
    center_of_mass: Point = ZERO
    inertia: Annotated[q.Matrix, BeforeValidator(q.inertia)] = (ZERO, ZERO, ZERO)
    rotor: Rotor | None = None
    friction: Friction | None = None
    limits: RevoluteLimits | PrismaticLimits | None = None

    @field_validator("friction")
    @classmethod
    def _has_gear_ratio(cls, friction: Friction | None, info: ValidationInfo) -> Friction | None:
        on_motor = friction is not None and friction.side == "motor"
        if on_motor and "rotor" in info.data and info.data["rotor"] is None:
            raise ValueError("side motor needs a gear ratio; add rotor: {gear_ratio: ...} to the link")
        return friction

    @field_validator("limits", mode="plain")
    @classmethod
    def _by_joint(cls, value: object, info: ValidationInfo) -> _Limits | None:
        if value is None:
            return None
        kind = PrismaticLimits if info.data.get("joint") == "prismatic" else RevoluteLimits
        return kind.model_validate(value)


class DenavitHartenbergLink(Link):
    theta: Angle = 0.0
    d: Length = 0.0
    a: Length = 0.0
    alpha: Angle = 0.0


class GeneralLink(Link):
    position: Point = ZERO
    rpy: Annotated[q.Vector, BeforeValidator(q.vector("rad", q.angle))] = ZERO
    axis: Annotated[q.Vector, BeforeValidator(q.direction)] = (0.0, 0.0, 1.0)


class EitherLink(DenavitHartenbergLink, GeneralLink):
    """Reads the links of a file whose convention is at fault, so that their own faults are found too."""


LINK_OF: Mapping[str, type[Link]] = {
    "standard": DenavitHartenbergLink,
    "modified": DenavitHartenbergLink,
    "general": GeneralLink,
}


def link_class(convention: object) -> type[Link]:
    return LINK_OF.get(convention, EitherLink) if isinstance(convention, str) else EitherLink


class ArmFile(_Part):
    kind: Literal["arm"]
    name: Name
    convention: Annotated[
        Literal["standard", "modified", "general"],
        BeforeValidator(q.one_of("standard", "modified", "general")),
    ]
    gravity: Annotated[q.Vector, BeforeValidator(q.vector("m/s^2"))] = (0.0, 0.0, -9.81)
    source: str = ""
    links: tuple[Link, ...]

    @field_validator("source", mode="before")
    @classmethod
    def _is_text(cls, value: object) -> object:
        if not isinstance(value, str):
            raise ValueError(f"{shown(value)} is not a text; allowed: where the numbers come from")
        return value

    @field_validator("links", mode="plain")
    @classmethod
    def _by_convention(cls, value: object, info: ValidationInfo) -> tuple[Link, ...]:
        allowed = f"a list of 1 to {MOST_LINKS} links, base first"
        if not isinstance(value, list | tuple):
            raise ValueError(f"{shown(value)} is not a list; allowed: {allowed}")
        if not 1 <= len(value) <= MOST_LINKS:
            raise ValueError(f"there are {len(value)} links; allowed: {allowed}")
        link = link_class(info.data.get("convention"))
        return tuple(TypeAdapter(list[link]).validate_python(list(value)))  # type: ignore[valid-type]


def fields_at(path: Path, data: Mapping[str, Any]) -> Mapping[str, FieldInfo]:
    """The fields of the part that a path leads to."""
    parts: Mapping[tuple[str, ...], type[_Part]] = {
        (): ArmFile,
        ("links",): link_class(data.get("convention")),
        ("links", "rotor"): Rotor,
        ("links", "friction"): Friction,
        ("links", "limits"): RevoluteLimits,
    }
    return parts[tuple(step for step in path if isinstance(step, str))].model_fields


def stray(path: Path, data: Mapping[str, Any]) -> str:
    """Why a field that exists under another convention is not allowed here; else nothing."""
    in_a_link = [type(step) for step in path] == [str, int, str]
    if not in_a_link or path[-1] not in EitherLink.model_fields:
        return ""
    homes = [name for name, link in LINK_OF.items() if path[-1] in link.model_fields]
    return f"belongs to convention {' or '.join(homes)}, but convention is {data['convention']}"
