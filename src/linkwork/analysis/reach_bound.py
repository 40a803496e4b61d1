"""How far a body can go at most: no chain of bodies is longer than its links in a line."""

from __future__ import annotations

import numpy as np

from linkwork.interface.robot import Array
from linkwork.robots.arm import Limits
from linkwork.robots.mechanism import Cylinder, MechanismModel


def reach_bound(model: MechanismModel, body: str, point: Array, root: str) -> tuple[Array, Array]:
    """A box (3,) to (3,), in the axes of `root` at home, that holds a point of a body; infinite where
    slides have no limits.

    Every point where `root` holds something is the middle of a sphere: as far as the shortest way leads
    over points of bodies, slides drawn out.
    """
    places: list[tuple[str, Array]] = [(body, point)]
    ways: list[tuple[int, int, float]] = []

    def tie(joins: tuple[str, str], start: Array, end: Array, length: float) -> None:
        places.extend(zip(joins, (start, end), strict=True))
        ways.append((len(places) - 2, len(places) - 1, length))

    for joint in model.joints:
        tie(joint.joins, joint.at, joint.at, _travel(joint.limits) if joint.kind == "prismatic" else 0.0)
    for rod in model.rods:
        tie(rod.joins, rod.start, rod.end, rod.length)
    for each in model.cylinders:
        tie(each.joins, each.start, each.end, _longest(each))
    count = len(places)
    lengths = np.full((count, count), np.inf)
    for i, (one, p) in enumerate(places):
        for j, (other, q) in enumerate(places):
            if one == other != root:
                lengths[i, j] = np.linalg.norm(p - q)
    for i, j, length in ways:
        lengths[i, j] = lengths[j, i] = length
    for k in range(count):
        lengths = np.minimum(lengths, lengths[:, k, None] + lengths[k])
    low, high = np.full(3, -np.inf), np.full(3, np.inf)
    for (name, at), reach in zip(places, lengths[0], strict=True):
        if name == root and np.isfinite(reach):
            low, high = np.maximum(low, at - reach), np.minimum(high, at + reach)
    return low, high


def _longest(cylinder: Cylinder) -> float:
    return cylinder.length + (cylinder.limits.position or (-np.inf, np.inf))[1]


def _travel(limits: Limits) -> float:
    return max(map(abs, limits.position or (np.inf, np.inf)))
