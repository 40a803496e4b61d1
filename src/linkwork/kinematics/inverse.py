"""Inverse kinematics of arms: many targets at once, with restarts for those that fail."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray

from linkwork.core.arguments import numbers, whole
from linkwork.core.earlier_names import with_earlier_names
from linkwork.core.errors import InputError
from linkwork.core.rotations import off_unit, with_quaternion
from linkwork.kernels import Kernel
from linkwork.kernels.kernel import as_rows
from linkwork.kinematics.forward import batch_rows
from linkwork.kinematics.singularity import NEAR_SINGULAR, REACHED_SINGULAR, masked_condition
from linkwork.mechanics.chain import inverse_kinematics as mechanics
from linkwork.mechanics.chain.inverse_kinematics import InverseKinematicsOptions, bounds, reach
from linkwork.model.families.arm import ArmModel, Joint
from linkwork.model.geometry import Body
from linkwork.robot.arm_base import frame_index
from linkwork.robot.compiled import Array, recipe_of

if TYPE_CHECKING:
    from linkwork.robot.arm import Arm

Flags = NDArray[np.bool_]


@with_earlier_names
@dataclass(frozen=True, eq=False)
class InverseKinematics:
    """Joint positions that bring a link frame to poses, or as near as it gets.

    Args:
        q: joint positions (..., n).
        error: by how much the frame misses its pose, (..., 2): distance [m], angle [rad].
        converged: whether it does not, (...): the pose is reached to the tolerance. A singular pose
            that is reached counts as reached, since its joint positions are right, though joint
            velocities for some directions do not exist there: see `condition` and `near_singular`.
        at_limit: joints that stand at a limit and would have to pass it, (..., n).
        arm: whose joints they are.
        frame: index of the link frame.
        mask: directions that count.
    """

    q: Array
    error: Array
    converged: Flags
    at_limit: Flags
    arm: Arm
    frame: int
    mask: tuple[bool, ...]

    @cached_property
    def condition(self) -> Array:
        """Condition number in the directions that count, (...): that of the arm if all do.

        Linear directions are those of the base, turns those about the axes of the frame.
        """
        return masked_condition(self.arm, self.q, self.frame, self.mask)

    @property
    def near_singular(self) -> Flags:
        """Whether the arm stands in a singular position or next to one, (...)."""
        return np.asarray(self.condition >= NEAR_SINGULAR)

    def __str__(self) -> str:
        total = int(np.size(self.converged))
        reached = int(np.count_nonzero(self.converged))
        lines = [f"{reached} of {total} poses reached"]
        for row in np.argwhere(~np.atleast_1d(self.converged))[:10]:
            lines.append(self.explain(tuple(map(int, row)) if np.ndim(self.converged) else ()))
        return "\n".join(lines)

    def explain(self, row: tuple[int, ...] = ()) -> str:
        """What keeps one pose from being reached, or that it is reached in a singular position."""
        shape = np.shape(self.converged)
        if not isinstance(row, tuple) or len(row) != len(shape):
            raise InputError(f"row = {row!r}: expected a place in the batch, {len(shape)} numbers.")
        row = tuple(whole(k, "row", 0, size - 1) for k, size in zip(row, shape, strict=True))
        error, held = np.atleast_2d(self.error)[row or 0], np.atleast_2d(self.at_limit)[row or 0]
        place = f"row {row[0] if len(row) == 1 else row}" if np.ndim(self.converged) else "the pose"
        names = [name for name, stopped in zip(self.arm.joint_names, held, strict=True) if stopped]
        condition = float(np.atleast_1d(self.condition)[row or 0])
        singular = condition >= REACHED_SINGULAR
        if np.atleast_1d(self.converged)[row or 0]:
            how = "in" if singular else "near"
            beside = f", {how} a singular position (condition number {condition:.3g})"
            return f"{place} is reached{beside if condition >= NEAR_SINGULAR else ''}"
        counts = any(self.mask[:3]), any(self.mask[3:])
        parts = [
            f"{size:.4g} {unit}"
            for size, unit, counted in zip(error, ("m", "rad"), counts, strict=True)
            if counted
        ]
        if names:
            why = f"the limit of {', '.join(names)} holds it back"
        elif singular:
            why = "it is beyond the edge of the reach, where the arm stands in a singular position"
        else:
            why = "it is out of reach, or no start converged to it"
        return f"{place} is missed by {' and '.join(parts)}: {why}"


Rows = NDArray[np.intp]
ROUNDS = 12  # of five steps each, from one start
LAST_ROUNDS = 40  # from the best start, where no start reaches the target
STALLED = 0.9  # share of the squared error that a round may leave and go on
FIRST_DAMPING = 0.1
PULL = 0.5  # share of the way to the posture that one step takes
PULLED = 1e-9
PIECE = 4096  # rows that are begun together
FEW_ROWS = 64  # starts that one call may as well try
DIRECTIONS = 6


@lru_cache(maxsize=64)
def _kernel(arm: Arm, model: ArmModel, options: InverseKinematicsOptions) -> Kernel:
    """Of the arm's geometry alone: another mass or friction needs no other kernel."""
    links = tuple(
        Joint("", each.kind, each.before, each.axis, each.offset, each.after, Body(), limits=each.limits)
        for each in model.joints
    )
    geometry = ArmModel("", links)
    recipe = recipe_of(
        (geometry, "inverse_kinematics", options), lambda: mechanics.steps(geometry, options)
    )
    return arm.make_kernel(recipe)


