"""The fields of a mechanism's file: bodies, joints, rods, cylinders, springs, couplings, motors, copies.

Everything is drawn at home in base axes; a point may be given by its name among `points`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar

import numpy as np

from linkwork.files import quantities as q
from linkwork.files.declared import REQUIRED, At, Data, Found, Named, Of
from linkwork.files.faults import listed, shown, suggestion
from linkwork.model.drive import Drive, drive_faults
from linkwork.model.file_parts import (
    INERTIA_BY_FORM,
    NOTHING,
    ROD_INERTIA,
    SHARE,
    WIDTH,
    ZERO,
    DrawnBody,
    RobotFile,
    one_kind,
    parallel,
    two_axes,
)
from linkwork.model.geometry import MASS
from linkwork.model.joint import (
    LOAD_FRICTION,
    POWER,
    REFLECTED,
    SIGNS,
    STIFFNESS,
    STRIBECK,
    STRIBECK_VELOCITY,
    VISCOUS,
    Limits,
    TurnLimits,
    limits_of_joint,
    stribeck_refusal,
)
from linkwork.model.mechanism import BASE, JOINT_KINDS, POSE, Coordinate, MechanismJoint, Part, Spring

HINGES = ("R", "U", "S")
AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
AXIS_WORDS = "x, y, z, -x, -y, -z or three numbers"
MOST_NAMED = 12
MOST_TIMES = 99
UNIT = 1e-15  # of a squared length: written by us, and left as it is
COORDINATE = "a joint, a cylinder, or {body: [x, y, z, roll, pitch, yaw]} with some of the six"


def some(names: Iterable[str]) -> str:
    """The first of many names."""
    every = list(names)
    return listed(every[:MOST_NAMED]) + (", ..." if len(every) > MOST_NAMED else "")


def _place(value: object, context: Data) -> q.Vector:
    """Three numbers, or the name of a point."""
    if not isinstance(value, str):
        return q.point(value)
    points: Mapping[str, q.Vector] = context.get("points", {})
    if value not in points:
        allowed = "three numbers [m]" + (f" or one of {some(points)}" if points else "")
        hint = suggestion(value, points)
        raise ValueError(f"{shown(value)} is not the name of a point{hint}; allowed: {allowed}")
    return points[value]


def axis(value: object) -> q.Vector:
    """A unit vector, from a letter or from three numbers."""
    if isinstance(value, str):
        found = AXES.get(value.lstrip("+-").lower())
        if found is None or len(value) > 2:
            raise ValueError(f"{shown(value)} is not an axis; allowed: {AXIS_WORDS}")
        sign = -1.0 if value.startswith("-") else 1.0
        return sign * found[0] + 0.0, sign * found[1] + 0.0, sign * found[2] + 0.0
    if not isinstance(value, list | tuple | np.ndarray):
        raise ValueError(f"{shown(value)} is not an axis; allowed: {AXIS_WORDS}")
    x, y, z = q.vector("-")(value)
    return (x, y, z) if abs(x * x + y * y + z * z - 1.0) <= UNIT else q.direction(value)


def _axes(value: object) -> tuple[q.Vector, ...]:
    """The axis fixed in the first body, or that and the one fixed in the second."""
    if not isinstance(value, list | tuple) or len(value) == 3:
        return (axis(value),)
    return two_axes(value, axis, f"{AXIS_WORDS}, or two such in a list")


def _half_inertia(value: object) -> tuple[float, float] | q.Matrix:
    two = isinstance(value, list | tuple) and len(value) == 2
    return ROD_INERTIA(value) if two else q.inertia(value)


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


PLACE = q.FieldQuantity(q.point, "m", "a place", 3, lengths=True, within_file=_place)
AXIS = q.FieldQuantity(axis, "", "an axis")
FORCE = q.number("N m or N")
SPRING = q.number("N m/rad or N/m")
Dry = Annotated[
    tuple[float, float],
    q.coulomb,
    At("friction.coulomb_forward", "friction.coulomb_backward", SIGNS),
]
BodyNames = tuple[str | tuple[str, ...], ...]
Joins = Annotated[BodyNames, q.FieldQuantity(_joins, "", "[a, b]"), "b moves relative to a"]
Start = Annotated[q.Vector, PLACE, Named("from"), At("start"), "its point on the first body"]
End = Annotated[q.Vector, PLACE, At("end"), "its point on the second body"]


def _distinct(start: q.Vector, end: q.Vector, what: str, hinge: q.Vector | None = None) -> None:
    if start == end:
        raise ValueError(f"is a {what} of length zero; from: and to: are the same point")
    way = (end[0] - start[0], end[1] - start[1], end[2] - start[2])
    if hinge is not None and parallel(hinge, way):
        raise ValueError(f"has the axis of its joint along the {what}; allowed: an axis across it")


def _drive_faults(values: Data, slides: bool) -> Iterator[Found]:
    for name in ("drive", "load_friction"):
        if values.get(name) is not None and values.get("motor") is False:
            yield (name,), "belongs to a joint or cylinder with a motor; add motor: true"
    yield from drive_faults(values.get("drive"), slides, values.get("viscous_power", 1.0))


# What somebody may write who thinks of another kind of file or of another program's.
INSTEAD = {
    "actuated": "a joint that is driven says motor: true",
    "type": "the kind of a joint is a field: R: axis, P: axis, U: axis, S:, fixed:",
    "axis": "the axis stands at the kind of the joint, such as R: y",
    "name": "the name is what it stands under",
    "links": "bodies and joints are sections of their own here",
    "legs": "legs are written as cylinders or rods, or as bodies and joints; see repeat",
    "home": "everything is drawn at home; a body's origin: is where its pose counts from",
    "length": "the length is the distance of from: and to:",
}


class Drawn:
    """Parts of a mechanism's file."""

    @staticmethod
    def stray(name: str, context: Data) -> str:
        return INSTEAD.get(name, "")


