"""Why a state of a mechanism has no answer: out of reach, another branch, a singularity, no motor."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from linkwork.interface.compiled import Array
from linkwork.interface.platform_diagnosis import LARGEST_LENGTH, TOO_LARGE
from linkwork.mechanics.mechanism.coordinates import Layout, home_size
from linkwork.mechanics.mechanism.methods import Options
from linkwork.mechanics.mechanism.robot_dynamics import planned
from linkwork.rotations import off_unit

if TYPE_CHECKING:
    from linkwork.interface.described import Described

SINGULAR = 1e-9
OPEN = 1e-10  # residual of a closed loop, of the machine's size


def explain(robot: Described, method: str, inputs: dict[str, Array]) -> str:
    """What is wrong with coordinates for which `method` has no finite answer."""
    c = inputs["c"]
    if np.abs(c).max() > LARGEST_LENGTH:
        return TOO_LARGE
    for four in Layout.of(robot.mechanism, len(c)).four:
        if off_unit(c[four]):
            norm = float(np.linalg.norm(c[four]))
            told = f"the quaternion has norm {norm:.9g}; allowed is a unit quaternion."
            return f"{told} Divide it by its norm."
    found = diagnosis(robot, c)
    names = [
        robot._block_name(block.unknowns) for block in planned(robot.mechanism).blocks if block.unknowns
    ]
    reach, closing, side = (found[key][1:] for key in ("reach", "closing", "side"))
    lost = ~(np.isfinite(reach) & np.isfinite(closing))
    if lost.any():
        which = ", ".join(dict.fromkeys(n for n, out in zip(names, lost, strict=True) if out))
        return (
            f"{which} cannot reach {robot._held} there on the branch of home. Move the coordinates"
            " towards home, or change dimensions."
        )
    serial = [
        name
        for name, lever in zip(robot.efforts.names, found["Jq"], strict=True)
        if abs(lever) < SINGULAR * max(1.0, robot.size)
    ]
    if serial:
        return (
            f"{', '.join(serial)}: serial singularity, the actuator does not move the coordinates"
            " (Jq = 0): its links are stretched or folded. Stay clear of this place."
        )
    for key, matrix in found.items():
        if key.startswith("constraint") and not _regular(matrix):
            return (
                "constraint singularity: the loops no longer determine all bodies there, and the"
                " mechanism gains a freedom. Stay clear of this place."
            )
    bad = ~(closing <= OPEN) | ~(side > 0)
    if bad.any():
        which = ", ".join(dict.fromkeys(n for n, wrong in zip(names, bad, strict=True) if wrong))
        return (
            f"{which} does not close on the branch of home (by {float(np.nanmax(closing)):.3g}"
            " of the size): the place is out of reach, or only another branch reaches it."
        )
    if method != "forward_dynamics" and robot.n >= robot.freedoms and not _regular(found["Jx"]):
        return (
            "parallel singularity (Jx is singular): the mechanism can move with all actuators locked,"
            " and no efforts hold it. Stay clear of this place."
        )
    if method == "forward_dynamics":
        return (
            "the mass matrix is singular there: some motion moves no mass. Give the bodies that move"
            " mass or inertia, or a joint a rotor."
        )
    return TOO_LARGE


def diagnosis(robot: Described, c: Array) -> dict[str, Array]:
    """Outputs of the kernel that tells why a state has no answer, by name."""
    kernel = robot._compiled("diagnosis", Options(c.shape[-1]))
    return dict(zip(kernel.outputs, kernel.evaluate((c,))[0], strict=True))


def without_motor(robot: Described, method: str) -> str:
    """What to say of a mechanism with fewer motors than freedoms."""
    kernel = robot._compiled("actuation", Options(home_size(robot.mechanism)))
    Ga = np.asarray(kernel.evaluate((np.asarray(robot.home),))[0]).reshape(robot.n, robot.freedoms)
    _, values, rows = np.linalg.svd(Ga) if robot.n else (None, np.zeros(0), np.eye(robot.freedoms))
    rank = int((values > SINGULAR * max(values.max(initial=0.0), 1e-300)).sum())
    moving = np.abs(rows[rank:]).max(axis=0) > 1e-6
    names = [each.name for each, moves in zip(robot.mechanism.coordinates, moving, strict=True) if moves]
    motors, freedoms = _counted(robot.n, "motor"), _counted(robot.freedoms, "freedom")
    moves = f"{', '.join(names)} still move{'' if len(names) > 1 else 's'}"
    return (
        f"{method}: {robot.name} has {freedoms} and {motors}: with all motors held, {moves}, so no"
        " efforts give a chosen motion. Give more joints or cylinders `motor: true`, or ask"
        " forward_dynamics how it moves."
    )


def _counted(count: int, word: str) -> str:
    return f"{count} {word}" + ("" if count == 1 else "s")


def _regular(matrix: Array) -> bool:
    if not np.isfinite(matrix).all():
        return False
    values = np.linalg.svd(matrix, compute_uv=False)
    return bool(values[-1] > SINGULAR * values[0])
