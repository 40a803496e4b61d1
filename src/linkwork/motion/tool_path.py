"""Paths of a tool or platform along straight lines and circles, with rounded corners."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from linkwork.core.arguments import not_negative, numbers, positive
from linkwork.core.checked import checked
from linkwork.core.errors import InputError
from linkwork.core.rotations import pose_motion, unit_poses
from linkwork.motion.profiles import QuinticProfile, chained
from linkwork.motion.spaces import Curve, Triple, through_waypoints, with_continuous_signs
from linkwork.motion.trajectory import PoseTrajectory
from linkwork.robot.robot import Array

SHARP = 1e-6  # rad: a corner that has to be rounded or stopped at
SHORTEST = 1e-9  # m


@checked
@dataclass(frozen=True, eq=False)
class CircularArc:
    """A way to `end` (a pose) on the circle through the pose before and the point `via` (x y z)."""

    via: ArrayLike
    end: ArrayLike


@dataclass(frozen=True, eq=False)
class Piece:
    """A straight line, or an arc about `center` in the plane of the unit vectors u and v.

    A line has radius 0 and runs from `center` along u.
    """

    center: Array
    u: Array
    v: Array
    radius: float
    length: float

    def at(self, s: Array) -> Triple:
        """Position and its derivatives by the length, at lengths s (N,)."""
        s = s[:, None]
        if not self.radius:
            return self.center + s * self.u, np.broadcast_to(self.u, (len(s), 3)), np.zeros((len(s), 3))
        angle = s / self.radius
        out, along = (
            np.cos(angle) * self.u + np.sin(angle) * self.v,
            np.cos(angle) * self.v - np.sin(angle) * self.u,
        )
        return self.center + self.radius * out, along, -out / self.radius


def _circle(start: Array, via: Array, end: Array) -> Piece:
    """The arc from start through via to end."""
    a, b = via - start, end - start
    normal = np.cross(a, b)
    size = float(normal @ normal)
    if size < (SHORTEST * np.linalg.norm(b)) ** 2 or not size:
        raise InputError("a circle needs three points that are not on one line.")
    center = start + np.cross((a @ a) * b - (b @ b) * a, normal) / (2 * size)
    radius = float(np.linalg.norm(start - center))
    u = (start - center) / radius
    v = np.cross(normal / np.sqrt(size), u)
    angle = float(np.arctan2((end - center) @ v, (end - center) @ u)) % (2 * np.pi)
    return Piece(center, u, v, radius, radius * angle)


@dataclass(frozen=True, eq=False)
class _Stretch:
    """Pieces without a corner between them, and the orientation along them."""

    pieces: tuple[Piece, ...]
    turning: Curve

    @property
    def length(self) -> float:
        return sum(piece.length for piece in self.pieces)

    def at(self, fraction: Array) -> Triple:
        """Pose, twist and acceleration with the fraction of the length as time."""
        edges = np.cumsum([0.0] + [piece.length for piece in self.pieces])
        s = fraction * edges[-1]
        which = np.clip(np.searchsorted(edges, s, side="right") - 1, 0, len(self.pieces) - 1)
        orders = [np.empty((len(s), 7)) for _ in range(3)]
        for k, piece in enumerate(self.pieces):
            rows = which == k
            for order, values in enumerate(piece.at(s[rows] - edges[k])):
                orders[order][rows, :3] = values * edges[-1] ** order
        for order, values in enumerate(self.turning.at(fraction)):
            orders[order][:, 3:] = values
        return pose_motion(*orders)


class ToolPath(PoseTrajectory):
    """Along straight lines and circles through poses, from rest to rest.

    Corners are rounded by arcs of radius `blend`; at a corner that is not rounded the motion stops.
    The orientation turns smoothly from pose to pose. Time is shared by length, with the profile of least
    jerk in every stretch between stops.

    Args:
        poses: the first pose, then poses to reach in straight lines, or `CircularArc`.
        duration: of the whole [s].
        blend: radius of the arcs that round the corners between straight lines [m].
    """

    blend: float
    length: float
    _stretches: tuple[_Stretch, ...]
    _times: Array

    def __init__(
        self, poses: Sequence[ArrayLike | CircularArc], duration: float, blend: float = 0.0
    ) -> None:
        positive(duration, "duration", "s")
        not_negative(blend, "blend", "m")
        ends = _poses(poses)
        pieces = [_piece(ends[k], ends[k + 1], poses[k + 1], k) for k in range(len(ends) - 1)]
        stretches = _joined(pieces, ends, float(blend))
        lengths = np.array([stretch.length for stretch in stretches])
        times = duration * np.concatenate([[0.0], np.cumsum(lengths) / lengths.sum()])
        self._keep(
            blend=float(blend),
            duration=float(duration),
            length=float(lengths.sum()),
            _stretches=tuple(stretches),
            _times=times,
        )

    def _inside(self, t: Array) -> Triple:
        which = np.clip(np.searchsorted(self._times, t, side="right") - 1, 0, len(self._stretches) - 1)
        pose, twist, acceleration = np.empty((len(t), 7)), np.empty((len(t), 6)), np.empty((len(t), 6))
        for k, stretch in enumerate(self._stretches):
            rows = which == k
            profile = QuinticProfile(float(self._times[k + 1] - self._times[k]))
            since = np.clip(t[rows] - self._times[k], 0.0, profile.duration)
            s, sd, sdd = profile.at(since)
            pose[rows], twist[rows], acceleration[rows] = chained(stretch.at(s), sd, sdd)
        return pose, twist, acceleration


def _poses(poses: Sequence[ArrayLike | CircularArc]) -> Array:
    listed = isinstance(poses, list | tuple) or (isinstance(poses, np.ndarray) and poses.ndim > 0)
    if not listed or len(poses) < 2 or isinstance(poses[0], CircularArc):
        raise InputError("a tool path takes two poses or more, and begins with a pose.")
    ends = [pose.end if isinstance(pose, CircularArc) else pose for pose in poses]
    rows = [unit_poses(end, f"pose {k}") for k, end in enumerate(ends)]
    for k, row in enumerate(rows):
        if row.shape != (7,):
            raise InputError(f"pose {k} has shape {row.shape}; it must be one pose of 7 or 6 numbers.")
    return with_continuous_signs(np.array(rows))


def _piece(start: Array, end: Array, given: ArrayLike | CircularArc, k: int) -> Piece:
    if isinstance(given, CircularArc):
        via = numbers(given.via, "via")
        if via.shape != (3,):
            raise InputError(f"via of pose {k + 1} has shape {via.shape}; it is a point x y z.")
        return _circle(start[:3], via, end[:3])
    way = end[:3] - start[:3]
    length = float(np.linalg.norm(way))
    if length < SHORTEST:
        raise InputError(
            f"poses {k} and {k + 1} are at one point; a tool path moves. To turn in place use "
            "SlerpLine, or leave one of them out."
        )
    return Piece(start[:3], way / length, np.zeros(3), 0.0, length)


def _joined(pieces: list[Piece], ends: Array, blend: float) -> list[_Stretch]:
    """Pieces with rounded corners, cut where a corner stays."""
    stretches: list[_Stretch] = []
    run: list[Piece] = []
    knots: list[tuple[float, Array]] = [(0.0, ends[0, 3:])]
    taken = 0.0  # of the piece's beginning, by the arc before it
    for k, piece in enumerate(pieces):
        following = pieces[k + 1] if k + 1 < len(pieces) else None
        corner = 0.0 if following is None else _corner(piece, following)
        cut, arc = 0.0, None
        if following is not None and corner > SHARP and blend and not piece.radius + following.radius:
            cut, arc = _rounding(piece, following, corner, blend, k, taken)
        run.append(_shortened(piece, taken, cut))
        done = sum(part.length for part in run)
        taken = cut
        if arc is not None:
            knots.append((done + arc.length / 2, ends[k + 1, 3:]))
            run.append(arc)
            continue
        knots.append((done, ends[k + 1, 3:]))
        if following is None or corner > SHARP:
            stretches.append(_Stretch(tuple(run), _turning(knots)))
            run, knots = [], [(0.0, ends[k + 1, 3:])]
    return stretches


def _corner(piece: Piece, following: Piece) -> float:
    """The angle by which the direction changes."""
    before = piece.at(np.array([piece.length]))[1][0]
    after = following.at(np.array([0.0]))[1][0]
    return float(np.arctan2(np.linalg.norm(np.cross(before, after)), before @ after))


def _rounding(
    piece: Piece, following: Piece, corner: float, blend: float, k: int, taken: float
) -> tuple[float, Piece]:
    cut = blend * float(np.tan(corner / 2))
    # Neighboring corners share a line.
    room = min(piece.length - taken, following.length / 2)
    if not cut <= room * (1 + 1e-12) or np.pi - corner < SHARP:
        raise InputError(
            f"blend = {blend:g} m: the corner at pose {k + 1}, {np.rad2deg(corner):.4g} deg, does not "
            f"take it; expected up to {room / np.tan(corner / 2):.4g} m."
        )
    point = piece.center + piece.length * piece.u
    across = following.u - piece.u * (piece.u @ following.u)
    across = across / np.linalg.norm(across)
    start = point - cut * piece.u
    return cut, Piece(start + blend * across, -across, piece.u, blend, blend * corner)


def _shortened(piece: Piece, begin: float, end: float) -> Piece:
    if not begin and not end:
        return piece
    return Piece(piece.center + begin * piece.u, piece.u, piece.v, 0.0, piece.length - begin - end)


def _turning(knots: list[tuple[float, Array]]) -> Curve:
    where = np.array([length for length, _ in knots])
    return through_waypoints(where / where[-1], np.array([turn for _, turn in knots]), "natural")