@dataclass(frozen=True, kw_only=True)
class DrawnPart(Drawn, DrawnBody):
    """A body; places may be named."""

    center_of_mass: Annotated[
        q.Vector | None, PLACE, At("body.center_of_mass"), "needed with a mass, unless from"
    ] = None
    start: Annotated[q.Vector | None, PLACE, Named("from"), "one end of a rod-shaped body"] = None
    to: Annotated[q.Vector | None, PLACE, "its other end"] = None
    inertia: Annotated[
        Any, INERTIA_BY_FORM, At("body.inertia"), "about the center of mass; of a rod [axial, across]"
    ] = None
    origin: Annotated[q.Vector | None, PLACE, "whose pose is meant in coordinates"] = None
    point: Annotated[bool, q.flag, "a point mass; R joints to it act as balls"] = False
    at: Annotated[q.Vector | None, PLACE, At("body.center_of_mass"), "place of a point"] = None

    @staticmethod
    def varied(part: Part) -> tuple[str, ...]:
        return ("mass", "at") if part.point else ("mass", "center_of_mass", "inertia")

    @staticmethod
    def refusals(data: Data) -> Iterator[str]:
        yield from DrawnBody.refusals(data)
        if data.get("point") is True:
            form = {"inertia", "from", "to", "center_of_mass", "radius", "center"}
            if wrong := sorted(form & data.keys()):
                what = f"is a point, which has no {listed(wrong)}"
                yield f"{what}; allowed: point, mass, at, origin"
        elif "at" in data:
            yield "at: belongs to a point (point: true); a body has center_of_mass:"
        elif _weighs(data.get("mass")) and not {"from", "center_of_mass"} & data.keys():
            what = "has a mass and no place; add center_of_mass: [x, y, z] (at home, base axes)"
            yield f"{what}, or from: and to: of a rod"


def _weighs(mass: object) -> bool:
    return isinstance(mass, int | float) and mass > 0


def _made_spring(stiffness: float, preload: float = 0.0, **free: float) -> Spring:
    return Spring(stiffness, next(iter(free.values()), 0.0), preload)


