"""Drive trains as arrays: what motors must do so that joints move as they do, and what is lost.

Rows are drives, columns are samples. From the joint back to the motor every stage adds the inertia and
friction of its input shaft; in its mesh, power that goes to the load is divided by the efficiency, power
that comes from the load is multiplied by the backdriving one. At rest friction takes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkwork.model.drive import STAGES, Drive, DriveMotor, Stage
from linkwork.robot.robot import Array


@dataclass(frozen=True, eq=False)
class Shafts:
    """The motor's shaft, or stages at one place: a number for each drive (B, 1)."""

    place: str  # motor, gear, belt, screw or pulley
    turns: Array
    efficiency: Array
    backdriving: Array
    inertia: Array
    viscous: Array
    coulomb: Array

    def at(self, rows: NDArray[np.intp]) -> Shafts:
        """Of some drives."""
        place, *numbers = vars(self).values()
        return Shafts(place, *(values[rows] for values in numbers))

    def drag(self, speed: Array) -> Array:
        """Torque that friction takes at speeds of the shaft."""
        return self.viscous * speed + self.coulomb * np.sign(speed)


IDEAL = (1.0, 1.0, 1.0, 0.0, 0.0, 0.0)


def shafts_of(place: str, parts: Sequence[Any]) -> Shafts:
    """One part for each drive; None turns as it is."""
    rows = [IDEAL if part is None else _numbers(part) for part in parts]
    return Shafts(place, *np.array(rows).T[:, :, None])


def _numbers(part: DriveMotor | Stage) -> tuple[float, ...]:
    friction = (part.friction.viscous, part.friction.coulomb)
    if isinstance(part, DriveMotor):
        return (1.0, 1.0, 1.0, part.turning_inertia, *friction)
    return (part.turns, part.efficiency, part.backdriving, part.inertia, *friction)


@dataclass(frozen=True, eq=False)
class Train:
    """Drives (B,) and their shafts; `stages` only those that any of them has, from the motor on."""

    motor: Shafts
    stages: tuple[Shafts, ...]

    @property
    def ratio(self) -> Array:
        """(B, 1): how far the motor turns per unit of the joint."""
        found = np.ones_like(self.motor.turns)
        for stage in self.stages:
            found = found * stage.turns
        return found

    @property
    def inertia(self) -> Array:
        """(B, 1): of everything but the motor's shaft, at the motor."""
        found, turns = np.zeros_like(self.motor.turns), np.ones_like(self.motor.turns)
        for stage in self.stages:
            found, turns = found + stage.inertia / turns**2, turns * stage.turns
        return found

    def carries(self, effort: Array, speed: Array, acceleration: Array) -> Flow:
        """What goes through the drives that give a joint these efforts (N,) at its speeds (N,)."""
        speeds, accelerations, stages = [], [], self.stages
        v, a = speed * np.ones_like(self.motor.turns), acceleration * np.ones_like(self.motor.turns)
        for stage in reversed(stages):
            v, a = v * stage.turns, a * stage.turns
            speeds.append(v)
            accelerations.append(a)
        torque: Array = effort * np.ones_like(self.motor.turns)
        lost: Array = np.zeros_like(torque)
        outputs: dict[str, Array] = {}
        after = speed
        for stage, v, a in zip(reversed(stages), speeds, accelerations, strict=True):
            outputs[stage.place] = torque
            power = torque * after
            driven = torque / stage.turns
            through = np.where(power > 0, driven / stage.efficiency, driven)
            through = np.where(power < 0, driven * stage.backdriving, through)
            drag = stage.drag(v)
            lost = lost + through * v - power + drag * v
            torque, after = through + stage.inertia * a + drag, v
        drag = self.motor.drag(v)
        torque = torque + self.motor.inertia * a + drag
        inputs = dict(zip((stage.place for stage in reversed(stages)), speeds, strict=True))
        return Flow(torque, np.broadcast_to(v, torque.shape), outputs, inputs, drag * v, lost + drag * v)


@dataclass(frozen=True, eq=False)
class Flow:
    """(B, N) each: torque and speed of the motors, efforts at the outputs of stages and speeds of their
    input shafts, friction of the motor's shaft [W] and everything that shafts and meshes lose [W]."""

    torque: Array
    speed: Array
    outputs: dict[str, Array]
    inputs: dict[str, Array]
    motor_drag: Array
    lost: Array

    def power(self) -> Array:
        """Of the motors' shafts [W]."""
        return self.torque * self.speed


@dataclass(frozen=True, eq=False)
class DriveTable:
    """Drives (B,) put together from parts: lists of them by place, and which one each drive has."""

    parts: Mapping[str, Sequence[Any]]
    which: Mapping[str, NDArray[np.intp]]

    @staticmethod
    def of(drives: Sequence[Drive]) -> DriveTable:
        places = [each.name for each in fields(Drive)]
        parts = {place: [getattr(drive, place) for drive in drives] for place in places}
        return DriveTable(parts, dict.fromkeys(places, np.arange(len(drives))))

    def __len__(self) -> int:
        return len(self.which["motor"])

    def drive(self, row: int) -> Drive:
        """One of them."""
        return Drive(**{place: parts[self.which[place][row]] for place, parts in self.parts.items()})

    def at(self, rows: NDArray[np.intp]) -> DriveTable:
        """Some of them."""
        return DriveTable(self.parts, {place: which[rows] for place, which in self.which.items()})

    @cached_property
    def train(self) -> Train:
        """Their shafts."""
        shafts = {
            place: shafts_of(place, self.parts[place]).at(self.which[place])
            for place in ("motor", *STAGES)
            if any(self.parts[place])
        }
        return Train(shafts["motor"], tuple(shafts[place] for place in STAGES if place in shafts))

    def number(self, place: str, name: str) -> Array:
        """(B,): a number of the parts at a place, NaN where there is none."""
        found = [None if part is None else attrgetter(name)(part) for part in self.parts[place]]
        values = np.array([np.nan if value is None else value for value in found], dtype=np.float64)
        return np.asarray(values[self.which[place]])

    def each(self, place: str, name: str) -> Iterator[tuple[Any, NDArray[np.intp]]]:
        """What parts at a place have that is not a number, and the rows that have it."""
        for k, part in enumerate(self.parts[place]):
            value = None if part is None else getattr(part, name)
            rows = np.flatnonzero(self.which[place] == k)
            if value is not None and len(rows):
                yield value, rows
