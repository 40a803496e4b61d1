"""Names and units of the numbers in a robot's position, velocity and effort."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from linkwork.rotations import from_angles, inverse, multiply, to_angles, to_vector

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

    def normalised(self, position: Array) -> Array:
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
    ("velocity x", "velocity y", "velocity z", "turning about x", "turning about y", "turning about z"),
    ("m/s", "m/s", "m/s", "rad/s", "rad/s", "rad/s"),
)
