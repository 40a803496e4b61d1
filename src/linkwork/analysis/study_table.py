"""The table of a study: efforts, motion, causes and reactions, for CSV, pandas and xarray."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from linkwork.core.labeled import Labeled, LabeledTable, axes_of
from linkwork.motion.header import motion_columns
from linkwork.motion.spaces import angles_of_motion
from linkwork.robot.robot import Array

if TYPE_CHECKING:
    from linkwork.analysis.study import Study

STATE = ("position", "velocity", "acceleration")
AXES = ("x", "y", "z")


def study_table(
    found: Study,
    efforts: Mapping[str, Array],
    *,
    state: bool = False,
    parts: bool = False,
    reactions: bool = False,
) -> LabeledTable:
    """Efforts by formulation, and what else is asked for.

    The columns are `effort_waist` for one formulation, `angeles_waist` and so on for several; those of
    the motion have the names of motion files, so that `linkwork inverse` reads them again; causes are
    `gravity_waist`, reactions `reaction_elbow_fx`.
    """
    own = found.robot.efforts
    arrays = {"time": Labeled(found.time, ("time",), units="s")}
    for formulation, values in efforts.items():
        name = "effort" if len(efforts) == 1 else formulation
        arrays[name] = Labeled(values, ("time", "actuator"), own.names, own.units)
    if state:
        arrays |= _state(found)
    for cause, values in found.parts.items() if parts else ():
        arrays[cause.replace(" ", "-")] = Labeled(values, ("time", "actuator"), own.names, own.units)
    if reactions:
        arrays |= _reactions(found)
    return LabeledTable("time", arrays, {"robot": found.robot.name, "motion": found.motion_name})


def _state(found: Study) -> dict[str, Labeled]:
    """As motion files have it: quaternions of poses, roll, pitch and yaw of other bodies."""
    robot, coordinates = found.robot, found.robot.coordinates
    motion = (found.position, found.velocity, found.acceleration)
    shown, rates = coordinates, robot.velocities
    units = [shown.units, rates.units, [f"{unit}^2" for unit in rates.units]]
    names = [shown.names, rates.names, rates.names]
    if not coordinates.is_pose:
        motion, shown = angles_of_motion(coordinates, *motion), coordinates.by_angles
        names = [shown.names] * 3
        units = [[f"{unit}{per}" for unit in shown.units] for per in ("", "/s", "/s^2")]
    own = () if robot.moved_by_motors else coordinates.by_angles.names
    kind = "pose" if coordinates.is_pose else "joint"
    headers = iter(motion_columns(kind, len(coordinates.by_angles), own)[1:])
    axes = axes_of({"effort": robot.efforts.names, **dict(zip(STATE, names, strict=True))})
    return {
        what: Labeled(
            values, ("time", axes[what]), names[k], units[k], [next(headers) for _ in names[k]]
        )
        for k, (what, values) in enumerate(zip(STATE, motion, strict=True))
    }


def _reactions(found: Study) -> dict[str, Labeled]:
    """Forces and moments by joint, in base axes."""
    reactions = found.joint_reactions
    arrays = {}
    for what, unit, values in (("force", "N", reactions.force), ("moment", "N m", reactions.moment)):
        labels = [f"{name}_{what[0]}{axis}" for name in reactions.names for axis in AXES]
        table = np.reshape(values, (len(values), -1))
        headers = [f"reaction_{label}" for label in labels]
        arrays[f"reaction_{what}"] = Labeled(table, ("time", f"{what}_component"), labels, unit, headers)
    return arrays
