"""The spaces that trajectories move in, and curves through points of them.

Joints are a vector space. Poses have a unit quaternion: curves go through its components and are brought
back to norm one, and an excursion is one of roll, pitch and yaw. A trajectory is written once, and asks
its space for what differs.
"""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from linkwork.core.arguments import one_of
from linkwork.core.errors import InputError
from linkwork.core.rotations import angular_motion, continuous, pose_motion, to_angles, unit_poses
from linkwork.model.geometry import frozen
from linkwork.motion.inputs import table, vector
from linkwork.robot.coordinates import POSE, Coordinates
from linkwork.robot.diagnosis import pose_labels
from linkwork.robot.robot import Array

Triple = tuple[Array, Array, Array]  # a position, its rate and its acceleration, (N, ...) each
Ends = Literal["rest", "natural", "periodic"]
ENDS: tuple[str, ...] = get_args(Ends)
LEAST_SAMPLES = 4

# Of all curves through the points that rest at the ends, the quintic spline has the least jerk.
_DEGREES = {"rest": 5, "natural": 3, "periodic": 5}
# A turn between neighbors beyond this could as well go the other way round.
WIDEST_TURN = np.deg2rad(150)
LEAST_NORM = 0.3
# Below this share of the greatest velocity, samples may not tell motion from rest.
SLOW = 1e-3
# Of a velocity times the time between points, relative to the positions: four times what splines of
# degree five were seen to make of constants.
ROUNDING = 64 * float(np.finfo(np.float64).eps)
LARGEST = 1e100  # of a value or a derivative: products of a few stay finite
TOO_EXTREME = (
    "the numbers are too large, or the times too close together, for a curve through them in double "
    "precision; check the units of both."
)


class Curve:
    """A spline through the rows of a table (N, k), continuous up to the second derivative at least.

    Args:
        sampled: the rows are samples of a motion that nobody wrote down; how well they tell its
            velocity is then judged by a second spline.
    """

    def __init__(
        self, times: Array, values: Array, degree: int, ends: Any = None, sampled: bool = False
    ) -> None:
        from scipy.interpolate import make_interp_spline  # imported when needed: it is slow to load

        between = (times[1:] + times[:-1]) / 2
        with np.errstate(all="ignore"):  # what overflows is refused below
            try:
                spline = make_interp_spline(times, values, k=degree, bc_type=ends)
                self._orders = (spline, spline.derivative(1), spline.derivative(2))
            except (ValueError, np.linalg.LinAlgError):
                raise InputError(TOO_EXTREME) from None
            for part in (*self.at(times), *self.at(between)):
                if not np.abs(part).max() < LARGEST:  # NaN is not below either
                    raise InputError(TOO_EXTREME)
            self._other = None
            if sampled and degree > 3:
                self._other = make_interp_spline(times, values, k=3).derivative(1)
        self._times = times
        self._greatest = np.abs(self.at(times)[1]).max(axis=0)
        self._rounding = ROUNDING * np.abs(values).max(axis=0)

    def at(self, t: Array) -> Triple:
        """Value, first and second derivative, (N, k) each."""
        value, first, second = (np.array(spline(t)) for spline in self._orders)
        return value, first, second

    def with_rest(self, t: Array) -> Triple:
        """The same, with velocities of zero where the points cannot tell motion from rest.

        Coulomb friction follows the sign of a velocity, however small, so rest must be exact. A
        velocity is rest if it is no larger than rounding of the positions makes it (their last digits
        over the time between points nearby). Of samples it is rest too if it is no larger than the
        difference between this spline's velocity and that of a cubic spline through the same samples,
        and below a thousandth of the greatest velocity: the ends of a motion from rest to rest.
        """
        value, first, second = self.at(t)
        steps = np.diff(self._times)
        padded = np.pad(steps, 2, mode="edge")
        nearby = np.min([padded[k : k + len(steps)] for k in range(5)], axis=0)
        here = np.clip(np.searchsorted(self._times, t, side="right") - 1, 0, len(steps) - 1)
        unsure = self._rounding / nearby[here][:, None]
        if self._other is not None:
            difference = np.abs(first - self._other(t))
            unsure = np.maximum(unsure, np.minimum(difference, SLOW * self._greatest))
        first[np.abs(first) <= unsure] = 0.0
        return value, first, second


def through_waypoints(times: Array, values: Array, ends: str) -> Curve:
    """The curve through waypoints; see Waypoints for the ends."""
    degree = _DEGREES[one_of(ends, ENDS, "kind of ends")]
    conditions: Any = ends
    if ends == "rest":
        still = [(order, np.zeros(values.shape[1])) for order in (1, 2)]
        conditions = (still, still)
    if ends == "periodic":
        if len(values) < degree + 1:
            raise InputError(f'ends = "periodic" takes {degree + 1} points or more, not {len(values)}.')
        gap = np.abs(values[-1] - values[0])
        if (gap > 1e-9 * np.maximum(1.0, np.abs(values[0]))).any():
            raise InputError(
                'ends = "periodic": the last point must be the first one again; they differ by '
                f"{gap.max():.3g}."
            )
        values = np.concatenate([values[:-1], values[:1]])
    return Curve(times, values, degree, conditions)


def through_samples(times: Array, values: Array) -> Curve:
    """The curve through dense samples, with no condition at its ends."""
    return Curve(times, values, 5 if len(values) >= 6 else 3, sampled=True)


