"""The fields that robot files of every kind share. Numbers come out in SI units and radians."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any

import numpy as np
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    ValidationInfo,
    create_model,
    field_validator,
    model_validator,
)

from linkwork.robots import quantities as q
from linkwork.robots.faults import listed, shown
from linkwork.robots.plausibility import SUBJECTS

PARALLEL = 1e-12  # of a squared sine
ZERO: q.Vector = (0.0, 0.0, 0.0)
NO_INERTIA: q.Matrix = (ZERO, ZERO, ZERO)

Name = Annotated[str, BeforeValidator(q.name)]
Length = Annotated[float, BeforeValidator(q.length)]
Angle = Annotated[float, BeforeValidator(q.angle)]
Point = Annotated[q.Vector, BeforeValidator(q.point)]
Direction = Annotated[q.Vector, BeforeValidator(q.direction)]
Mass = Annotated[float, BeforeValidator(q.number("kg", q.NOT_NEGATIVE))]
Inertia = Annotated[q.Matrix, BeforeValidator(q.inertia)]
Viscous = Annotated[float, BeforeValidator(q.number("N m s or N s/m", q.NOT_NEGATIVE))]
Coulomb = Annotated[tuple[float, float], BeforeValidator(q.coulomb)]
Inertial = Annotated[float, BeforeValidator(q.number("kg m^2 or kg", q.NOT_NEGATIVE))]
Stiffness = Annotated[float, BeforeValidator(q.number("N m/rad or N/m", q.POSITIVE))]
Envelope = Annotated[tuple[tuple[float, float], ...], BeforeValidator(q.envelope)]
Width = Annotated[float, BeforeValidator(q.number("m", q.NOT_NEGATIVE))]
Flag = Annotated[bool, BeforeValidator(q.flag)]
RPY = Annotated[q.Vector, BeforeValidator(q.vector("rad", q.angle))]


class Part(BaseModel):
    """A mapping of a robot file: no field beyond those named."""

    # Built when first used: a file is of one kind, and building all takes a while.
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class Body(Part):
    """A body in its own frame; one without mass is a common simplification."""

    mass: Mass = 0.0
    center_of_mass: Point = ZERO
    inertia: Inertia = NO_INERTIA


class _Limits(Part):
    position: tuple[float, float] | None = None
    velocity: Annotated[float, BeforeValidator(q.number("rad/s or m/s", q.POSITIVE))] | None = None
    effort: Annotated[float, BeforeValidator(q.number("N m or N", q.POSITIVE))] | None = None
    effort_velocity: Envelope | None = None


class RevoluteLimits(_Limits):
    position: Annotated[tuple[float, float], BeforeValidator(q.interval(q.angle))] | None = None


class PrismaticLimits(_Limits):
    position: Annotated[tuple[float, float], BeforeValidator(q.interval(q.length))] | None = None


def limits_of(value: object, slides: bool) -> RevoluteLimits | PrismaticLimits | None:
    """Limits of a joint that turns or slides, as written."""
    kind = PrismaticLimits if slides else RevoluteLimits
    return None if value is None else kind.model_validate(value)


def share(value: object) -> float:
    result = q.number("-")(value)
    if not 0.0 <= result <= 1.0:
        raise ValueError(f"{shown(value)} is out of range; allowed: from 0 (at `from`) to 1 (at `to`)")
    return result


def rod_inertia(value: object) -> tuple[float, float]:
    """Along a rod and across it."""
    if not isinstance(value, list | tuple) or len(value) != 2:
        raise ValueError(
            f"{shown(value)} is not that of a rod; allowed: [axial, across], two numbers >= 0 [kg m^2]"
        )
    axial, across = (q.number("kg m^2", q.NOT_NEGATIVE)(item) for item in value)
    return axial, across


class _LinkChecks(Part):
    @field_validator("inertia", mode="plain", check_fields=False)
    @classmethod
    def _by_form(cls, value: object, info: ValidationInfo) -> Any:
        if info.data.get("from") is None:
            return q.inertia(value)
        return rod_inertia(value)

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
    radius=(Width, 0.0),
    center=(Annotated[float, BeforeValidator(share)], 0.5),
    inertia=(Any, None),
)


def one_kind(value: object, kinds: tuple[str, ...], allowed: str, needed: bool = True) -> object:
    """A part of which one of some fields tells the kind."""
    if isinstance(value, Mapping):
        given = [kind for kind in kinds if kind in value]
        if len(given) > 1 or (needed and not given):
            found = f"has {listed(given)}" if given else "has no kind"
            raise ValueError(f"{found}; allowed: one of {allowed}")
    return value


def parallel(first: q.Vector, second: q.Vector) -> bool:
    across = np.cross(first, second)
    return bool(across @ across <= PARALLEL * (np.dot(first, first) * np.dot(second, second)))


def two_axes(
    value: Sequence[object], read: Callable[[object], q.Vector], allowed: str
) -> tuple[q.Vector, q.Vector]:
    """Both axes of a universal joint."""
    if len(value) != 2:
        raise ValueError(f"{shown(value)} is not one axis or two; allowed: {allowed}")
    first, second = (read(item) for item in value)
    if parallel(first, second):
        raise ValueError("has two parallel axes; allowed: axes that span a plane")
    return first, second


def _accepted(value: object) -> tuple[str, ...]:
    if not isinstance(value, list | tuple):
        raise ValueError(f"{shown(value)} is not a list; allowed: a list of {listed(SUBJECTS)}")
    return tuple(map(q.one_of(*SUBJECTS), value))


class RobotFile(Part):
    kind: str
    name: Name
    gravity: Annotated[q.Vector, BeforeValidator(q.vector("m/s^2"))] = (0.0, 0.0, -9.81)
    source: Annotated[str, BeforeValidator(q.source)] = ""
    inertia_as_published: Annotated[bool, BeforeValidator(q.flag)] = False
    accept: Annotated[tuple[str, ...], BeforeValidator(_accepted)] = ()
