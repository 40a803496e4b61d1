"""Legs of parallel robots as steps: what the file wrote as one joint is one joint again where it can be.

A `ParallelLeg` has single revolute and prismatic joints, a universal joint being two of them. Crosses
without mass, and last links without mass that are fixed to the platform, are no bodies here.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from linkwork.robots.arm import Friction, Limits
from linkwork.robots.geometry import Body
from linkwork.robots.mechanism import Joins, MechanismJoint, MechanismJointKind
from linkwork.robots.parallel import LegEnd, LegJoint, ParallelLeg

# Numbers that were written down are exact or not; this is the rounding of turns and unit vectors.
ROUNDING = 1e-12
LETTERS = "abc"
UNNAMED: Joins = ("", "")
END_LETTERS = {"spherical": "S", "universal": "U", "revolute": "R"}


class Step(NamedTuple):
    """A joint, whose bodies are not named yet, and the body that it carries; None is the platform."""

    joint: MechanismJoint
    body: Body | None = None

    @property
    def is_plain(self) -> bool:
        """Whether its joint has viscous friction at most."""
        joint = self.joint
        dry = joint.friction.is_dry or bool(joint.friction.offset)
        return not (joint.motor or joint.rotor or dry or joint.limits != Limits())


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
        ball = MechanismJoint(name, "spherical", UNNAMED, end.at, friction=Friction(end.viscous))
        return [*steps, Step(ball)]
    last = steps[-1]
    if last.body is not None and is_nothing(last.body) and not _is_link(last, leg, spread):
        return [*steps[:-1], Step(last.joint)]
    return [*steps, Step(MechanismJoint(name, "fixed", UNNAMED, end.at))]


def _is_link(last: Step, leg: ParallelLeg, spread: bool) -> bool:
    """Whether the last step is a link of the file that stays one."""
    return spread and last.joint.name == leg.joints[-1].name


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
    axes = tuple(joint.axis for joint in joints) if kind == "universal" else ()
    first, name = joints[0], joints[0].name[:-1]
    together = MechanismJoint(name, kind, UNNAMED, first.at, axes, friction=first.friction)
    return [Step(together, joints[-1].body)]


def _single(joint: LegJoint) -> Step:
    drive = joint.actuated, joint.rotor, joint.friction, joint.limits
    return Step(
        MechanismJoint(joint.name, joint.kind, UNNAMED, joint.at, (joint.axis,), *drive), joint.body
    )


def _are_one(joints: tuple[LegJoint, ...], singles: list[Step]) -> bool:
    """Whether a universal or ball joint says all that these joints say."""
    plain = all(step.is_plain for step in singles)
    massless = all(is_nothing(joint.body) for joint in joints[:-1])
    viscous = {joint.friction.viscous for joint in joints}
    axes = np.array([joint.axis for joint in joints])
    independent = np.linalg.svd(axes, compute_uv=False)[-1] > ROUNDING
    # Friction about axes that stay perpendicular is friction against the whole turn; those of three
    # joints in a row do not stay so.
    whole = viscous == {0.0} or (
        len(viscous) == 1 and len(joints) == 2 and abs(float(axes[0] @ axes[1])) <= ROUNDING
    )
    return plain and massless and independent and whole
