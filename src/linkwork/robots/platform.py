"""What a Stewart platform is: frozen numbers of a base, six extensible legs and a platform."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal

import numpy as np

from linkwork.formatting import AngleUnit
from linkwork.robots.arm import STANDARD_GRAVITY
from linkwork.robots.geometry import LONGEST, Array, Body, frozen, vanishes
from linkwork.robots.hexagon import Hexagon
from linkwork.rotations import rotation_rpy, with_quaternion

LegJoints = Literal["UPS", "SPS"]
LEGS = 6


@dataclass(frozen=True)
class LegFriction:
    """Viscous coefficients: universal and spherical joint [N m s], prismatic joint [N s/m].

    `coulomb` is the dry friction of the prismatic joint [N], the same both ways.
    """

    universal: float = 0.0
    prismatic: float = 0.0
    spherical: float = 0.0
    coulomb: float = 0.0


@dataclass(frozen=True)
class LegLimits:
    """Bounds of a leg; None is unbounded. Angles are measured from the leg's direction at home.

    `force_velocity` are pairs of speed and force: what the actuator can give at which speed.
    """

    length: tuple[float, float] | None = None
    rate: float | None = None
    force: float | None = None
    universal_angle: float | None = None
    spherical_angle: float | None = None
    force_velocity: tuple[tuple[float, float], ...] | None = None


@dataclass(frozen=True, eq=False)
class Leg:
    """An extensible leg of two bodies.

    Its frame has x from the base point to the platform point, y along (fixed axis) x (x axis), and z
    to complete a right-handed frame. The lower body is given in that frame at the base point, the
    upper body at the platform point. UPS: universal joint at the base, whose first axis is fixed
    there; SPS: spherical joints at both ends, for legs whose mass is symmetric about their axis.
    """

    name: str
    joints: LegJoints
    base_point: Array
    platform_point: Array
    fixed_axis: Array
    lower: Body
    upper: Body
    friction: LegFriction = field(default_factory=LegFriction)
    limits: LegLimits = field(default_factory=LegLimits)
    stiffness: float | None = None  # [N/m] along the leg, with its actuator held


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

    @property
    def leg_names(self) -> tuple[str, ...]:
        return tuple(leg.name for leg in self.legs)

    @property
    def has_coulomb(self) -> bool:
        """Whether any leg has dry friction."""
        return not all(vanishes(leg.friction.coulomb) for leg in self.legs)

    @property
    def in_brief(self) -> str:
        """Number and kinds of its legs, such as `6 legs UPS`."""
        return f"{LEGS} legs {'/'.join(sorted({leg.joints for leg in self.legs}))}"

    @property
    def mass(self) -> float:
        """Of everything that moves [kg]."""
        return self.platform.mass + sum(leg.lower.mass + leg.upper.mass for leg in self.legs)

    def without(self, *, friction: bool = False, rotors: bool = False) -> PlatformModel:
        """The platform without friction, or as it is; its drives have no rotors."""
        if not friction:
            return self
        return replace(self, legs=tuple(replace(leg, friction=LegFriction()) for leg in self.legs))

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


def leg_vectors(home: Array, base_points: Array, platform_points: Array) -> Array:
    """From base point to platform point at a pose x y z roll pitch yaw, base axes."""
    R = rotation_rpy(*home[3:])
    return platform_points @ R.T + home[:3] - base_points


def platform_size(model: PlatformModel) -> float:
    """The widest of base, platform and legs, without lengths that no machine has [m]."""
    base, points = model.points()
    found = [*np.linalg.norm(base - base.mean(axis=0), axis=1), *np.linalg.norm(points, axis=1)]
    if model.home is not None:
        found += np.linalg.norm(leg_vectors(model.home, base, points), axis=1).tolist()
    return max((float(x) for x in found if x <= LONGEST), default=1.0) or 1.0
