"""Legs of parallel robots: chains of single joints, and as steps of a mechanism.

A `ParallelLeg` has single revolute and prismatic joints, a universal joint being two of them; a step is
what the file wrote as one joint. Crosses without mass, and last links without mass that are fixed to
the platform, are no bodies; links that need none become rods of constant length and cylinders.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

import numpy as np

from linkwork.model.drive import Drive
from linkwork.model.geometry import Array, Body, Transform, frozen
from linkwork.model.joint import Friction, JointKind, Limits
from linkwork.model.mechanism import (
    BASE,
    JOINT_LETTERS,
    Cylinder,
    Joins,
    MechanismJoint,
    MechanismJointKind,
    Rod,
)

EndKind = Literal["spherical", "universal", "revolute", "rigid"]


@dataclass(frozen=True, eq=False)
class LegJoint:
    """A revolute or prismatic joint of a leg and the body that it carries, at home in base axes.

    `at` is a point of the axis; the body's center of mass is a point of the base frame. `apart`, of the
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
    drive: Drive | None = None  # rotor and friction include its own

    @property
    def is_revolute(self) -> bool:
        return self.kind == "revolute"


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
class LegCone:
    """How far the U or S joint at `at` tilts: the link to `to` stays within `angle` of `axis`.

    The axis is fixed in the body before the joint, or in the platform if the joint is there; at home.
    """

    name: str
    at: Array
    to: Array
    axis: Array
    angle: float
    at_platform: bool


@dataclass(frozen=True, eq=False)
class ParallelLeg:
    """A serial chain from the base to the platform."""

    name: str
    joints: tuple[LegJoint, ...]
    end: LegEnd
    cones: tuple[LegCone, ...] = ()

    @property
    def frame(self) -> bool:
        """Whether it is closed by six equations, not three."""
        return self.end.kind == "rigid"

    @property
    def joints_in_words(self) -> str:
        """`RUS`: both axes of a universal joint are one letter."""
        groups = grouped(self.joints, UNIVERSAL)
        kinds = ["universal" if len(group) == UNIVERSAL else group[0].kind for group in groups]
        return "".join(JOINT_LETTERS.get(kind, "") for kind in (*kinds, self.end.kind))


UNIVERSAL, BALL = 2, 3  # axes
AXES = "abc"


def grouped(joints: tuple[LegJoint, ...], most: int) -> list[tuple[LegJoint, ...]]:
    """Up to `most` joints that were one joint of the file: names end in a, b (and c), one place."""
    groups: list[tuple[LegJoint, ...]] = []
    for joint in joints:
        before = groups[-1] if groups else ()
        if before and len(before) < most and _continues(before, joint):
            groups[-1] = (*before, joint)
        else:
            groups.append((joint,))
    return groups


def _continues(before: tuple[LegJoint, ...], joint: LegJoint) -> bool:
    stem, k = before[0].name[:-1], len(before)
    named = before[0].name[-1] == AXES[0] and joint.name == stem + AXES[k]
    turns = joint.is_revolute and all(each.is_revolute for each in before)
    return named and turns and np.array_equal(before[0].at, joint.at)


# Numbers that were written down are exact or not; this is the rounding of turns and unit vectors.
ROUNDING = 1e-12
UNNAMED: Joins = ("", "")


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
    """From the base outward; the last one, and only that, has no body.

    Those of a leg that is `spread` have all its joints, each with its link.
    """
    written = grouped(leg.joints, 1 if spread else BALL)
    name, end = _end_name(leg, len(written) + 1), leg.end
    if end.kind in ("revolute", "universal"):
        written.append(_end_joints(name, end))
    steps = [step for joints in written for step in _steps(joints)]
    if end.kind == "spherical":
        ball = MechanismJoint(name, "spherical", UNNAMED, end.at, friction=Friction(end.viscous))
        return [*steps, Step(ball)]
    last = steps[-1]
    if last.body is not None and last.body.is_nothing and not _is_link(last, leg, spread):
        return [*steps[:-1], Step(last.joint)]
    return [*steps, Step(MechanismJoint(name, "fixed", UNNAMED, end.at))]


