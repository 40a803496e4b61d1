"""Motions to files: CSV with a header, and NPZ."""

from __future__ import annotations

import csv
import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from linkwork.errors import LinkworkError
from linkwork.motion.columns import joint_columns, pose_columns
from linkwork.motion.inputs import sample_count
from linkwork.motion.reading import NPZ_TABLES, by_suffix
from linkwork.motion.trajectory import JointTrajectory, PoseTrajectory
from linkwork.robot import Array


def write_motion(trajectory: JointTrajectory | PoseTrajectory, path: str | Path, period: float) -> None:
    """Write a trajectory with its rates, sampled every `period` seconds, as .csv or .npz.

    The end is always written: the last step is between half a period and one and a half. The file
    appears whole or not at all.
    """
    file = Path(path)
    writer = by_suffix(file, _write_csv, _write_npz)
    count = sample_count(trajectory.duration, period)
    times = period * np.arange(count, dtype=np.float64)
    times = np.append(times[times < trajectory.duration - period / 2], trajectory.duration)
    motion: Sequence[Array] = trajectory.at(times)
    part = file.with_name(f".{file.name}.{secrets.token_hex(4)}.part")
    try:
        try:
            writer(part, trajectory, times, motion)
            part.replace(file)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        raise LinkworkError(f"{file}: cannot be written ({error.strerror}).") from error


def _write_csv(
    part: Path, trajectory: JointTrajectory | PoseTrajectory, times: Array, motion: Sequence[Array]
) -> None:
    header = joint_columns(trajectory.n) if isinstance(trajectory, JointTrajectory) else pose_columns()
    with part.open("x", newline="", encoding="utf-8") as stream:
        lines = csv.writer(stream)
        lines.writerow(header)
        # Python's own floats print with all their digits and no more.
        lines.writerows(np.concatenate([times[:, None], *motion], axis=1).tolist())


def _write_npz(
    part: Path, trajectory: JointTrajectory | PoseTrajectory, times: Array, motion: Sequence[Array]
) -> None:
    names = NPZ_TABLES["q" if trajectory.kind == "joint" else "pose"]
    tables: dict[str, Any] = {"time": times, **dict(zip(names, motion, strict=True))}
    with part.open("xb") as stream:
        np.savez_compressed(stream, **tables)
