"""Legs that stand on the base and hold a body at one point: the body feels them as a mass there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwork.mechanics.mechanism.closures import Gap, Length
from linkwork.mechanics.mechanism.plan import Block, Plan
from linkwork.robots.geometry import Array, vanishes
from linkwork.robots.mechanism import BASE, Cylinder, MechanismJoint, Motor, PointSpring, Rod

MANY = 3  # coordinates of a body above which three unit motions of the leg's end cost less


@dataclass(frozen=True, eq=False)
class Leg:
    """A block of the plan, the body that it holds, and the point there at home."""

    block: int
    body: str
    point: Array
    elements: tuple[str | Cylinder | Rod | MechanismJoint | Motor, ...]


def legs_of(plan: Plan, rotors: bool) -> list[Leg]:
    """Blocks that are legs of a body with more than three coordinates."""
    found = [_leg(plan, k, block, rotors) for k, block in enumerate(plan.blocks)]
    return [leg for leg in found if leg is not None]


def _leg(plan: Plan, k: int, block: Block, rotors: bool) -> Leg | None:
    model, own = plan.model, {placing.body for placing in block.placings}
    if not block.unknowns or any(placing.host not in {BASE, *own} for placing in block.placings):
        return None
    outside = {body for closure in block.closures for body in closure.bodies} - own - {BASE}
    if len(outside) != 1:
        return None
    (body,) = outside
    placing = plan.of_body[body]
    coordinates = sum(terms != () for terms in placing.terms)
    if placing.kind != "pose" or placing.host != BASE or coordinates <= MANY:
        return None
    ends = [_end(closure, body) for closure in block.closures]
    point = ends[0]
    if point is None or any(end is None or not np.array_equal(end, point) for end in ends):
        return None
    for other in plan.placings:
        if other.body not in own and (other.host in own or plan.groups[other.group].root in own):
            return None
    struts: list[Rod | Cylinder | PointSpring] = [*model.rods, *model.cylinders, *model.springs]
    ties = [tie for tie in struts if own & {*tie.joins}]
    elements: list[str | Cylinder | Rod | MechanismJoint | Motor] = [*own]
    for tie in ties:
        if isinstance(tie, Rod) and {*tie.joins} <= own | {body}:
            if not np.array_equal(tie.end if tie.joins[1] == body else tie.start, point):
                return None
            elements.append(tie)
        elif not ({*tie.joins} <= own | {BASE}):
            return None
        elif isinstance(tie, Cylinder):
            elements.append(tie)
    for joint in model.joints:
        if own & {*joint.joins} and rotors and not vanishes(joint.rotor):
            if body in joint.joins:
                return None
            elements.append(joint)
    inside = {joint.name for joint in model.joints if own & {*joint.joins}}
    if any(
        not vanishes(motor.rotor) and inside & {name for name, _ in motor.terms}
        for motor in model.motors
    ):
        return None
    return Leg(k, body, point, tuple(elements))


def _end(closure: object, body: str) -> Array | None:
    """The point of a body that a closure holds."""
    if isinstance(closure, Length):
        strut = closure.strut
        return strut.end if strut.joins[1] == body else strut.start
    return closure.joint.at if isinstance(closure, Gap) else None
