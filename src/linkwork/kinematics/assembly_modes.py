"""All poses of a platform with the same leg lengths, with a proof that there are no others.

The platform is brought to the place where the stored one stands: scaled, turned, its legs in the nearest
order. Poses come with how near their legs come to each other.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from itertools import combinations, permutations
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linkwork.core.arguments import not_negative, numbers
from linkwork.core.errors import InputError
from linkwork.core.rotations import from_vector, inverse, multiply, rotation_of, to_angles
from linkwork.kernels.kernel import as_rows
from linkwork.kinematics.assembly_paths import (
    ComplexArray,
    Found,
    Meeting,
    Solved,
    Tracked,
    meetings,
    parameters,
    prove,
    proven_real,
    separate,
    stored_start,
    track,
)
from linkwork.kinematics.segments import segment_distances
from linkwork.model.families.stewart import PlatformModel, home_pose
from linkwork.robot.compiled import Array

if TYPE_CHECKING:
    from linkwork.robot.platform import Platform

MOST_SOLUTIONS = 40  # of any platform, counted with multiplicity (Ronga and Vust 1992)
# Of platforms whose legs meet in three points (Parenti-Castelli and Innocenti 1990; Nanua et al. 1990)
TRIANGLE, MOST_OF_TRIANGLE = 3, 16
CAUTIONS = (1.0, 30.0, 1000.0)  # of the first try and of those after it
ROUNDING = 1e-8  # of a distance, relative to the legs
POLISHING, SINGULAR_DIRECTION = 3, 1e-5  # steps, and singular values of J that are left alone


@dataclass(frozen=True, eq=False)
class AssemblyModes:
    """The poses that a platform can have with given leg lengths, nearest to home first.

    Args:
        poses: (k, 7), x y z and unit quaternion w x y z.
        complete: True only if it is proven that there are no other poses.
        solutions: how many complex solutions are proven to exist, the poses among them; a platform has
            at most 40.
        reason: why the list is complete, or what keeps it from being proven.
        multiplicity: how many solutions meet in every pose, (k,): 1, or 2 and more in a singular pose,
            which is found by extrapolation and not proven.
        platform: whose poses they are.
        lengths: of its legs [m], (6,).
        leg_diameter: [m] at which legs that pass each other touch.
    """

    poses: Array
    complete: bool
    solutions: int
    reason: str
    platform: Platform
    lengths: Array
    multiplicity: NDArray[np.int64]
    leg_diameter: float

    @cached_property
    def angles(self) -> Array:
        """Roll, pitch and yaw of every pose [rad], (k, 3)."""
        return np.array([to_angles(pose[3:]) for pose in self.poses]).reshape(-1, 3)

    @cached_property
    def condition(self) -> Array:
        """Condition number of J at every pose, moments over the platform's size, (k,)."""
        return self.platform.condition_number(self.poses)

    @cached_property
    def within_limits(self) -> NDArray[np.bool_]:
        """Whether every pose keeps the limits of lengths and joint angles, (k,)."""
        if not len(self.poses):
            return np.zeros(0, dtype=bool)
        return ~self.platform.check_limits(self.poses).mask

    @cached_property
    def leg_distance(self) -> Array:
        """Smallest distance between the axes of two legs that share no joint [m], (k,)."""
        return leg_distance(self.platform.model, self.poses)

    @property
    def legs_cross(self) -> NDArray[np.bool_]:
        """Whether two legs are nearer to each other than `leg_diameter`, (k,)."""
        touching = self.leg_diameter + ROUNDING * self.lengths.mean()
        return np.asarray(self.leg_distance <= touching)

    @cached_property
    def side(self) -> Array:
        """Sign of det J, (k,), 0 if singular: poses of different signs are parted by singularities."""
        signs = np.sign(np.linalg.det(self.platform.jacobian(self.poses)))
        return np.where(self.multiplicity > 1, 0.0, signs)

    def __str__(self) -> str:
        lines = [f"{len(self.poses)} poses with these lengths; {self.reason}"]
        for k, pose in enumerate(self.poses):
            place = " ".join(f"{value:9.4f}" for value in pose)
            lines.append(f"{place}   condition {self.condition[k]:9.3g}, {', '.join(self.notes(k))}")
        return "\n".join(lines)

    def notes(self, k: int) -> list[str]:
        """What is to be said of one pose: limits, legs that cross, singular."""
        notes = ["limits kept" if self.within_limits[k] else "beyond limits"]
        notes += ["legs cross"] if self.legs_cross[k] else []
        notes += ["singular"] if self.multiplicity[k] > 1 else []
        return notes


