"""Angles of a platform's universal and spherical joints."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linkwork.interface.limits import bounds_of
from linkwork.interface.quantity import Array
from linkwork.rotations import with_quaternion

if TYPE_CHECKING:
    from linkwork.interface.platform import Platform


class JointAngles(NamedTuple):
    """Angles of the joints of every leg from its direction at home [rad], (..., 6), and their limits.

    Limits are those of the robot file, (6,), infinite where there are none.
    """

    universal: Array  # at the base, as the base sees the leg
    spherical: Array  # at the platform, as the platform sees the leg
    universal_limit: Array
    spherical_limit: Array

    @property
    def within(self) -> NDArray[np.bool_]:
        """Whether each leg keeps both limits, (..., 6)."""
        kept = (self.universal <= self.universal_limit) & (self.spherical <= self.spherical_limit)
        return np.asarray(kept)


def limited_joint_angles(platform: Platform, pose: ArrayLike) -> JointAngles:
    """See Platform.joint_angles."""
    universal, spherical = joint_angles(platform, with_quaternion(pose))
    limits = [leg.limits for leg in platform.model.legs]
    return JointAngles(
        universal,
        spherical,
        bounds_of(limit.universal_angle for limit in limits),
        bounds_of(limit.spherical_angle for limit in limits),
    )


def joint_angles(platform: Platform, poses: Array) -> tuple[Array, Array]:
    """Of every leg from its direction at home: as the base sees it, and as the platform does."""
    still, home = np.zeros(6), platform.home
    directions = platform.leg_kinematics(poses, still, still).direction
    at_home = platform.leg_kinematics(home, still, still).direction
    seen = _in_platform(poses, directions)
    seen_at_home = _in_platform(home, at_home)
    return _angle(directions, at_home), _angle(seen, seen_at_home)


def _in_platform(pose: Array, s: Array) -> Array:
    w, v = with_quaternion(pose)[..., 3, None, None], with_quaternion(pose)[..., None, 4:]
    once = np.cross(v, s)  # R' s = s - 2 w v x s + 2 v x (v x s)
    return s - 2 * w * once + 2 * np.cross(v, once)


def _angle(a: Array, b: Array) -> Array:
    return np.arccos(np.clip(np.einsum("...i,...i->...", a, b), -1.0, 1.0))
