"""A path between two poses of a platform that stays away from singularities, with a proof.

H is J with its moment columns divided by the platform's size; its least singular value, which no unit
of length enters, is the clearance: it is zero exactly in singular poses. Between two samples a path
moves the joint points by a known distance at most, so H changes by a known norm at most, and by Weyl's
inequality the least singular value by no more than that.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike

from linkwork.core.arguments import not_negative, numbers, one_of, positive
from linkwork.core.errors import InputError, LinkworkError
from linkwork.core.rotations import pose_motion, unit_poses
from linkwork.kinematics.singularity import dimensionless_jacobian
from linkwork.robot.compiled import Array

if TYPE_CHECKING:
    from linkwork.robot.platform import Platform

Objective = Literal["condition", "force"]
OBJECTIVES = ("condition", "force")
BENDS = 2  # half waves that are added to the straight line
WIDEST_BEND = 0.7  # of a half wave: platform sizes, or components of a quaternion
SAMPLES = 33
LIMIT_SAMPLES = 513  # at which the path that was found must keep the limits
GENERATIONS, POPULATION = 80, 6
FINEST_SPLIT = 2.0**-16
LEAST_NORM = 0.1  # of the quaternion along the way, before it is brought to norm one
PENALTY = 1e3
ON_AVERAGE = 0.01  # weight: of paths whose worst place is an end, alike for all, the best between them


@dataclass(frozen=True, eq=False)
class SingularityFreePath:
    """A way from a pose to another, certified to be free of singularities.

    Args:
        platform: that moves.
        start, end: poses (7,).
        bends: amplitudes (k, 7) of half waves sin(pi s), sin(2 pi s), ... that are added to position
            and quaternion of the straight line, s from 0 to 1.
        clearance: proven to be exceeded by the least singular value of H everywhere on the way. Limits
            are kept at 513 samples of it.
        condition: the greatest condition number of H at samples of the way.
        intervals: into which the proof has cut the way.
    """

    platform: Platform
    start: Array
    end: Array
    bends: Array
    clearance: float
    condition: float
    intervals: int

    def curve(self, s: ArrayLike) -> tuple[Array, Array, Array]:
        """Position and quaternion, not of norm one, and two derivatives by s: (N, 7) each."""
        s = numbers(s, "s").reshape(-1)
        if ((s < 0) | (s > 1)).any():
            raise InputError("s goes beyond 0 to 1, the beginning and the end of the way.")
        return _curve(self.start, self.end, self.bends, s)

    def poses(self, s: ArrayLike) -> Array:
        """Poses (N, 7) at fractions s (N,) of the way."""
        return pose_motion(*self.curve(s))[0]

    def __str__(self) -> str:
        return (
            f"free of singularities: the least singular value of H is proven to exceed "
            f"{self.clearance:.4g} on the whole way ({self.intervals} intervals), greatest condition "
            f"number {self.condition:.4g} (moments over the platform's size)"
        )


def _curve(start: Array, end: Array, bends: Array, s: Array) -> tuple[Array, Array, Array]:
    """Of the path with bends (k, 7)."""
    half = float(np.arccos(np.clip(start[3:] @ end[3:], -1.0, 1.0)))
    u = s[:, None]
    values = []
    for order in range(3):
        line = [(1 - u) * start[:3] + u * end[:3], end[:3] - start[:3] + 0 * u, 0 * u * start[:3]][order]
        if half > 1e-9:
            a, b = np.sin((1 - u) * half), np.sin(u * half)
            c, d = np.cos((1 - u) * half), np.cos(u * half)
            weights = [(a, b), (-half * c, half * d), (-half * half * a, -half * half * b)][order]
            turn = (weights[0] * start[3:] + weights[1] * end[3:]) / np.sin(half)
        else:
            turn = [start[3:] + 0 * u, 0 * u * start[3:], 0 * u * start[3:]][order]
        values.append(np.concatenate([line, turn], axis=1))
    for k, bend in enumerate(bends, start=1):
        w = k * np.pi
        waves = np.sin(w * u), w * np.cos(w * u), -w * w * np.sin(w * u)
        values = [value + wave * bend for value, wave in zip(values, waves, strict=True)]
    return values[0], values[1], values[2]


def plan_path(
    platform: Platform,
    start: ArrayLike,
    end: ArrayLike,
    clearance: float,
    objective: str,
    duration: float,
    seed: int,
) -> SingularityFreePath:
    """See Platform.plan_path."""
    one_of(objective, OBJECTIVES, "objective")
    not_negative(clearance, "clearance", "1")
    positive(duration, "duration", "s")
    first, last = unit_poses(start, "start"), unit_poses(end, "end")
    if first.shape != (7,) or last.shape != (7,):
        raise LinkworkError("plan: start and end must be one pose each, of 7 or 6 numbers.")
    last = last if first[3:] @ last[3:] >= 0 else np.concatenate([last[:3], -last[3:]])
    _refuse_ends(platform, first, last, clearance)
    search = _BendSearch(platform, first, last, clearance, objective, duration)
    bends = search.best(seed)
    found = _certified(platform, first, last, bends, clearance)
    report = platform.check_limits(found.poses(np.linspace(0.0, 1.0, LIMIT_SAMPLES)))
    if not report.ok:
        raise LinkworkError(
            "plan: no path within limits was found. The best one is free of singularities, but: "
            f"{report} Go through a pose between, or try another seed."
        )
    return found


def _refuse_ends(platform: Platform, first: Array, last: Array, clearance: float) -> None:
    H = dimensionless_jacobian(platform, np.stack([first, last]))
    signs = np.sign(np.linalg.det(H))
    if signs[0] != signs[1]:
        raise LinkworkError(
            f"plan: det J is {'positive' if signs[0] > 0 else 'negative'} at the start and "
            f"{'positive' if signs[1] > 0 else 'negative'} at the end. It is continuous, so every path "
            "between these poses meets a singularity. `assembly_modes` lists the poses with the same "
            "leg lengths; one whose `side` is that of the start can be reached."
        )
    least = np.linalg.svd(H, compute_uv=False)[:, -1]
    for name, value in zip(("start", "end"), least, strict=True):
        if value <= clearance:
            raise LinkworkError(
                f"plan: the {name} itself has a least singular value of {value:.4g}; expected a "
                f"clearance below that, not {clearance:.4g}."
            )
    for name, pose in (("start", first), ("end", last)):
        report = platform.check_limits(pose)
        if not report.ok:
            broken = ", ".join(
                f"{one.name} {one.limit} {one.value:.4g} {one.unit} (allowed {one.allowed:g})"
                for one in report.breaks
            )
            raise LinkworkError(f"plan: the {name} breaks limits: {broken}. Choose another pose.")


class _BendSearch:
    """Bends that keep limits and clearance and make the largest condition number or force small."""

    def __init__(
        self,
        platform: Platform,
        first: Array,
        last: Array,
        clearance: float,
        objective: str,
        duration: float,
    ) -> None:
        self.platform, self.first, self.last = platform, first, last
        self.clearance, self.objective, self.duration = clearance, objective, duration
        self.side = np.sign(np.linalg.det(platform.jacobian(first)))
        self.s = np.linspace(0.0, 1.0, SAMPLES)
        size = platform.length_scale
        self.widest = WIDEST_BEND * np.tile([size, size, size, 1.0, 1.0, 1.0, 1.0], BENDS)

    def best(self, seed: int) -> Array:
        from scipy.optimize import differential_evolution  # imported when needed: it is slow to load

        bounds = list(zip(-self.widest, self.widest, strict=True))
        found = differential_evolution(
            lambda x: self.cost(x.T.reshape(-1, BENDS, 7)),
            bounds,
            maxiter=GENERATIONS,
            popsize=POPULATION,
            vectorized=True,
            updating="deferred",
            polish=False,
            x0=np.zeros(len(bounds)),
            rng=np.random.default_rng(seed),
        )
        return np.asarray(found.x.reshape(BENDS, 7))

    def cost(self, bends: Array) -> Array:
        """One number per candidate (m, k, 7)."""
        curves = [_curve(self.first, self.last, each, self.s) for each in bends]
        flat = [np.concatenate([curve[order] for curve in curves]) for order in range(3)]
        poses, twist, acceleration = pose_motion(*flat)
        H = dimensionless_jacobian(self.platform, poses)
        sizes = np.linalg.svd(H, compute_uv=False)
        shape = (len(bends), SAMPLES)
        lost = (np.sign(np.linalg.det(H)) != self.side) | (sizes[:, -1] <= self.clearance)
        lost |= np.linalg.norm(flat[0][:, 3:], axis=1) < 2 * LEAST_NORM
        broken = self.platform.check_limits(poses).mask
        condition = np.log(sizes[:, 0] / sizes[:, -1]).reshape(shape)
        value = condition.max(axis=1)
        if self.objective == "force":
            value = np.log(self._forces(poses, twist, acceleration).reshape(shape).max(axis=1))
        wrong = lost.reshape(shape).mean(axis=1) + broken.reshape(shape).mean(axis=1)
        return np.asarray(value + ON_AVERAGE * condition.mean(axis=1) + PENALTY * wrong)

    def _forces(self, poses: Array, first: Array, second: Array) -> Array:
        """Largest leg force at every sample, along the way in `duration` with the least jerk."""
        x, T = np.tile(self._times(), len(poses) // SAMPLES), self.duration
        sd = (30 * (x * (1 - x)) ** 2 / T)[:, None]
        sdd = (60 * x * (1 - x) * (1 - 2 * x) / T**2)[:, None]
        twist, acceleration = first * sd, second * sd**2 + first * sdd
        force = self.platform.inverse_dynamics(poses, twist, acceleration, errors="nan")
        return np.nan_to_num(np.abs(force).max(axis=1), nan=np.inf)

    def _times(self) -> Array:
        """When the fractions s are reached, as shares of the duration."""
        x = np.linspace(0.0, 1.0, 1001)
        return np.interp(self.s, x**3 * (10 + x * (6 * x - 15)), x)


def _certified(
    platform: Platform, first: Array, last: Array, bends: Array, clearance: float
) -> SingularityFreePath:
    """The proof: intervals are halved until the bound holds in each, or it is given up."""
    points = platform.model.points()[1]
    arms = np.linalg.norm(points, axis=1)
    size = platform.length_scale
    half = float(np.arccos(np.clip(first[3:] @ last[3:], -1.0, 1.0)))
    waves = np.pi * np.arange(1, len(bends) + 1)
    # Greatest derivatives by s of the position and of the quaternion before it is brought to norm one.
    speed = float(np.linalg.norm(last[:3] - first[:3]) + waves @ np.linalg.norm(bends[:, :3], axis=1))
    turning = float(half + waves @ np.linalg.norm(bends[:, 3:], axis=1))
    middles, width = np.array([0.5]), 0.5  # half the length of an interval
    proven, worst, condition = 0, np.inf, 0.0
    while len(middles):
        value = _curve(first, last, bends, middles)[0]
        norm = np.linalg.norm(value[:, 3:], axis=1) - turning * width
        poses = value.copy()
        poses[:, 3:] /= np.linalg.norm(value[:, 3:], axis=1, keepdims=True)
        H = dimensionless_jacobian(platform, poses)
        sizes = np.linalg.svd(H, compute_uv=False)
        lengths = platform.leg_lengths(poses)
        angle = 2 * turning * width / np.maximum(norm, LEAST_NORM)
        angle[norm < LEAST_NORM] = np.inf
        moved = speed * width + angle[:, None] * arms  # of every platform point
        left = lengths - moved
        with np.errstate(divide="ignore", invalid="ignore"):
            swing = np.where(left > 0, moved / left, np.inf)  # of a leg's direction
        columns = swing**2 + ((angle[:, None] * arms + arms * swing) / size) ** 2
        least = sizes[:, -1] - np.sqrt(columns.sum(axis=1))
        good = least > clearance
        proven += int(good.sum())
        if good.any():
            worst = min(worst, float(least[good].min()))
        condition = max(condition, float((sizes[:, 0] / sizes[:, -1]).max()))
        open_ones = middles[~good]
        if width < FINEST_SPLIT and len(open_ones):
            k = int(np.argmin(sizes[~good, -1]))
            raise LinkworkError(
                f"plan: no path with clearance {clearance:.4g} was found: the best one comes to a least "
                f"singular value of {sizes[~good, -1][k]:.4g} at {open_ones[k]:.4f} of the way. Ask for "
                "less clearance, or go through a pose between."
            )
        width /= 2
        middles = np.concatenate([open_ones - width, open_ones + width])
    return SingularityFreePath(platform, first, last, bends, worst, condition, proven)
