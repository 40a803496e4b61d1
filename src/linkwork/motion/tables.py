"""Motions in files: CSV with a header, NPZ, and YAML with the arguments of a motion.

Any file may be damaged or meant for something else: sizes are looked at before anything is read, and
every fault of a table is told with its line.
"""

from __future__ import annotations

import math
import zipfile
from array import array
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy

from linkwork.core.arguments import path_of
from linkwork.core.checked import checked
from linkwork.core.errors import InputError, MotionFileError
from linkwork.core.input_files import LARGEST_TABLE, csv_rows, opened, separator_of
from linkwork.core.table_files import text_of_cell, write_table
from linkwork.files.faults import Fault, shown, texts_of
from linkwork.motion.header import TABLES, ColumnLayout, Expected, motion_columns, read_header
from linkwork.motion.inputs import LARGEST
from linkwork.motion.splines import SampledPoses, SampledTrajectory
from linkwork.motion.trajectory import CoordinatePath, Motion, Trajectory
from linkwork.robot.robot import Array

READERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
MOST_FAULTS = 1000  # after which reading stops: the file is hopeless
HOPELESS = 9  # faults before there was any row of numbers; as many lines as a message has
SAMPLED, WRITTEN = (".csv", ".npz"), (".yaml", ".yml")
TIMES = ("time", "t")


@checked
def read_motion(
    path: str | Path, joint_names: Sequence[str] | None = None, *, expected: Expected | None = None
) -> Motion:
    """A motion from a file.

    CSV: a header, then numbers. Columns go by their names, in any order and case: `t` or `time`;
    `q1, q2, ...` or joint names; `leg1, leg2, ...`; `x, y, z` (or `surge, sway, heave`) and
    `roll, pitch, yaw` or `qw, qx, qy, qz`. Velocities and accelerations may follow: `qd1 ...`,
    `qdd1 ...`, or `<joint>.velocity`, `<joint>.acceleration`; `vx vy vz wx wy wz`,
    `ax ay az alphax alphay alphaz`. Units are SI and radians unless the name says another:
    `q1 [deg]`, `pitch_deg`, `x (mm)`. NPZ: arrays `time` and `q` (`qd`, `qdd`) or `pose` (`twist`,
    `acceleration`). Both are sampled motions. YAML: `kind: quintic` and the like, with the arguments
    of that motion. Columns `effort_...` are passed over.

    Args:
        joint_names: of the robot; columns that go by names are put into this order.
        expected: what the robot's motions may hold, in place of `joint_names`.
    """
    file = path_of(path)
    ending = motion_ending(file, (*SAMPLED, *WRITTEN))
    if expected is None:
        expected = Expected() if joint_names is None else Expected.of_joints(joint_names, "the robot")
    if ending in WRITTEN:
        from linkwork.motion.motion_kinds import read_written  # motions of all kinds

        return read_written(file, expected)
    time, tables = read_table(file, expected)
    try:
        return SampledTrajectory(time, **tables) if "q" in tables else SampledPoses(time, **tables)
    except InputError as error:
        raise InputError(f"{file}: {error}") from error


def read_table(file: Path, expected: Expected) -> tuple[Array, dict[str, Array]]:
    """Times and tables of a .csv or .npz, in SI units and as they stand there."""
    if file.suffix.lower() != ".csv":
        return _read_npz(file, expected)

    def layout_of(header: list[str], where: str) -> ColumnLayout:
        return read_header(header, where, expected)

    measured = bool(expected.efforts)
    return read_columns(file, layout_of, "t,q1,q2", "s", others=measured, repeats=measured)


def motion_ending(file: Path, allowed: tuple[str, ...] = SAMPLED) -> str:
    """The ending of a motion file, which tells its format."""
    ending = file.suffix.lower()
    if ending not in allowed:
        words = f"{', '.join(allowed[:-1])} or {allowed[-1]}"
        raise InputError(f"{file}: the name of a motion file ends with {words}.")
    return ending


def line_of_row(source: str, row: int | None) -> int | None:
    """The line of a row of a CSV."""
    if row is None or not source.lower().endswith(".csv"):
        return None
    return next((line for line, _ in islice(csv_rows(source), row + 1, None)), None)


