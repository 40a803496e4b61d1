"""Joint positions along a path of a link frame: continuous, and never silently on another branch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from linkwork.core.arguments import numbers
from linkwork.core.errors import InputError, LinkworkError
from linkwork.core.rotations import (
    from_vector,
    inverse,
    multiply,
    quaternion_of,
    rotation_of,
    to_vector,
    unit_poses,
)
from linkwork.kinematics.inverse import InverseKinematics, direction_mask, targets
from linkwork.kinematics.singularity import NEAR_SINGULAR, masked_condition
from linkwork.robot.arm_base import frame_index
from linkwork.robot.compiled import Array

if TYPE_CHECKING:
    from linkwork.robot.arm import Arm

FINEST_SPLIT = 2.0**-20
LONGEST_STEP = 0.2  # of a tangent step: radians, or lengths of the arm
LARGEST_MISS = 0.25  # of the tangent, relative to its step
LEAST_SINGULAR_VALUE = 1e-4  # below it the tangent does not follow the path


@dataclass(frozen=True)
class NearSingularity:
    """Samples first..last of a path, where J is nearly singular; worst at sample `worst`."""

    first: int
    last: int
    worst: int
    condition: float


@dataclass(frozen=True, eq=False)
class ArmPath:
    """Joint positions (N, n) along a path.

    Args:
        condition: number at every sample, (N,), in the directions that count.
        near_singular: where it is 100 or more.
        velocity: of the joints (N, n), if the times of the samples were given.
        time: those times (N,).
        joint_names: of the arm.
        velocity_limits: of the joints (n,), infinite where there are none.
    """

    q: Array
    condition: Array
    near_singular: tuple[NearSingularity, ...]
    velocity: Array | None
    time: Array | None
    joint_names: tuple[str, ...]
    velocity_limits: Array

    def __str__(self) -> str:
        lines = [f"{len(self.q)} poses followed; largest condition number {self.condition.max():.4g}"]
        for place in self.near_singular:
            lines.append(
                f"near a singularity from sample {place.first} to {place.last}, condition number "
                f"{place.condition:.4g} at {self._when(place.worst)}{self._speeds(place.worst)}"
            )
        if self.velocity is not None:
            for k, name in enumerate(self.joint_names):
                worst = int(np.argmax(np.abs(self.velocity[:, k])))
                value, allowed = abs(self.velocity[worst, k]), self.velocity_limits[k]
                if value > allowed:
                    lines.append(
                        f"{name}: velocity {value:.4g} at {self._when(worst)}, limit {allowed:.4g}"
                    )
        return "\n".join(lines)

    def _when(self, sample: int) -> str:
        return f"sample {sample}" if self.time is None else f"t = {self.time[sample]:.4g} s"

    def _speeds(self, sample: int) -> str:
        if self.velocity is None:
            return ""
        k = int(np.argmax(np.abs(self.velocity[sample])))
        return f", {self.joint_names[k]} at {self.velocity[sample, k]:.4g} per s"


def follow(
    arm: Arm,
    poses: ArrayLike,
    start: ArrayLike | None,
    frame: int | str | None,
    limits: bool,
    mask: Sequence[bool] | None,
    time: ArrayLike | None,
) -> ArmPath:
    """See Arm.follow."""
    path = _path(poses)
    walk = _Walk(arm, frame_index(arm.joint_names, frame), limits, direction_mask(mask))
    q = walk.first(path[0], start)
    rows = [q]
    for index in range(1, len(path)):
        q = walk.advance(q, path[index - 1], path[index], index)
        walk.refuse_a_second_way(rows, q, path, index)
        rows.append(q)
    joints = np.array(rows)
    condition = walk.condition(joints)
    times = None if time is None else _times(time, len(path))
    steps = {"edge_order": 2 if len(path) > 2 else 1}
    velocity = None
    if times is not None and len(path) > 1:
        velocity = np.gradient(joints, times, axis=0, **steps)  # type: ignore[call-overload]
    speeds = [joint.limits.velocity for joint in arm.model.joints]
    allowed = np.array([np.inf if speed is None else speed for speed in speeds])
    near = tuple(_near_singular(condition))
    return ArmPath(joints, condition, near, velocity, times, arm.joint_names, allowed)


def _path(poses: ArrayLike) -> Array:
    """Poses (N, 7) with unit quaternions."""
    path = targets(poses, "poses")
    if path.ndim != 2 or not len(path):
        raise InputError(
            f"follow: poses has shape {np.shape(poses)}; it must be (N, 7), (N, 6) or (N, 4, 4), N >= 1."
        )
    if path.shape[1] == 16:
        matrices = path.reshape(-1, 4, 4)
        path = np.concatenate([matrices[:, :3, 3], quaternion_of(matrices[:, :3, :3])], axis=1)
    return unit_poses(path, "poses")


def _times(time: ArrayLike, count: int) -> Array:
    times = numbers(time, "time")
    if times.shape != (count,) or not (np.diff(times) > 0).all():
        raise InputError(f"follow: time must be {count} increasing numbers, one per pose.")
    return times


def _near_singular(condition: Array) -> list[NearSingularity]:
    near = np.concatenate([[False], condition >= NEAR_SINGULAR, [False]])
    edges = np.flatnonzero(near[1:] != near[:-1])
    return [
        NearSingularity(
            int(a), int(b) - 1, int(a + np.argmax(condition[a:b])), float(condition[a:b].max())
        )
        for a, b in zip(edges[::2], edges[1::2], strict=True)
    ]


class _Walk:
    """Steps along the tangent, corrected by Newton's method."""

    def __init__(self, arm: Arm, frame: int, limits: bool, mask: tuple[bool, ...]) -> None:
        self.arm, self.frame, self.limits, self.mask = arm, frame, limits, mask
        self.rows = np.flatnonzero(mask)
        self.length = arm.length_scale
        self.unit = np.array([1.0 if joint.is_revolute else self.length for joint in arm.model.joints])

    def first(self, pose: Array, start: ArrayLike | None) -> Array:
        if start is not None and numbers(start, "start").shape != (self.arm.n,):
            raise InputError(f"start has shape {np.shape(start)}; expected ({self.arm.n},).")
        found = self.arm.inverse_kinematics(
            pose,
            start,
            self.frame,
            self.limits,
            mask=self.mask,
            restarts=0 if start is not None else 100,
        )
        if not found.converged:
            raise LinkworkError(
                f"follow: sample 0 is not reached from the start: {found.explain()}. Give a `start` "
                "nearer to the branch that is wanted."
            )
        return found.q

    def jacobian(self, q: Array, target: Array) -> Array:
        """Of the directions that count, linear rows in lengths of the arm, turns in target's axes."""
        J = np.array(self.arm.jacobian(q, self.frame))
        J[..., :3, :] /= self.length
        if not all(self.mask[3:]):
            J[..., 3:, :] = rotation_of(target).T @ J[..., 3:, :]
        return np.asarray(J[..., self.rows, :] * self.unit)

    def condition(self, q: Array) -> Array:
        return masked_condition(self.arm, q, self.frame, self.mask)

    def advance(self, q: Array, before: Array, after: Array, index: int) -> Array:
        """From the joint positions at one sample to those at the next, in smaller steps where needed."""
        way = np.concatenate(
            [after[:3] - before[:3], to_vector(multiply(after[3:], inverse(before[3:])))]
        )
        done, step = 0.0, 1.0
        while done < 1.0:
            share = min(step, 1.0 - done)
            target = after if done + share >= 1.0 else _between(before, way, done + share)
            reached, found = self._step(q, share * way, target)
            if reached is not None:
                if self._on_other_side(q, reached, target):
                    raise LinkworkError(self._reason(q, index, done, None))
                q, done, step = reached, done + share, min(1.0, 2 * share)
                continue
            step = share / 2
            if step < FINEST_SPLIT:
                raise LinkworkError(self._reason(q, index, done, found))
        return q

    def _on_other_side(self, q: Array, other: Array, target: Array) -> bool:
        """Whether a singularity lies between: det J has another sign (of J J'^T with free joints)."""
        J, other_J = self.jacobian(q, target), self.jacobian(other, target)
        return bool(np.linalg.slogdet(J @ other_J.T)[0] < 0)

    def refuse_a_second_way(self, rows: list[Array], q: Array, path: Array, index: int) -> None:
        """An error if the samples do not tell on which side of a singularity the path goes on.

        Where a path touches a singularity, one way of the joints crosses it and another turns around,
        and both pass through all samples; straight lines between samples miss the singularity itself.
        So the joints' way so far is carried on across it: if that leads to this sample too, and is as
        straight as the way found, the branch is not determined.
        """
        if index < 2:
            return
        before, last = rows[-2], rows[-1]
        lengths = [self._length(path[k - 1], path[k]) for k in (index - 1, index)]
        straight = last + (last - before) * (lengths[1] / lengths[0] if lengths[0] else 1.0)
        if not self._on_other_side(last, straight, path[index]):
            return
        found = self.arm.inverse_kinematics(
            path[index], straight, self.frame, self.limits, mask=self.mask, restarts=0
        )
        crosses = bool(found.converged) and self._on_other_side(q, found.q, path[index])
        miss, ours = (float(np.abs((way - straight) / self.unit).max()) for way in (found.q, q))
        if crosses and miss <= ours:
            raise LinkworkError(self._reason(last, index, 0.0, None))

    def _length(self, one: Array, other: Array) -> float:
        turn = to_vector(multiply(other[3:], inverse(one[3:])))
        return float(np.hypot(np.linalg.norm(other[:3] - one[:3]) / self.length, np.linalg.norm(turn)))

    def _step(
        self, q: Array, way: Array, target: Array
    ) -> tuple[Array | None, InverseKinematics | None]:
        J = self.jacobian(q, target)
        part = np.concatenate([way[:3] / self.length, way[3:]])
        if not all(self.mask[3:]):
            part[3:] = rotation_of(target).T @ part[3:]
        move = np.linalg.pinv(J, rcond=LEAST_SINGULAR_VALUE) @ part[self.rows]
        size = float(np.abs(move).max())
        if size > LONGEST_STEP:
            return None, None
        guess = q + move * self.unit
        found = self.arm.inverse_kinematics(
            target, guess, self.frame, self.limits, mask=self.mask, restarts=0
        )
        # On the same branch the tangent misses by the square of the step; more is another branch.
        miss = float(np.abs((found.q - guess) / self.unit).max())
        good = bool(found.converged) and miss <= LARGEST_MISS * size + 1e-6
        return (found.q if good else None), found

    def _reason(self, q: Array, index: int, done: float, found: InverseKinematics | None) -> str:
        condition = float(self.condition(q[None])[0])
        where = (
            f"follow: the path ends between samples {index - 1} and {index}, at {done:.4f} of the way"
        )
        if found is not None and found.at_limit.any():
            why = found.explain()
            return f"{where}: {why}. Start on another branch, move the path, or use limits=False."
        return (
            f"{where}, where the arm is at a singularity or at the edge of its reach (condition number "
            f"{condition:.4g}). Beyond it the branch is not determined; move the path or leave a "
            "direction free with `mask`."
        )


def _between(before: Array, way: Array, share: float) -> Array:
    turned = multiply(from_vector(share * way[3:]), before[3:])
    return np.concatenate([before[:3] + share * way[:3], turned])
