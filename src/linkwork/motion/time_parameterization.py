"""The fastest way along a given path under limits of velocity, acceleration and effort.

The path is a curve over its own length. The greatest rates along it come from reachability analysis
(H. Pham and Q.-C. Pham, A new approach to time-optimal path parameterization based on reachability
analysis, IEEE Transactions on Robotics 34(3), 2018) through the authors' library.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from linkwork.core.arguments import whole
from linkwork.core.checked import checked
from linkwork.core.errors import InputError, LinkworkError
from linkwork.motion.inputs import bounds
from linkwork.motion.profiles import GridProfile, chained
from linkwork.motion.splines import SampledPoses, SampledTrajectory
from linkwork.motion.trajectory import JointTrajectory, Motion, PoseTrajectory, Retimed, RetimedPoses
from linkwork.robot.robot import Array, Robot

FRICTION_ROUNDS = 20
EXCESS = 0.005  # of a limit between grid points
REFINEMENTS = 3
FINE = 20  # steps of the integration per point of the curve
SHARPEST = np.deg2rad(30)  # between neighboring points
LARGEST_SQUARE = 1e8  # of the rate of the fraction [1/s^2], where nothing bounds it
Way = SampledTrajectory | SampledPoses


@checked
def time_optimal(
    robot: Robot,
    path: Motion,
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
    return Retimed(way, profile) if isinstance(way, SampledTrajectory) else RetimedPoses(way, profile)


def _match(robot: Robot, path: Motion) -> None:
    n = len(robot.velocities)
    if robot.coordinates.is_pose:
        if not isinstance(path, PoseTrajectory):
            raise InputError(
                "a platform takes a pose trajectory; make one from leg lengths by LegLengthTrajectory."
            )
    elif robot.coordinates.quaternions:
        raise InputError(f"time_optimal is not for {robot.name}: joints and orientations in one motion.")
    elif not isinstance(path, JointTrajectory) or path.n != n:
        raise InputError(f"path = {path!r}: {robot.name} takes a joint trajectory with n = {n}.")


def _rates(robot: Robot, way: Way, s: Array, limits: PathBounds) -> Array:
    """The greatest rates of the fraction, (N,).

    The library takes loads with sdd and sd^2 only. Friction goes with sd: it is put in at the rates of
    the round before, until they stay.
    """
    loads = PathLoads(robot, way, s)
    _refuse_overload(loads.static, s, limits)
    rates = np.zeros_like(s)
    for _ in range(FRICTION_ROUNDS):
        floor = 1e-3 * float(rates.max()) or 1e-6  # moving, however slowly: Coulomb friction is there
        friction = loads.friction(np.maximum(rates, floor))
        before, rates = rates, greatest_rates(loads, friction, s, limits)
        if np.abs(rates - before).max() <= 1e-4 * rates.max() or not friction.any():
            return rates
    raise LinkworkError(
        "time_optimal: friction and speed find no balance; the friction rules the motion."
    )


def _refuse_overload(static: Array, s: Array, limits: PathBounds) -> None:
    over = np.abs(static) >= limits.effort
    if over.any():
        row, column = (int(k) for k in np.argwhere(over)[0])
        raise InputError(
            f"time_optimal: {limits.names[column]} needs {abs(static[row, column]):.4g} just to stand "
            f"still at {100 * s[row]:.3g} % of the path, but its effort is limited to "
            f"{limits.effort[column]:.4g}; no timing helps. Raise the limit or change the path."
        )


def _excess(robot: Robot, way: Way, profile: GridProfile, limits: PathBounds) -> tuple[float, str]:
    """By how much of its limit the worst value exceeds it, and whose it is."""
    steps = np.diff(profile.instants)[:, None]
    t = (profile.instants[:-1, None] + steps * np.array([0.001, 0.25, 0.5, 0.75, 0.999])).reshape(-1)
    s, sd, sdd = profile.at(t)
    loads = PathLoads(robot, way, s)
    _, rate, acceleration = chained((s, loads.first, loads.second), sd, sdd)
    shares = {
        "effort": np.abs(loads.load(sd, sdd)) / limits.effort,
        "velocity": np.abs(rate) / limits.velocity,
        "acceleration": np.abs(acceleration) / limits.acceleration,
    }
    what = max(shares, key=lambda name: float(shares[name].max()))
    share = shares[what]
    row, column = np.unravel_index(np.argmax(share), share.shape)
    place = f"the {what} of {limits.names[column]} at {100 * s[row]:.3g} % of the path"
    return float(share[row, column]) - 1, place


def along_arc(path: Motion, points: int) -> Way:
    """A spline through `points` points of the way, over [0, 1] in proportion to the length.

    Time itself will not do: a motion from rest to rest stands still at its ends, where nothing can be
    divided by its rate. Lengths of poses are meters and radians together.
    """
    times = np.linspace(0.0, path.duration, FINE * points + 1)
    rate = path.at(times)[1]
    speed = np.linalg.norm(rate, axis=1)
    from scipy.interpolate import PchipInterpolator  # imported when needed: it takes half a second

    length = PchipInterpolator(times, speed).antiderivative()
    done = length(times)
    if not done[-1] > 0:
        raise InputError("the path does not move: its start, its end and all between are one point.")
    # Where the path dwells, one instant stands for all.
    moving = np.concatenate([[True], np.diff(done) > 1e-12 * done[-1]])
    moments = np.interp(np.linspace(0.0, done[-1], points), done[moving], times[moving])
    moments[-1] = path.duration
    _refuse_corners(path, moments)
    fractions = length(moments) / done[-1]
    fractions[-1] = 1.0
    position = path.at(moments)[0]
    kind = SampledPoses if isinstance(path, PoseTrajectory) else SampledTrajectory
    return kind(fractions, position)


def _refuse_corners(path: Motion, moments: Array) -> None:
    inner = moments[1:-1]
    rate = path.at(inner)[1]
    speed = np.linalg.norm(rate, axis=1)
    known = speed > 1e-9 * speed.max()
    tangent, inner = rate[known] / speed[known, None], inner[known]
    cosines = (tangent[1:] * tangent[:-1]).sum(axis=1)
    if (cosines < np.cos(SHARPEST)).any():
        k = int(np.argmax(cosines < np.cos(SHARPEST)))
        raise InputError(
            f"the path turns sharply or back near t = {inner[k]:.4g} s, where any motion along it must "
            "stop; split it there, or round it off."
        )


@dataclass(frozen=True, eq=False)
class PathBounds:
    """Bounds of joints or legs by name, (n,) each; infinite is unbounded."""

    names: tuple[str, ...]
    velocity: Array
    acceleration: Array
    effort: Array


def bounds_of(
    robot: Robot,
    velocity: ArrayLike | None,
    acceleration: ArrayLike | None,
    effort: ArrayLike | None,
) -> PathBounds:
    """The bounds given; where they are None, those of the robot, which has none on acceleration."""
    if not isinstance(robot, Robot):
        raise InputError(f"robot = {robot!r}: expected a robot from lw.load.")
    names, own = robot.efforts.labels, robot.limits
    result = PathBounds(
        names,
        _own_or_given(velocity, own.velocity, "velocity", names),
        bounds(np.inf if acceleration is None else acceleration, "acceleration", len(names)),
        _own_or_given(effort, own.effort, "effort", names),
    )
    free = ~np.isfinite(result.acceleration) & ~np.isfinite(result.effort)
    if free.all():
        raise InputError("nothing bounds the accelerations; give a finite acceleration or effort.")
    return result


def _own_or_given(given: ArrayLike | None, own: Array, what: str, names: tuple[str, ...]) -> Array:
    if given is not None:
        return bounds(given, what, len(names))
    missing = [name for name, value in zip(names, own, strict=True) if np.isinf(value)]
    if missing:
        raise InputError(
            f"{', '.join(missing)}: the robot file has no limit of {what}; give {what}= one number or "
            "one each (math.inf is no limit)."
        )
    return own


class PathLoads:
    """Rates and loads along a path at fractions s of it, by the path's rate sd and acceleration sdd.

    rate = first sd; acceleration = first sdd + second sd^2;
    load = inertia sdd + centrifugal sd^2 + static + friction(sd). All arrays (N, n).
    """

    def __init__(self, robot: Robot, path: Way, s: Array) -> None:
        self._robot = robot
        self._motion = path.at(s)
        moving = robot.actuator_motion(*self._motion)
        assert moving.velocity is not None
        assert moving.acceleration is not None
        self.first, self.second = moving.velocity, moving.acceleration
        zero, one = np.zeros(len(s)), np.ones(len(s))
        self.static = self.load(zero, zero, friction=False)
        self.inertia = self.load(zero, one, friction=False) - self.static
        self.centrifugal = self.load(one, zero, friction=False) - self.static

    def load(self, sd: Array, sdd: Array, friction: bool = True) -> Array:
        """Joint torques or leg forces, (N, n)."""
        return self._robot.inverse_dynamics(*chained(self._motion, sd, sdd), friction=friction)

    def friction(self, sd: Array) -> Array:
        """The part of the load that friction takes at these rates."""
        zero = np.zeros_like(sd)
        return self.load(sd, zero) - self.load(sd, zero, friction=False)


def greatest_rates(loads: PathLoads, friction: Array, s: Array, limits: PathBounds) -> Array:
    """The greatest rates of the fraction from rest to rest at fractions `s`, with given friction."""
    constraint, algorithm = _toppra()
    strong, quick = np.isfinite(limits.effort), np.isfinite(limits.acceleration)

    def rows(load: Array, at_rest: Array, motion: Array) -> Array:
        """Loads and accelerations as shares of their bounds."""
        efforts = [part[:, strong] / limits.effort[strong] for part in (load, at_rest)]
        return np.concatenate([*efforts, motion[:, quick] / limits.acceleration[quick]], axis=1)

    # At the first and the last instant the load must be right with friction and without: it is there
    # in motion and gone at rest.
    a = rows(loads.inertia, loads.inertia, loads.first)
    b = rows(loads.centrifugal, loads.centrifugal, loads.second)
    inner = np.concatenate([[0.0], np.ones(len(s) - 2), [0.0]])[:, None]
    steady = loads.static + friction
    c = rows(steady, loads.static + inner * friction, np.zeros_like(friction))
    with np.errstate(divide="ignore"):
        squares = ((limits.velocity / np.abs(loads.first)) ** 2).min(axis=1)
    x = np.stack([np.zeros_like(s), np.minimum(squares, LARGEST_SQUARE)], axis=1)

    class WithinLimits(constraint.LinearConstraint):  # type: ignore[misc, name-defined]
        """|a u + b x + c| <= 1, at both ends of every step."""

        def compute_constraint_params(self, path: Any, gridpoints: Any) -> Any:
            sides = np.concatenate([np.eye(a.shape[1]), -np.eye(a.shape[1])])
            self.identical = True
            return constraint.canlinear_colloc_to_interpolate(
                a, b, c, sides, np.ones(len(sides)), None, x, s, identical=True
            )

    span = SimpleNamespace(path_interval=(0.0, 1.0))
    _, rates, _ = algorithm.TOPPRA([WithinLimits()], span, s, "seidel").compute_parameterization(
        0.0, 0.0
    )
    if rates is None or not np.isfinite(rates).all() or not (rates[1:-1] > 0).all():
        raise LinkworkError(
            "time_optimal: under these limits no motion from rest to rest gets along the path. Raise "
            "the limits of effort, or change the path; the usual cause is a place where friction or "
            "gravity leaves little effort."
        )
    return np.asarray(rates)


def _toppra() -> tuple[Any, Any]:
    try:
        from toppra import algorithm
        from toppra.constraint import linear_constraint
    except ImportError as error:
        raise LinkworkError("time_optimal needs the library toppra: pip install toppra") from error
    return linear_constraint, algorithm
