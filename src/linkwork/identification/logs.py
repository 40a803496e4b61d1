"""Logs of a robot: times, positions and measured efforts, checked before anything is estimated.

What cannot be right is told with its line, its column and what to do.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkwork.core.errors import InputError, LinkworkError, MotionFileError
from linkwork.core.rotations import unit_poses
from linkwork.files.faults import Fault, texts_of
from linkwork.motion.bundled import expected_of
from linkwork.motion.header import TABLES, Column, ColumnLayout, Expected, read_header
from linkwork.motion.spaces import through_samples, with_continuous_signs
from linkwork.motion.tables import SAMPLED, line_of_row, motion_ending, read_table
from linkwork.robot.robot import Array, Robot

LEAST_ROWS = 200
SLOW = 0.2  # [s] from row to row: no motion that shows inertia is sampled so seldom
GAP = 1.5  # of the usual time from row to row: a row is missing
JITTER = 0.25  # of that time: beyond, nothing tells when a sample was taken
BEYOND = 1.5  # of a limit: written in another unit
JUMP = 8  # of the step that 99 % of rows stay below
POSE = 7  # numbers of a pose with a quaternion
OFF_UNIT = 0.02  # of the norm of a quaternion that was measured or rounded
SATURATED = 5  # rows in a row at one and the same extreme effort
NEAR_LIMIT = 2e-3  # of the limit; twice as many rows so near are saturated too
LIBRARY = Path(__file__).parent / "library"
EVEN = 1e-3  # of the time from row to row: below, times are even but for rounding


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

    def effort(self, k: int, name: str) -> str:
        """The column of effort k."""
        place = self._column("effort", k)
        return f"{place}, effort of {name}" if place else f"column of the effort of {name}"

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
        with file.open(newline="", encoding="utf-8-sig") as stream:
            return next(cells for cells in csv.reader(stream) if any(cell.strip() for cell in cells))

    @cached_property
    def _layout(self) -> ColumnLayout | None:
        return read_header(self._header, self.source, self.expected) if self._header else None


def with_unit_quaternions(position: Array) -> Array:
    """Measured poses; quaternions of seven digits or fewer are not of norm one."""
    if position.shape[1] == POSE:
        norms = np.linalg.norm(position[:, 3:], axis=1, keepdims=True)
        position = np.concatenate([position[:, :3], position[:, 3:] / norms], axis=1)
    return unit_poses(position, "pose")


def faults_of(
    robot: Robot, places: Places, time: Array, position: Array, effort: Array
) -> Iterator[Fault]:
    """All that cannot be right, with its place in the file and what to do."""
    if len(time) < LEAST_ROWS:
        yield Fault("", f"{len(time)} rows; a log needs {LEAST_ROWS} or more to be filtered")
        return
    if not all(np.isfinite(part).all() for part in (time, position, effort)):
        yield Fault("", "a number is not finite; allowed are finite numbers")
        return
    yield from _time_faults(places, time)
    units = list(_unit_faults(robot, places, position))
    yield from units or _jump_faults(robot, places, position)
    yield from _saturation_faults(robot, places, effort)
    for k, name in enumerate(robot.efforts.names):
        if np.ptp(effort[:, k]) == 0.0:
            what = f"is {effort[0, k]:g} in every row; is it recorded? A log needs measured efforts"
            yield Fault(places.effort(k, name), what, places.line(0))


def _time_faults(places: Places, time: Array) -> Iterator[Fault]:
    steps = np.diff(time)
    late = np.flatnonzero(steps <= 0)
    if len(late):
        row = int(late[0]) + 1
        what = f"{time[row]:.9g} s does not come after {time[row - 1]:.9g} s; times must increase"
        yield Fault(places.time(), what, places.line(row))
        return
    usual = float(np.median(steps))
    if usual > SLOW:
        what = (
            f"rows are {usual:.4g} s apart; a log needs several rows per second. Are times in "
            "milliseconds? Then name the column t [ms]"
        )
        yield Fault(places.time(), what, places.line(1))
        return
    gaps = np.flatnonzero(steps > GAP * usual)
    if len(gaps):
        row = int(gaps[0])
        what = (
            f"a gap of {steps[row]:.4g} s where rows are {usual:.4g} s apart ({len(gaps)} in all); "
            "a filter cannot cross it: cut the log there into two files and give both"
        )
        yield Fault(places.time(), what, places.line(row + 1))
        return
    away = np.abs(steps - usual)
    if away.max() > JITTER * usual:
        row = int(np.argmax(away))
        what = (
            f"{steps[row]:.4g} s after the row before, where rows are {usual:.4g} s apart: the clock "
            f"jitters by more than {100 * JITTER:g} %, and velocities cannot be had from it. Log the "
            "time of the measurement, not of the writing, or count samples"
        )
        yield Fault(places.time(), what, places.line(row + 1))


def _unit_faults(robot: Robot, places: Places, position: Array) -> Iterator[Fault]:
    """Degrees for radians and millimetres for metres, by the limits or by whole turns."""
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
            other, suffix = ("degrees", "deg") if unit == "rad" else ("millimetres", "mm")
            of = "the limit" if known else "the most that is likely"
            what = (
                f"{most:.6g} {unit} is beyond {of}, {bound:.4g} {unit}; is it in {other}? Then name the "
                f"column {name} [{suffix}]"
            )
            yield Fault(places.position(k, name), what, places.line(row))
            return


def _jump_faults(robot: Robot, places: Places, position: Array) -> Iterator[Fault]:
    """One step far longer than those around it: a bad sample, a counter that turns over, rows lost."""
    pose = robot.coordinates.is_pose and not places.lengths
    names = robot.efforts.names if places.lengths else robot.coordinates.names
    if pose and position.shape[1] == POSE:
        wrong = np.abs(np.linalg.norm(position[:, 3:], axis=1) - 1) > OFF_UNIT
        if wrong.any():
            row = int(np.argmax(wrong))
            norm = float(np.linalg.norm(position[row, 3:]))
            what = f"the quaternion has norm {norm:.4g}; allowed is a unit quaternion"
            yield Fault(places.position(3, "qw"), f"{what} qw, qx, qy, qz", places.line(row))
    for k in range(3 if pose else position.shape[1]):  # orientations may turn over
        steps = np.abs(np.diff(position[:, k]))
        row = int(np.argmax(steps))
        around = steps[[max(0, row - 2), max(0, row - 1), *range(row + 2, min(row + 3, len(steps)))]]
        if steps[row] <= JUMP * np.quantile(steps, 0.99) or 4 * np.median(around) > steps[row]:
            continue
        turns = not pose and abs(steps[row] / (2 * np.pi) - 1) < 0.1
        what = (
            f"jumps by {position[row + 1, k] - position[row, k]:.4g} in one row, where steps are "
            f"{np.quantile(steps, 0.99):.2g} at most otherwise. "
        )
        what += (
            "That is a whole turn: log positions that count turns (numpy.unwrap)"
            if turns
            else "A wrong sample or lost rows: correct it, or cut the log there into two files"
        )
        yield Fault(places.position(k, names[k]), what, places.line(row + 1))


def _saturation_faults(robot: Robot, places: Places, effort: Array) -> Iterator[Fault]:
    """Runs of rows at one extreme value, or at the limit: the drive gave less than the motion needs."""
    limits = robot.limits.effort
    for k, name in enumerate(robot.efforts.names):
        values = effort[:, k]
        greatest = float(np.abs(values).max())
        for extreme in (float(values.max()), float(values.min())):
            if abs(extreme) < 0.5 * greatest or np.ptp(values) == 0:
                continue
            at = np.abs(values - extreme) <= 1e-9 * greatest
            row = _first_run(at, SATURATED)
            if row is None and np.isfinite(limits[k]):
                at = np.abs(values * np.sign(extreme) - limits[k]) <= NEAR_LIMIT * limits[k]
                row = _first_run(at, 2 * SATURATED)
            if row is not None:
                limit = f" (limit {limits[k]:g})" if np.isfinite(limits[k]) else ""
                what = (
                    f"stands at {values[row]:.6g} for {int(at.sum())} rows: the effort is saturated"
                    f"{limit}, and a drive may give less than was measured. Cut those rows out into "
                    "separate files, or move less"
                )
                yield Fault(places.effort(k, name), what, places.line(row))
                break


def _first_run(at: NDArray[np.bool_], length: int) -> int | None:
    """Where `length` rows in a row are true first."""
    runs = np.convolve(at, np.ones(length), mode="valid") >= length
    return int(np.argmax(runs)) if runs.any() else None


@dataclass(frozen=True, eq=False)
class Log:
    """Measurements at even times. Positions are joints (N, n) or poses (N, 7)."""

    source: str
    time: Array
    position: Array
    effort: Array
    velocity: Array | None = None
    acceleration: Array | None = None
    notes: tuple[str, ...] = ()

    @property
    def period(self) -> float:
        """From row to row [s]."""
        return float((self.time[-1] - self.time[0]) / (len(self.time) - 1))


def read_log(robot: Robot, path: str | Path) -> Log:
    """A log from a .csv or .npz, or a bundled one by its name; every fault with its line and column.

    Columns go by names, as in motion files, and beside them `effort_<joint>`, `<joint>.torque` or
    `tau1, tau2, ...`; a platform's log has poses or leg lengths and `force1, ...`. Columns with
    other names are passed over.
    """
    file = LIBRARY / f"{path}.csv" if str(path) in bundled_logs() else Path(path)
    motion_ending(file, SAMPLED)
    try:
        time, tables = read_table(file, expected_log(robot))
    except OSError as error:
        raise InputError(f"{file}: cannot be read ({error.strerror or error}).") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{file}: is not UTF-8 text; save the file as UTF-8.") from error
    found = {name: np.asarray(rows, dtype=np.float64) for name, rows in tables.items()}
    names = TABLES["joint" if "q" in found else "pose"]
    lengths = robot.coordinates.is_pose and "q" in found
    measured = (np.asarray(time, dtype=np.float64), found[names[0]], found["effort"])
    derived = () if lengths else map(found.get, names[1:])
    return checked_log(robot, str(path), *measured, *derived, lengths=lengths)


def expected_log(robot: Robot) -> Expected:
    """What the header of a robot's log may name."""
    if robot.coordinates.quaternions and not robot.coordinates.is_pose:
        raise InputError(
            f"{robot.name} has an orientation beside other coordinates; logs of such robots are not "
            "read yet. Hold the other coordinates by fixed joints in the file and identify the rest."
        )
    plain = expected_of(robot)
    return replace(plain, poses=plain.moves_platform, efforts=robot.efforts.names)


