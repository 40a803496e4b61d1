"""A study: which robot, which of its fields vary and how far, along which motions, what is measured."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from linkwork.core.arguments import path_of
from linkwork.core.errors import FileError, InputError, LinkworkError
from linkwork.design.metrics import METRICS, MotionSamples, sampled
from linkwork.files import quantities as q
from linkwork.files.declared import Data
from linkwork.files.faults import Document, FaultyError, listed, shown, suggestion, texts_of
from linkwork.files.faults import Path as Place
from linkwork.files.yaml_lines import LARGEST_FILE, read_yaml
from linkwork.model.fields import Field, check_range, field_of
from linkwork.robot.loading import load
from linkwork.robot.robot import Robot

METHODS = ("grid", "sobol", "latin-hypercube", "monte-carlo", "saltelli")
SWEEP = ("robot", "variables", "motions", "metrics", "sampling", "period", "controller", "loop")
DESIGN = ("objectives", "constraints", "cover", "clearance", "leg_diameter", "search", "tolerances")
LARGEST_SWEEP = 10**10


class StudyFileError(FileError, InputError):
    """A study file is at fault."""


@dataclass(frozen=True)
class StudyVariable:
    """A field of the robot file that varies: between bounds, or among values."""

    name: str
    low: float
    high: float
    values: tuple[float, ...] = ()
    points: int = 5  # of a grid


@dataclass(frozen=True)
class SamplingPlan:
    method: str = "sobol"
    count: int = 1024
    seed: int = 0


@dataclass(frozen=True)
class StudyFile:
    """What a study file says; `text` is the file itself, `robot` the robot's own file or name."""

    robot: str
    variables: tuple[StudyVariable, ...]
    motions: tuple[str, ...]
    metrics: tuple[str, ...]
    sampling: SamplingPlan
    period: float
    source: str
    text: str
    design: Data = field(default_factory=dict)
    lines: Mapping[Place, int] = field(default_factory=dict)  # where its fields stand
    controller: object = None  # gains of closed loops, whose variants are loads, friction and gains
    loop: object = None

    def fault(self, place: Place, what: str) -> StudyFileError:
        """An error about one field, with its line."""
        document = Document({}, self.lines)
        return StudyFileError(self.source, texts_of([document.fault(place, what)]))

    def load_robot(self) -> Robot:
        """The robot, from its path beside the study file, or by its bundled name."""
        return load(self.beside(self.robot))

    def beside(self, name: str) -> str:
        """A file named in the study, which may stand beside it."""
        path = Path(self.source).parent / name
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
        return _StudyReader(read_yaml(raw), str(path), raw.decode("utf-8", "replace")).study()
    except FaultyError as error:
        raise StudyFileError(str(path), texts_of(error.faults)) from None


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


