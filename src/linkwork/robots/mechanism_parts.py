"""Bodies, joints, rods, cylinders and springs of a mechanism's file, in SI units and radians.

Everything is drawn at home in base axes; a point may be given by its name among `points`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any

import numpy as np
from pydantic import (
    BeforeValidator,
    Field,
    ValidationInfo,
    create_model,
    field_validator,
    model_validator,
)

from linkwork.robots import quantities as q
from linkwork.robots import schema as s
from linkwork.robots.faults import listed, shown, suggestion

JOINT_KINDS = ("R", "P", "U", "S", "fixed")
HINGES = ("R", "U", "S")
AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
AXIS = "x, y, z, -x, -y, -z or three numbers"
MOST_NAMED = 12
UNIT = 1e-15  # of a squared length: written by us, and left as it is


def some(names: Iterable[str]) -> str:
    """The first of many names."""
    every = list(names)
    return listed(every[:MOST_NAMED]) + (", ..." if len(every) > MOST_NAMED else "")


def _place(value: object, info: ValidationInfo) -> q.Vector:
    """Three numbers, or the name of a point."""
    if not isinstance(value, str):
        return q.point(value)
    points = (info.context or {}).get("points", {})
    if value not in points:
        allowed = "three numbers [m]" + (f" or one of {some(points)}" if points else "")
        hint = suggestion(value, points)
        raise ValueError(f"{shown(value)} is not the name of a point{hint}; allowed: {allowed}")
    found: q.Vector = points[value]
    return found


def axis(value: object) -> q.Vector:
    """A unit vector, from a letter or from three numbers."""
    if isinstance(value, str):
        found = AXES.get(value.lstrip("+-").lower())
        if found is None or len(value) > 2:
            raise ValueError(f"{shown(value)} is not an axis; allowed: {AXIS}")
        sign = -1.0 if value.startswith("-") else 1.0
        return sign * found[0] + 0.0, sign * found[1] + 0.0, sign * found[2] + 0.0
    if not isinstance(value, list | tuple | np.ndarray):
        raise ValueError(f"{shown(value)} is not an axis; allowed: {AXIS}")
    x, y, z = q.vector("-")(value)
    return (x, y, z) if abs(x * x + y * y + z * z - 1.0) <= UNIT else q.direction(value)


def _axes(value: object) -> tuple[q.Vector, ...]:
    """The axis fixed in the first body, or that and the one fixed in the second."""
    if not isinstance(value, list | tuple) or len(value) == 3:
        return (axis(value),)
    return s.two_axes(value, axis, f"{AXIS}, or two such in a list")


def _nothing(value: object) -> bool:
    if value is not None and value is not True:
        raise ValueError(f"{shown(value)} is not allowed; it has no axis: leave the field empty")
    return True


def _strut_inertia(value: object) -> tuple[float, float] | q.Matrix:
    two = isinstance(value, list | tuple) and len(value) == 2
    return s.rod_inertia(value) if two else q.inertia(value)


def _both_ends(value: object) -> tuple[float, float]:
    """Friction of both joints of a rod, from one number or from two."""
    read = q.number("N m s", q.NOT_NEGATIVE)
    both = value if isinstance(value, list | tuple) else (value, value)
    if len(both) != 2:
        raise ValueError(f"{shown(value)} is not allowed; allowed: a number >= 0, or [at from, at to]")
    return read(both[0]), read(both[1])


def _joins(value: object) -> tuple[str | tuple[str, ...], ...]:
    """Two bodies; in a part that is repeated, a list of names picks one for each copy."""
    if not isinstance(value, list | tuple) or len(value) != 2:
        raise ValueError(f"{shown(value)} is not allowed; allowed: two bodies, such as [base, arm]")
    return tuple(
        tuple(map(q.name, item)) if isinstance(item, list | tuple) else q.name(item) for item in value
    )


Place = Annotated[q.Vector, BeforeValidator(_place)]
Axis = Annotated[q.Vector, BeforeValidator(axis)]
Axes = Annotated[tuple[q.Vector, ...], BeforeValidator(_axes)]
Nothing = Annotated[bool, BeforeValidator(_nothing)]
Joins = Annotated[tuple[str | tuple[str, ...], ...], BeforeValidator(_joins)]
Force = Annotated[float, BeforeValidator(q.number("N m or N"))]


def _distinct(part: Any, what: str, hinge: q.Vector | None = None) -> None:
    start, end = getattr(part, "from"), part.to
    if start == end:
        raise ValueError(f"is a {what} of length zero; from: and to: are the same point")
    way = (end[0] - start[0], end[1] - start[1], end[2] - start[2])
    if hinge is not None and s.parallel(hinge, way):
        raise ValueError(f"has the axis of its joint along the {what}; allowed: an axis across it")


class _BodyChecks(s.Link):  # type: ignore[misc]
    @model_validator(mode="after")
    def _has_a_place(self) -> Any:
        given = self.model_fields_set
        if self.point:
            if wrong := given & {"inertia", "from", "to", "center_of_mass", "radius", "center"}:
                what = f"is a point, which has no {listed(sorted(wrong))}"
                raise ValueError(f"{what}; allowed: point, mass, at, origin")
        elif "at" in given:
            raise ValueError("at: belongs to a point (point: true); a body has center_of_mass:")
        elif self.mass and not given & {"from", "center_of_mass"}:
            what = "has a mass and no place; add center_of_mass: [x, y, z] (at home, base axes)"
            raise ValueError(f"{what}, or from: and to: of a rod")
        return self


# `from` is no name that a class body can have.
Body: Any = create_model(  # type: ignore[call-overload]
    "Body",
    __base__=_BodyChecks,
    center_of_mass=(Place | None, None),
    **{"from": (Place | None, None)},
    to=(Place | None, None),
    origin=(Place | None, None),
    point=(s.Flag, False),
    at=(Place | None, None),
)


class _Spring(s.Part):
    """Of each way to write where it is free, one."""

    stiffness: Force
    preload: Force = 0.0

    @property
    def rest(self) -> float:
        written = [getattr(self, name) for name in self.model_fields_set if name.startswith("free")]
        return float(written[0]) if written else 0.0

    @model_validator(mode="after")
    def _once(self) -> Any:
        twice = sorted(name for name in self.model_fields_set if name.startswith("free"))
        if len(twice) > 1:
            raise ValueError(f"has {listed(twice)}; give one")
        return self


class RevoluteSpring(_Spring):
    free_angle: s.Angle = 0.0
    free: s.Angle = 0.0


class PrismaticSpring(_Spring):
    free_position: s.Length = 0.0
    free: s.Length = 0.0


class LengthSpring(_Spring):
    free_length: s.Length = 0.0
    free: s.Length = 0.0


class CylinderLimits(s.PrismaticLimits):
    """`position` counts from home as that of any joint does; `length` is from pin to pin."""

    length: Annotated[tuple[float, float], BeforeValidator(q.interval(q.length))] | None = None

    @model_validator(mode="after")
    def _once(self) -> Any:
        if self.length is not None and self.position is not None:
            raise ValueError("has position and length; give one")
        return self


class Driven(s.Part):
    """What joints and cylinders have in common."""

    joins: Joins
    motor: s.Flag = False
    rotor: s.Inertial = 0.0
    viscous: s.Viscous = 0.0
    coulomb: s.Coulomb = (0.0, 0.0)
    stiffness: s.Stiffness | None = None


def joint_extra(field: str, slides: bool) -> type[s.Part]:
    """What `limits` or `spring` of a joint hold."""
    if field == "limits":
        return s.PrismaticLimits if slides else s.RevoluteLimits
    return PrismaticSpring if slides else RevoluteSpring


class Joint(Driven):
    R: Axis | None = None
    P: Axis | None = None
    U: Axes | None = None
    S: Nothing = False
    fixed: Nothing = False
    at: Place | None = None
    limits: Any = None
    spring: Any = None

    @model_validator(mode="before")
    @classmethod
    def _kinds(cls, value: object) -> object:
        allowed = "R: axis, P: axis, U: axis (or two), S: (no axis), fixed: (no axis)"
        return s.one_kind(value, JOINT_KINDS, allowed)

    @field_validator("limits", "spring", mode="plain")
    @classmethod
    def _by_kind(cls, value: object, info: ValidationInfo) -> Any:
        part = joint_extra(str(info.field_name), info.data.get("P") is not None)
        return None if value is None else part.model_validate(value)

    @model_validator(mode="after")
    def _has_a_place(self) -> Any:
        if self.at is None and self.kind in ("R", "U", "S"):
            raise ValueError("at is missing; add at: [x, y, z] or the name of a point")
        return self

    @property
    def kind(self) -> str:
        return next(kind for kind in JOINT_KINDS if kind in self.model_fields_set)


class _RodChecks(s.Part):
    @model_validator(mode="after")
    def _sound(self) -> Any:
        if {"radius", "inertia"} <= self.model_fields_set:
            raise ValueError("has radius and inertia; give one or the other")
        near, far = self.U, self.U_to  # type: ignore[attr-defined]
        for hinge in (near, far):
            _distinct(self, "rod", hinge)
        if any(self.viscous) and near is None and far is None:  # type: ignore[attr-defined]
            raise ValueError("has friction and balls only, so nothing tells its spin; add U: axis")
        return self


Rod: Any = create_model(  # type: ignore[call-overload]
    "Rod",
    __base__=_RodChecks,
    joins=(Joins, ...),
    **{"from": (Place, ...)},
    to=(Place, ...),
    mass=(s.Mass, 0.0),
    radius=(s.Width, 0.0),
    inertia=(Annotated[tuple[float, float], BeforeValidator(s.rod_inertia)] | None, None),
    center=(Annotated[float, BeforeValidator(s.share)], 0.5),
    U=(Axis | None, None),
    U_to=(Axis | None, None),
    viscous=(Annotated[tuple[float, float], BeforeValidator(_both_ends)], (0.0, 0.0)),
)


class Half(s.Part):
    """Barrel or rod of a cylinder: `center` is from its own pin towards the other one."""

    mass: s.Mass = 0.0
    center: s.Length = 0.0
    center_of_mass: s.Point | None = None  # in the cylinder's own axes, from its own pin
    inertia: Annotated[Any, BeforeValidator(_strut_inertia)] = (0.0, 0.0)

    @model_validator(mode="after")
    def _once(self) -> Any:
        if {"center", "center_of_mass"} <= self.model_fields_set:
            raise ValueError("has center and center_of_mass; give one")
        return self

    @property
    def is_symmetric(self) -> bool:
        return len(self.inertia) == 2 and not any((self.center_of_mass or s.ZERO)[1:])


class _CylinderChecks(Driven):
    @model_validator(mode="before")
    @classmethod
    def _hinges(cls, value: object) -> object:
        heavy = isinstance(value, Mapping) and ("barrel" in value or "rod" in value)
        allowed = "R: axis (a pin), U: axis, S: (a ball), the joint at from:"
        return s.one_kind(value, HINGES, allowed, needed=heavy)

    @model_validator(mode="after")
    def _sound(self) -> Any:
        _distinct(self, "cylinder", self.R or self.U)  # type: ignore[attr-defined]
        halves = (self.barrel, self.rod)  # type: ignore[attr-defined]
        if self.hinge == "S" and not all(half.is_symmetric for half in halves):
            raise ValueError("is on a ball, so inertia is [axial, across] and the centre on its line")
        return self

    @property
    def hinge(self) -> str:
        return next((kind for kind in HINGES if kind in self.model_fields_set), "S")


Cylinder: Any = create_model(  # type: ignore[call-overload]
    "Cylinder",
    __base__=_CylinderChecks,
    **{"from": (Place, ...)},
    to=(Place, ...),
    R=(Axis | None, None),
    U=(Axis | None, None),
    S=(Nothing, False),
    universal=(s.Viscous, 0.0),
    spherical=(s.Viscous, 0.0),
    barrel=(Half, Field(default_factory=Half)),
    rod=(Half, Field(default_factory=Half)),
    limits=(CylinderLimits | None, None),
    spring=(LengthSpring | None, None),
)


class _PointSpringChecks(LengthSpring):
    @model_validator(mode="after")
    def _sound(self) -> Any:
        _distinct(self, "spring")
        return self


PointSpring: Any = create_model(  # type: ignore[call-overload]
    "PointSpring",
    __base__=_PointSpringChecks,
    joins=(Joins, ...),
    **{"from": (Place, ...)},
    to=(Place, ...),
)
