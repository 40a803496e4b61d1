"""Motions written down in YAML: the kind of motion and its arguments, every fault at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any, get_args

import numpy as np
from pydantic import BaseModel, BeforeValidator, ConfigDict

from linkwork.errors import InputError, LinkworkError, MotionFileError
from linkwork.motion.excitation import Excitation, fourier
from linkwork.motion.excursions import Excursion, PoseExcursion, circle, sine, step, sweep
from linkwork.motion.header import Expected
from linkwork.motion.lines import Blend, Cubic, Quintic
from linkwork.motion.pose_lines import QuaternionLine, StraightLine
from linkwork.motion.recorded import recorded, shifted
from linkwork.motion.splines import Ends
from linkwork.motion.tool_path import ToolPath
from linkwork.motion.trajectory import JointTrajectory, PoseTrajectory
from linkwork.motion.trapezoid import Trapezoid
from linkwork.motion.waypoints import PoseWaypoints, Waypoints, pick_and_place
from linkwork.robots import quantities as q
from linkwork.robots.document import Document
from linkwork.robots.faults import Fault, FaultyError, listed, shown, suggestion, texts_of
from linkwork.robots.validation import Layout, fields_of, refuse_any
from linkwork.robots.yaml_lines import LARGEST_FILE, read_yaml

Motion = JointTrajectory | PoseTrajectory
Row = tuple[float, ...]


def _items(value: object, allowed: str) -> list[object]:
    if not isinstance(value, list | tuple) or not value:
        raise ValueError(f"{shown(value)} is not a list; allowed: {allowed}")
    return list(value)


def _joints(value: object) -> Row:
    """One number per joint; angles may be written as `90 deg`."""
    return tuple(q.angle(item) for item in _items(value, "one number per joint [rad or m]"))


def _one_or_each(value: object) -> float | Row:
    return _joints(value) if isinstance(value, list | tuple) else q.angle(value)


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


Joints = Annotated[Row, BeforeValidator(_joints)]
Pose = Annotated[Row, BeforeValidator(_pose)]
OneOrEach = Annotated[float | Row, BeforeValidator(_one_or_each)]
Seconds = Annotated[float, BeforeValidator(q.number("s", q.POSITIVE))]
Speed = Annotated[float, BeforeValidator(q.number("m/s", q.POSITIVE))]
TurnRate = Annotated[float, BeforeValidator(q.number("rad/s", q.POSITIVE))]
Hertz = Annotated[float, BeforeValidator(q.number("Hz", q.POSITIVE))]
Times = Annotated[
    Row, BeforeValidator(lambda value: tuple(map(q.number("s"), _items(value, "times [s]"))))
]
End = Annotated[str, BeforeValidator(q.one_of(*get_args(Ends)))]
Whole = Annotated[int, BeforeValidator(lambda value: _whole(value))]


def _whole(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError(f"{shown(value)} is not a whole number; allowed: a whole number")
    return value


class _Fields(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")
    kind: str
    relative: Annotated[str, BeforeValidator(q.one_of("home"))] | None = None


class _JointLine(_Fields):
    start: Joints
    end: Joints
    duration: Seconds


class _Blend(_JointLine):
    blend: Seconds


class _Trapezoid(_Fields):
    start: Joints
    end: Joints
    duration: Seconds | None = None
    velocity: OneOrEach | None = None
    acceleration: OneOrEach | None = None


class _PoseLine(_Fields):
    start: Pose
    end: Pose
    duration: Seconds
    speed: Speed
    turn_rate: TurnRate


class _Waypoints(_Fields):
    points: Annotated[tuple[Row, ...], BeforeValidator(_table(_joints))]
    times: Times | None = None
    duration: Seconds | None = None
    ends: End = "rest"


class _PoseWaypoints(_Fields):
    poses: Annotated[tuple[Row, ...], BeforeValidator(_table(_pose))]
    times: Times | None = None
    duration: Seconds | None = None
    ends: End = "rest"


class _ToolPath(_Fields):
    poses: Annotated[tuple[Row, ...], BeforeValidator(_table(_pose))]
    duration: Seconds
    blend: Annotated[float, BeforeValidator(q.number("m"))] = 0.0


class _Excitation(_Fields):
    center: Joints
    amplitude: OneOrEach
    base_frequency: Hertz
    harmonics: Whole = 5
    seed: Whole = 0
    periods: Whole = 1


class _Fourier(_Fields):
    center: Joints
    base_frequency: Hertz
    sines: Annotated[tuple[Row, ...], BeforeValidator(_table(_joints))]
    cosines: Annotated[tuple[Row, ...], BeforeValidator(_table(_joints))]
    periods: Whole = 1


class _Excursion(_Fields):
    """Six numbers are a pose for a platform and joints for an arm."""

    center: Joints | None = None
    amplitude: Joints
    duration: Seconds


class _Sine(_Excursion):
    frequency: Hertz
    fade: Annotated[float, BeforeValidator(q.number("s", q.NOT_NEGATIVE))] | None = None


class _Sweep(_Sine):
    last_frequency: Hertz


class _Step(_Excursion):
    rise: Seconds
    delay: Annotated[float, BeforeValidator(q.number("s", q.NOT_NEGATIVE))] = 0.0


class _Circle(_Excursion):
    across: Joints
    turns: Annotated[float, BeforeValidator(q.number("", q.POSITIVE))] = 1.0


class _PickAndPlace(_Fields):
    pick: Joints
    place: Joints
    lift: Joints
    duration: Seconds


class _Recorded(_Fields):
    file: Annotated[str, BeforeValidator(q.name)]
    resample: Seconds | None = None


EXCURSIONS: Mapping[str, tuple[type[_Fields], Callable[..., Motion]]] = {
    "sine": (_Sine, sine),
    "sweep": (_Sweep, sweep),
    "chirp": (_Sweep, sweep),
    "step": (_Step, step),
    "circle": (_Circle, circle),
}
KINDS: Mapping[str, tuple[type[_Fields], Callable[..., Motion]]] = {
    "quintic": (_JointLine, Quintic),
    "cubic": (_JointLine, Cubic),
    "blend": (_Blend, Blend),
    "trapezoid": (_Trapezoid, Trapezoid),
    "waypoints": (_Waypoints, Waypoints),
    "excitation": (_Excitation, Excitation),
    "fourier": (_Fourier, fourier),
    "straight-line": (_PoseLine, StraightLine),
    "quaternion-line": (_PoseLine, QuaternionLine),
    "pose-waypoints": (_PoseWaypoints, PoseWaypoints),
    "tool-path": (_ToolPath, ToolPath),
    "pick-and-place": (_PickAndPlace, pick_and_place),
    "recorded": (_Recorded, recorded),
    **EXCURSIONS,
}
# What `relative: home` adds the home configuration to.
PLACES = ("start", "end", "center", "points", "poses", "pick", "place")


def read_written(file: Path, expected: Expected) -> Motion:
    """The motion that a YAML file describes; MotionFileError with every fault."""
    with file.open("rb") as stream:
        raw = stream.read(LARGEST_FILE + 1)
    if not raw.strip():
        raise MotionFileError(str(file), ["is empty; a motion file begins with `kind: quintic`"])
    faults: list[Fault] = []
    try:
        document = read_yaml(raw)
        faults += document.faults
        kind, arguments = _motion(document)
    except FaultyError as error:
        faults += error.faults
    if faults:
        raise MotionFileError(str(file), texts_of(faults))
    try:
        with np.errstate(all="ignore"):  # what overflows is refused when it is evaluated
            motion = KINDS[kind][1](**_for_robot(kind, arguments, expected, file))
            motion.at(np.linspace(0.0, motion.duration, 3))
            return motion
    except LinkworkError as error:
        raise InputError(f"{file}: {error}") from error


def _motion(document: Document) -> tuple[str, dict[str, Any]]:
    data = document.data
    if not isinstance(data, Mapping):
        what = f"{shown(data)} is not a motion; a file is a mapping that begins with `kind: quintic`"
        raise FaultyError([document.fault((), what)])
    kind = data.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        what = (
            f"{shown(kind)} is not a kind of motion{suggestion(kind, KINDS)}; allowed: {listed(KINDS)}"
        )
        raise FaultyError([document.fault(("kind",), what)])
    schema = KINDS[kind][0]
    fields, found = fields_of(schema, data, Layout(lambda path: schema.model_fields))
    refuse_any(document, found)
    assert fields is not None
    return kind, {name: value for name, value in fields if name != "kind"}


def _for_robot(kind: str, arguments: dict[str, Any], expected: Expected, file: Path) -> dict[str, Any]:
    """The arguments with what they need to know of the robot."""
    if kind == "recorded":
        path = file.parent / arguments.pop("file")
        return {"expected": expected, "path": path, **arguments}
    relative = arguments.pop("relative") is not None
    if kind in EXCURSIONS:
        arguments["kind"] = PoseExcursion if expected.moves_platform else Excursion
        if arguments["center"] is None:  # an excursion without a center is one from home
            arguments["center"] = shifted(np.zeros(len(arguments["amplitude"])), expected)
        elif relative:
            arguments["center"] = shifted(np.array(arguments["center"]), expected)
        return arguments
    if kind == "fourier":
        arguments["poses"] = expected.moves_platform
    if kind == "pick-and-place":
        arguments["kind"] = PoseWaypoints if expected.moves_platform else Waypoints
    if relative:
        for name in PLACES:
            if name in arguments:
                arguments[name] = shifted(np.array(arguments[name], dtype=np.float64), expected)
    return arguments