def _is_link(last: Step, leg: ParallelLeg, spread: bool) -> bool:
    """Whether the last step is a link of the file that stays one."""
    return spread and last.joint.name == leg.joints[-1].name


def _end_name(leg: ParallelLeg, number: int) -> str:
    """As the reader names joints without a name."""
    name = f"{leg.name} {'end' if leg.frame else f'{JOINT_LETTERS[leg.end.kind]}{number}'}"
    taken = any(joint.name in (name, f"{name}a") for joint in leg.joints)
    return f"{leg.name} end" if taken else name


def _end_joints(name: str, end: LegEnd) -> tuple[LegJoint, ...]:
    names = axis_names(name, len(end.axes))
    return tuple(
        LegJoint(each, "revolute", axis, end.at, Body())
        for each, axis in zip(names, end.axes, strict=True)
    )


def axis_names(name: str, count: int) -> list[str]:
    """Of the single joints that a joint of the file is."""
    return [name] if count == 1 else [name + letter for letter in AXES[:count]]


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
    moved = joint.actuated, joint.rotor, joint.friction, joint.limits
    single = MechanismJoint(
        joint.name, joint.kind, UNNAMED, joint.at, (joint.axis,), *moved, drive=joint.drive
    )
    return Step(single, joint.body)


def _are_one(joints: tuple[LegJoint, ...], singles: list[Step]) -> bool:
    """Whether a universal or ball joint says all that these joints say."""
    plain = all(step.is_plain for step in singles)
    massless = all(joint.body.is_nothing for joint in joints[:-1])
    viscous = {joint.friction.viscous for joint in joints}
    axes = np.array([joint.axis for joint in joints])
    independent = np.linalg.svd(axes, compute_uv=False)[-1] > ROUNDING
    # Friction about axes that stay perpendicular is friction against the whole turn; those of three
    # joints in a row do not stay so.
    whole = viscous == {0.0} or (
        len(viscous) == 1 and len(joints) == 2 and abs(float(axes[0] @ axes[1])) <= ROUNDING
    )
    return plain and massless and independent and whole


PINS = ("universal", "revolute")
ENDS = ("universal", "spherical")


def rod_of(steps: list[Step], joins: Joins) -> Rod | None:
    """The rod that two joints make, if it is symmetric about the line between them.

    Its spin counts if it has axial inertia, if a joint has friction, and between two universal joints,
    where it is a constraint; the second axes must then be those that a rod has.
    """
    if len(steps) != 2 or any(step.joint.kind not in ENDS for step in steps):
        return None
    (first, body), (last, _) = steps
    way, length = _way(first.at, last.at)
    if body is None or length == 0.0 or not all(step.is_plain for step in steps):
        return None
    axial, across = _moments(body, way)
    off, uneven = asymmetry(body, first.at, way)
    if off > ROUNDING * float(np.linalg.norm(body.center_of_mass - first.at)) or uneven > ROUNDING:
        return None
    viscous = first.friction.viscous, last.friction.viscous
    universal = first.kind == last.kind == "universal"
    spins = bool(axial or any(viscous) or universal)
    if not all(_fits(axes, way, spins) for axes in (first.axes, last.axes[::-1]) if axes):
        return None
    near = first.axes[0] if spins and first.axes else None
    far = last.axes[1] if spins and last.axes else None
    if (far is not None or any(viscous)) and near is None:
        return None  # the spin of a rod is told at its start
    center = float((body.center_of_mass - first.at) @ way) / length if body.mass else 0.5
    return Rod(
        first.name,
        joins,
        first.at,
        last.at,
        body.mass,
        center,
        axial,
        across,
        near,
        far,
        viscous,
    )


def pair_of(leg: ParallelLeg) -> tuple[Rod, Rod] | None:
    """The two rods side by side that a leg ends in, if it says so and they are thin: a parallelogram."""
    rod = rod_of(steps_of(leg)[-2:], (BASE, BASE))
    apart, ends = leg.joints[-1].apart, leg.end.axes
    if not apart or rod is None or rod.axis is None or len(ends) != 2 or rod.axial or any(rod.viscous):
        return None
    if float(np.linalg.norm(np.cross(rod.axis, ends[1]))) > ROUNDING:
        return None
    one, other = (_beside(rod, side, apart) for side in ("left", "right"))
    return one, other


