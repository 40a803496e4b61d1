"""How far a platform can go: excursions from home, slices and volumes, and which limit ends them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from linkwork.analysis.region import Indices, Region, find_region, first_exit
from linkwork.checks import not_negative, numbers, positive
from linkwork.errors import InputError
from linkwork.interface.kinds import of_kind
from linkwork.interface.modes import modes_of
from linkwork.interface.platform import Platform
from linkwork.interface.results import Margins
from linkwork.interface.robot import Array
from linkwork.rotations import rotation_rpy, to_angles, with_quaternion

AXES = ("x", "y", "z", "roll", "pitch", "yaw")
NAMES = ("surge", "sway", "heave", "roll", "pitch", "yaw")
KINDS = ("leg length", "universal angle", "spherical angle", "force", "singularity", "legs touch")
TURNS = (np.pi / 2, np.pi / 2, np.pi)  # how far roll, pitch and yaw are followed
FINE = {2: 2000, 3: 200}  # cells along the longest edge of a box, unless a tolerance is given
GRID = 121  # points of a map in each direction
PARTS = 100_000  # poses judged at once


@dataclass(frozen=True)
class Excursion:
    """How far one coordinate can go with the others at home, and what ends it ("" if nothing)."""

    axis: str
    lowest: float
    lowest_limit: str
    highest: float
    highest_limit: str

    @property
    def unit(self) -> str:
        return "m" if self.axis in AXES[:3] else "rad"


@dataclass(frozen=True, eq=False)
class Map:
    """Numbers over a slice, on a grid (n, m); NaN outside the workspace."""

    first: Array
    second: Array
    holding_force: Array
    condition: Array
    kind: Indices  # of the limit that is broken; -1 inside
    frequency: Array | None = None  # lowest natural frequency [Hz], if the legs have a stiffness
    stiffness: Array | None = None  # of the softest translation [N/m]


@dataclass(frozen=True, eq=False)
class Slice:
    """The workspace in two coordinates, the others as they are at `pose` (6,)."""

    axes: tuple[str, str]
    pose: Array
    region: Region
    map: Map


@dataclass(frozen=True, eq=False)
class Workspace:
    """What a platform reaches under its limits, from home's side of the singularities.

    Slices and volume hold every pose that keeps the limits, whether or not a way leads there.
    """

    robot: Platform
    clearance: float
    leg_diameter: float
    tolerance: float | None
    pose: Array  # (6,): the orientation of slices in space, the position of slices of orientations

    def judge(self, axes: Sequence[str]) -> Callable[[Array], tuple[Array, Indices]]:
        """Margins of poses that differ from `pose` in these coordinates only."""
        columns = [AXES.index(axis) for axis in axes]

        def judged(points: Array) -> tuple[Array, Indices]:
            least, kinds = [], []
            for start in range(0, len(points), PARTS):
                part = points[start : start + PARTS]
                poses = np.tile(self.pose, (len(part), 1))
                poses[:, columns] = part
                found = self.margins(poses)
                least.append(np.nan_to_num(found.least, nan=-1.0))
                kinds.append(np.where(np.isnan(found.least), KINDS.index("singularity"), found.kind))
            return np.concatenate(least), np.concatenate(kinds)

        return judged

    def margins(self, poses: Array) -> Margins:
        """Of poses (N, 6), NaN where a pose is singular."""
        return self.robot.margins(
            poses, clearance=self.clearance, leg_diameter=self.leg_diameter, errors="nan"
        )

    @cached_property
    def excursions(self) -> tuple[Excursion, ...]:
        """Of every coordinate alone, the table of a data sheet."""
        low, high = self._box
        found = []
        least, broken = self.judge(AXES)(self.pose[None])
        if least[0] < 0:
            raise InputError(
                f"{self.robot.name} cannot stand at this pose, from which excursions would begin: "
                f"{KINDS[int(broken[0])]}. Give another pose."
            )
        for k, axis in enumerate(AXES):
            half = TURNS[k - 3]
            far = (low[k], high[k]) if k < 3 else (self.pose[k] - half, self.pose[k] + half)
            tolerance = 1e-9 * max(1.0, float(np.abs(high - low).max()))
            ends: list[float | str] = []
            for end in far:
                reached, kind = first_exit(self.judge([axis]), self.pose[k], end, tolerance)
                ends += [reached, "" if kind is None else KINDS[kind]]
            found.append(Excursion(axis, *ends))  # type: ignore[arg-type]
        return tuple(found)

    @cached_property
    def volume(self) -> Region:
        """All positions [m] with the orientation of `pose`."""
        low, high = self._box
        return find_region(self.judge(AXES[:3]), low, high, self._tolerance(low, high, 3))

    @cached_property
    def orientations(self) -> Region:
        """All orientations (roll, pitch, yaw [rad]) at the position of `pose`."""
        centre, half = self.pose[3:], np.array(TURNS)
        low, high = centre - half, centre + half
        return find_region(self.judge(AXES[3:]), low, high, self._tolerance(low, high, 3))

    def slice(self, first: str, second: str) -> Slice:
        """The workspace in two coordinates."""
        axes = (first, second)
        columns = [AXES.index(axis) for axis in axes]
        low_box, high_box = self._box
        half = np.array([0.0, 0.0, 0.0, *TURNS])
        low = np.where(np.arange(6) < 3, np.append(low_box, [0, 0, 0]), self.pose - half)[columns]
        high = np.where(np.arange(6) < 3, np.append(high_box, [0, 0, 0]), self.pose + half)[columns]
        judge = self.judge(axes)
        region = find_region(judge, low, high, self._tolerance(low, high, 2))
        found_low, found_high = region.extent
        if np.isnan(found_low).any():
            found_low, found_high = low, high
        margin = 0.08 * (found_high - found_low)
        return Slice(
            axes, self.pose, region, self._map(columns, found_low - margin, found_high + margin)
        )

    def _map(self, columns: list[int], low: Array, high: Array) -> Map:
        first, second = (np.linspace(low[k], high[k], GRID) for k in (0, 1))
        poses = np.tile(self.pose, (GRID * GRID, 1))
        poses[:, columns] = np.stack(np.meshgrid(first, second, indexing="ij"), axis=-1).reshape(-1, 2)
        found = self.margins(poses)
        least = np.nan_to_num(found.least, nan=-1.0)
        kind = np.where(np.isnan(found.least), KINDS.index("singularity"), found.kind)
        inside = least >= 0

        def shown(values: Array) -> Array:
            return np.where(inside, values, np.nan).reshape(GRID, GRID)

        kinds = np.where(inside, -1, kind).reshape(GRID, GRID)
        stiff: list[Any] = [None, None]
        if all(leg.stiffness is not None for leg in self.robot.model.legs):
            K = self.robot.stiffness(poses[inside])
            M = self.robot.mass_matrix(poses[inside])
            stiff = [np.full(len(poses), np.nan) for _ in range(2)]
            stiff[0][inside] = modes_of(K, M).frequencies[:, 0]
            stiff[1][inside] = np.linalg.eigvalsh((K + np.swapaxes(K, 1, 2))[:, :3, :3] / 2)[:, 0]
            stiff = [values.reshape(GRID, GRID) for values in stiff]
        return Map(first, second, shown(found.holding_force), shown(found.condition), kinds, *stiff)

    def _tolerance(self, low: Array, high: Array, d: int) -> Array:
        if self.tolerance is not None:
            return np.full(d, self.tolerance)
        return np.full(d, float((high - low).max()) / FINE[d])

    @cached_property
    def _box(self) -> tuple[Array, Array]:
        """A box of positions that holds all within reach of the longest legs, at this orientation."""
        longest = self.robot.limits.position[:, 1]
        if not np.isfinite(longest).any():
            raise InputError(
                f"{self.robot.name} has no leg limits, so its workspace has no end; add limits: "
                "{length: [shortest, longest]} to leg_defaults in its file."
            )
        base, platform = self.robot.model.points()
        middles = base - platform @ rotation_rpy(*self.pose[3:]).T
        low = np.max(middles - longest[:, None], axis=0)
        high = np.min(middles + longest[:, None], axis=0)
        if (low >= high).any():
            raise InputError(
                f"{self.robot.name} cannot take this orientation: no position is in reach of all legs."
            )
        # A little more, unevenly: planes of symmetry, often singular ones, are then none of the lattice.
        room = high - low
        return low - 0.0113 * room, high + 0.0067 * room


def workspace(
    robot: Platform,
    pose: ArrayLike | None = None,
    *,
    clearance: float = 0.0,
    leg_diameter: float = 0.0,
    tolerance: float | None = None,
) -> Workspace:
    """How far a platform reaches under all limits of its file.

    Args:
        pose: (6,) or (7,), whose orientation slices and volumes in space have, and whose position those
            of orientations; home if None.
        clearance: from singularities, see `Platform.margins`.
        leg_diameter: [m] at which legs that pass each other touch; 0 does not ask.
        tolerance: [m] or [rad], greatest edge of the cells that hold the boundary.
    """
    of_kind(robot, Platform, "workspace")
    not_negative(clearance, "clearance", "")
    not_negative(leg_diameter, "leg_diameter", "m")
    if tolerance is not None:
        positive(tolerance, "tolerance", "m or rad")
    given = robot.home if pose is None else numbers(pose, "pose")
    if given.shape not in ((6,), (7,)):
        raise InputError(f"pose has shape {given.shape}; allowed are (6,) and (7,).")
    quaternion = with_quaternion(given)
    angles = np.concatenate([quaternion[:3], to_angles(quaternion[3:])])
    return Workspace(robot, clearance, leg_diameter, tolerance, angles)
