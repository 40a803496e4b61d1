"""Serial arms: what one is, Denavit-Hartenberg rows, and the mechanism that it expands into.

A mechanism that is one chain of driven joints is an arm again.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any, ClassVar, Literal

import numpy as np

from linkwork.core.earlier_names import with_earlier_names
from linkwork.core.rotations import rotation_about
from linkwork.core.text import AngleUnit
from linkwork.model.drive import Drive
from linkwork.model.geometry import LONGEST, Array, Body, Payload, Transform, displacement, frozen
from linkwork.model.joint import STANDARD_GRAVITY, Friction, JointKind, Limits, Rotor
from linkwork.model.mechanism import (
    BASE,
    Coordinate,
    Joins,
    MechanismJoint,
    MechanismModel,
    Part,
    kept_of,
    tool_frame,
)


@dataclass(frozen=True, eq=False)
class Joint:
    """A joint and the link it carries.

    The link frame sits at `before` * motion(axis, q + offset) * `after` in the previous link's frame.
    """

    name: str
    kind: JointKind
    before: Transform
    axis: Array
    offset: float
    after: Transform
    body: Body
    rotor: Rotor = field(default_factory=Rotor)
    friction: Friction = field(default_factory=Friction)
    limits: Limits = field(default_factory=Limits)
    stiffness: float | None = None  # [N m/rad or N/m] of the drive, with its motor held
    drive: Drive | None = None  # rotor and friction include its own

    @property
    def is_revolute(self) -> bool:
        return self.kind == "revolute"


@with_earlier_names
@dataclass(frozen=True, eq=False)
class ArmModel:
    """A serial arm. Gravity [m/s^2] is in base axes; `source` tells where the numbers come from.

    `tool` is the tip in the frame of the last link as the file gives it. It is already part of the last
    joint: the last frame, in which tip wrench, Jacobian and kinematics are, is that of the tool.
    `operation_plan` is how its fewest operations are reached, as found by `minimize_operations` (JSON);
    empty: a quick one.
    `accept` are the subjects of findings that its file silences. `home` is where its joints stand in
    pictures and at the start of searches [rad or m]; without one at zero, as far as limits allow.
    """

    kind: ClassVar[str] = "arm"  # in robot files
    name: str
    joints: tuple[Joint, ...]
    gravity: Array = field(default_factory=lambda: STANDARD_GRAVITY)
    source: str = ""
    operation_plan: str = ""
    tool: Transform = field(default_factory=Transform)
    accept: tuple[str, ...] = ()
    home: tuple[float, ...] | None = None
    angle_unit: AngleUnit = field(default="deg", compare=False)  # of the angles in its file
    payload: Payload | None = None  # of its file; part of the body that carries it

    @property
    def n(self) -> int:
        return len(self.joints)

    @property
    def joint_names(self) -> tuple[str, ...]:
        return tuple(joint.name for joint in self.joints)

    @property
    def in_brief(self) -> str:
        """Number and kinds of its joints, such as `6 RRRRRR`."""
        return f"{self.n} " + "".join("R" if joint.is_revolute else "P" for joint in self.joints)

    @property
    def mass(self) -> float:
        """Of everything that moves [kg]."""
        return sum(joint.body.mass for joint in self.joints)

    def without(self, *, friction: bool = False, rotors: bool = False) -> ArmModel:
        """The arm without friction, without rotors, or as it is."""
        changes: dict[str, Any] = {"friction": Friction()} if friction else {}
        changes |= {"rotor": Rotor()} if rotors else {}

        def drive(joint: Joint) -> Drive | None:
            return joint.drive and joint.drive.without(friction=friction, inertia=rotors)

        joints = tuple(replace(joint, **changes, drive=drive(joint)) for joint in self.joints)
        return replace(self, joints=joints)


def with_tool(model: ArmModel, tool: Transform) -> ArmModel:
    """The arm with its last frame moved to the tool, which is given in the last frame."""
    *others, last = model.joints
    moved = replace(last, after=last.after @ tool, body=last.body.seen_from(tool))
    return replace(model, joints=(*others, moved), tool=model.tool @ tool)


def without_tool(model: ArmModel) -> ArmModel:
    """The arm with its last frame where the file has it."""
    bare = with_tool(model, model.tool.inverse())
    return replace(bare, tool=Transform()) if model.tool.moves else model


def reach(model: ArmModel) -> float:
    """How far the arm can reach, without lengths that no machine has [m]."""
    total = 0.0
    for joint in model.joints:
        parts = [float(np.linalg.norm(joint.before.p)), float(np.linalg.norm(joint.after.p))]
        if not joint.is_revolute:
            parts += [abs(joint.offset), *map(abs, joint.limits.position or ())]
        total += sum(part for part in parts if part <= LONGEST)
    centers = [float(np.linalg.norm(joint.body.center_of_mass)) for joint in model.joints]
    return total or max((c for c in centers if c <= LONGEST), default=0.0) or 1.0


Convention = Literal["standard", "modified"]
Z_AXIS = frozen([0.0, 0.0, 1.0])


def _about_x(angle: float, along: float) -> Transform:
    return Transform.of(rotation_about(0, angle), [along, 0.0, 0.0])


def _along_z(distance: float) -> Transform:
    return Transform.of(np.eye(3), [0.0, 0.0, distance])


def _about_z(angle: float) -> Transform:
    return Transform.of(rotation_about(2, angle))


def dh_joint(
    convention: Convention,
    kind: JointKind,
    *,
    theta: float,
    d: float,
    a: float,
    alpha: float,
    name: str,
    body: Body,
    **rest: Any,
) -> Joint:
    """A joint from one row of a table.

    standard: Rz(theta) Tz(d) Tx(a) Rx(alpha), joint i about z of frame i-1.
    modified: Rx(alpha) Tx(a) Rz(theta) Tz(d), joint i about z of frame i.
    The joint variable is added to theta (revolute) or to d (prismatic).
    """
    link = _about_x(alpha, a)
    if kind == "revolute":
        offset, before, after = theta, Transform(), _along_z(d)
    else:
        offset, before, after = d, _about_z(theta), Transform()
    if convention == "standard":
        after = after @ link
    else:
        before = link @ before
    return Joint(name, kind, before, Z_AXIS, offset, after, body, **rest)


def length_places(joint: Joint) -> dict[str, tuple[str, ...]] | None:
    """Where a joint has the a and d of its row: the path to a number; None if it is of no table."""
    x, straight = (1.0, 0.0, 0.0), np.eye(3)
    along = ("offset",) if joint.kind == "prismatic" else ("after", "p", "2")
    plain = not joint.before.p.any()
    if plain and np.array_equal(joint.after.R[0], x) and not joint.after.p[1]:
        return {"a": ("after", "p", "0"), "d": along}
    shifted = not joint.before.p[1:].any() and not joint.after.p[:2].any()
    if shifted and np.array_equal(joint.after.R, straight):
        return {"a": ("before", "p", "0"), "d": along}
    return None


KINDS: dict[str, JointKind] = {"revolute": "revolute", "prismatic": "prismatic"}


def mechanism_of_arm(model: ArmModel) -> MechanismModel:
    """A chain drawn at q = 0, offsets included; parts are named after the joints that carry them."""
    parts: list[Part] = []
    joints: list[MechanismJoint] = []
    here, before = Transform(), BASE
    for joint in model.joints:
        pivot = here @ joint.before
        here = pivot @ displacement(joint.kind, joint.axis, joint.offset) @ joint.after
        name = _part_name(joint.name, model.joint_names)
        parts.append(Part(name, joint.body.seen_from(here.inverse()), here))
        joins: Joins = before, name
        joints.append(
            MechanismJoint(
                joint.name,
                joint.kind,
                joins,
                pivot.p,
                (_direction(pivot, joint.axis),),
                motor=True,
                rotor=joint.rotor.reflected,
                friction=joint.friction,
                limits=joint.limits,
                stiffness=joint.stiffness,
                drive=joint.drive,
            )
        )
        before = name
    if model.tool.moves:
        # The last frame is the tool's; the link's own is where the file has it.
        last = parts[-1]
        parts[-1] = Part(last.name, last.body, here @ model.tool.inverse())
    return MechanismModel(
        parts=tuple(parts),
        coordinates=tuple(Coordinate(name) for name in model.joint_names),
        joints=tuple(joints),
        tool=(before, here),
        order=model.joint_names,
        arm=model,
        **kept_of(model),
    )


def _direction(frame: Transform, axis: Array) -> Array:
    direction = frame.R @ axis
    return frozen(direction / np.linalg.norm(direction))


def _part_name(joint: str, taken: tuple[str, ...]) -> str:
    """The joint's name, unless that is what the base is called."""
    name = joint
    while name == BASE or (name != joint and name in taken):
        name += "-link"
    return name


