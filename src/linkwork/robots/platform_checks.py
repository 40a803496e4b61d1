"""Faults of a Stewart platform as a whole: six legs that can hold the platform and stand at home."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from linkwork.robots import quantities as q
from linkwork.robots.geometry import Array
from linkwork.robots.platform import LEGS, Leg, PlatformModel, leg_vectors
from linkwork.robots.validation import Found

# Relative to the size of the machine: below this, points and directions are the same.
SAME = 1e-9


def layout_faults(legs: object) -> Iterator[Found]:
    """Wrong number of legs, or joints in places from which no legs can hold a platform.

    Takes the legs as written, so that these faults are found beside those of single fields.
    """
    if not isinstance(legs, list | tuple):
        return
    if len(legs) != LEGS:
        yield ("legs",), f"there are {len(legs)} legs; allowed: exactly {LEGS}"
        return
    base, platform = _points(legs, "base_point"), _points(legs, "platform_point")
    for points, side in ((base, "base"), (platform, "platform")):
        if points is not None and (shape := _flat_shape(points)):
            yield (
                ("legs",),
                f"all {side} points {shape}; no legs could keep the platform from turning there;"
                f" allowed: {side} points that span at least a plane",
            )
    if base is not None and platform is not None:
        yield from _coincident_legs(base, platform)


def _points(legs: Sequence[object], field: str) -> Array | None:
    try:
        written = [leg[field] if isinstance(leg, Mapping) else None for leg in legs]
        return np.array([q.point(point) for point in written])
    except (KeyError, ValueError):
        return None  # a fault of the field, and reported as such


def _flat_shape(points: Array) -> str:
    size = np.abs(points).max()
    if size == 0.0:
        return "coincide"
    _, spreads, _ = np.linalg.svd((points - points.mean(axis=0)) / size)
    if spreads[0] <= SAME:
        return "coincide"
    return "are on one line" if spreads[1] <= SAME * spreads[0] else ""


def _coincident_legs(base: Array, platform: Array) -> Iterator[Found]:
    ends = np.hstack([base, platform])
    tolerance = SAME * np.abs(ends).max()
    for first, second in itertools.combinations(range(LEGS), 2):
        if np.abs(ends[first] - ends[second]).max() <= tolerance:
            what = (
                f"has the base point and the platform point of legs[{first}]; move one of the two legs"
            )
            yield ("legs", second), what


def model_faults(model: PlatformModel) -> Iterator[Found]:
    """Faults that show only when all numbers are known."""
    masses = [model.platform.mass, *(body.mass for leg in model.legs for body in (leg.lower, leg.upper))]
    if not any(masses):
        yield ("platform", "mass"), "platform and legs weigh nothing; allowed: at least one mass > 0"
    if model.home is not None:
        base, platform = model.points()
        size = max(np.abs(base).max(), np.abs(platform).max(), np.abs(model.home[:3]).max())
        for index, vector in enumerate(leg_vectors(model.home, base, platform)):
            yield from _home_faults(index, model.legs[index], vector, SAME * size, _degrees(model.home))


def _degrees(home: Array) -> str:
    """A question, if an angle of the home pose is more than half a turn."""
    most = float(max(home[3:], key=abs))
    return f"; did you mean {most:g} deg?" if abs(most) > math.pi else ""


def _millimetres(length: float, longest: float) -> str:
    """A question, if a leg is a thousand times as long as it may be, or the thousandth part."""
    if length > 100 * longest:
        return "; did you write home or the points of the leg in mm? They are in m"
    return "; did you write the limits in mm? They are in m" if 100 * length < longest < math.inf else ""


def _home_faults(index: int, leg: Leg, vector: Array, shortest: float, degrees: str) -> Iterator[Found]:
    length = math.hypot(*vector)
    if length <= shortest:
        what = f"puts the platform point of leg {leg.name!r} on its base point; give another pose"
        yield ("home",), what
        return
    if math.hypot(*np.cross(leg.fixed_axis, vector / length)) <= SAME:
        what = (
            "is the direction of the leg at home, where its universal joint cannot turn; turn the axis"
        )
        yield ("legs", index, "fixed_axis"), what
    low, high = leg.limits.length or (0.0, math.inf)
    if not low * (1 - SAME) <= length <= high * (1 + SAME):
        what = (
            f"leg {leg.name!r} is {length:.6g} m long at home, outside its limits.length"
            f" [{low:g}, {high:g}]; correct the pose or the limits{_millimetres(length, high)}{degrees}"
        )
        yield ("home",), what
