"""Names and units of the numbers in a robot's position, velocity and effort."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Coordinates:
    """Elements of a vector: names for columns and programs, labels for people, units."""

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