def targets(pose: ArrayLike, name: str = "pose") -> Array:
    """Targets (..., 7), or (..., 16) if they are 4 x 4 matrices."""
    array = numbers(pose, name)
    if array.ndim >= 2 and array.shape[-2:] == (4, 4):
        return array.reshape(*array.shape[:-2], 16)
    if array.ndim == 0 or array.shape[-1] not in (6, 7):
        raise InputError(
            f"{name} has shape {array.shape}; a pose has 7 numbers (x y z and unit quaternion w x y z) "
            "or 6 (x y z roll pitch yaw), or is a 4 x 4 matrix."
        )
    return with_quaternion(array, name)


def direction_mask(mask: Sequence[bool] | None) -> tuple[bool, ...]:
    if mask is None:
        return (True,) * DIRECTIONS
    values = tuple(bool(value) for value in mask)
    if len(values) != DIRECTIONS or not any(values):
        raise InputError(
            f"mask = {mask!r}: expected six flags, not all off: x y z in base axes, then the turns "
            "about the x y z axes of the pose."
        )
    return values


def inverse_kinematics(
    arm: Arm,
    pose: ArrayLike,
    guess: ArrayLike | None = None,
    *,
    frame: int | str | None = None,
    limits: bool = True,
    mask: Sequence[bool] | None = None,
    posture: ArrayLike | None = None,
    restarts: int,
    tolerance: float,
    seed: int = 0,
) -> InverseKinematics:
    """See Arm.inverse_kinematics."""
    target = targets(pose)
    rows = direction_mask(mask)
    start = arm.home if guess is None else numbers(as_rows(guess, "guess", arm.n), "guess")
    batch, flat, near = batch_rows(target, start, "pose")
    drawn = posture is not None and arm.n > sum(rows)
    options = InverseKinematicsOptions(
        frame_index(arm.joint_names, frame), rows, limits, matrix=target.shape[-1] == 16, posture=drawn
    )
    search = _JointSearch(arm, options, tolerance)
    found = search.start(flat, near)
    search.restart(flat, found, near, restarts, np.random.default_rng(seed))
    if drawn and posture is not None:
        wanted = np.broadcast_to(as_rows(posture, "posture", arm.n), (*batch, arm.n))
        search.draw_to(wanted.reshape(-1, arm.n), flat, found)
    converged = search.converged(found)
    error = found.left
    error[:, 1] = 2 * np.arcsin(np.minimum(error[:, 1], 1.0))
    return InverseKinematics(
        found.q.reshape(*batch, arm.n),
        error.reshape(*batch, 2),
        converged.reshape(batch),
        found.held.reshape(*batch, arm.n),
        arm,
        options.frame,
        rows,
    )


class _Best:
    """The best joint positions so far, row by row, and what they leave of the error."""

    def __init__(self, q: Array, left: Array, damping: Array, held: Flags) -> None:
        self.q, self.left, self.damping, self.held = q, left, damping, held

    @staticmethod
    def empty(count: int, n: int) -> _Best:
        """Rows to be filled."""
        held = np.empty((count, n), dtype=bool)
        return _Best(np.empty((count, n)), np.empty((count, 2)), np.empty(count), held)

    def take(self, rows: Rows) -> _Best:
        return _Best(self.q[rows], self.left[rows], self.damping[rows], self.held[rows])

    def put(self, rows: Rows | slice, found: _Best) -> None:
        self.q[rows], self.left[rows] = found.q, found.left
        self.damping[rows], self.held[rows] = found.damping, found.held


