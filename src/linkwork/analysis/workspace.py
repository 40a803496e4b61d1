"""How far robots go: excursions, slices and volumes, and what ends them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from linkwork.analysis.conditioning import condition_number
from linkwork.analysis.region import Indices, Region, find_region, first_exit
from linkwork.analysis.workspace_limits import conditions_of, coordinate_range
from linkwork.checks import not_negative, numbers, positive
from linkwork.errors import InputError
from linkwork.interface.mechanism_names import only_body
from linkwork.interface.modes import modes_of
from linkwork.interface.results import Margins, ParallelMargins
from linkwork.interface.robot import Array, Robot
from linkwork.robots.mechanism_elements import tool_frame

AXES = ("x", "y", "z", "roll", "pitch", "yaw")
NAMES = ("surge", "sway", "heave", "roll", "pitch", "yaw")  # as data sheets of platforms have them
# What ends a workspace, by the field of the margins that tells it.
LIMITS = {
    "length": "leg length",
    "universal_angle": "universal angle",
    "spherical_angle": "spherical angle",
    "force": "force",
    "singularity": "singularity",
    "legs": "legs touch",
    "reach": "reach",
    "joints": "joint limit",
    "effort": "effort",
    "serial": "serial singularity",
    "parallel": "parallel singularity",
    "constraint": "constraint singularity",
}
KINDS = tuple(LIMITS.values())  # one list, so that a number means the same everywhere
FINE = {1: 20_000, 2: 2000, 3: 200}  # cells along the longest edge of a box, unless a tolerance is given
GRID = 121  # points of a map in each direction
PARTS = 100_000  # poses judged at once
SAMPLES = 20_000  # positions that tell where the tool goes


@dataclass(frozen=True)
class Excursion:
    """How far one coordinate can go with the others at home, and what ends it ("" if nothing)."""

    axis: str
    lowest: float
    lowest_limit: str
    highest: float
    highest_limit: str
    unit: str


@dataclass(frozen=True, eq=False)
class Map:
    """Numbers over a slice, on a grid (n, m); NaN outside the workspace."""

    first: Array
    second: Array
    holding_force: Array  # [N], or [N m] where motors turn
    condition: Array
    kind: Indices  # of the limit that is broken; -1 inside
    frequency: Array | None = None  # lowest natural frequency [Hz], if the legs have a stiffness
    stiffness: Array | None = None  # of the softest translation [N/m]


@dataclass(frozen=True, eq=False)
class Slice:
    """The workspace in two coordinates, with their values where the others are as they are."""

    axes: tuple[str, str]
    units: tuple[str, str]
    at: tuple[float, float]
    region: Region
    map: Map


@dataclass(frozen=True, eq=False)
class Workspace:
    """What a robot reaches under its limits, from home's side of the singularities.

    In its own coordinates, rotations by angles. Slices and volume hold every pose that keeps the limits,
    whether or not a way leads there.
    """

    robot: Robot
    clearance: float
    tolerance: float | None
    pose: Array  # (d,), rotations by angles: what the coordinates are that a slice does not move
    leg_diameter: float = 0.0

    @cached_property
    def axes(self) -> tuple[str, ...]:
        """Names of the coordinates."""
        return self.robot.coordinates.by_angles.names

    @cached_property
    def units(self) -> tuple[str, ...]:
        """Of the coordinates: m or rad."""
        return self.robot.coordinates.by_angles.units

    @cached_property
    def kinds(self) -> tuple[str, ...]:
        """The limits behind the margins, in their order, some of KINDS."""
        return tuple(LIMITS[field] for field in self.margins(self.pose[None])._fields if field in LIMITS)

    @property
    def conditions(self) -> tuple[str, ...]:
        """What a pose must keep to belong to the workspace."""
        return conditions_of(self.robot, self.kinds, self.clearance, self.leg_diameter)

    def margins(self, poses: Array) -> Margins | ParallelMargins:
        """Of poses (N, d), NaN where a pose is singular."""
        wide = {"leg_diameter": self.leg_diameter} if self.leg_diameter else {}
        return self.robot.margins(poses, clearance=self.clearance, errors="nan", **wide)

    @cached_property
    def tool_box(self) -> tuple[Array, Array] | None:
        """Between which places (3,) the tool was found at random positions within the limits; None if
        the coordinates are those of its body."""
        if only_body(self.robot.mechanism) == tool_frame(self.robot.mechanism)[0]:
            return None
        low, high = np.array([(one.lowest, one.highest) for one in self.excursions]).T
        c = np.random.default_rng(0).uniform(low, high, (SAMPLES, len(self.axes)))
        c = np.concatenate([self.pose[None], c[self.margins(c).least >= 0]])
        places = self.robot.body_pose(c)[:, :3]
        return places.min(axis=0), places.max(axis=0)

    def _stiffness(self, poses: Array) -> tuple[Array, Array] | None:
        """Stiffness and mass matrices of poses; None if the robot's file tells no stiffness."""
        driven = [each.stiffness for each in self.robot.elements if each.motor]
        if self.robot.stiffness_field is None or None in driven:
            return None
        robot: Any = self.robot  # one that has a `stiffness_field`
        return robot.stiffness(poses), robot.mass_matrix(poses)

    @property
    def space(self) -> tuple[str, ...]:
        """The coordinates that are lengths."""
        return tuple(axis for axis, unit in zip(self.axes, self.units, strict=True) if unit == "m")

    @property
    def turns(self) -> tuple[str, ...]:
        """The coordinates that are angles."""
        return tuple(axis for axis, unit in zip(self.axes, self.units, strict=True) if unit == "rad")

    @property
    def main_axes(self) -> tuple[str, ...]:
        """The first three lengths, or angles if there are no lengths: a region has no more."""
        return (self.space or self.turns)[:3]

    @property
    def main(self) -> Region:
        """Where they may be, the others as they are at `pose`."""
        return self.volume if self.space else self.orientations

    def judge(self, axes: Sequence[str]) -> Callable[[Array], tuple[Array, Indices]]:
        """Margins of poses that differ from `pose` in these coordinates only."""
        columns = [self.axes.index(axis) for axis in axes]

        def judged(points: Array) -> tuple[Array, Indices]:
            least, kinds = [], []
            for start in range(0, len(points), PARTS):
                part = points[start : start + PARTS]
                poses = np.tile(self.pose, (len(part), 1))
                poses[:, columns] = part
                found = self.margins(poses)
                least.append(np.nan_to_num(found.least, nan=-1.0))
                kinds.append(self._kind(found))
            return np.concatenate(least), np.concatenate(kinds)

        return judged

    def _kind(self, found: Margins | ParallelMargins) -> Indices:
        """Places in KINDS."""
        places = np.array([KINDS.index(kind) for kind in self.kinds])
        # What has no margin is singular, or it would have one.
        lost = next(k for k in places if KINDS[k] in ("singularity", "parallel singularity"))
        return np.where(np.isnan(found.least), lost, places[found.kind])

    def _range(self, axis: str) -> tuple[float, float]:
        """Between which values a coordinate is looked at."""
        return coordinate_range(self.robot, self.axes.index(axis), self.pose)

    def start(self, axis: str) -> float:
        """Of a coordinate, at `pose`."""
        return float(self.pose[self.axes.index(axis)])

    def named(self, axis: str) -> str:
        """A coordinate as data sheets call it: surge, sway and heave where it is one of six."""
        return NAMES[AXES.index(axis)] if self.robot.coordinates.is_pose else axis

    def region(self, axes: Sequence[str]) -> Region:
        """Where one to three coordinates may be, the others as they are at `pose`."""
        low, high = np.array([self._range(axis) for axis in axes]).T
        return find_region(self.judge(axes), low, high, self._tolerance(axes, high - low))

    @cached_property
    def excursions(self) -> tuple[Excursion, ...]:
        """Of every coordinate alone, the table of a data sheet."""
        found = []
        least, broken = self.judge(self.axes)(np.array([[self.start(axis) for axis in self.axes]]))
        if least[0] < 0:
            raise InputError(
                f"{self.robot.name} cannot stand at this pose, from which excursions would begin: "
                f"{KINDS[int(broken[0])]}. Give another pose."
            )
        for axis in self.axes:
            start, far = self.start(axis), self._range(axis)
            tolerance = 1e-9 * max(1.0, far[1] - far[0])
            exits = [first_exit(self.judge([axis]), start, end, tolerance) for end in far]
            low, high = ((reached, "" if kind is None else KINDS[kind]) for reached, kind in exits)
            found.append(Excursion(axis, *low, *high, self._unit(axis)))
        return tuple(found)

    @cached_property
    def volume(self) -> Region:
        """All values of the lengths [m], three at most, with the angles of `pose`."""
        return self.region(self.space[:3])

    @cached_property
    def orientations(self) -> Region:
        """All values of the angles [rad], three at most, with the lengths of `pose`."""
        return self.region(self.turns[:3])

    def slice(self, first: str, second: str) -> Slice:
        """The workspace in two coordinates."""
        axes = (first, second)
        region = self.region(axes)
        found_low, found_high = region.extent
        if np.isnan(found_low).any():
            found_low, found_high = region.low, region.high
        margin = 0.08 * (found_high - found_low)
        columns = [self.axes.index(axis) for axis in axes]
        found = self._map(columns, found_low - margin, found_high + margin)
        units, at = (self._unit(first), self._unit(second)), (self.start(first), self.start(second))
        return Slice(axes, units, at, region, found)

    def _unit(self, axis: str) -> str:
        return self.units[self.axes.index(axis)]

    def _map(self, columns: list[int], low: Array, high: Array) -> Map:
        first, second = (np.linspace(low[k], high[k], GRID) for k in (0, 1))
        poses = np.tile(self.pose, (GRID * GRID, 1))
        poses[:, columns] = np.stack(np.meshgrid(first, second, indexing="ij"), axis=-1).reshape(-1, 2)
        found = self.margins(poses)
        least = np.nan_to_num(found.least, nan=-1.0)
        kind = self._kind(found)
        inside = least >= 0

        def shown(values: Array) -> Array:
            return np.where(inside, values, np.nan).reshape(GRID, GRID)

        kinds = np.where(inside, -1, kind).reshape(GRID, GRID)
        stiff: list[Any] = [None, None]
        if (matrices := self._stiffness(poses[inside])) is not None:
            K, M = matrices
            stiff = [np.full(len(poses), np.nan) for _ in range(2)]
            stiff[0][inside] = modes_of(K, M).frequencies[:, 0]
            stiff[1][inside] = np.linalg.eigvalsh((K + np.swapaxes(K, 1, 2))[:, :3, :3] / 2)[:, 0]
            stiff = [values.reshape(GRID, GRID) for values in stiff]
        condition = condition_number(self.robot, poses)
        return Map(first, second, shown(found.holding_force), shown(condition), kinds, *stiff)

    def _tolerance(self, axes: Sequence[str], size: Array) -> Array:
        if self.tolerance is not None:
            return np.full(len(axes), self.tolerance)
        mixed = {*axes} & {*self.space} and {*axes} & {*self.turns}
        return (size if mixed else np.full(len(axes), size.max())) / FINE[len(axes)]


