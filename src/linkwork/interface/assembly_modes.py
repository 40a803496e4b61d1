"""All poses of a platform with the same leg lengths, with a proof that there are no others."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linkwork.checks import not_negative, numbers
from linkwork.errors import InputError
from linkwork.interface.assembly_alignment import Aligned, aligned
from linkwork.interface.assembly_paths import (
    Certified,
    ComplexArray,
    Solved,
    Tracked,
    arrived,
    certify,
    distances,
    stored_start,
    track,
)
from linkwork.interface.forward_kinematics import home_pose
from linkwork.interface.robot import Array
from linkwork.interface.segments import segment_distances
from linkwork.kernels.kernel import as_rows
from linkwork.robots.platform import PlatformModel
from linkwork.rotations import rotation_of

if TYPE_CHECKING:
    from linkwork.interface.platform import Platform

MOST_SOLUTIONS = 40  # of any platform, counted with multiplicity (Ronga and Vust 1992)
# Of platforms whose legs meet in three points (Parenti-Castelli and Innocenti 1990; Nanua et al. 1990)
TRIANGLE, MOST_OF_TRIANGLE = 3, 16
CAUTIONS = (1.0, 30.0, 1000.0)  # of the first try and of those after it
LARGEST_IMAGINARY = 1e-4  # of the end of a path to a solution that may be real
CLEARLY_APART, LARGEST_RADIUS = 1 - 1e-8, 1e-6  # cosine of an angle of 1e-4, which zeros cannot bridge
ROUNDING = 1e-8  # of a distance, relative to the legs
ROOT_8 = float(np.sqrt(8.0))  # sup norm to Euclidean norm of eight numbers


@dataclass(frozen=True, eq=False)
class AssemblyModes:
    """The poses that a platform can have with given leg lengths, nearest to home first.

    Args:
        poses: (k, 7), x y z and unit quaternion w x y z.
        complete: True only if it is proven that there are no other poses.
        solutions: how many complex solutions are proven to exist, the poses among them; a platform has
            at most 40.
        reason: why the list is complete, or what keeps it from being proven.
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
    leg_diameter: float = 0.0

    @cached_property
    def condition(self) -> Array:
        """Condition number of J at every pose, moments over the platform's size, (k,)."""
        return self.platform.condition_number(self.poses, "platform")

    @cached_property
    def within_limits(self) -> NDArray[np.bool_]:
        """Whether every pose keeps the limits of lengths and joint angles, (k,)."""
        if not len(self.poses):
            return np.zeros(0, dtype=bool)
        return ~self.platform.check_limits(self.poses).mask

    @cached_property
    def leg_distance(self) -> Array:
        """Smallest distance between the axes of two legs that share no joint [m], (k,)."""
        base, points = self.platform.model.points()
        turned = np.array([rotation_of(pose) @ points.T for pose in self.poses]).reshape(-1, 3, 6)
        ends = np.swapaxes(turned, 1, 2) + self.poses[:, None, :3]
        apart = [
            segment_distances(base[i], ends[:, i], base[j], ends[:, j])
            for i, j in combinations(range(6), 2)
            if not (np.array_equal(base[i], base[j]) or np.array_equal(points[i], points[j]))
        ]
        return np.min(apart, axis=0)

    @property
    def legs_cross(self) -> NDArray[np.bool_]:
        """Whether two legs are nearer to each other than `leg_diameter`, (k,)."""
        touching = self.leg_diameter + ROUNDING * self.lengths.mean()
        return np.asarray(self.leg_distance <= touching)

    @cached_property
    def side(self) -> Array:
        """Sign of det J, (k,): poses of different signs are parted by singularities."""
        return np.asarray(np.sign(np.linalg.det(self.platform.jacobian(self.poses))))

    def __str__(self) -> str:
        lines = [f"{len(self.poses)} poses with these lengths; {self.reason}"]
        for k, pose in enumerate(self.poses):
            notes = ["limits kept" if self.within_limits[k] else "beyond limits"]
            if self.legs_cross[k]:
                notes.append("legs cross")
            place = " ".join(f"{value:9.4f}" for value in pose)
            lines.append(f"{place}   condition {self.condition[k]:9.3g}, {', '.join(notes)}")
        return "\n".join(lines)


