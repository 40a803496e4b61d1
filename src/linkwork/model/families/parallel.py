"""Parallel robots: a platform on legs, all at home, and the mechanism that they expand into.

Legs become bodies and joints, rods or cylinders; views tell which joint of a leg became what.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal

import numpy as np

from linkwork.core.rotations import rotation_rpy
from linkwork.core.text import AngleUnit
from linkwork.model.families.legs import (
    LegCone,
    LegJoint,
    ParallelLeg,
    Step,
    cylinder_of,
    pair_of,
    rod_of,
    steps_of,
)
from linkwork.model.geometry import Array, Body, Payload, Transform
from linkwork.model.joint import STANDARD_GRAVITY, Friction
from linkwork.model.mechanism import (
    BASE,
    PLATFORM,
    POSE,
    Cone,
    Coordinate,
    Cylinder,
    MechanismJoint,
    MechanismModel,
    Part,
    Rod,
    kept_of,
)


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
    coordinates: tuple[str, ...] = POSE
    parasitic: tuple[str, ...] = ()
    gravity: Array = field(default_factory=lambda: STANDARD_GRAVITY)
    source: str = ""
    accept: tuple[str, ...] = ()  # subjects of findings that its file silences
    angle_unit: AngleUnit = field(default="deg", compare=False)  # of the angles in its file
    payload: Payload | None = None  # of its file; part of the body that carries it

    @property
    def dof(self) -> int:
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
        return tuple(POSE.index(name) for name in self.coordinates)

    @property
    def dependent(self) -> tuple[int, ...]:
        return tuple(POSE.index(name) for name in self.parasitic)

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
            joints = tuple(
                replace(
                    joint,
                    **changes,
                    drive=joint.drive and joint.drive.without(friction=friction, inertia=rotors),
                )
                for joint in leg.joints
            )
            legs.append(replace(leg, joints=joints, end=end))
        return replace(self, legs=tuple(legs))

    def size(self) -> float:
        """The extent of the machine [m], to which errors of closure are compared."""
        points = [joint.at for joint in self.joints] + [leg.end.at for leg in self.legs]
        return float(np.ptp(np.array(points), axis=0).max()) or 1.0


Where = Literal["single", "pin", "first", "second", "free"]


@dataclass
class _Legs:
    """What the legs are made of, gathered leg by leg."""

    parts: list[Part] = field(default_factory=list)
    joints: list[MechanismJoint] = field(default_factory=list)
    rods: list[Rod] = field(default_factory=list)
    cylinders: list[Cylinder] = field(default_factory=list)
    cones: list[Cone] = field(default_factory=list)
    order: list[str] = field(default_factory=list)

    def add(self, leg: ParallelLeg, spread: bool = False) -> None:
        inner = self._add_steps(leg, spread)
        self.cones += [_cone(each, inner) for each in leg.cones]

    def _add_steps(self, leg: ParallelLeg, spread: bool) -> dict[bytes, str]:
        """The bodies before the joints, by the places of these."""
        steps, before = steps_of(leg, spread), BASE
        inner: dict[bytes, str] = {}
        while spread and steps:
            inner.setdefault(_place(steps[0].joint.at), before)
            before = self._add_step(steps.pop(0), before)
        while steps:
            joins = before, PLATFORM
            inner.setdefault(_place(steps[0].joint.at), before)
            if cylinder := cylinder_of(steps, joins):
                self.cylinders.append(cylinder)
                self.order.append(cylinder.name)
                return inner
            if rod := rod_of(steps, joins):
                pair = pair_of(leg)
                self.rods += [rod] if pair is None else [replace(each, joins=joins) for each in pair]
                return inner
            before = self._add_step(steps.pop(0), before)
        return inner

    def _add_step(self, step: Step, before: str) -> str:
        """One joint with its body, whose name it returns."""
        joint, body = step
        after = PLATFORM if body is None else joint.name
        self.joints.append(replace(joint, joins=(before, after)))
        self.order.append(joint.name)
        if body is not None:
            self.parts.append(Part(after, body, Transform.of(None, joint.at)))
        return after


def _place(at: Array) -> bytes:
    """Of joints at one place, the same."""
    return (np.round(at, 12) + 0.0).tobytes()


def _cone(cone: LegCone, inner: dict[bytes, str]) -> Cone:
    """What no body before a joint holds, such as the far end of a rod, the platform does."""
    here, there = (inner.get(_place(point), PLATFORM) for point in (cone.at, cone.to))
    joins = PLATFORM if cone.at_platform else here, there
    return Cone(cone.name, joins, cone.at, cone.to, cone.axis, cone.angle)


def mechanism_of_parallel(model: ParallelModel, spread: bool = False) -> MechanismModel:
    """Parts are named after the joints that carry them; parasitic coordinates simply follow.

    With `spread` every joint of the legs is a joint of one axis and every link a body, of any masses.
    """
    home = model.home_frame
    body = model.platform.seen_from(home.inverse())
    platform = Part(PLATFORM, body, home, is_point(model))
    legs = _Legs()
    for leg in model.legs:
        legs.add(leg, spread)
    return MechanismModel(
        parts=(*legs.parts, platform),
        coordinates=tuple(Coordinate(PLATFORM, name) for name in model.coordinates),
        joints=tuple(legs.joints),
        rods=tuple(legs.rods),
        cylinders=tuple(legs.cylinders),
        cones=tuple(legs.cones),
        tool=(PLATFORM, home),
        order=tuple(legs.order),
        **kept_of(model),
    )


def is_point(model: ParallelModel) -> bool:
    """Whether the platform is a point mass that all legs hold at its origin: its rotation is nothing."""
    body, size = model.platform, model.size()
    held = all(
        leg.end.kind == "spherical" and np.abs(leg.end.at - model.home[:3]).max() < 1e-9 * size
        for leg in model.legs
    )
    return held and not body.inertia.any() and not body.center_of_mass.any()


# Which joint of a leg became what.


@dataclass(frozen=True, eq=False)
class JointView:
    """A joint of a leg, and what it belongs to in the mechanism.

    `single`: an element of its own, or the slide of a cylinder; `pin`: that of a cylinder at its start;
    `first` and `second` axis of a universal joint, which may be that of a rod or cylinder at its start;
    `free`: one of three axes of a ball.
    """

    joint: LegJoint
    where: Where
    part: MechanismJoint | Rod | Cylinder
    pair: tuple[LegJoint, ...] = ()

    @property
    def slides_in_cylinder(self) -> bool:
        return self.where == "single" and isinstance(self.part, Cylinder)

    @property
    def reaction(self) -> str:
        """The name under which the mechanism tells its reaction."""
        if isinstance(self.part, MechanismJoint):
            return self.part.name
        return f"{self.part.name} {'slide' if self.where == 'single' else 'start'}"


@dataclass(frozen=True, eq=False)
class LegView:
    """The joints of a leg, and what ends on the platform."""

    leg: ParallelLeg
    joints: tuple[JointView, ...]
    end: MechanismJoint | Rod | Cylinder
    pair: tuple[Rod, ...] = ()  # both rods of a parallelogram, `end` being the first

    @property
    def closure(self) -> str:
        """The name under which the mechanism tells what holds the platform."""
        return self.end.name if isinstance(self.end, MechanismJoint) else f"{self.end.name} end"

    @property
    def closure_point(self) -> Array:
        """The point at home about which it tells it."""
        return self.end.at if isinstance(self.end, MechanismJoint) else self.end.end


def leg_view(leg: ParallelLeg) -> LegView:
    made = _Legs()
    made.add(leg)
    joints = {joint.name: joint for joint in made.joints}
    struts: list[Rod | Cylinder] = [*made.rods, *made.cylinders]
    cylinders = {each.name: each for each in made.cylinders}
    views: list[JointView] = []
    for joint in leg.joints:
        single = joints.get(joint.name) or cylinders.get(joint.name)
        if single is not None:
            views.append(JointView(joint, "single", single))
            continue
        stem = joint.name[:-1]
        pair = tuple(each for each in leg.joints if each.name[:-1] == stem)
        part = joints.get(stem) or struts[0]
        if isinstance(part, Cylinder) and part.hinge == "revolute":
            views.append(JointView(joint, "pin", part))
            continue
        place: Where = "free" if len(pair) > 2 else "first" if joint is pair[0] else "second"
        views.append(JointView(joint, place, part, pair))
    ends = [each for each in (*made.joints, *struts) if PLATFORM in each.joins]
    return LegView(leg, tuple(views), ends[0], tuple(made.rods) if len(made.rods) > 1 else ())
