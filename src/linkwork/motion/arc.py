"""The way of a trajectory by itself: a curve over its own length, whatever its timing was."""

from __future__ import annotations

import numpy as np

from linkwork.errors import InputError
from linkwork.interface.robot import Array
from linkwork.motion.sampled import Sampled, SampledPoses
from linkwork.motion.trajectory import JointTrajectory, PoseTrajectory

FINE = 20  # steps of the integration per point of the curve
SHARPEST = np.deg2rad(30)  # between neighbouring points


def along_arc(path: JointTrajectory | PoseTrajectory, points: int) -> Sampled | SampledPoses:
    """A spline through `points` points of the way, over [0, 1] in proportion to the length.

    Time itself will not do: a motion from rest to rest stands still at its ends, where nothing can be
    divided by its rate. Lengths of poses are metres and radians together.
    """
    if not isinstance(path, (JointTrajectory, PoseTrajectory)):
        raise InputError(f"path = {path!r}: allowed is a trajectory.")
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
    kind = Sampled if isinstance(path, JointTrajectory) else SampledPoses
    return kind(fractions, position)


def _refuse_corners(path: JointTrajectory | PoseTrajectory, moments: Array) -> None:
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