def arm_of_mechanism(model: MechanismModel) -> ArmModel | None:
    """The arm that a mechanism is: one chain of R and P joints, all of them driven and coordinates.

    Its positions count from home and its last frame is the tool's. None for any other mechanism. An arm
    that was expanded is given back as it was, unless the mechanism has been changed since.
    """
    if model.arm is not None and _expands_into(model.arm, model):
        return replace(model.arm, gravity=model.gravity)
    others = (model.rods, model.cylinders, model.springs, model.couplings, model.motors)
    if any(others) or any(part.point for part in model.parts):
        return None
    steps = _steps(model)
    if steps is None or {step.name for step, _ in steps} != {each.name for each in model.coordinates}:
        return None
    if any(not step.motor or step.spring is not None for step, _ in steps):
        return None
    tool, frame = tool_frame(model)
    if tool not in steps[-1][1]:
        return None
    return ArmModel(joints=serial_joints(model, steps, Transform(), frame), **kept_of(model))


def _expands_into(arm: ArmModel, model: MechanismModel) -> bool:
    """Whether the arm still tells all that the mechanism does, but for gravity and names."""
    return _same(replace(mechanism_of_arm(arm), **kept_of(model)), model)


def _same(one: object, other: Any) -> bool:
    """Whether frozen data hold the same numbers and words."""
    if one is other:
        return True
    if isinstance(one, np.ndarray):
        return isinstance(other, np.ndarray) and np.array_equal(one, other)
    if isinstance(one, tuple):
        alike = isinstance(other, tuple) and len(one) == len(other)
        return alike and all(map(_same, one, other))
    if dataclasses.is_dataclass(one):
        fields = [field.name for field in dataclasses.fields(one)]
        return type(one) is type(other) and all(
            _same(getattr(one, name), getattr(other, name)) for name in fields
        )
    return bool(one == other)