def assembly_modes(platform: Platform, lengths: ArrayLike, leg_diameter: float) -> AssemblyModes:
    """See Platform.assembly_modes."""
    wanted = numbers(as_rows(lengths, "lengths", 6), "lengths")
    if wanted.shape != (6,) or not (wanted > 0).all():
        raise InputError(f"assembly_modes: lengths = {lengths!r}: allowed are six lengths above 0 [m].")
    diameter = not_negative(leg_diameter, "leg_diameter", "m")
    frame, start = _geometry(platform.model)
    found = _solve(start, frame.with_lengths(wanted))
    if found.count < len(start.solutions):  # paths from elsewhere may pass what these could not
        other = _geometry(platform.model, detour=True)
        again = _solve(other[1], other[0].with_lengths(wanted))
        found = again if again.count > found.count else found
    poses = frame.poses(found.real)
    home = _home(platform.model)
    away = np.linalg.norm(poses[:, :3] - home[:3], axis=1) / wanted.mean()
    cosine = poses[:, 3:] @ home[3:]
    away += 2 * np.arccos(np.minimum(np.abs(cosine), 1.0))
    poses[cosine < 0, 3:] *= -1
    poses = poses[np.argsort(away)]
    complete, reason = _judge(found, len(start.solutions), _most_solutions(platform.model))
    return AssemblyModes(poses, complete, found.count, reason, platform, wanted, diameter)


@dataclass(frozen=True, eq=False)
class _Found:
    """Solutions that are proven: how many, the real ones (k, 8), and whether realness is clear."""

    count: int
    real: Array
    clear: bool


def _most_solutions(model: PlatformModel) -> int:
    """An upper bound of the number of solutions that is a theorem."""
    for points in model.points():
        met = len({tuple(row) for row in points.tolist()})
        if met == TRIANGLE:
            return MOST_OF_TRIANGLE
    return MOST_SOLUTIONS


def _judge(found: _Found, expected: int, most: int) -> tuple[bool, str]:
    if not found.clear:
        return False, "not proven complete: a solution is so nearly real that it cannot be told"
    if found.count == most:
        return True, f"complete: {most} complex solutions are proven, and there are no more"
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
    proof = certify(tracked.points[arrived(tracked)], target)
    return proof.points[_separate(proof)]


def _separate(proof: Certified) -> NDArray[np.bool_]:
    """Which proven zeros with a rotation differ from all before them."""
    points = proof.points / np.linalg.norm(proof.points, axis=1, keepdims=True)
    N = np.abs((points[:, :4] ** 2).sum(axis=1))
    # In components a zero differs by a radius at most, in N by this.
    change = 4 * proof.radius * (np.linalg.norm(points[:, :4], axis=1) + proof.radius)
    good = np.isfinite(proof.radius) & (2 * change < N)
    overlap = np.abs(points.conj() @ points.T)
    np.fill_diagonal(overlap, 0.0)
    if good.all() and overlap.max(initial=0.0) < CLEARLY_APART and proof.radius.max() < LARGEST_RADIUS:
        return good
    apart = distances(points) > ROOT_8 * 2 * (proof.radius[:, None] + proof.radius)
    apart |= ~np.tril(np.ones_like(apart), -1) | ~good[None, :]
    return np.asarray(good & apart.all(axis=1))


def solve_aligned(frame: Aligned, start: Solved, lengths: Array) -> Array:
    """Poses (k, 7) of a geometry that is not known yet, straight from a start."""
    return frame.poses(_solve(start, frame.with_lengths(lengths)).real)


def _solve(start: Solved, target: ComplexArray) -> _Found:
    best = None
    for caution in CAUTIONS:
        tracked = track(start, target, caution=caution)
        found = _real(tracked.points[arrived(tracked)], target)
        if best is None or found.count > best.count:
            best = found
        if best.count == len(start.solutions):
            break
    assert best is not None
    return best


def _real(points: ComplexArray, target: ComplexArray) -> _Found:
    """Tell real from complex solutions: a zero that is alone near a real point is real."""
    turned = points * np.exp(-0.5j * np.angle((points**2).sum(axis=1)))[:, None]
    near = np.abs(turned.imag).max(axis=1, initial=0.0) <= LARGEST_IMAGINARY
    proof = certify(np.where(near[:, None], turned.real, turned), target)
    # A point that is not real after all is lost on the real axis, or found by another path too.
    doubtful = near & ~(np.isfinite(proof.radius))
    if doubtful.any():
        again = certify(turned, target)
        proof = Certified(
            np.where(doubtful[:, None], again.points, proof.points),
            np.where(doubtful, again.radius, proof.radius),
            np.where(doubtful, again.alone, proof.alone),
        )
        near &= ~doubtful
    keep = _separate(proof)
    imaginary = np.abs(proof.points.imag).max(axis=1, initial=0.0)
    clear = (near & (imaginary == 0)) | (imaginary > 4 * proof.radius)
    real = keep & near
    return _Found(int(keep.sum()), proof.points[real].real, bool(clear[keep].all()))
