"""A study: which robot, which of its fields vary and how far, along which motions, what is measured."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from linkwork.analysis.requirements import Requirements, axes_of, read_requirements
from linkwork.core.arguments import path_of
from linkwork.core.checked import checked
from linkwork.core.errors import FileError, InputError, LinkworkError
from linkwork.core.input_files import read_bytes
from linkwork.core.text import AngleUnit
from linkwork.design.metrics import METRICS, MotionSamples, sampled
from linkwork.files import quantities as q
from linkwork.files.declared import Data, Found, Named, Of, Reading
from linkwork.files.faults import Document, FaultyError, listed, shown, suggestion, texts_of
from linkwork.files.faults import Path as Place
from linkwork.files.yaml_lines import LARGEST_FILE, read_yaml
from linkwork.model import plausibility
from linkwork.model.fields import Field, check_range, field_of
from linkwork.robot.loading import load
from linkwork.robot.robot import Array, Robot

METHODS = ("grid", "sobol", "latin-hypercube", "monte-carlo", "saltelli")
SETTINGS = ("kp", "kv", "period")  # of a controller
LARGEST_SWEEP = 10**10
VARIANTS, GRID_POINTS = 1024, 5  # of a sampling without a count


class StudyFileError(FileError, InputError):
    """A study file is at fault."""


def _name(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{shown(value)} is no name; allowed: a bundled name or a file")
    return value


def _names(value: object) -> tuple[str, ...]:
    """One name or several."""
    items = [value] if isinstance(value, str) else value
    if not isinstance(items, list | tuple):
        raise ValueError(f"{shown(value)} is no list; allowed: a list of names or files")
    if not items:
        raise ValueError("is empty; allowed: one name or more")
    return tuple(map(_name, items))


def _metrics(value: object) -> tuple[str, ...]:
    names = _names(value)
    for name in names:
        if name not in METRICS:
            hint = suggestion(name, METRICS)
            raise ValueError(f"unknown metric {name!r}{hint}; allowed: {listed(METRICS)}")
    return names


def _number(value: object) -> float:
    """A number or an angle; what it is of is known with the robot, see `_written`."""
    if isinstance(value, str) and not q.ANGLE.fullmatch(value.strip()):
        hint = q.meant_angle(value) or q.meant_by(value, "m")
        allowed = "a number in SI units, or an angle such as 90 deg"
        raise ValueError(f"{shown(value)} is not a number{hint}; allowed: {allowed}")
    return q.angle(value)


_quantity = q.FieldQuantity(_number)


def _values(value: object) -> tuple[float, ...]:
    if not isinstance(value, list | tuple) or not value:
        raise ValueError(f"{shown(value)} is not a list of values; allowed: one number or more")
    return tuple(map(_number, value))


@dataclass(frozen=True)
class StudyVariable:
    """A field of the robot file that varies: between bounds, or among values."""

    name: str = ""
    low: Annotated[float, _quantity] = np.nan
    high: Annotated[float, _quantity] = np.nan
    values: Annotated[tuple[float, ...], q.FieldQuantity(_values)] = ()
    points: Annotated[int | None, q.whole(2)] = None  # of a grid; else the count of its sampling
    is_angle: bool = False

    @staticmethod
    def refusals(data: Mapping[str, Any]) -> Iterator[str]:
        if {*data} != {"values"} and not {"low", "high"} <= {*data} <= {"low", "high", "points"}:
            allowed = "[low, high], {low, high, points} or {values: [...]}"
            yield f"has {listed(data) or 'nothing'}; allowed: {allowed}"

    @staticmethod
    def makes(**written: Any) -> StudyVariable:
        if "values" in written:
            written |= {"low": min(written["values"]), "high": max(written["values"])}
        elif not written["low"] < written["high"]:
            ends = [written["low"], written["high"]]
            raise ValueError(f"{shown(ends)} is not in order; allowed: low < high")
        return StudyVariable(**written)


def _range(value: Any) -> Any:
    """[low, high] written out."""
    pair = isinstance(value, list | tuple) and len(value) == 2
    return {"low": value[0], "high": value[1]} if pair else value


@dataclass(frozen=True)
class SamplingPlan:
    """`count` variants; a grid has so many points of every variable that has no `points` of its own."""

    method: Annotated[str, q.one_of(*METHODS)] = "sobol"
    count: Annotated[int | None, q.whole(1, LARGEST_SWEEP)] = None
    seed: Annotated[int, q.whole(0, LARGEST_SWEEP)] = 0

    @property
    def size(self) -> int:
        """Variants, or points of a variable of a grid."""
        return self.count or (GRID_POINTS if self.method == "grid" else VARIANTS)

    @staticmethod
    def field_faults(values: Data, context: Data) -> Iterator[Found]:
        count = values.get("count") or 1
        if values.get("method") == "saltelli" and count & (count - 1):
            near = 1 << count.bit_length()
            what = f"{count} is not a power of 2, as Saltelli's plan needs; did you mean {near}?"
            yield ("count",), what


@dataclass(frozen=True)
class SearchPlan:
    """How long the best machines are looked for."""

    population: Annotated[int, q.whole(1)] = 60
    generations: Annotated[int, q.whole(1)] = 40
    seed: Annotated[int, q.whole(0)] = 0


@dataclass(frozen=True)
class Bound:
    """A metric that must not be above (or below) a value."""

    metric: str
    most: float | None = None
    least: float | None = None


def _bound(value: object) -> Bound:
    if not isinstance(value, Mapping) or not value or not {*value} <= {"most", "least"}:
        raise ValueError("expected {most: number} or {least: number}")
    return Bound("", **{end: _number(number) for end, number in value.items()})


@dataclass(frozen=True)
class StudyFile:
    """What a study file says; `robot` is the robot's own file or name.

    With a `controller`, gains of closed loops, variants are loads, friction and gains.
    """

    robot: Annotated[str, q.FieldQuantity(_name)]
    variables: Annotated[tuple[StudyVariable, ...], Of(StudyVariable, "names", written_as=_range)]
    motions: Annotated[tuple[str, ...], q.FieldQuantity(_names)] = ()  # those of requirements follow
    requirements: Annotated[str | None, q.FieldQuantity(_name)] = None
    metrics: Annotated[tuple[str, ...], q.FieldQuantity(_metrics)] = tuple(METRICS)[:5]
    sampling: Annotated[SamplingPlan, Of(SamplingPlan)] = SamplingPlan()
    period: Annotated[float, q.number("s", q.POSITIVE)] = 0.02
    controller: Annotated[Mapping[str, float] | None, Of(q.number(), "names")] = None
    loop: Annotated[str | None, q.name] = None
    objectives: Annotated[tuple[str, ...], q.FieldQuantity(_metrics)] = ()
    bounds: Annotated[tuple[Bound, ...], Named("constraints"), Of(q.FieldQuantity(_bound), "names")] = ()
    cover: Annotated[Mapping[str, float], Of(_quantity, "names")] = field(default_factory=dict)
    clearance: Annotated[float, q.number("", q.NOT_NEGATIVE)] = 0.0
    leg_diameter: Annotated[float, q.number("m", q.NOT_NEGATIVE)] = 0.0
    search: Annotated[SearchPlan, Of(SearchPlan)] = SearchPlan()
    tolerances: Annotated[Mapping[str, float], Of(_quantity, "names")] = field(default_factory=dict)
    source: str = ""
    angle_unit: AngleUnit = "deg"  # in which its pages show angles
    lines: Mapping[Place, int] = field(default_factory=dict)  # where its fields stand
    asked: Requirements | None = None  # what the file `requirements` says

    @staticmethod
    def makes(**written: Any) -> StudyFile:
        """The study of fields that were read; variables and bounds know their names."""
        named = {
            "variables": tuple(replace(each, name=name) for name, each in written["variables"].items()),
            "bounds": tuple(
                replace(each, metric=name) for name, each in dict(written.get("bounds") or {}).items()
            ),
        }
        return StudyFile(**{**written, **named})

    @staticmethod
    def field_faults(values: Data, context: Data) -> Iterator[Found]:
        """Names that are not those of variables, metrics, axes or settings."""
        variables: Iterable[str] = values.get("variables", ())
        if "variables" in values and not variables:
            yield ("variables",), "is empty; allowed: fields such as platform.mass: [low, high]"
        if values.get("motions") == () and values.get("requirements") is None:
            yield ("motions",), "is missing; add motions: ..."
        allowed = {"bounds": METRICS, "tolerances": variables, "controller": SETTINGS}
        for attribute, names in allowed.items():
            for name in values.get(attribute) or ():
                if name not in names:
                    place = ("constraints" if attribute == "bounds" else attribute, name)
                    yield place, f"unknown{suggestion(name, names)}; allowed: {listed(names)}"

    def fault(self, place: Place, what: str) -> StudyFileError:
        """An error about one field, with its line."""
        document = Document({}, self.lines)
        return StudyFileError(self.source, texts_of([document.fault(place, what)]))

    @property
    def heads(self) -> list[str]:
        """Names of the variables with the unit of angles, as tables and pages have them."""
        return [
            f"{each.name} [{self.angle_unit}]" if each.is_angle else each.name for each in self.variables
        ]

    def shown(self, values: Array) -> list[float]:
        """Values of the variables as tables and pages show them: angles in the study's unit."""
        turn = np.degrees(1.0) if self.angle_unit == "deg" else 1.0
        pairs = zip(self.variables, values.tolist(), strict=True)
        return [value * turn if each.is_angle else value for each, value in pairs]

    def load_robot(self) -> Robot:
        """The robot, from its path beside the study file, or by its bundled name; with the payload that
        is required."""
        found = self.load_machine()
        return found if self.asked is None else self.asked.loaded(found)

    def load_machine(self) -> Robot:
        """The same without the payload."""
        return load(self.beside(self.robot))

    @property
    def all_bounds(self) -> tuple[Bound, ...]:
        """The constraints of the study, then those of the requirements."""
        return self.bounds if self.asked is None else (*self.bounds, *bounds_of(self.asked))

    def beside(self, name: str) -> str:
        """A file named in the study, which may stand beside it."""
        return _beside(self.source, name)


