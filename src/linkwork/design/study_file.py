"""A study: which robot, which of its fields vary and how far, along which motions, what is measured."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from linkwork.core.arguments import path_of
from linkwork.core.errors import FileError, InputError, LinkworkError
from linkwork.design.metrics import METRICS, MotionSamples, sampled
from linkwork.files import quantities as q
from linkwork.files.declared import Data, Found, Named, Of, Reading
from linkwork.files.faults import Document, FaultyError, listed, shown, suggestion, texts_of
from linkwork.files.faults import Path as Place
from linkwork.files.yaml_lines import LARGEST_FILE, read_yaml
from linkwork.model.fields import check_range, field_of
from linkwork.robot.loading import load
from linkwork.robot.robot import Robot

METHODS = ("grid", "sobol", "latin-hypercube", "monte-carlo", "saltelli")
AXES = ("surge", "sway", "heave", "roll", "pitch", "yaw")  # that a machine may have to cover
SETTINGS = ("kp", "kv", "period")  # of a controller
LARGEST_SWEEP = 10**10


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


def _values(value: object) -> tuple[float, ...]:
    if not isinstance(value, list | tuple) or not value:
        raise ValueError(f"{shown(value)} is no list of values; allowed: one number or more")
    return tuple(map(q.angle, value))


@dataclass(frozen=True)
class StudyVariable:
    """A field of the robot file that varies: between bounds, or among values."""

    name: str = ""
    low: Annotated[float, q.angle] = np.nan
    high: Annotated[float, q.angle] = np.nan
    values: Annotated[tuple[float, ...], q.FieldQuantity(_values)] = ()
    points: Annotated[int, q.whole(2)] = 5  # of a grid

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
    method: Annotated[str, q.one_of(*METHODS)] = "sobol"
    count: Annotated[int, q.whole(1, LARGEST_SWEEP)] = 1024
    seed: Annotated[int, q.whole(0, LARGEST_SWEEP)] = 0

    @staticmethod
    def field_faults(values: Data, context: Data) -> Iterator[Found]:
        count = values.get("count", 1)
        if values.get("method") == "saltelli" and count & (count - 1):
            near = 1 << count.bit_length()
            what = f"{count} is no power of 2, as Saltelli's plan needs; did you mean {near}?"
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
        raise ValueError("allowed is {most: number} or {least: number}")
    return Bound("", **{end: q.angle(number) for end, number in value.items()})


@dataclass(frozen=True)
class StudyFile:
    """What a study file says; `robot` is the robot's own file or name.

    With a `controller`, gains of closed loops, variants are loads, friction and gains.
    """

    robot: Annotated[str, q.FieldQuantity(_name)]
    variables: Annotated[tuple[StudyVariable, ...], Of(StudyVariable, "names", written_as=_range)]
    motions: Annotated[tuple[str, ...], q.FieldQuantity(_names)]
    metrics: Annotated[tuple[str, ...], q.FieldQuantity(_metrics)] = tuple(METRICS)[:5]
    sampling: Annotated[SamplingPlan, Of(SamplingPlan)] = SamplingPlan()
    period: Annotated[float, q.number("s", q.POSITIVE)] = 0.02
    controller: Annotated[Mapping[str, float] | None, Of(q.number(), "names")] = None
    loop: Annotated[str | None, q.name] = None
    objectives: Annotated[tuple[str, ...], q.FieldQuantity(_metrics)] = ()
    bounds: Annotated[tuple[Bound, ...], Named("constraints"), Of(q.FieldQuantity(_bound), "names")] = ()
    cover: Annotated[Mapping[str, float], Of(q.angle, "names")] = field(default_factory=dict)
    clearance: Annotated[float, q.number("", q.NOT_NEGATIVE)] = 0.0
    leg_diameter: Annotated[float, q.number("m", q.NOT_NEGATIVE)] = 0.0
    search: Annotated[SearchPlan, Of(SearchPlan)] = SearchPlan()
    tolerances: Annotated[Mapping[str, float], Of(q.angle, "names")] = field(default_factory=dict)
    source: str = ""
    lines: Mapping[Place, int] = field(default_factory=dict)  # where its fields stand

    @staticmethod
    def makes(**written: Any) -> StudyFile:
        """The study of fields that were read; variables and bounds know their names."""
        named = {
            "variables": tuple(replace(each, name=name) for name, each in written["variables"].items()),
            "bounds": tuple(
                replace(each, metric=name) for name, each in written.get("bounds", {}).items()
            ),
        }
        return StudyFile(**{**written, **named})

    @staticmethod
    def field_faults(values: Data, context: Data) -> Iterator[Found]:
        """Names that are not those of variables, metrics, axes or settings."""
        variables: Iterable[str] = values.get("variables", ())
        if "variables" in values and not variables:
            yield ("variables",), "is empty; allowed: fields such as platform.mass: [low, high]"
        allowed = {"bounds": METRICS, "cover": AXES, "tolerances": variables, "controller": SETTINGS}
        for attribute, names in allowed.items():
            for name in values.get(attribute) or ():
                if name not in names:
                    place = ("constraints" if attribute == "bounds" else attribute, name)
                    yield place, f"unknown{suggestion(name, names)}; allowed: {listed(names)}"

    def fault(self, place: Place, what: str) -> StudyFileError:
        """An error about one field, with its line."""
        document = Document({}, self.lines)
        return StudyFileError(self.source, texts_of([document.fault(place, what)]))

    def load_robot(self) -> Robot:
        """The robot, from its path beside the study file, or by its bundled name."""
        return load(self.beside(self.robot))

    def beside(self, name: str) -> str:
        """A file named in the study, which may stand beside it."""
        return _beside(self.source, name)


def _beside(source: str, name: str) -> str:
    path = Path(source).parent / name
    return str(path) if path.exists() else name


def read_study(path: str | os.PathLike[str]) -> StudyFile:
    """A study file (.yaml); StudyFileError with every fault."""
    path_of(path, "study")
    try:
        with open(path, "rb") as file:
            raw = file.read(LARGEST_FILE + 1)
    except OSError as error:
        raise StudyFileError(str(path), [f"cannot be read: {error.strerror}"]) from error
    if len(raw) > LARGEST_FILE:
        raise StudyFileError(str(path), [f"has more than {LARGEST_FILE} bytes, as no study has"])
    try:
        document = read_yaml(raw)
    except FaultyError as error:
        raise StudyFileError(str(path), texts_of(error.faults)) from None
    reading = Reading()
    study: StudyFile | None = reading.part(StudyFile, document.data)
    if isinstance(document.data, Mapping):
        reading.found += _robot_faults(document.data, study, str(path))
    faults = [*document.faults, *(document.fault(place, what) for place, what in reading.found)]
    if faults or study is None:
        raise StudyFileError(str(path), texts_of(faults))
    return replace(study, source=str(path), lines=document.lines)


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
    variables = data.get("variables")
    if data.get("controller") is not None or not isinstance(variables, Mapping):
        return
    ranges = {} if study is None else {each.name: (each.low, each.high) for each in study.variables}
    for name in variables:
        place: Place = ("variables", name)
        try:
            known = field_of(robot.model, name)
            if known.size > 1 and not known.shared:
                what = f"has {known.size} numbers; allowed are fields of one number, or of leg_defaults"
                yield place, what
            if name in ranges:
                check_range(known, np.array(ranges[name]))
        except LinkworkError as error:
            yield place, str(error)


def sampled_motions(study: StudyFile, robot: Robot) -> list[MotionSamples]:
    """The motions of a study for its robot, at the study's period."""
    found = []
    for k, name in enumerate(study.motions):
        try:
            found.append(sampled(robot, study.beside(name), study.period))
        except LinkworkError as error:
            what = "; ".join(line.strip() for line in str(error).splitlines())
            raise study.fault(("motions", k), what) from error
    return found
