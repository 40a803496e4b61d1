"""The units that a person has chosen to read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from linkwork.core.text import AngleUnit, shown_unit, with_unit
from linkwork.robot.robot import Robot

LengthUnit = Literal["m", "mm"]
CHOICES: dict[str, tuple[AngleUnit, LengthUnit]] = {
    "deg, m": ("deg", "m"),
    "deg, mm": ("deg", "mm"),
    "rad, m": ("rad", "m"),
    "rad, mm": ("rad", "mm"),
}
IN_MILLIMETERS = {"m": "mm", "m/s": "mm/s"}


@dataclass(frozen=True)
class Units:
    """Of angles and lengths; everything else is in SI units."""

    angle: AngleUnit = "deg"
    length: LengthUnit = "m"

    @staticmethod
    def of(robot: Robot) -> Units:
        """As the robot file writes its angles."""
        return Units(robot.angle_unit)

    @property
    def name(self) -> str:
        return f"{self.angle}, {self.length}"

    def unit(self, unit: str) -> tuple[float, str]:
        """What an SI unit is shown in, and the factor to it."""
        if self.length == "mm" and unit in IN_MILLIMETERS:
            return 1e3, IN_MILLIMETERS[unit]
        return shown_unit(unit, self.angle)

    def shown(self, value: float, unit: str) -> str:
        """A value in SI units with its unit."""
        factor, name = self.unit(unit)
        return with_unit(factor * value, name)
