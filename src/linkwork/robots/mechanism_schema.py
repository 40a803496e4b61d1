"""The fields of a mechanism's file: sections, couplings, motors, copies, coordinates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, field_validator, model_validator
from pydantic.fields import FieldInfo

from linkwork.robots import mechanism_parts as parts
from linkwork.robots import quantities as q
from linkwork.robots import schema as s
from linkwork.robots.faults import Path, listed, shown
from linkwork.robots.mechanism import BASE, POSE, Coordinate

MOST_TIMES = 99
COORDINATE = "a joint, a cylinder, or {body: [x, y, z, roll, pitch, yaw]} with some of the six"
PART_OF: Mapping[str, Any] = {
    "bodies": parts.Body,
    "joints": parts.Joint,
    "rods": parts.Rod,
    "cylinders": parts.Cylinder,
    "springs": parts.PointSpring,
}


def _named(value: object) -> object:
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        what = "is not a mapping; allowed: a name and what it has, for each, such as `arm: {...}`"
        raise ValueError(f"{shown(value)} {what}")
    return dict(value)


def _list(value: object) -> object:
    if value is None:
        return ()
    if not isinstance(value, list | tuple):
        raise ValueError(f"{shown(value)} is not a list; allowed: a list, one item for each")
    return value


def _times(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= MOST_TIMES:
        raise ValueError(f"{shown(value)} is not allowed; allowed: a whole number, 1 to {MOST_TIMES}")
    return value


def _coordinate(value: object) -> tuple[Coordinate, ...]:
    """A joint, or some of the pose of a body, which may be seen from another body."""
    if isinstance(value, str):
        return (Coordinate(q.name(value)),)
    if not isinstance(value, Mapping):
        raise ValueError(f"{shown(value)} is not a coordinate; allowed: {COORDINATE}")
    bodies = [name for name in value if name != "relative_to"]
    if len(bodies) != 1:
        found = f"has {listed(map(str, bodies))}" if bodies else "has no body"
        raise ValueError(f"{found}; allowed: {COORDINATE}, one body in each item")
    body, written = q.name(bodies[0]), value[bodies[0]]
    if not isinstance(written, list | tuple) or not written:
        raise ValueError(f"{shown(written)} is not a list; allowed: some of {listed(POSE)}")
    names = tuple(q.one_of(*POSE)(item) for item in written)
    if len(set(names)) < len(names):
        raise ValueError(f"{shown(written)} names a coordinate twice; allowed: some of {listed(POSE)}")
    seen_from = q.name(value.get("relative_to", BASE))
    # A whole pose is known by one order to everybody who hands one over.
    ordered = POSE if len(names) == len(POSE) else names
    return tuple(Coordinate(body, name, seen_from) for name in ordered)


def _motor(value: object) -> object:
    """`{pitch: 1, roll: 1}` is short for `{joints: {pitch: 1, roll: 1}}`."""
    long = isinstance(value, Mapping) and isinstance(value.get("joints"), Mapping)
    return value if long or not isinstance(value, Mapping) else {"joints": value}


Ratio = Annotated[float, BeforeValidator(q.number("", q.NOT_ZERO))]
Ratios = Annotated[dict[str, Ratio], BeforeValidator(_named)]


class Coupling(s.Part):
    """`joint` moves `ratio` times as far as `follows`; or the sum of ratio * coordinate stays 0."""

    joint: s.Name | None = None
    follows: s.Name | None = None
    ratio: Ratio = 1.0
    terms: Ratios | None = None

    @model_validator(mode="after")
    def _one_form(self) -> Any:
        given = self.model_fields_set
        if "terms" in given and len(given) == 1 and len(self.terms or ()) > 0:
            return self
        if "terms" not in given and self.joint is not None and self.follows is not None:
            return self
        allowed = "joint:, follows: and ratio:, or terms: {joint: ratio, ...}"
        raise ValueError(f"has {listed(sorted(given)) or 'nothing'}; allowed: {allowed}")

    @property
    def ratios(self) -> tuple[tuple[str, float], ...]:
        if self.terms is not None:
            return tuple(self.terms.items())
        return (str(self.joint), 1.0), (str(self.follows), -self.ratio)


class Motor(s.Part):
    joints: Ratios
    rotor: s.Inertial = 0.0
    limits: s.RevoluteLimits | None = None

    @field_validator("joints")
    @classmethod
    def _some(cls, value: dict[str, float]) -> dict[str, float]:
        if not value:
            raise ValueError("is empty; allowed: the joints it acts on, such as {pitch: 1, roll: 1}")
        return value


class Sections(s.Part):
    """What may be written once, or in `repeat` for several copies."""

    bodies: Annotated[dict[str, parts.Body], BeforeValidator(_named)] = Field(default_factory=dict)
    joints: Annotated[dict[str, parts.Joint], BeforeValidator(_named)] = Field(default_factory=dict)
    rods: Annotated[dict[str, parts.Rod], BeforeValidator(_named)] = Field(default_factory=dict)
    cylinders: Annotated[dict[str, parts.Cylinder], BeforeValidator(_named)] = Field(
        default_factory=dict
    )
    springs: Annotated[dict[str, parts.PointSpring], BeforeValidator(_named)] = Field(
        default_factory=dict
    )


class Repeat(Sections):
    times: Annotated[int, BeforeValidator(_times)]
    around: parts.Axis


class Tool(s.Part):
    """A place on a body; turned against the base axes by roll, pitch and yaw at home."""

    body: s.Name
    at: parts.Place | None = None
    rpy: s.RPY = s.ZERO


class MechanismFile(s.RobotFile, Sections):
    points: Annotated[dict[str, s.Point], BeforeValidator(_named)] = Field(default_factory=dict)
    couplings: Annotated[tuple[Coupling, ...], BeforeValidator(_list)] = ()
    motors: Annotated[dict[str, Annotated[Motor, BeforeValidator(_motor)]], BeforeValidator(_named)] = (
        Field(default_factory=dict)
    )
    repeat: Annotated[tuple[Repeat, ...], BeforeValidator(_list)] = ()
    coordinates: Annotated[
        tuple[Annotated[Any, BeforeValidator(_coordinate)], ...], BeforeValidator(_list)
    ]
    tool: Tool | None = None
    order: Annotated[tuple[s.Name, ...], BeforeValidator(_list)] = ()  # of efforts

    @field_validator("coordinates")
    @classmethod
    def _some(cls, value: tuple[Any, ...]) -> tuple[Any, ...]:
        if not value:
            what = "is empty; allowed: a list of the independent coordinates"
            raise ValueError(f"{what}: each is {COORDINATE}")
        return value


def fields_at(path: Path, data: Mapping[str, Any]) -> Mapping[str, FieldInfo]:
    """The fields of the part that a path leads to."""
    top: Any = MechanismFile
    if path[:1] == ("repeat",) and len(path) > 1:
        top, data, path = Repeat, data["repeat"][path[1]], path[2:]
    if not path:
        return dict(top.model_fields)
    section, rest = str(path[0]), [step for step in path[2:] if isinstance(step, str)]
    part: Any = {**PART_OF, "couplings": Coupling, "motors": Motor, "tool": Tool}.get(section, top)
    if section == "joints" and rest:
        joint = data.get("joints", {}).get(path[1])
        part = parts.joint_extra(rest[0], isinstance(joint, Mapping) and "P" in joint)
    elif rest:
        part = {"spring": parts.LengthSpring, "limits": parts.CylinderLimits}.get(rest[0], parts.Half)
        part = s.RevoluteLimits if section == "motors" else part
    return dict(part.model_fields)


# What somebody may write who thinks of another kind of file or of another program's.
INSTEAD = {
    "actuated": "a joint that is driven says motor: true",
    "type": "the kind of a joint is a field: R: axis, P: axis, U: axis, S:, fixed:",
    "axis": "the axis stands at the kind of the joint, such as R: y",
    "name": "the name is what it stands under",
    "links": "bodies and joints are sections of their own here",
    "legs": "legs are written as cylinders or rods, or as bodies and joints; see repeat",
    "home": "everything is drawn at home; a body's origin: is where its pose counts from",
    "length": "the length is the distance of from: and to:",
}


def stray(path: Path) -> str:
    """Why a field is not allowed where it stands, if there is more to say than that it is unknown."""
    return "" if path[-2:-1] == ("limits",) else INSTEAD.get(str(path[-1]), "")


def context_of(data: Mapping[str, Any]) -> Mapping[str, Any]:
    """The named points; one that is at fault is told once, where it stands."""
    written = data.get("points")
    found: dict[str, q.Vector] = {}
    for name, value in written.items() if isinstance(written, Mapping) else ():
        try:
            found[name] = q.point(value)
        except ValueError:
            found[name] = s.ZERO
    return {"points": found}


def written_at(path: Path, data: Mapping[str, Any]) -> Path:
    """The path as the file has it: the short form of a motor has no `joints`."""
    if path[:1] != ("motors",) or len(path) < 3:
        return path
    motor = data["motors"].get(path[1])
    long = isinstance(motor, Mapping) and isinstance(motor.get("joints"), Mapping)
    return path if long or path[2] != "joints" else (*path[:2], *path[3:])