@dataclass(frozen=True, kw_only=True)
class WrittenSpring:
    """Of each way to write where it is free, one."""

    makes: ClassVar[Any] = staticmethod(_made_spring)
    stiffness: Annotated[float, SPRING, At("stiffness"), "may be negative"]
    preload: Annotated[float, FORCE, At("preload"), "effort where it is free"] = 0.0

    @staticmethod
    def refusals(data: Data) -> Iterator[str]:
        twice = sorted(name for name in data if isinstance(name, str) and name.startswith("free"))
        if len(twice) > 1:
            yield f"has {listed(twice)}; give one"


@dataclass(frozen=True, kw_only=True)
class TurnSpring(WrittenSpring):
    free_angle: Annotated[float, q.angle, "from home, where it is free"] = 0.0
    free: Annotated[float, q.angle, "the same"] = 0.0


@dataclass(frozen=True, kw_only=True)
class SlideSpring(WrittenSpring):
    free_position: Annotated[float, q.length, "from home, where it is free"] = 0.0
    free: Annotated[float, q.length, "the same"] = 0.0


def _spring_of_joint(data: Data) -> type[WrittenSpring]:
    return SlideSpring if "P" in data else TurnSpring


@dataclass(frozen=True, kw_only=True)
class LengthSpring(WrittenSpring):
    free_length: Annotated[float, q.length, "at which it is free"] = 0.0
    free: Annotated[float, q.length, "the same"] = 0.0


@dataclass(frozen=True)
class CylinderLimits(Limits):
    """`position` counts from home as that of any joint does; `length` is from pin to pin."""

    length: Annotated[tuple[float, float] | None, q.interval(q.length), "from pin to pin"] = None

    @staticmethod
    def refusals(data: Data) -> Iterator[str]:
        if data.get("length") is not None and data.get("position") is not None:
            yield "has position and length; give one"


@dataclass(frozen=True, kw_only=True)
class DrawnJoint(Drawn):
    R: Annotated[q.Vector | None, AXIS, "axis of a revolute joint"] = None
    P: Annotated[q.Vector | None, AXIS, "axis of a prismatic joint"] = None
    U: Annotated[
        tuple[q.Vector, ...] | None,
        q.FieldQuantity(_axes, "", "an axis or two"),
        "of a universal joint: on the first body, and on the second",
    ] = None
    S: Annotated[bool, NOTHING, "a ball joint"] = False
    fixed: Annotated[bool, NOTHING, "no motion"] = False
    joins: Joins
    at: Annotated[q.Vector | None, PLACE, At("at"), "needed by R, U, S"] = None
    motor: Annotated[bool, q.flag, "R and P: has a motor"] = False
    rotor: Annotated[float, REFLECTED, At("rotor"), "R and P: reflected inertia"] = 0.0
    drive: Annotated[Drive | None, Of(Drive), "R and P: motor, gear, screw"] = None
    viscous: Annotated[float, VISCOUS, At("friction.viscous"), "of U and S against all turns"] = 0.0
    coulomb: Annotated[Dry, "R and P: dry friction"] = (0.0, 0.0)
    offset: Annotated[float, FORCE, At("friction.offset"), "R and P: constant, either way"] = 0.0
    stribeck: Annotated[float, STRIBECK, At("friction.stribeck"), "dry friction more near rest"] = 0.0
    stribeck_velocity: Annotated[float, STRIBECK_VELOCITY, "within which of rest it acts"] = 0.0
    viscous_power: Annotated[float, POWER, "of the velocity, in viscous friction"] = 1.0
    load_friction: Annotated[
        float | None,
        LOAD_FRICTION,
        At("friction.load_friction"),
        "dry friction by this share of what the motor carries",
    ] = None
    stiffness: Annotated[float | None, STIFFNESS, At("stiffness"), "of the drive, motor held"] = None
    limits: Annotated[Limits | None, Of(limits_of_joint), "R and P: bounds from home"] = None
    spring: Annotated[
        Any,
        Of(_spring_of_joint),
        At("spring"),
        "R and P: opposes with preload + stiffness (q - free)",
    ] = None

    @staticmethod
    def refusals(data: Data) -> Iterator[str]:
        allowed = "R: axis, P: axis, U: axis (or two), S: (no axis), fixed: (no axis)"
        yield from one_kind(data, tuple(JOINT_KINDS), allowed)
        if data.get("at") is None and any(kind in data for kind in ("R", "U", "S")):
            yield "at is missing; add at: [x, y, z] or the name of a point"

    @staticmethod
    def field_faults(values: Data, context: Data) -> Iterator[Found]:
        yield from _drive_faults(values, values.get("P") is not None)

    def __post_init__(self) -> None:
        if refusal := stribeck_refusal(self.stribeck, self.stribeck_velocity):
            raise ValueError(refusal)

    @property
    def kind(self) -> str:
        return next((kind for kind in JOINT_KINDS if getattr(self, kind)), "fixed")

    @staticmethod
    def varied(joint: MechanismJoint) -> tuple[str, ...]:
        friction = ("viscous", "coulomb", "offset", "stribeck", "load_friction")
        drive = ("rotor", *friction, "stiffness", "spring")
        return (
            "at",
            *{"revolute": drive, "prismatic": drive, "fixed": ()}.get(joint.kind, ("viscous",)),
        )


