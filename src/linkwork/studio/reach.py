"""The workspace of a platform as a surface: where it ends, and which limit ends it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
from numpy.typing import NDArray

from linkwork.analysis.region import Indices, Judge, Lattice, Region
from linkwork.analysis.workspace import AXES, KINDS, workspace
from linkwork.core.errors import InputError
from linkwork.core.text import number
from linkwork.model.robot_files import Model
from linkwork.robot.loading import robot_of
from linkwork.robot.robot import Array
from linkwork.studio.controls import controls_of, position_of, within_limits
from linkwork.studio.units import Units

PARTS, DRAWN = 10, 800  # random positions of a tool
CELLS = 40  # along the longest edge of the workspace: enough to look at
CORNERS = np.array(list(product((0, 1), repeat=3)), dtype=np.int64)
# Corners that differ in one coordinate: the twelve edges of a cell.
EDGES = np.array(
    [(i, j) for i in range(8) for j in range(i) if np.abs(CORNERS[i] - CORNERS[j]).sum() == 1]
)


@dataclass(frozen=True, eq=False)
class Surface:
    """Triangles (F, 3) of vertices (V, 3), seen from outside, and the limit behind each (F,)."""

    vertices: Array
    faces: Indices
    kinds: Indices

    @cached_property
    def areas(self) -> Array:
        a, b, c = (self.vertices[self.faces[:, k]] for k in range(3))
        return np.asarray(np.linalg.norm(np.cross(b - a, c - a), axis=1) / 2)

    def part(self, kind: int) -> tuple[Array, Indices]:
        """Vertices and faces of what one limit ends."""
        used, faces = np.unique(self.faces[self.kinds == kind], return_inverse=True)
        return self.vertices[used], faces.reshape(-1, 3)


@dataclass(frozen=True, eq=False)
class Reach:
    """All places of a tool with one orientation: the volume [m^3] and its surface."""

    volume: float
    surface: Surface

    @property
    def shares(self) -> dict[int, float]:
        """Of the surface, by the kind of limit that ends it, the greatest first."""
        areas = np.bincount(self.surface.kinds, self.surface.areas, minlength=len(KINDS))
        order = [int(k) for k in np.argsort(-areas) if areas[k] > 0]
        return {k: float(areas[k] / areas.sum()) for k in order}

    @property
    def shown_volume(self) -> str:
        """In liters below a tenth of a cubic meter, in cubic centimeters below a tenth of a liter."""
        if self.volume >= 0.1:
            return f"{number(self.volume)} m³"
        if self.volume >= 1e-4:
            return f"{number(1e3 * self.volume)} liters"
        return f"{number(1e6 * self.volume)} cm³"


def reach_of(model: Model, pose: Array, report: Callable[[float], None]) -> Reach:
    """With the orientation of a pose, at a tolerance for looking; `report` is told the share done."""
    robot = robot_of(model)  # compiled, also while the design is being changed: thousands of poses
    first = workspace(robot, pose, tolerance=float(robot.size))
    low, high = first.volume.extent
    if np.isnan(low).any():
        raise InputError(f"{robot.name} reaches no position in this orientation under its limits.")
    report(0.3)
    found = workspace(robot, pose, tolerance=float((high - low).max()) / CELLS)
    region = found.volume
    report(0.8)
    return Reach(region.content, surface_of(region, found.judge(AXES[:3])))


def tool_cloud(model: Model, units: Units, report: Callable[[float], None]) -> Array:
    """Places (N, 3) of the tool at random positions within all limits of joints and cylinders; of
    robots whose coordinates are not places."""
    robot = robot_of(model)
    random, found = np.random.default_rng(0), []
    low, high = np.array([(each.low, each.high) for each in controls_of(robot, units)]).T
    for part in range(PARTS):
        drawn = random.uniform(low, high, (DRAWN, len(low)))
        positions = np.array([position_of(robot, row, units) for row in drawn])
        tool = robot.body_pose(positions[within_limits(robot, positions)], errors="nan")[:, :3]
        found.append(tool[np.isfinite(tool).all(axis=1)])
        report((part + 1) / PARTS)
    places = np.concatenate(found)
    if not len(places):
        raise InputError(f"{robot.name} was found at no random position within its limits.")
    return places


def surface_of(region: Region, judge: Judge) -> Surface:
    """A vertex in every boundary cell, in the middle of where its edges cross the boundary; a
    quadrilateral around every edge that does."""
    if not len(region.boundary):
        return Surface(np.empty((0, 3)), np.empty((0, 3), np.int64), np.empty(0, np.int64))
    most = int(np.rint((region.high - region.low) / region.edges).max())
    strides = (most + 2) ** np.arange(3, dtype=np.int64)
    lattice = Lattice(judge, region.low, region.high, most)
    found = np.rint((region.boundary - region.low) / region.edges).astype(np.int64)
    cells, kinds = np.empty((0, 3), np.int64), np.empty((0, 8), np.int64)
    margins = np.empty((0, 8))
    while len(found):
        ours, theirs = lattice(found[:, None, :] + CORNERS)
        cells = np.concatenate([cells, found])
        margins, kinds = np.concatenate([margins, ours]), np.concatenate([kinds, theirs])
        found = _neighbors(found, ours >= 0, most)
        _, first = np.unique(found @ strides, return_index=True)
        found = found[first]
        found = found[~np.isin(found @ strides, cells @ strides)]
    vertices = region.low + region.edges * (cells + _crossings(margins))
    faces, behind = _quadrilaterals(cells @ strides, strides, margins >= 0, kinds)
    triangles = faces[:, [[0, 1, 2], [0, 2, 3]]].reshape(-1, 3)
    return Surface(vertices, triangles, np.repeat(behind, 2))


def _neighbors(cells: Indices, within: NDArray[np.bool_], most: int) -> Indices:
    """All cells around edges that cross the boundary: halving misses some, which were holes."""
    found = []
    for i, j in EDGES:
        crossed = cells[within[:, i] != within[:, j]]
        # Along an axis across the edge the next cell is on the side on which the edge lies.
        sides = np.where(CORNERS[i] != CORNERS[j], 0, 2 * CORNERS[i] - 1)
        one, other = np.diag(sides)[sides != 0]
        found += [crossed + one, crossed + other, crossed + one + other]
    near = np.concatenate(found)
    return near[((near >= 0) & (near < most)).all(axis=1)]


def _crossings(margins: Array) -> Array:
    """Mean of the points, in cells of unit edge, where edges cross the boundary, (N, 3)."""
    begin, end = margins[:, EDGES[:, 0]], margins[:, EDGES[:, 1]]
    crossed = (begin >= 0) != (end >= 0)
    share = np.where(crossed, begin / np.where(crossed, begin - end, 1.0), 0.0)
    at = CORNERS[EDGES[:, 0]] + share[..., None] * (CORNERS[EDGES[:, 1]] - CORNERS[EDGES[:, 0]])
    total = np.where(crossed[..., None], at, 0.0).sum(axis=1)
    return np.asarray(total / crossed.sum(axis=1)[:, None])


def _quadrilaterals(
    ids: Indices, strides: Indices, within: NDArray[np.bool_], kinds: Indices
) -> tuple[Indices, Indices]:
    """Four cells around each crossed edge from a cell's lowest corner, and the limit outside."""
    order = np.argsort(ids)
    faces, behind = [], []
    for axis, corner in enumerate((4, 2, 1)):  # the corner next to the lowest one along this axis
        b, c = strides[(axis + 1) % 3], strides[(axis + 2) % 3]
        crossed = np.flatnonzero(within[:, 0] != within[:, corner])
        around = ids[crossed][:, None] - np.array([0, b, b + c, c])
        found = order[np.minimum(np.searchsorted(ids, around, sorter=order), len(ids) - 1)]
        whole = (ids[found] == around).all(axis=1)
        crossed, found = crossed[whole], found[whole]
        leaving = within[crossed, 0]
        faces.append(np.where(leaving[:, None], found, found[:, ::-1]))
        behind.append(np.where(leaving, kinds[crossed, corner], kinds[crossed, 0]))
    return np.concatenate(faces), np.concatenate(behind)
