"""Where a condition holds in a box of one to three dimensions, its boundary found by subdivision.

Coarse grids over ever narrower boxes find where to look. Cells of the last one whose corners are not all
on one side are halved in every direction, again and again, until they are as small as asked for. What
lies between corners of one cell of the coarse grids and touches none of them is not seen.

The box for coordinates of a robot: no chain of bodies is longer than its links in a line.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from linkwork.core.errors import InputError
from linkwork.core.rotations import rotation_rpy
from linkwork.model.joint import Limits
from linkwork.model.mechanism import BASE, POSE, Coordinate, Cylinder, MechanismModel
from linkwork.robot.robot import Array, Robot

Indices = NDArray[np.int64]
# Points (N, d) to margins (N,), negative outside, and which limit is nearest there (N,).
Judge = Callable[[Array], tuple[Array, Indices]]
COARSE = {1: 256, 2: 32, 3: 16}  # cells per direction to begin with
LOOKS = 3  # coarse grids before the one that is refined
JUMP = 30.0  # ratio of margins on both sides of a cell from which a limit is taken for a jump
MOST_CELLS = 4_000_000
TURNS = (np.pi / 2, np.pi / 2, np.pi)  # how far roll, pitch and yaw are followed


@dataclass(frozen=True, eq=False)
class Region:
    """Cells inside, and cells through which the boundary runs.

    `inside` and `boundary` are lower corners (N, d), with edges `inside_edges` and `edges`. `kinds`
    tells which limit ends the region in a boundary cell, `filled` which share of it belongs to it.
    """

    low: Array
    high: Array
    inside: Array
    inside_edges: Array  # (N, d)
    boundary: Array
    edges: Array  # (d,), of all boundary cells
    kinds: Indices
    filled: Array
    evaluations: int

    @property
    def bounds(self) -> tuple[float, float]:
        """Length, area or volume without and with the boundary cells; the truth lies between them."""
        core = float(self.inside_edges.prod(axis=1).sum())
        return core, core + len(self.boundary) * float(self.edges.prod())

    @property
    def content(self) -> float:
        """Length, area or volume: boundary cells by the share that lies inside."""
        return self.bounds[0] + float(self.filled.sum() * self.edges.prod())

    @property
    def extent(self) -> tuple[Array, Array]:
        """Lowest and highest coordinates of the region, (d,) each."""
        if not len(self.boundary) and not len(self.inside):
            empty = np.full(len(self.low), np.nan)
            return empty, empty
        lows = np.concatenate([self.inside, self.boundary])
        highs = np.concatenate([self.inside + self.inside_edges, self.boundary + self.edges])
        return lows.min(axis=0), highs.max(axis=0)


def find_region(judge: Judge, low: Array, high: Array, tolerance: float | Array) -> Region:
    """The part of a box in which a judge finds no negative margin.

    Args:
        tolerance: greatest edge of the cells that hold the boundary, one number or one per axis.
    """
    d = len(low)
    wanted = np.broadcast_to(np.asarray(tolerance, dtype=np.float64), (d,))
    if not (np.isfinite(wanted).all() and (wanted > 0).all()):
        raise InputError(f"tolerance = {tolerance!r}: expected numbers above 0.")
    coarse = COARSE[d]
    low, high, looked = _narrowed(judge, low, high, coarse)
    levels = max(0, int(np.ceil(np.log2(np.max((high - low) / coarse / wanted)))))
    fine = coarse << levels  # points of the finest lattice per direction, less one
    corners = np.array(list(product((0, 1), repeat=d)), dtype=np.int64)
    cells = np.array(list(product(range(coarse), repeat=d)), dtype=np.int64) << levels
    known = Lattice(judge, low, high, fine)
    inside, edges = [], []
    for level in range(levels + 1):
        size = 1 << (levels - level)
        margins, kinds = known(cells[:, None, :] + size * corners)
        within = margins >= 0
        full, mixed = within.all(axis=1), within.any(axis=1) & ~within.all(axis=1)
        inside.append(cells[full])
        edges.append(np.full(np.count_nonzero(full), size))
        cells, margins, kinds = cells[mixed], margins[mixed], kinds[mixed]
        if not len(cells):
            break
        if level < levels:
            if len(cells) << d > MOST_CELLS:
                raise InputError(
                    f"tolerance = {tolerance!r} needs more than {MOST_CELLS} cells; take a greater one."
                )
            cells = (cells[:, None, :] + (size // 2) * corners).reshape(-1, d)
    step = (high - low) / fine
    worst = np.argmin(margins, axis=1) if len(cells) else np.empty(0, dtype=np.int64)
    filled = _filled(margins)
    return Region(
        low=low,
        high=high,
        inside=low + step * np.concatenate(inside),
        inside_edges=step * np.concatenate(edges)[:, None],
        boundary=low + step * cells,
        edges=step,
        kinds=kinds[np.arange(len(cells)), worst],
        filled=filled,
        evaluations=looked + known.evaluations,
    )


def _narrowed(judge: Judge, low: Array, high: Array, coarse: int) -> tuple[Array, Array, int]:
    """The box around all that a coarse grid sees inside, two cells wider, and the points it took.

    Grids over narrower boxes see more, so it is done several times; the whole box if they see nothing.
    """
    points = np.array(list(product(range(coarse + 1), repeat=len(low))), dtype=np.int64)
    for _ in range(LOOKS):
        step = (high - low) / coarse
        inside = points[judge(low + step * points)[0] >= 0]
        if len(inside):
            first, last = inside.min(axis=0) - 2, inside.max(axis=0) + 2
            low, high = low + step * np.maximum(first, 0), low + step * np.minimum(last, coarse)
    return low, high, LOOKS * len(points)


def _filled(margins: Array) -> Array:
    """Shares of cells that lie inside, from margins at their corners: linear, unless they jump."""
    positive, negative = (np.maximum(sign * margins, 0.0) for sign in (1, -1))
    ours, theirs = positive.sum(axis=1), negative.sum(axis=1)
    linear = ours / np.maximum(ours + theirs, 1e-300)
    ratio = positive.max(axis=1, initial=0.0) / np.maximum(negative.max(axis=1, initial=0.0), 1e-300)
    jumps = (ratio > JUMP) | (ratio < 1 / JUMP)
    return np.where(jumps, (margins >= 0).mean(axis=1), linear)


class Lattice:
    """Margins at points of the finest lattice; corners that cells share are judged once per level."""

    def __init__(self, judge: Judge, low: Array, high: Array, fine: int) -> None:
        self.judge, self.low, self.step = judge, low, (high - low) / fine
        self.strides = (fine + 1) ** np.arange(len(low), dtype=np.int64)
        self.evaluations = 0

    def __call__(self, points: Indices) -> tuple[Array, Indices]:
        shape = points.shape[:-1]
        _, first, back = np.unique(points @ self.strides, return_index=True, return_inverse=True)
        chosen = points.reshape(-1, points.shape[-1])[first]
        margins, kinds = self.judge(self.low + self.step * chosen)
        self.evaluations += len(chosen)
        back = back.reshape(shape)
        return margins[back], kinds[back]


def first_exit(judge: Judge, start: float, end: float, tolerance: float) -> tuple[float, int | None]:
    """How far one can go from `start` toward `end` before a margin is negative, and which limit ends
    it: None if nothing does."""
    steps = np.linspace(start, end, COARSE[1] + 1)
    margins, kinds = judge(steps[:, None])
    out = np.flatnonzero(margins < 0)
    if not len(out):
        return end, None
    if out[0] == 0:
        return start, int(kinds[0])
    inside, outside, kind = steps[out[0] - 1], steps[out[0]], int(kinds[out[0]])
    while abs(outside - inside) > tolerance:
        middle = np.linspace(inside, outside, 18)
        margins, kinds = judge(middle[:, None])
        # Ends are known; rounding may not turn them round.
        k = int(np.flatnonzero(np.append(margins[1:-1] < 0, True))[0]) + 1
        inside, outside, kind = middle[k - 1], middle[k], int(kinds[k])
    return float(inside), kind


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


def coordinate_range(robot: Robot, k: int, pose: Array) -> tuple[float, float]:
    """Between which values coordinate k is looked at, about a position with rotations by angles."""
    coordinate, start = robot.mechanism.coordinates[k], float(pose[k])
    if coordinate.pose in POSE[3:]:
        far = TURNS[POSE.index(coordinate.pose) - 3]
        return start - far, start + far
    if coordinate.pose is not None:
        low, high = _reach(robot, coordinate, pose)
    else:
        limits = {each.name: each.limits.position for each in robot.elements}
        bounds = limits.get(coordinate.of)
        if bounds is None and robot.coordinates.by_angles.units[k] == "rad":
            return -np.pi, np.pi
        low, high = bounds or (-np.inf, np.inf)
    return looked_at(robot, low, high)


def looked_at(robot: Robot, low: float, high: float) -> tuple[float, float]:
    """A little more, unevenly: planes of symmetry, often singular ones, are then none of a lattice."""
    if not np.isfinite([low, high]).all():
        raise InputError(
            f"{robot.name} slides without limits, so its workspace is unbounded; add limits: {{position:"
            " [lowest, highest]} to its P joints and cylinders, {length: [shortest, longest]} to"
            " leg_defaults of a platform."
        )
    if low >= high:
        raise InputError(
            f"{robot.name} cannot take this orientation: no position is in reach of all legs."
        )
    return low - 0.0113 * (high - low), high + 0.0067 * (high - low)


def _reach(robot: Robot, coordinate: Coordinate, pose: Array) -> tuple[float, float]:
    part, k = robot.mechanism.part(coordinate.of), POSE.index(coordinate.pose or "")
    low, high = reach_bound(robot.mechanism, part.name, part.frame.p, coordinate.relative_to)
    if coordinate.relative_to in robot.bodies:
        origin = robot.mechanism.part(coordinate.relative_to).frame
        # The box of a frame that is turned holds the box: half of its diagonal about its middle.
        middle, half = origin.R.T @ ((low + high) / 2 - origin.p), np.linalg.norm(high - low) / 2
        low, high = middle - half, middle + half
    if robot.coordinates.is_pose:  # what stands on the base and holds it, turned as it is
        moved = rotation_rpy(*pose[3:]) @ part.frame.R.T
        for each in robot.mechanism.cylinders:
            if each.joins == (BASE, part.name) and each.limits.position is not None:
                middle = each.start - moved @ (each.end - part.frame.p)
                longest = each.length + each.limits.position[1]
                low, high = np.maximum(low, middle - longest), np.minimum(high, middle + longest)
    return float(low[k]), float(high[k])