def assembly_modes(platform: Platform, lengths: ArrayLike, leg_diameter: float | None) -> AssemblyModes:
    """See Platform.assembly_modes."""
    wanted = numbers(as_rows(lengths, "lengths", 6), "lengths")
    if wanted.shape != (6,) or not (wanted > 0).all():
        raise InputError(f"assembly_modes: lengths = {lengths!r}: expected six lengths above 0 [m].")
    model = platform.model
    diameter = (
        thickest_leg(model) if leg_diameter is None else not_negative(leg_diameter, "leg_diameter", "m")
    )
    frame, start = _geometry(model)
    target = frame.with_lengths(wanted)
    found = _solve(start, target)
    met: list[Meeting] = []
    if found.count < len(start.solutions):
        other = _geometry(model, detour=True)  # paths from elsewhere may pass what these could not
        again = _solve(other[1], other[0].with_lengths(wanted))
        found = again if again.count > found.count else found
    if found.count < len(start.solutions):
        met = meetings(start, target)
    poses, multiplicity = frame.poses(found.real), np.ones(len(found.real), dtype=np.int64)
    if met:
        double = [meeting for meeting in met if meeting.real]
        points = np.array([meeting.point for meeting in double]).reshape(-1, 8)
        poses = np.concatenate([poses, _polished(platform, frame.poses(points), wanted)])
        counts = np.array([meeting.multiplicity for meeting in double], dtype=np.int64)
        multiplicity = np.concatenate([multiplicity, counts])
    home = _home(model)
    away = np.linalg.norm(poses[:, :3] - home[:3], axis=1) / wanted.mean()
    cosine = poses[:, 3:] @ home[3:]
    away += 2 * np.arccos(np.minimum(np.abs(cosine), 1.0))
    poses[cosine < 0, 3:] *= -1
    order = np.argsort(away)
    complete, reason = _judge(found, met, len(start.solutions), _most_solutions(model))
    return AssemblyModes(
        poses[order], complete, found.count, reason, platform, wanted, multiplicity[order], diameter
    )


def _polished(platform: Platform, poses: Array, lengths: Array) -> Array:
    """Singular poses after some steps of Newton's method in all directions but the singular one."""
    for _ in range(POLISHING):
        for k, J in enumerate(platform.jacobian(poses)):
            left = lengths - platform.leg_lengths(poses[k])
            step = np.linalg.pinv(J, rcond=SINGULAR_DIRECTION) @ left
            poses[k, :3] += step[:3]
            poses[k, 3:] = multiply(from_vector(np.asarray(step[3:])), poses[k, 3:])
    return poses


@lru_cache(maxsize=32)
def _most_solutions(model: PlatformModel) -> int:
    """An upper bound of the number of solutions that is a theorem."""
    for points in model.points():
        met = len({tuple(row) for row in points.tolist()})
        if met == TRIANGLE:
            return MOST_OF_TRIANGLE
    return MOST_SOLUTIONS


def _judge(found: Found, met: list[Meeting], expected: int, most: int) -> tuple[bool, str]:
    if not found.clear:
        return False, "not proven complete: a solution is so nearly real that it cannot be told"
    if found.count == most:
        return True, f"complete: {most} complex solutions are proven, and there are no more"
    together = sum(meeting.multiplicity for meeting in met)
    if met and found.count + together == expected:
        return False, (
            f"not proven complete: {found.count} of {expected} solutions are proven; the other "
            f"{together} meet, as far as rounding tells, in singular poses, listed without proof"
        )
    if found.count < expected:
        return False, (
            f"not proven complete: {found.count} of {expected} solutions are proven; some pose with "
            "these lengths is singular, or nearly so"
        )
    return False, (
        f"not proven complete: this geometry is special, it has {expected} solutions for general "
        f"lengths and the others at infinity; all {expected} are found, but no theorem says that there "
        "are no more"
    )


@lru_cache(maxsize=32)
def _home(model: PlatformModel) -> Array:
    return home_pose(model)


