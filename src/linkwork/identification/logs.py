"""Logs of a robot: times, positions and measured efforts, made fit for estimation.

Clocks that tick unevenly, gaps, repeated rows, single wild samples and rest are dealt with, and told;
what cannot be used is refused with its line, its column and what to do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linkwork.core.checked import checked
from linkwork.core.errors import InputError, LinkworkError, MotionFileError
from linkwork.core.rotations import unit_poses
from linkwork.core.text import number
from linkwork.files.faults import texts_of
from linkwork.identification.log_checks import (
    LEAST_ROWS,
    POSE,
    Places,
    faults_of,
    jump_faults,
    position_units,
    saturated_rows,
    saturation_faults,
)
from linkwork.identification.recordings import BAGS, PARQUET, is_recording, read_recording
from linkwork.identification.resampling import (
    even_parts,
    spikes,
    with_turns,
    without_holes,
    without_repeats,
)
from linkwork.model.coupled import efforts_of_motors
from linkwork.motion.bundled import expected_of
from linkwork.motion.column_maps import column_map
from linkwork.motion.header import TABLES, Expected, read_header
from linkwork.motion.spaces import with_continuous_signs
from linkwork.motion.tables import SAMPLED, motion_ending, read_table
from linkwork.robot.robot import Array, Robot

LIBRARY = Path(__file__).parent / "library"
# Mass [kg], or mass, center of mass [m] and inertia [kg m^2].
Payload = float | Sequence[ArrayLike]


@dataclass(frozen=True, eq=False)
class Log:
    """Measurements at even times. Positions are joints (N, n) or poses (N, 7).

    A log with gaps has several parts, each at even times; `starts` are their first rows. Where
    `saturated` (N, n) is true, an actuator may have given less than was measured. `currents` says that
    efforts are currents of the motors [A], which drive gains turn into efforts.
    """

    source: str
    time: Array
    position: Array
    effort: Array
    velocity: Array | None = None
    acceleration: Array | None = None
    notes: tuple[str, ...] = ()
    starts: tuple[int, ...] = (0,)
    saturated: NDArray[np.bool_] | None = None
    currents: bool = False
    carried: Mapping[str, float] | None = None  # what a payload adds to the robot's parameters

    @property
    def period(self) -> float:
        """From row to row [s]."""
        end = self.starts[1] if len(self.starts) > 1 else len(self.time)
        return float((self.time[end - 1] - self.time[0]) / (end - 1))

    @property
    def parts(self) -> tuple[Log, ...]:
        """The log between its gaps."""
        if len(self.starts) == 1:
            return (self,)
        ends = (*self.starts[1:], len(self.time))
        return tuple(self.rows(slice(a, b)) for a, b in zip(self.starts, ends, strict=True))

    def rows(self, kept: slice) -> Log:
        """Rows of one part."""
        names = ("time", "position", "effort", "velocity", "acceleration", "saturated")
        values = {name: getattr(self, name) for name in names}
        cut: dict[str, Any] = {
            name: None if rows is None else rows[kept] for name, rows in values.items()
        }
        return replace(self, **cut, starts=(0,))

    def with_payload(self, robot: Robot, payload: Payload) -> Log:
        """The log of a robot that carried this at its tool: mass [kg], and perhaps center of mass [m]
        and inertia about it [kg m^2] in the tool's frame."""
        given = (payload,) if isinstance(payload, int | float) else tuple(payload)
        if not 1 <= len(given) <= 3:
            raise InputError(
                f"payload = {payload!r}: expected a mass [kg], or mass, center of mass and inertia."
            )
        own, carrying = robot.parameters, robot.with_payload(*given).parameters
        more = dict(zip(own.names, (carrying.values - own.values).tolist(), strict=True))
        return replace(self, carried={name: value for name, value in more.items() if value})

    def efforts_carried(self, robot: Robot, motion: Sequence[Array]) -> Array | float:
        """Efforts (N, n) that its payload takes in a motion."""
        if self.carried is None:
            return 0.0
        more = [self.carried.get(name, 0.0) for name in robot.parameters.names]
        return np.asarray(robot.regressor(*motion) @ np.array(more))

    def with_gains(self, gains: ArrayLike) -> Log:
        """Efforts from currents by the gains of the drives [N m/A or N/A]."""
        return replace(self, effort=self.effort * np.asarray(gains), currents=False)