def _beside(rod: Rod, side: str, apart: float) -> Rod:
    """Half of a rod, with balls at its ends: it does not spin."""
    assert rod.axis is not None
    away = (0.5 if side == "left" else -0.5) * apart * rod.axis
    return replace(
        rod,
        name=f"{rod.name} {side}",
        start=frozen(rod.start + away),
        end=frozen(rod.end + away),
        mass=rod.mass / 2,
        across=rod.across / 2,
        axis=None,
        far_axis=None,
    )


def cylinder_of(steps: list[Step], joins: Joins) -> Cylinder | None:
    """The cylinder that a U or R, a P and an S make, if the slide is along the line between its ends."""
    kinds = [step.joint.kind for step in steps]
    if len(steps) != 3 or kinds[0] not in PINS or kinds[1:] != ["prismatic", "spherical"]:
        return None
    (pin, barrel), (slide, rod), (ball, _) = steps
    way, length = _way(pin.at, ball.at)
    if length == 0.0 or not steps[0].is_plain or np.abs(slide.axes[0] - way).max() > ROUNDING:
        return None
    if barrel is None or rod is None:
        return None
    axis = pin.axes[0]
    if pin.kind == "revolute" and abs(float(axis @ way)) > ROUNDING:
        return None  # it would sweep a cone
    if pin.kind == "universal" and not _is_second(pin.axes[1], axis, way):
        return None
    y = np.cross(axis, way)
    y /= np.linalg.norm(y)
    R = np.column_stack([way, y, np.cross(way, y)])
    return Cylinder(
        slide.name,
        joins,
        pin.at,
        ball.at,
        "universal" if pin.kind == "universal" else "revolute",
        axis,
        _seen(barrel, R, pin.at),
        _seen(rod, R, ball.at),
        slide.motor,
        slide.rotor,
        slide.friction,
        pin.friction.viscous,
        ball.friction.viscous,
        slide.limits,
        drive=slide.drive,
    )


def _way(start: Array, end: Array) -> tuple[Array, float]:
    length = float(np.linalg.norm(end - start))
    return (end - start) / (length or 1.0), length


def _seen(body: Body, R: Array, at: Array) -> Body:
    return Body() if body.is_nothing else body.seen_from(Transform.of(R, at))


def _moments(body: Body, way: Array) -> tuple[float, float]:
    """Inertia about the line and across it, without what rounding leaves of a thin rod's."""
    axial = float(way @ body.inertia @ way)
    across = (float(np.trace(body.inertia)) - axial) / 2
    return (0.0 if abs(axial) <= ROUNDING * across else axial), across


def asymmetry(body: Body, at: Array, way: Array) -> tuple[float, float]:
    """How far its center of mass is off a line [m]; the share of its inertia that is uneven about it."""
    off = float(np.linalg.norm(np.cross(way, body.center_of_mass - at))) if body.mass else 0.0
    axial, across = _moments(body, way)
    along = np.outer(way, way)
    rest = body.inertia - axial * along - across * (np.eye(3) - along)
    return off, float(np.abs(rest).max()) / (float(np.abs(body.inertia).max()) or 1.0)


def _fits(axes: tuple[Array, ...], way: Array, spins: bool) -> bool:
    """Whether a universal joint, its axis outside the rod first, is one that a rod has: any that lets
    it swing, if its spin does not count."""
    outside, inside = axes
    if spins:
        return _is_second(inside, outside, way)
    return abs(float(way @ np.cross(outside, inside))) > ROUNDING


def _is_second(axis: Array, outside: Array, way: Array) -> bool:
    """Whether an axis is perpendicular to the other one of a universal joint and to the link."""
    across = np.cross(outside, way)
    size = float(np.linalg.norm(across))
    return size > ROUNDING and float(np.linalg.norm(np.cross(axis, across / size))) <= ROUNDING
