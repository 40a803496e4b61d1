"""Stewart platforms: six extensible legs between a base and a platform, and the mechanism that they are.

The ends of the legs may follow from a few numbers: joints in pairs on two circles.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from linkwork.core.rotations import pose_array, rotation_of, with_quaternion
from linkwork.core.text import AngleUnit
from linkwork.files import quantities as q
from linkwork.files.declared import ALWAYS, At, Data, Found, Of
from linkwork.model.drive import Drive
from linkwork.model.geometry import (
    DIRECTION,
    LONGEST,
    NUMBERS,
    POINT,
    Algebra,
    Array,
    Body,
    Payload,
    Transform,
    distance,
    frozen,
    tidy,
    vanishes,
)
from linkwork.model.joint import STANDARD_GRAVITY, Friction, Limits
from linkwork.model.mechanism import (
    BASE,
    PLATFORM,
    POSE,
    Coordinate,
    Cylinder,
    MechanismModel,
    Part,
    kept_of,
)

PAIRS = 3
# Which pair of joints a leg has at each end, and on which side of its middle.
BASE_PAIR = ((0, 1), (1, -1), (1, 1), (2, -1), (2, 1), (0, -1))
PLATFORM_PAIR = ((0, -1), (0, 1), (1, -1), (1, 1), (2, -1), (2, 1))

DISTANCE = q.number("m", q.POSITIVE)
SPREAD = q.swing_below(120, "0")  # a pair has a third of the circle
TURNING = q.number("N m s", q.NOT_NEGATIVE)
REFLECTED = q.number("kg", q.NOT_NEGATIVE)
Number = Any  # a float, or an expression
Triple = tuple[Number, Number, Number]


@dataclass(frozen=True)
class Hexagon:
    """Joint circles with three pairs of joints each, the platform's turned by 60 deg against the base's.

    Angles [rad] of the base pairs' middles are `turn`, `turn` + 120 deg and `turn` + 240 deg. A spread
    is the angle between the joints of a pair, seen from the middle of the circle. `height` is that of
    the platform's reference point at home; `base_height` and `platform_height` are those of the joints
    above the origins of their frames. First axes of universal joints are tangents of the base circle.
    """

    base_radius: Annotated[Number, DISTANCE, At("base_radius"), "of the circle of base points"]
    platform_radius: Annotated[Number, DISTANCE, At("platform_radius"), "of that of the platform"]
    base_spread: Annotated[Number, SPREAD, At("base_spread"), "between the joints of a pair"]
    platform_spread: Annotated[Number, SPREAD, At("platform_spread"), "between the joints of a pair"]
    height: Annotated[Number, DISTANCE, At("height"), "of the reference point at home"]
    turn: Annotated[Number, q.angle, At("turn"), "of the first pair of the base about z"] = 0.0
    base_height: Annotated[Number, q.length, At("base_height"), "of the joints above the base"] = 0.0
    platform_height: Annotated[
        Number, q.length, At("platform_height"), "of the joints above the platform's origin"
    ] = 0.0


class LegPlace(NamedTuple):
    """Ends of a leg and the first axis of its universal joint."""

    base_point: Triple
    platform_point: Triple
    fixed_axis: Triple


def leg_places(
    shape: Hexagon, cos: Callable[[Any], Any] = math.cos, sin: Callable[[Any], Any] = math.sin
) -> tuple[LegPlace, ...]:
    """Where the six legs stand; with the sine and cosine of expressions for parameters."""
    third = 2 * math.pi / PAIRS
    places = []
    for (base, side), (platform, other) in zip(BASE_PAIR, PLATFORM_PAIR, strict=True):
        a = shape.turn + base * third + side * shape.base_spread / 2
        b = shape.turn + third / 2 + platform * third + other * shape.platform_spread / 2
        places.append(
            LegPlace(
                (shape.base_radius * cos(a), shape.base_radius * sin(a), shape.base_height),
                (
                    shape.platform_radius * cos(b),
                    shape.platform_radius * sin(b),
                    shape.platform_height,
                ),
                (-sin(a), cos(a), 0.0),
            )
        )
    return tuple(places)


LegJoints = Literal["UPS", "SPS"]
LEGS = 6


@dataclass(frozen=True)
class LegFriction:
    """Viscous coefficients: universal and spherical joint [N m s], prismatic joint [N s/m].

    `coulomb` is the dry friction of the prismatic joint [N], the same both ways.
    """

    universal: Annotated[float, TURNING, ALWAYS, At("universal"), "viscous, joint at the base"] = 0.0
    prismatic: Annotated[
        float, q.number("N s/m", q.NOT_NEGATIVE), ALWAYS, At("prismatic"), "viscous, along the leg"
    ] = 0.0
    spherical: Annotated[float, TURNING, ALWAYS, At("spherical"), "viscous, joint at the platform"] = 0.0
    coulomb: Annotated[float, q.number("N", q.NOT_NEGATIVE), At("coulomb"), "dry, along the leg"] = 0.0


@dataclass(frozen=True)
class LegLimits:
    """Bounds of a leg; None is unbounded.

    Angles are measured from the mounting axes of the joints, which point along the leg, away from base
    or platform; without one from the leg's direction at home.

    `force_velocity` are pairs of speed and force: what the actuator can give at which speed.
    """

    length: Annotated[tuple[float, float] | None, q.interval(DISTANCE), "shortest and longest"] = None
    rate: Annotated[float | None, q.number("m/s", q.POSITIVE), "greatest speed of the actuator"] = None
    force: Annotated[float | None, q.number("N", q.POSITIVE), "of the actuator"] = None
    universal_angle: Annotated[float | None, q.swing, "of the leg from universal_axis"] = None
    spherical_angle: Annotated[float | None, q.swing, "of the leg from spherical_axis"] = None
    universal_axis: Annotated[
        q.Vector | None, q.direction, "of the joint's mounting, base axes; the leg's at home if left out"
    ] = None
    spherical_axis: Annotated[
        q.Vector | None,
        q.direction,
        "of the joint's mounting, platform axes, toward the base; the leg's at home if left out",
    ] = None
    force_velocity: Annotated[
        tuple[tuple[float, float], ...] | None, q.envelope, "what the actuator gives at which speed"
    ] = None

    @staticmethod
    def field_faults(values: Data, context: Data) -> Iterator[Found]:
        for joint in ("universal", "spherical"):
            known = context["has_home"] or values.get(f"{joint}_axis") is not None
            if values.get(f"{joint}_angle") is not None and not known:
                what = (
                    "is measured from the leg's direction at home, which is not given; add home:"
                    f" [x, y, z, roll, pitch, yaw] to the file, or {joint}_axis: [x, y, z]"
                )
                yield (f"{joint}_angle",), what


@dataclass(frozen=True, eq=False)
class Leg:
    """An extensible leg of two bodies.

    Its frame has x from the base point to the platform point, y along (fixed axis) x (x axis), and z
    to complete a right-handed frame. The lower body is given in that frame at the base point, the
    upper body at the platform point. UPS: universal joint at the base, whose first axis is fixed
    there; SPS: spherical joints at both ends, for legs whose mass is symmetric about their axis.
    """

    name: Annotated[str, q.name, "leg1, leg2, ... if left out"]
    joints: Annotated[LegJoints, q.one_of("UPS", "SPS"), "base, middle and platform"]
    base_point: Annotated[Array, POINT, At("base_point"), "base axes"]
    platform_point: Annotated[Array, POINT, At("platform_point"), "platform axes"]
    fixed_axis: Annotated[
        Array, DIRECTION, At("fixed_axis"), "axis of the universal joint that stays in the base"
    ]
    lower: Annotated[Body, Of(Body), At("lower"), "from the base point, x toward the platform"]
    upper: Annotated[Body, Of(Body), At("upper"), "from the platform point, x away from the base"]
    friction: Annotated[LegFriction, Of(LegFriction), At("friction"), "of its joints"] = field(
        default_factory=LegFriction
    )
    limits: Annotated[LegLimits, Of(LegLimits), "bounds"] = field(default_factory=LegLimits)
    stiffness: Annotated[
        float | None, q.number("N/m", q.POSITIVE), At("stiffness"), "with its actuator held"
    ] = None
    rotor: Annotated[float, REFLECTED, At("rotor"), "reflected inertia of its motor"] = 0.0
    drive: Annotated[Drive | None, Of(Drive), "motor, gear, screw; its rotor is beside rotor"] = None


@dataclass(frozen=True, eq=False)
class PlatformModel:
    """A Stewart platform. Gravity [m/s^2] is in base axes.

    `platform` includes the payload, in the platform frame; `home` is a pose x y z roll pitch yaw.
    `geometry` is what the ends of the legs were made from, if the file gives it.
    """

    kind: ClassVar[str] = "stewart-platform"  # in robot files
    name: str
    legs: tuple[Leg, ...]
    platform: Body
    gravity: Array = field(default_factory=lambda: STANDARD_GRAVITY)
    home: Array | None = None
    source: str = ""
    accept: tuple[str, ...] = ()  # subjects of findings that its file silences
    geometry: Hexagon | None = None
    angle_unit: AngleUnit = field(default="deg", compare=False)  # of the angles in its file
    payload: Payload | None = None  # of its file; part of the body that carries it

    @property
    def leg_names(self) -> tuple[str, ...]:
        return tuple(leg.name for leg in self.legs)

    @property
    def has_coulomb(self) -> bool:
        """Whether any leg has dry friction."""
        return not all(vanishes(leg.friction.coulomb) for leg in self.legs)

    @property
    def has_rotors(self) -> bool:
        """Whether the motor of any leg has inertia."""
        return not all(vanishes(leg.rotor) for leg in self.legs)

    @property
    def in_brief(self) -> str:
        """Number and kinds of its legs, such as `6 legs UPS`."""
        return f"{LEGS} legs {'/'.join(sorted({leg.joints for leg in self.legs}))}"

    @property
    def mass(self) -> float:
        """Of everything that moves [kg]."""
        return self.platform.mass + sum(leg.lower.mass + leg.upper.mass for leg in self.legs)

    def without(self, *, friction: bool = False, rotors: bool = False) -> PlatformModel:
        """The platform without friction, without rotors, or as it is."""
        changes: dict[str, Any] = {"friction": LegFriction()} if friction else {}
        changes |= {"rotor": 0.0} if rotors else {}

        def drive(leg: Leg) -> Drive | None:
            return leg.drive and leg.drive.without(friction=friction, inertia=rotors)

        return replace(self, legs=tuple(replace(leg, **changes, drive=drive(leg)) for leg in self.legs))

    def points(self) -> tuple[Array, Array]:
        """Base points and platform points, (6, 3) each."""
        base = frozen(np.array([leg.base_point for leg in self.legs]))
        return base, frozen(np.array([leg.platform_point for leg in self.legs]))


def home_pose(model: PlatformModel) -> Array:
    """The pose of the robot file, or the platform above the middle of the base, not turned."""
    if model.home is not None:
        return with_quaternion(model.home)
    base, points = model.points()
    spread = float(np.linalg.norm(base - base.mean(axis=0), axis=1).mean())
    position = base.mean(axis=0) - points.mean(axis=0) + np.array([0.0, 0.0, 1.5 * spread])
    return np.concatenate([position, [1.0, 0.0, 0.0, 0.0]])


def on_hexagon(model: PlatformModel, algebra: Algebra = NUMBERS) -> PlatformModel:
    """The platform with the ends of its legs, and its home, where its geometry has them."""
    assert model.geometry is not None
    places = leg_places(model.geometry, algebra.cos, algebra.sin)
    legs = tuple(
        replace(leg, **{name: algebra.array(list(value)) for name, value in place._asdict().items()})
        for leg, place in zip(model.legs, places, strict=True)
    )
    home = algebra.array([0.0, 0.0, model.geometry.height, 0.0, 0.0, 0.0])
    return replace(model, legs=legs, home=home)


def with_strokes_of(model: PlatformModel, before: PlatformModel) -> PlatformModel:
    """The platform with limits of length that have moved with the lengths of its legs at home.

    Another geometry needs other actuators: they keep their strokes and where in them home is. Numbers
    of `model` may be expressions.
    """
    legs = list(model.legs)
    for k, (leg, old) in enumerate(zip(model.legs, before.legs, strict=True)):
        if old.limits.length is not None:
            longer = length_at_home(model, leg) - length_at_home(before, old)
            if isinstance(longer, float):
                longer = round(longer, 12)  # equal legs stay equal
            low, high = (bound + longer for bound in old.limits.length)
            legs[k] = replace(leg, limits=replace(leg.limits, length=(low, high)))
    return replace(model, legs=tuple(legs))


def length_at_home(model: PlatformModel, leg: Leg) -> Number:
    """Of a leg of a platform on a hexagon, whose home is not turned."""
    assert model.geometry is not None
    rise = [0.0, 0.0, model.geometry.height]
    ways = [leg.platform_point[k] + rise[k] - leg.base_point[k] for k in range(3)]
    return sum(way * way for way in ways) ** 0.5


def leg_vectors(pose: Array, base_points: Array, platform_points: Array) -> Array:
    """From base point to platform point at a pose of six or seven numbers, base axes."""
    return platform_points @ rotation_of(pose).T + pose[:3] - base_points


def leg_columns(model: PlatformModel, pose: Array) -> tuple[Array, Array]:
    """What unit forces of the legs do to the platform, H (6, 6), force, then moment; leg lengths."""
    base, points = model.points()
    S = leg_vectors(pose, base, points)
    with np.errstate(all="ignore"):
        lengths = np.linalg.norm(S, axis=1)
        s = S / lengths[:, None]
    return np.concatenate([s, np.cross(S + base - pose[:3], s)], axis=1).T, lengths


def platform_size(model: PlatformModel) -> float:
    """The widest of base, platform and legs, without lengths that no machine has [m]."""
    base, points = model.points()
    found = [*np.linalg.norm(base - base.mean(axis=0), axis=1), *np.linalg.norm(points, axis=1)]
    if model.home is not None:
        found += np.linalg.norm(leg_vectors(model.home, base, points), axis=1).tolist()
    return max((float(x) for x in found if x <= LONGEST), default=1.0) or 1.0


def mechanism_of_platform(model: PlatformModel, home: ArrayLike) -> MechanismModel:
    """Six cylinders, named like the legs, carry the platform; `home` is a pose of six or seven numbers.

    Cylinders count from home, so do the limits of their lengths. Limits of the joints' angles have no
    place here.
    """
    pose = pose_array(home, "home")
    return platform_at(model, Transform.of(rotation_of(pose), pose[:3]))


def platform_at(model: PlatformModel, frame: Transform) -> MechanismModel:
    """Drawn with the platform's frame there; numbers of the model may be expressions."""
    platform = Part(PLATFORM, model.platform.seen_from(frame.inverse()), frame)
    return MechanismModel(
        parts=(platform,),
        coordinates=tuple(Coordinate(PLATFORM, name) for name in POSE),
        cylinders=tuple(_cylinder(leg, frame) for leg in model.legs),
        tool=(PLATFORM, frame),
        order=model.leg_names,
        **kept_of(model),
    )


def _cylinder(leg: Leg, frame: Transform) -> Cylinder:
    end = tidy(frame.R @ leg.platform_point + frame.p)
    friction, universal = leg.friction, leg.joints == "UPS"
    length = distance(leg.base_point, end)
    return Cylinder(
        leg.name,
        (BASE, PLATFORM),
        leg.base_point,
        end,
        "universal" if universal else "spherical",
        leg.fixed_axis if universal else None,
        leg.lower,
        leg.upper,
        motor=True,
        rotor=leg.rotor,
        friction=Friction(friction.prismatic, friction.coulomb, -friction.coulomb),
        universal=friction.universal,
        spherical=friction.spherical,
        limits=_from_home(leg.limits, length),
        stiffness=leg.stiffness,
        drive=leg.drive,
    )


def _from_home(limits: LegLimits, length: float) -> Limits:
    position = None
    if limits.length is not None:
        position = limits.length[0] - length, limits.length[1] - length
    return Limits(position, limits.rate, limits.force, limits.force_velocity)
