"""Legs of parallel robots as steps: what the file wrote as one joint is one joint again where it can be.

A `ParallelLeg` has single revolute and prismatic joints, a universal joint being two of them. Crosses
without mass, and last links without mass that are fixed to the platform, are no bodies here.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from linkwork.robots.arm import Friction, Limits
from linkwork.robots.geometry import Array, Body
from linkwork.robots.mechanism import MechanismJointKind
from linkwork.robots.parallel import LegEnd, LegJoint, ParallelLeg

# Numbers that were written down are exact or not; this is the rounding of turns and unit vectors.
ROUNDING = 1e-12
LETTERS = "abc"
END_LETTERS = {"spherical": "S", "universal": "U", "revolute": "R"}


@dataclass(frozen=True, eq=False)
class Step:
    """A joint and the body that it carries; without a body it carries the platform.

    Motor, rotor, friction and limits as in `MechanismJoint`: of R and P, and viscous friction of others.
    """

    name: str
    kind: MechanismJointKind
    at: Array
    axes: tuple[Array, ...] = ()
    body: Body | None = None
    motor: bool = False
    rotor: float = 0.0
    friction: Friction = field(default_factory=Friction)
    limits: Limits = field(default_factory=Limits)

    @property
    def is_plain(self) -> bool:
        """Whether it has viscous friction at most."""
        dry = self.friction.is_dry or bool(self.friction.offset)
        return not (self.motor or self.rotor or dry or self.limits != Limits())


def steps_of(leg: ParallelLeg, spread: bool = False) -> list[Step]:
    """From the base outwards; the last one, and only that, has no body.

    Those of a leg that is `spread` have all its joints, each with its link.
    """
    written = _grouped(leg.joints, spread)
    name, end = _end_name(leg, len(written) + 1), leg.end
    if end.kind in ("revolute", "universal"):
        written.append(_end_joints(name, end))
    steps = [step for joints in written for step in _steps(joints)]
    if end.kind == "spherical":
        return [*steps, Step(name, "spherical", end.at, friction=Friction(end.viscous))]
    last = steps[-1]
    if last.body is not None and is_nothing(last.body) and not _is_link(last, leg, spread):
        return [*steps[:-1], replace(last, body=None)]
    return [*steps, Step(name, "fixed", end.at)]


def _is_link(last: Step, leg: ParallelLeg, spread: bool) -> bool:
    """Whether the last step is a link of the file that stays one."""
    return spread and last.name == leg.joints[-1].name


def is_nothing(body: Body) -> bool:
    return body.mass == 0.0 and not body.inertia.any()


def _grouped(joints: tuple[LegJoint, ...], spread: bool) -> list[tuple[LegJoint, ...]]:
    """Joints that were one joint of the file: names end in a, b (and c), the place is one."""
    groups: list[tuple[LegJoint, ...]] = []
    for joint in joints:
        before = groups[-1] if groups and not spread else ()
        if before and len(before) < len(LETTERS) and _continues(before, joint):
            groups[-1] = (*before, joint)
        else:
            groups.append((joint,))
    return groups


def _continues(before: tuple[LegJoint, ...], joint: LegJoint) -> bool:
    stem, k = before[0].name[:-1], len(before)
    named = before[0].name[-1] == "a" and joint.name == stem + LETTERS[k]
    turns = joint.is_revolute and all(each.is_revolute for each in before)
    return named and turns and np.array_equal(before[0].at, joint.at)


def _end_name(leg: ParallelLeg, number: int) -> str:
    """As the reader names joints without a name."""
    name = f"{leg.name} {END_LETTERS.get(leg.end.kind, 'end')}"
    name += str(number) if leg.end.kind in END_LETTERS else ""
    taken = any(joint.name in (name, f"{name}a") for joint in leg.joints)
    return f"{leg.name} end" if taken else name


def _end_joints(name: str, end: LegEnd) -> tuple[LegJoint, ...]:
    names = [name] if len(end.axes) == 1 else [name + letter for letter in LETTERS[: len(end.axes)]]
    nothing = Body.of(0.0, np.zeros(3), np.zeros((3, 3)))
    return tuple(
        LegJoint(each, "revolute", axis, end.at, nothing)
        for each, axis in zip(names, end.axes, strict=True)
    )


def _steps(joints: tuple[LegJoint, ...]) -> list[Step]:
    singles = [_single(joint) for joint in joints]
    if len(joints) == 1 or not _are_one(joints, singles):
        return singles
    kind: MechanismJointKind = "universal" if len(joints) == 2 else "spherical"
    first, last = singles[0], singles[-1]
    axes = tuple(joint.axis for joint in joints) if kind == "universal" else ()
    name = joints[0].name[:-1]
    return [Step(name, kind, first.at, axes, last.body, friction=first.friction)]


def _single(joint: LegJoint) -> Step:
    return Step(
        joint.name,
        joint.kind,
        joint.at,
        (joint.axis,),
        joint.body,
        joint.actuated,
        joint.rotor,
        joint.friction,
        joint.limits,
    )


def _are_one(joints: tuple[LegJoint, ...], singles: list[Step]) -> bool:
    """Whether a universal or ball joint says all that these joints say."""
    plain = all(step.is_plain for step in singles)
    massless = all(is_nothing(joint.body) for joint in joints[:-1])
    viscous = {step.friction.viscous for step in singles}
    axes = np.array([joint.axis for joint in joints])
    independent = np.linalg.svd(axes, compute_uv=False)[-1] > ROUNDING
    # Friction about axes that stay perpendicular is friction against the whole turn; those of three
    # joints in a row do not stay so.
    whole = viscous == {0.0} or (
        len(viscous) == 1 and len(joints) == 2 and abs(float(axes[0] @ axes[1])) <= ROUNDING
    )
    return plain and massless and independent and whole
