"""What any mechanism is: frozen numbers of bodies and what joins them, drawn at home in base axes.

Loops close at home by construction. Which joints carry the tree and which close loops is found later
(`mechanics/mechanism/`); arms, platforms and parallel robots are families that expand into this.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from linkwork.core.text import AngleUnit
from linkwork.model.drive import Drive
from linkwork.model.geometry import Array, Body, Payload, Transform, distance
from linkwork.model.joint import STANDARD_GRAVITY, Friction, Limits

if TYPE_CHECKING:
    from linkwork.model.families.arm import ArmModel

BASE = "base"
PLATFORM = "platform"  # what families call the body that legs carry
POSE = ("x", "y", "z", "roll", "pitch", "yaw")
MechanismJointKind = Literal["revolute", "prismatic", "universal", "spherical", "fixed"]
JOINT_KINDS: Mapping[str, MechanismJointKind] = {
    "R": "revolute", "P": "prismatic", "U": "universal", "S": "spherical", "fixed": "fixed",
}  # fmt: skip
JOINT_LETTERS: Mapping[str, str] = {kind: letter for letter, kind in JOINT_KINDS.items()}
Joins = tuple[str, str]


@dataclass(frozen=True)
class Spring:
    """Pulls its ends together with preload + stiffness (x - free); x is a length [m] or an angle [rad].

    `free` of a joint counts from home, that of a cylinder or of two points is a length.
    """

    stiffness: float
    free: float = 0.0
    preload: float = 0.0


@dataclass(frozen=True, eq=False)
class Part:
    """A rigid body of a mechanism; the center of mass is a point of the base frame at home.

    `frame` is the place of its own axes at home, to which pose coordinates and `tool` refer. A point
    has no orientation that counts: revolute joints to it act as balls.
    """

    name: str
    body: Body
    frame: Transform
    point: bool = False


@dataclass(frozen=True, eq=False)
class MechanismJoint:
    """`joins` (a, b): b moves relative to a. `at` is a point of its axis.

    `axes`: one of a revolute or prismatic joint; of a universal one the axis fixed in a, then the one
    fixed in b; none of the others. Friction, rotor, limits, spring and motor are those of R and P; a
    ball or universal joint has viscous friction only.
    """

    name: str
    kind: MechanismJointKind
    joins: Joins
    at: Array
    axes: tuple[Array, ...] = ()
    motor: bool = False
    rotor: float = 0.0  # reflected inertia
    friction: Friction = field(default_factory=Friction)
    limits: Limits = field(default_factory=Limits)
    spring: Spring | None = None
    stiffness: float | None = None  # of the drive, with its motor held
    drive: Drive | None = None  # rotor and friction include its own

    @property
    def is_revolute(self) -> bool:
        return self.kind == "revolute"


@dataclass(frozen=True, eq=False)
class TwoPoint:
    """What goes from a point of body a to a point of body b."""

    name: str
    joins: Joins
    start: Array
    end: Array

    @property
    def length(self) -> float:
        length: float = distance(self.start, self.end)
        return length


@dataclass(frozen=True, eq=False)
class Rod(TwoPoint):
    """A link of constant length, symmetric about its axis, from a point of a to a point of b.

    `center` is the share of its length at which its center of mass is; `axial`, `across` are inertias
    about it. `axis`: a universal joint on a, this axis fixed there; None is a ball, and the rod, free
    to spin, is taken not to. `far_axis` likewise on b. The other axis of a universal joint is fixed in
    the rod, perpendicular to the rod and to the first. `viscous` is friction of the joints at `start`
    and `end`, against their whole relative turn; a rod that has it has an axis, which tells its spin.
    In a mechanism a rod starts where its spin is told: one with `far_axis` alone is turned round.
    """

    mass: float = 0.0
    center: float = 0.5
    axial: float = 0.0
    across: float = 0.0
    axis: Array | None = None
    far_axis: Array | None = None
    viscous: tuple[float, float] = (0.0, 0.0)

    @property
    def spin_told_at_start(self) -> Rod:
        """The same rod, from its other end if only a universal joint there tells its spin."""
        if self.axis is not None or self.far_axis is None:
            return self
        return replace(
            self,
            joins=self.joins[::-1],
            start=self.end,
            end=self.start,
            center=1 - self.center,
            axis=self.far_axis,
            far_axis=None,
            viscous=self.viscous[::-1],
        )


@dataclass(frozen=True, eq=False)
class Cylinder(TwoPoint):
    """A barrel on a, a rod on b that slides in it; the distance of both points is its length.

    Barrel and rod are given in the cylinder's own axes: x from `start` to `end`, y along `axis` x x, z
    = x x y; the barrel's center counts from `start`, the rod's from `end`. `axis` is fixed in a: that
    of the pin (hinge "revolute") or of the universal joint; a ball has none and the cylinder then does
    not spin. `universal` and `spherical` are viscous friction of the joints at `start` and `end`.
    """

    hinge: Literal["universal", "revolute", "spherical"]
    axis: Array | None
    barrel: Body
    rod: Body
    motor: bool = False
    rotor: float = 0.0
    friction: Friction = field(default_factory=Friction)
    universal: float = 0.0
    spherical: float = 0.0
    limits: Limits = field(default_factory=Limits)
    spring: Spring | None = None
    stiffness: float | None = None
    drive: Drive | None = None


@dataclass(frozen=True, eq=False)
class PointSpring(TwoPoint):
    """A massless spring."""

    spring: Spring


@dataclass(frozen=True, eq=False)
class Cone(TwoPoint):
    """How far a universal or ball joint at `start` may tilt: the link from there to `end` stays within
    `angle` [rad] of the mounting axis, which is fixed in the first body and points along the link."""

    axis: Array
    angle: float


@dataclass(frozen=True)
class Coupling:
    """sum of ratio * coordinate = 0 over joints (or cylinders: length less that at home)."""

    terms: tuple[tuple[str, float], ...]


@dataclass(frozen=True)
class Motor:
    """An effort that acts on several joints with ratios, as in a differential.

    Its own turn is the sum of ratio * joint coordinate, to which `rotor` and `friction` belong.
    """

    name: str
    terms: tuple[tuple[str, float], ...]
    rotor: float = 0.0
    friction: Friction = field(default_factory=Friction)
    limits: Limits = field(default_factory=Limits)


@dataclass(frozen=True)
class Coordinate:
    """A joint or cylinder by name, or one of x y z roll pitch yaw of a body, seen from another one."""

    of: str
    pose: str | None = None
    relative_to: str = BASE

    @property
    def name(self) -> str:
        return self.of if self.pose is None else f"{self.of}.{self.pose}"


def kept_of(model: Any) -> dict[str, Any]:
    """What a description keeps when it is expanded, or found again: all but its parts."""
    return {name: getattr(model, name) for name in ("name", "gravity", "source", "accept", "angle_unit")}


@dataclass(frozen=True, eq=False)
class MechanismModel:
    """Bodies, what joins them, and the independent coordinates of their motion.

    Gravity [m/s^2] is in base axes. `tool` is the frame at which external wrenches act and forward
    kinematics end: a body and a place on it at home.
    """

    kind: ClassVar[str] = "mechanism"  # in robot files
    name: str
    parts: tuple[Part, ...]
    coordinates: tuple[Coordinate, ...]
    joints: tuple[MechanismJoint, ...] = ()
    rods: tuple[Rod, ...] = ()
    cylinders: tuple[Cylinder, ...] = ()
    springs: tuple[PointSpring, ...] = ()
    couplings: tuple[Coupling, ...] = ()
    motors: tuple[Motor, ...] = ()
    tool: tuple[str, Transform] | None = None
    gravity: Array = field(default_factory=lambda: STANDARD_GRAVITY)
    source: str = ""
    accept: tuple[str, ...] = ()  # subjects of findings that its file silences
    angle_unit: AngleUnit = field(default="deg", compare=False)  # of the angles in its file
    order: tuple[str, ...] = ()  # names of joints and cylinders as the file has them
    arm: ArmModel | None = None  # what it was expanded from, without the rounding of the drawing
    cones: tuple[Cone, ...] = ()
    payload: Payload | None = None  # of its file; part of the body that carries it

    def __post_init__(self) -> None:
        # The equations of a rod's spin are written for a universal joint at its start.
        object.__setattr__(self, "rods", tuple(rod.spin_told_at_start for rod in self.rods))

    @property
    def elements(self) -> tuple[MechanismJoint | Cylinder, ...]:
        """What may have a motor, friction, limits: joints and cylinders."""
        return (*self.joints, *self.cylinders)

    @property
    def struts(self) -> tuple[Rod | Cylinder, ...]:
        """What joins two points."""
        return (*self.rods, *self.cylinders)

    @property
    def ties(self) -> tuple[MechanismJoint | Rod | Cylinder, ...]:
        """All that joins two bodies."""
        return (*self.joints, *self.rods, *self.cylinders)

    @property
    def places(self) -> list[Array]:
        """Where joints and the ends of struts are."""
        ends = [end for strut in self.struts for end in (strut.start, strut.end)]
        return [*(joint.at for joint in self.joints), *ends]

    @property
    def size(self) -> float:
        """The extent of the machine [m], to which errors of closure are compared."""
        points = [*self.places, *(part.frame.p for part in self.parts)]
        return float(np.ptp(np.array(points), axis=0).max()) or 1.0

    @property
    def mass(self) -> float:
        """Of everything that moves [kg]."""
        bodies = [part.body for part in self.parts]
        bodies += [body for each in self.cylinders for body in (each.barrel, each.rod)]
        return sum(body.mass for body in bodies) + sum(rod.mass for rod in self.rods)

    @property
    def made_of(self) -> str:
        """In words, such as `10 bodies, 13 joints, 1 cylinder`."""
        parts = {
            ("body", "bodies"): self.parts,
            ("joint", "joints"): self.joints,
            ("rod", "rods"): self.rods,
            ("cylinder", "cylinders"): self.cylinders,
        }
        return ", ".join(f"{len(each)} {words[len(each) > 1]}" for words, each in parts.items() if each)

    @property
    def in_brief(self) -> str:
        """Numbers of its bodies and freedoms, such as `10 bodies, 4 DOF`."""
        count = len(self.parts)
        return f"{count} {'bodies' if count > 1 else 'body'}, {len(self.coordinates)} DOF"

    def without(self, *, friction: bool = False, rotors: bool = False) -> MechanismModel:
        """The mechanism without friction, without rotors, or as it is."""
        changes: dict[str, Any] = {"friction": Friction()} if friction else {}
        ends: dict[str, Any] = {"universal": 0.0, "spherical": 0.0} if friction else {}
        still: dict[str, Any] = {"rotor": 0.0} if rotors else {}
        rods = tuple(replace(rod, viscous=(0.0, 0.0)) for rod in self.rods) if friction else self.rods

        def drive(each: MechanismJoint | Cylinder) -> dict[str, Any]:
            return {"drive": each.drive and each.drive.without(friction=friction, inertia=rotors)}

        return replace(
            self,
            joints=tuple(replace(each, **changes, **still, **drive(each)) for each in self.joints),
            rods=rods,
            cylinders=tuple(
                replace(each, **changes, **ends, **still, **drive(each)) for each in self.cylinders
            ),
            motors=tuple(replace(motor, **changes, **still) for motor in self.motors),
        )

    def part(self, name: str) -> Part:
        return next(part for part in self.parts if part.name == name)

    @property
    def effort_names(self) -> tuple[str, ...]:
        """Joints and cylinders with a motor in the order of the file, then motors with ratios."""
        driven = {each.name for each in self.elements if each.motor}
        ordered = [name for name in self.order if name in driven]
        return (*ordered, *(motor.name for motor in self.motors))


Element = MechanismJoint | Cylinder
Terms = tuple[tuple[str, float], ...]


def elements(model: MechanismModel) -> tuple[Element, ...]:
    """Joints that turn or slide, and cylinders, in the order of the file; a joint to a body that is a
    point acts as a ball and is none."""
    points = {part.name for part in model.parts if part.point}
    found: dict[str, Element] = {
        joint.name: joint
        for joint in model.joints
        if joint.kind == "prismatic" or (joint.is_revolute and not points.intersection(joint.joins))
    }
    found |= {each.name: each for each in model.cylinders}
    ordered = [name for name in model.order if name in found]
    return tuple(found[name] for name in (*ordered, *(n for n in found if n not in ordered)))


def shafts(model: MechanismModel) -> tuple[Element | Motor, ...]:
    """What may have rotor and friction: elements, and motors with ratios."""
    return (*elements(model), *model.motors)


def dry_elements(model: MechanismModel) -> tuple[Element | Motor, ...]:
    """Those that have Coulomb friction."""
    return tuple(each for each in shafts(model) if each.friction.is_dry)


def ball_joints(model: MechanismModel) -> tuple[MechanismJoint, ...]:
    """Universal and ball joints, which have viscous friction at most."""
    points = {part.name for part in model.parts if part.point}
    return tuple(
        joint
        for joint in model.joints
        if joint.kind in ("universal", "spherical") and not points.intersection(joint.joins)
    )


def motor_terms(model: MechanismModel) -> dict[str, Terms]:
    """What every effort acts on: joints or cylinders by name, with ratios."""
    motors = {motor.name: motor.terms for motor in model.motors}
    return {name: motors.get(name, ((name, 1.0),)) for name in model.effort_names}


def driven_names(model: MechanismModel) -> set[str]:
    """Joints and cylinders that a motor acts on."""
    return {name for terms in motor_terms(model).values() for name, _ in terms}


def passive_bounded(model: MechanismModel) -> tuple[Element, ...]:
    """Those without a motor whose positions have limits."""
    driven = driven_names(model)
    return tuple(
        each for each in elements(model) if each.name not in driven and each.limits.position is not None
    )


def is_tree(model: MechanismModel) -> bool:
    """Whether bodies hang on joints alone, each on one, so that no loop must close."""
    tied = model.rods or model.cylinders or model.couplings
    return not tied and len(model.joints) == len(model.parts)


def is_chain(model: MechanismModel) -> bool:
    """Whether every body hangs on the one before."""
    bodies = [part.name for part in model.parts]
    joined = [joint.joins for joint in model.joints]
    return is_tree(model) and joined == list(zip((BASE, *bodies), bodies, strict=False))


def tool_frame(model: MechanismModel) -> tuple[str, Transform]:
    """The body that wrenches and loads act on, and the frame there: declared, posed, or the last."""
    if model.tool is not None:
        return model.tool
    posed = [each.of for each in model.coordinates if each.pose is not None]
    name = posed[-1] if posed else model.parts[-1].name
    return name, model.part(name).frame


def reaction_names(model: MechanismModel) -> tuple[str, ...]:
    """Where reactions are told: in every joint, at both ends of rods, at ends and slide of cylinders."""
    joints = [joint.name for joint in model.joints]
    rods = [f"{rod.name} {part}" for rod in model.rods for part in ("start", "end")]
    slides = [f"{each.name} {part}" for each in model.cylinders for part in ("start", "slide", "end")]
    return (*joints, *rods, *slides)
