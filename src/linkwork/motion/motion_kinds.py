"""Motions written down in YAML: the kind of motion and its arguments, every fault at once.

`KINDS` declares each kind once: what makes it, and how its arguments are written. Numbers come out in SI
units and radians. An argument that the constructor can do without may be left out of the file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, field, make_dataclass, replace
from inspect import Parameter, signature
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np

from linkwork.core.errors import InputError, LinkworkError, MotionFileError
from linkwork.core.input_files import read_bytes
from linkwork.files import quantities as q
from linkwork.files.declared import Reading, refuse_any
from linkwork.files.faults import Document, Fault, FaultyError, listed, shown, suggestion, texts_of
from linkwork.files.yaml_lines import LARGEST_FILE, read_yaml
from linkwork.motion.column_maps import column_map
from linkwork.motion.composed import sequence, summed
from linkwork.motion.excitation import Excitation, fourier
from linkwork.motion.excursions import circle, combined, pick_and_place, sine, step, sweep
from linkwork.motion.framed import framed
from linkwork.motion.header import Expected
from linkwork.motion.inputs import instants_with_end
from linkwork.motion.point_to_point import (
    Cubic,
    LinearParabolicBlend,
    Quintic,
    RpyLine,
    SlerpLine,
    Trapezoid,
)
from linkwork.motion.spaces import ENDS
from linkwork.motion.splines import (
    PoseWaypoints,
    SampledPoses,
    SampledTrajectory,
    Waypoints,
)
from linkwork.motion.tables import SAMPLED, motion_ending, read_motion, read_table
from linkwork.motion.tool_path import ToolPath
from linkwork.motion.trajectory import Motion
from linkwork.motion.vibration import QUANTITIES, psd
from linkwork.robot.robot import Array

Row = tuple[float, ...]
Reader = Callable[[object], Any]  # of a written value; ValueError says what is wrong with it


def _items(value: object, allowed: str) -> list[object]:
    if not isinstance(value, list | tuple) or not value:
        raise ValueError(f"{shown(value)} is not a list; allowed: {allowed}")
    return list(value)


def _joints(value: object) -> Row:
    """One number per joint; angles may be written as `90 deg`."""
    return tuple(q.angle(item) for item in _items(value, "one number per joint [rad or m]"))


def _about_home(value: object) -> Row:
    """A center; left out, it is the robot's home. Six numbers are a pose for a platform."""
    return _joints(value)


def _one_or_each(value: object) -> float | Row:
    return _joints(value) if isinstance(value, list | tuple) else q.angle(value)


def _frequencies(value: object) -> float | Row:
    """One frequency, or one for each coordinate; of those that rest it does not matter."""
    if not isinstance(value, list | tuple):
        return _hertz(value)
    return tuple(map(_hertz, _items(value, "one frequency [Hz] for each coordinate")))


def _pose(value: object) -> Row:
    allowed = "x, y, z [m] and roll, pitch, yaw [rad] or as 5 deg, or x, y, z and qw, qx, qy, qz"
    items = _items(value, allowed)
    if len(items) == 6:
        return q.pose(items)
    if len(items) != 7:
        raise ValueError(f"{shown(items)} has {len(items)} items; allowed: {allowed}")
    return tuple(q.number()(item) for item in items)


def _table(row: Callable[[object], Row]) -> Callable[[object], tuple[Row, ...]]:
    return lambda value: tuple(row(item) for item in _items(value, "a list of points"))


def _times(value: object) -> Row:
    return tuple(map(q.number("s"), _items(value, "times [s]")))


def _parts(value: object) -> tuple[object, ...]:
    """Motions, as mappings or as files."""
    items = _items(value, "motions: mappings with kind, or files beside this one")
    for item in items:
        if not isinstance(item, Mapping | str):
            raise ValueError(f"{shown(item)} is not a motion; allowed: {{kind: ...}} or a file")
    return tuple(items)