def bundled_logs() -> tuple[str, ...]:
    """Names of the logs that come with the package. They are generated, see example_logs.py."""
    return tuple(sorted(file.stem for file in LIBRARY.glob("*.csv")))


def checked_log(
    robot: Robot,
    source: str,
    time: Array,
    position: Array,
    effort: Array,
    velocity: Array | None = None,
    acceleration: Array | None = None,
    *,
    lengths: bool = False,
) -> Log:
    """A log of plausible measurements at even times; a MotionFileError with every fault otherwise."""
    places = Places(source, expected_log(robot), lengths)
    faults = list(faults_of(robot, places, time, position, effort))
    if faults:
        raise MotionFileError(source, texts_of(faults))
    notes = []
    if lengths:
        position = _poses(robot, source, position)
    elif robot.coordinates.is_pose:
        position = with_continuous_signs(with_unit_quaternions(position))
    even = np.linspace(time[0], time[-1], len(time))
    period = float(even[1] - even[0])
    jitter = float(np.abs(np.diff(time) - period).max()) / period
    if jitter > EVEN:

        def moved(rows: Array) -> Array:
            # A quintic through samples that are dense: what it adds is far below the noise.
            return through_samples(time - time[0], rows).at(even - even[0])[0]

        position, effort = moved(position), moved(effort)
        velocity = None if velocity is None else moved(velocity)
        acceleration = None if acceleration is None else moved(acceleration)
        notes.append(f"{source}: times are uneven by {100 * jitter:.1f} % of a step; sampled anew")
    return Log(source, even - even[0], position, effort, velocity, acceleration, tuple(notes))


def _poses(robot: Any, source: str, lengths: Array) -> Array:
    """Of a platform, whose legs determine them."""
    try:
        return with_continuous_signs(robot.follow(lengths))
    except LinkworkError as error:
        raise InputError(
            f"{source}: no poses were found for these leg lengths: {error} Are they whole lengths from "
            "joint to joint in m, not strokes?"
        ) from error
