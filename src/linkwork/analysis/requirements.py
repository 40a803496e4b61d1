"""Requirements: what a customer asks of a machine, and the states that follow for a robot."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkwork.analysis.requirement_parts import TURNING, RequirementFields
from linkwork.core.arguments import path_of
from linkwork.core.checked import checked
from linkwork.core.errors import FileError, InputError, LinkworkError
from linkwork.core.input_files import read_bytes
from linkwork.core.text import AngleUnit, shown
from linkwork.files import quantities as q
from linkwork.files.declared import Found, Reading
from linkwork.files.faults import FaultyError, listed, suggestion, texts_of
from linkwork.files.faults import Path as Place
from linkwork.files.yaml_lines import LARGEST_FILE, read_yaml
from linkwork.model import plausibility
from linkwork.motion.bundled import AXES, motion_for, unloaded
from linkwork.motion.spaces import motion_of_angles
from linkwork.motion.trajectory import Motion
from linkwork.robot.robot import Array, Robot

WAY = (0.25, 0.5, 0.75, 1.0)  # shares of the way to an excursion that are looked at
FAST = (np.inf, 2 * np.pi, 20 * np.pi)  # a rate or acceleration of turning beyond needs its unit


class RequirementFileError(FileError, InputError):
    """A requirements file is at fault."""


@dataclass(frozen=True, eq=False)
class RequiredStates:
    """States that a machine must take, with what they are: positions, velocities, accelerations."""

    labels: tuple[str, ...]
    position: Array
    velocity: Array
    acceleration: Array

    def chosen(self, mask: NDArray[np.bool_]) -> RequiredStates:
        """Some of them."""
        labels = tuple(label for label, kept in zip(self.labels, mask, strict=True) if kept)
        return RequiredStates(labels, self.position[mask], self.velocity[mask], self.acceleration[mask])


@dataclass(frozen=True, kw_only=True)
class Requirements(RequirementFields):
    """What a requirements file says for a robot; texts, numbers in SI units, names of motions."""

    source: str = ""
    angle_unit: AngleUnit = "deg"
    lines: Mapping[Place, int] = field(default_factory=dict)

    def loaded(self, robot: Robot) -> Robot:
        """The robot with the payload."""
        load = self.payload
        if load is None:
            return robot
        return robot.with_payload(load.mass, load.center_of_mass, load.inertia)

    def beside(self, name: str) -> str:
        """A file named in the requirements, which may stand beside them."""
        path = Path(self.source).parent / name
        return str(path) if path.exists() else name

    def motion(self, robot: Robot, name: str) -> Motion:
        """One of the motions, a file or a bundled name."""
        return motion_for(robot, self.beside(name))

    def shown(self, axis: str, value: float, robot: Robot, order: int = 0) -> str:
        """A value of an axis as people read it."""
        unit = axes_of(robot)[axis] + ("", "/s", "/s^2")[order]
        return shown(value, unit, self.angle_unit)

    def states(self, robot: Robot) -> RequiredStates:
        """Home, the ways to all excursions at rest, and velocities and accelerations at home."""
        axes, home = [*axes_of(robot)], robot.coordinates.to_angles(robot.home)
        still = np.zeros(len(axes))
        rows, labels = [(home, still, still)], ["home"]
        for excursion in self.corners:
            for share in WAY:
                away = home.copy()
                for axis, far in excursion.items():
                    away[axes.index(axis)] += share * far
                rows.append((away, still, still))
                parts = [
                    f"{axis} {self.shown(axis, share * far, robot)}" for axis, far in excursion.items()
                ]
                labels.append(", ".join(parts))
        for order, asked in ((1, self.velocities), (2, self.accelerations)):
            for axis, most in asked.items():
                for side in (-1, 1):
                    moving = still.copy()
                    moving[axes.index(axis)] = side * most
                    rows.append((home, moving, still) if order == 1 else (home, still, moving))
                    labels.append(f"{axis} {self.shown(axis, side * most, robot, order)} at home")
        c, cd, cdd = (np.array(part) for part in zip(*rows, strict=True))
        return RequiredStates(tuple(labels), *motion_of_angles(robot.coordinates, c, cd, cdd))

    @property
    def corners(self) -> list[dict[str, float]]:
        """Ends of excursions by axis: single ones, then every combination of ends of those at once."""
        found = []
        for each in [{axis: ends} for axis, ends in self.excursions.items()] + [*self.combined]:
            for ends in product(*each.values()):
                found.append({axis: end for axis, end in zip(each, ends, strict=True) if end})
        return [corner for corner in found if corner]


def axes_of(robot: Robot) -> dict[str, str]:
    """What a robot may have to cover, and the unit: axes of a pose, or its coordinates."""
    by_angles = robot.coordinates.by_angles
    names = AXES if robot.coordinates.is_pose else by_angles.names
    return dict(zip(names, by_angles.units, strict=True))


@checked
def read_requirements(path: str | os.PathLike[str], robot: Robot) -> Requirements:
    """A requirements file (.yaml) for a robot; RequirementFileError with every fault."""
    raw = read_bytes(path_of(path, "requirements"), LARGEST_FILE)
    try:
        document = read_yaml(raw)
    except FaultyError as error:
        raise RequirementFileError(str(path), texts_of(error.faults)) from None
    reading = Reading()
    read: RequirementFields | None = reading.part(RequirementFields, document.data)
    units: set[str] = set()
    if isinstance(document.data, Mapping):
        reading.found += _axis_faults(document.data, robot, units)
    found: Requirements | None = None
    if read is not None:
        written = {each.name: getattr(read, each.name) for each in fields(read)}
        unit = "deg" if "deg" in units else q.angle_unit(units)
        found = Requirements(**written, source=str(path), lines=document.lines, angle_unit=unit)
        reading.found += _robot_faults(found, robot)
    faults = [*document.faults, *(document.fault(place, what) for place, what in reading.found)]
    if faults or found is None:
        raise RequirementFileError(str(path), texts_of(faults))
    return found


def _axis_faults(data: Mapping[str, Any], robot: Robot, units: set[str]) -> Iterator[Found]:
    """Axes that the robot does not have, and values that are not of such an axis."""
    axes = axes_of(robot)
    for place, order, axis, value in _values(data):
        if axis not in axes:
            yield place, f"unknown axis{suggestion(axis, axes)}; allowed: {listed(axes)}"
            continue
        turns = axes[axis] == "rad"
        for item in value if isinstance(value, list | tuple) else (value,):
            if isinstance(item, str) and not turns:
                yield place, f"{item!r} is an angle, and {axis} is a length; write a number in SI units"
            if isinstance(item, str) and turns:
                units.add("deg" if "deg" in item else "rad")
            if isinstance(item, str | bool) or not isinstance(item, int | float):
                continue
            if turns and order == 0:
                yield from ((place, one.what) for one in plausibility.angle(place, item))
            elif turns and abs(item) > FAST[order]:
                unit = TURNING[order]
                degrees = f"{np.degrees(item):.0f} {unit}"
                what = f"{item:g} is {degrees}; write {item:g} {unit}, or {degrees} if that is meant"
                yield place, what
            elif not turns and order == 0:
                yield from ((place, one.what) for one in plausibility.length(place, item))


def _values(data: Mapping[str, Any]) -> Iterator[tuple[Place, int, str, object]]:
    """Every value of an axis, with its place and the order of its derivative."""
    for section, order in (("excursions", 0), ("velocities", 1), ("accelerations", 2)):
        found = data.get(section)
        for axis, value in found.items() if isinstance(found, Mapping) else ():
            yield (section, str(axis)), order, str(axis), value
    combined = data.get("combined")
    for k, each in enumerate(combined if isinstance(combined, list | tuple) else ()):
        for axis, value in each.items() if isinstance(each, Mapping) else ():
            yield ("combined", k, str(axis)), 0, str(axis), value


def _robot_faults(found: Requirements, robot: Robot) -> Iterator[Found]:
    """What is asked for and cannot be told of this robot."""
    for k, name in enumerate(found.motions):
        try:
            unloaded(found.motion(robot, name), name, "a requirement")
        except LinkworkError as error:
            yield ("motions", k), "; ".join(line.strip() for line in str(error).splitlines())
    try:
        found.loaded(robot)
    except LinkworkError as error:
        yield ("payload",), str(error)
    if found.frequency is not None and not is_elastic(robot):
        what = f"asks for stiffness, which the actuators of {robot.name} do not have in the robot file"
        yield ("frequency",), what
    for name in ("leg_diameter", "joint_spacing"):
        if getattr(found, name) and "leg_lengths" not in robot.kernel_methods:
            yield (name,), f"applies to Stewart platforms only; {robot.name} is not one"
    if robot.n < robot.dof:
        yield (), f"{robot.name} has {robot.n} motors for {robot.dof} freedoms; no motor holds it"


def is_elastic(robot: Robot) -> bool:
    """Whether its natural frequencies are known: every motor has a stiffness."""
    driven = [each.stiffness for each in robot.elements if each.motor]
    return robot.stiffness_field is not None and None not in driven
