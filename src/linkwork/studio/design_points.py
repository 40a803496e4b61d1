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
from linkwork.studio.reading import Reading

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
    k, model = design.parts.index(part), design.robot.mechanism
    if point == LINK_FRAME:
        return _link_frame(design, reading, k)[:3, 3]
    if point == ORIGIN.name:
        return _moved(reading, k, model.joints[k].at)
    cylinder = model.cylinders[k]
    return cylinder.start if point == BASE_POINT.name else _moved(reading, 1, cylinder.end)


def axis_of(design: Design, part: str, reading: Reading) -> Array:
    """Of a joint, base axes."""
    k = design.parts.index(part)
    return np.asarray(_frames(reading)[k, :, :3] @ design.robot.mechanism.joints[k].axes[0])


def changes_for(
    design: Design, part: str, point: str, place: Array, reading: Reading
) -> dict[Field, Any]:
    """What to write into the robot file so that a point stands at a place."""
    k = design.parts.index(part)
    if point == BASE_POINT.name:
        return {BASE_POINT: place}
    if point == PLATFORM_POINT.name:
        return {PLATFORM_POINT: _seen(_link_frame(design, reading, 0), place)}
    before = np.eye(4) if k == 0 else _link_frame(design, reading, k - 1)
    if point == ORIGIN.name:
        return {ORIGIN: _seen(before, place)}
    # A table lets a link frame go along its joint's axis (d) and along its x axis (a) only.
    way = place - before[:3, 3]
    carrier = _link_frame(design, reading, k) if design.convention == "standard" else before
    along = float(way @ axis_of(design, part, reading))
    if design.robot.coordinates.units[k] == "m":
        along -= float(reading.state.position[k])
    return {LENGTH: float(way @ carrier[:3, 0]), OFFSET: along}


def _frames(reading: Reading) -> Array:
    assert reading.frames is not None  # robots whose points can be dragged have no loops that open
    return reading.frames


def _moved(reading: Reading, body: int, at: Array) -> Array:
    """Where a point of a body, given at home, is."""
    frame = _frames(reading)[body]
    return np.asarray(frame[:, :3] @ at + frame[:, 3])


def _link_frame(design: Design, reading: Reading, k: int) -> Array:
    """Of body k after the base, (4, 4)."""
    moved = np.vstack([_frames(reading)[k + 1], [0.0, 0.0, 0.0, 1.0]])
    return np.asarray(moved @ design.robot.mechanism.parts[k].frame.matrix())


def _seen(frame: Array, place: Array) -> Array:
    return np.asarray(frame[:3, :3].T @ (place - frame[:3, 3]))
