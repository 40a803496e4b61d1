"""Logs of a robot: times, positions and measured efforts, checked before anything is estimated."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkwork.errors import InputError, LinkworkError, MotionFileError
from linkwork.interface.robot import Array, Robot
from linkwork.motion.bundled import expected_of
from linkwork.motion.plausibility import line_of_row
from linkwork.motion.reading import SAMPLED, motion_ending, read_table
from linkwork.motion.splines import through_samples, with_continuous_signs
from linkwork.robots.faults import Fault, texts_of
from linkwork.rotations import unit_poses

LIBRARY = Path(__file__).parent / "library"
LEAST_ROWS = 200
GAP = 1.5  # of the usual time from row to row: a row is missing
JITTER = 0.25  # of that time: beyond, nothing tells when a sample was taken
EVEN = 1e-3  # below, times are even but for rounding
BEYOND = 1.5  # of a limit: written in another unit
SATURATED = 5  # rows in a row at one and the same extreme effort
NEAR_LIMIT = 2e-3  # of the limit; twice as many rows so near are saturated too


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
    file = _bundled(path) or Path(path)
    motion_ending(file, SAMPLED)
    plain = expected_of(robot)  # type: ignore[arg-type]
    expected = replace(plain, poses=plain.moves_platform, efforts=robot.efforts.names)
    try:
        time, tables = read_table(file, expected)
    except OSError as error:
        raise InputError(f"{file}: cannot be read ({error.strerror or error}).") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{file}: is not UTF-8 text; save the file as UTF-8.") from error
    lengths = robot.coordinates.is_pose and "q" in tables
    position = tables["q"] if "q" in tables else tables["pose"]
    velocity = tables.get("qd", tables.get("twist"))
    acceleration = tables.get("qdd", tables.get("acceleration"))
    numbers = [np.asarray(part, dtype=np.float64) for part in (time, position, tables["effort"])]
    return checked_log(
        robot,
        str(path),
        numbers[0],
        numbers[1],
        numbers[2],
        None if velocity is None or lengths else np.asarray(velocity, dtype=np.float64),
        None if acceleration is None or lengths else np.asarray(acceleration, dtype=np.float64),
        lengths=lengths,
    )


def bundled_logs() -> tuple[str, ...]:
    """Names of the logs that come with the package. They are generated, see example_logs.py."""
    return tuple(sorted(file.stem for file in LIBRARY.glob("*.csv")))


def _bundled(path: str | Path) -> Path | None:
    return LIBRARY / f"{path}.csv" if str(path) in bundled_logs() else None


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
    faults = list(_faults(robot, source, time, position, effort, lengths))
    if faults:
        raise MotionFileError(source, texts_of(faults))
    notes = []
    if lengths:
        position = _poses(robot, source, position)
    elif robot.coordinates.is_pose:
        position = with_continuous_signs(unit_poses(position, "pose"))
    even = np.linspace(time[0], time[-1], len(time))
    period = float(even[1] - even[0])
    jitter = float(np.abs(np.diff(time) - period).max()) / period
    if jitter > EVEN:
        parts = [position, effort, velocity, acceleration]
        moved = [None if part is None else _at_even_times(time, part, even) for part in parts]
        position, effort, velocity, acceleration = moved  # type: ignore[assignment]
        notes.append(f"{source}: times are uneven by {100 * jitter:.1f} % of a step; sampled anew")
    return Log(source, even - even[0], position, effort, velocity, acceleration, tuple(notes))


def _at_even_times(time: Array, rows: Array, even: Array) -> Array:
    # A quintic through samples that are dense: what it adds is far below the noise.
    return through_samples(time - time[0], rows).at(even - even[0])[0]


def _poses(robot: Any, source: str, lengths: Array) -> Array:
    """Of a platform, whose legs determine them."""
    try:
        return with_continuous_signs(robot.follow(lengths))
    except LinkworkError as error:
        raise InputError(
            f"{source}: no poses were found for these leg lengths: {error} Are they whole lengths from "
            "joint to joint in m, not strokes?"
        ) from error


def _faults(
    robot: Robot, source: str, time: Array, position: Array, effort: Array, lengths: bool
) -> Iterator[Fault]:
    if len(time) < LEAST_ROWS:
        yield Fault("", f"{len(time)} rows; a log needs {LEAST_ROWS} or more to be filtered")
        return
    if not all(np.isfinite(part).all() for part in (time, position, effort)):
        yield Fault("", "a number is not finite; allowed are finite numbers")
        return
    yield from _time_faults(source, time)
    yield from _unit_faults(robot, source, position, lengths)
    yield from _saturation_faults(robot, source, effort)
    for k, name in enumerate(robot.efforts.names):
        if np.ptp(effort[:, k]) == 0.0:
            what = f"is {effort[0, k]:g} in every row; is it recorded? A log needs measured efforts"
            yield Fault(f"column of the effort of {name}", what)


def _time_faults(source: str, time: Array) -> Iterator[Fault]:
    steps = np.diff(time)
    late = np.flatnonzero(steps <= 0)
    if len(late):
        row = int(late[0]) + 1
        what = f"{time[row]:.9g} s does not come after {time[row - 1]:.9g} s; times must increase"
        yield Fault("column of the time", what, _line(source, row))
        return
    usual = float(np.median(steps))
    gaps = np.flatnonzero(steps > GAP * usual)
    if len(gaps):
        row = int(gaps[0])
        what = (
            f"a gap of {steps[row]:.4g} s where rows are {usual:.4g} s apart ({len(gaps)} gaps in all); "
            "a filter cannot cross it: cut the log there into two files and give both"
        )
        yield Fault("column of the time", what, _line(source, row + 1))
        return
    away = np.abs(steps - usual)
    if away.max() > JITTER * usual:
        row = int(np.argmax(away))
        what = (
            f"{steps[row]:.4g} s after the row before, where rows are {usual:.4g} s apart: the clock "
            f"jitters by more than {100 * JITTER:g} %, and velocities cannot be had from it. Log the "
            "time of the measurement, not of the writing, or count samples"
        )
        yield Fault("column of the time", what, _line(source, row + 1))


def _unit_faults(robot: Robot, source: str, position: Array, lengths: bool) -> Iterator[Fault]:
    """Degrees for radians and millimetres for metres, by the limits or by whole turns."""
    units = ("m",) * robot.n if lengths else robot.coordinates.units
    names = robot.efforts.names if lengths else robot.coordinates.names
    limits = robot.limits.position
    joints = lengths or not robot.coordinates.is_pose
    for k, (name, unit) in enumerate(zip(names, units, strict=False)):
        if k >= position.shape[1] or unit == "1":
            continue
        row = int(np.argmax(np.abs(position[:, k])))
        most = abs(float(position[row, k]))
        known = joints and bool(np.isfinite(limits[k]).all())
        bound = float(np.abs(limits[k]).max()) if known else (2 * np.pi if unit == "rad" else 20.0)
        if most > BEYOND * bound:
            other, suffix = ("degrees", "deg") if unit == "rad" else ("millimetres", "mm")
            of = "the limit" if known else "the most that is likely"
            what = (
                f"{most:.6g} {unit} is beyond {of}, {bound:.4g} {unit}; is it in {other}? Then name the "
                f"column {name} [{suffix}]"
            )
            yield Fault(f"column of the position of {name}", what, _line(source, row))
            return


def _saturation_faults(robot: Robot, source: str, effort: Array) -> Iterator[Fault]:
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
                what = (
                    f"stands at {values[row]:.6g} for {int(at.sum())} rows: the effort is saturated "
                    f"(limit {limits[k]:g}), and a drive may give less than was measured. Cut those "
                    "rows out into separate files, or move less"
                )
                yield Fault(f"column of the effort of {name}", what, _line(source, row))
                break


def _line(source: str, row: int) -> int | None:
    """Where a row of a log stands in its file, if it is from one."""
    return line_of_row(source, row) if Path(source).is_file() else None


def _first_run(at: NDArray[np.bool_], length: int) -> int | None:
    """Where `length` rows in a row are true first."""
    runs = np.convolve(at, np.ones(length), mode="valid") >= length
    return int(np.argmax(runs)) if runs.any() else None
