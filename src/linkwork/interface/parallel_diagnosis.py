"""Why a state of a parallel robot has no answer: out of reach, another branch, or a singularity."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from linkwork.interface.platform_diagnosis import LARGEST_LENGTH, TOO_LARGE
from linkwork.interface.robot import Array
from linkwork.mechanics.parallel.methods import Options
from linkwork.rotations import off_unit

if TYPE_CHECKING:
    from linkwork.interface.parallel_base import ParallelBase

SINGULAR = 1e-9


def explain(robot: ParallelBase, method: str, inputs: dict[str, Array]) -> str:
    """What is wrong with coordinates for which `method` has no finite answer."""
    c = inputs["c"]
    if np.abs(c).max() > LARGEST_LENGTH:
        return TOO_LARGE
    if len(c) == robot.freedoms + 1 and off_unit(c[-4:]):
        norm = float(np.linalg.norm(c[-4:]))
        return (
            f"the quaternion has norm {norm:.9g}; allowed is a unit quaternion. Divide it by its norm."
        )
    found = robot._compiled("diagnosis", Options(len(c))).evaluate((c,))[0]
    reach, closure, side, Jx, Jq, *parasitic = found
    names = robot.leg_names
    outside = [name for name, ok in zip(names, np.isfinite(reach), strict=True) if not ok]
    if outside:
        return (
            f"{', '.join(outside)} cannot reach the platform there on the branch of home. Move the"
            " platform towards home, or change the leg's dimensions."
        )
    serial = [
        name for name, lever in zip(robot.efforts.names, Jq, strict=True) if abs(lever) < _lever(robot)
    ]
    if serial:
        return (
            f"{', '.join(serial)}: serial singularity, the actuator does not move the platform's joint"
            " (Jq = 0): the leg is stretched or folded. Stay clear of this pose."
        )
    if parasitic and not _regular(parasitic[0]):
        return (
            "constraint singularity: the legs no longer determine the parasitic coordinates there, and"
            " the platform gains a freedom. Stay clear of this pose."
        )
    apart = closure > 1e-10 * max(1.0, robot.model.size())
    crossed = side <= 0
    if apart.any() or crossed.any():
        which = ", ".join(name for name, bad in zip(names, apart | crossed, strict=True) if bad)
        return (
            f"{which} does not close on the branch of home (by {float(np.nanmax(closure)):.3g} m or"
            " rad): the pose is out of reach, or only another branch reaches it."
        )
    if not _regular(Jx):
        return (
            "parallel singularity (Jx is singular): the platform can move with all actuators locked, and"
            " no efforts hold it. Stay clear of this pose."
        )
    if method == "forward_dynamics":
        return "the mass matrix is singular there: some motion moves no mass. Give the platform inertia."
    return TOO_LARGE


def _lever(robot: ParallelBase) -> float:
    return SINGULAR * max(1.0, robot.model.size())


def _regular(matrix: Array) -> bool:
    if not np.isfinite(matrix).all():
        return False
    values = np.linalg.svd(matrix, compute_uv=False)
    return bool(values[-1] > SINGULAR * values[0])
