"""The robot that a machine with deviations is, drawn anew where its motors read what they do at home."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

import numpy as np

from linkwork.core.errors import LinkworkError
from linkwork.kinematics.assembled import Assembled
from linkwork.kinematics.closure_rows import Side
from linkwork.kinematics.deviations import FRAME, Tie, tool_of
from linkwork.model.families.arm import ArmModel, arm_of_mechanism
from linkwork.model.geometry import Transform, frozen
from linkwork.model.mechanism import (
    Cylinder,
    MechanismJoint,
    MechanismModel,
    Part,
    Rod,
    TwoPoint,
)
from linkwork.robot.compiled import Array
from linkwork.robot.loading import robot_of
from linkwork.robot.robot import Robot

Between = TypeVar("Between", bound=TwoPoint)
Sides = Callable[[Tie, bool], Side]
CLOSED = 1e-9  # gaps of a machine beside its size


def redrawn(machine: Assembled, values: Array) -> Robot:
    """The robot with deviations (k,); those of the frame of measurement are no part of it.

    Joints, rods and cylinders are where both sides meet. Positions of joints and cylinders count from
    there, as the motors read. A chain is an arm; bodies of others have axes as those of the base there,
    from which their angles count, and the tool is as it is.
    """
    robot, model = machine.robot, machine.robot.mechanism
    own = np.where([each.owner == FRAME for each in machine.deviations], 0.0, values)[None]
    c = machine.coordinates(machine.zero[None])
    here = machine.solved(c, own)
    gap = np.abs(machine.gaps(c, here, own)).max()
    if not gap <= CLOSED * max(1.0, robot.size):
        raise LinkworkError(
            f"{robot.name} with these deviations does not close: rigid parts miss each other by "
            f"{gap:.3g} m, so it has no robot file."
        )

    def moved(body: str) -> Transform:
        k = machine.bodies[body]
        return Transform.of(here.R[0, k], here.p[0, k])

    def side(tie: Tie, end: bool) -> Side:
        return Side(*(frozen(each[0]) for each in machine.side(tie, end, here, own)))

    return robot_of(
        _told_as_arm(
            replace(
                model,
                parts=tuple(_part(each, moved(each.name)) for each in model.parts),
                joints=tuple(_joint(each, side) for each in model.joints),
                rods=tuple(_rod(each, side, moved) for each in model.rods),
                cylinders=tuple(_cylinder(each, side) for each in model.cylinders),
                springs=tuple(_between(each, moved) for each in model.springs),
                cones=tuple(
                    replace(_between(each, moved), axis=frozen(moved(each.joins[0]).R @ each.axis))
                    for each in model.cones
                ),
                tool=(tool_of(model)[0], Transform.of(here.axes[0], here.tool[0])),
                arm=None,
            )
        )
    )


def _told_as_arm(model: MechanismModel) -> ArmModel | MechanismModel:
    """With its last link where its joint is, and the tool on it, as files have arms about any axes."""
    arm = arm_of_mechanism(model)
    return model if arm is None else replace(arm, tool=arm.joints[-1].after)


def _part(part: Part, way: Transform) -> Part:
    """With axes as those of the base, the only ones that files of mechanisms have."""
    frame = Transform.of(None, (way @ part.frame).p)
    return replace(part, body=part.body.seen_from(way.inverse()), frame=frame)


def _joint(joint: MechanismJoint, side: Sides) -> MechanismJoint:
    near = side(joint, False)
    axes = (near.n, side(joint, True).u)[: len(joint.axes)]
    return replace(joint, at=near.at, axes=axes)


def _rod(rod: Rod, side: Sides, moved: Callable[[str], Transform]) -> Rod:
    near, far = side(rod, False), side(rod, True)
    axis = None if rod.axis is None else near.n
    other = None if rod.far_axis is None else frozen(moved(rod.joins[1]).R @ rod.far_axis)
    return replace(rod, start=near.at, end=far.at, axis=axis, far_axis=other)


def _cylinder(each: Cylinder, side: Sides) -> Cylinder:
    near, far = side(each, False), side(each, True)
    return replace(each, start=near.at, end=far.at, axis=None if each.axis is None else near.n)


def _between(each: Between, moved: Callable[[str], Transform]) -> Between:
    ways = [moved(body) for body in each.joins]
    points = (each.start, each.end)
    start, end = (frozen(way.R @ p + way.p) for way, p in zip(ways, points, strict=True))
    return replace(each, start=start, end=end)
