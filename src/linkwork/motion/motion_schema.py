"""The fields of motion files, by kind. Numbers come out in SI units and radians."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict

from linkwork.motion.random_vibration import QUANTITIES
from linkwork.motion.splines import Ends
from linkwork.robots import quantities as q
from linkwork.robots.faults import shown

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


def _densities(value: object) -> dict[str, tuple[Row, ...]]:
    """Rows of frequency [Hz] and density by the name of a coordinate."""
    allowed = "coordinates with rows such as z: [[0.5, 0.02], [20, 0.001]]"
    if not isinstance(value, Mapping) or not value:
        raise ValueError(f"{shown(value)} is not a mapping; allowed: {allowed}")
    row = q.number()
    rows = _table(lambda item: tuple(map(row, _items(item, "[frequency, density]"))))
    return {q.name(name): rows(points) for name, points in value.items()}


class Fields(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")
    kind: str
    relative: Annotated[str, BeforeValidator(q.one_of("home"))] | None = None


class JointLine(Fields):
    start: Joints
    end: Joints
    duration: Seconds


class Blend(JointLine):
    blend: Seconds


class Trapezoid(Fields):
    start: Joints
    end: Joints
    duration: Seconds | None = None
    velocity: OneOrEach | None = None
    acceleration: OneOrEach | None = None


class PoseLine(Fields):
    start: Pose
    end: Pose
    duration: Seconds
    speed: Speed
    turn_rate: TurnRate


class Waypoints(Fields):
    points: Annotated[tuple[Row, ...], BeforeValidator(_table(_joints))]
    times: Times | None = None
    duration: Seconds | None = None
    ends: End = "rest"


class PoseWaypoints(Fields):
    poses: Annotated[tuple[Row, ...], BeforeValidator(_table(_pose))]
    times: Times | None = None
    duration: Seconds | None = None
    ends: End = "rest"


class ToolPath(Fields):
    poses: Annotated[tuple[Row, ...], BeforeValidator(_table(_pose))]
    duration: Seconds
    blend: Annotated[float, BeforeValidator(q.number("m"))] = 0.0


class Excitation(Fields):
    center: Joints
    amplitude: OneOrEach
    base_frequency: Hertz
    harmonics: Whole = 5
    seed: Whole = 0
    periods: Whole = 1


class Fourier(Fields):
    center: Joints
    base_frequency: Hertz
    sines: Annotated[tuple[Row, ...], BeforeValidator(_table(_joints))]
    cosines: Annotated[tuple[Row, ...], BeforeValidator(_table(_joints))]
    periods: Whole = 1


class Excursion(Fields):
    """Six numbers are a pose for a platform and joints for an arm."""

    center: Joints | None = None
    amplitude: Joints
    duration: Seconds


class Sine(Excursion):
    frequency: Hertz
    fade: Annotated[float, BeforeValidator(q.number("s", q.NOT_NEGATIVE))] | None = None


class Sweep(Sine):
    last_frequency: Hertz


class Step(Excursion):
    rise: Seconds
    delay: Annotated[float, BeforeValidator(q.number("s", q.NOT_NEGATIVE))] = 0.0


class Circle(Excursion):
    across: Joints
    turns: Annotated[float, BeforeValidator(q.number("", q.POSITIVE))] = 1.0


class PickAndPlace(Fields):
    pick: Joints
    place: Joints
    lift: Joints
    duration: Seconds


class Recorded(Fields):
    file: Annotated[str, BeforeValidator(q.name)]
    resample: Seconds | None = None


class Psd(Fields):
    center: Joints | None = None
    of: Annotated[str, BeforeValidator(q.one_of(*QUANTITIES))] = "acceleration"
    density: Annotated[Mapping[str, tuple[Row, ...]], BeforeValidator(_densities)] | None = None
    file: Annotated[str, BeforeValidator(q.name)] | None = None
    duration: Seconds
    seed: Whole = 0
    fade: Annotated[float, BeforeValidator(q.number("s", q.NOT_NEGATIVE))] | None = None