class _StudyReader:
    """Reads fields one by one and keeps every fault."""

    def __init__(self, document: Document, source: str, text: str) -> None:
        self.document, self.source, self.text = document, source, text
        self.faults = list(document.faults)
        self.data: Data = {}
        if isinstance(document.data, Mapping):
            self.data = document.data
        else:
            self._fault((), "is no mapping; allowed: fields " + listed(SWEEP))

    def _fault(self, place: Place, what: str) -> None:
        self.faults.append(self.document.fault(place, what))

    def study(self) -> StudyFile:
        known = (*SWEEP, *DESIGN)
        for name in self.data:
            if name not in known:
                hint = suggestion(name, known)
                self._fault((name,), f"unknown field{hint}; allowed: {listed(known)}")
        for name in ("robot", "variables", "motions"):
            if name not in self.data:
                self._fault((), f"{name} is missing; add {name}: ...")
        robot = self._robot()
        study = StudyFile(
            robot=str(self.data.get("robot", "")),
            variables=self._variables(robot),
            motions=self._names("motions"),
            metrics=self._metrics(),
            sampling=self._sampling(),
            period=self._number(("period",), self.data.get("period", 0.02), positive=True),
            source=self.source,
            text=self.text,
            design={name: self.data[name] for name in DESIGN if name in self.data},
            lines=self.document.lines,
            controller=self.data.get("controller"),
            loop=self.data.get("loop"),
        )
        if self.faults:
            raise FaultyError(self.faults)
        return study

    def _robot(self) -> Robot | None:
        name = self.data.get("robot")
        if not isinstance(name, str):
            if name is not None:
                self._fault(("robot",), f"{shown(name)} is no name; allowed: a bundled name or a file")
            return None
        try:
            beside = Path(self.source).parent / name
            return load(str(beside) if beside.exists() else name)
        except LinkworkError as error:
            self._fault(("robot",), "; ".join(line.strip() for line in str(error).splitlines()))
            return None

    def _variables(self, robot: Robot | None) -> tuple[StudyVariable, ...]:
        given = self.data.get("variables", {})
        if not isinstance(given, Mapping) or not given:
            if "variables" in self.data:
                self._fault(
                    ("variables",), "is no mapping of fields; allowed: platform.mass: [low, high]"
                )
            return ()
        found = []
        for name, value in given.items():
            place: Place = ("variables", name)
            known = self._field(robot, place, name)
            variable = self._variable(place, str(name), value)
            if variable is None:
                continue
            found.append(variable)
            if known is not None:
                try:
                    check_range(known, np.array([variable.low, variable.high]))
                except InputError as error:
                    self._fault(place, str(error))
        return tuple(found)

    def _field(self, robot: Robot | None, place: Place, name: str) -> Field | None:
        """The field of the robot that a variable is; loops vary other things."""
        if robot is None or self.data.get("controller") is not None:
            return None
        try:
            known = field_of(robot.model, name)
        except LinkworkError as error:
            self._fault(place, str(error))
            return None
        if known.size > 1 and not known.shared:
            what = f"has {known.size} numbers; allowed are fields of one number, or of leg_defaults"
            self._fault(place, what)
        return known

    def _variable(self, place: Place, name: str, value: object) -> StudyVariable | None:
        allowed = "[low, high], {low, high, points} or {values: [...]}"
        if isinstance(value, list | tuple):
            value = {"low": value[0], "high": value[1]} if len(value) == 2 else {"wrong": value}
        if not isinstance(value, Mapping) or not {*value} <= {"low", "high", "points", "values"}:
            self._fault(place, f"{shown(value)} is no range; allowed: {allowed}")
            return None
        if "values" in value:
            items = value["values"]
            if not isinstance(items, list | tuple) or not items or len(value) > 1:
                self._fault(place, f"{shown(value)} is no list of values; allowed: {allowed}")
                return None
            values = tuple(self._number(place, item) for item in items)
            return StudyVariable(name, min(values), max(values), values)
        if not {"low", "high"} <= {*value}:
            self._fault(place, f"{shown(value)} has no low and high; allowed: {allowed}")
            return None
        low, high = (self._number(place, value[end]) for end in ("low", "high"))
        points = value.get("points", 5)
        if low >= high:
            self._fault(place, f"{shown([low, high])} is not in order; allowed: low < high")
        if isinstance(points, bool) or not isinstance(points, int) or points < 2:
            self._fault(place, f"points {shown(points)}; allowed: a whole number >= 2")
            points = 2
        return StudyVariable(name, low, high, (), points)

    def _number(self, place: Place, value: object, positive: bool = False) -> float:
        try:
            result = q.angle(value)
        except ValueError:
            self._fault(place, f"{shown(value)}; allowed: a finite number, or an angle such as 30 deg")
            return 1.0
        if positive and result <= 0:
            self._fault(place, f"{shown(value)} is not positive; allowed: a number > 0")
        return result

    def _names(self, name: str) -> tuple[str, ...]:
        given = self.data.get(name, [])
        listed_names = [given] if isinstance(given, str) else given
        if not isinstance(listed_names, list | tuple) or not all(
            isinstance(x, str) for x in listed_names
        ):
            self._fault((name,), f"{shown(given)}; allowed: a list of names or files")
            return ()
        if not listed_names and name in self.data:
            self._fault((name,), "is empty; allowed: one name or more")
        return tuple(listed_names)

    def _metrics(self) -> tuple[str, ...]:
        names = self._names("metrics") if "metrics" in self.data else tuple(METRICS)[:5]
        for name in names:
            if name not in METRICS:
                hint = suggestion(name, METRICS)
                self._fault(("metrics",), f"unknown metric {name!r}{hint}; allowed: {listed(METRICS)}")
        return names

    def _sampling(self) -> SamplingPlan:
        given = self.data.get("sampling", {})
        if not isinstance(given, Mapping) or not {*given} <= {"method", "count", "seed"}:
            self._fault(("sampling",), f"{shown(given)}; allowed: fields method, count, seed")
            return SamplingPlan()
        method, count, seed = (
            given.get(k, d) for k, d in (("method", "sobol"), ("count", 1024), ("seed", 0))
        )
        if method not in METHODS:
            hint = suggestion(method, METHODS)
            self._fault(
                ("sampling", "method"), f"{shown(method)} is not known{hint}; allowed: {listed(METHODS)}"
            )
        for name, value, least in (("count", count, 1), ("seed", seed, 0)):
            if (
                isinstance(value, bool)
                or not isinstance(value, int)
                or not least <= value <= LARGEST_SWEEP
            ):
                self._fault(
                    ("sampling", name), f"{shown(value)}; allowed: whole numbers from {least} on"
                )
                return SamplingPlan()
        if method == "saltelli" and count & (count - 1):
            near = 1 << count.bit_length()
            what = f"{count} is no power of 2, as Saltelli's plan needs; did you mean {near}?"
            self._fault(("sampling", "count"), what)
        return SamplingPlan(str(method), count, seed)
