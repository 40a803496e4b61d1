"""Changing a robot by its numbers: points, axes, masses.

An edit changes what the robot file would say and reads that again, so it is checked as a file is, and
every design can be saved. Until then it has no machine code: a kernel takes a good part of a second to
compile and stays in the cache, and a design that is being dragged lives for a tenth of it. CasADi's own
evaluation starts at once and takes a third of a millisecond.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike

from linkwork.core.arguments import numbers
from linkwork.core.errors import InputError, RobotFileError
from linkwork.core.rotations import rotation_of, to_angles
from linkwork.core.table_files import Plain
from linkwork.files.yaml_lines import yaml_text
from linkwork.kernels import Kernel, Recipe
from linkwork.kernels.kernel import Results, as_rows
from linkwork.kernels.recipes import Expression
from linkwork.model.families.stewart import PlatformModel
from linkwork.model.families.stewart_file import stands_on_hexagon
from linkwork.model.robot_files import Model, load_model, robot_document
from linkwork.robot.loading import view_of
from linkwork.robot.robot import Array, Robot
from linkwork.studio.reading import StateReading


class Interpreter:
    """Stands in for a kernel: the same inputs, outputs and answers, row by row."""

    def __init__(self, expression: Expression) -> None:
        self.function, shapes = expression
        self.name = self.function.name()
        self.inputs = {
            self.function.name_in(k): self.function.size1_in(k) for k in range(self.function.n_in())
        }
        self.outputs = {self.function.name_out(k): shape for k, shape in enumerate(shapes)}

    def fast(self, *arrays: ArrayLike) -> None:
        """There is no quicker way for any arrays: None sends the caller to `evaluate`."""

    fill = fast

    def evaluate(self, arrays: tuple[ArrayLike, ...], out: None = None) -> tuple[Results, bool]:
        prepared = [
            as_rows(array, name, size)
            for array, (name, size) in zip(arrays, self.inputs.items(), strict=True)
        ]
        batch = np.broadcast_shapes(*(array.shape[:-1] for array in prepared))
        rows = [np.broadcast_to(a, (*batch, a.shape[-1])).reshape(-1, a.shape[-1]) for a in prepared]
        found = [self._row([table[k] for table in rows]) for k in range(len(rows[0]))]
        results = tuple(
            np.array([row[k] for row in found]).reshape(*batch, *shape)
            for k, shape in enumerate(self.outputs.values())
        )
        nonfinite = not all(np.isfinite(array).all() for array in (*prepared, *results))
        return (results[0] if len(results) == 1 else results), nonfinite

    def _row(self, inputs: list[Array]) -> list[Array]:
        values = self.function.call(inputs)
        return [
            np.asarray(value.full()).reshape(shape)
            for value, shape in zip(values, self.outputs.values(), strict=True)
        ]


def interpreted(model: Model) -> Robot:
    """A robot that answers at once, for one state at a time."""

    def make_kernel(recipe: Recipe) -> Kernel:
        return cast(Kernel, Interpreter(recipe.traced()))

    return view_of(model)(model, make_kernel)


DEGREE = math.pi / 180
PLATFORM, PARALLEL, MECHANISM = "platform", "parallel-robot", "mechanism"


@dataclass(frozen=True)
class DesignField:
    """A number or a vector of a part, by its place in the robot file; `scale` makes it SI."""

    name: str
    unit: str
    path: tuple[str, ...]
    is_vector: bool = True
    scale: float = 1.0

    @property
    def label(self) -> str:
        return f"{self.name} [{self.unit}]" if self.unit else self.name


def _body(title: str, *path: str) -> tuple[DesignField, ...]:
    title = f"{title} " if title else ""
    return (
        DesignField(f"{title}mass", "kg", (*path, "mass"), is_vector=False),
        DesignField(f"{title}center of mass", "m", (*path, "center_of_mass")),
    )


def _number(name: str, unit: str, scale: float = 1.0) -> DesignField:
    return DesignField(name, unit, (name,), is_vector=False, scale=scale)


BASE_POINT = DesignField("base point", "m", ("base_point",))
PLATFORM_POINT = DesignField("platform point", "m", ("platform_point",))
ORIGIN = DesignField("joint origin", "m", ("position",))
OFFSET, LENGTH = _number("d", "m"), _number("a", "m")

LEG_FIELDS = (
    BASE_POINT,
    PLATFORM_POINT,
    DesignField("fixed axis", "", ("fixed_axis",)),
    *_body("lower part", "lower"),
    *_body("upper part", "upper"),
)
GENERAL_FIELDS = (
    ORIGIN,
    DesignField("turned by roll, pitch, yaw", "deg", ("rpy",), scale=DEGREE),
    DesignField("axis", "", ("axis",)),
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


class EditedRobot:
    """A robot under edit. A change that is not expected an InputError and changes nothing."""

    def __init__(self, robot: Robot) -> None:
        self.robot: Robot = robot
        self.changed = False
        self._document = _spread(robot_document(_leg_by_leg(robot.model)))

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

    def fields(self, part: str) -> tuple[DesignField, ...]:
        if part == PLATFORM or self._document["kind"] in (PARALLEL, MECHANISM):
            return BODY_FIELDS
        if "legs" in self._document:
            return LEG_FIELDS
        return TABLE_FIELDS if self.is_table else GENERAL_FIELDS

    def value(self, part: str, field: DesignField) -> Any:
        """As the form shows it: a number, or three."""
        found: Any = self._holder(self._document, part)
        for step in field.path:
            found = found[step]
        return np.array(found) / field.scale if field.is_vector else float(found) / field.scale

    def edit(
        self, part: str, changes: Mapping[DesignField, ArrayLike], everywhere: bool = False
    ) -> None:
        """Give fields values, of one part or of all parts that have them."""
        document = copy.deepcopy(self._document)
        for name in self.parts if everywhere else (part,):
            for field, value in changes.items():
                if field in self.fields(name):
                    _put(self._holder(document, name), field, value)
        self._take(document)

    def _take(self, document: Plain) -> None:
        """Read a changed robot file; if it is at fault, nothing changes."""
        try:
            model = replace(load_model(document), angle_unit=self.robot.angle_unit)
            model = _with_geometry(model, self.model)
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
            raise InputError(f"{what} = {value}: expected a length above 0 m.")
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

    def _holder(self, document: Plain, part: str) -> Plain:
        found: Any = document
        for step in self._places[part]:
            found = found[step]
        holder: Plain = found
        return holder


def _link_places(document: Plain) -> dict[str, tuple[str | int, ...]]:
    """Links with mass of a parallel robot, by the names of their joints."""
    found: dict[str, tuple[str | int, ...]] = {}
    for i, leg in enumerate(document["legs"]):
        for j, joint in enumerate(leg["joints"]):
            if "link" in joint:
                own = joint.get("name", f"{next(iter(joint))}{j + 1}")
                found[f"{leg['name']} {own}"] = ("legs", i, "joints", j, "link")
    return found


def _lengths(document: Plain, pose: Array) -> Array:
    """Of the legs at a pose."""
    base, platform = (np.array([leg[name] for leg in document["legs"]]) for name in POINTS.values())
    return np.asarray(np.linalg.norm(platform @ rotation_of(pose).T + pose[:3] - base, axis=1))


def _radius(points: Array) -> float:
    """Mean distance of points from the vertical line through their middle."""
    return float(np.linalg.norm((points - points.mean(axis=0))[:, :2], axis=1).mean())


def _put(holder: Plain, field: DesignField, value: ArrayLike) -> None:
    wanted = numbers(value, field.name) * field.scale
    if wanted.shape != ((3,) if field.is_vector else ()):
        raise InputError(f"{field.name}: {3 if field.is_vector else 1} numbers are needed.")
    for step in field.path[:-1]:
        holder = holder[step]
    holder[field.path[-1]] = wanted.tolist()


def _leg_by_leg(model: Model) -> Model:
    """With the points of its legs in its file, which can be moved, instead of its geometry."""
    return replace(model, geometry=None) if isinstance(model, PlatformModel) else model


def _with_geometry(model: Model, before: Model) -> Model:
    """With the geometry that it had before, of its radii and height now, while its legs stand there."""
    if not isinstance(model, PlatformModel) or not isinstance(before, PlatformModel):
        return model
    if before.geometry is None or model.home is None:
        return model
    radii = [float(np.hypot(*points[0, :2])) for points in model.points()]
    changes = dict(zip(("base_radius", "platform_radius"), radii, strict=True))
    known = {name: getattr(before.geometry, name) for name in changes}
    kept = {name: known[name] if np.isclose(value, known[name], rtol=1e-13) else value
            for name, value in changes.items()}  # fmt: skip
    geometry = replace(before.geometry, **kept, height=float(model.home[2]))
    there = replace(model, geometry=geometry)
    return there if stands_on_hexagon(there) else model


def _spread(document: Plain) -> Plain:
    """Every leg with all its numbers, so that each can be changed on its own."""
    shared = document.pop("leg_defaults", {})
    for leg in document.get("legs", ()):
        leg.update(copy.deepcopy({name: value for name, value in shared.items() if name not in leg}))
    return document


LINK_FRAME = "link frame"


def points_of(design: EditedRobot, part: str) -> tuple[str, ...]:
    """Names of the points of a part that can be dragged."""
    if not design.has_points:
        return ()
    if design.robot.actuated_element == "leg":
        return () if part == PLATFORM else (BASE_POINT.name, PLATFORM_POINT.name)
    return (LINK_FRAME,) if design.is_table else (ORIGIN.name,)


def place_of(design: EditedRobot, part: str, point: str, reading: StateReading) -> Array:
    """Where a point stands, base axes."""
    k, model = design.parts.index(part), design.robot.mechanism
    if point == LINK_FRAME:
        return _link_frame(design, reading, k)[:3, 3]
    if point == ORIGIN.name:
        return _moved(reading, k, model.joints[k].at)
    cylinder = model.cylinders[k]
    return cylinder.start if point == BASE_POINT.name else _moved(reading, 1, cylinder.end)


def axis_of(design: EditedRobot, part: str, reading: StateReading) -> Array:
    """Of a joint, base axes."""
    k = design.parts.index(part)
    return np.asarray(_frames(reading)[k, :, :3] @ design.robot.mechanism.joints[k].axes[0])


def changes_for(
    design: EditedRobot, part: str, point: str, place: Array, reading: StateReading
) -> dict[DesignField, Array | float]:
    """What to write into the robot file so that a point stands at a place."""
    k = design.parts.index(part)
    if point == BASE_POINT.name:
        return {BASE_POINT: place}
    if point == PLATFORM_POINT.name:
        return {PLATFORM_POINT: _seen(_link_frame(design, reading, 0), place)}
    before = np.eye(4) if k == 0 else _link_frame(design, reading, k - 1)
    if point == ORIGIN.name:
        return {ORIGIN: _seen(before, place)}
    # A table lets a link frame go along its joint's axis (d) and along its x axis (a) only.
    way = place - before[:3, 3]
    carrier = _link_frame(design, reading, k) if design.convention == "standard" else before
    along = float(way @ axis_of(design, part, reading))
    if design.robot.coordinates.units[k] == "m":
        along -= float(reading.state.position[k])
    return {LENGTH: float(way @ carrier[:3, 0]), OFFSET: along}


def _frames(reading: StateReading) -> Array:
    assert reading.frames is not None  # robots whose points can be dragged have no loops that open
    return reading.frames


def _moved(reading: StateReading, body: int, at: Array) -> Array:
    """Where a point of a body, given at home, is."""
    frame = _frames(reading)[body]
    return np.asarray(frame[:, :3] @ at + frame[:, 3])


def _link_frame(design: EditedRobot, reading: StateReading, k: int) -> Array:
    """Of body k after the base, (4, 4)."""
    moved = np.vstack([_frames(reading)[k + 1], [0.0, 0.0, 0.0, 1.0]])
    return np.asarray(moved @ design.robot.mechanism.parts[k].frame.matrix())


def _seen(frame: Array, place: Array) -> Array:
    return np.asarray(frame[:3, :3].T @ (place - frame[:3, 3]))
