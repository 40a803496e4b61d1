"""A path gone along with another timing."""

from __future__ import annotations

from linkwork.errors import InputError
from linkwork.interface.robot import Array
from linkwork.motion.profiles import Profile
from linkwork.motion.trajectory import JointTrajectory, PoseTrajectory


class Retimed(JointTrajectory):
    """The way of a joint trajectory, with a profile that says which fraction of its time is when."""

    path: JointTrajectory
    profile: Profile

    def __init__(self, path: JointTrajectory, profile: Profile) -> None:
        if not isinstance(path, JointTrajectory):
            raise InputError(f"path = {path!r}: allowed is a joint trajectory.")
        self._keep(path=path, profile=profile, duration=profile.duration, n=path.n)

    def _inside(self, t: Array) -> tuple[Array, Array, Array]:
        return _chain(self.path, self.profile, t)


class RetimedPoses(PoseTrajectory):
    """The way of a pose trajectory, with a profile that says which fraction of its time is when."""

    path: PoseTrajectory
    profile: Profile

    def __init__(self, path: PoseTrajectory, profile: Profile) -> None:
        if not isinstance(path, PoseTrajectory):
            raise InputError(f"path = {path!r}: allowed is a pose trajectory.")
        self._keep(path=path, profile=profile, duration=profile.duration)

    def _inside(self, t: Array) -> tuple[Array, Array, Array]:
        return _chain(self.path, self.profile, t)


def _chain(
    path: JointTrajectory | PoseTrajectory, profile: Profile, t: Array
) -> tuple[Array, Array, Array]:
    """The chain rule; for twists it reads the same, since they are linear in the rate."""
    s, sd, sdd = profile.at(t)
    u, ud, udd = (path.duration * value for value in (s, sd, sdd))
    position, first, second = path.at(u)
    return position, first * ud[:, None], second * ud[:, None] ** 2 + first * udd[:, None]
