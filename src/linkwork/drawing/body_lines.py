"""Lines and areas of a rigid body through the places where it is held."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from linkwork.core.rotations import rotation_about_axis
from linkwork.robot.robot import Array

FLAT = 0.02  # of its length: a body no wider than this is a line
ASKEW = 0.2  # sine of the angle from which two axes have a common normal worth following
DETOUR = 1.75  # of the distance: the longest way along axes; three edges of a cube are less
ARC = np.radians(10)  # steps of an arc


class Hold(NamedTuple):
    """Where a body is held: a point, and the axis of a joint that turns or slides there; or the tool."""

    at: Array
    axis: Array | None = None
    is_tool: bool = False


def different(holds: list[Hold], near: float) -> list[Hold]:
    """The first of all that are at one place."""
    found: list[Hold] = []
    for hold in holds:
        if all(np.linalg.norm(hold.at - other.at) > near for other in found):
            found.append(hold)
    return found


def body_lines(holds: list[Hold]) -> tuple[list[Array], Array]:
    """Lines through the places of a rigid body, and corners of the area that they span."""
    none, points = np.zeros((0, 3)), np.array([hold.at for hold in holds]).reshape(-1, 3)
    if len(points) < 2:
        return [], none
    if len(points) == 2:
        return [_way(*holds)], none
    center = points.mean(axis=0)
    _, extent, axes = np.linalg.svd(points - center)
    flat = (points - center) @ axes[:2].T
    if extent[1] < FLAT * extent[0]:
        return [points[np.argsort(flat[:, 0])]], none
    from scipy.spatial import ConvexHull

    outer = ConvexHull(flat).vertices  # in order around
    middle = points[outer].mean(axis=0)
    inner = [hold.at for k, hold in enumerate(holds) if k not in outer and not hold.is_tool]
    return [np.array([middle, point]) for point in inner], points[outer]


def _way(one: Hold, other: Hold) -> Array:
    """From joint to joint as links are built: along the first axis, across, along the second."""
    way = other.at - one.at
    distance = float(np.linalg.norm(way))
    for turns in _bends(one, other):
        corners = np.array([one.at, *turns, other.at])
        if np.linalg.norm(np.diff(corners, axis=0), axis=1).sum() <= DETOUR * distance:
            return corners
    return np.array([one.at, other.at])


def _bends(one: Hold, other: Hold) -> list[list[Array]]:
    """Corners on the way: the feet of the common normal of both axes, or an elbow on one of them."""
    found, way = [], other.at - one.at
    if one.axis is not None and other.axis is not None:
        normal = np.cross(one.axis, other.axis)
        size = float(np.linalg.norm(normal))
        if size > ASKEW:
            along, back = (
                float(np.cross(way, axis) @ normal) / size**2 for axis in (other.axis, one.axis)
            )
            found.append([one.at + along * one.axis, other.at + back * other.axis])
    if one.axis is not None:
        found.append([one.at + one.axis * float(way @ one.axis)])
    if other.axis is not None:
        found.append([other.at - other.axis * float(way @ other.axis)])
    return found


def arc(start: Array, end: Array) -> Array:
    """Points (k, 3) from one to another around the origin."""
    normal = np.cross(start, end)
    size = float(np.linalg.norm(normal))
    if size < 1e-9 * float(start @ start):
        return np.array([start, end])
    angle = float(np.arctan2(size, start @ end))
    shares = np.linspace(0.0, 1.0, max(2, 1 + round(angle / ARC)))
    radii = 1 - shares + shares * np.linalg.norm(end) / np.linalg.norm(start)
    turns = [rotation_about_axis(normal / size, share * angle) for share in shares]
    return np.array([radius * turn @ start for radius, turn in zip(radii, turns, strict=True)])
