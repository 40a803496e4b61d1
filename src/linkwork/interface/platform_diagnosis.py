"""Why a pose has no answer: the diagnosis of one state of a platform."""

from __future__ import annotations

import numpy as np

from linkwork.interface.compiled import Array
from linkwork.interface.singularity import SINGULAR
from linkwork.mechanics.mechanism.universal import SMALLEST_SINE
from linkwork.robots.platform import PlatformModel
from linkwork.rotations import off_unit, rotation_of

TOO_LARGE = "the numbers are too large for double precision."
LARGEST_LENGTH = 1e100  # squares of it are still finite


def pose_labels() -> dict[str, tuple[str, ...]]:
    """Names of the elements of poses, twists and wrenches."""
    linear, angular = ("vx", "vy", "vz"), ("wx", "wy", "wz")
    return {
        "pose": ("x", "y", "z", "qw or roll", "qx or pitch", "qy or yaw", "qz"),
        "twist": linear + angular,
        "acceleration": ("ax", "ay", "az", "alphax", "alphay", "alphaz"),
        "wrench": ("fx", "fy", "fz", "mx", "my", "mz"),
    }


def columns_of(model: PlatformModel, pose: Array) -> tuple[Array, Array, Array]:
    """H (6, 6), leg lengths and sines of the angles between legs and fixed axes, with plain NumPy."""
    base, points = model.points()
    q = points @ rotation_of(pose).T
    S = q + pose[:3] - base
    with np.errstate(all="ignore"):
        lengths = np.linalg.norm(S, axis=1)
        s = S / lengths[:, None]
    axes = np.array([leg.fixed_axis for leg in model.legs])
    sines = np.linalg.norm(np.cross(axes, s), axis=1)
    return np.concatenate([s, np.cross(q, s)], axis=1).T, lengths, sines


def explain(model: PlatformModel, method: str, inputs: dict[str, Array]) -> str:
    """What is wrong with a pose for which `method` has no finite answer."""
    pose = inputs["pose"]
    if pose.shape[-1] == 7:
        norm = float(np.linalg.norm(pose[3:]))
        if off_unit(pose[3:]):
            return (
                f"the quaternion of the pose has norm {norm:.9g}; allowed is a unit quaternion w x y z. "
                "Divide it by its norm."
            )
    H, lengths, sines = columns_of(model, pose)
    for k, name in enumerate(model.leg_names):
        if lengths[k] < 1e-12:
            return f"leg {k + 1} ({name}) has length zero: its base point and platform point coincide."
    if not np.isfinite(H).all() or np.abs(pose).max() > LARGEST_LENGTH:
        return TOO_LARGE
    for k, leg in enumerate(model.legs):
        if leg.joints == "UPS" and not sines[k] > SMALLEST_SINE:
            return (
                f"leg {k + 1} ({leg.name}) lies along its fixed axis, where the axes of its universal "
                "joint do not span a plane. Choose another fixed_axis or stay clear of this pose."
            )
    condition = np.linalg.cond(H)
    if condition > SINGULAR:
        return (
            f"the pose is singular (condition number {condition:.3g}): the platform can move with all "
            "legs locked, and no leg forces hold it. Stay clear of this pose."
        )
    if method in ("forward_dynamics", "step", "rate"):
        return (
            "the mass matrix is singular there: some motion of the platform moves no mass. Give the "
            "platform or its legs mass and inertia."
        )
    return TOO_LARGE
