"""Motions from files: CSV with a header, NPZ and YAML."""

from __future__ import annotations

import csv
import math
import zipfile
from array import array
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from linkwork.errors import InputError, MotionFileError
from linkwork.interface.robot import Array
from linkwork.motion.columns import Layout, read_header
from linkwork.motion.inputs import LARGEST
from linkwork.motion.sampled import Sampled, SampledPoses
from linkwork.motion.trajectory import JointTrajectory, PoseTrajectory
from linkwork.robots.faults import Fault, shown, texts_of

LARGEST_FILE = 500_000_000  # bytes
SAMPLED, WRITTEN = (".csv", ".npz"), (".yaml", ".yml")
NPZ_TABLES = {"q": ("q", "qd", "qdd"), "pose": ("pose", "twist", "acceleration")}


def read_motion(
    path: str | Path, joint_names: Sequence[str] | None = None
) -> JointTrajectory | PoseTrajectory:
    """A motion from a file.

    CSV: a header, then numbers. `t` and `q1, q2, ...` or joint names; or `t, x, y, z` and
    `roll, pitch, yaw` or `qw, qx, qy, qz`. Rates may follow: `qd1 ...`, `qdd1 ...`, or `<joint>.rate`,
    `<joint>.acceleration`; `vx vy vz wx wy wz`, `ax ay az alphax alphay alphaz`. NPZ: arrays `time` and
    `q` (`qd`, `qdd`) or `pose` (`twist`, `acceleration`). Both are sampled motions. YAML: `kind:
    quintic` and the like, with the arguments of that motion. Columns `effort_...` are passed over.

    Args:
        joint_names: of the robot; columns that go by names are put into this order.
    """
    file = Path(path)
    ending = motion_ending(file, (*SAMPLED, *WRITTEN))
    try:
        size = file.stat().st_size
        if size > LARGEST_FILE:
            raise InputError(f"{file}: {size} bytes; allowed are {LARGEST_FILE}. Split the motion.")
        if ending in WRITTEN:
            from linkwork.motion.motion_file import read_written  # pydantic is slow to load

            return read_written(file)
        time, tables = (_read_csv if ending == ".csv" else _read_npz)(file, joint_names)
    except OSError as error:
        raise InputError(f"{file}: cannot be read ({error.strerror or error}).") from error
    except UnicodeDecodeError as error:
        byte = error.object[error.start]
        raise InputError(f"{file}: byte 0x{byte:02x} is not UTF-8; save the file as UTF-8.") from error
    try:
        return Sampled(time, **tables) if "q" in tables else SampledPoses(time, **tables)
    except InputError as error:
        raise InputError(f"{file}: {error}") from error


def motion_ending(file: Path, allowed: tuple[str, ...] = SAMPLED) -> str:
    """The ending of a motion file, which tells its format."""
    ending = file.suffix.lower()
    if ending not in allowed:
        words = f"{', '.join(allowed[:-1])} or {allowed[-1]}"
        raise InputError(f"{file}: the name of a motion file ends with {words}.")
    return ending


def _read_csv(file: Path, joint_names: Sequence[str] | None) -> tuple[Array, dict[str, Array]]:
    layout: Layout | None = None
    header: list[str] = []
    values = array("d")
    faults: list[Fault] = []
    now = -math.inf
    with file.open(newline="", encoding="utf-8-sig") as stream:
        lines = csv.reader(stream)
        try:
            for cells in lines:
                number = lines.line_num
                if not any(cell.strip() for cell in cells):
                    continue
                if layout is None:
                    header = [name.strip() for name in cells]
                    where = f"{file}, line {number}"
                    if all(map(_is_number, header)):
                        raise InputError(f"{where}: a header such as t,q1,q2 is missing. Add it.")
                    layout = read_header(cells, where, joint_names)
                    continue
                row = _numbers(cells, header, number, faults)
                if row is None:
                    continue
                before, now = now, row[layout.time]
                if now <= before:
                    what = f"{now!r} s does not come after {before!r} s; times must increase."
                    faults.append(Fault(_column(layout.time, header), what, number))
                values.extend(row)
                if len(values) > LARGEST:
                    where = f"{file}, line {number}"
                    raise InputError(f"{where}: more than {LARGEST} numbers. Split the motion.")
        except csv.Error as error:
            raise InputError(f"{file}, line {lines.line_num}: {error}.") from error
    if layout is None:
        raise InputError(f"{file}: empty; a header such as t,q1,q2 and rows of numbers are needed.")
    if faults:
        raise MotionFileError(str(file), texts_of(faults))
    table = np.array(values, dtype=np.float64).reshape(-1, len(header))
    return table[:, layout.time], {name: table[:, cells] for name, cells in layout.tables.items()}


def _column(k: int, header: list[str]) -> str:
    return f"column {k + 1} ({header[k]})"


def _numbers(cells: list[str], header: list[str], line: int, faults: list[Fault]) -> list[float] | None:
    """The numbers of a row; nothing, and its faults noted, if it has any."""
    if len(cells) != len(header):
        what = f"{len(cells)} columns where the header has {len(header)}."
        faults.append(Fault("", what, line))
        return None
    try:
        row = [float(cell) for cell in cells]
        if all(map(math.isfinite, row)):
            return row
    except ValueError:
        pass
    for k, cell in enumerate(cells):
        if not _is_number(cell):
            what = f"{shown(cell.strip())}; allowed are finite numbers."
            faults.append(Fault(_column(k, header), what, line))
    return None


def _is_number(cell: str) -> bool:
    try:
        return math.isfinite(float(cell))
    except ValueError:
        return False


def _read_npz(file: Path, joint_names: Sequence[str] | None) -> tuple[Array, dict[str, Array]]:
    try:
        with zipfile.ZipFile(file) as archive:
            # Compressed zeros unpack to a thousand times their size: look before unpacking.
            unpacked = sum(entry.file_size for entry in archive.infolist())
        if unpacked > LARGEST_FILE:
            raise InputError(f"{file}: unpacks to {unpacked} bytes; allowed are {LARGEST_FILE}.")
        with np.load(file, allow_pickle=False) as data:
            main = [name for name in NPZ_TABLES if name in data.files]
            if "time" not in data.files or len(main) != 1:
                raise InputError(
                    f"{file}: has {', '.join(data.files) or 'no arrays'}; needed are time and either q "
                    "(with qd, qdd) or pose (with twist, acceleration)."
                )
            tables = {name: data[name] for name in NPZ_TABLES[main[0]] if name in data.files}
            time = data["time"]
    except (zipfile.BadZipFile, ValueError, EOFError, KeyError) as error:
        raise InputError(f"{file}: not a NumPy archive of plain numbers ({error}).") from error
    shape = tables[main[0]].shape
    if main[0] == "q" and joint_names is not None and shape[-1:] != (len(joint_names),):
        raise InputError(f"{file}: q has shape {shape}; the robot has {len(joint_names)} joints.")
    return time, tables