@lru_cache(maxsize=32)
def _geometry(model: PlatformModel, detour: bool = False) -> tuple[Aligned, Solved]:
    """A geometry with the solutions for some complex lengths, from which all others are reached.

    Those of a detour are other ones.
    """
    base, points = model.points()
    home = home_pose(model)
    typical = np.linalg.norm(points @ rotation_of(home).T + home[:3] - base, axis=1)
    frame = aligned(base, points, typical, stored_start())
    best = None
    for k, caution in enumerate((*CAUTIONS, *CAUTIONS)):
        # Not real, so that no singularity is met on the way; the same in every run.
        turn = np.random.default_rng([k, detour]).uniform(-1, 1, len(typical))
        target = frame.with_squares(frame.squares(typical) * np.exp(1j * turn))
        found = _distinct(track(stored_start(), target, caution=caution), target)
        if best is None or len(found) > len(best.solutions):
            best = Solved(target, found)
        if len(found) == MOST_SOLUTIONS:
            break
    assert best is not None
    return frame, best


def _distinct(tracked: Tracked, target: ComplexArray) -> ComplexArray:
    """Refined end points, proven, finite, and different from each other."""
    proof = prove(tracked.arrived, target)
    return proof.points[separate(proof)]


def solve_aligned(frame: Aligned, start: Solved, lengths: Array) -> Array:
    """Poses (k, 7) of a geometry that is not known yet, straight from a start."""
    return frame.poses(_solve(start, frame.with_lengths(lengths)).real)


def _solve(start: Solved, target: ComplexArray) -> Found:
    best = None
    for caution in CAUTIONS:
        found = proven_real(track(start, target, caution=caution).arrived, target)
        if best is None or found.count > best.count:
            best = found
        if best.count == len(start.solutions):
            break
    assert best is not None
    return best


ORDERS, CANDIDATES = 120, 8  # of the legs: looked at roughly, and exactly
NUCLEAR = 1.4  # sum of singular values over their norm, for a rough look


@dataclass(frozen=True, eq=False)
class Aligned:
    """Joint points (6, 3) in units of `scale`, origin at the first, turned by qa and qb, reordered."""

    base: Array
    points: Array
    qa: Array
    qb: Array
    scale: float
    order: NDArray[np.int64]
    a1: Array
    b1: Array

    def squares(self, lengths: Array) -> Array:
        """Squared leg lengths in units of the scale and in this order."""
        return np.asarray((lengths[self.order] / self.scale) ** 2)

    @cached_property
    def _without_lengths(self) -> ComplexArray:
        return parameters(self.base, self.points, np.zeros(6))

    def with_squares(self, squares: ComplexArray | Array) -> ComplexArray:
        found = self._without_lengths.copy()
        found[-6:-1] += squares[0] - squares[1:]
        found[-1] = squares[0]
        return found

    def with_lengths(self, lengths: Array) -> ComplexArray:
        """Parameters of the platform with these leg lengths [m]."""
        return self.with_squares(self.squares(lengths))

    @cached_property
    def _turns(self) -> tuple[Array, Array, Array]:
        """The matrix of e -> conj(qa) e qb for rows, Ra, and the forms of e, e -> e (Rb b1) conj(e)."""
        product, turned = _forms()
        rows = np.einsum("i,ijk->jk", inverse(self.qa), product) @ np.einsum(
            "ijk,j->ik", product, self.qb
        )
        Ra, Rb = _matrix(self.qa), _matrix(self.qb)
        return rows, Ra, np.einsum("ckij,c->kij", turned, Rb @ self.b1)

    def poses(self, solutions: Array) -> Array:
        """Poses (k, 7) of the platform as it is described, from real solutions (k, 8)."""
        e, h = solutions[:, :4], solutions[:, 4:]
        N = (e * e).sum(axis=1, keepdims=True)
        rows, Ra, turned = self._turns
        position = self.scale * np.einsum("kij,ni,nj->nk", _position(), h, e)
        position = (position - np.einsum("kij,ni,nj->nk", turned, e, e)) @ Ra / N + self.a1
        return np.concatenate([position, e @ rows / np.sqrt(N)], axis=1)


@cache
def _forms() -> tuple[Array, Array]:
    """Quaternion products (i, j -> k), and c, e, f -> vec(e c conj(f)) (3, 3, 4, 4)."""
    one = np.eye(4)
    product = multiply(one[:, None], one[None, :])
    e, c, f = one[None, :, None], one[1:, None, None], one[None, None, :]
    shape = (3, 4, 4, 4)
    turned = multiply(multiply(*_full(e, c, shape)), np.broadcast_to(inverse(f), shape))
    return product, np.moveaxis(turned[..., 1:], -1, 1)


def _full(a: Array, b: Array, shape: tuple[int, ...]) -> tuple[Array, Array]:
    return np.broadcast_to(a, shape), np.broadcast_to(b, shape)


