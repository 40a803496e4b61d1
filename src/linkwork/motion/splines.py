"""Motions through points: waypoints at given times, and samples."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from linkwork.core.arguments import numbers, positive
from linkwork.core.checked import checked
from linkwork.core.errors import InputError
from linkwork.model.geometry import frozen
from linkwork.motion.inputs import instants
from linkwork.motion.spaces import LEAST_SAMPLES, Curve, Ends, Triple
from linkwork.motion.trajectory import (
    JointMotion,
    JointTrajectory,
    PoseMotion,
    PoseTrajectory,
    Trajectory,
    Values,
)
from linkwork.robot.robot import Array

TOLERANCE = 0.05


class SplineMotion(Trajectory[Values]):
    """A motion along a curve through points of its space."""

    _curve: Curve

    def _inside(self, t: Array) -> Triple:
        return self.space.of_curve(self._curve, t)


class SampledMotion(SplineMotion[Values]):
    """A motion through samples; velocities and accelerations are the derivatives of a spline."""

    time: Array

    def _fit(self, time: ArrayLike, rows: ArrayLike, name: str, *derivatives: ArrayLike | None) -> None:
        points = self.space.points(rows, name, LEAST_SAMPLES)
        when = instants(time, "time", len(points))
        self._keep(time=when, duration=float(when[-1]), _curve=self.space.curve(when, points))
        _, *found = self._inside(when)
        self._keep(n=found[0].shape[1])
        labels = self.space.labels(self.n)
        for given, values, what, names in zip(
            derivatives, found, self.space.derivatives, labels, strict=True
        ):
            _compare(given, values, what, when, names)


class SampledTrajectory(SampledMotion[JointMotion], JointTrajectory):
    """Joints through samples; rates and accelerations are the derivatives of a spline through them.

    The spline is quintic, cubic for fewer than six samples. Given rates and accelerations must agree
    with it: each must lie in the range that the spline takes from the sample before to the one after,
    widened by 5 % of the joint's largest value. (The range, since recorded accelerations may jump.)

    Args:
        time: [s], (N,), from 0 on, N from 4 on.
        q: (N, n).
        qd, qdd: (N, n), checked and then left aside.
    """

    def __init__(
        self, time: ArrayLike, q: ArrayLike, qd: ArrayLike | None = None, qdd: ArrayLike | None = None
    ) -> None:
        self._fit(time, q, "q", qd, qdd)


class SampledPoses(SampledMotion[PoseMotion], PoseTrajectory):
    """A platform through samples of its pose; twist and acceleration are those of a spline.

    Args:
        time: [s], (N,), from 0 on, N from 4 on.
        pose: (N, 7) or (N, 6).
        twist, acceleration: (N, 6), checked as in SampledTrajectory and then left aside.
    """

    def __init__(
        self,
        time: ArrayLike,
        pose: ArrayLike,
        twist: ArrayLike | None = None,
        acceleration: ArrayLike | None = None,
    ) -> None:
        self._fit(time, pose, "pose", twist, acceleration)


def _compare(
    given: ArrayLike | None, found: Array, name: str, time: Array, columns: Sequence[str]
) -> None:
    """An error that says where `given` is not what the samples of the position say."""
    if given is None:
        return
    array = numbers(given, name)
    if array.shape != found.shape:
        raise InputError(f"{name} has shape {array.shape}; it must be {found.shape}.")
    padded = np.pad(found, ((1, 1), (0, 0)), mode="edge")
    near = np.stack([padded[:-2], found, padded[2:]])
    largest = np.maximum(np.abs(found).max(axis=0), np.abs(array).max(axis=0))
    # Numbers of rounding size on both sides agree.
    room = TOLERANCE * largest + 1e-9
    excess = np.maximum(near.min(axis=0) - array, array - near.max(axis=0)) - room
    if (excess > 0).any():
        row, column = (int(k) for k in np.unravel_index(np.argmax(excess > 0), excess.shape))
        raise InputError(
            f"{name} of {columns[column]} is {array[row, column]:.6g} at sample {row} "
            f"(t = {time[row]:.6g} s), but the positions there change by {found[row, column]:.6g}; "
            f"expected a difference of {100 * TOLERANCE:g} % of the largest value. Check units and "
            f"order of the columns, sample more finely, or leave {name} out."
        )


class _Waypoints(SplineMotion[Values]):
    times: Array

    def _fit(self, points: Array, times: ArrayLike | None, duration: float | None, ends: Ends) -> None:
        when = self._when(points, times, duration)
        curve = self.space.curve(when, points, ends)
        n = curve.at(when[:1])[1].shape[1]
        self._keep(times=when, duration=float(when[-1]), n=n, _curve=curve)

    def _when(self, points: Array, times: ArrayLike | None, duration: float | None) -> Array:
        if times is not None and duration is None:
            return instants(times, "times", len(points))
        if times is not None or duration is None:
            raise InputError("waypoints take either times or a duration.")
        positive(duration, "duration", "s")
        distances = self.space.distances(points)
        if not distances.all():
            k = int(np.argmin(distances))
            raise InputError(f"points {k} and {k + 1} are equal; give times, or leave one of them out.")
        done = np.concatenate([[0.0], np.cumsum(np.sqrt(distances))])
        return frozen(duration * (done / done[-1]))


class Waypoints(_Waypoints[JointMotion], JointTrajectory):
    """Joints through points at given times, with continuous acceleration.

    Args:
        points: (N, n), N from 2 on.
        times: when [s], (N,), from 0 on; or
        duration: [s], with times spaced by the square roots of the distances (centripetal).
        ends: "rest" has no velocity and no acceleration at both ends (quintic spline); "natural" has
            no acceleration there but velocity (cubic spline); "periodic" comes back to its first point
            as it left it (quintic spline).
    """

    points: Array

    @checked
    def __init__(
        self,
        points: ArrayLike,
        times: ArrayLike | None = None,
        duration: float | None = None,
        ends: Ends = "rest",
    ) -> None:
        rows = self.space.points(points, "points", 2)
        self._keep(points=frozen(rows))
        self._fit(rows, times, duration, ends)


class PoseWaypoints(_Waypoints[PoseMotion], PoseTrajectory):
    """A platform through poses at given times, with continuous linear and angular acceleration.

    Positions and quaternions go through one spline, whose quaternion is brought back to norm one; the
    motion does not depend on the choice of base axes.

    Args:
        poses: (N, 7) or (N, 6), N from 2 on; neighbors at most 150 deg apart.
        times, duration, ends: as in Waypoints; distances are meters and radians together.
    """

    poses: Array

    @checked
    def __init__(
        self,
        poses: ArrayLike,
        times: ArrayLike | None = None,
        duration: float | None = None,
        ends: Ends = "rest",
    ) -> None:
        rows = self.space.points(poses, "poses", 2)
        self._keep(poses=frozen(rows))
        self._fit(rows, times, duration, ends)
