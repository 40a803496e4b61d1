"""Motions given as samples."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from linkwork.checks import numbers
from linkwork.errors import InputError
from linkwork.interface.platform_diagnosis import pose_labels
from linkwork.interface.robot import Array
from linkwork.motion.inputs import instants, table
from linkwork.motion.splines import (
    LEAST_SAMPLES,
    Curve,
    check_norms,
    through_samples,
    with_continuous_signs,
)
from linkwork.motion.trajectory import JointTrajectory, PoseTrajectory
from linkwork.rotations import pose_motion, unit_poses

TOLERANCE = 0.05


class Sampled(JointTrajectory):
    """Joints through samples; rates and accelerations are the derivatives of a spline through them.

    The spline is quintic, cubic for fewer than six samples. Given rates and accelerations must agree
    with it: each must lie in the range that the spline takes from the sample before to the one after,
    widened by 5 % of the joint's largest value. (The range, since recorded accelerations may jump.)

    Args:
        time: [s], (N,), from 0 on, N from 4 on.
        q: (N, n).
        qd, qdd: (N, n), checked and then left aside.
    """

    time: Array
    _curve: Curve

    def __init__(
        self, time: ArrayLike, q: ArrayLike, qd: ArrayLike | None = None, qdd: ArrayLike | None = None
    ) -> None:
        rows = table(q, "q", LEAST_SAMPLES)
        when = instants(time, "time", len(rows))
        curve = through_samples(when, rows)
        self._keep(time=when, duration=float(when[-1]), n=rows.shape[1], _curve=curve)
        names = [f"joint {k + 1}" for k in range(self.n)]
        _, rates, accelerations = self._inside(when)
        _compare(qd, rates, "qd", when, names)
        _compare(qdd, accelerations, "qdd", when, names)

    def _inside(self, t: Array) -> tuple[Array, Array, Array]:
        return self._curve.with_rest(t)


class SampledPoses(PoseTrajectory):
    """A platform through samples of its pose; twist and acceleration are those of a spline.

    Args:
        time: [s], (N,), from 0 on, N from 4 on.
        pose: (N, 7) or (N, 6).
        twist, acceleration: (N, 6), checked as in Sampled and then left aside.
    """

    time: Array
    _curve: Curve

    def __init__(
        self,
        time: ArrayLike,
        pose: ArrayLike,
        twist: ArrayLike | None = None,
        acceleration: ArrayLike | None = None,
    ) -> None:
        rows = with_continuous_signs(unit_poses(table(pose, "pose", LEAST_SAMPLES), "pose"))
        when = instants(time, "time", len(rows))
        curve = through_samples(when, rows)
        check_norms(curve, when)
        self._keep(time=when, duration=float(when[-1]), _curve=curve)
        labels = pose_labels()
        _, twists, accelerations = self._inside(when)
        _compare(twist, twists, "twist", when, labels["twist"])
        _compare(acceleration, accelerations, "acceleration", when, labels["acceleration"])

    def _inside(self, t: Array) -> tuple[Array, Array, Array]:
        return pose_motion(*self._curve.at(t))


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
            f"allowed is a difference of {100 * TOLERANCE:g} % of the largest value. Check units and "
            f"order of the columns, sample more finely, or leave {name} out."
        )