def _names_of_columns(value: object) -> dict[str, str]:
    allowed = "ours: theirs, such as surge: LongPos_mm"
    if not isinstance(value, Mapping) or not value:
        raise ValueError(f"{shown(value)} is not a mapping; allowed: {allowed}")
    return {q.name(ours): q.name(theirs) for ours, theirs in value.items()}


def _densities(value: object) -> dict[str, tuple[Row, ...]]:
    """Rows of frequency [Hz] and density by the name of a coordinate."""
    allowed = "coordinates with rows such as z: [[0.5, 0.02], [20, 0.001]]"
    if not isinstance(value, Mapping) or not value:
        raise ValueError(f"{shown(value)} is not a mapping; allowed: {allowed}")
    row = q.number()
    rows = _table(lambda item: tuple(map(row, _items(item, "[frequency, density]"))))
    return {q.name(name): rows(points) for name, points in value.items()}


SHARE = q.Range("a number from 0 to 1", "is no share", lambda x: 0 <= x <= 1)
_seconds, _hertz = q.number("s", q.POSITIVE), q.number("Hz", q.POSITIVE)
_delay, _whole = q.number("s", q.NOT_NEGATIVE), q.whole(0)


def recorded(
    file: Path, expected: Expected, resample: float | None = None, relative: str | None = None,
    columns: Mapping[str, str] | None = None,
) -> SampledTrajectory | SampledPoses:  # fmt: skip
    """The motion in a .csv or .npz, whose times may begin anywhere.

    Args:
        columns: what columns of the .csv are called there, by the names that motions have.
        resample: period [s] of a new, even grid, by monotone cubic interpolation: recordings jitter.
        relative: "home" adds the robot's home, for recordings of excursions.
    """
    motion_ending(file, SAMPLED)
    if columns is not None:
        expected = replace(expected, columns=column_map(columns))
    time, tables = read_table(file, expected)
    name = "q" if "q" in tables else "pose"
    values = np.asarray(tables[name], dtype=np.float64)
    if len(time) < 2 or values.ndim != 2:
        raise InputError(f"{file}: a recording needs two rows or more.")
    time = np.asarray(time, dtype=np.float64) - time[0]
    if relative is not None:
        values = _shifted(values, expected)
    if resample is not None:
        if (np.diff(time) <= 0).any() or not np.isfinite(values).all():
            raise InputError(f"{file}: times must increase and numbers be finite to sample them anew.")
        from scipy.interpolate import PchipInterpolator

        grid = instants_with_end(float(time[-1]), resample)
        with np.errstate(all="ignore"):  # what overflows is refused by the curve
            time, values = grid, np.asarray(PchipInterpolator(time, values)(grid))
    return SampledTrajectory(time, values) if name == "q" else SampledPoses(time, values)


class Kind(NamedTuple):
    """A kind of motion: what makes it, and how its arguments are written."""

    make: Callable[..., Motion]
    fields: dict[str, Reader]

    @property
    def part(self) -> type:
        """What a file of this kind may hold, as it is declared for `Reading`."""
        takes = signature(self.make).parameters
        declared: list[tuple[str, Any, Any]] = [
            ("kind", Annotated[str, q.name], field()),
            ("relative", Annotated[str | None, q.one_of("home")], field(default=None)),
        ]
        for name, read in self.fields.items():
            default = None if read is _about_home else takes[name].default
            holds = Annotated[Any, q.FieldQuantity(read)]
            declared.append(
                (name, holds, field(default=MISSING if default is Parameter.empty else default))
            )
        return make_dataclass("WrittenMotion", declared, frozen=True, kw_only=True)


