"""The columns of inverse dynamics: efforts, and on request the motion, parts and reactions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from linkwork.analysis.study import Study
    from linkwork.interface.robot import Array

AXES = ("x", "y", "z")
# The reactions of an arm's joints are one wrench each; those of a leg have names of their own.
WRENCH = {"force": "f", "moment": "m"}


def effort_columns(found: Study, efforts: Mapping[str, Array]) -> dict[str, Array]:
    """`effort_waist` for one formulation, `angeles_waist` and so on for several."""
    columns = {"time": found.time}
    for formulation, values in efforts.items():
        group = "effort" if len(efforts) == 1 else formulation
        columns |= _named(group, found.robot.efforts.names, values)
    return columns


def state_columns(found: Study) -> dict[str, Array]:
    """The motion by the names of motion files: `linkwork inverse` can read a CSV of it again."""
    from linkwork.interface.coordinates import POSE
    from linkwork.motion.columns import joint_columns, pose_columns

    coordinates = found.robot.coordinates
    headers = pose_columns() if coordinates is POSE else joint_columns(len(coordinates))
    motion = (found.position, found.velocity, found.acceleration)
    values = [column for part in motion for column in part.T]
    return dict(zip(headers[1:], values, strict=True))


def part_columns(found: Study) -> dict[str, Array]:
    """What the efforts are for, `gravity_waist` and so on."""
    columns: dict[str, Array] = {}
    for cause, values in found.parts.items():
        columns |= _named(cause.replace(" ", "-"), found.robot.efforts.names, values)
    return columns


def reaction_columns(found: Study) -> dict[str, Array]:
    """Forces and moments in the joints: link frames for arms, base axes for platforms."""
    columns: dict[str, Array] = {}
    for field, values in found.joint_reactions._asdict().items():
        group, letter = ("reaction", WRENCH[field]) if field in WRENCH else (field, "")
        names = [f"{name}_{letter}{axis}" for name in found.robot.efforts.names for axis in AXES]
        columns |= _named(group, names, values.reshape(len(values), -1))
    return columns


def _named(group: str, names: Sequence[str], values: Array) -> dict[str, Array]:
    return {f"{group}_{name}": values[:, k] for k, name in enumerate(names)}
