"""The way of a trajectory over its own length, its timing left aside."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from linkwork.core.errors import InputError
from linkwork.motion.spaces import Curve
from linkwork.motion.splines import SplineMotion
from linkwork.motion.trajectory import (
    ByAngles,
    CoordinatePath,
    JointMotion,
    JointTrajectory,
    Motion,
    PoseMotion,
    PoseTrajectory,
    Values,
)
from linkwork.robot.robot import Array

FINE = 8  # steps of the integration per point of the curve
LEAST_POINTS, MOST_POINTS = 101, 1601
NEAR = 5e-5  # of positions, between the points of the curve
SHARPEST = np.deg2rad(30)  # between neighboring points
DEGREE = 5
Way = JointTrajectory | PoseTrajectory


class _Way(SplineMotion[Values]):
    """A spline through positions at fractions of a way, 0 to 1; unlike that through samples of a
    motion it is exact, so that slow velocities are not rest."""

    def __init__(self, fractions: Array, positions: Array) -> None:
        points = self.space.points(positions, "path", DEGREE + 1)
        curve = Curve(fractions, points, DEGREE)
        n = len(self.space.of_curve(curve, fractions[:1])[1][0])
        self._keep(duration=float(fractions[-1]), n=n, _curve=curve)


class _JointWay(_Way[JointMotion], JointTrajectory):
    pass


class _PoseWay(_Way[PoseMotion], PoseTrajectory):
    pass


def along_arc(path: Motion) -> tuple[Way, Array]:
    """A spline through points of the way, over [0, 1] in proportion to the length, which stays so near
    to it that nobody can tell; and the fractions between which it is smooth.

    Time itself will not do: a motion from rest to rest stands still at its ends, where nothing can be
    divided by its rate. Lengths of poses are meters and radians together.
    """
    if isinstance(path, ByAngles) and path.kind == "joint":
        inner, fractions = along_arc(path.path)
        assert isinstance(inner, JointTrajectory)
        return CoordinatePath(inner, path.coordinates), fractions
    points = LEAST_POINTS
    while True:
        moments, fractions, middle = _points(path, points)
        last = points >= MOST_POINTS
        if not _turns(path, moments, refuse=last):
            way = _KINDS[path.kind](fractions, path.at(moments)[0])
            found = way.at(middle[0])[0]
            off = np.abs(found - path.at(middle[1])[0]).max()
            if last or off <= NEAR * max(1.0, np.abs(found).max()):
                return way, fractions
        points = 2 * points - 1


_KINDS: dict[str, Callable[[Array, Array], Way]] = {"joint": _JointWay, "pose": _PoseWay}


def _points(path: Motion, points: int) -> tuple[Array, Array, tuple[Array, Array]]:
    """Times and fractions of so many points, and those in the middle between them: fractions, times."""
    times = np.linspace(0.0, path.duration, FINE * points + 1)
    speed = np.linalg.norm(path.at(times)[1], axis=1)
    from scipy.interpolate import PchipInterpolator  # imported when needed: it takes half a second

    length = PchipInterpolator(times, speed).antiderivative()
    done = length(times)
    if not done[-1] > 0:
        raise InputError("the path does not move: its start, its end and all between are one point.")
    # Where the path dwells, one instant stands for all.
    moving = np.concatenate([[True], np.diff(done) > 1e-12 * done[-1]])
    moments = np.interp(np.linspace(0.0, done[-1], points), done[moving], times[moving])
    moments[-1] = path.duration
    moments = np.clip(moments, 0.0, path.duration)
    middle = (moments[1:] + moments[:-1]) / 2
    fractions, between = length(moments) / done[-1], length(middle) / done[-1]
    fractions[-1] = 1.0
    return moments, fractions, (between, middle)


def _turns(path: Motion, moments: Array, refuse: bool) -> bool:
    """Whether the way turns sharply between points; an error then if `refuse`."""
    inner = moments[1:-1]
    rate = path.at(inner)[1]
    speed = np.linalg.norm(rate, axis=1)
    known = speed > 1e-9 * speed.max()
    tangent, inner = rate[known] / speed[known, None], inner[known]
    cosines = (tangent[1:] * tangent[:-1]).sum(axis=1)
    sharp = cosines < np.cos(SHARPEST)
    if sharp.any() and refuse:
        raise InputError(
            f"the path turns sharply or back near t = {inner[np.argmax(sharp)]:.4g} s, where any motion "
            "along it must stop; split it there, or round it off."
        )
    return bool(sharp.any())
