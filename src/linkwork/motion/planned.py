"""A planned way of a platform as a motion in time."""

from __future__ import annotations

from linkwork.errors import InputError
from linkwork.interface.plan import Plan
from linkwork.interface.robot import Array
from linkwork.motion.profiles import QuinticProfile
from linkwork.motion.trajectory import PoseTrajectory
from linkwork.rotations import pose_motion


class PlannedMotion(PoseTrajectory):
    """Along a plan of `platform.plan`, from rest to rest with the profile of least jerk.

    Args:
        plan: the way.
        duration: [s].
    """

    plan: Plan
    profile: QuinticProfile

    def __init__(self, plan: Plan, duration: float) -> None:
        if not isinstance(plan, Plan):
            raise InputError(f"plan = {plan!r}: allowed is what platform.plan returns.")
        profile = QuinticProfile(duration)
        self._keep(plan=plan, profile=profile, duration=profile.duration)

    def _inside(self, t: Array) -> tuple[Array, Array, Array]:
        s, sd, sdd = self.profile.at(t)
        pose, first, second = pose_motion(*self.plan.curve(s))
        twist = first * sd[:, None]
        return pose, twist, second * sd[:, None] ** 2 + first * sdd[:, None]