def bounds_of(asked: Requirements) -> tuple[Bound, ...]:
    """Requirements as bounds of metrics."""
    least = {
        "margin": asked.margin,
        "frequency": asked.frequency,
        "joint_spacing": asked.joint_spacing,
    }
    most = {"condition": asked.condition, "stroke": asked.stroke, "footprint": asked.footprint}
    return (
        *(Bound(metric, least=value) for metric, value in least.items() if value is not None),
        *(Bound(metric, most=value) for metric, value in most.items() if value is not None),
    )


def _beside(source: str, name: str) -> str:
    path = Path(source).parent / name
    return str(path) if path.exists() else name


@checked
def read_study(path: str | os.PathLike[str]) -> StudyFile:
    """A study file (.yaml); StudyFileError with every fault."""
    raw = read_bytes(path_of(path, "study"), LARGEST_FILE)
    try:
        document = read_yaml(raw)
    except FaultyError as error:
        raise StudyFileError(str(path), texts_of(error.faults)) from None
    reading = Reading()
    study: StudyFile | None = reading.part(StudyFile, document.data)
    with q.noting_angles() as units:
        if isinstance(document.data, Mapping):
            reading.found += _robot_faults(document.data, study, str(path))
    faults = [*document.faults, *(document.fault(place, what) for place, what in reading.found)]
    if faults or study is None:
        raise StudyFileError(str(path), texts_of(faults))
    unit: AngleUnit = "deg" if "deg" in units else q.angle_unit(units)
    found = replace(study, source=str(path), lines=document.lines, angle_unit=unit)
    if found.requirements is not None:
        asked = read_requirements(found.beside(found.requirements), found.load_machine())
        clear, wide = max(found.clearance, asked.clearance), max(found.leg_diameter, asked.leg_diameter)
        found = replace(found, asked=asked, clearance=clear, leg_diameter=wide)
    return found if study.controller is not None else _with_angles(found)


