"""The fastest way along a given path under limits of velocity, acceleration and effort."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from linkwork.errors import InputError, LinkworkError
from linkwork.interface.robot import Array, Robot
from linkwork.motion.arc import along_arc
from linkwork.motion.demand import Bounds, Demand, bounds_of
from linkwork.motion.inputs import whole
from linkwork.motion.profiles import GridProfile
from linkwork.motion.reachability import greatest_rates
from linkwork.motion.retimed import Retimed, RetimedPoses
from linkwork.motion.sampled import Sampled, SampledPoses
from linkwork.motion.trajectory import JointTrajectory, PoseTrajectory

FRICTION_ROUNDS = 20
EXCESS = 0.005  # of a limit between grid points
REFINEMENTS = 3


def time_optimal(
    robot: Robot,
    path: JointTrajectory | PoseTrajectory,
    velocity: ArrayLike | None = None,
    acceleration: ArrayLike | None = None,
    effort: ArrayLike | None = None,
    *,
    grid: int = 400,
) -> Retimed | RetimedPoses:
    """The shortest motion from rest to rest along the way of a trajectory, its own timing left aside.

    Args:
        robot: a platform with a pose trajectory, or any other with one of its joints or coordinates.
        velocity: greatest rates of the joints or legs, one number or one each; None is the robot's own.
        acceleration: greatest accelerations of the joints or legs; None is unbounded.
        effort: greatest joint torques or leg forces; None is the robot's own.
        grid: steps of the path; doubled if a limit is exceeded by more than 0.5 % between them.

    Returns:
        The same kind of trajectory. Its acceleration jumps from step to step.
    """
    limits = bounds_of(robot, velocity, acceleration, effort)
    _match(robot, path)
    steps = whole(grid, "grid", 20, 20_000)
    # Two steps or more between points of the curve, so that the steps see how it bends between them.
    way = along_arc(path, steps // 2 + 1)
    for refinement in range(REFINEMENTS + 1):
        s = np.linspace(0.0, 1.0, steps + 1)
        profile = GridProfile.of(s, _rates(robot, way, s, limits))
        worst, where = _excess(robot, way, profile, limits)
        if worst <= EXCESS:
            break
        if refinement < REFINEMENTS:
            steps *= 2
    else:
        raise LinkworkError(
            f"time_optimal: {where} exceeds its limit by {100 * worst:.2g} % between grid points, even "
            f"on {steps} steps: the path bends too suddenly there. Smooth it."
        )
    return Retimed(way, profile) if isinstance(way, Sampled) else RetimedPoses(way, profile)


def _match(robot: Robot, path: JointTrajectory | PoseTrajectory) -> None:
    if robot.coordinates.is_pose:
        if not isinstance(path, PoseTrajectory):
            raise InputError("a platform takes a pose trajectory; make one from leg lengths by LegPath.")
        return
    n = len(robot.velocities)
    if robot.coordinates.quaternions:
        raise InputError(f"time_optimal is not for {robot.name}: joints and orientations in one motion.")
    if not isinstance(path, JointTrajectory) or path.n != n:
        raise InputError(f"path = {path!r}: {robot.name} takes a joint trajectory with n = {n}.")


def _rates(robot: Robot, way: Sampled | SampledPoses, s: Array, limits: Bounds) -> Array:
    """The greatest rates of the fraction, (N,).

    The library takes loads with sdd and sd^2 only. Friction goes with sd: it is put in at the rates of
    the round before, until they stay.
    """
    demand = Demand(robot, way, s)
    _refuse_overload(demand.static, s, limits)
    rates = np.zeros_like(s)
    for _ in range(FRICTION_ROUNDS):
        floor = 1e-3 * float(rates.max()) or 1e-6  # moving, however slowly: Coulomb friction is there
        friction = demand.friction(np.maximum(rates, floor))
        before, rates = rates, greatest_rates(demand, friction, s, limits)
        if np.abs(rates - before).max() <= 1e-4 * rates.max() or not friction.any():
            return rates
    raise LinkworkError(
        "time_optimal: friction and speed find no balance; the friction rules the motion."
    )


def _refuse_overload(static: Array, s: Array, limits: Bounds) -> None:
    over = np.abs(static) >= limits.effort
    if over.any():
        row, column = (int(k) for k in np.argwhere(over)[0])
        raise InputError(
            f"time_optimal: {limits.names[column]} needs {abs(static[row, column]):.4g} just to stand "
            f"still at {100 * s[row]:.3g} % of the path, but its effort is limited to "
            f"{limits.effort[column]:.4g}; no timing helps. Raise the limit or change the path."
        )


def _excess(
    robot: Robot, way: Sampled | SampledPoses, profile: GridProfile, limits: Bounds
) -> tuple[float, str]:
    """By how much of its limit the worst value exceeds it, and whose it is."""
    steps = np.diff(profile.instants)[:, None]
    t = (profile.instants[:-1, None] + steps * np.array([0.001, 0.25, 0.5, 0.75, 0.999])).reshape(-1)
    s, sd, sdd = profile.at(t)
    demand = Demand(robot, way, s)
    rate = demand.first * sd[:, None]
    acceleration = demand.first * sdd[:, None] + demand.second * sd[:, None] ** 2
    shares = {
        "effort": np.abs(demand.load(sd, sdd)) / limits.effort,
        "velocity": np.abs(rate) / limits.velocity,
        "acceleration": np.abs(acceleration) / limits.acceleration,
    }
    what = max(shares, key=lambda name: float(shares[name].max()))
    share = shares[what]
    row, column = np.unravel_index(np.argmax(share), share.shape)
    place = f"the {what} of {limits.names[column]} at {100 * s[row]:.3g} % of the path"
    return float(share[row, column]) - 1, place