# A joint that moves, with its axis as that of the bodies beyond it, and those that are fixed together.
Step = tuple[MechanismJoint, tuple[str, ...]]


def serial_joints(
    model: MechanismModel, steps: list[Step], base: Transform, tip: Transform
) -> tuple[Joint, ...]:
    """Joints of a chain that is given in the frame `base` and whose last link has the frame `tip`."""
    found, here = [], base
    for k, (step, names) in enumerate(steps):
        pivot = Transform.of(base.R, step.at)
        link = tip if k == len(steps) - 1 else pivot
        body = reduce(Body.merged_with, (model.part(name).body for name in names))
        found.append(
            Joint(
                step.name,
                KINDS[step.kind],
                here.inverse() @ pivot,
                _direction(base.inverse(), step.axes[0]),
                0.0,
                pivot.inverse() @ link,
                body.seen_from(link),
                Rotor(step.rotor),
                step.friction,
                step.limits,
                step.stiffness,
                step.drive,
            )
        )
        here = link
    return tuple(found)


def _steps(model: MechanismModel) -> list[Step] | None:
    """Joints that move, from the base outward; None if they are not one chain."""
    left = list(model.joints)
    here = _taken(BASE, left)
    steps: list[Step] = []
    while left:
        leaving = [joint for joint in left if here.intersection(joint.joins)]
        if len(leaving) != 1 or leaving[0].kind not in KINDS or here.issuperset(leaving[0].joins):
            return None
        (joint,) = leaving
        left.remove(joint)
        outward = joint.joins[0] in here
        here = _taken(joint.joins[outward], left)
        axis = joint.axes[0] if outward else frozen(-joint.axes[0])
        steps.append((replace(joint, axes=(axis,)), tuple(sorted(here))))
    moved = {name for _, names in steps for name in names}
    return steps if steps and BASE not in moved else None


def _taken(body: str, left: list[MechanismJoint]) -> set[str]:
    """A body and all that is fixed to it; the joints that do so are taken from `left`."""
    found, waiting = {body}, [body]
    while waiting:
        at = waiting.pop()
        for joint in [each for each in left if each.kind == "fixed" and at in each.joins]:
            left.remove(joint)
            others = set(joint.joins) - found
            found |= others
            waiting += others
    return found