@dataclass(frozen=True, kw_only=True)
class DrawnRod(Drawn):
    """A link of constant length; that of the sketch."""

    joins: Joins
    start: Start
    to: End
    mass: Annotated[float, MASS, At("mass"), "may be zero"] = 0.0
    radius: Annotated[float, WIDTH, "of a solid cylinder"] = 0.0
    inertia: Annotated[
        tuple[float, float] | None,
        ROD_INERTIA,
        At("axial", "across", (q.NOT_NEGATIVE, q.NOT_NEGATIVE)),
        "about the center of mass, instead of radius",
    ] = None
    center: Annotated[float, SHARE, At("center"), "center of mass as a share of the way"] = 0.5
    U: Annotated[q.Vector | None, AXIS, "of a universal joint on the first body; else a ball"] = None
    U_to: Annotated[q.Vector | None, AXIS, "of a universal joint on the second body"] = None
    viscous: Annotated[
        tuple[float, float],
        q.FieldQuantity(_both_ends, "N m s", "a number, or [at from, at to]"),
        "friction of both joints; needs a U",
    ] = (0.0, 0.0)

    @staticmethod
    def refusals(data: Data) -> Iterator[str]:
        if {"radius", "inertia"} <= data.keys():
            yield "has radius and inertia; give one or the other"

    def __post_init__(self) -> None:
        for hinge in (self.U, self.U_to):
            _distinct(self.start, self.to, "rod", hinge)
        if any(self.viscous) and self.U is None and self.U_to is None:
            raise ValueError("has friction and balls only, so nothing tells its spin; add U: axis")


@dataclass(frozen=True, kw_only=True)
class Half(Drawn):
    """Barrel or rod of a cylinder: `center` is from its own pin toward the other one."""

    mass: Annotated[float, MASS, At("mass"), "may be zero"] = 0.0
    center: Annotated[float, q.length, "from its own pin toward the other"] = 0.0
    center_of_mass: Annotated[
        q.Vector | None, q.point, At("center_of_mass"), "in the cylinder's axes, from its own pin"
    ] = None
    inertia: Annotated[
        Any,
        q.FieldQuantity(_half_inertia, "kg m^2", "[axial, across], three numbers or a 3 x 3 matrix", 6),
        At("inertia"),
        "about the center of mass",
    ] = (0.0, 0.0)

    @staticmethod
    def refusals(data: Data) -> Iterator[str]:
        if {"center", "center_of_mass"} <= data.keys():
            yield "has center and center_of_mass; give one"

    @property
    def is_symmetric(self) -> bool:
        return len(self.inertia) == 2 and not any((self.center_of_mass or ZERO)[1:])