_line: dict[str, Reader] = {"start": _joints, "end": _joints, "duration": _seconds}
_pose_line: dict[str, Reader] = {
    "start": _pose,
    "end": _pose,
    "duration": _seconds,
    "speed": q.number("m/s", q.POSITIVE),
    "turn_rate": q.number("rad/s", q.POSITIVE),
}
_when: dict[str, Reader] = {"times": _times, "duration": _seconds, "ends": q.one_of(*ENDS)}
_excursion: dict[str, Reader] = {"center": _about_home, "amplitude": _joints, "duration": _seconds}
_sine: dict[str, Reader] = {
    **_excursion, "frequency": _frequencies, "phase": _one_or_each, "fade": _delay,
}  # fmt: skip
_sweep: dict[str, Reader] = {**_sine, "last_frequency": _frequencies}
KINDS: Mapping[str, Kind] = {
    "quintic": Kind(Quintic, _line),
    "cubic": Kind(Cubic, _line),
    "blend": Kind(LinearParabolicBlend, {**_line, "blend": _seconds}),
    "trapezoid": Kind(Trapezoid, {**_line, "velocity": _one_or_each, "acceleration": _one_or_each}),
    "waypoints": Kind(Waypoints, {"points": _table(_joints), **_when}),
    "excitation": Kind(
        Excitation,
        {
            "center": _joints,
            "amplitude": _one_or_each,
            "base_frequency": _hertz,
            "harmonics": _whole,
            "seed": _whole,
            "periods": _whole,
        },
    ),
    "fourier": Kind(
        fourier,
        {
            "center": _joints,
            "base_frequency": _hertz,
            "sines": _table(_joints),
            "cosines": _table(_joints),
            "periods": _whole,
        },
    ),
    "straight-line": Kind(RpyLine, _pose_line),
    "quaternion-line": Kind(SlerpLine, _pose_line),
    "pose-waypoints": Kind(PoseWaypoints, {"poses": _table(_pose), **_when}),
    "tool-path": Kind(ToolPath, {"poses": _table(_pose), "duration": _seconds, "blend": q.number("m")}),
    "pick-and-place": Kind(
        pick_and_place,
        {
            "pick": _joints,
            "place": _joints,
            "lift": _joints,
            "duration": _seconds,
            "per_minute": q.number("1/min", q.POSITIVE),
            "round_trip": q.flag,
            "cycles": q.whole(1, 10_000),
            "blend": q.number("", SHARE),
            "dwell": _delay,
            "payload": q.number("kg", q.NOT_NEGATIVE),
        },
    ),
    "recorded": Kind(recorded, {"file": q.name, "resample": _seconds, "columns": _names_of_columns}),
    "sum": Kind(summed, {"parts": _parts}),
    "sequence": Kind(sequence, {"parts": _parts, "pause": _delay, "repeat": q.whole(1, 10_000)}),
    "combined": Kind(
        combined, {"center": _about_home, "amplitude": _joints, "rise": _seconds, "dwell": _delay}
    ),
    "psd": Kind(
        psd,
        {
            "center": _about_home,
            "of": q.one_of(*QUANTITIES),
            "density": _densities,
            "file": q.name,
            "duration": _seconds,
            "seed": _whole,
            "fade": _delay,
        },
    ),
    "in-frames": Kind(framed, {"parts": _parts, "user": _pose, "object": _pose, "pivot": q.point}),
    "sine": Kind(sine, _sine),
    "sweep": Kind(sweep, _sweep),
    "chirp": Kind(sweep, _sweep),
    "step": Kind(step, {**_excursion, "rise": _seconds, "delay": _delay}),
    "circle": Kind(circle, {**_excursion, "across": _joints, "turns": q.number("", q.POSITIVE)}),
}
# What `relative: home` adds the home configuration to.
PLACES = ("start", "end", "center", "points", "poses", "pick", "place")


def read_written(file: Path, expected: Expected) -> Motion:
    """The motion that a YAML file describes; MotionFileError with every fault."""
    raw = read_bytes(file, LARGEST_FILE)
    if not raw.strip():
        raise MotionFileError(str(file), ["is empty; a motion file begins with `kind: quintic`"])
    faults: list[Fault] = []
    try:
        document = read_yaml(raw)
        faults += document.faults
        kind, arguments = _motion(document)
        faults += _lengths(document, kind, arguments, expected)
    except FaultyError as error:
        faults += error.faults
    if faults:
        raise MotionFileError(str(file), texts_of(faults))
    try:
        with np.errstate(all="ignore"):  # what overflows is refused when it is evaluated
            motion = kind.make(**_for_robot(kind, arguments, expected, file.parent))
            motion.at(np.linspace(0.0, motion.duration, 3))
            return motion
    except LinkworkError as error:
        raise InputError(f"{file}: {error}") from error


