"""The fields of a parallel robot's file. Numbers come out in SI units and radians."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import (
    BeforeValidator,
    Field,
    ValidationInfo,
    create_model,
    field_validator,
    model_validator,
)
from pydantic.fields import FieldInfo

from linkwork.robots import quantities as q
from linkwork.robots.arm_schema import PrismaticLimits, RevoluteLimits
from linkwork.robots.faults import Path, listed, shown
from linkwork.robots.parallel import COORDINATES
from linkwork.robots.schema import (
    NO_INERTIA,
    ZERO,
    Direction,
    Inertia,
    Mass,
    Name,
    Part,
    Point,
    RobotFile,
)

KINDS = ("R", "P", "U", "S")
REPEAT = re.compile(r"([1-9][0-9]?) around ([xyz])")
ROD_INERTIA = "[axial, across], two numbers >= 0 [kg m^2]"

Viscous = Annotated[float, BeforeValidator(q.number("N m s or N s/m", q.NOT_NEGATIVE))]
Positive = Annotated[float, BeforeValidator(q.number("m", q.NOT_NEGATIVE))]


def _axes(value: object) -> tuple[q.Vector, ...]:
    """One axis or two."""
    nested = isinstance(value, list | tuple) and bool(value) and isinstance(value[0], list | tuple)
    if not nested:
        return (q.direction(value),)
    assert isinstance(value, list | tuple)
    if len(value) != 2:
        raise ValueError(f"{shown(value)} is not one axis or two; allowed: [x, y, z] or two of them")
    first, second = (q.direction(item) for item in value)
    if sum((a * b for a, b in zip(first, second, strict=True)), 0.0) ** 2 > 1 - 1e-12:
        raise ValueError("has two parallel axes; allowed: axes that span a plane")
    return first, second


def _nothing(value: object) -> None:
    if value is not None:
        raise ValueError(
            f"{shown(value)} is not allowed; a spherical joint has no axis: write S: and at:"
        )


def share(value: object) -> float:
    result = q.number("-")(value)
    if not 0.0 <= result <= 1.0:
        raise ValueError(f"{shown(value)} is out of range; allowed: from 0 (at `from`) to 1 (at `to`)")
    return result


class _LinkChecks(Part):
    @field_validator("inertia", mode="plain", check_fields=False)
    @classmethod
    def _by_form(cls, value: object, info: ValidationInfo) -> Any:
        if info.data.get("from") is None:
            return q.inertia(value)
        if not isinstance(value, list | tuple) or len(value) != 2:
            raise ValueError(f"{shown(value)} is not that of a rod; allowed: {ROD_INERTIA}")
        axial, across = (q.number("kg m^2", q.NOT_NEGATIVE)(item) for item in value)
        return axial, across

    @model_validator(mode="after")
    def _one_form(self) -> Any:
        given = self.model_fields_set
        if ("from" in given) != ("to" in given):
            raise ValueError("a rod needs both from: and to:")
        if "from" not in given:
            if wrong := given & {"radius", "center"}:
                raise ValueError(f"{listed(sorted(wrong))} belongs to a rod; add from: and to:")
            return self
        if "center_of_mass" in given:
            raise ValueError("has from: and to:, and center_of_mass; give one or the other")
        if {"radius", "inertia"} <= given:
            raise ValueError("has radius and inertia; give one or the other")
        if getattr(self, "from") == self.to:  # type: ignore[attr-defined]
            raise ValueError("is a rod of length zero; from: and to: are the same point")
        return self


# `from` is no name that a class body can have.
Link: Any = create_model(  # type: ignore[call-overload]
    "Link",
    __base__=_LinkChecks,
    mass=(Mass, 0.0),
    center_of_mass=(Point | None, None),
    **{"from": (Point | None, None)},
    to=(Point | None, None),
    radius=(Positive, 0.0),
    center=(Annotated[float, BeforeValidator(share)], 0.5),
    inertia=(Any, None),
)


class Joint(Part):
    """A joint of a leg and the body that it carries."""

    R: Direction | None = None
    P: Direction | None = None
    U: Annotated[tuple[q.Vector, ...], BeforeValidator(_axes)] | None = None
    S: Annotated[None, BeforeValidator(_nothing)] = None
    name: Name | None = None
    at: Point | None = None
    actuated: Annotated[bool, BeforeValidator(q.flag)] = False
    rotor: Annotated[float, BeforeValidator(q.number("kg m^2 or kg", q.NOT_NEGATIVE))] = 0.0
    viscous: Viscous = 0.0
    coulomb: Annotated[tuple[float, float], BeforeValidator(q.coulomb)] = (0.0, 0.0)
    limits: Any = None
    cross: Link | None = None
    link: Link | None = None
    apart: Positive = 0.0  # of two rods that the link is

    @field_validator("limits", mode="plain")
    @classmethod
    def _by_kind(cls, value: object, info: ValidationInfo) -> Any:
        if value is None:
            return None
        kind = PrismaticLimits if info.data.get("P") is not None else RevoluteLimits
        return kind.model_validate(value)

    @model_validator(mode="before")
    @classmethod
    def _one_kind(cls, value: object) -> object:
        if isinstance(value, Mapping):
            kinds = [kind for kind in KINDS if kind in value]
            if len(kinds) != 1:
                found = f"has {listed(kinds)}" if kinds else "has no kind"
                allowed = "R: axis, P: axis, U: axis (or two), S: (no axis)"
                raise ValueError(f"{found}; allowed: one of {allowed}")
        return value

    @property
    def kind(self) -> str:
        return next(kind for kind in KINDS if kind in self.model_fields_set)


def _repeat(value: object) -> tuple[int, str]:
    match = REPEAT.fullmatch(value.strip()) if isinstance(value, str) else None
    if match is None:
        allowed = "a text such as `3 around z` (1 to 99 times, around x, y or z of the base)"
        raise ValueError(f"{shown(value)} is not allowed; allowed: {allowed}")
    return int(match[1]), match[2]


class LegDefaults(Part):
    """What legs may share; joints are merged one by one, and judged in the legs that take them."""

    repeat: Annotated[tuple[int, str], BeforeValidator(_repeat)] | None = None
    frame: Annotated[bool, BeforeValidator(q.flag)] = False
    joints: Any = ()


class Leg(LegDefaults):
    name: Name | None = None
    joints: tuple[Joint, ...]

    @field_validator("joints")
    @classmethod
    def _some(cls, joints: tuple[Joint, ...]) -> tuple[Joint, ...]:
        if not joints:
            raise ValueError("is empty; allowed: the joints of the leg from the base to the platform")
        return joints


class Platform(Part):
    mass: Mass
    center_of_mass: Point = ZERO
    inertia: Inertia = NO_INERTIA


def _coordinates(value: object) -> tuple[str, ...]:
    allowed = f"a list of some of {listed(COORDINATES)}"
    if not isinstance(value, list | tuple):
        raise ValueError(f"{shown(value)} is not a list; allowed: {allowed}")
    names = tuple(q.one_of(*COORDINATES)(item) for item in value)
    if len(set(names)) < len(names):
        raise ValueError(f"{shown(value)} names a coordinate twice; allowed: {allowed}")
    return names


class ParallelFile(RobotFile):
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


PARTS: Mapping[tuple[str, ...], type[Part]] = {
    (): ParallelFile,
    ("platform",): Platform,
    **{
        (owner, *path): part
        for owner in ("leg_defaults", "legs")
        for path, part in (
            ((), Leg if owner == "legs" else LegDefaults),
            (("joints",), Joint),
            (("joints", "link"), Link),
            (("joints", "cross"), Link),
            (("joints", "limits"), RevoluteLimits),
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
