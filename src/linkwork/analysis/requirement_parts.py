"""The fields of a requirements file: what a customer asks of a machine."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

from linkwork.analysis.drive_loads import Duty
from linkwork.files import quantities as q
from linkwork.files.declared import Data, Found, Named, Of
from linkwork.files.faults import shown

LONGEST_TEXT = 300
# By the order of the derivative: how values of axes that turn may be written.
TURNING = ("deg", "deg/s", "deg/s^2")
_WRITTEN = re.compile(rf"({q.NUMBER.pattern})\s*(deg|rad)(/s(?:\^?2)?)?")
_ORDERS = {None: 0, "/s": 1, "/s2": 2, "/s^2": 2}
_POSITIVE, _SECONDS = q.number("", q.POSITIVE), q.number("s", q.POSITIVE)


def _text(value: object) -> str:
    """A line of the document; numbers and dates are texts too."""
    text = value if isinstance(value, str) else str(value)
    if isinstance(value, bool | list | Mapping | None) or not text.isprintable() or not text.strip():
        raise ValueError(
            f"{shown(value)} is not a text; allowed: a line of text (use quotes if in doubt)"
        )
    if len(text) > LONGEST_TEXT:
        raise ValueError(f"is longer than {LONGEST_TEXT} characters; shorten it")
    return text.strip()


def axis_value(value: object, order: int) -> float:
    """A number in SI units, or an angle, its rate or its acceleration, such as 20 deg or 30 deg/s."""
    allowed = f"a number in SI units, or of an axis that turns a text such as 20 {TURNING[order]}"
    if not isinstance(value, str):
        return float(q.number("")(value))
    match = _WRITTEN.fullmatch(value.strip())
    if match is None or _ORDERS[match[3]] != order:
        number = q.VALUE.fullmatch(value.strip())
        hint = f" (did you mean {number[1]}?)" if number and not number[2] else ""
        raise ValueError(f"{shown(value)} is not allowed{hint}; allowed: {allowed}")
    number_of = float(q.number("")(float(match[1])))
    return math.radians(number_of) if match[2] == "deg" else number_of


def _both_ways(value: object) -> tuple[float, float]:
    """An excursion either way, or the lowest and the highest."""
    if isinstance(value, list | tuple):
        if len(value) != 2:
            raise ValueError(f"{shown(value)} is not allowed; allowed: a number, or [lowest, highest]")
        low, high = (axis_value(item, 0) for item in value)
        if not low <= 0 <= high or low == high:
            raise ValueError(f"{shown(value)} does not hold home; allowed: [lowest <= 0, highest >= 0]")
        return low, high
    far = axis_value(value, 0)
    if far <= 0:
        raise ValueError(f"{shown(value)} is not positive; allowed: how far either way, or [low, high]")
    return -far, far


def _at_most(order: int) -> q.FieldQuantity[float]:
    def read(value: object) -> float:
        found = axis_value(value, order)
        if found <= 0:
            raise ValueError(f"{shown(value)} is not positive; allowed: a magnitude above 0")
        return found

    return q.FieldQuantity(read, "", "a magnitude, either way")


EXCURSION = q.FieldQuantity(_both_ways, "", "how far either way, or [lowest, highest]")


def _combination(value: object) -> dict[str, tuple[float, float]]:
    if not isinstance(value, Mapping) or not value:
        raise ValueError(
            f"{shown(value)} is not a mapping; allowed: axes such as {{heave: 0.2, roll: 5 deg}}"
        )
    return {str(axis): _both_ways(item) for axis, item in value.items()}


def _motion_names(value: object) -> tuple[str, ...]:
    items = [value] if isinstance(value, str) else value
    if not isinstance(items, list | tuple) or not items or not all(isinstance(x, str) for x in items):
        raise ValueError(f"{shown(value)} is not a list; allowed: bundled names or motion files")
    return tuple(items)


@dataclass(frozen=True)
class RequiredPayload:
    """What the machine carries beside its own bodies, in the axes of its tool or platform."""

    mass: Annotated[float, q.number("kg", q.NOT_NEGATIVE), "of the load"]
    center_of_mass: Annotated[q.Vector, q.point, "from the tool's or platform's origin"] = (
        0.0,
        0.0,
        0.0,
    )
    inertia: Annotated[q.Matrix | None, q.inertia, "about its center of mass"] = None


@dataclass(frozen=True)
class RequiredDuty:
    """How motions repeat, for the motors of drives."""

    pause: Annotated[float, q.number("s", q.NOT_NEGATIVE), "after each motion"] = 0.0
    share: Annotated[float | None, _POSITIVE, "of time that a motion takes, in place of pause"] = None
    braked: Annotated[bool, q.flag, "brakes hold in the pause"] = False
    ambient: Annotated[float, q.number("deg C"), "temperature around the motors"] = 40.0

    @staticmethod
    def field_faults(values: Data, context: Data) -> list[Found]:
        share = values.get("share")
        if share is not None and share > 1:
            return [(("share",), f"{shown(share)} is more than all of the time; allowed: up to 1")]
        if share is not None and values.get("pause"):
            return [(("share",), "says the same as pause; give one of them")]
        return []

    @staticmethod
    def makes(**written: Any) -> Duty:
        return Duty(**written)


@dataclass(frozen=True)
class RequiredStops:
    """How the machine is stopped, and what is asked of it then."""

    normal: Annotated[float, _SECONDS, "duration of a normal stop along the path"] = 1.0
    emergency: Annotated[float, _SECONDS, "the same of an emergency stop with working drives"] = 0.3
    reaction: Annotated[float, q.number("s", q.NOT_NEGATIVE), "from a failure to the stop"] = 0.01
    brake_delay: Annotated[float, q.number("s", q.NOT_NEGATIVE), "from power loss to brakes closed"] = (
        0.05
    )
    bandwidth: Annotated[float, q.number("Hz", q.POSITIVE), "of the actuators' position loops"] = 5.0
    distance: Annotated[float | None, q.number("m", q.POSITIVE), "most that the tool may go"] = None
    time: Annotated[float | None, _SECONDS, "most until rest"] = None
    holds: Annotated[bool | None, q.flag, "whether it must hold without power"] = None


@dataclass(frozen=True)
class RequiredFoundation:
    """What the floor bears."""

    force: Annotated[float | None, q.number("N", q.POSITIVE), "most, magnitude"] = None
    moment: Annotated[float | None, q.number("N m", q.POSITIVE), "most, about the base's origin"] = None


TEXT = q.FieldQuantity(_text, "", "a line of text")
CONTINUOUS = Duty()


@dataclass(frozen=True, kw_only=True)
class RequirementFields:
    """What a requirements file says. Excursions, velocities and accelerations are those of one axis
    alone from home."""

    title: Annotated[str, TEXT, "of the document"] = ""
    customer: Annotated[str, TEXT, "for whom it is"] = ""
    author: Annotated[str, TEXT, "who answers for it"] = ""
    revision: Annotated[str, TEXT, "of the document"] = ""
    date: Annotated[str, TEXT, "of the document; today if absent"] = ""
    payload: Annotated[RequiredPayload | None, Of(RequiredPayload), "beside the robot file's bodies"] = (
        None
    )
    excursions: Annotated[Mapping[str, tuple[float, float]], Of(EXCURSION, "names"), "from home"] = (
        field(default_factory=dict)
    )
    combined: Annotated[
        tuple[Mapping[str, tuple[float, float]], ...],
        Of(q.FieldQuantity(_combination, "", "axes with excursions"), "list"),
        "several axes at once, every combination of their ends",
    ] = ()
    velocities: Annotated[Mapping[str, float], Of(_at_most(1), "names"), "at home, either way"] = field(
        default_factory=dict
    )
    accelerations: Annotated[Mapping[str, float], Of(_at_most(2), "names"), "at home, either way"] = (
        field(default_factory=dict)
    )
    motions: Annotated[
        tuple[str, ...], q.FieldQuantity(_motion_names, "", "names or files"), "to be followed"
    ] = ()
    period: Annotated[float, _SECONDS, "between samples of motions"] = 0.01
    duty: Annotated[Duty, Of(RequiredDuty), "how motions repeat"] = CONTINUOUS
    margin: Annotated[float, q.number(""), "least of all limits, (limit - demand) / limit"] = 0.0
    frequency: Annotated[float | None, q.number("Hz", q.POSITIVE), "lowest natural frequency, least"] = (
        None
    )
    condition: Annotated[float | None, _POSITIVE, "greatest condition number"] = None
    stroke: Annotated[float | None, _POSITIVE, "most of any actuator [m or rad]"] = None
    footprint: Annotated[
        float | None, q.number("m", q.POSITIVE), "farthest base joint from the middle"
    ] = None
    clearance: Annotated[float, q.number("", q.NOT_NEGATIVE), "from singularities"] = 0.0
    leg_diameter: Annotated[float, q.number("m", q.NOT_NEGATIVE), "at which legs touch"] = 0.0
    joint_spacing: Annotated[
        float | None, q.number("m", q.POSITIVE), "least distance of joints on base or platform"
    ] = None
    stops: Annotated[RequiredStops, Of(RequiredStops), Named("stop"), "emergency stops"] = (
        RequiredStops()
    )
    foundation: Annotated[RequiredFoundation, Of(RequiredFoundation), "loads"] = RequiredFoundation()