def _motion(document: Document) -> tuple[Kind, dict[str, Any]]:
    data = document.data
    if not isinstance(data, Mapping):
        what = f"{shown(data)} is not a motion; a file is a mapping that begins with `kind: quintic`"
        raise FaultyError([document.fault((), what)])
    name = data.get("kind")
    if not isinstance(name, str) or name not in KINDS:
        what = (
            f"{shown(name)} is not a kind of motion{suggestion(name, KINDS)}; allowed: {listed(KINDS)}"
        )
        raise FaultyError([document.fault(("kind",), what)])
    reading = Reading()
    written = reading.part(KINDS[name].part, data)
    refuse_any(document, reading.found)
    return KINDS[name], {
        argument: value for argument, value in vars(written).items() if argument != "kind"
    }


def _lengths(
    document: Document, kind: Kind, arguments: dict[str, Any], expected: Expected
) -> Iterator[Fault]:
    """Ends of a motion of joints that have not one number for each."""
    if expected.names is None or expected.moves_platform:
        return
    for name in ("start", "end"):
        if kind.fields.get(name) is not _joints:
            continue
        if (found := len(arguments[name])) != (count := len(expected.names)):
            what = f"has {found} numbers; {expected.robot} has {count} joints: {listed(expected.names)}"
            yield document.fault((name,), what)


def _for_robot(
    kind: Kind, arguments: dict[str, Any], expected: Expected, folder: Path
) -> dict[str, Any]:
    """The arguments with what they need to know of the robot and of the file."""
    takes = signature(kind.make).parameters
    told = dict(arguments)
    if "parts" in takes:
        if told.pop("relative") is not None:
            raise InputError("relative: write it in the parts, which have places.")
        in_frames = "expected" in takes  # whose zero is where home would be
        inner = replace(expected, home=(0.0,) * 6) if in_frames else expected
        told["parts"] = [
            _part(item, number, inner, folder) for number, item in enumerate(told["parts"], start=1)
        ]
        return {**told, "expected": expected} if in_frames else told
    if told.get("file") is not None:
        told["file"] = folder / told["file"]
    if "poses" in takes and "poses" not in told:
        told["poses"] = expected.moves_platform
    if "expected" in takes:
        told["expected"] = expected
    if "relative" in takes:
        return told
    places: tuple[str, ...] = PLACES if told.pop("relative") is not None else ()
    if kind.fields.get("center") is _about_home and told["center"] is None:
        told["center"], places = np.zeros(len(told.get("amplitude", expected.home))), ("center",)
    for name in places:
        if name in arguments:
            told[name] = _shifted(np.array(told[name], dtype=np.float64), expected)
    return told


def _part(item: Any, number: int, expected: Expected, folder: Path) -> Motion:
    """A motion within another, as a mapping or a file."""
    try:
        if isinstance(item, str):
            return read_motion(folder / item, expected=expected)
        document = Document(item)
        kind, arguments = _motion(document)
        if found := [*_lengths(document, kind, arguments, expected)]:
            raise FaultyError(found)
        return kind.make(**_for_robot(kind, arguments, expected, folder))
    except FaultyError as error:
        raise InputError(f"parts, {number}: {'; '.join(texts_of(error.faults))}") from None
    except LinkworkError as error:
        raise InputError(f"parts, {number}: {error}") from error


def _shifted(rows: Array, expected: Expected) -> Array:
    """Rows of excursions as rows of positions, about the robot's home."""
    home = np.array(expected.home)
    if not len(home):
        raise InputError("a motion about home needs a robot; read the motion for one.")
    if rows.shape[-1] != len(home):
        raise InputError(
            f"relative: home adds {len(home)} numbers of {expected.robot}'s home to {rows.shape[-1]} of "
            "the motion; a relative pose has x, y, z, roll, pitch, yaw."
        )
    return np.asarray(rows + home)
