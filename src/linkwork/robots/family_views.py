"""Legs of a parallel robot as its mechanism has them: which joint of a leg became what."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from linkwork.robots.family_parallel import PLATFORM, _Legs
from linkwork.robots.geometry import Array
from linkwork.robots.mechanism import Cylinder, MechanismJoint, Rod
from linkwork.robots.parallel import LegJoint, ParallelLeg

Where = Literal["single", "pin", "first", "second", "free"]


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