def with_unit_quaternions(position: Array) -> Array:
    """Measured poses; quaternions of seven digits or fewer are not of norm one."""
    if position.shape[1] == POSE:
        norms = np.linalg.norm(position[:, 3:], axis=1, keepdims=True)
        position = np.concatenate([position[:, :3], position[:, 3:] / norms], axis=1)
    return unit_poses(position, "pose")


@checked
def read_log(
    robot: Robot,
    path: str | Path,
    *,
    columns: Mapping[str, str] | None = None,
    payload: Payload | None = None,
    joint_efforts: bool = False,
) -> Log:
    """A log from a file, or a bundled one by its name; every fault with its line and column.

    Columns go by names, as in motion files, and beside them `effort_<joint>`, `<joint>.torque` or
    `tau1, tau2, ...`, or currents `i1 [A], i2 [A], ...`; a platform's log has poses or leg lengths and
    `force1, ...`. Tables of `linkwork simulate -o` are logs too. Columns with other names are passed
    over. Files are .csv, .npz, .parquet, and bags of ROS with joint states (.mcap, .db3, .bag or the
    folder of a bag); headers of UR RTDE, libfranka, PlotJuggler and LeRobot are known.

    Args:
        columns: which column of the file is meant by a name that logs have, such as
            {"t [ms]": "stamp", "q#": "actual_q_#"}; # are numbers of joints, {joint} their names.
        payload: that the robot carried at the tool.
        joint_efforts: efforts are those at the joints, where the robot has motors that act on several.
    """
    file = LIBRARY / f"{path}.csv" if str(path) in bundled_logs() else Path(path)
    expected = expected_log(robot)
    if columns is not None:
        expected = replace(expected, columns=column_map(columns))
    time, found, notes = _tables(file, expected)
    names = TABLES["joint" if "q" in found else "pose"]
    lengths = robot.coordinates.is_pose and "q" in found
    currents = "current" in found
    measured = (time, found[names[0]])
    effort = found["current" if currents else "effort"]
    if joint_efforts:
        effort = efforts_of_motors(robot.mechanism, effort)
    derived = () if lengths else map(found.get, names[1:])
    places = Places(str(path), expected, lengths)
    log = checked_log(
        robot,
        str(path),
        *measured,
        effort,
        *derived,
        lengths=lengths,
        currents=currents,
        places=places,
    )
    told = (f"{Path(path).name}: {note}" for note in (*notes, *places.says))
    log = replace(log, notes=(*told, *log.notes))
    return log if payload is None else log.with_payload(robot, payload)


