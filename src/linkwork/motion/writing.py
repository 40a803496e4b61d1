"""Motions to files: CSV with a header, and NPZ."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from linkwork.checks import path_of
from linkwork.errors import InputError
from linkwork.interface.robot import Array
from linkwork.motion.columns import joint_columns, pose_columns
from linkwork.motion.coordinate_path import CoordinatePath
from linkwork.motion.inputs import instants_with_end
from linkwork.motion.reading import NPZ_TABLES, motion_ending
from linkwork.motion.trajectory import JointTrajectory, PoseTrajectory, Trajectory
from linkwork.tables import write_table


def write_motion(trajectory: JointTrajectory | PoseTrajectory, path: str | Path, period: float) -> None:
    """Write a trajectory with its rates, sampled every `period` seconds, as .csv or .npz.

    The end is always written (see `Trajectory.sample`). The file appears whole or not at all.
    """
    if not isinstance(trajectory, Trajectory):
        raise InputError(f"trajectory = {trajectory!r}: allowed is a motion such as lw.Quintic(...).")
    motion_ending(path_of(path))
    if isinstance(trajectory, CoordinatePath):
        trajectory = trajectory.path  # files have angles beside other coordinates
    times = instants_with_end(trajectory.duration, period)
    motion: Sequence[Array] = trajectory.at(times)
    header = joint_columns(trajectory.n) if isinstance(trajectory, JointTrajectory) else pose_columns()
    rows = np.concatenate([times[:, None], *motion], axis=1)
    names = NPZ_TABLES["q" if trajectory.kind == "joint" else "pose"]
    arrays = {"time": times, **dict(zip(names, motion, strict=True))}
    write_table(path, dict(zip(header, rows.T, strict=True)), arrays)
