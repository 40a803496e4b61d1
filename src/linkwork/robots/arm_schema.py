"""The fields of an arm file. Numbers come out in SI units and radians."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, TypeAdapter, ValidationInfo, field_validator
from pydantic.fields import FieldInfo

from linkwork.robots import quantities as q
from linkwork.robots import schema as s
from linkwork.robots.faults import Path, shown

MOST_LINKS = 100


class Rotor(s.Part):
    inertia: Annotated[float, BeforeValidator(q.number("kg m^2", q.NOT_NEGATIVE))] = 0.0
    gear_ratio: Annotated[float, BeforeValidator(q.number("", q.NOT_ZERO))] = 1.0


class Friction(s.Part):
    viscous: s.Viscous = 0.0
    coulomb: s.Coulomb = (0.0, 0.0)
    offset: Annotated[float, BeforeValidator(q.number("N m or N", q.ANY))] = 0.0
    side: Annotated[Literal["motor", "joint"], BeforeValidator(q.one_of("motor", "joint"))] = "joint"


class Link(s.Part):
    """What a link has under every convention."""

    name: s.Name | None = None
    joint: Annotated[
        Literal["revolute", "prismatic"], BeforeValidator(q.one_of("revolute", "prismatic"))
    ]
    mass: s.Mass = 0.0
    center_of_mass: s.Point = s.ZERO
    inertia: s.Inertia = s.NO_INERTIA
    rotor: Rotor | None = None
    friction: Friction | None = None
    limits: s.RevoluteLimits | s.PrismaticLimits | None = None
    stiffness: s.Stiffness | None = None

    @field_validator("friction")
    @classmethod
    def _has_gear_ratio(cls, friction: Friction | None, info: ValidationInfo) -> Friction | None:
        on_motor = friction is not None and friction.side == "motor"
        if on_motor and "rotor" in info.data and info.data["rotor"] is None:
            raise ValueError("side motor needs a gear ratio; add rotor: {gear_ratio: ...} to the link")
        return friction

    @field_validator("limits", mode="plain")
    @classmethod
    def _by_joint(
        cls, value: object, info: ValidationInfo
    ) -> s.RevoluteLimits | s.PrismaticLimits | None:
        return s.limits_of(value, info.data.get("joint") == "prismatic")


class DenavitHartenbergLink(Link):
    theta: s.Angle = 0.0
    d: s.Length = 0.0
    a: s.Length = 0.0
    alpha: s.Angle = 0.0


class GeneralLink(Link):
    position: s.Point = s.ZERO
    rpy: s.RPY = s.ZERO
    axis: s.Direction = (0.0, 0.0, 1.0)


class EitherLink(DenavitHartenbergLink, GeneralLink):
    """Reads the links of a file whose convention is at fault, so that their own faults are found too."""


LINK_OF: Mapping[str, type[Link]] = {
    "standard": DenavitHartenbergLink,
    "modified": DenavitHartenbergLink,
    "general": GeneralLink,
}


def link_class(convention: object) -> type[Link]:
    return LINK_OF.get(convention, EitherLink) if isinstance(convention, str) else EitherLink


class Tool(s.Part):
    """The tip in the frame of the last link."""

    position: s.Point = s.ZERO
    rpy: s.RPY = s.ZERO


class ArmFile(s.RobotFile):
    convention: Annotated[
        Literal["standard", "modified", "general"],
        BeforeValidator(q.one_of("standard", "modified", "general")),
    ]
    links: tuple[Link, ...]
    tool: Tool | None = None

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
    parts: Mapping[tuple[str, ...], type[s.Part]] = {
        (): ArmFile,
        ("tool",): Tool,
        ("links",): link_class(data.get("convention")),
        ("links", "rotor"): Rotor,
        ("links", "friction"): Friction,
        ("links", "limits"): s.RevoluteLimits,
    }
    return parts[tuple(step for step in path if isinstance(step, str))].model_fields


def stray(path: Path, data: Mapping[str, Any]) -> str:
    """Why a field that exists under another convention is not allowed here; else nothing."""
    in_a_link = [type(step) for step in path] == [str, int, str]
    if not in_a_link or path[-1] not in EitherLink.model_fields:
        return ""
    homes = [name for name, link in LINK_OF.items() if path[-1] in link.model_fields]
    return f"belongs to convention {' or '.join(homes)}, but convention is {data['convention']}"
