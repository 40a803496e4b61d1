"""A parallel robot at one pose, all numbers in base axes: what trees of other engines are built from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwork.core.rotations import rotation_of
from linkwork.model.families.parallel import ParallelModel
from linkwork.model.geometry import Body
from tests.leg_screws import Screws, displaced


@dataclass
class PlacedJoint:
    revolute: bool
    axis: np.ndarray
    point: np.ndarray
    mass: float
    center: np.ndarray
    inertia: np.ndarray


@dataclass
class PlacedLeg:
    joints: list[PlacedJoint]  # those of the joint at the platform too, without mass
    tip: np.ndarray
    count: int  # of the leg's own joints


@dataclass
class Placed:
    legs: list[PlacedLeg]
    origin: np.ndarray
    R: np.ndarray
    platform: Body


@dataclass
class JointPlaces:
    """Points and axes of all joints, (poses, legs, joints, 3) each, base axes."""

    points: np.ndarray
    axes: np.ndarray


def joint_points(screws: Screws, q: np.ndarray) -> JointPlaces:
    """Where joints are whose coordinates are q (poses, legs, joints)."""
    points = np.zeros((*q.shape, 3))
    axes = np.zeros_like(points)
    for k in range(q.shape[-1]):
        here = displaced(screws, np.where(np.arange(q.shape[-1]) < k, q, 0.0))
        points[..., k, :] = np.einsum("plij,lj->pli", here.R, screws.at[:, k]) + here.p
        axes[..., k, :] = np.einsum("plij,lj->pli", here.R, screws.axis[:, k])
    return JointPlaces(points, axes)


def placed(model: ParallelModel, q: np.ndarray, pose: np.ndarray) -> Placed:
    """The robot with joint coordinates q and the platform at a pose."""
    screws, home = Screws.of(model), model.home_frame
    table = np.zeros((1, *screws.revolute.shape))
    k = 0
    for index, leg in enumerate(model.legs):
        table[0, index, : len(leg.joints)] = q[k : k + len(leg.joints)]
        k += len(leg.joints)
    places = joint_points(screws, table)
    R, origin = rotation_of(pose), pose[:3]
    turn = R @ home.R.T
    legs = []
    for index, leg in enumerate(model.legs):
        joints = []
        for j, joint in enumerate(leg.joints):
            upto = np.where(np.arange(table.shape[-1]) <= j, table, 0.0)
            moved = displaced(screws, upto)
            Rj, pj = moved.R[0, index], moved.p[0, index]
            body = joint.body
            joints.append(
                PlacedJoint(
                    joint.is_revolute,
                    places.axes[0, index, j],
                    places.points[0, index, j],
                    body.mass,
                    Rj @ body.center_of_mass + pj,
                    Rj @ body.inertia @ Rj.T,
                )
            )
        tip = origin + turn @ (leg.end.at - home.p)
        nothing = (0.0, tip, np.zeros((3, 3)))
        whole = displaced(screws, np.where(np.arange(table.shape[-1]) < len(leg.joints), table, 0.0))
        if leg.end.kind == "spherical":
            axes = list(np.eye(3))
        elif leg.end.kind == "universal":
            axes = [whole.R[0, index] @ leg.end.axes[0], turn @ leg.end.axes[1]]
        elif leg.end.kind == "revolute":
            axes = [turn @ leg.end.axes[0]]
        else:
            axes = []
        ends = [PlacedJoint(True, axis, tip, *nothing) for axis in axes]
        legs.append(PlacedLeg(joints + ends, tip, len(leg.joints)))
    return Placed(legs, origin, R, model.platform)
