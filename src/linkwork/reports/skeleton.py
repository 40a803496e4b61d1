"""Where the parts of a mechanism are, as points in base axes, and how they look from a side."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

from linkwork.interface.arm import Arm
from linkwork.interface.platform import Platform
from linkwork.interface.robot import Array


@dataclass(frozen=True)
class View:
    """Parallel projection along the direction of a viewer at this azimuth and elevation [deg]."""

    azimuth: float
    elevation: float

    def __call__(self, points: Array) -> tuple[Array, Array]:
        """Points (..., 3) on the picture (..., 2), and their nearness to the viewer (...)."""
        a, e = np.radians([self.azimuth, self.elevation])
        toward = np.array([np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)])
        right = np.array([-np.sin(a), np.cos(a), 0.0])
        return np.stack([points @ right, points @ np.cross(toward, right)], axis=-1), points @ toward


SLANTED, FRONT, TOP = View(-58.0, 20.0), View(-90.0, 0.0), View(-90.0, 90.0)


def platform_points(platform: Platform, poses: Array) -> Array:
    """Joints on the platform at poses (N, 7): (N, 6, 3)."""
    turns = Rotation.from_quat(np.roll(poses[:, 3:], -1, axis=-1)).as_matrix()
    return poses[:, None, :3] + platform.model.points()[1] @ np.swapaxes(turns, -1, -2)


def outline(points: Array) -> Array:
    """Points (k, 3) in the order in which a polygon goes around them."""
    centre = points.mean(axis=0)
    _, _, axes = np.linalg.svd(points - centre)
    flat = (points - centre) @ axes[:2].T
    return points[np.argsort(np.arctan2(flat[:, 1], flat[:, 0]))]


@dataclass(frozen=True, eq=False)
class ArmSkeleton:
    """Arms at N positions: lines of m points through them, and their joints."""

    line: Array  # (N, m, 3), from the base to the tip
    joints: Array  # (N, n, 3)
    axes: Array  # (N, n, 3), unit

    @property
    def tip(self) -> Array:
        return self.line[:, -1]


def arm_skeleton(arm: Arm, q: Array) -> ArmSkeleton:
    """Joints and links: lines run from joint to joint through the origins of the links' frames."""
    base = np.broadcast_to(np.eye(4), (len(q), 1, 4, 4))
    frames = np.concatenate([base, arm.link_frames(q)], axis=1)
    line, places, axes = [frames[:, 0, :3, 3]], [], []
    for k, joint in enumerate(arm.model.joints):
        turn = frames[:, k, :3, :3]
        place = frames[:, k, :3, 3] + turn @ joint.before.p
        places.append(place)
        axes.append(turn @ (joint.before.R @ joint.axis))
        line += [place, frames[:, k + 1, :3, 3]]
    return ArmSkeleton(np.stack(line, axis=1), np.stack(places, axis=1), np.stack(axes, axis=1))
