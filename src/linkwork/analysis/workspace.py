"""How far robots go, in their coordinates or with their tips: excursions, slices, volumes, limits."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial import cKDTree

from linkwork.analysis.region import (
    Indices,
    Region,
    coordinate_range,
    find_region,
    first_exit,
    looked_at,
    reach_bound,
)
from linkwork.core.arguments import not_negative, numbers, one_of, positive, rows
from linkwork.core.checked import checked
from linkwork.core.errors import InputError
from linkwork.core.rotations import from_angles
from linkwork.core.text import number
from linkwork.model.mechanism import BASE, tool_frame
from linkwork.robot.arm import Arm
from linkwork.robot.compiled import CallOptions
from linkwork.robot.coordinates import only_body
from linkwork.robot.limits import Margins
from linkwork.robot.results import modes_of
from linkwork.robot.robot import Array, Robot

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
PARTS = 100_000  # poses judged at once
SAMPLES = 20_000  # positions that tell where the tool goes


# What is drawn over slices.
CONDITION, MANIPULABILITY, HOLDING = "condition number", "manipulability", "holding effort"
FREQUENCY, STIFFNESS = "lowest natural frequency [Hz]", "minimum translational stiffness [N/m]"
AROUND = 8  # points around one: where most of them are reached, it should be
THOROUGH = 24  # restarts for those that are not
NEIGHBORS = 3  # rounds in which points try what led to the nearest one that was reached
RESTARTS = 6  # of the inverse kinematics for a point that its first guess does not lead to
MOVES = 1e-9  # of the fastest direction of a tip: slower ones stand still
REACHED = 1e-8  # [m], [rad]


@dataclass(frozen=True)
class AxisRange:
    """How far one coordinate can go with the others at home, and what ends it ("" if nothing)."""

    axis: str
    lowest: float
    lowest_limit: str
    highest: float
    highest_limit: str
    unit: str


@dataclass(frozen=True, eq=False)
class Slice:
    """The workspace in two coordinates, with their values where the others are as they are.

    `maps` are numbers by name over a grid (n, m) of values `first` and `second`, NaN outside; `kind` is
    the place in KINDS of the limit that is broken there, -1 inside.
    """

    axes: tuple[str, str]
    units: tuple[str, str]
    at: tuple[float, float]
    region: Region
    first: Array
    second: Array
    kind: Indices
    maps: dict[str, Array]


@dataclass(frozen=True, eq=False)
class Reached(ABC):
    """What a robot reaches in `axes`: regions of one to three of them, the others as they are at `pose`.

    Regions hold every point that keeps the limits, whether or not a way leads there.
    """

    robot: Any  # a Robot; an Arm where a tip is meant
    axes: tuple[str, ...]
    units: tuple[str, ...]  # m or rad
    pose: Array
    tolerance: float | None
    cells: ClassVar[dict[int, int]]  # along the longest edge of a box, unless a tolerance is given
    grid: ClassVar[int]  # points of a map in each direction

    @property
    def middle(self) -> str:
        """What excursions count from, in words."""
        home = self.robot.coordinates.to_angles(self.robot.home)
        alike = self.pose.shape == home.shape and np.allclose(self.pose, home, rtol=0, atol=1e-12)
        return "home" if alike else "the given pose"

    @property
    def excursions(self) -> tuple[AxisRange, ...]:
        """How far every coordinate goes alone, where that means something."""
        return ()

    @property
    def tool_box(self) -> tuple[Array, Array] | None:
        """Between which places (3,) the tool was found, where the coordinates do not tell."""
        return None

    @property
    @abstractmethod
    def conditions(self) -> tuple[str, ...]:
        """What must be kept to belong to the workspace, in words."""

    @property
    @abstractmethod
    def main_axes(self) -> tuple[str, ...]:
        """Those that tell most of it, three at most."""

    @abstractmethod
    def judged(self, points: Array) -> tuple[Array, Indices]:
        """Margins of points (N, d), negative outside, and places in KINDS of what is nearest."""

    @abstractmethod
    def _range(self, axis: str) -> tuple[float, float]:
        """Between which values a coordinate is looked at."""

    @abstractmethod
    def _maps(self, points: Array, inside: NDArray[np.bool_]) -> dict[str, Array]:
        """What is worth knowing of points (N, d), by name."""

    @cached_property
    def main(self) -> Region:
        """Where the main coordinates may be."""
        return self._region(self.main_axes)

    @property
    def space(self) -> tuple[str, ...]:
        """The coordinates that are lengths."""
        return tuple(axis for axis in self.axes if self.unit(axis) == "m")

    @property
    def turns(self) -> tuple[str, ...]:
        """The coordinates that are angles."""
        return tuple(axis for axis in self.axes if self.unit(axis) == "rad")

    def unit(self, axis: str) -> str:
        """Of one coordinate."""
        return self.units[self.axes.index(one_of(axis, self.axes, "coordinate"))]

    def start(self, axis: str) -> float:
        """Of a coordinate, at `pose`."""
        return float(self.pose[self.axes.index(one_of(axis, self.axes, "coordinate"))])

    def named(self, axis: str) -> str:
        """A coordinate as data sheets call it: surge, sway and heave where it is one of six."""
        return NAMES[AXES.index(axis)] if self.axes == AXES else axis

    def judge(self, axes: Sequence[str]) -> Callable[[Array], tuple[Array, Indices]]:
        """Margins of points that differ from `pose` in these coordinates only."""

        def judged(points: Array) -> tuple[Array, Indices]:
            starts = range(0, len(points), PARTS)
            parts = [self.judged(self._filled(axes, points[k : k + PARTS])) for k in starts]
            least, kinds = zip(*parts, strict=True)
            return np.concatenate(least), np.concatenate(kinds)

        return judged

    def _filled(self, axes: Sequence[str], points: Array) -> Array:
        full = np.tile(self.pose, (len(points), 1))
        full[:, [self.axes.index(axis) for axis in axes]] = points
        return full

    def _region(self, axes: Sequence[str]) -> Region:
        low, high = np.array([self._range(axis) for axis in axes]).T
        size = high - low
        if self.tolerance is not None:
            finest = np.full(len(axes), self.tolerance)
        else:
            mixed = len({self.unit(axis) for axis in axes}) > 1
            finest = (size if mixed else np.full(len(axes), size.max())) / self.cells[len(axes)]
        return find_region(self.judge(axes), low, high, finest)

    def slice(self, first: str, second: str) -> Slice:
        """The workspace in two coordinates."""
        axes, shape = (first, second), (self.grid, self.grid)
        region = self._region(axes)
        low, high = region.extent
        if np.isnan(low).any():
            low, high = region.low, region.high
        edge = 0.08 * (high - low)
        x, y = (np.linspace(*ends, self.grid) for ends in zip(low - edge, high + edge, strict=True))
        points = self._filled(axes, np.stack(np.meshgrid(x, y, indexing="ij"), axis=-1).reshape(-1, 2))
        least, kinds = self.judged(points)
        inside = least >= 0
        maps = {
            name: np.where(inside, values, np.nan).reshape(shape)
            for name, values in self._maps(points, inside).items()
        }
        kind = np.where(inside, -1, kinds).reshape(shape)
        units, at = (self.unit(first), self.unit(second)), (self.start(first), self.start(second))
        return Slice(axes, units, at, region, x, y, kind, maps)


@dataclass(frozen=True, eq=False)
class Workspace(Reached):
    """What a robot reaches under its limits, from home's side of the singularities.

    In its own coordinates, rotations by angles.
    """

    clearance: float = 0.0
    leg_diameter: float = 0.0
    cells: ClassVar = {1: 20_000, 2: 2000, 3: 200}
    grid: ClassVar = 121

    @property
    def main_axes(self) -> tuple[str, ...]:
        """The first three lengths, or angles if there are no lengths: a region has no more."""
        return (self.space or self.turns)[:3]

    @cached_property
    def kinds(self) -> tuple[str, ...]:
        """The limits behind the margins, in their order, some of KINDS."""
        return tuple(LIMITS[field] for field in self.margins(self.pose).by_kind)

    @property
    def conditions(self) -> tuple[str, ...]:
        """What a pose must keep to belong to the workspace."""
        return conditions_of(self.robot, self.kinds, self.clearance, self.leg_diameter)

    def margins(self, poses: Array) -> Margins:
        """Of poses (N, d), NaN where a pose is singular."""
        wide = {"leg_diameter": self.leg_diameter} if self.leg_diameter else {}
        poses = numbers(poses, "poses")
        found: Margins = self.robot.margins(poses, clearance=self.clearance, errors="nan", **wide)
        return found

    def judged(self, points: Array) -> tuple[Array, Indices]:
        found = self.margins(points)
        places = np.array([KINDS.index(kind) for kind in self.kinds])
        # What has no margin is singular, or it would have one.
        lost = next(k for k in places if KINDS[k] in ("singularity", "parallel singularity"))
        kinds = np.where(np.isnan(found.least), lost, places[found.kind])
        return np.nan_to_num(found.least, nan=-1.0), kinds

    def _range(self, axis: str) -> tuple[float, float]:
        return coordinate_range(self.robot, self.axes.index(axis), self.pose)

    def region(self, axes: Sequence[str]) -> Region:
        """Where one to three coordinates may be, the others as they are at `pose`."""
        return self._region(axes)

    @property
    def volume(self) -> Region:
        """All values of the lengths [m], three at most, with the angles of `pose`."""
        if not self.space:
            raise InputError(f"no coordinate of {self.robot.name} is a length; take `orientations`.")
        return self.main

    @cached_property
    def orientations(self) -> Region:
        """All values of the angles [rad], three at most, with the lengths of `pose`."""
        return self._region(self.turns[:3])

    @cached_property
    def excursions(self) -> tuple[AxisRange, ...]:
        """Of every coordinate alone, the table of a data sheet."""
        found = []
        least, broken = self.judged(self.pose[None])
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
            found.append(AxisRange(axis, *low, *high, self.unit(axis)))
        return tuple(found)

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

    def _maps(self, points: Array, inside: NDArray[np.bool_]) -> dict[str, Array]:
        found = {
            CONDITION: self.robot.condition_number(points, errors="nan"),
            HOLDING: self.margins(points).holding_force,
        }
        driven = [each.stiffness for each in self.robot.elements if each.motor]
        if self.robot.stiffness_field is not None and None not in driven:
            K = self.robot.stiffness(points[inside])
            M = self.robot.mass_matrix(points[inside], rotors=False)  # motors are held
            softest = np.linalg.eigvalsh((K + np.swapaxes(K, 1, 2))[:, :3, :3] / 2)[:, 0]
            for name, values in ((FREQUENCY, modes_of(K, M).frequencies[:, 0]), (STIFFNESS, softest)):
                found[name] = np.full(len(points), np.nan)
                found[name][inside] = values
        return found


@dataclass(frozen=True, eq=False)
class ArmWorkspace(Reached):
    """Positions that the tip of an arm reaches within the limits of its joints.

    A point is inside if the inverse kinematics finds a solution; one that has a solution but is not
    found in several random starts counts as outside.
    """

    orientation: Array | None = None  # roll, pitch, yaw; None is any
    cells: ClassVar = {2: 256, 3: 48}
    grid: ClassVar = 91

    @property
    def arm(self) -> Arm:
        """The robot whose tip goes there."""
        arm: Arm = self.robot
        return arm

    @property
    def conditions(self) -> tuple[str, ...]:
        """What a place must keep to belong to the workspace."""
        turned = "any orientation of the tip" if self.orientation is None else "the orientation given"
        return ("positions of the joints, as far as the robot file bounds them", turned)

    @cached_property
    def main_axes(self) -> tuple[str, ...]:
        """Directions in which the tip moves: two of them for a planar arm."""
        return tuple(axis for axis, moves in zip(self.axes, self._mask, strict=False) if moves)

    @property
    def moving_axes(self) -> tuple[str, ...]:
        """The same."""
        return self.main_axes

    @property
    def region(self) -> Region:
        """All that the tip reaches: a volume [m^3], or an area [m^2] for a planar arm."""
        return self.main

    @cached_property
    def volume(self) -> Region:
        """All positions [m] of the tip."""
        return self._region(self.axes)

    @property
    def radius(self) -> float:
        """[m]: no point is reached that is farther from the first joint."""
        low, high = self._box
        looked_at(self.robot, low[0], high[0])
        return float(high[0] - low[0]) / 2

    def slice(self, first: str, second: str, at: ArrayLike | None = None) -> Slice:
        """The reach in a plane; the third coordinate is that of `at`, of the tip at home if None."""
        if at is None:
            return super().slice(first, second)
        place = numbers(at, "at")
        if place.shape != (3,):
            raise InputError(f"at has shape {place.shape}; expected (3,).")
        return replace(self, pose=place).slice(first, second)

    def judged(self, points: Array) -> tuple[Array, Indices]:
        """1 for points (N, 3) within reach, -1 for others."""
        reached, _ = self.solve(points)
        return np.where(reached, 1.0, -1.0), np.full(len(points), KINDS.index("reach"))

    def solve(self, points: Array) -> tuple[Array, Array]:
        """Whether points (N, 3) are within reach, and joint positions (N, n) that lead there."""
        arm, (low, high) = self.arm, self._box
        points = rows(points, "points", 3)
        found = np.tile(arm.home, (len(points), 1))
        near = np.linalg.norm(points - (low + high) / 2, axis=1) <= self.radius
        reached = np.zeros(len(points), dtype=bool)
        if near.any():
            angles = np.zeros(3) if self.orientation is None else self.orientation
            poses = np.empty((len(points), 7))
            poses[:, :3], poses[:, 3:] = points, from_angles(angles)
            options: CallOptions = {"mask": self._mask, "tolerance": REACHED}
            solved = arm.inverse_kinematics(poses[near], restarts=RESTARTS, **options)
            reached[near], found[near] = solved.converged, solved.q
            for _ in range(NEIGHBORS):
                if not reached.any() or not (open_points := near & ~reached).any():
                    break
                _, which = cKDTree(points[reached]).query(points[open_points])
                guess = found[reached][which]
                solved = arm.inverse_kinematics(poses[open_points], guess, restarts=1, **options)
                reached[open_points], found[open_points] = solved.converged, solved.q
            self._fill(poses, near, reached, found, options)
        return reached, found

    def _fill(
        self, poses: Array, near: NDArray[np.bool_], reached: NDArray[np.bool_], found: Array,
        options: CallOptions,
    ) -> None:  # fmt: skip
        """Solve again where most points around are reached: there a hole is seldom one."""
        if near.sum() <= AROUND or not (near & ~reached).any():
            return
        places = np.flatnonzero(near)
        tree = cKDTree(poses[places, :3])
        for _ in range(NEIGHBORS):
            open_points = np.flatnonzero(near & ~reached)
            if not len(open_points):
                return
            _, which = tree.query(poses[open_points, :3], AROUND + 1)
            around = places[which[:, 1:]]
            holes = reached[around].sum(axis=1) > AROUND / 2
            if not holes.any():
                return
            rows, around = open_points[holes], around[holes]
            before = reached.sum()
            for k in range(AROUND):
                solved = self.arm.inverse_kinematics(
                    poses[rows], found[around[:, k]], restarts=THOROUGH if k == 0 else 0, **options
                )
                better = solved.converged & ~reached[rows]
                found[rows[better]], reached[rows[better]] = solved.q[better], True
            if reached.sum() == before:
                return

    def _range(self, axis: str) -> tuple[float, float]:
        low, high = (float(end[self.axes.index(axis)]) for end in self._box)
        return looked_at(self.robot, low, high)

    def _maps(self, points: Array, inside: NDArray[np.bool_]) -> dict[str, Array]:
        found = self.arm.manipulability(self.solve(points)[1])
        if self.orientation is not None:
            return {MANIPULABILITY: found.measure}
        radii = found.linear_radii  # semi-axes of the ellipsoid in which the tip moves, some flat
        return {MANIPULABILITY: np.where(radii > MOVES * radii.max(), radii, 1.0).prod(axis=-1)}

    @cached_property
    def _mask(self) -> list[bool]:
        """Directions that count: those in which the arm can move its tip, near home or a little off."""
        if self.orientation is not None:
            return [True] * 6
        q = self.arm.home + np.linspace(0.1, 0.3, self.arm.n)
        linear = np.abs(self.arm.jacobian(q)[:3]).max(axis=1)
        return [*(linear > MOVES * linear.max()).tolist(), False, False, False]

    @cached_property
    def _box(self) -> tuple[Array, Array]:
        """About the first joint, as far as all links reach in a line."""
        model = self.arm.mechanism
        tip = self.arm.forward_kinematics(np.zeros(self.arm.n))[:3, 3]
        return reach_bound(model, model.parts[-1].name, tip, BASE)


def conditions_of(
    robot: Robot, kinds: Sequence[str], clearance: float, leg_diameter: float
) -> tuple[str, ...]:
    """What a pose must keep, in words, by the kinds of limits that are asked."""
    limits, clear = robot.limits, number(clearance)
    bounded, strong = np.isfinite(limits.position).any(), np.isfinite(limits.effort).any()
    asked = {
        "reach": "all loops closed on their home branches",
        "leg length": "leg lengths" if bounded else "",
        "joint limit": "positions of the joints, as far as the robot file bounds them",
        "force": "forces that hold the pose at rest" if strong else "",
        "effort": "efforts that hold the pose at rest" if strong else "",
        "universal angle": "angles of the joints, as far as the robot file bounds them",
        "singularity": f"a least singular value of the Jacobian above {clear}, on home's side of every"
        " singularity",
        "parallel singularity": f"a reciprocal condition number of Jx above {clear} and levers of the"
        f" actuators above {clear} of those at home, on home's side of every singularity",
        "legs touch": f"legs of {number(1e3 * leg_diameter)} mm do not touch" if leg_diameter else "",
    }
    return tuple(words for kind, words in asked.items() if kind in kinds and words)


@checked
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
    by_angles = coordinates.by_angles
    if start.shape not in ((len(coordinates),), (freedoms,)):
        names = ", ".join(by_angles.names)
        raise InputError(f"pose has shape {start.shape}; coordinates of {robot.name} are {names}.")
    if len(start) != freedoms:
        start = coordinates.to_angles(coordinates.normalized(start))
    axes = (by_angles.names, by_angles.units)
    return Workspace(robot, *axes, start, tolerance, clearance, leg_diameter)


@checked
def arm_workspace(
    arm: Arm, orientation: ArrayLike | None = None, *, tolerance: float | None = None
) -> ArmWorkspace:
    """Where the tip of an arm can go.

    Args:
        orientation: roll, pitch, yaw [rad] that the tip must have; None is any.
        tolerance: [m], greatest edge of the cells that hold the boundary.
    """
    Arm.expect(arm, "arm_workspace")
    if tolerance is not None:
        positive(tolerance, "tolerance", "m")
    angles = None if orientation is None else numbers(orientation, "orientation")
    if angles is not None and angles.shape != (3,):
        raise InputError(f"orientation has shape {angles.shape}; expected roll, pitch, yaw.")
    tip = arm.forward_kinematics(arm.home)[:3, 3]
    return ArmWorkspace(arm, AXES[:3], ("m",) * 3, tip, tolerance, angles)


def workspace_of(
    robot: Robot,
    tolerance: float | None = None,
    *,
    pose: ArrayLike | None = None,
    orientation: ArrayLike | None = None,
    clearance: float = 0.0,
    leg_diameter: float = 0.0,
) -> Reached:
    """That of the tip where inverse kinematics takes its poses, as that of a chain does, else that of
    the coordinates; with the options of `arm_workspace` and of `workspace`."""
    if "link_frames" in robot.kernel_methods:
        if pose is not None or clearance or leg_diameter:
            raise InputError(
                f"{robot.name}: its tip's workspace takes no pose, clearance or leg diameter; give the"
                " orientation."
            )
        return arm_workspace(Arm.expect(robot, "workspace"), orientation, tolerance=tolerance)
    if orientation is not None:
        raise InputError(f"{robot.name} takes no orientation of a tip; give a pose, all coordinates.")
    wide = {"clearance": clearance, "leg_diameter": leg_diameter}
    return workspace(robot, pose, **wide, tolerance=tolerance)
