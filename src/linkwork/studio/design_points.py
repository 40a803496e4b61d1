"""Points of a design where they stand in space, and back: for dragging them."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwork.interface.robot import Array
from linkwork.studio.design import (
    BASE_POINT,
    LENGTH,
    OFFSET,
    ORIGIN,
    PLATFORM,
    PLATFORM_POINT,
    Design,
    Field,
)
from linkwork.studio.reading import ArmReading, PlatformReading, Reading

LINK_FRAME = "link frame"


def points_of(design: Design, part: str) -> tuple[str, ...]:
    """Names of the points of a part that can be dragged."""
    if not design.has_points:
        return ()
    if design.robot.noun == "leg":
        return () if part == PLATFORM else (BASE_POINT.name, PLATFORM_POINT.name)
    return (LINK_FRAME,) if design.is_table else (ORIGIN.name,)


def place_of(design: Design, part: str, point: str, reading: Reading) -> Array:
    """Where a point stands, base axes."""
    k = design.parts.index(part)
    if isinstance(reading, ArmReading):
        found: Array = reading.frames[k, :3, 3] if design.is_table else reading.origins[k]
        return found
    assert isinstance(reading, PlatformReading)
    return np.asarray(reading.lower[k] if point == BASE_POINT.name else reading.upper[k])


def changes_for(
    design: Design, part: str, point: str, place: Array, reading: Reading
) -> dict[Field, Any]:
    """What to write into the robot file so that a point stands at a place."""
    k = design.parts.index(part)
    if isinstance(reading, PlatformReading):
        if point == BASE_POINT.name:
            return {BASE_POINT: place}
        return {PLATFORM_POINT: reading.rotation.T @ (place - reading.state.position[:3])}
    assert isinstance(reading, ArmReading)
    before = np.eye(4) if k == 0 else reading.frames[k - 1]
    way = place - before[:3, 3]
    if not design.is_table:
        return {ORIGIN: before[:3, :3].T @ way}
    # A table lets a link frame go along its joint's axis (d) and along its x axis (a) only.
    carrier = reading.frames[k] if design.convention == "standard" else before
    along = float(way @ reading.axes[k])
    if design.robot.coordinates.units[k] == "m":
        along -= float(reading.state.position[k])
    return {LENGTH: float(way @ carrier[:3, 0]), OFFSET: along}