def read_columns(
    file: Path,
    layout_of: Callable[[list[str], str], ColumnLayout],
    example: str,
    unit: str,
    others: bool = False,
    repeats: bool = False,
    ordered: bool = True,
) -> tuple[Array, dict[str, Array]]:
    """The first quantity of a .csv (times, frequencies), which increases, and its tables, in SI units.

    Args:
        layout_of: what the columns are, from the header and its place (for errors).
        example: of a header.
        unit: of the first quantity.
        others: columns that the layout does not use may hold anything, and other signs than commas may
            separate them; cells of a sparse layout may be empty, and are NaN.
        repeats: the first quantity may stay the same from row to row.
        ordered: else it may do what it likes.
    """
    layout: ColumnLayout | None = None
    header: list[str] = []
    values = array("d")
    faults: list[Fault] = []
    now = -math.inf
    used: set[int] = set()
    sparse = False
    for number, cells in csv_rows(file, LARGEST_TABLE, separator_of(file) if others else ","):
        if layout is None:
            cells = [text_of_cell(cell) for cell in cells]
            header = [name.strip() for name in cells]
            where = f"{file}, line {number}"
            if all(map(_is_number, header)):
                raise InputError(f"{where}: a header such as {example} is missing. Add it.")
            layout = layout_of(cells, where)
            used = layout.used()
            sparse = layout.map is not None and layout.map.sparse
            continue
        if others:  # what a log holds besides may be anything
            cells = [cell if k in used else "0" for k, cell in enumerate(cells)]
        row = _numbers(cells, header, number, faults, layout.time.at if sparse else None)
        if row is not None:
            before, now = now, row[layout.time.at]
            if ordered and (now < before or (now == before and not repeats)):
                what = f"{now!r} {unit} does not come after {before!r} {unit}; it must increase."
                faults.append(Fault(_column(layout.time.at, header), what, number))
            values.extend(row)
        if len(faults) >= (MOST_FAULTS if values else HOPELESS):
            faults.append(Fault("", "reading stopped here", number))
            break
        if len(values) > LARGEST:
            where = f"{file}, line {number}"
            raise InputError(f"{where}: more than {LARGEST} numbers. Split the motion.")
    if layout is None:
        raise InputError(f"{file}: empty; a header such as {example} and rows of numbers are needed.")
    if faults:
        raise MotionFileError(str(file), texts_of(faults))
    return layout.tables_of(np.array(values, dtype=np.float64).reshape(-1, len(header)))


def _column(k: int, header: list[str]) -> str:
    return f"column {k + 1} ({header[k]})"


def _numbers(
    cells: list[str], header: list[str], line: int, faults: list[Fault], needed: int | None = None
) -> list[float] | None:
    """The numbers of a row; nothing, and its faults noted, if it has any.

    Args:
        needed: the only column that may not be empty; None: none may.
    """
    if len(cells) != len(header):
        what = f"{len(cells)} columns where the header has {len(header)}."
        if len(cells) == 2 * len(header):
            what += " Are there decimal commas? Write 0.5 rather than 0,5."
        faults.append(Fault("", what, line))
        return None
    if needed is not None:
        cells = [cell if cell.strip() or k == needed else "nan" for k, cell in enumerate(cells)]
    try:
        row = [float(cell) for cell in cells]
        if needed is not None and math.isfinite(row[needed]) and _is_plain("".join(cells)):
            return row
        if all(map(math.isfinite, row)) and _is_plain("".join(cells)):
            return row
    except ValueError:
        pass
    for k, cell in enumerate(cells):
        if not _is_number(cell):
            what = f"{shown(cell.strip())}; expected finite numbers."
            faults.append(Fault(_column(k, header), what, line))
    return None


def _is_plain(text: str) -> bool:
    """Python also reads 1_0 and digits of other scripts, which no table means."""
    return text.isascii() and "_" not in text


def _is_number(cell: str) -> bool:
    try:
        return math.isfinite(float(cell)) and _is_plain(cell)
    except ValueError:
        return False


