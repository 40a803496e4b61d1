"""Motions from files: CSV with a header, and NPZ."""

from __future__ import annotations

import csv
import math
import zipfile
from array import array
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from linkwork.errors import InputError
from linkwork.motion.columns import Layout, read_header
from linkwork.motion.inputs import LARGEST
from linkwork.motion.sampled import Sampled, SampledPoses
from linkwork.robot import Array

LARGEST_FILE = 500_000_000  # bytes
NPZ_TABLES = {"q": ("q", "qd", "qdd"), "pose": ("pose", "twist", "acceleration")}


def read_motion(path: str | Path, joint_names: Sequence[str] | None = None) -> Sampled | SampledPoses:
    """A sampled motion from a file.

    CSV: a header, then numbers. `t` and `q1, q2, ...` or joint names; or `t, x, y, z` and
    `roll, pitch, yaw` or `qw, qx, qy, qz`. Rates may follow: `qd1 ...`, `qdd1 ...`, or `<joint>.rate`,
    `<joint>.acceleration`; `vx vy vz wx wy wz`, `ax ay az alphax alphay alphaz`. NPZ: arrays `time` and
    `q` (`qd`, `qdd`) or `pose` (`twist`, `acceleration`).

    Args:
        joint_names: of the robot; columns that go by names are put into this order.
    """
    file = Path(path)
    reader = by_suffix(file, _read_csv, _read_npz)
    try:
        size = file.stat().st_size
    except OSError as error:
        raise InputError(f"{file}: cannot be read ({error.strerror}).") from error
    if size > LARGEST_FILE:
        raise InputError(f"{file}: {size} bytes; allowed are {LARGEST_FILE}. Split the motion.")
    try:
        time, tables = reader(file, joint_names)
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{file}: cannot be read ({error}).") from error
    try:
        return Sampled(time, **tables) if "q" in tables else SampledPoses(time, **tables)
    except InputError as error:
        raise InputError(f"{file}: {error}") from error


def by_suffix(file: Path, for_csv: Any, for_npz: Any) -> Any:
    """What to do with a file of this name."""
    try:
        return {".csv": for_csv, ".npz": for_npz}[file.suffix.lower()]
    except KeyError:
        raise InputError(f"{file}: the name of a motion file ends with .csv or .npz.") from None


def _read_csv(file: Path, joint_names: Sequence[str] | None) -> tuple[Array, dict[str, Array]]:
    layout: Layout | None = None
    header: list[str] = []
    values = array("d")
    now = -math.inf
    with file.open(newline="", encoding="utf-8-sig") as stream:
        lines = csv.reader(stream)
        try:
            for cells in lines:
                where = f"{file}, line {lines.line_num}"
                if not any(cell.strip() for cell in cells):
                    continue
                if layout is None:
                    header, layout = cells, read_header(cells, where, joint_names)
                    continue
                row = _numbers(cells, header, where)
                before, now = now, row[layout.time]
                if now <= before:
                    raise InputError(
                        f"{where}, column {layout.time + 1} ({header[layout.time].strip()}): {now!r} s "
                        f"does not come after {before!r} s; times must increase."
                    )
                values.extend(row)
                if len(values) > LARGEST:
                    raise InputError(f"{where}: more than {LARGEST} numbers. Split the motion.")
        except csv.Error as error:
            raise InputError(f"{file}, line {lines.line_num}: {error}.") from error
    if layout is None:
        raise InputError(f"{file}: empty; a header such as t,q1,q2 and rows of numbers are needed.")
    table = np.array(values, dtype=np.float64).reshape(-1, len(header))
    return table[:, layout.time], {name: table[:, cells] for name, cells in layout.tables.items()}


def _numbers(cells: list[str], header: list[str], where: str) -> list[float]:
    if len(cells) != len(header):
        raise InputError(f"{where}: {len(cells)} columns where the header has {len(header)}.")
    try:
        row = [float(cell) for cell in cells]
        if all(map(math.isfinite, row)):
            return row
    except ValueError:
        pass
    k = next(k for k, cell in enumerate(cells) if not _is_number(cell))
    raise InputError(
        f"{where}, column {k + 1} ({header[k].strip()}): {cells[k].strip()!r}; allowed are finite "
        "numbers."
    )


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