def with_continuous_signs(poses: Array) -> Array:
    """Poses (N, 7) fit for a spline: quaternions without jumps, no turn that could go either way."""
    turned = continuous(poses[:, 3:])
    cosines = np.clip((turned[1:] * turned[:-1]).sum(axis=1), -1.0, 1.0)
    angles = 2 * np.arccos(cosines)
    if (angles > WIDEST_TURN).any():
        k = int(np.argmax(angles > WIDEST_TURN))
        raise InputError(
            f"poses {k} and {k + 1} are {np.rad2deg(angles[k]):.4g} deg apart; expected 150 deg, "
            "since a half turn can go either way round. Add a pose between them."
        )
    return np.concatenate([poses[:, :3], turned], axis=1)


def motion_of_angles(coordinates: Coordinates, c: Array, cd: Array, cdd: Array) -> Triple:
    """Positions with quaternions and angular velocities from roll, pitch, yaw and their derivatives."""
    if not coordinates.quaternions:
        return c, cd, cdd
    position, cd, cdd = coordinates.from_angles(c), cd.copy(), cdd.copy()
    for three in coordinates.turned:
        cd[:, three], cdd[:, three] = angular_motion(c[:, three], cd[:, three], cdd[:, three])
    return position, cd, cdd


def angles_of_motion(
    coordinates: Coordinates, position: Array, velocity: Array, acceleration: Array
) -> Triple:
    """Roll, pitch and yaw and their derivatives in place of quaternions and angular velocities; the
    angles do not jump from row to row."""
    position = np.array([coordinates.to_angles(row) for row in position])
    velocity, acceleration = velocity.copy(), acceleration.copy()
    for three in coordinates.turned:
        angles = np.unwrap(position[:, three], axis=0)
        still = np.zeros_like(angles)
        # Angular velocities are linear in the rates: columns by unit rates.
        turning = [angular_motion(angles, still + unit, still)[0] for unit in np.eye(3)]
        to_rates = np.linalg.inv(np.stack(turning, axis=-1))
        rates = np.einsum("nij,nj->ni", to_rates, velocity[:, three])
        rest = acceleration[:, three] - angular_motion(angles, rates, still)[1]
        position[:, three], velocity[:, three] = angles, rates
        acceleration[:, three] = np.einsum("nij,nj->ni", to_rates, rest)
    return position, velocity, acceleration


class Space:
    """A vector space, as that of joints; and what a trajectory asks of any space it moves in."""

    kind: Literal["joint", "pose"] = "joint"
    derivatives = ("qd", "qdd")  # what arrays of velocities and accelerations are called

    def points(self, rows: ArrayLike, name: str, least: int) -> Array:
        """Positions in rows that a curve can go through, at least so many."""
        return table(rows, name, least)

    def distances(self, points: Array) -> Array:
        """From each point to the next."""
        return np.asarray(np.linalg.norm(np.diff(points, axis=0), axis=1))

    def curve(self, times: Array, points: Array, ends: str | None = None) -> Curve:
        """The curve through waypoints with such ends, or through samples."""
        return through_samples(times, points) if ends is None else through_waypoints(times, points, ends)

    def of_curve(self, curve: Curve, t: Array) -> Triple:
        """The motion along a curve."""
        return curve.with_rest(t)

    def of_angles(self, c: Array, cd: Array, cdd: Array) -> Triple:
        """The motion of coordinates that count orientations by roll, pitch, yaw."""
        return c, cd, cdd

    def center(self, position: ArrayLike) -> Array:
        """A position in such coordinates."""
        return vector(position, "center")

    def labels(self, n: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """What the elements of velocities and accelerations are called."""
        names = tuple(f"joint {k + 1}" for k in range(n))
        return names, names


class PoseSpace(Space):
    """x y z and a unit quaternion w x y z."""

    kind = "pose"
    derivatives = ("twist", "acceleration")

    def points(self, rows: ArrayLike, name: str, least: int) -> Array:
        return with_continuous_signs(unit_poses(table(rows, name, least), name))

    def distances(self, points: Array) -> Array:
        """Meters and radians together; half an angle is what separates near quaternions."""
        return super().distances(points * np.array([1.0, 1, 1, 2, 2, 2, 2]))

    def curve(self, times: Array, points: Array, ends: str | None = None) -> Curve:
        """An error if its quaternion comes near zero, or back with the other sign."""
        if ends == "periodic" and points[0, 3:] @ points[-1, 3:] < 0:
            raise InputError(
                'ends = "periodic": along the poses the platform makes a full turn, after which the '
                "quaternion has the other sign; go through them twice."
            )
        curve = super().curve(times, points, ends)
        between = (times[:-1, None] + np.diff(times)[:, None] * np.linspace(0.1, 0.9, 9)).reshape(-1)
        norms = np.linalg.norm(curve.at(between)[0][:, 3:], axis=1)
        if norms.min() < LEAST_NORM:
            t = float(between[np.argmin(norms)])
            raise InputError(
                f"the orientation swings too far near t = {t:.4g} s for a smooth curve; add poses there "
                "or space the times more evenly."
            )
        return curve

    def of_curve(self, curve: Curve, t: Array) -> Triple:
        return pose_motion(*curve.at(t))

    def of_angles(self, c: Array, cd: Array, cdd: Array) -> Triple:
        return motion_of_angles(POSE, c, cd, cdd)

    def center(self, position: ArrayLike) -> Array:
        row = super().center(position)
        if len(row) == 7:
            return frozen(np.concatenate([row[:3], to_angles(row[3:])]))
        if len(row) != 6:
            raise InputError(f"center has {len(row)} numbers; a pose has x y z roll pitch yaw.")
        return row

    def labels(self, n: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
        names = pose_labels()
        return names["twist"], names["acceleration"]


JOINTS, POSES = Space(), PoseSpace()
