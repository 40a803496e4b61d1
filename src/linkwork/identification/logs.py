"""Logs of a robot: times, positions and measured efforts, checked before anything is estimated."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from linkwork.errors import InputError, LinkworkError, MotionFileError
from linkwork.identification.log_faults import Places, faults_of, with_unit_quaternions
from linkwork.interface.robot import Array, Robot
from linkwork.motion.bundled import expected_of
from linkwork.motion.header import Expected
from linkwork.motion.reading import SAMPLED, motion_ending, read_table
from linkwork.motion.splines import through_samples, with_continuous_signs
from linkwork.robots.faults import texts_of

LIBRARY = Path(__file__).parent / "library"
EVEN = 1e-3  # of the time from row to row: below, times are even but for rounding


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
    try:
        time, tables = read_table(file, expected_log(robot))
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
