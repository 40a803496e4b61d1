"""What cannot be right in a log, told with its line, its column and what to do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from linkwork.core.input_files import csv_rows, separator_of
from linkwork.core.table_files import text_of_cell
from linkwork.files.faults import Fault
from linkwork.identification.resampling import jumps, usual_step
from linkwork.motion.header import TABLES, Column, ColumnLayout, Expected, read_header
from linkwork.motion.tables import line_of_row
from linkwork.robot.robot import Array, Robot

LEAST_ROWS = 200
SLOW = 0.2  # [s] from row to row: no motion that shows inertia is sampled so seldom
BEYOND = 1.5  # of a limit: written in another unit
ABSURD = 1e9  # in SI units: no machine
POSE = 7  # numbers of a pose with a quaternion
OFF_UNIT = 0.02  # of the norm of a quaternion that was measured or rounded
SATURATED = 5  # rows in a row at one and the same extreme effort
NEAR_LIMIT = 2e-3  # of the limit; twice as many rows so near are saturated too
MOST_SATURATED = 0.5  # of the rows of an actuator
# A step from row to row that is no second: its unit, by the steps that it makes of them [s].
FINER_UNITS = ((1e5, "nanoseconds", "ns"), (1e2, "microseconds", "us"), (0.0, "milliseconds", "ms"))


@dataclass(frozen=True)
class Places:
    """Where numbers of a log stand in its file; of a log from elsewhere, what they are."""

    source: str
    expected: Expected
    lengths: bool  # positions are lengths of legs

    def line(self, row: int) -> int | None:
        """Of a row, if the log is from a file."""
        return line_of_row(self.source, row) if Path(self.source).is_file() else None

    def time(self) -> str:
        """The column of the times."""
        layout = self._layout
        return "column of the time" if layout is None else self._named(layout.time)

    def position(self, k: int, name: str) -> str:
        """The column of position k."""
        place = self._column(None, k)
        return f"{place}, position of {name}" if place else f"column of the position of {name}"

    def named(self, robot: Robot, table: str, k: int) -> str:
        """The column of number k of a table of a log."""
        if table == "position":
            names = robot.efforts.names if self.lengths else robot.coordinates.names
            return self.position(k, names[min(k, len(names) - 1)])
        if table == "effort":
            return self.effort(k, robot.efforts.names[k])
        names = robot.velocities.names
        return f"{table} of {names[min(k, len(names) - 1)]}"

    def effort(self, k: int, name: str) -> str:
        """The column of effort k."""
        place = self._column(self._measured, k)
        return f"{place}, effort of {name}" if place else f"column of the effort of {name}"

    @property
    def says(self) -> tuple[str, ...]:
        """What to know of logs of the program that wrote it."""
        layout = self._layout
        return (layout.map.says,) if layout and layout.map and layout.map.says else ()

    @property
    def _measured(self) -> str:
        layout = self._layout
        return "effort" if layout is None or "effort" in layout.tables else "current"

    def _column(self, table: str | None, k: int) -> str | None:
        layout = self._layout
        return layout and self._named(layout.tables[table or TABLES[layout.kind][0]][k])

    def _named(self, column: Column) -> str:
        return f"column {column.at + 1} ({self._header[column.at].strip()})"

    @cached_property
    def _header(self) -> list[str]:
        file = Path(self.source)
        if file.suffix.lower() != ".csv" or not file.is_file():
            return []
        rows = csv_rows(file, separator=separator_of(file))
        return [text_of_cell(cell).strip() for cell in next(cells for _, cells in rows)]

    @cached_property
    def _layout(self) -> ColumnLayout | None:
        return read_header(self._header, self.source, self.expected) if self._header else None


def faults_of(robot: Robot, places: Places, time: Array, rows: Mapping[str, Array]) -> Iterator[Fault]:
    """What no log can be used with, in rows as they were written."""
    if len(time) < LEAST_ROWS:
        yield Fault("", f"{len(time)} rows; a log needs {LEAST_ROWS} or more to be filtered")
        return
    absurd = list(_absurd_values(robot, places, time, rows))
    if absurd:
        yield from absurd
        return
    yield from _time_faults(places, time)
    yield from _unit_faults(robot, places, rows["position"])
    effort = rows["effort"]
    for k, name in enumerate(robot.efforts.names):
        if np.ptp(effort[:, k]) == 0.0:
            what = f"is {effort[0, k]:g} in every row; is it recorded? A log needs measured efforts"
            yield Fault(places.effort(k, name), what, places.line(0))


def _absurd_values(
    robot: Robot, places: Places, time: Array, rows: Mapping[str, Array]
) -> Iterator[Fault]:
    """Numbers that are not finite, or of no machine."""
    if not np.isfinite(time).all():
        row = int(np.argmin(np.isfinite(time)))
        yield Fault(places.time(), "is not finite; expected finite numbers", places.line(row))
    for table, values in rows.items():
        wrong = ~(np.abs(values) <= ABSURD)  # also what is not a number
        if wrong.any():
            row, k = (int(index) for index in np.argwhere(wrong)[0])
            what = f"is {values[row, k]:.6g} in row {row + 1}; no machine has that. Remove the row"
            yield Fault(places.named(robot, table, k), what, places.line(row))


def _time_faults(places: Places, time: Array) -> Iterator[Fault]:
    back = np.flatnonzero(np.diff(time) < 0)
    if len(back):
        row = int(back[0]) + 1
        what = f"{time[row]:.9g} s does not come after {time[row - 1]:.9g} s; times must increase"
        yield Fault(places.time(), what, places.line(row))
        return
    usual = usual_step(time)
    if usual > SLOW:
        name, unit = next((name, unit) for least, name, unit in FINER_UNITS if usual >= least)
        what = (
            f"rows are {usual:.4g} s apart; a log needs several rows per second. Are times in "
            f"{name}? Then name the column t [{unit}]"
        )
        yield Fault(places.time(), what, places.line(1))
    elif usual == 0:
        yield Fault(places.time(), "is the same in every row; times must increase", places.line(1))


def _unit_faults(robot: Robot, places: Places, position: Array) -> Iterator[Fault]:
    """Degrees for radians and millimeters for meters, by the limits or by whole turns."""
    units = ("m",) * robot.n if places.lengths else robot.coordinates.units
    names = robot.efforts.names if places.lengths else robot.coordinates.names
    limits = dict(zip(robot.efforts.names, robot.limits.position, strict=True))
    for k, (name, unit) in enumerate(zip(names, units, strict=False)):
        if k >= position.shape[1] or unit == "1":
            continue
        row = int(np.argmax(np.abs(position[:, k])))
        most = abs(float(position[row, k]))
        own = limits.get(name, np.array([np.inf]))  # of coordinates that have a motor
        known = bool(np.isfinite(own).all())
        bound = float(np.abs(own).max()) if known else (2 * np.pi if unit == "rad" else 20.0)
        if most > BEYOND * bound:
            other, suffix = ("degrees", "deg") if unit == "rad" else ("millimeters", "mm")
            of = "the limit" if known else "the most that is likely"
            what = (
                f"{most:.6g} {unit} is beyond {of}, {bound:.4g} {unit}; is it in {other}? Then name the "
                f"column {name} [{suffix}]"
            )
            yield Fault(places.position(k, name), what, places.line(row))
            return


def jump_faults(
    robot: Robot, places: Places, time: Array, position: Array, kept: NDArray[np.int64]
) -> Iterator[Fault]:
    """Steps that no machine makes; `kept` are the rows of the file that are looked at."""
    pose = robot.coordinates.is_pose and not places.lengths
    if pose and position.shape[1] == POSE:
        wrong = np.abs(np.linalg.norm(position[:, 3:], axis=1) - 1) > OFF_UNIT
        if wrong.any():
            row = int(np.argmax(wrong))
            norm = float(np.linalg.norm(position[row, 3:]))
            what = f"the quaternion has norm {norm:.4g}; expected a unit quaternion"
            line = places.line(int(kept[row]))
            yield Fault(places.position(3, "qw"), f"{what} qw, qx, qy, qz", line)
    units = position_units(robot, places)
    names = robot.efforts.names if places.lengths else robot.coordinates.names
    shown = position[:, : len(units)]
    found = jumps(time, shown, units)
    for k in np.flatnonzero(found.any(axis=0)).tolist():
        row = int(np.argmax(found[:, k]))
        steps = np.abs(np.diff(shown[:, k]))
        what = (
            f"jumps by {shown[row + 1, k] - shown[row, k]:.4g} in one row, where steps are "
            f"{np.quantile(steps, 0.99):.2g} at most otherwise. Wrong samples or lost rows: correct "
            "them, or cut the log there into two files"
        )
        yield Fault(places.position(k, names[k]), what, places.line(int(kept[row + 1])))


def position_units(robot: Robot, places: Places) -> tuple[str, ...]:
    """Of the columns whose steps say something: not of orientations, which may turn over."""
    if places.lengths:
        return ("m",) * robot.n
    return robot.coordinates.units[:3] if robot.coordinates.is_pose else robot.coordinates.units


def saturated_rows(robot: Robot, effort: Array, limited: bool) -> NDArray[np.bool_]:
    """Where an effort (N, n) stands at one extreme value or at its limit: the drive may give less.

    Args:
        limited: efforts are in the units of the limits.
    """
    found = np.zeros(effort.shape, dtype=bool)
    for k, limit in enumerate(robot.limits.effort):
        values = effort[:, k]
        greatest = float(np.abs(values).max())
        for extreme in {float(values.max()), float(values.min())}:
            if abs(extreme) < 0.5 * greatest or np.ptp(values) == 0:
                continue
            found[:, k] |= _runs(np.abs(values - extreme) <= 1e-9 * greatest, SATURATED)
            if limited and np.isfinite(limit):
                at = np.abs(values * np.sign(extreme) - limit) <= NEAR_LIMIT * limit
                found[:, k] |= _runs(at, 2 * SATURATED)
    return found


def _runs(at: NDArray[np.bool_], length: int) -> NDArray[np.bool_]:
    """Rows within runs of `length` or more."""
    starts = np.convolve(at, np.ones(length), mode="valid") >= length
    return np.asarray(np.convolve(starts, np.ones(length)) > 0)


def saturation_faults(
    robot: Robot, places: Places, effort: Array, saturated: NDArray[np.bool_], kept: NDArray[np.int64]
) -> Iterator[Fault]:
    """Actuators that are saturated for most of the log."""
    for k, name in enumerate(robot.efforts.names):
        at = saturated[:, k]
        if at.mean() > MOST_SATURATED:
            row = int(np.argmax(at))
            what = (
                f"stands at {effort[row, k]:.6g} for {int(at.sum())} of {len(at)} rows: the effort is "
                "saturated, and a drive may give less than was measured. Move less"
            )
            yield Fault(places.effort(k, name), what, places.line(int(kept[row])))
