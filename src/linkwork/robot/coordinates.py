"""Names, labels and units of the numbers in a robot's position, velocity and effort."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkwork.core.rotations import (
    from_angles,
    from_vector,
    inverse,
    multiply,
    to_angles,
    to_vector,
)
from linkwork.mechanics.mechanism.coordinates import CoordinateLayout, free_bodies, home_size
from linkwork.model import mechanism as model_of
from linkwork.model.mechanism import BASE, Coordinate, MechanismModel, elements, motor_terms

Array = NDArray[np.float64]
QUATERNION = ("qw", "qx", "qy", "qz")
ANGLES = ("roll", "pitch", "yaw")


@dataclass(frozen=True)
class Coordinates:
    """Elements of a vector: names for columns and programs, labels for people, units.

    Some of them may be unit quaternions of bodies; `by_angles` has roll, pitch and yaw in their places.
    """

    names: tuple[str, ...]
    labels: tuple[str, ...]
    units: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.names)

    @property
    def is_pose(self) -> bool:
        """Whether they are a position and a unit quaternion."""
        return self.names == POSE.names

    @property
    def unit(self) -> str:
        """The unit of all elements, or all of their units."""
        return " or ".join(dict.fromkeys(self.units))

    @property
    def quaternions(self) -> tuple[slice, ...]:
        """Where unit quaternions w x y z stand."""
        last = [name.rpartition(".")[2] for name in self.names]
        starts = [k for k in range(len(last) - 3) if tuple(last[k : k + 4]) == QUATERNION]
        return tuple(slice(k, k + 4) for k in starts)

    @property
    def turned(self) -> tuple[slice, ...]:
        """Where roll, pitch, yaw stand in `by_angles`, and rotations in the velocity."""
        starts = [four.start - k for k, four in enumerate(self.quaternions)]
        return tuple(slice(k, k + 3) for k in starts)

    @property
    def by_angles(self) -> Coordinates:
        """The same without quaternions."""
        names, labels, units = list(self.names), list(self.labels), list(self.units)
        for four in reversed(self.quaternions):
            body = names[four.start].removesuffix(QUATERNION[0])
            names[four] = labels[four] = [body + angle for angle in ANGLES]
            units[four] = ["rad"] * 3
        return Coordinates(tuple(names), tuple(labels), tuple(units))

    @property
    def differences(self) -> tuple[str, ...]:
        """Names of the elements of `difference`."""
        names = list(self.by_angles.names)
        for three in self.turned:
            body = names[three.start].removesuffix(ANGLES[0])
            names[three] = [f"{body}r{axis}" for axis in "xyz"]
        return tuple(names)

    def to_angles(self, position: Array) -> Array:
        """A position (n,) without quaternions."""
        return _replaced(position, self.quaternions, to_angles)

    def from_angles(self, values: Array) -> Array:
        """Positions (..., n) of roll, pitch and yaw with quaternions."""
        return _replaced(values, self.turned, from_angles)

    def difference(self, wanted: Array, actual: Array) -> Array:
        """From actual to wanted positions in the axes of the velocity; turns are rotation vectors."""
        plain = np.delete(wanted - actual, [four.start for four in self.quaternions], axis=-1)
        for four, three in zip(self.quaternions, self.turned, strict=True):
            plain[..., three] = to_vector(multiply(wanted[..., four], inverse(actual[..., four])))
        return plain

    def moved(self, position: Array, step: Array) -> Array:
        """A position after a step in the axes of the velocity, in which turns are rotation vectors."""
        result = position + np.insert(step, [three.start for three in self.turned], 0.0)
        for four, three in zip(self.quaternions, self.turned, strict=True):
            result[four] = multiply(from_vector(step[three]), position[four])
        return np.asarray(result)

    def normalized(self, position: Array) -> Array:
        """Positions, or states that begin with one, with quaternions of unit length."""
        result = position.copy()
        for four in self.quaternions:
            result[..., four] /= np.linalg.norm(result[..., four], axis=-1, keepdims=True)
        return result


def _replaced(values: Array, places: tuple[slice, ...], change: Callable[[Array], Array]) -> Array:
    """With other numbers, and another number of them, in some places."""
    for place in reversed(places):
        parts = [values[..., : place.start], change(values[..., place]), values[..., place.stop :]]
        values = np.concatenate(parts, axis=-1)
    return values


POSE = Coordinates(
    ("x", "y", "z", "qw", "qx", "qy", "qz"),
    ("x", "y", "z", "quaternion w", "quaternion x", "quaternion y", "quaternion z"),
    ("m", "m", "m", "1", "1", "1", "1"),
)
TWIST = Coordinates(
    ("vx", "vy", "vz", "wx", "wy", "wz"),
    (
        "velocity x",
        "velocity y",
        "velocity z",
        "angular velocity about x",
        "angular velocity about y",
        "angular velocity about z",
    ),
    ("m/s", "m/s", "m/s", "rad/s", "rad/s", "rad/s"),
)


RATES = ("vx", "vy", "vz", "roll_rate", "pitch_rate", "yaw_rate")


class JointNames(tuple[str, ...]):
    """Names of joints. Called with a motion, as `robot.joints(c, cd, cdd)`, it tells how they move."""

    _motion: Callable[..., Any]

    def __new__(cls, names: tuple[str, ...], motion: Callable[..., Any]) -> JointNames:
        found = super().__new__(cls, names)
        found._motion = motion
        return found

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        return self._motion(*arguments, **options)

    def __reduce__(self) -> tuple[object, ...]:
        return tuple, (list(self),)


def only_body(model: MechanismModel) -> str | None:
    """The body whose pose coordinates, seen from the base, are all coordinates there are."""
    first = model.coordinates[0]
    alike = all(
        each.pose is not None and each.of == first.of and each.relative_to == BASE
        for each in model.coordinates
    )
    return first.of if alike else None


def _is_turn(model: MechanismModel, each: Coordinate) -> bool:
    if each.pose is not None:
        return each.pose in model_of.POSE[3:]
    return any(joint.name == each.of and joint.is_revolute for joint in model.joints)


@lru_cache(maxsize=256)
def turns(model: MechanismModel) -> tuple[bool, ...]:
    """Which coordinates are angles."""
    return tuple(_is_turn(model, each) for each in model.coordinates)


def position_names(model: MechanismModel) -> tuple[str, ...]:
    """Of the coordinates, rotations by angles; those of one body alone have its name left out."""
    alone = only_body(model)
    return tuple(each.pose if alone and each.pose else each.name for each in model.coordinates)


def coordinates_of(model: MechanismModel) -> Coordinates:
    """Of positions as home has them. Those of one body alone have its name left out."""
    alone = only_body(model)
    if alone is not None and alone in free_bodies(model):
        return POSE
    layout = CoordinateLayout.of(model, home_size(model))
    names = [""] * layout.size
    units = ["1"] * layout.size
    given = zip(layout.places, position_names(model), turns(model), strict=True)
    for place, name, turning in given:
        names[place], units[place] = name, "rad" if turning else "m"
    for body, place in layout.quaternions.items():
        names[place : place + 4] = [f"{body}.{word}" for word in QUATERNION]
        units[place : place + 4] = ["1"] * 4
    return Coordinates(tuple(names), tuple(names), tuple(units))


def velocities_of(model: MechanismModel) -> Coordinates:
    alone, free = only_body(model), free_bodies(model)
    if alone is not None and alone in free:
        return TWIST
    names, labels = [], []
    for each in model.coordinates:
        if each.pose is None:
            names.append(each.name)
            labels.append(f"velocity of {each.name}")
            continue
        k = model_of.POSE.index(each.pose)
        word = (TWIST.names if each.of in free else RATES)[k]
        names.append(word if alone is not None else f"{each.of}.{word}")
        what = TWIST.labels[k] if each.of in free else f"velocity of {each.pose}"
        labels.append(what if alone is not None else f"{each.of}: {what}")
    units = tuple("rad/s" if turning else "m/s" for turning in turns(model))
    return Coordinates(tuple(names), tuple(labels), units)


def effort_units(model: MechanismModel) -> tuple[str, ...]:
    """N m of motors that turn, N of those that push."""
    turning = {each.name for each in elements(model) if getattr(each, "is_revolute", False)}
    return tuple("N m" if terms[0][0] in turning else "N" for terms in motor_terms(model).values())
