"""Angles of a platform's universal and spherical joints."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from linkwork.interface.quantity import Array
from linkwork.rotations import with_quaternion

if TYPE_CHECKING:
    from linkwork.interface.platform import Platform


def joint_angles(platform: Platform, poses: Array) -> tuple[Array, Array]:
    """Of every leg from its direction at home: as the base sees it, and as the platform does."""
    still, home = np.zeros(6), platform.home
    directions = platform.leg_kinematics(poses, still, still).direction
    at_home = platform.leg_kinematics(home, still, still).direction
    seen = _in_platform(poses, directions)
    seen_at_home = _in_platform(home[None], at_home[None])[0]
    return _angle(directions, at_home), _angle(seen, seen_at_home)


def _in_platform(pose: Array, s: Array) -> Array:
    w, v = with_quaternion(pose)[..., 3, None, None], with_quaternion(pose)[..., None, 4:]
    once = np.cross(v, s)  # R' s = s - 2 w v x s + 2 v x (v x s)
    return s - 2 * w * once + 2 * np.cross(v, once)


def _angle(a: Array, b: Array) -> Array:
    return np.arccos(np.clip(np.einsum("...i,...i->...", a, b), -1.0, 1.0))
