"""Smooth motions through waypoints."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from linkwork.checks import positive
from linkwork.errors import InputError
from linkwork.interface.robot import Array
from linkwork.motion.inputs import instants, table, vector
from linkwork.motion.splines import (
    Curve,
    Ends,
    check_norms,
    through_waypoints,
    with_continuous_signs,
)
from linkwork.motion.trajectory import JointTrajectory, PoseTrajectory
from linkwork.robots.geometry import frozen
from linkwork.rotations import pose_motion, unit_poses


class Waypoints(JointTrajectory):
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
    times: Array
    _curve: Curve

    def __init__(
        self,
        points: ArrayLike,
        times: ArrayLike | None = None,
        duration: float | None = None,
        ends: Ends = "rest",
    ) -> None:
        rows = table(points, "points", 2)
        when = _times(rows, times, duration)
        curve = through_waypoints(when, rows, ends)
        self._keep(
            points=frozen(rows), times=when, duration=float(when[-1]), n=rows.shape[1], _curve=curve
        )

    def _inside(self, t: Array) -> tuple[Array, Array, Array]:
        return self._curve.with_rest(t)


class PoseWaypoints(PoseTrajectory):
    """A platform through poses at given times, with continuous linear and angular acceleration.

    Positions and quaternions go through one spline, whose quaternion is brought back to norm one; the
    motion does not depend on the choice of base axes.

    Args:
        poses: (N, 7) or (N, 6), N from 2 on; neighbours at most 150 deg apart.
        times, duration, ends: as in Waypoints; distances are metres and radians together.
    """

    poses: Array
    times: Array
    _curve: Curve

    def __init__(
        self,
        poses: ArrayLike,
        times: ArrayLike | None = None,
        duration: float | None = None,
        ends: Ends = "rest",
    ) -> None:
        rows = with_continuous_signs(unit_poses(table(poses, "poses", 2), "poses"))
        # Half an angle is what separates near quaternions.
        when = _times(rows * np.array([1.0, 1, 1, 2, 2, 2, 2]), times, duration)
        if ends == "periodic" and rows[0, 3:] @ rows[-1, 3:] < 0:
            raise InputError(
                'ends = "periodic": along the poses the platform makes a full turn, after which the '
                "quaternion has the other sign; go through them twice."
            )
        curve = through_waypoints(when, rows, ends)
        check_norms(curve, when)
        self._keep(poses=frozen(rows), times=when, duration=float(when[-1]), _curve=curve)

    def _inside(self, t: Array) -> tuple[Array, Array, Array]:
        return pose_motion(*self._curve.at(t))


def pick_and_place(
    kind: type[Waypoints] | type[PoseWaypoints],
    pick: ArrayLike,
    place: ArrayLike,
    lift: ArrayLike,
    duration: float,
) -> Waypoints | PoseWaypoints:
    """From pick over `lift` above both to place, at rest at both ends."""
    first = vector(pick, "pick")
    last, up = vector(place, "place", like=first), vector(lift, "lift", like=first)
    return kind([first, first + up, last + up, last], duration=duration)


def _times(rows: Array, times: ArrayLike | None, duration: float | None) -> Array:
    if (times is None) == (duration is None):
        raise InputError("waypoints take either times or a duration.")
    if times is not None:
        return instants(times, "times", len(rows))
    assert duration is not None
    positive(duration, "duration", "s")
    distances = np.linalg.norm(np.diff(rows, axis=0), axis=1)
    if not distances.all():
        k = int(np.argmin(distances))
        raise InputError(f"points {k} and {k + 1} are equal; give times, or leave one of them out.")
    done = np.concatenate([[0.0], np.cumsum(np.sqrt(distances))])
    return frozen(duration * (done / done[-1]))
