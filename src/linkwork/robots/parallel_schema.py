"""The fields of a parallel robot's file. Numbers come out in SI units and radians."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import (
    BeforeValidator,
    Field,
    ValidationInfo,
    field_validator,
    model_validator,
)
from pydantic.fields import FieldInfo

from linkwork.robots import quantities as q
from linkwork.robots import schema as s
from linkwork.robots.faults import Path, listed, shown
from linkwork.robots.parallel import COORDINATES

KINDS = ("R", "P", "U", "S")
REPEAT = re.compile(r"([1-9][0-9]?) around ([xyz])")


def _axes(value: object) -> tuple[q.Vector, ...]:
    """One axis or two."""
    if not (isinstance(value, list | tuple) and value and isinstance(value[0], list | tuple)):
        return (q.direction(value),)
    return s.two_axes(value, q.direction, "[x, y, z] or two of them")


def _nothing(value: object) -> None:
    if value is not None:
        raise ValueError(
            f"{shown(value)} is not allowed; a spherical joint has no axis: write S: and at:"
        )


class Joint(s.Part):
    """A joint of a leg and the body that it carries."""

    R: s.Direction | None = None
    P: s.Direction | None = None
    U: Annotated[tuple[q.Vector, ...], BeforeValidator(_axes)] | None = None
    S: Annotated[None, BeforeValidator(_nothing)] = None
    name: s.Name | None = None
    at: s.Point | None = None
    actuated: s.Flag = False
    rotor: s.Inertial = 0.0
    viscous: s.Viscous = 0.0
    coulomb: s.Coulomb = (0.0, 0.0)
    limits: Any = None
    cross: s.Link | None = None
    link: s.Link | None = None
    apart: s.Width = 0.0  # of two rods that the link is

    @field_validator("limits", mode="plain")
    @classmethod
    def _by_kind(cls, value: object, info: ValidationInfo) -> Any:
        return s.limits_of(value, info.data.get("P") is not None)

    @model_validator(mode="before")
    @classmethod
    def _of_one_kind(cls, value: object) -> object:
        return s.one_kind(value, KINDS, "R: axis, P: axis, U: axis (or two), S: (no axis)")

    @property
    def kind(self) -> str:
        return next(kind for kind in KINDS if kind in self.model_fields_set)


def _repeat(value: object) -> tuple[int, str]:
    match = REPEAT.fullmatch(value.strip()) if isinstance(value, str) else None
    if match is None:
        allowed = "a text such as `3 around z` (1 to 99 times, around x, y or z of the base)"
        raise ValueError(f"{shown(value)} is not allowed; allowed: {allowed}")
    return int(match[1]), match[2]


class LegDefaults(s.Part):
    """What legs may share; joints are merged one by one, and judged in the legs that take them."""

    repeat: Annotated[tuple[int, str], BeforeValidator(_repeat)] | None = None
    frame: s.Flag = False
    joints: Any = ()


class Leg(LegDefaults):
    name: s.Name | None = None
    joints: tuple[Joint, ...]

    @field_validator("joints")
    @classmethod
    def _some(cls, joints: tuple[Joint, ...]) -> tuple[Joint, ...]:
        if not joints:
            raise ValueError("is empty; allowed: the joints of the leg from the base to the platform")
        return joints


class Platform(s.Body):
    mass: s.Mass


def _coordinates(value: object) -> tuple[str, ...]:
    allowed = f"a list of some of {listed(COORDINATES)}"
    if not isinstance(value, list | tuple):
        raise ValueError(f"{shown(value)} is not a list; allowed: {allowed}")
    names = tuple(q.one_of(*COORDINATES)(item) for item in value)
    if len(set(names)) < len(names):
        raise ValueError(f"{shown(value)} names a coordinate twice; allowed: {allowed}")
    return names


class ParallelFile(s.RobotFile):
    coordinates: Annotated[tuple[str, ...], BeforeValidator(_coordinates)] = COORDINATES
    parasitic: Annotated[tuple[str, ...], BeforeValidator(_coordinates)] = ()
    home: Annotated[q.Pose, BeforeValidator(q.pose)]
    platform: Platform
    leg_defaults: LegDefaults = Field(default_factory=LegDefaults)
    legs: tuple[Leg, ...]

    @field_validator("coordinates")
    @classmethod
    def _some(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if not value:
            raise ValueError(f"is empty; allowed: one to six of {listed(COORDINATES)}")
        return COORDINATES if set(value) == set(COORDINATES) else value

    @field_validator("parasitic")
    @classmethod
    def _others(cls, value: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
        if both := [name for name in value if name in info.data.get("coordinates", ())]:
            raise ValueError(f"{listed(both)} is a coordinate too; a coordinate is one or the other")
        return value

    @field_validator("legs", mode="before")
    @classmethod
    def _with_defaults(cls, value: object, info: ValidationInfo) -> list[object]:
        if not isinstance(value, list | tuple) or not value:
            raise ValueError(
                f"{shown(value)} is not a list of legs; allowed: a list of at least one leg"
            )
        return [merged((info.context or {}).get("leg_defaults"), leg) for leg in value]


def merged(default: object, own: object) -> object:
    """`own` as written, with what it does not say taken from the defaults, part by part."""
    if isinstance(own, Mapping) and isinstance(default, Mapping):
        kinds = set(KINDS) & own.keys()  # a joint of its own kind does not inherit another
        kept = {name: value for name, value in default.items() if not (kinds and name in KINDS)}
        fields = {name: merged(kept.get(name), value) for name, value in own.items()}
        return {**{name: value for name, value in kept.items() if name not in own}, **fields}
    if isinstance(own, list) and isinstance(default, list) and own and isinstance(own[0], Mapping):
        padded = [*default, *[None] * len(own)]
        return [merged(padded[k], item) for k, item in enumerate(own)]
    return own


PARTS: Mapping[tuple[str, ...], type[s.Part]] = {
    (): ParallelFile,
    ("platform",): Platform,
    **{
        (owner, *path): part
        for owner in ("leg_defaults", "legs")
        for path, part in (
            ((), Leg if owner == "legs" else LegDefaults),
            (("joints",), Joint),
            (("joints", "link"), s.Link),
            (("joints", "cross"), s.Link),
            (("joints", "limits"), s.RevoluteLimits),
        )
    },
}


def fields_at(path: Path) -> Mapping[str, FieldInfo]:
    """The fields of the part that a path leads to."""
    return PARTS[tuple(step for step in path if isinstance(step, str))].model_fields


# What somebody may write who has a robot that this format cannot hold.
ARTICULATED = ("platforms", "parts", "joints", "bodies")
SHARING = ("branches", "branch", "shares", "shared", "parent")


def stray(path: Path) -> str:
    """Why a field is not allowed where it stands, if there is more to say than that it is unknown."""
    if len(path) == 2 and path[0] == "leg_defaults" and path[1] in Leg.model_fields:
        return "belongs to each leg"
    owner, field = path[:-1], path[-1]
    if owner in ((), ("platform",)) and field in ARTICULATED:
        return "a platform of several bodies (H4, Par4, Quattro) is not built in: a platform is rigid"
    if owner[:1] == ("legs",) and field in SHARING:
        return "legs that share a link are not built in: each goes from the base to the platform alone"
    return ""


def context_of(data: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"leg_defaults": data.get("leg_defaults")}
