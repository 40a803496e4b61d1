"""A sound Stewart platform as a mapping, for tests to spoil."""

from __future__ import annotations

import math
from typing import Any

BASE_ANGLES = (-10, 10, 110, 130, 230, 250)
PLATFORM_ANGLES = (-50, 50, 70, 170, 190, 290)
HOME = [0, 0, 1, 0, 0, 0]
SYMMETRIC = {"mass": 2, "center_of_mass": [0.3, 0, 0], "inertia": [0.1, 0.4, 0.4]}


def on_circle(radius: float, degrees: float) -> list[float]:
    return [radius * math.cos(math.radians(degrees)), radius * math.sin(math.radians(degrees)), 0.0]


def leg(index: int, **fields: Any) -> dict[str, Any]:
    ends = {
        "base_point": on_circle(1.0, BASE_ANGLES[index]),
        "platform_point": on_circle(0.6, PLATFORM_ANGLES[index]),
    }
    return {**ends, "fixed_axis": on_circle(1.0, BASE_ANGLES[index] + 90), **fields}


def platform(first_leg: dict[str, Any] | None = None, **fields: Any) -> dict[str, Any]:
    """Six UPS legs without mass; `first_leg` changes fields of the first, `fields` those of the file."""
    return {
        "kind": "stewart-platform",
        "name": "test",
        "platform": {"mass": 10, "inertia": [1, 1, 2]},
        "legs": [leg(0, **(first_leg or {})), *(leg(index) for index in range(1, 6))],
        **fields,
    }


def without(mapping: dict[str, Any], field: str) -> dict[str, Any]:
    return {key: value for key, value in mapping.items() if key != field}