@dataclass(frozen=True, kw_only=True)
class DrawnCylinder(Drawn):
    """Barrel on the first body, rod on the second, a ball at `to`; positive efforts push apart."""

    joins: Joins
    start: Start
    to: End
    R: Annotated[q.Vector | None, AXIS, "axis of a pin at from"] = None
    U: Annotated[q.Vector | None, AXIS, "axis on the first body of a universal joint at from"] = None
    S: Annotated[bool, NOTHING, "a ball at from"] = False
    motor: Annotated[bool, q.flag, "has a motor"] = False
    rotor: Annotated[float, REFLECTED, At("rotor"), "reflected inertia"] = 0.0
    drive: Annotated[Drive | None, Of(Drive), "motor, gear, screw"] = None
    viscous: Annotated[float, VISCOUS, At("friction.viscous"), "friction along it"] = 0.0
    coulomb: Annotated[Dry, "dry friction along it"] = (0.0, 0.0)
    offset: Annotated[float, FORCE, At("friction.offset"), "constant, either way"] = 0.0
    stribeck: Annotated[float, STRIBECK, At("friction.stribeck"), "dry friction more near rest"] = 0.0
    stribeck_velocity: Annotated[float, STRIBECK_VELOCITY, "within which of rest it acts"] = 0.0
    viscous_power: Annotated[float, POWER, "of the velocity, in viscous friction"] = 1.0
    load_friction: Annotated[
        float | None,
        LOAD_FRICTION,
        At("friction.load_friction"),
        "dry friction by this share of what the motor carries",
    ] = None
    universal: Annotated[float, VISCOUS, "viscous friction of the joint at from"] = 0.0
    spherical: Annotated[float, VISCOUS, "viscous friction of the joint at to"] = 0.0
    stiffness: Annotated[float | None, STIFFNESS, At("stiffness"), "of the drive, motor held"] = None
    barrel: Annotated[Half, Of(Half), At("barrel"), "body at from"] = field(default_factory=Half)
    rod: Annotated[Half, Of(Half), At("rod"), "body at to"] = field(default_factory=Half)
    limits: Annotated[CylinderLimits | None, Of(CylinderLimits), "bounds"] = None
    spring: Annotated[
        Any,
        Of(LengthSpring),
        At("spring"),
        "pulls together with preload + stiffness (length - free_length)",
    ] = None

    @staticmethod
    def refusals(data: Data) -> Iterator[str]:
        allowed = "R: axis (a pin), U: axis, S: (a ball), the joint at from:"
        return one_kind(data, HINGES, allowed, needed="barrel" in data or "rod" in data)

    @staticmethod
    def field_faults(values: Data, context: Data) -> Iterator[Found]:
        yield from _drive_faults(values, True)

    def __post_init__(self) -> None:
        _distinct(self.start, self.to, "cylinder", self.R or self.U)
        if refusal := stribeck_refusal(self.stribeck, self.stribeck_velocity):
            raise ValueError(refusal)
        if self.hinge == "S" and not (self.barrel.is_symmetric and self.rod.is_symmetric):
            raise ValueError("is on a ball, so inertia is [axial, across] and the center on its line")

    @property
    def hinge(self) -> str:
        return next((kind for kind in HINGES if getattr(self, kind)), "S")


@dataclass(frozen=True, kw_only=True)
class DrawnSpring(Drawn, LengthSpring):
    """A massless spring between two points; pulls as that of a cylinder."""

    makes: ClassVar[Any] = None
    joins: Joins
    start: Start
    to: End
    stiffness: Annotated[float, SPRING, At("spring.stiffness"), "may be negative"]
    preload: Annotated[float, FORCE, At("spring.preload"), "effort where it is free"] = 0.0

    def __post_init__(self) -> None:
        _distinct(self.start, self.to, "spring")

    @property
    def spring(self) -> Spring:
        return Spring(self.stiffness, self.free_length or self.free, self.preload)


@dataclass(frozen=True, kw_only=True)
class DrawnCone(Drawn):
    """A limit of the joint at `from`: how far the link from there to `to` may tilt."""

    joins: Joins
    start: Annotated[q.Vector, PLACE, Named("from"), At("start"), "the joint, on the first body"]
    to: Annotated[q.Vector, PLACE, At("end"), "where the link goes, on the second body"]
    axis: Annotated[
        q.Vector | None, AXIS, "mounting axis, fixed in the first body; the link's at home if left out"
    ] = None
    angle: Annotated[float, q.swing, "greatest angle between the mounting axis and the link"]

    def __post_init__(self) -> None:
        _distinct(self.start, self.to, "cone")


RATIO = q.number("", q.NOT_ZERO)
Ratios = Annotated[Mapping[str, float] | None, Of(RATIO, "names")]