def _with_angles(study: StudyFile) -> StudyFile:
    """The study whose variables know which of them are angles."""
    model = study.load_robot().model
    written = [field_of(model, each.name).written for each in study.variables]
    pairs = zip(study.variables, written, strict=True)
    variables = tuple(replace(each, is_angle=bool(how and how.angles)) for each, how in pairs)
    return replace(study, variables=variables)


def _robot_faults(
    data: Mapping[str, Any], study: StudyFile | None, source: str
) -> Iterator[tuple[Place, str]]:
    """Whether there is such a robot, and has the fields that vary; loops vary other things."""
    if not isinstance(data.get("robot"), str):
        return
    try:
        robot = load(_beside(source, data["robot"]))
    except LinkworkError as error:
        yield ("robot",), "; ".join(line.strip() for line in str(error).splitlines())
        return
    axes = axes_of(robot)
    for name in data.get("cover") or ():
        if name not in axes:
            yield ("cover", name), f"unknown{suggestion(name, axes)}; allowed: {listed(axes)}"
    variables = data.get("variables")
    if isinstance(data.get("requirements"), str):
        yield from _required_faults(data, robot, source)
    if data.get("controller") is not None or not isinstance(variables, Mapping):
        return
    ranges = {} if study is None else {each.name: (each.low, each.high) for each in study.variables}
    fields: dict[str, Field] = {}
    for name in variables:
        place: Place = ("variables", name)
        try:
            known = fields[name] = field_of(robot.model, name)
            if known.size > 1 and not known.shared:
                what = f"has {known.size} numbers; expected fields of one number, or of leg_defaults"
                yield place, what
            if name in ranges:
                check_range(known, np.array(ranges[name]))
        except LinkworkError as error:
            yield place, str(error)
    yield from _unit_faults(data, fields, axes)