def _read_npz(file: Path, expected: Expected) -> tuple[Array, dict[str, Array]]:
    stored = {name: name for tables in TABLES.values() for name in tables}
    if expected.efforts:  # as `linkwork simulate -o` writes them
        own = TABLES["pose" if expected.moves_platform else "joint"]
        stored |= dict(zip(("position", "velocity"), own[:2], strict=True))
        stored |= {"effort": "effort", "current": "current"}
    read = read_arrays(file, (*TIMES, *stored), LARGEST_TABLE)
    arrays = {stored.get(name, name): values for name, values in read.items()}
    kinds = [kind for kind, tables in TABLES.items() if tables[0] in arrays]
    times = [name for name in TIMES if name in arrays]
    if len(times) != 1 or len(kinds) != 1:
        raise InputError(
            f"{file}: has {', '.join(arrays)}; needed are time and either q (with qd, qdd) or pose "
            "(with twist, acceleration)."
        )
    if kinds == ["pose"] and not expected.poses:
        raise InputError(f"{file}: has pose; {expected}, or an array q.")
    tables = {name: arrays[name] for name in TABLES[kinds[0]] if name in arrays}
    if "q" in tables and expected.names is not None:
        shape = tables["q"].shape
        if shape[-1:] != (len(expected.names),):
            raise InputError(f"{file}: q has shape {shape}; the robot has {len(expected.names)} joints.")
    if expected.efforts:
        needed = (len(arrays[times[0]]), len(expected.efforts))
        measured = "current" if "current" in arrays and "effort" not in arrays else "effort"
        if measured not in arrays or arrays[measured].shape != needed:
            raise InputError(
                f"{file}: a log needs an array effort of shape {needed}, or currents of the motors as "
                "an array current."
            )
        tables[measured] = arrays[measured]
    return arrays[times[0]], tables


def read_arrays(file: Path, names: tuple[str, ...], largest: int) -> dict[str, Any]:
    """Those of the named arrays that the archive holds, as they are stored.

    Args:
        largest: bytes that they may have together. Compressed zeros unpack to a thousand times their
            size, and a header may promise more than there is: sizes are looked at first.
    """
    try:
        with opened(file, LARGEST_TABLE) as stream, zipfile.ZipFile(stream) as archive:
            entries = {entry.filename.removesuffix(".npy"): entry for entry in archive.infolist()}
            chosen = {name: entries[name] for name in names if name in entries}
            if (size := sum(entry.file_size for entry in chosen.values())) > largest:
                raise InputError(f"{file}: unpacks to {size} bytes; expected at most {largest}.")
            if not chosen:
                held = ", ".join(name[:40] for name in list(entries)[:10]) or "no arrays"
                raise InputError(f"{file}: has {held}; needed are {', '.join(names)}.")
            return {name: _array(archive, entry, file, name) for name, entry in chosen.items()}
    except InputError:
        raise
    except MemoryError:
        raise InputError(f"{file}: not enough memory for its arrays.") from None
    except Exception as error:  # a damaged archive fails in zipfile, zlib, ast or NumPy, in any way
        raise InputError(f"{file}: not a NumPy archive of plain numbers ({error}).") from error


def _array(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, file: Path, name: str) -> Any:
    with archive.open(entry) as stream:
        version = npy.read_magic(stream)
        if version not in READERS:
            raise ValueError(f"{name} has version {version}")
        shape, by_columns, dtype = READERS[version](stream)
        if dtype.kind not in "iuf":
            raise InputError(f"{file}: {name} holds {dtype}; expected real numbers.")
        count = math.prod(shape)
        if count * dtype.itemsize > entry.file_size:
            raise ValueError(f"{name} has shape {shape} but only {entry.file_size} bytes")
        flat = np.frombuffer(stream.read(), dtype=dtype)
    if flat.size != count:
        raise ValueError(f"{name} has shape {shape} but {flat.size} numbers")
    return flat.reshape(shape, order="F" if by_columns else "C")


@checked
def write_motion(trajectory: Motion, path: str | Path, period: float) -> None:
    """Write a trajectory with its rates, sampled every `period` seconds, as .csv or .npz.

    The end is always written (see `Trajectory.sample`). The file appears whole or not at all.
    """
    if not isinstance(trajectory, Trajectory):
        raise InputError(f"trajectory = {trajectory!r}: expected a motion such as lw.Quintic(...).")
    motion_ending(path_of(path))
    if isinstance(trajectory, CoordinatePath):
        trajectory = trajectory.path  # files have angles beside other coordinates
    times, motion = trajectory.sample(period)
    rows = np.concatenate([times[:, None], *motion], axis=1)
    columns = dict(zip(motion_columns(trajectory.kind, trajectory.n), rows.T, strict=True))
    arrays = dict(zip(TABLES[trajectory.kind], motion, strict=True))
    write_table(path, columns, {"time": times, **arrays})
