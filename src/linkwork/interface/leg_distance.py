"""How near the legs of a platform come to each other, and how thick they are."""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations

import numpy as np

from linkwork.interface.compiled import Array
from linkwork.interface.segments import segment_distances
from linkwork.robots.platform import PlatformModel
from linkwork.rotations import rotation_of


def leg_distance(model: PlatformModel, poses: Array) -> Array:
    """Smallest distance between the axes of two legs that share no joint [m], (k,) of poses (k, 7)."""
    base, points = model.points()
    ends = poses[:, None, :3] + points @ np.swapaxes(rotation_of(poses), -1, -2)
    apart = [
        segment_distances(base[i], ends[:, i], base[j], ends[:, j])
        for i, j in combinations(range(len(base)), 2)
        if not (np.array_equal(base[i], base[j]) or np.array_equal(points[i], points[j]))
    ]
    return np.asarray(np.min(apart, axis=0))


@lru_cache(maxsize=32)
def leg_diameter(model: PlatformModel) -> float:
    """Of the thickest part of a leg [m], if parts were solid cylinders.

    A cylinder of mass m and diameter d has m d^2 / 8 about its axis, the least of its moments. A part
    whose file gives no such moment counts as thin.
    """
    parts = [part for leg in model.legs for part in (leg.lower, leg.upper) if part.mass > 0]
    least = [max(float(np.linalg.eigvalsh(part.inertia)[0]), 0.0) / part.mass for part in parts]
    return float(np.sqrt(8 * max(least, default=0.0)))