@dataclass(frozen=True, kw_only=True)
class WrittenCoupling(Drawn):
    """`joint` moves `ratio` times as far as `follows`; or the sum of ratio * coordinate stays 0."""

    joint: Annotated[str | None, q.name, "a joint or cylinder"] = None
    follows: Annotated[str | None, q.name, "the one that it follows"] = None
    ratio: Annotated[float, RATIO, "joint = ratio * follows"] = 1.0
    terms: Annotated[Ratios, "or ratios by joint, whose sum with the coordinates stays 0"] = None

    @staticmethod
    def refusals(data: Data) -> Iterator[str]:
        alone = len(data) == 1 and bool(data.get("terms"))
        pair = data.get("joint") is not None and data.get("follows") is not None
        if not (alone or (pair and "terms" not in data)):
            allowed = "joint:, follows: and ratio:, or terms: {joint: ratio, ...}"
            yield f"has {listed(sorted(map(str, data))) or 'nothing'}; allowed: {allowed}"

    @property
    def ratios(self) -> tuple[tuple[str, float], ...]:
        if self.terms is not None:
            return tuple(self.terms.items())
        return (str(self.joint), 1.0), (str(self.follows), -self.ratio)


def is_long_motor(value: object) -> bool:
    return isinstance(value, Mapping) and isinstance(value.get("joints"), Mapping)


def _long_motor(value: object) -> object:
    """`{pitch: 1, roll: 1}` is short for `{joints: {pitch: 1, roll: 1}}`."""
    return value if is_long_motor(value) or not isinstance(value, Mapping) else {"joints": value}


@dataclass(frozen=True, kw_only=True)
class WrittenMotor(Drawn):
    joints: Annotated[Ratios, REQUIRED, "ratios by the joints that it acts on"]
    rotor: Annotated[float, REFLECTED, At("rotor"), "inertia about its own turn"] = 0.0
    viscous: Annotated[float, VISCOUS, At("friction.viscous"), "friction against its own turn"] = 0.0
    coulomb: Annotated[Dry, "dry friction"] = (0.0, 0.0)
    offset: Annotated[float, FORCE, At("friction.offset"), "constant, either way"] = 0.0
    stribeck: Annotated[float, STRIBECK, At("friction.stribeck"), "dry friction more near rest"] = 0.0
    stribeck_velocity: Annotated[float, STRIBECK_VELOCITY, "within which of rest it acts"] = 0.0
    viscous_power: Annotated[float, POWER, "of the velocity, in viscous friction"] = 1.0
    load_friction: Annotated[
        float | None,
        LOAD_FRICTION,
        At("friction.load_friction"),
        "dry friction by this share of what the motor carries",
    ] = None
    limits: Annotated[Limits | None, Of(TurnLimits), "bounds"] = None

    @staticmethod
    def field_faults(values: Data, context: Data) -> Iterator[Found]:
        if values.get("joints") == {}:
            what = "is empty; allowed: the joints it acts on, such as {pitch: 1, roll: 1}"
            yield ("joints",), what

    def __post_init__(self) -> None:
        if refusal := stribeck_refusal(self.stribeck, self.stribeck_velocity):
            raise ValueError(refusal)


Parts = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Sections(Drawn):
    """What may be written once, or in `repeat` for several copies."""

    bodies: Annotated[Parts, Of(DrawnPart, "names"), At("parts"), "rigid bodies"] = field(
        default_factory=dict
    )
    joints: Annotated[Parts, Of(DrawnJoint, "names"), At("joints"), "between bodies"] = field(
        default_factory=dict
    )
    rods: Annotated[Parts, Of(DrawnRod, "names"), At("rods"), "links of constant length"] = field(
        default_factory=dict
    )
    cylinders: Annotated[Parts, Of(DrawnCylinder, "names"), At("cylinders"), "links that slide"] = field(
        default_factory=dict
    )
    springs: Annotated[Parts, Of(DrawnSpring, "names"), At("springs"), "between points"] = field(
        default_factory=dict
    )
    cones: Annotated[Parts, Of(DrawnCone, "names"), At("cones"), "how far U and S joints tilt"] = field(
        default_factory=dict
    )


