"""What a parallel robot is: frozen numbers of a platform and the legs that carry it, all at home."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal

import numpy as np

from linkwork.formatting import AngleUnit
from linkwork.robots.arm import STANDARD_GRAVITY, Friction, JointKind, Limits
from linkwork.robots.geometry import Array, Body, Transform
from linkwork.rotations import rotation_rpy

COORDINATES = ("x", "y", "z", "roll", "pitch", "yaw")
EndKind = Literal["spherical", "universal", "revolute", "rigid"]


@dataclass(frozen=True, eq=False)
class LegJoint:
    """A revolute or prismatic joint of a leg and the body that it carries, at home in base axes.

    `at` is a point of the axis; the body's centre of mass is a point of the base frame. `apart`, of the
    second axis of a universal joint: the body is two equal rods side by side along the first one.
    """

    name: str
    kind: JointKind
    axis: Array
    at: Array
    body: Body
    actuated: bool = False
    rotor: float = 0.0  # reflected inertia
    friction: Friction = field(default_factory=Friction)
    limits: Limits = field(default_factory=Limits)
    apart: float = 0.0

    @property
    def is_revolute(self) -> bool:
        return self.kind == "revolute"


def of_one_joint(one: LegJoint, other: LegJoint) -> bool:
    """Whether two joints are the axes of one U (or S) of the file: their names tell."""
    return (one.name[:-1], one.name[-1], other.name[-1]) == (other.name[:-1], "a", "b")


@dataclass(frozen=True, eq=False)
class LegEnd:
    """How a leg holds the platform: by a joint of massless parts at `at`, or rigidly.

    `axes` at home, base axes: of a universal joint the one fixed in the leg, then the one fixed in the
    platform; of a revolute joint its axis.
    """

    kind: EndKind
    at: Array
    axes: tuple[Array, ...] = ()
    viscous: float = 0.0  # of a spherical joint


@dataclass(frozen=True, eq=False)
class ParallelLeg:
    """A serial chain from the base to the platform; `frame`: closed by six equations, not three."""

    name: str
    joints: tuple[LegJoint, ...]
    end: LegEnd
    frame: bool = False

    @property
    def joints_in_words(self) -> str:
        """`RUS`: both axes of a universal joint are one letter."""
        word, k = "", 0
        while k < len(self.joints):
            universal = k + 1 < len(self.joints) and of_one_joint(*self.joints[k : k + 2])
            word += "U" if universal else "R" if self.joints[k].is_revolute else "P"
            k += 2 if universal else 1
        return word + {"spherical": "S", "universal": "U", "revolute": "R", "rigid": ""}[self.end.kind]


@dataclass(frozen=True, eq=False)
class ParallelModel:
    """A platform on legs. Gravity [m/s^2] is in base axes; `platform` is in the platform's frame.

    `coordinates` are independent, `parasitic` ones follow from the legs, the others rest at home.
    `home` is x y z roll pitch yaw: legs are described there, and it chooses their branches.
    """

    kind: ClassVar[str] = "parallel-robot"  # in robot files
    name: str
    legs: tuple[ParallelLeg, ...]
    platform: Body
    home: Array
    coordinates: tuple[str, ...] = COORDINATES
    parasitic: tuple[str, ...] = ()
    gravity: Array = field(default_factory=lambda: STANDARD_GRAVITY)
    source: str = ""
    accept: tuple[str, ...] = ()  # subjects of findings that its file silences
    angle_unit: AngleUnit = field(default="deg", compare=False)  # of the angles in its file

    @property
    def freedoms(self) -> int:
        return len(self.coordinates)

    @property
    def leg_names(self) -> tuple[str, ...]:
        return tuple(leg.name for leg in self.legs)

    @property
    def joints(self) -> tuple[LegJoint, ...]:
        """All joints, in the order of legs."""
        return tuple(joint for leg in self.legs for joint in leg.joints)

    @property
    def actuators(self) -> tuple[LegJoint, ...]:
        return tuple(joint for joint in self.joints if joint.actuated)

    @property
    def independent(self) -> tuple[int, ...]:
        """Places of the coordinates among x y z roll pitch yaw."""
        return tuple(COORDINATES.index(name) for name in self.coordinates)

    @property
    def dependent(self) -> tuple[int, ...]:
        return tuple(COORDINATES.index(name) for name in self.parasitic)

    @property
    def home_frame(self) -> Transform:
        """The platform's frame at home."""
        return Transform.of(rotation_rpy(*self.home[3:]), self.home[:3])

    @property
    def in_brief(self) -> str:
        """Number and kinds of its legs, such as `3 legs RUS`."""
        kinds = "/".join(dict.fromkeys(leg.joints_in_words for leg in self.legs))
        return f"{len(self.legs)} legs {kinds}"

    @property
    def mass(self) -> float:
        """Of everything that moves [kg]."""
        return self.platform.mass + sum(joint.body.mass for joint in self.joints)

    def without(self, *, friction: bool = False, rotors: bool = False) -> ParallelModel:
        """The robot without friction, without rotors, or as it is."""
        changes: dict[str, Any] = {"friction": Friction()} if friction else {}
        changes |= {"rotor": 0.0} if rotors else {}
        legs = []
        for leg in self.legs:
            end = replace(leg.end, viscous=0.0) if friction else leg.end
            joints = tuple(replace(joint, **changes) for joint in leg.joints)
            legs.append(replace(leg, joints=joints, end=end))
        return replace(self, legs=tuple(legs))

    def size(self) -> float:
        """The extent of the machine [m], to which errors of closure are compared."""
        points = [joint.at for joint in self.joints] + [leg.end.at for leg in self.legs]
        return float(np.ptp(np.array(points), axis=0).max()) or 1.0
