"""What a serial arm is: frozen numbers, whichever way they were written down."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal

import numpy as np

from linkwork.formatting import AngleUnit
from linkwork.robots.geometry import LONGEST, Array, Body, Transform, frozen, vanishes

JointKind = Literal["revolute", "prismatic"]
STANDARD_GRAVITY = frozen([0.0, 0.0, -9.81])


@dataclass(frozen=True)
class Rotor:
    """Motor rotor: inertia [kg m^2] on the motor's side, gear ratio motor turns per joint turn."""

    inertia: float = 0.0
    gear_ratio: float = 1.0

    @property
    def reflected(self) -> float:
        """Inertia as the joint feels it."""
        return self.gear_ratio**2 * self.inertia


@dataclass(frozen=True)
class Friction:
    """Joint friction on the joint's side: torque = viscous qd + coulomb by the sign of qd + offset.

    The offset is constant, whichever way the joint moves: of a cable, a spring, a current sensor.
    """

    viscous: float = 0.0
    coulomb_forward: float = 0.0
    coulomb_backward: float = 0.0
    offset: float = 0.0

    @property
    def acts(self) -> bool:
        parts = (self.viscous, self.coulomb_forward, self.coulomb_backward, self.offset)
        return not all(map(vanishes, parts))

    @property
    def is_dry(self) -> bool:
        """Whether there is Coulomb friction."""
        return not (vanishes(self.coulomb_forward) and vanishes(self.coulomb_backward))

    @property
    def symmetric(self) -> bool:
        return vanishes(self.coulomb_forward + self.coulomb_backward)


@dataclass(frozen=True)
class Limits:
    """Bounds of a joint; None is unbounded.

    `effort_velocity` are pairs of speed and effort: what the actuator can give at which speed.
    """

    position: tuple[float, float] | None = None
    velocity: float | None = None
    effort: float | None = None
    effort_velocity: tuple[tuple[float, float], ...] | None = None


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

    @property
    def is_revolute(self) -> bool:
        return self.kind == "revolute"


@dataclass(frozen=True, eq=False)
class ArmModel:
    """A serial arm. Gravity [m/s^2] is in base axes; `source` tells where the numbers come from.

    `tool` is the tip in the frame of the last link as the file gives it. It is already part of the last
    joint: the last frame, in which tip wrench, Jacobian and kinematics are, is that of the tool.
    `plan` is how its fewest operations are reached, as found by `minimise` (JSON); empty: a quick one.
    `accept` are the subjects of findings that its file silences.
    """

    kind: ClassVar[str] = "arm"  # in robot files
    name: str
    joints: tuple[Joint, ...]
    gravity: Array = field(default_factory=lambda: STANDARD_GRAVITY)
    source: str = ""
    plan: str = ""
    tool: Transform = field(default_factory=Transform)
    accept: tuple[str, ...] = ()
    angle_unit: AngleUnit = field(default="deg", compare=False)  # of the angles in its file

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
        return replace(self, joints=tuple(replace(joint, **changes) for joint in self.joints))


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