def workspace(
    robot: Robot,
    pose: ArrayLike | None = None,
    *,
    clearance: float = 0.0,
    leg_diameter: float = 0.0,
    tolerance: float | None = None,
) -> Workspace:
    """How far a robot reaches under all limits of its file, in its coordinates.

    The places that the tip of an arm reaches are those of `arm_workspace`.

    Args:
        pose: a position, rotations by angles or quaternions: what the coordinates are that slices and
            volumes do not move; home if None.
        clearance: from singularities, see `Robot.margins` and `Platform.margins`.
        leg_diameter: [m] at which legs of a platform that pass each other touch; 0 does not ask.
        tolerance: [m] or [rad], greatest edge of the cells that hold the boundary.
    """
    Robot.expect(robot, "workspace")
    not_negative(clearance, "clearance", "")
    if not_negative(leg_diameter, "leg_diameter", "m"):
        robot.margins(robot.home, leg_diameter=leg_diameter)
    if tolerance is not None:
        positive(tolerance, "tolerance", "m or rad")
    coordinates, freedoms = robot.coordinates, len(robot.velocities)
    start = np.asarray(robot.home) if pose is None else numbers(pose, "pose")
    if start.shape not in ((len(coordinates),), (freedoms,)):
        names = ", ".join(coordinates.by_angles.names)
        raise InputError(f"pose has shape {start.shape}; coordinates of {robot.name} are {names}.")
    if len(start) != freedoms:
        start = coordinates.to_angles(coordinates.normalised(start))
    return Workspace(robot, clearance, tolerance, start, leg_diameter)
