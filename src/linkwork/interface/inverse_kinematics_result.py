"""What inverse kinematics of an arm answers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from linkwork.interface.compiled import Array
from linkwork.interface.mechanism_conditioning import without_units
from linkwork.interface.singularity import NEAR_SINGULAR

if TYPE_CHECKING:
    from linkwork.interface.arm import Arm

Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class InverseKinematics:
    """Joint positions that bring a link frame to poses, or as near as it gets.

    Args:
        q: joint positions (..., n).
        error: by how much the frame misses its pose, (..., 2): distance [m], angle [rad].
        converged: whether it does not, (...): the pose is reached to the tolerance. A singular pose
            that is reached counts as reached, since its joint positions are right, though joint
            velocities for some directions do not exist there: see `condition` and `near_singular`.
        held: joints that stand at a limit and would have to pass it, (..., n).
        arm: whose joints they are.
        frame: index of the link frame.
        mask: directions that count.
    """

    q: Array
    error: Array
    converged: Flags
    held: Flags
    arm: Arm
    frame: int
    mask: tuple[bool, ...]

    @cached_property
    def condition(self) -> Array:
        """Condition number of J in the directions that count, lengths over the arm's, (...).

        Linear directions are those of the base, turns those about the axes of the frame.
        """
        J = without_units(self.arm, self.arm.jacobian(self.q, self.frame), self.arm.length_scale)
        R = self.arm.link_frames(self.q)[..., self.frame, :3, :3]
        J[..., 3:, :] = np.swapaxes(R, -1, -2) @ J[..., 3:, :]
        sizes = np.linalg.svd(J[..., np.flatnonzero(self.mask), :], compute_uv=False)
        with np.errstate(divide="ignore"):
            return np.asarray(sizes[..., 0] / sizes[..., -1])

    @property
    def near_singular(self) -> Flags:
        """Whether the arm stands in a singular position or next to one, (...)."""
        return np.asarray(self.condition >= NEAR_SINGULAR)

    def __str__(self) -> str:
        total = int(np.size(self.converged))
        reached = int(np.count_nonzero(self.converged))
        lines = [f"{reached} of {total} poses reached"]
        for row in np.argwhere(~np.atleast_1d(self.converged))[:10]:
            lines.append(self.explain(tuple(int(k) for k in row)))
        return "\n".join(lines)

    def explain(self, row: tuple[int, ...] = ()) -> str:
        """What keeps one pose from being reached, or that it is reached in a singular position."""
        error, held = np.atleast_2d(self.error)[row or 0], np.atleast_2d(self.held)[row or 0]
        place = f"row {row[0] if len(row) == 1 else row}" if np.ndim(self.converged) else "the pose"
        names = [name for name, at_limit in zip(self.arm.joint_names, held, strict=True) if at_limit]
        condition = float(np.atleast_1d(self.condition)[row or 0])
        singular = condition >= NEAR_SINGULAR
        if np.atleast_1d(self.converged)[row or 0]:
            beside = f", in a singular position (condition number {condition:.3g})"
            return f"{place} is reached{beside if singular else ''}"
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
