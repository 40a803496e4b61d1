"""Arms as mechanisms, and back: a mechanism that is one chain of driven joints is an arm."""

from __future__ import annotations

import dataclasses
from dataclasses import replace
from functools import reduce
from typing import Any

import numpy as np

from linkwork.robots.arm import ArmModel, Joint, JointKind, Rotor
from linkwork.robots.geometry import Array, Body, Transform, displacement, frozen
from linkwork.robots.mechanism import (
    BASE,
    Coordinate,
    Joins,
    MechanismJoint,
    MechanismModel,
    Part,
    kept_of,
)
from linkwork.robots.mechanism_elements import tool_frame

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


def _same(one: Any, other: Any) -> bool:
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
            )
        )
        here = link
    return tuple(found)


def _steps(model: MechanismModel) -> list[Step] | None:
    """Joints that move, from the base outwards; None if they are not one chain."""
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