class _JointSearch:
    """One kind of targets of one arm."""

    def __init__(self, arm: Arm, options: InverseKinematicsOptions, tolerance: float) -> None:
        self.model = model = arm.model
        self.posture = options.posture
        self.kernel = _kernel(arm, model, options)
        self.length = reach(model)
        self.allowed = np.array([tolerance * max(1.0, self.length), tolerance / 2])
        self.low, self.high = bounds(model, options.limits)
        self.turning = np.array([joint.is_revolute for joint in model.joints])

    def steps(self, target: Array, q: Array, damping: Array, posture: Array | None = None) -> _Best:
        arrays: tuple[Array, ...] = (target, q, damping[:, None])
        if self.posture:
            idle = (np.zeros(self.model.n), np.zeros(1))
            arrays += idle if posture is None else (posture, np.array([PULL]))
        (q, left, damping, held), nonfinite = self.kernel.evaluate(arrays)
        if nonfinite:
            _refuse(target)
        return _Best(q, left, damping, held > 0.5)

    def converged(self, found: _Best) -> Flags:
        return (found.left[:, 0] <= self.allowed[0]) & (found.left[:, 1] <= self.allowed[1])

    def cost(self, found: _Best) -> Array:
        return np.asarray((found.left[:, 0] / self.length) ** 2 + (2 * found.left[:, 1]) ** 2)

    def approach(
        self, target: Array, found: _Best, rounds: int = ROUNDS, patience: float = STALLED
    ) -> _Best:
        """More steps for rows that are not there yet, as long as they gain."""
        rows = np.flatnonzero(~self.converged(found))
        for _ in range(rounds):
            if not len(rows):
                break
            before = found.take(rows)
            after = self.steps(target[rows], before.q, before.damping)
            found.put(rows, after)
            gains = self.cost(after) < patience * self.cost(before)
            rows = rows[~self.converged(after) & gains]
        return found

    def start(self, target: Array, q: Array) -> _Best:
        """All rows from these joint positions, a piece at a time: large arrays leave the cache."""
        found = _Best.empty(len(q), self.model.n)
        damping = np.full(min(PIECE, len(q)), FIRST_DAMPING)
        for begin in range(0, len(q), PIECE):
            rows = slice(begin, begin + PIECE)
            part = self.steps(target[rows], q[rows], damping[: len(q[rows])])
            found.put(rows, self.approach(target[rows], part, rounds=2))
        return self.approach(target, found)

    def restart(self, target: Array, found: _Best, near: Array, count: int, rng: Generator) -> None:
        """Random starts for rows that have not converged; several at once when rows are few.

        All rows try the same starts in the same order, so that none depends on which others there are.
        """
        # A wide range holds every angle twice; one turn of it is enough to start from.
        low = np.maximum(self.low, np.minimum(-np.pi, self.high - 2 * np.pi))
        high = np.minimum(self.high, np.maximum(np.pi, self.low + 2 * np.pi))
        starts = rng.uniform(low, high, (count, self.model.n))
        rows = np.flatnonzero(~self.converged(found))
        while len(starts):
            if not len(rows):
                return
            several, starts = np.split(starts, [max(1, FEW_ROWS // len(rows))])
            tried = self.start(
                np.tile(target[rows], (len(several), 1)), np.repeat(several, len(rows), axis=0)
            )
            for begin in range(0, len(tried.q), len(rows)):
                one = tried.take(np.arange(begin, begin + len(rows)))
                one.q = self._turned_back(one.q, near[rows])
                before = found.take(rows)
                better = (self.cost(one) < self.cost(before)) & ~self.converged(before)
                found.put(rows[better], one.take(np.flatnonzero(better)))
            rows = rows[~self.converged(found.take(rows))]
        self.approach(target, found, LAST_ROUNDS, patience=1.0)

    def _turned_back(self, q: Array, near: Array) -> Array:
        """The same pose with full turns taken off, where limits allow."""
        other = q - np.where(self.turning, 2 * np.pi * np.round((q - near) / (2 * np.pi)), 0.0)
        return np.where((other >= self.low) & (other <= self.high), other, q)

    def draw_to(self, posture: Array, target: Array, found: _Best) -> None:
        """Move converged rows toward a posture, as far as their target leaves the joints free."""
        rows = np.flatnonzero(self.converged(found))
        target, wanted, drawn = target[rows], posture[rows], found.take(rows)
        moving = np.arange(len(rows))
        for _ in range(LAST_ROUNDS):
            if not len(moving):
                break
            before = drawn.take(moving)
            after = self.steps(target[moving], before.q, before.damping, wanted[moving])
            drawn.put(moving, after)
            moving = moving[np.abs(after.q - before.q).max(axis=1) >= PULLED]
        drawn = self.start(target, drawn.q)
        away = [np.linalg.norm(q - wanted, axis=1) for q in (drawn.q, found.q[rows])]
        nearer = np.flatnonzero(self.converged(drawn) & (away[0] < away[1]))
        found.put(rows[nearer], drawn.take(nearer))


def _refuse(target: Array) -> None:
    """An error that names the target that is not a rotation; numbers are finite by now."""
    if target.shape[1] == 7:
        wrong = np.flatnonzero(off_unit(target[:, 3:]))
        if len(wrong):
            norm = np.linalg.norm(target[wrong[0], 3:])
            raise InputError(
                f"inverse_kinematics: the quaternion of row {wrong[0]} has norm {norm:.9g}; expected "
                "a unit quaternion w x y z. Divide it by its norm."
            )
    else:
        R = target.reshape(-1, 4, 4)[:, :3, :3]
        off = np.abs(np.einsum("nji,njk->nik", R, R) - np.eye(3)).max(axis=(1, 2))
        off = np.maximum(off, np.abs(np.linalg.det(R) - 1))
        row = int(np.argmax(off))
        raise InputError(
            f"inverse_kinematics: the matrix of row {row} is not a rotation (off by {off[row]:.3g}); "
            "expected a 4 x 4 pose with an orthogonal right-handed rotation."
        )
