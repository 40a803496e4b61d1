"""Points of a design where they stand in space, and back: for dragging them."""

from __future__ import annotations

import numpy as np

from linkwork.robot import Array
from linkwork.studio.design import Field
from linkwork.studio.reading import ArmReading, PlatformReading


def _carrier(reading: ArmReading | PlatformReading, index: int, field: Field) -> tuple[Array, Array]:
    """Rotation and origin of the body that a point belongs to."""
    if isinstance(reading, ArmReading):
        frame = np.eye(4) if index == 0 else reading.frames[index - 1]
        return frame[:3, :3], frame[:3, 3]
    if field.name.startswith("platform"):
        return reading.rotation, reading.state.position[:3]
    return np.eye(3), np.zeros(3)


def in_space(reading: ArmReading | PlatformReading, index: int, field: Field, point: Array) -> Array:
    """Where a point of part `index` stands, base axes."""
    R, origin = _carrier(reading, index, field)
    return R @ point + origin


def in_part(reading: ArmReading | PlatformReading, index: int, field: Field, place: Array) -> Array:
    """The numbers of the robot file for a place in space."""
    R, origin = _carrier(reading, index, field)
    return R.T @ (np.asarray(place, dtype=np.float64) - origin)
