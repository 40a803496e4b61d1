"""Changing a robot by its numbers: points, axes, masses.

An edit changes what the robot file would say and reads that again, so it is checked as a file is, and
every design can be saved.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from linkwork.checks import numbers
from linkwork.errors import InputError, RobotFileError
from linkwork.interface.robot import Array, Robot
from linkwork.robots.files import Model, load_model
from linkwork.robots.robot_writer import robot_document
from linkwork.robots.writing import yaml_text
from linkwork.rotations import rotation_of, to_angles
from linkwork.studio.interpreted import interpreted

DEGREE = math.pi / 180
PLATFORM, PARALLEL, MECHANISM = "platform", "parallel-robot", "mechanism"


@dataclass(frozen=True)
class Field:
    """A number or a vector of a part, by its place in the robot file; `scale` makes it SI."""

    name: str
    unit: str
    path: tuple[str, ...]
    is_vector: bool = True
    scale: float = 1.0

    @property
    def label(self) -> str:
        return f"{self.name} [{self.unit}]" if self.unit else self.name


def _body(title: str, *path: str) -> tuple[Field, ...]:
    title = f"{title} " if title else ""
    return (
        Field(f"{title}mass", "kg", (*path, "mass"), is_vector=False),
        Field(f"{title}centre of mass", "m", (*path, "center_of_mass")),
    )


def _number(name: str, unit: str, scale: float = 1.0) -> Field:
    return Field(name, unit, (name,), is_vector=False, scale=scale)


BASE_POINT = Field("base point", "m", ("base_point",))
PLATFORM_POINT = Field("platform point", "m", ("platform_point",))
ORIGIN = Field("joint origin", "m", ("position",))
OFFSET, LENGTH = _number("d", "m"), _number("a", "m")

LEG_FIELDS = (
    BASE_POINT,
    PLATFORM_POINT,
    Field("fixed axis", "", ("fixed_axis",)),
    *_body("lower part", "lower"),
    *_body("upper part", "upper"),
)
GENERAL_FIELDS = (
    ORIGIN,
    Field("turned by roll, pitch, yaw", "deg", ("rpy",), scale=DEGREE),
    Field("axis", "", ("axis",)),
    *_body(""),
)
TABLE_FIELDS = (
    LENGTH,
    OFFSET,
    _number("alpha", "deg", DEGREE),
    _number("theta", "deg", DEGREE),
    *_body(""),
)
BODY_FIELDS = _body("")

BASE_RADIUS, PLATFORM_RADIUS, HEIGHT = "base radius", "platform radius", "height at home"
POINTS = {BASE_RADIUS: "base_point", PLATFORM_RADIUS: "platform_point"}


class Design:
    """A robot under edit. A change that is not allowed is an InputError and changes nothing."""

    def __init__(self, robot: Robot) -> None:
        self.robot: Robot = robot
        self.changed = False
        self._document = _spread(robot_document(robot.model))

    @property
    def model(self) -> Model:
        return self.robot.model

    @property
    def is_table(self) -> bool:
        """Whether the robot is an arm by a Denavit-Hartenberg table."""
        return self.convention in ("standard", "modified")

    @property
    def convention(self) -> str | None:
        return self._document.get("convention")

    @property
    def has_points(self) -> bool:
        """Whether parts have points that can be moved; where there are loops they must go on closing."""
        return self._document["kind"] not in (PARALLEL, MECHANISM)

    @property
    def parts(self) -> tuple[str, ...]:
        """What can be edited: every leg, joint, link or body, and the platform."""
        return tuple(self._places)

    @cached_property
    def _places(self) -> dict[str, tuple[str | int, ...]]:
        """Where parts are in the document; they do not change."""
        names, document = self.robot.efforts.names, self._document
        if document["kind"] == MECHANISM:
            return {name: ("bodies", name) for name in document["bodies"]}
        if document["kind"] == PARALLEL:
            found = _link_places(document)
        else:
            holder = "legs" if "legs" in document else "links"
            found = {name: (holder, k) for k, name in enumerate(names)}
        return {**found, PLATFORM: (PLATFORM,)} if PLATFORM in document else found

    def fields(self, part: str) -> tuple[Field, ...]:
        if part == PLATFORM or self._document["kind"] in (PARALLEL, MECHANISM):
            return BODY_FIELDS
        if "legs" in self._document:
            return LEG_FIELDS
        return TABLE_FIELDS if self.is_table else GENERAL_FIELDS

    def value(self, part: str, field: Field) -> Any:
        """As the form shows it: a number, or three."""
        found: Any = self._holder(self._document, part)
        for step in field.path:
            found = found[step]
        return np.array(found) / field.scale if field.is_vector else float(found) / field.scale

    def edit(self, part: str, changes: Mapping[Field, Any], everywhere: bool = False) -> None:
        """Give fields values, of one part or of all parts that have them."""
        document = copy.deepcopy(self._document)
        for name in self.parts if everywhere else (part,):
            for field, value in changes.items():
                if field in self.fields(name):
                    _put(self._holder(document, name), field, value)
        self._take(document)

    def _take(self, document: dict[str, Any]) -> None:
        """Read a changed robot file; if it is at fault, nothing changes."""
        try:
            model: Any = replace(load_model(document), angle_unit=self.robot.angle_unit)
        except RobotFileError as error:
            raise InputError("; ".join(error.faults)) from None
        self._document = document
        self.robot = interpreted(model)
        self.changed = True

    @property
    def shape(self) -> dict[str, float]:
        """Radii of base and platform and their distance at home [m] of a Stewart platform."""
        if "legs" not in self._document or not self.has_points:
            return {}
        base, platform = (self._points(name) for name in POINTS.values())
        home = np.asarray(self.robot.home)
        raised = float(home[2] + (platform @ rotation_of(home).T)[:, 2].mean() - base[:, 2].mean())
        return {BASE_RADIUS: _radius(base), PLATFORM_RADIUS: _radius(platform), HEIGHT: raised}

    def reshape(self, what: str, value: float) -> None:
        """Give a radius or the height a value; points keep their directions from the middle.

        Actuators keep their strokes: limits of length move with the length that a leg has at home.
        """
        document = copy.deepcopy(self._document)
        home = np.array(self.robot.home)
        factor = float(numbers(value, what)) / self.shape[what]
        if not factor > 0:
            raise InputError(f"{what} = {value}: allowed is a length above 0 m.")
        if what == HEIGHT:
            home[2] += (factor - 1) * self.shape[what]
            document["home"] = [*home[:3].tolist(), *to_angles(home[3:]).tolist()]
        else:
            for leg, point in zip(document["legs"], self._scaled(POINTS[what], factor), strict=True):
                leg[POINTS[what]] = point.tolist()
        before = _lengths(self._document, np.array(self.robot.home))
        for leg, longer in zip(document["legs"], _lengths(document, home) - before, strict=True):
            limits = leg.get("limits", {})
            if limits.get("length") is not None:
                limits["length"] = [bound + float(longer) for bound in limits["length"]]
        self._take(document)

    def _points(self, name: str) -> Array:
        return np.array([leg[name] for leg in self._document["legs"]])

    def _scaled(self, name: str, factor: float) -> Array:
        points = self._points(name)
        middle = points.mean(axis=0)
        return middle + (points - middle) * np.array([factor, factor, 1.0])

    def text(self) -> str:
        """The robot file of the design."""
        return yaml_text(robot_document(self.model))

    def _holder(self, document: dict[str, Any], part: str) -> dict[str, Any]:
        found: Any = document
        for step in self._places[part]:
            found = found[step]
        holder: dict[str, Any] = found
        return holder


def _link_places(document: dict[str, Any]) -> dict[str, tuple[str | int, ...]]:
    """Links with mass of a parallel robot, by the names of their joints."""
    found: dict[str, tuple[str | int, ...]] = {}
    for i, leg in enumerate(document["legs"]):
        for j, joint in enumerate(leg["joints"]):
            if "link" in joint:
                own = joint.get("name", f"{next(iter(joint))}{j + 1}")
                found[f"{leg['name']} {own}"] = ("legs", i, "joints", j, "link")
    return found


def _lengths(document: dict[str, Any], pose: Array) -> Array:
    """Of the legs at a pose."""
    base, platform = (np.array([leg[name] for leg in document["legs"]]) for name in POINTS.values())
    return np.asarray(np.linalg.norm(platform @ rotation_of(pose).T + pose[:3] - base, axis=1))


def _radius(points: Array) -> float:
    """Mean distance of points from the vertical line through their middle."""
    return float(np.linalg.norm((points - points.mean(axis=0))[:, :2], axis=1).mean())


def _put(holder: dict[str, Any], field: Field, value: Any) -> None:
    wanted = numbers(value, field.name) * field.scale
    if wanted.shape != ((3,) if field.is_vector else ()):
        raise InputError(f"{field.name}: {3 if field.is_vector else 1} numbers are needed.")
    for step in field.path[:-1]:
        holder = holder[step]
    holder[field.path[-1]] = wanted.tolist()


def _spread(document: dict[str, Any]) -> dict[str, Any]:
    """Every leg with all its numbers, so that each can be changed on its own."""
    shared = document.pop("leg_defaults", {})
    for leg in document.get("legs", ()):
        leg.update(copy.deepcopy({name: value for name, value in shared.items() if name not in leg}))
    return document