def _times(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= MOST_TIMES:
        raise ValueError(f"{shown(value)} is not allowed; allowed: an integer, 1 to {MOST_TIMES}")
    return value


@dataclass(frozen=True, kw_only=True)
class Repeat(Sections):
    times: Annotated[int, q.FieldQuantity(_times, "", f"an integer, 1 to {MOST_TIMES}"), "copies"]
    around: Annotated[q.Vector, AXIS, "through the base's origin"]


@dataclass(frozen=True, kw_only=True)
class ToolPlace(Drawn):
    """A place on a body; turned against the base axes by roll, pitch and yaw at home."""

    body: Annotated[str, q.name, "that carries it"]
    at: Annotated[q.Vector | None, PLACE, "its origin; that of the body if left out"] = None
    rpy: Annotated[q.Vector, q.rpy, "axes against the base axes at home"] = ZERO


def _coordinate(value: object) -> tuple[Coordinate, ...]:
    """A joint, or some of the pose of a body, which may be seen from another body."""
    if isinstance(value, str):
        return (Coordinate(q.name(value)),)
    if not isinstance(value, Mapping):
        raise ValueError(f"{shown(value)} is not a coordinate; allowed: {COORDINATE}")
    bodies = [name for name in value if name != "relative_to"]
    if len(bodies) != 1:
        found = f"has {listed(map(str, bodies))}" if bodies else "has no body"
        raise ValueError(f"{found}; allowed: {COORDINATE}, one body in each item")
    body, written = q.name(bodies[0]), value[bodies[0]]
    if not isinstance(written, list | tuple) or not written:
        raise ValueError(f"{shown(written)} is not a list; allowed: some of {listed(POSE)}")
    names = tuple(q.one_of(*POSE)(item) for item in written)
    if len(set(names)) < len(names):
        raise ValueError(f"{shown(written)} names a coordinate twice; allowed: some of {listed(POSE)}")
    seen_from = q.name(value.get("relative_to", BASE))
    # A whole pose is known by one order to everybody who hands one over.
    ordered = POSE if len(names) == len(POSE) else names
    return tuple(Coordinate(body, name, seen_from) for name in ordered)


def _written_coordinate(item: tuple[Coordinate, ...]) -> Any:
    first = item[0]
    if first.pose is None:
        return first.of
    seen = {} if first.relative_to == BASE else {"relative_to": first.relative_to}
    return {first.of: [each.pose for each in item], **seen}


COUPLED = "{joint: a, follows: b, ratio: r}: a = r b; or {terms: {a: k, b: l}}: k a + l b = 0"
REPEATED = "{times, around} and bodies, joints, ..., cones: copies around an axis of the base"
ITEM = q.FieldQuantity(_coordinate, "", COORDINATE, write=_written_coordinate)


@dataclass(frozen=True, kw_only=True)
class MechanismFile(Sections, RobotFile):
    points: Annotated[Mapping[str, q.Vector], Of(q.point, "names"), "names of places"] = field(
        default_factory=dict
    )
    couplings: Annotated[tuple[WrittenCoupling, ...], Of(WrittenCoupling, "list"), COUPLED] = ()
    motors: Annotated[
        Mapping[str, WrittenMotor],
        Of(WrittenMotor, "names", written_as=_long_motor),
        At("motors"),
        "that act on several joints; {a: 1, b: -1} is short for joints: {a: 1, b: -1}",
    ] = field(default_factory=dict)
    repeat: Annotated[tuple[Repeat, ...], Of(Repeat, "list"), REPEATED] = ()
    order: Annotated[tuple[str, ...], Of(q.name, "list"), "names whose efforts come first"] = ()
    coordinates: Annotated[tuple[tuple[Coordinate, ...], ...], Of(ITEM, "list"), "independent"]
    tool: Annotated[ToolPlace | None, Of(ToolPlace), "where wrenches act"] = None

    @staticmethod
    def field_faults(values: Data, context: Data) -> Iterator[Found]:
        if values.get("coordinates") == ():
            what = "is empty; allowed: a list of the independent coordinates"
            yield ("coordinates",), f"{what}: each is {COORDINATE}"
