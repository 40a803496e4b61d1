"""Limits of a platform's legs along a motion: which, when, and by how much they are broken."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from linkwork.errors import InputError
from linkwork.interface.robot import Array
from linkwork.rotations import pose_array, with_quaternion

if TYPE_CHECKING:
    from linkwork.interface.platform import Platform

UNITS = {
    "length": "m",
    "rate": "m/s",
    "force": "N",
    "universal_angle": "rad",
    "spherical_angle": "rad",
}


@dataclass(frozen=True)
class LimitBreak:
    """One limit of one leg, broken from sample `first` on, most at sample `worst`."""

    leg: str
    limit: str
    first: int
    worst: int
    value: float
    allowed: float
    samples: int
    first_time: float | None = None
    worst_time: float | None = None

    @property
    def excess(self) -> float:
        """How far beyond the bound, in its unit."""
        return abs(self.value - self.allowed)

    def __str__(self) -> str:
        def when(index: int, time: float | None) -> str:
            return f"sample {index}" if time is None else f"t = {time:g} s"

        unit = UNITS[self.limit]
        return (
            f"{self.leg}: {self.limit} {self.value:.6g} {unit} at {when(self.worst, self.worst_time)}, "
            f"{self.excess:.3g} {unit} beyond {self.allowed:g} {unit}; broken in {self.samples} "
            f"samples, first at {when(self.first, self.first_time)}"
        )


@dataclass(frozen=True)
class LimitReport:
    """All broken limits; printing it shows them."""

    checked: tuple[str, ...]
    breaks: tuple[LimitBreak, ...]

    @property
    def ok(self) -> bool:
        return not self.breaks

    def __str__(self) -> str:
        checked = f"checked: {', '.join(self.checked) or 'nothing, the robot file has no limits'}"
        if self.ok:
            return f"all limits kept ({checked})"
        return "\n".join([f"{len(self.breaks)} limits broken ({checked})", *map(str, self.breaks)])


def joint_angles(platform: Platform, poses: Array, home: Array) -> tuple[Array, Array]:
    """Of every leg from its direction at home: as the base sees it, and as the platform does."""
    still = np.zeros(6)
    directions = platform.leg_kinematics(poses, still, still).direction
    at_home = platform.leg_kinematics(home, still, still).direction

    def in_platform(pose: Array, s: Array) -> Array:
        w, v = with_quaternion(pose)[..., 3, None, None], with_quaternion(pose)[..., None, 4:]
        once = np.cross(v, s)  # R' s = s - 2 w v x s + 2 v x (v x s)
        return s - 2 * w * once + 2 * np.cross(v, once)

    def angle(a: Array, b: Array) -> Array:
        return np.arccos(np.clip(np.einsum("...i,...i->...", a, b), -1.0, 1.0))

    seen = in_platform(poses, directions)
    return angle(directions, at_home), angle(seen, in_platform(home[None], at_home[None])[0])


def _like_poses(value: ArrayLike, name: str, poses: Array, shape: tuple[int, ...]) -> Array:
    """One row for all poses or one for each, of finite numbers."""
    try:
        array = np.asarray(value, dtype=np.float64)
        full = np.broadcast_to(array, (len(poses), *shape))
    except (TypeError, ValueError):
        raise InputError(
            f"check_limits: {name} does not fit the poses; it must be {(len(poses), *shape)} numbers."
        ) from None
    if not np.isfinite(full).all():
        raise InputError(f"check_limits: {name} contains a number that is not finite.")
    return full


def limit_report(
    platform: Platform,
    pose: ArrayLike,
    twist: ArrayLike | None,
    acceleration: ArrayLike | None,
    wrench: ArrayLike | None,
    force: ArrayLike | None,
    time: ArrayLike | None,
) -> LimitReport:
    """See Platform.check_limits."""
    poses = np.atleast_2d(pose_array(pose, "pose"))
    if poses.ndim != 2 or not len(poses):
        raise InputError(
            f"check_limits: pose has shape {poses.shape}; a motion is (N, 7) or (N, 6), N >= 1."
        )
    if twist is None and acceleration is not None:
        raise InputError("check_limits: acceleration is given without twist; forces need both.")
    if wrench is not None and (acceleration is None or force is not None):
        raise InputError("check_limits: wrench goes with twist and acceleration, and not with force.")
    times = None if time is None else _like_poses(time, "time", poses, ())
    given_twist = None if twist is None else _like_poses(twist, "twist", poses, (6,))
    given_force = None if force is None else _like_poses(force, "force", poses, (6,))
    measured = {"length": platform.leg_lengths(poses)}
    if given_twist is not None:
        still = np.zeros(6)
        measured["rate"] = np.abs(platform.leg_kinematics(poses, given_twist, still).rate)
        if given_force is None and acceleration is not None:
            rates = _like_poses(acceleration, "acceleration", poses, (6,))
            given_force = platform.inverse_dynamics(poses, given_twist, rates, wrench)
    if given_force is not None:
        measured["force"] = np.abs(given_force)
    if platform.model.home is not None:
        angles = joint_angles(platform, poses, platform.home)
        measured["universal_angle"], measured["spherical_angle"] = angles

    checked, breaks = [], []
    for limit, values in measured.items():
        bounds = [getattr(leg.limits, limit) for leg in platform.model.legs]
        if any(bound is not None for bound in bounds):
            checked.append(limit)
        for k, bound in enumerate(bounds):
            if bound is None:
                continue
            low, high = bound if isinstance(bound, tuple) else (-np.inf, bound)
            for side, broken in ((low, values[:, k] < low), (high, values[:, k] > high)):
                if broken.any():
                    indices = np.flatnonzero(broken)
                    worst = int(indices[np.argmax(np.abs(values[indices, k] - side))])
                    first = int(indices[0])
                    breaks.append(
                        LimitBreak(
                            leg=platform.leg_names[k],
                            limit=limit,
                            first=first,
                            worst=worst,
                            value=float(values[worst, k]),
                            allowed=float(side),
                            samples=len(indices),
                            first_time=None if times is None else float(times[first]),
                            worst_time=None if times is None else float(times[worst]),
                        )
                    )
    return LimitReport(tuple(checked), tuple(breaks))
