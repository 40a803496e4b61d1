"""Limits of a platform's legs along a motion: which, when, and by how much they are broken."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from linkwork.errors import InputError
from linkwork.robot import Array
from linkwork.stewart.trouble import rotation_of

if TYPE_CHECKING:
    from linkwork.stewart.platform import Platform

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


def _angles(platform: Platform, poses: Array, home: Array) -> tuple[Array, Array]:
    """Of every leg from its direction at home: as the base sees it, and as the platform does."""
    still = np.zeros(6)
    directions = platform.leg_kinematics(poses, still, still).direction
    at_home = platform.leg_kinematics(home, still, still).direction

    def in_platform(pose: Array, s: Array) -> Array:
        rotations = np.array([rotation_of(row) for row in pose.reshape(-1, pose.shape[-1])])
        return np.einsum("nji,nkj->nki", rotations, s.reshape(-1, 6, 3)).reshape(s.shape)

    def angle(a: Array, b: Array) -> Array:
        return np.arccos(np.clip(np.einsum("...i,...i->...", a, b), -1.0, 1.0))

    seen = in_platform(poses, directions)
    return angle(directions, at_home), angle(seen, in_platform(home[None], at_home[None])[0])


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
    poses = np.atleast_2d(np.asarray(pose, dtype=np.float64))
    if poses.ndim != 2:
        raise InputError(f"check_limits: pose has shape {poses.shape}; a motion is (N, 7) or (N, 6).")
    times = None if time is None else np.asarray(time, dtype=np.float64)
    if times is not None and times.shape != poses.shape[:1]:
        raise InputError(
            f"check_limits: time has shape {times.shape}; it must be ({len(poses)},) like the poses."
        )
    measured = {"length": platform.leg_lengths(poses)}
    if twist is not None:
        still = np.zeros(6)
        measured["rate"] = np.abs(platform.leg_kinematics(poses, twist, still).rate)
        if force is None and acceleration is not None:
            force = platform.inverse_dynamics(poses, twist, acceleration, wrench)
    if force is not None:
        measured["force"] = np.abs(np.broadcast_to(np.asarray(force, float), (len(poses), 6)))
    if platform.model.home is not None:
        angles = _angles(platform, poses, platform.home)
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
