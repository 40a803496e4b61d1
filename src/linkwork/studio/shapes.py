"""Shapes in the scene: rods between points, plates through points, turns as quaternions."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwork.interface.robot import Array
from linkwork.rotations import quaternion_of, rotation_about_axis, rotation_of

ARC = 9  # points of a link between axes that meet


def put(node: Any, **values: Any) -> None:
    """Change properties of a node; what is already so is not sent again."""
    for name, value in values.items():
        if not np.array_equal(getattr(node, name), value):
            setattr(node, name, value)


def along(direction: Array) -> Array:
    """Quaternion w x y z that turns z into a direction."""
    z = direction / np.linalg.norm(direction)
    other = np.eye(3)[int(np.argmin(np.abs(z)))]
    x = np.cross(other, z)
    x /= np.linalg.norm(x)
    return quaternion_of(np.column_stack([x, np.cross(z, x), z]))


def add_rod(
    scene: Any, name: str, start: Array, end: Array, radius: float, colour: Any, **more: Any
) -> Any:
    """A cylinder from one point to another; None if they are the same."""
    way = np.asarray(end, dtype=np.float64) - start
    length = float(np.linalg.norm(way))
    if length < 1e-9:
        return None
    return scene.add_cylinder(
        name,
        radius=radius,
        height=length,
        color=colour,
        radial_segments=24,
        position=start + way / 2,
        wxyz=along(way),
        **more,
    )


def plate(points: Array, thickness: float) -> tuple[Array, Array]:
    """Vertices and faces of a plate through points, in order around their middle."""
    middle = points.mean(axis=0)
    around = points - middle
    _, _, axes = np.linalg.svd(around, full_matrices=False)
    normal = axes[2] * (1.0 if axes[2][2] >= 0 else -1.0)
    order = np.argsort(np.arctan2(around @ np.cross(normal, axes[0]), around @ axes[0]))
    ring = points[order]
    n = len(ring)
    vertices = np.concatenate([ring, [middle], ring - thickness * normal, [middle - thickness * normal]])
    faces = []
    for k in range(n):
        j = (k + 1) % n
        top, bottom = (k, j), (n + 1 + k, n + 1 + j)
        faces += [(n, *top), (2 * n + 1, bottom[1], bottom[0])]
        faces += [(top[0], bottom[0], bottom[1]), (top[0], bottom[1], top[1])]
    return vertices, np.array(faces)


def grid_cell(size: float) -> float:
    """A round cell for a floor under something of this size [m]."""
    raw = size / 8
    unit = 10.0 ** np.floor(np.log10(raw))
    return float(max(unit * k for k in (1, 2, 5) if unit * k <= raw))


def matrix_of(position: Array, wxyz: Array) -> Array:
    """The pose (4, 4) of a node."""
    result = np.eye(4)
    result[:3, :3] = rotation_of(np.concatenate([np.zeros(3), wxyz]))
    result[:3, 3] = position
    return result


def node_of(matrix: Array) -> tuple[Array, Array]:
    """Position and quaternion of a node from its pose (4, 4)."""
    return matrix[:3, 3], quaternion_of(matrix[:3, :3])


def arc(start: Array, end: Array, through: Array) -> Array:
    """Unit vectors (ARC, 3) from one axis to another; the ends of the axes on the side of `through`."""
    one = start * (1.0 if start @ through >= 0 else -1.0)
    other = end * (1.0 if end @ through >= 0 else -1.0)
    normal = np.cross(one, other)
    size = float(np.linalg.norm(normal))
    if size < 1e-9:
        return np.array([one, other])
    angle = float(np.arctan2(size, one @ other))
    turns = [rotation_about_axis(normal / size, share * angle) for share in np.linspace(0, 1, ARC)]
    return np.array([turn @ one for turn in turns])
