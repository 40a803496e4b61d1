"""How far platforms and mechanisms go: excursions, slices and volumes, and what ends them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, singledispatch
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from linkwork.analysis.region import Indices, Region, find_region, first_exit
from linkwork.checks import not_negative, numbers, positive
from linkwork.errors import InputError
from linkwork.interface.modes import modes_of
from linkwork.interface.platform import Platform
from linkwork.interface.robot import Array, Mechanism
from linkwork.rotations import to_angles, with_quaternion

AXES = ("x", "y", "z", "roll", "pitch", "yaw")
OF_PLATFORMS = (
    "leg length",
    "universal angle",
    "spherical angle",
    "force",
    "singularity",
    "legs touch",
)
OF_MECHANISMS = (
    "reach",
    "joint limit",
    "effort",
    "serial singularity",
    "parallel singularity",
    "constraint singularity",
)
KINDS = OF_PLATFORMS + OF_MECHANISMS  # one list, so that a number means the same everywhere
TURNS = (np.pi / 2, np.pi / 2, np.pi)  # how far roll, pitch and yaw are followed
FINE = {1: 20_000, 2: 2000, 3: 200}  # cells along the longest edge of a box, unless a tolerance is given
GRID = 121  # points of a map in each direction
PARTS = 100_000  # poses judged at once
NO_DIAMETER = "leg_diameter is of Stewart platforms: what other mechanisms are as thick as is not known."


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


class Judged(Protocol):
    """Margins of poses (N,): the least, which one that is, holding effort and condition number."""

    @property
    def least(self) -> Array: ...

    @property
    def kind(self) -> Array: ...

    @property
    def holding_force(self) -> Array: ...

    @property
    def condition(self) -> Array: ...


@dataclass(frozen=True, eq=False)
class Workspace(ABC):
    """What a robot reaches under its limits, from home's side of the singularities.

    Slices and volume hold every pose that keeps the limits, whether or not a way leads there.
    """

    robot: Any
    clearance: float
    tolerance: float | None
    pose: Array  # (d,), rotations by angles: what the coordinates are that a slice does not move

    @property
    @abstractmethod
    def axes(self) -> tuple[str, ...]:
        """Names of the coordinates."""

    @property
    @abstractmethod
    def units(self) -> tuple[str, ...]:
        """Of the coordinates: m or rad."""

    @property
    @abstractmethod
    def kinds(self) -> tuple[str, ...]:
        """The limits behind the margins, in their order, some of KINDS."""

    @property
    @abstractmethod
    def conditions(self) -> tuple[str, ...]:
        """What a pose must keep to belong to the workspace."""

    @abstractmethod
    def margins(self, poses: Array) -> Judged:
        """Of poses (N, d)."""

    @abstractmethod
    def _range(self, axis: str) -> tuple[float, float]:
        """Between which values a coordinate is looked at."""

    @property
    def tool_box(self) -> tuple[Array, Array] | None:
        """Between which places (3,) the tool goes, where that is more than its coordinates tell."""
        return None

    def _stiffness(self, poses: Array) -> tuple[Array, Array] | None:
        """Stiffness and mass matrices of poses; None if the robot's file tells no stiffness."""
        return None

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

    def _kind(self, found: Judged) -> Indices:
        """Places in KINDS."""
        places = np.array([KINDS.index(kind) for kind in self.kinds])
        return np.where(np.isnan(found.least), KINDS.index("singularity"), places[found.kind])

    def start(self, axis: str) -> float:
        """Of a coordinate, at `pose`."""
        return float(self.pose[self.axes.index(axis)])

    def named(self, axis: str) -> str:
        """A coordinate as data sheets of such robots call it."""
        return axis

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
        return Map(first, second, shown(found.holding_force), shown(found.condition), kinds, *stiff)

    def _tolerance(self, axes: Sequence[str], size: Array) -> Array:
        if self.tolerance is not None:
            return np.full(len(axes), self.tolerance)
        mixed = {*axes} & {*self.space} and {*axes} & {*self.turns}
        return (size if mixed else np.full(len(axes), size.max())) / FINE[len(axes)]


def workspace(
    robot: Platform | Mechanism,
    pose: ArrayLike | None = None,
    *,
    clearance: float = 0.0,
    leg_diameter: float = 0.0,
    tolerance: float | None = None,
) -> Workspace:
    """How far a platform or a mechanism reaches under all limits of its file.

    Args:
        pose: (6,) or (7,) of a platform, the coordinates of a mechanism: what the coordinates are that
            slices and volumes do not move; home if None.
        clearance: from singularities, see `Platform.margins` and `Mechanism.margins`.
        leg_diameter: [m] at which legs of a platform that pass each other touch; 0 does not ask.
        tolerance: [m] or [rad], greatest edge of the cells that hold the boundary.
    """
    not_negative(clearance, "clearance", "")
    not_negative(leg_diameter, "leg_diameter", "m")
    if tolerance is not None:
        positive(tolerance, "tolerance", "m or rad")
    given = None if pose is None else numbers(pose, "pose")
    return _workspace_of(robot, given, clearance, tolerance, leg_diameter)


@singledispatch
def _workspace_of(
    robot: object, pose: Array | None, clearance: float, tolerance: float | None, leg_diameter: float
) -> Workspace:
    raise InputError(
        f"{robot!r} is no Stewart platform and no mechanism, as workspace takes; arm_workspace is for"
        " arms. lw.load returns every kind."
    )


@_workspace_of.register
def _(
    robot: Platform, pose: Array | None, clearance: float, tolerance: float | None, leg_diameter: float
) -> Workspace:
    from linkwork.analysis.platform_workspace import PlatformWorkspace

    angles = pose_angles(robot.home if pose is None else pose)
    return PlatformWorkspace(robot, clearance, tolerance, angles, leg_diameter)


@_workspace_of.register
def _(
    robot: Mechanism, pose: Array | None, clearance: float, tolerance: float | None, leg_diameter: float
) -> Workspace:
    from linkwork.analysis.mechanism_workspace import MechanismWorkspace

    if leg_diameter:
        raise InputError(NO_DIAMETER)
    return MechanismWorkspace.at(robot, pose, clearance, tolerance)


def pose_angles(pose: Array) -> Array:
    """x y z roll pitch yaw of a pose (6,) or (7,)."""
    if pose.shape not in ((6,), (7,)):
        raise InputError(f"pose has shape {pose.shape}; allowed are (6,) and (7,).")
    quaternion = with_quaternion(pose)
    return np.concatenate([quaternion[:3], to_angles(quaternion[3:])])
