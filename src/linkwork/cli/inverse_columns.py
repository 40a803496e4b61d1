"""The columns of inverse dynamics: efforts, and on request the motion, parts and reactions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from linkwork.analysis.study import Study
    from linkwork.interface.coordinates import Coordinates
    from linkwork.interface.robot import Array

AXES = ("x", "y", "z")
# The reactions of joints are one wrench each; those of a platform's leg have names of their own.


def effort_columns(found: Study, efforts: Mapping[str, Array]) -> dict[str, Array]:
    """`effort_waist` for one formulation, `angeles_waist` and so on for several."""
    columns = {"time": found.time}
    for formulation, values in efforts.items():
        group = "effort" if len(efforts) == 1 else formulation
        columns |= _named(group, found.robot.efforts.names, values)
    return columns


def state_columns(found: Study) -> dict[str, Array]:
    """The motion by the names of motion files: `linkwork inverse` can read a CSV of it again."""
    from linkwork.motion.columns import joint_columns, pose_columns

    coordinates = found.robot.coordinates
    headers = pose_columns() if coordinates.is_pose else joint_columns(len(coordinates.by_angles))
    motion = (found.position, found.velocity, found.acceleration)
    if not coordinates.is_pose:
        motion = _by_angles(coordinates, *motion)
    values = [column for part in motion for column in part.T]
    return dict(zip(headers[1:], values, strict=True))


def _by_angles(
    coordinates: Coordinates, position: Array, velocity: Array, acceleration: Array
) -> tuple[Array, Array, Array]:
    """Roll, pitch and yaw and their derivatives in place of quaternions and angular velocities."""
    import numpy as np

    from linkwork.rotations import angular_motion

    position = np.array([coordinates.to_angles(row) for row in position])
    velocity, acceleration = velocity.copy(), acceleration.copy()
    for three in coordinates.turned:
        angles = np.unwrap(position[:, three], axis=0)
        still = np.zeros_like(angles)
        # Angular velocities are linear in the rates: columns by unit rates.
        turning = [angular_motion(angles, still + unit, still)[0] for unit in np.eye(3)]
        to_rates = np.linalg.inv(np.stack(turning, axis=-1))
        rates = np.einsum("nij,nj->ni", to_rates, velocity[:, three])
        rest = acceleration[:, three] - angular_motion(angles, rates, still)[1]
        position[:, three], velocity[:, three] = angles, rates
        acceleration[:, three] = np.einsum("nij,nj->ni", to_rates, rest)
    return position, velocity, acceleration


def part_columns(found: Study) -> dict[str, Array]:
    """What the efforts are for, `gravity_waist` and so on."""
    columns: dict[str, Array] = {}
    for cause, values in found.parts.items():
        columns |= _named(cause.replace(" ", "-"), found.robot.efforts.names, values)
    return columns


def reaction_columns(found: Study) -> dict[str, Array]:
    """Forces and moments by joint, base axes: `reaction_elbow_fx`, `reaction_leg1 start_mz`."""
    reactions = found.joint_reactions
    columns: dict[str, Array] = {}
    for letter, values in (("f", reactions.force), ("m", reactions.moment)):
        names = [f"{name}_{letter}{axis}" for name in reactions.names for axis in AXES]
        columns |= _named("reaction", names, values.reshape(len(values), -1))
    return columns


def _named(group: str, names: Sequence[str], values: Array) -> dict[str, Array]:
    return {f"{group}_{name}": values[:, k] for k, name in enumerate(names)}