@cache
def _position() -> Array:
    """The forms of h, e -> vec(h conj(e)), (3, 4, 4)."""
    h, e = _full(np.eye(4)[:, None], np.eye(4)[None, :], (4, 4, 4))
    return np.moveaxis(multiply(h, inverse(e))[..., 1:], -1, 0)


@cache
def _orders() -> NDArray[np.int64]:
    every = np.array(list(permutations(range(6))))
    return every[np.random.default_rng(0).permutation(len(every))[:ORDERS]]


def _matrix(q: Array) -> Array:
    """Rotation matrix of a unit quaternion."""
    return np.asarray(np.einsum("ckij,i,j->kc", _forms()[1], q, q))


def _turn(overlap: Array) -> Array:
    """The rotation that brings points nearest to others, from sum(other point'), as a quaternion
    (Horn 1987)."""
    S = overlap.T
    trace = np.trace(S)
    skew = np.array([S[1, 2] - S[2, 1], S[2, 0] - S[0, 2], S[0, 1] - S[1, 0]])
    K = np.empty((4, 4))
    K[0, 0], K[0, 1:], K[1:, 0] = trace, skew, skew
    K[1:, 1:] = S + S.T - trace * np.eye(3)
    return np.asarray(np.linalg.eigh(K)[1][:, 3])


@lru_cache(maxsize=4)
def _weights(start: Solved) -> tuple[Array, Array]:
    """Weights (orders x 3, 6) that make overlaps with the start from joint points, base and platform."""
    model = start.parameters.real
    found = []
    for wanted in (model[:15].reshape(5, 3), model[15:30].reshape(5, 3)):
        weights = np.empty((ORDERS, 3, 6))
        rows = np.arange(ORDERS)
        for k in range(1, 6):
            weights[rows, :, _orders()[:, k]] = wanted[k - 1]
        weights[rows, :, _orders()[:, 0]] = -wanted.sum(axis=0)
        found.append(weights.reshape(-1, 6))
    return found[0], found[1]


def aligned(base: Array, points: Array, lengths: Array, start: Solved) -> Aligned:
    """Bring a platform as near to the start as similarity and the order of the legs allow."""
    scale = float(np.sqrt((lengths**2).mean()))
    overlaps, squares = [], np.zeros(6)
    for own, weights in zip((base / scale, points / scale), _weights(start), strict=True):
        overlaps.append((weights @ own).reshape(ORDERS, 3, 3))
        squares += ((own[:, None] - own) ** 2).sum(axis=(1, 2))
    away = squares[_orders()[:, 0]]
    rough = away - 2 * NUCLEAR * sum(np.sqrt((part * part).sum(axis=(1, 2))) for part in overlaps)
    chosen = np.argpartition(rough, CANDIDATES)[:CANDIDATES]
    both = np.stack([part[chosen] for part in overlaps])
    sizes = np.linalg.svd(both, compute_uv=False)
    sizes[..., 2] *= np.sign(np.linalg.det(both))
    k = int(chosen[np.argmin(away[chosen] - 2 * sizes.sum(axis=(0, 2)))])
    order = _orders()[k]
    a1, b1 = base[order[0]], points[order[0]]
    qa, qb = (_turn(part[k]) for part in overlaps)
    a, b = (base[order] - a1) @ _matrix(qa).T / scale, (points[order] - b1) @ _matrix(qb).T / scale
    return Aligned(a, b, qa, qb, scale, order, a1, b1)


def leg_distance(model: PlatformModel, poses: Array) -> Array:
    """Smallest distance between the axes of two legs that share no joint [m], (k,) of poses (k, 7)."""
    base, points = model.points()
    ends = poses[:, None, :3] + points @ np.swapaxes(rotation_of(poses), -1, -2)
    apart = [
        segment_distances(base[i], ends[:, i], base[j], ends[:, j])
        for i, j in combinations(range(len(base)), 2)
        if not (np.array_equal(base[i], base[j]) or np.array_equal(points[i], points[j]))
    ]
    return np.asarray(np.min(apart, axis=0))


@lru_cache(maxsize=32)
def thickest_leg(model: PlatformModel) -> float:
    """Of the thickest part of a leg [m], if parts were solid cylinders.

    A cylinder of mass m and diameter d has m d^2 / 8 about its axis, the least of its moments. A part
    whose file gives no such moment counts as thin.
    """
    parts = [part for leg in model.legs for part in (leg.lower, leg.upper) if part.mass > 0]
    least = [max(float(np.linalg.eigvalsh(part.inertia)[0]), 0.0) / part.mass for part in parts]
    return float(np.sqrt(8 * max(least, default=0.0)))
