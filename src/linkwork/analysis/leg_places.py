"""Where the joints and links of a parallel robot are, from its joint coordinates."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwork.interface.parallel import ParallelRobot
from linkwork.interface.robot import Array
from linkwork.robots.parallel import ParallelLeg, ParallelModel
from linkwork.robots.parallel_mobility import Screws, displaced, joint_points
from linkwork.rotations import rotation_of


@dataclass(frozen=True, eq=False)
class LegPlaces:
    """One leg at N positions, base axes.

    `points` (N, n + 1, 3) are the joints and then where the leg holds the platform, `axes` (N, n, 3)
    those of the joints. Link k has gone from home by the rotation `R[:, k]` about the origin of the base
    and then by `p[:, k]`.
    """

    points: Array
    axes: Array
    R: Array
    p: Array


@dataclass(frozen=True, eq=False)
class Places:
    """All legs, and the poses (N, 7) of the platform."""

    legs: tuple[LegPlaces, ...]
    pose: Array


def held_at(leg: ParallelLeg, model: ParallelModel) -> Array:
    """The point at home where a leg holds the platform; the platform's origin if it is part of it."""
    return model.home_frame.p if leg.end.kind == "rigid" else leg.end.at


def places_of(robot: ParallelRobot, position: Array) -> Places:
    """At positions (N, ...) of the robot."""
    model, still = robot.model, np.zeros(robot.freedoms)
    motion = robot.joints(position, still, still)
    screws, home = Screws.of(model), model.home_frame
    turn = rotation_of(motion.pose)
    q = np.zeros((len(position), *screws.revolute.shape))
    k = 0
    for index, leg in enumerate(model.legs):
        q[:, index, : len(leg.joints)] = motion.q[:, k : k + len(leg.joints)]
        k += len(leg.joints)
    joints, number = joint_points(screws, q), np.arange(q.shape[-1])
    moved = [displaced(screws, np.where(number <= k, q, 0.0)) for k in number]
    legs = []
    for index, leg in enumerate(model.legs):
        n = len(leg.joints)
        end = motion.pose[:, :3] + turn @ (home.R.T @ (held_at(leg, model) - home.p))
        legs.append(
            LegPlaces(
                np.concatenate([joints.points[:, index, :n], end[:, None]], axis=1),
                joints.axes[:, index, :n],
                np.stack([here.R[:, index] for here in moved[:n]], axis=1),
                np.stack([here.p[:, index] for here in moved[:n]], axis=1),
            )
        )
    return Places(tuple(legs), motion.pose)