def _tables(file: Path, expected: Expected) -> tuple[Array, dict[str, Array], list[str]]:
    """Times, tables without holes, and what to say of them."""
    notes: list[str] = []
    if is_recording(file):
        header, rows, notes = read_recording(file, (*(expected.names or ()), *expected.efforts))
        layout = read_header(header, str(file), expected)
        time, tables = layout.tables_of(rows)
    else:
        motion_ending(file, (*SAMPLED, PARQUET, *BAGS))
        time, tables = read_table(file, expected)
    found = {name: np.asarray(rows, dtype=np.float64) for name, rows in tables.items()}
    return *without_holes(np.asarray(time, dtype=np.float64), found, notes), notes


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
    currents: bool = False,
    places: Places | None = None,
) -> Log:
    """A log at even times; a MotionFileError with every fault if it cannot be used."""
    places = places or Places(source, expected_log(robot), lengths)
    given = {"position": position, "effort": effort, "velocity": velocity, "acceleration": acceleration}
    rows = {name: values for name, values in given.items() if values is not None}
    _refuse(source, list(faults_of(robot, places, time, rows)))
    notes: list[str] = []
    kept = without_repeats(time, rows)
    if len(kept) < len(time):
        notes.append(
            f"{len(time) - len(kept)} of {len(time)} rows repeat the one before and are dropped"
        )
    time, rows = _taken(time, rows, kept)
    units = position_units(robot, places)
    rows, kept, time = _repaired(time, rows, kept, units, notes)
    _refuse(source, list(jump_faults(robot, places, time, rows["position"], kept)))
    saturated = saturated_rows(robot, rows["effort"], limited=not currents)
    _refuse(source, list(saturation_faults(robot, places, rows["effort"], saturated, kept)))
    for k in np.flatnonzero(saturated.any(axis=0)).tolist():
        notes.append(
            f"{robot.efforts.names[k]}: {int(saturated[:, k].sum())} rows with a saturated effort "
            f"({number(float(rows['effort'][saturated[:, k], k][0]))}) do not count"
        )
    if lengths:
        rows["position"] = _poses(robot, source, rows["position"])
    elif robot.coordinates.is_pose:
        rows["position"] = with_continuous_signs(with_unit_quaternions(rows["position"]))
    units = ("m",) * 3 + ("1",) * 4 if robot.coordinates.is_pose else units
    parts = even_parts(time, {**rows, "saturated": saturated.astype(np.float64)}, units, notes)
    count = sum(len(part.time) for part in parts)
    if count < LEAST_ROWS:
        raise MotionFileError(
            source, [f"{count} usable rows ({'; '.join(notes)}); a log needs {LEAST_ROWS} or more"]
        )
    joined: dict[str, Any] = {
        name: np.concatenate([part.rows[name] for part in parts]) for name in parts[0].rows
    }
    doubtful = joined.pop("saturated") > 0
    even = np.concatenate([part.time for part in parts])
    starts = np.cumsum([0, *(len(part.time) for part in parts[:-1])])
    return Log(
        source,
        even - even[0],
        **joined,
        notes=tuple(f"{Path(source).name}: {note}" for note in notes),
        starts=tuple(starts.tolist()),
        saturated=doubtful if doubtful.any() else None,
        currents=currents,
    )


def _refuse(source: str, faults: list[Any]) -> None:
    if faults:
        raise MotionFileError(source, texts_of(faults))


def _taken(
    time: Array, rows: Mapping[str, Array], kept: NDArray[np.int64]
) -> tuple[Array, dict[str, Array]]:
    return time[kept], {name: values[kept] for name, values in rows.items()}


def _repaired(
    time: Array,
    rows: dict[str, Array],
    kept: NDArray[np.int64],
    units: tuple[str, ...],
    notes: list[str],
) -> tuple[dict[str, Array], NDArray[np.int64], Array]:
    """Without whole turns of counters and single wild positions."""
    position = rows["position"]
    turned, turns = with_turns(time, position[:, : len(units)], units)
    if turns:
        position = np.concatenate([turned, position[:, len(units) :]], axis=1)
        notes.append(f"positions turn over {turns} times; whole turns are taken back")
    wild = spikes(time, position[:, : len(units)], units)
    if wild.any():
        first = number(float(time[int(np.argmax(wild))]), 6)
        notes.append(f"{int(wild.sum())} rows with a wild position are dropped, the first at {first} s")
    good = np.flatnonzero(~wild)
    time, rows = _taken(time, {**rows, "position": position}, good)
    return rows, kept[good], time


def _poses(robot: Any, source: str, lengths: Array) -> Array:
    """Of a platform, whose legs determine them."""
    try:
        return with_continuous_signs(robot.follow(lengths))
    except LinkworkError as error:
        raise InputError(
            f"{source}: no poses were found for these leg lengths: {error} Are they whole lengths from "
            "joint to joint in m, not strokes?"
        ) from error
