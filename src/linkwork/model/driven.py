"""Robots with other drives in their actuators, or with none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from linkwork.core.errors import InputError
from linkwork.model.drive import Drive, with_drive, without_drive
from linkwork.model.families.arm import ArmModel, Joint
from linkwork.model.families.parallel import ParallelModel
from linkwork.model.families.stewart import Leg, PlatformModel
from linkwork.model.joint import Friction, Rotor
from linkwork.model.mechanism import MechanismModel

if TYPE_CHECKING:
    from linkwork.model.robot_files import Model

Drives = Sequence[Drive | None]
Driven = TypeVar("Driven", bound=Any)  # has rotor, friction and drive


def drives_of(mechanism: MechanismModel) -> tuple[Drive | None, ...]:
    """Of the actuators, in the order of their efforts."""
    known = {each.name: each.drive for each in mechanism.elements}
    return tuple(known.get(name) for name in mechanism.effort_names)


def model_with_drives(model: Model, drives: Drives) -> Model:
    """One drive for each actuator, in the order of efforts; None is without one."""
    if isinstance(model, ArmModel):
        return replace(model, joints=tuple(map(_of_arm, model.joints, drives)))
    if isinstance(model, PlatformModel):
        return replace(model, legs=tuple(map(leg_with_drive, model.legs, drives)))
    if isinstance(model, ParallelModel):
        of_joint = dict(zip((joint.name for joint in model.actuators), drives, strict=True))
        legs = (
            replace(leg, joints=tuple(_redriven(each, of_joint.get(each.name)) for each in leg.joints))
            for leg in model.legs
        )
        return replace(model, legs=tuple(legs))
    given = dict(zip(model.effort_names, drives, strict=True))
    shared = [motor.name for motor in model.motors if given[motor.name] is not None]
    if shared:
        raise InputError(
            f"{shared[0]} acts on several joints, and a drive on one joint or cylinder; leave it out."
        )
    joints = tuple(_redriven(each, given.get(each.name)) for each in model.joints)
    cylinders = tuple(_redriven(each, given.get(each.name)) for each in model.cylinders)
    arm = model.arm
    if arm is not None:
        arm = replace(arm, joints=tuple(_of_arm(each, given[each.name]) for each in arm.joints))
    return replace(model, joints=joints, cylinders=cylinders, arm=arm)


def _redriven(part: Driven, drive: Drive | None) -> Driven:
    """A joint or cylinder with another drive."""
    if part.drive is None and drive is None:
        return part
    rotor, friction = with_drive(*without_drive(part.rotor, part.friction, part.drive), drive)
    return replace(part, rotor=rotor, friction=friction, drive=drive)


def _of_arm(joint: Joint, drive: Drive | None) -> Joint:
    if joint.drive is None and drive is None:
        return joint
    own = without_drive(joint.rotor.reflected, joint.friction, joint.drive)
    rotor, friction = with_drive(*own, drive)
    return replace(joint, rotor=Rotor(rotor), friction=friction, drive=drive)


def leg_with_drive(leg: Leg, drive: Drive | None) -> Leg:
    """A leg of a Stewart platform with another drive."""
    f = leg.friction
    own = without_drive(leg.rotor, Friction(f.prismatic, f.coulomb, -f.coulomb), leg.drive)
    rotor, along = with_drive(*own, drive)
    friction = replace(f, prismatic=along.viscous, coulomb=along.coulomb_forward)
    return replace(leg, rotor=rotor, friction=friction, drive=drive)
