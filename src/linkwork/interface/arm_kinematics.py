"""First-order kinematics of arms: Jacobians of any link frame, manipulability, motion of the links."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from linkwork.errors import InputError
from linkwork.interface.compiled import Array, Errors
from linkwork.interface.mechanism_conditioning import without_units

if TYPE_CHECKING:
    from linkwork.interface.arm import Arm


class LinkMotion(NamedTuple):
    """How every link moves, base axes. Twists are linear, then angular, at the link frame's origin."""

    velocity: Array  # (..., n, 6)
    acceleration: Array  # (..., n, 6), gravity not included
    center_velocity: Array  # (..., n, 3) of the mass centre
    center_acceleration: Array  # (..., n, 3)
    center: Array  # (..., n, 3) where the mass centre is


class Manipulability(NamedTuple):
    """What unit joint velocities can do at the tip.

    The joint velocities of norm one move the frame within two ellipsoids; `*_axes[..., :, k]` is the
    direction of semi-axis k in base axes, `*_radii[..., k]` its length, greatest first.
    """

    measure: Array  # sqrt(det(J J')), Yoshikawa 1985; of fewer than six joints, sqrt(det(J' J))
    condition: Array  # of J, ways over half the reach of the arm: 1 is isotropic
    linear_radii: Array  # (..., 3) [m/s per rad/s]
    linear_axes: Array  # (..., 3, 3)
    angular_radii: Array  # (..., 3)
    angular_axes: Array  # (..., 3, 3)


def frame_index(joint_names: tuple[str, ...], frame: int | str | None) -> int:
    """The index of a link frame, as in link_frames; None is the last."""
    n = len(joint_names)
    if frame is None:
        return n - 1
    if isinstance(frame, str) and frame in joint_names:
        return joint_names.index(frame)
    if isinstance(frame, (int, np.integer)) and not isinstance(frame, bool) and 0 <= frame < n:
        return int(frame)
    raise InputError(
        f"frame = {frame!r}: allowed are None, a whole number from 0 to {n - 1}, and the names of "
        f"the joints: {', '.join(joint_names)}."
    )


def manipulability(
    arm: Arm, q: ArrayLike, frame: int | str | None = None, errors: Errors = "raise"
) -> Manipulability:
    """See Arm.manipulability."""
    J = np.asarray(arm.jacobian(q, frame, errors=errors))
    known = np.asarray(np.isfinite(J).all(axis=(-2, -1)))
    safe = np.where(known[..., None, None], J, 0.0)
    values = np.linalg.svd(safe, compute_uv=False)
    sizes = np.linalg.svd(without_units(arm, safe, arm.length_scale), compute_uv=False)
    with np.errstate(divide="ignore", invalid="ignore"):
        condition = np.where(sizes[..., -1] > 0, sizes[..., 0] / sizes[..., -1], np.inf)
    parts: list[Any] = [values.prod(axis=-1), condition]
    for rows in (safe[..., :3, :], safe[..., 3:, :]):
        axes, radii, _ = np.linalg.svd(rows)
        missing = [(0, 0)] * (radii.ndim - 1) + [(0, 3 - radii.shape[-1])]
        parts += [np.pad(radii, missing), axes]
    if errors == "nan":
        for part in parts:
            part[~known] = np.nan
    return Manipulability(*parts)
