"""Parallel robots as mechanisms: legs become bodies and joints, rods or cylinders."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from linkwork.robots.family_legs import Step, steps_of
from linkwork.robots.family_struts import cylinder_of, pair_of, rod_of
from linkwork.robots.geometry import Transform
from linkwork.robots.mechanism import (
    BASE,
    Coordinate,
    Cylinder,
    MechanismJoint,
    MechanismModel,
    Part,
    Rod,
)
from linkwork.robots.parallel import ParallelLeg, ParallelModel
from linkwork.robots.parallel_mobility import is_point

PLATFORM = "platform"


@dataclass
class _Legs:
    """What the legs are made of, gathered leg by leg."""

    parts: list[Part] = field(default_factory=list)
    joints: list[MechanismJoint] = field(default_factory=list)
    rods: list[Rod] = field(default_factory=list)
    cylinders: list[Cylinder] = field(default_factory=list)
    order: list[str] = field(default_factory=list)

    def add(self, leg: ParallelLeg, spread: bool = False) -> None:
        steps, before = steps_of(leg, spread), BASE
        while spread and steps:
            before = self._add_step(steps.pop(0), before)
        while steps:
            joins = before, PLATFORM
            if cylinder := cylinder_of(steps, joins):
                self.cylinders.append(cylinder)
                self.order.append(cylinder.name)
                return
            if rod := rod_of(steps, joins):
                pair = pair_of(leg)
                self.rods += [rod] if pair is None else [replace(each, joins=joins) for each in pair]
                return
            before = self._add_step(steps.pop(0), before)

    def _add_step(self, step: Step, before: str) -> str:
        """One joint with its body, whose name it returns."""
        after = PLATFORM if step.body is None else step.name
        self.joints.append(
            MechanismJoint(
                step.name,
                step.kind,
                (before, after),
                step.at,
                step.axes,
                step.motor,
                step.rotor,
                step.friction,
                step.limits,
            )
        )
        self.order.append(step.name)
        if step.body is not None:
            self.parts.append(Part(after, step.body, Transform.of(None, step.at)))
        return after


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
        model.name,
        (*legs.parts, platform),
        tuple(Coordinate(PLATFORM, name) for name in model.coordinates),
        tuple(legs.joints),
        tuple(legs.rods),
        tuple(legs.cylinders),
        tool=(PLATFORM, home),
        gravity=model.gravity,
        source=model.source,
        accept=model.accept,
        angle_unit=model.angle_unit,
        order=tuple(legs.order),
    )
