"""Measured poses of a tool with what the motors read there, from arrays or from a table."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from linkwork.core.arguments import numbers, path_of, rows
from linkwork.core.errors import InputError
from linkwork.core.rotations import from_angles, pose_array, rotation_of, unit_poses
from linkwork.files.faults import shortened
from linkwork.motion.column_maps import UNUSED, column_map
from linkwork.motion.header import POSITION, Column, ColumnLayout, Expected, understood
from linkwork.motion.tables import motion_ending, read_columns
from linkwork.robot.coordinates import ANGLES, QUATERNION
from linkwork.robot.robot import Array, Robot


@dataclass(frozen=True, eq=False)
class MeasuredPoses:
    """Readings of the motors (N, n), places of the tool (N, 3) and, if measured, its axes (N, 3, 3)."""

    readings: Array
    places: Array
    axes: Array | None
    source: str = "measured"

    def __len__(self) -> int:
        return len(self.readings)


def measured_poses(
    robot: Robot,
    measured: Mapping[str, ArrayLike] | str | os.PathLike[str],
    columns: Mapping[str, str] | None = None,
) -> MeasuredPoses:
    """Of a .csv, or of arrays: `readings` (N, n) and `poses` (N, 7), (N, 6) or, places only, (N, 3)."""
    if not isinstance(measured, Mapping):
        return _read(robot, measured, columns)
    if {*measured} != {"readings", "poses"}:
        raise InputError(
            f"measured has {', '.join(map(str, measured)) or 'nothing'}; expected readings (N, "
            f"{robot.n}) and poses (N, 7), (N, 6) or (N, 3)."
        )
    readings = rows(measured["readings"], "readings", robot.n)
    poses = numbers(measured["poses"], "poses")
    if poses.ndim != 2 or poses.shape[1] not in (3, 6, 7) or len(poses) != len(readings):
        raise InputError(
            f"poses has shape {poses.shape}; expected ({len(readings)}, 7), ({len(readings)}, 6) or, "
            f"places only, ({len(readings)}, 3)."
        )
    axes = None if poses.shape[1] == 3 else rotation_of(unit_poses(poses, "poses"))
    return MeasuredPoses(readings, poses[:, :3], axes)


def _read(
    robot: Robot, path: str | os.PathLike[str], columns: Mapping[str, str] | None
) -> MeasuredPoses:
    file = Path(path_of(path, "measured"))
    motion_ending(file, (".csv",))
    measures = tuple("angle" if unit == "N m" else "length" for unit in robot.efforts.units)
    expected = Expected(robot.name, robot.efforts.names, measures)
    names = None if columns is None else column_map(columns)

    def layout_of(header: Sequence[str], where: str) -> ColumnLayout:
        words = [word.strip() for word in header]
        if names is not None:
            names.refuse_missing(words, where)
            words = names.renamed(words, robot.efforts.names, where)
        return _layout(words, where, expected)

    example = ",".join([*robot.efforts.names[:2], "...", "x", "y", "z"])
    _, tables = read_columns(file, layout_of, example, "", ordered=False)
    axes = None
    if "orientation" in tables:
        turned = tables["orientation"]
        four = from_angles(turned) if turned.shape[1] == 3 else turned
        poses = pose_array(np.concatenate([tables["places"], four], axis=1), str(file))
        axes = rotation_of(unit_poses(poses, str(file)))
    return MeasuredPoses(tables["readings"], tables["places"], axes, str(path))


def _layout(words: Sequence[str], where: str, expected: Expected) -> ColumnLayout:
    found: dict[int | str, Column] = {}
    unknown = []
    for k, word in enumerate(words):
        if word.startswith(UNUSED):
            continue
        known = understood(word, expected, f"{where}, column {k + 1}")
        if known is None or known[0].order:
            unknown.append(f"column {k + 1}: {shortened(word)!r}")
        elif known[0].kind != "time":
            if known[0].place in found:
                raise InputError(f"{where}, column {k + 1}: {word!r} appears twice; keep one.")
            found[known[0].place] = Column(k, known[1])
    names = expected.names or ()
    wanted: list[tuple[str, list[int | str]]]
    wanted = [("readings", [*range(len(names))]), ("places", [*POSITION])]
    turned = [group for group in (QUATERNION, ANGLES) if any(name in found for name in group)]
    if len(turned) > 1:
        raise InputError(f"{where}: an orientation is roll, pitch, yaw or qw, qx, qy, qz; keep one.")
    wanted += [("orientation", [*group]) for group in turned]
    missing = [
        names[place] if isinstance(place, int) else place
        for _, places in wanted
        for place in places
        if place not in found
    ]
    if missing or unknown:
        told = f"no column for {', '.join(missing[:8])}" if missing else f"{', '.join(unknown[:6])}"
        raise InputError(
            f"{where}: {told}{'' if missing else ' is not known'}; expected what the motors read "
            f"({', '.join(names[:8])}, or q1 ...), x, y, z and roll, pitch, yaw or qw, qx, qy, qz of "
            "the tool, with units as x [mm]; other columns by --columns."
        )
    tables = {table: [found[place] for place in places] for table, places in wanted}
    return ColumnLayout("measured", tables["readings"][0], tables)
