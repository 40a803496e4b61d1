"""What a machine's tolerances are, as a file says it: of every part, of single ones, of its warmth.

A tolerance t is +-t: the ends of a uniform distribution, or three standard deviations of a normal one.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

import numpy as np

from linkwork.core.arguments import path_of
from linkwork.core.errors import FileError, InputError
from linkwork.core.input_files import read_bytes
from linkwork.files import quantities as q
from linkwork.files.declared import Data, Of, Reading
from linkwork.files.faults import Document, FaultyError, listed, shown, suggestion, texts_of
from linkwork.files.yaml_lines import LARGEST_FILE, read_yaml
from linkwork.kinematics.assembled import Assembled
from linkwork.kinematics.deviations import TOOL, datum, drawn, tool_of
from linkwork.model.mechanism import Rod
from linkwork.robot.robot import Array

DISTRIBUTIONS = ("normal", "uniform")
SPREAD = {"normal": 1 / 3, "uniform": 1 / math.sqrt(3)}  # standard deviation of a tolerance of 1
LARGEST_SHARE, LARGEST_TURN = 0.05, math.radians(10)  # of the machine's size; beyond, a unit is wrong


class ToleranceFileError(FileError, InputError):
    """A file of tolerances is at fault."""


_length, _angle = q.number("m", q.NOT_NEGATIVE), q.swing_below(90, "0")


def _temperatures(value: object) -> tuple[float, float]:
    allowed = "[lowest, highest] change [K]"
    if not isinstance(value, list | tuple) or len(value) != 2:
        raise ValueError(f"{shown(value)} is not a range; allowed: {allowed}")
    low, high = (q.number("K")(each) for each in value)
    if low > high:
        raise ValueError(f"{shown(value)} is not in order; allowed: {allowed}")
    return low, high


def _play(value: object) -> float:
    """Of a motor: an angle or a length, as the motor turns or pushes."""
    found = q.angle(value)
    if found < 0:
        raise ValueError(f"{shown(value)} is negative; allowed: a number >= 0 [rad or m], or 0.01 deg")
    return found


_of_motor = q.FieldQuantity(_play, "rad or m", "a number >= 0, or a text such as 0.01 deg")


@dataclass(frozen=True)
class PartTolerances:
    """Of one joint, rod, cylinder or motor; what is not said is as for all."""

    position: Annotated[float | None, _length, "of its places on bodies, in each direction"] = None
    direction: Annotated[float | None, _angle, "of its axis, about each direction across it"] = None
    length: Annotated[float | None, _length, "of a rod"] = None
    offset: Annotated[float | None, _of_motor, "of the zero of its motor"] = None
    backlash: Annotated[float | None, _of_motor, "of its motor, from end to end"] = None
    distribution: Annotated[str | None, q.one_of(*DISTRIBUTIONS)] = None


@dataclass(frozen=True)
class ToolTolerances:
    """Of the tool on its body."""

    position: Annotated[float, _length] = 0.0
    direction: Annotated[float, _angle] = 0.0


@dataclass(frozen=True)
class Growth:
    """All bodies, rods and cylinders grow alike; cylinders by their lengths at home."""

    expansion: Annotated[float, q.number("1/K")]
    temperature: Annotated[
        tuple[float, float], q.FieldQuantity(_temperatures, "K", "[lowest, highest]"), "change; uniform"
    ]


@dataclass(frozen=True)
class Accuracy:
    """Greatest errors of the tool that are accepted."""

    position: Annotated[float | None, q.number("m", q.POSITIVE)] = None
    angle: Annotated[float | None, _angle] = None

    @staticmethod
    def refusals(data: Data) -> Iterator[str]:
        if not data:
            yield "has nothing; allowed: position, angle or both"


@dataclass(frozen=True)
class ToleranceSpec:
    """Tolerances of all parts, then of single ones."""

    distribution: Annotated[str, q.one_of(*DISTRIBUTIONS)] = "normal"
    position: Annotated[float, _length, "of every joint on its bodies, in each direction"] = 0.0
    direction: Annotated[float, _angle, "of every axis"] = 0.0
    length: Annotated[float, _length, "of every rod"] = 0.0
    offset: Annotated[float, _of_motor, "of the zero of every motor"] = 0.0
    backlash: Annotated[float, _of_motor, "of every motor, from end to end; uniform"] = 0.0
    tool: Annotated[ToolTolerances, Of(ToolTolerances)] = field(default_factory=ToolTolerances)
    parts: Annotated[Mapping[str, PartTolerances], Of(PartTolerances, "names"), "by name"] = field(
        default_factory=dict
    )
    thermal: Annotated[Growth | None, Of(Growth)] = None
    accuracy: Annotated[Accuracy | None, Of(Accuracy)] = None


@dataclass(frozen=True, eq=False)
class Source:
    """One independent cause of errors: deviations (k,) by a unit of it, which has a tolerance."""

    name: str
    kind: str
    unit: str
    tolerance: float
    distribution: str
    deviations: Array
    mean: float = 0.0

    @property
    def deviation(self) -> float:
        """The standard one."""
        return self.tolerance * SPREAD[self.distribution]

    def drawn(self, rng: np.random.Generator, count: int) -> Array:
        """Random values (count,)."""
        if self.distribution == "normal":
            return self.mean + self.deviation * rng.standard_normal(count)
        return self.mean + self.tolerance * rng.uniform(-1.0, 1.0, count)


def read_tolerances(given: Mapping[str, Any] | str | os.PathLike[str]) -> ToleranceSpec:
    """Tolerances of a mapping or a YAML file; every fault at once."""
    source = "" if isinstance(given, Mapping) else str(path_of(given, "tolerances"))
    try:
        document = Document(given) if not source else read_yaml(read_bytes(source, LARGEST_FILE))
        reading = Reading()
        spec: ToleranceSpec = reading.part(ToleranceSpec, document.data)
        faults = [*document.faults, *(document.fault(path, what) for path, what in reading.found)]
    except FaultyError as error:
        faults = error.faults
    if faults and source:
        raise ToleranceFileError(source, texts_of(faults))
    if faults:
        raise InputError("tolerances: " + "; ".join(texts_of(faults)))
    return spec


def sources_of(machine: Assembled, spec: ToleranceSpec) -> tuple[Source, ...]:
    """What varies independently in a machine with these tolerances."""
    faults = [*_unknown(machine, spec), *_implausible(machine, spec)]
    if faults:
        raise InputError("tolerances: " + "; ".join(faults))
    found = tuple(_sources(machine, spec))
    if not found:
        raise InputError(
            f"tolerances: nothing of {machine.robot.name} varies; allowed: position, direction, length,"
            " offset, backlash, tool, thermal, or parts with these."
        )
    return found


def _sources(machine: Assembled, spec: ToleranceSpec) -> Iterator[Source]:
    units = np.eye(len(machine.deviations))
    for k, each in enumerate(machine.deviations):
        if each.owner == TOOL:
            size, law = getattr(spec.tool, each.kind), spec.distribution
        elif each.owner in spec.parts or each.owner in _parts(machine):
            own = spec.parts.get(each.owner, PartTolerances())
            size = _either(getattr(own, each.kind), getattr(spec, each.kind))
            law = _either(own.distribution, spec.distribution)
        else:
            continue  # the frame of measurement is no part
        if size:
            yield Source(each.name, each.kind, each.unit, size, law, units[k])
        if each.kind == "offset":
            own = spec.parts.get(each.owner, PartTolerances())
            play = _either(own.backlash, spec.backlash)
            if play:
                name = f"{each.owner}.backlash"
                yield Source(name, "backlash", each.unit, play / 2, "uniform", units[k])
    if spec.thermal is not None:
        low, high = spec.thermal.temperature
        growth = spec.thermal.expansion * growth_of(machine)
        yield Source(
            "temperature", "thermal", "K", (high - low) / 2, "uniform", growth, (low + high) / 2
        )


def _either(own: Any, shared: Any) -> Any:
    return shared if own is None else own


def _parts(machine: Assembled) -> dict[str, set[str]]:
    """Kinds of deviations of every part by name."""
    found: dict[str, set[str]] = {}
    for each in machine.deviations[12:]:
        found.setdefault(each.owner, set()).add(each.kind)
    return found


def _unknown(machine: Assembled, spec: ToleranceSpec) -> Iterator[str]:
    known = _parts(machine)
    for name, own in spec.parts.items():
        if name not in known:
            yield (
                f"parts.{name}: {machine.robot.name} has no such part{suggestion(name, known)}; "
                f"allowed: {listed(known)}"
            )
            continue
        kinds = known[name] | ({"backlash"} if "offset" in known[name] else set())
        for kind, value in vars(own).items():
            if value is not None and kind not in (*kinds, "distribution"):
                yield f"parts.{name}.{kind}: {name} has none; allowed: {listed(sorted(kinds))}"


def _implausible(machine: Assembled, spec: ToleranceSpec) -> Iterator[str]:
    """Millimeters and degrees that were written as meters and radians."""
    longest = LARGEST_SHARE * machine.robot.size
    pushes = {each.owner: each.unit for each in machine.deviations if each.kind == "offset"}
    both = len(set(pushes.values())) > 1
    groups = [("", spec, ""), ("tool.", spec.tool, "")]
    groups += [(f"parts.{name}.", own, name) for name, own in spec.parts.items()]
    for place, group, name in groups:
        for kind, value in vars(group).items():
            if not isinstance(value, float) or not value:
                continue
            of_motor = kind in ("offset", "backlash")
            if of_motor and both and not name:
                yield f"{place}{kind}: motors of {machine.robot.name} turn and push; write it in parts"
            unit = pushes.get(name, next(iter(pushes.values()))) if of_motor else ""
            if (unit == "m" or kind in ("position", "length")) and value > longest:
                yield (
                    f"{place}{kind}: {value:g} m is {value / machine.robot.size:.0%} of the machine; "
                    f"lengths are in m: did you mean {value / 1000:g}?"
                )
            if (unit == "rad" or kind == "direction") and value > LARGEST_TURN:
                yield f"{place}{kind}: {value:g} rad is no tolerance; did you mean {value:g} deg?"


def growth_of(machine: Assembled) -> Array:
    """Deviations (k,) where everything is longer by its own length: places from where bodies are
    carried, rods and cylinders from end to end."""
    model = machine.robot.mechanism
    ties = {tie.name: tie for tie in model.ties}
    found = np.zeros(len(machine.deviations))
    body, at, axes = tool_of(model)
    for k, each in enumerate(machine.deviations):
        if each.owner == TOOL and each.kind == "position":
            found[k] = (at - datum(model, body)) @ (axes @ each.axis)
        elif each.kind == "position" and each.owner in ties:
            tie = ties[each.owner]
            found[k] = (drawn(model, tie, each.end)[0] - datum(model, tie.joins[each.end])) @ each.axis
        elif each.kind == "length":
            rod = ties[each.owner]
            assert isinstance(rod, Rod)
            found[k] = rod.length
        elif each.kind == "offset" and each.owner in ties:
            found[k] = getattr(ties[each.owner], "length", 0.0)
    return found
