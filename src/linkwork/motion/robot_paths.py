"""Motions that a robot's kinematics find: of an arm's tool, of a platform's legs, along a plan."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import ArrayLike

from linkwork.core.arguments import whole
from linkwork.core.errors import InputError, LinkworkError
from linkwork.core.rotations import continuous, pose_motion
from linkwork.kinematics.follow import ArmPath
from linkwork.kinematics.path_planning import SingularityFreePath
from linkwork.model.geometry import frozen
from linkwork.motion.point_to_point import PoseLine
from linkwork.motion.profiles import Profile, QuinticProfile, chained
from linkwork.motion.spaces import Curve, Triple, through_samples
from linkwork.motion.tool_path import CircularArc, ToolPath
from linkwork.motion.trajectory import JointTrajectory, PoseTrajectory
from linkwork.robot.arm import Arm
from linkwork.robot.platform import Platform
from linkwork.robot.robot import Array

BRANCHES = 12  # starts that are tried where none is given
LEAST_SINGULAR_VALUE = 1e-9


def follows_poses(robot: Any) -> TypeGuard[Arm]:
    """Whether a motion of its tool can be given. An arm alone has inverse kinematics of a pose of its
    tool, with branches, limits and redundancy; coordinates of other robots have none to choose."""
    return isinstance(robot, Arm) and robot.n >= 6


class CartesianMotion(JointTrajectory):
    """The joints of an arm whose tool moves along a trajectory of poses.

    Positions are exact at every instant: inverse kinematics from the nearest entry of a table that was
    followed from the start; velocities and accelerations follow from the tool's. A redundant arm moves
    as little as it can.

    Args:
        arm: whose tool it is, with six joints or more.
        poses: of the tool, a pose trajectory.
        start: joint positions near the first ones, which choose the branch; None looks for a branch
            that reaches the end, from home on.
        frame: of the link that moves, as in `arm.jacobian`; None is the last.
        limits: keep the limits of the joints.
        samples: rows of the table.
    """

    arm: Arm
    poses: PoseTrajectory
    path: ArmPath
    _frame: int | str | None
    _limits: bool
    _table: Curve

    def __init__(
        self,
        arm: Arm,
        poses: PoseTrajectory,
        start: ArrayLike | None = None,
        *,
        frame: int | str | None = None,
        limits: bool = True,
        samples: int = 201,
    ) -> None:
        if not follows_poses(arm):
            raise InputError(f"arm = {arm!r}: expected an arm with six joints or more.")
        if not isinstance(poses, PoseTrajectory):
            raise InputError(f"poses = {poses!r}: expected a pose trajectory.")
        times = np.linspace(0.0, poses.duration, whole(samples, "samples", 4, 100_000))
        path = _follow(arm, poses.at(times).pose, start, frame, limits, times)
        self._keep(
            arm=arm,
            poses=poses,
            path=path,
            duration=poses.duration,
            n=arm.n,
            _frame=frame,
            _limits=limits,
            _table=through_samples(times, path.q),
        )

    def _inside(self, t: Array) -> Triple:
        pose, twist, acceleration = self.poses.at(t)
        guess, drift, second = self._table.at(t)
        found = self.arm.inverse_kinematics(pose, guess, self._frame, self._limits, restarts=0)
        if not found.converged.all():
            row = int(np.argmin(found.converged))
            raise LinkworkError(f"at t = {t[row]:.6g} s {found.explain((row,))}.")
        q = found.q
        J = self.arm.jacobian(q, self._frame)
        inverse = np.asarray(np.linalg.pinv(J, rcond=LEAST_SINGULAR_VALUE), dtype=np.float64)
        qd = _times(inverse, twist)
        rate = self.arm.jacobian_dot
        if self.n > 6:  # the share of the table's motion that the tool does not feel
            free = np.eye(self.n) - inverse @ J
            qd = qd + _times(free, drift)
            missing = acceleration - _times(rate(q, qd, self._frame), qd)
            return q, qd, _times(inverse, missing) + _times(free, second)
        missing = acceleration - _times(rate(q, qd, self._frame), qd)
        return q, qd, _times(inverse, missing)


def _times(matrices: Array, vectors: Array) -> Array:
    return np.asarray(np.einsum("nij,nj->ni", matrices, vectors))


def _follow(
    arm: Arm,
    poses: Array,
    start: ArrayLike | None,
    frame: int | str | None,
    limits: bool,
    times: Array,
) -> ArmPath:
    """The path on the branch of `start`, or on the first branch that reaches the end."""
    if start is not None:
        return arm.follow(poses, start, frame, limits, time=times)
    first = arm.inverse_kinematics(poses[0], None, frame, limits)
    if not first.converged:
        raise LinkworkError(f"the first pose cannot be reached: {first.explain()}.")
    reason: LinkworkError | None = None
    guesses = [arm.home, *(_random(arm, seed) for seed in range(BRANCHES - 1))]
    for guess in guesses:
        found = arm.inverse_kinematics(poses[0], guess, frame, limits, restarts=0)
        if not found.converged:
            continue
        try:
            return arm.follow(poses, found.q, frame, limits, time=times)
        except LinkworkError as error:
            reason = reason or error
    if reason is None:
        return arm.follow(poses, first.q, frame, limits, time=times)
    raise LinkworkError(f"no branch of {arm.name} that was tried reaches the end. {reason}") from reason


def _random(arm: Arm, seed: int) -> Array:
    position = arm.limits.position
    low, high = np.maximum(position[:, 0], -np.pi), np.minimum(position[:, 1], np.pi)
    return np.random.default_rng(seed).uniform(low, high)


class CartesianLine(CartesianMotion):
    """The tool along a straight line, turning about one axis, from rest to rest.

    Args:
        arm: whose tool it is.
        start, end: poses of the tool, x y z roll pitch yaw or x y z and unit quaternion w x y z.
        duration: [s].
        joints: positions of the joints near those at the start, which choose the branch.
        profile: in time, of that duration; None is the one of least jerk.
        options: those of CartesianMotion.
    """

    def __init__(
        self,
        arm: Arm,
        start: ArrayLike,
        end: ArrayLike,
        duration: float,
        joints: ArrayLike | None = None,
        profile: Profile | None = None,
        **options: Any,
    ) -> None:
        line = PoseLine(start, end, profile or QuinticProfile(duration), turning="axis")
        super().__init__(arm, line, joints, **options)


class CartesianPath(CartesianMotion):
    """The tool along straight lines and circles through poses, with rounded corners.

    Args:
        arm: whose tool it is.
        poses, duration, blend: as in ToolPath.
        joints: positions of the joints near those at the start, which choose the branch.
        options: those of CartesianMotion.
    """

    def __init__(
        self,
        arm: Arm,
        poses: Sequence[ArrayLike | CircularArc],
        duration: float,
        blend: float = 0.0,
        joints: ArrayLike | None = None,
        **options: Any,
    ) -> None:
        super().__init__(arm, ToolPath(poses, duration, blend), joints, **options)


def takes_lengths(robot: Any) -> TypeGuard[Platform]:
    """Whether a path of leg lengths can be given. A Stewart platform alone proves that none of it meets
    a singularity between samples, where its branch would be lost (`Platform.follow`)."""
    return isinstance(robot, Platform)


class LegLengthTrajectory(PoseTrajectory):
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
            raise InputError(f"legs = {legs!r}: expected a joint trajectory with n = 6, one per leg.")
        if not takes_lengths(platform):
            raise InputError(f"{platform!r} is not a Stewart platform, as a path of leg lengths takes.")
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

    def _inside(self, t: Array) -> Triple:
        lengths, rates, accelerations = self.legs.at(t)
        last = len(self._table) - 1
        near = self._table[np.rint(t / self.duration * last).astype(int)]
        pose = self.platform.forward_kinematics(lengths, near)
        pose[(pose[:, 3:] * near[:, 3:]).sum(axis=1) < 0, 3:] *= -1
        return (pose, *self.platform.motion_from_legs(pose, rates, accelerations))


class PlannedMotion(PoseTrajectory):
    """Along a plan of `platform.plan_path`, from rest to rest with the profile of least jerk.

    Args:
        plan: the way.
        duration: [s].
    """

    plan: SingularityFreePath
    profile: QuinticProfile

    def __init__(self, plan: SingularityFreePath, duration: float) -> None:
        if not isinstance(plan, SingularityFreePath):
            raise InputError(f"plan = {plan!r}: expected what platform.plan_path returns.")
        profile = QuinticProfile(duration)
        self._keep(plan=plan, profile=profile, duration=profile.duration)

    def _inside(self, t: Array) -> Triple:
        s, sd, sdd = self.profile.at(t)
        return chained(pose_motion(*self.plan.curve(s)), sd, sdd)