def _required_faults(data: Mapping[str, Any], robot: Robot, source: str) -> Iterator[tuple[Place, str]]:
    """What is at fault in the requirements, and what a study cannot take of them."""
    place = ("requirements",)
    if data.get("controller") is not None:
        yield place, "are of machines; a study with a controller varies loads, friction and gains"
        return
    try:
        asked = read_requirements(_beside(source, data["requirements"]), robot)
    except LinkworkError as error:
        yield place, "; ".join(line.strip() for line in str(error).splitlines())
        return
    loaded = asked.loaded(robot)
    variables = data.get("variables")
    for name in variables if isinstance(variables, Mapping) else ():
        with suppress(LinkworkError):  # a field that is none is told elsewhere
            if not np.array_equal(robot.field(name), loaded.field(name)):
                yield ("variables", name), "is changed by the payload of the requirements; vary neither"


def _unit_faults(
    data: Mapping[str, Any], fields: Mapping[str, Field], axes: Mapping[str, str]
) -> Iterator[tuple[Place, str]]:
    """Numbers that are not what a robot file would take there, such as degrees without a unit."""
    how = {name: field.written for name, field in fields.items()}
    for place, value in _written(data):
        section, name = place[0], str(place[1])
        unit = axes.get(name, "") if section == "cover" else METRICS.get(name, ("", 0))[0]
        read = q.angle if unit == "rad" else q.number(unit)
        if section in ("variables", "tolerances"):
            read = how.get(name) or q.number()
        if section == "tolerances":
            read = q.angle if read.angles else q.number(read.unit)
        try:
            read(value)
        except ValueError as error:
            if isinstance(value, int | float) or q.ANGLE.fullmatch(str(value).strip()):
                yield place, str(error)  # other texts are refused already
            continue
        judge = plausibility.angle if read.angles else plausibility.length if read.lengths else None
        if judge is not None and isinstance(value, int | float):
            yield from ((place, finding.what) for finding in judge(place, value))


def _written(data: Mapping[str, Any]) -> Iterator[tuple[Place, object]]:
    """Every number of a study that has the unit of a field, an axis or a metric."""
    for section in ("variables", "tolerances", "cover", "constraints"):
        found = data.get(section)
        for name, value in found.items() if isinstance(found, Mapping) else ():
            if isinstance(value, Mapping):
                for end in ("low", "high", "values", "most", "least"):
                    yield from _each((section, name, end), value.get(end))
            else:
                yield from _each((section, name), value)


def _each(place: Place, value: object) -> Iterator[tuple[Place, object]]:
    if isinstance(value, list | tuple):
        for k, item in enumerate(value):
            yield from _each((*place, k), item)
    elif value is not None and not isinstance(value, bool):
        yield place, value


def held_states(study: StudyFile, robot: Robot) -> tuple[Array, Array, Array]:
    """Positions, velocities and accelerations that the machine must take beside the motions: the ends of
    `cover` at rest, and all states that are required."""
    poses = cover_poses(study, robot)
    still = np.zeros((len(poses), len(robot.velocities)))
    if study.asked is None:
        return poses, still, still
    asked = study.asked.states(robot)
    return (
        np.concatenate([poses, asked.position]),
        np.concatenate([still, asked.velocity]),
        np.concatenate([still, asked.acceleration]),
    )


def cover_poses(study: StudyFile, robot: Robot) -> Array:
    """Positions (P, ...) that the machine must reach: both ends of excursions from home by axes."""
    axes, home = [*axes_of(robot)], robot.coordinates.to_angles(robot.home)
    rows = []
    for name, reach in study.cover.items():
        for side in (-1, 1):
            rows.append(home.copy())
            rows[-1][axes.index(name)] += side * reach
    if not rows:
        return np.empty((0, len(robot.home)))
    return robot.coordinates.from_angles(np.array(rows))


def sampled_motions(study: StudyFile, robot: Robot) -> list[MotionSamples]:
    """The motions of a study for its robot, at the study's period."""
    found = []
    for k, name in enumerate(study.motions):
        try:
            found.append(sampled(robot, study.beside(name), study.period))
        except LinkworkError as error:
            what = "; ".join(line.strip() for line in str(error).splitlines())
            raise study.fault(("motions", k), what) from error
    if study.asked is not None:
        found += [sampled(robot, study.asked.beside(name), study.period) for name in study.asked.motions]
    return found
