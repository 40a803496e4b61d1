"""Recordings as motions: from their own start, about home if they are excursions, sampled anew."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from linkwork.errors import InputError
from linkwork.interface.robot import Array
from linkwork.motion.header import Expected
from linkwork.motion.inputs import instants_with_end
from linkwork.motion.reading import SAMPLED, motion_ending, read_table
from linkwork.motion.sampled import Sampled, SampledPoses


def recorded(
    expected: Expected, path: Path, resample: float | None = None, relative: str | None = None
) -> Sampled | SampledPoses:
    """The motion in a .csv or .npz, whose times may begin anywhere.

    Args:
        resample: period [s] of a new, even grid, by monotone cubic interpolation: recordings jitter.
        relative: "home" adds the robot's home, for recordings of excursions.
    """
    motion_ending(path, SAMPLED)
    time, tables = read_table(path, expected)
    name = "q" if "q" in tables else "pose"
    values = np.asarray(tables[name], dtype=np.float64)
    if len(time) < 2 or values.ndim != 2:
        raise InputError(f"{path}: a recording needs two rows or more.")
    time = np.asarray(time, dtype=np.float64) - time[0]
    if relative is not None:
        values = shifted(values, expected)
    if resample is not None:
        time, values = _resampled(time, values, resample, path)
    return Sampled(time, values) if name == "q" else SampledPoses(time, values)


def shifted(rows: Array, expected: Expected) -> Array:
    """Rows of excursions as rows of positions, about the robot's home."""
    home = np.array(expected.home)
    if not len(home):
        raise InputError("relative: home needs a robot; read the motion for one.")
    if rows.shape[-1] != len(home):
        raise InputError(
            f"relative: home adds {len(home)} numbers of {expected.robot}'s home to {rows.shape[-1]} of "
            "the motion; a relative pose has x, y, z, roll, pitch, yaw."
        )
    return np.asarray(rows + home)


def _resampled(time: Array, values: Array, period: float, path: Path) -> tuple[Array, Array]:
    if (np.diff(time) <= 0).any() or not np.isfinite(values).all():
        raise InputError(f"{path}: times must increase and numbers be finite to sample them anew.")
    from scipy.interpolate import PchipInterpolator

    grid = instants_with_end(float(time[-1]), period)
    with np.errstate(all="ignore"):  # what overflows is refused by the curve
        return grid, np.asarray(PchipInterpolator(time, values)(grid))
