"""Motions of a platform that are planned in its legs."""

from __future__ import annotations

from typing import Any, TypeGuard

import numpy as np
from numpy.typing import ArrayLike

from linkwork.errors import InputError, LinkworkError
from linkwork.interface.platform import Platform
from linkwork.interface.robot import Array
from linkwork.motion.inputs import whole
from linkwork.motion.trajectory import JointTrajectory, PoseTrajectory
from linkwork.robots.geometry import frozen
from linkwork.rotations import continuous


def takes_lengths(robot: Any) -> TypeGuard[Platform]:
    """Whether a path of leg lengths can be given. A Stewart platform alone proves that none of it meets
    a singularity between samples, where its branch would be lost (`Platform.follow`)."""
    return isinstance(robot, Platform)


class LegPath(PoseTrajectory):
    """A trajectory of the six leg lengths, as the platform moves under it.

    Poses are exact at every instant: forward kinematics from the nearest pose of a table that was
    followed from the start; twist and acceleration follow from the legs' rates.

    Args:
        platform: whose legs they are.
        legs: leg lengths [m], a joint trajectory with n = 6.
        start: a pose near the first one; None is the platform's home.
        samples: rows of the table.
    """

    platform: Platform
    legs: JointTrajectory
    _table: Array

    def __init__(
        self,
        platform: Platform,
        legs: JointTrajectory,
        start: ArrayLike | None = None,
        samples: int = 201,
    ) -> None:
        if not isinstance(legs, JointTrajectory) or legs.n != 6:
            raise InputError(f"legs = {legs!r}: allowed is a joint trajectory with n = 6, one per leg.")
        if not takes_lengths(platform):
            raise InputError(f"{platform!r} is no Stewart platform, as a path of leg lengths takes.")
        times = np.linspace(0.0, legs.duration, whole(samples, "samples", 2, 100_000))
        try:
            poses = platform.follow(legs.at(times).q, start)
        except LinkworkError as error:
            if isinstance(error, InputError):
                raise
            raise LinkworkError(
                f"these leg lengths, sampled every {times[1]:.4g} s, have no pose: {error}"
            ) from error
        poses[:, 3:] = continuous(poses[:, 3:])
        self._keep(platform=platform, legs=legs, duration=legs.duration, _table=frozen(poses))

    def _inside(self, t: Array) -> tuple[Array, Array, Array]:
        lengths, rates, accelerations = self.legs.at(t)
        last = len(self._table) - 1
        near = self._table[np.rint(t / self.duration * last).astype(int)]
        pose = self.platform.forward_kinematics(lengths, near)
        pose[(pose[:, 3:] * near[:, 3:]).sum(axis=1) < 0, 3:] *= -1
        return (pose, *self.platform.motion_from_legs(pose, rates, accelerations))
