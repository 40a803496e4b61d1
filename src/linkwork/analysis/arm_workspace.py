"""Where the tip of an arm can go: with any orientation, or with a given one."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial import cKDTree

from linkwork.analysis.region import Indices, Region, find_region
from linkwork.checks import numbers, positive
from linkwork.errors import InputError
from linkwork.interface.arm import Arm
from linkwork.interface.robot import Array
from linkwork.rotations import from_angles

AXES = ("x", "y", "z")
CELLS = {2: 256, 3: 48}  # along the longest edge of a box, unless a tolerance is given
GRID = 61
NEIGHBOURS = 3  # rounds in which points try what led to the nearest one that was reached
RESTARTS = 6  # of the inverse kinematics for a point that its first guess does not lead to
MOVES = 1e-9  # of the fastest direction of a tip: slower ones stand still
TOLERANCE = 1e-8  # [m], [rad]: what counts as reached


@dataclass(frozen=True, eq=False)
class ArmSlice:
    """The reach of a tip in a plane of two coordinates, and its manipulability there on a grid."""

    axes: tuple[str, str]
    at: Array  # (3,): where the plane lies
    region: Region
    first: Array
    second: Array
    manipulability: Array  # (n, m); of positions alone if any orientation will do; NaN out of reach


@dataclass(frozen=True, eq=False)
class ArmWorkspace:
    """Positions that the tip of an arm reaches within the limits of its joints.

    A point is inside if the inverse kinematics finds a solution; one that has a solution but is not
    found in several random starts counts as outside.
    """

    arm: Arm
    orientation: Array | None  # roll, pitch, yaw; None is any
    tolerance: float | None = None

    def judge(self, points: Array) -> tuple[Array, Indices]:
        """1 for points (N, 3) within reach, -1 for others."""
        reached, _ = self.solve(points)
        return np.where(reached, 1.0, -1.0), np.zeros(len(points), dtype=np.int64)

    def solve(self, points: Array) -> tuple[Array, Array]:
        """Whether points (N, 3) are within reach, and joint positions (N, n) that lead there."""
        arm = self.arm
        found = np.tile(arm.home, (len(points), 1))
        near = np.linalg.norm(points - self._shoulder, axis=1) <= self.radius
        reached = np.zeros(len(points), dtype=bool)
        if near.any():
            angles = np.zeros(3) if self.orientation is None else self.orientation
            poses = np.empty((len(points), 7))
            poses[:, :3], poses[:, 3:] = points, from_angles(angles)
            options: dict[str, Any] = {"mask": self._mask, "tolerance": TOLERANCE}
            solved = arm.inverse_kinematics(poses[near], restarts=RESTARTS, **options)
            reached[near], found[near] = solved.converged, solved.q
            for _ in range(NEIGHBOURS):
                if not reached.any() or not (open_points := near & ~reached).any():
                    break
                _, which = cKDTree(points[reached]).query(points[open_points])
                guess = found[reached][which]
                solved = arm.inverse_kinematics(poses[open_points], guess, restarts=1, **options)
                reached[open_points], found[open_points] = solved.converged, solved.q
        return reached, found

    @property
    def moving_axes(self) -> tuple[str, ...]:
        """Directions in which the tip moves: two of them for a planar arm."""
        return tuple(axis for axis, moves in zip(AXES, self._mask, strict=False) if moves)

    @cached_property
    def region(self) -> Region:
        """All that the tip reaches: a volume [m^3], or an area [m^2] for a planar arm."""
        return self.volume if len(self.moving_axes) != 2 else self.slice(*self.moving_axes).region

    @cached_property
    def _mask(self) -> list[bool]:
        """Directions that count: those in which the arm can move its tip, near home or a little off."""
        if self.orientation is not None:
            return [True] * 6
        q = self.arm.home + np.linspace(0.1, 0.3, self.arm.n)
        linear = np.abs(self.arm.jacobian(q)[:3]).max(axis=1)
        return [*(linear > MOVES * linear.max()).tolist(), False, False, False]

    @cached_property
    def radius(self) -> float:
        """[m]: no point is reached that is farther from the first joint."""
        total = 0.0
        for k, joint in enumerate(self.arm.model.joints):
            total += float(np.linalg.norm(joint.after.p) + (k > 0) * np.linalg.norm(joint.before.p))
            if not joint.is_revolute:
                if joint.limits.position is None:
                    raise InputError(
                        f"{joint.name} of {self.arm.name} slides without limits, so its workspace "
                        "has no end; add limits: {position: [lowest, highest]} to its file."
                    )
                total += max(abs(joint.offset + end) for end in joint.limits.position)
        return total

    @cached_property
    def _shoulder(self) -> Array:
        """A point on the first joint's axis."""
        return np.array(self.arm.model.joints[0].before.p)

    @cached_property
    def volume(self) -> Region:
        """All positions [m] of the tip."""
        low, high = self._shoulder - self.radius, self._shoulder + self.radius
        return find_region(self.judge, low, high, self._tolerance(3))

    def slice(self, first: str, second: str, at: ArrayLike | None = None) -> ArmSlice:
        """The reach in a plane; the third coordinate is that of `at`, of the tip at home if None."""
        columns = [AXES.index(axis) for axis in (first, second)]
        place = self.arm.forward_kinematics(self.arm.home)[:3, 3] if at is None else numbers(at, "at")
        if place.shape != (3,):
            raise InputError(f"at has shape {place.shape}; allowed is (3,).")

        def in_plane(points: Array) -> Array:
            full = np.tile(place, (len(points), 1))
            full[:, columns] = points
            return full

        low, high = self._shoulder[columns] - self.radius, self._shoulder[columns] + self.radius
        region = find_region(lambda p: self.judge(in_plane(p)), low, high, self._tolerance(2))
        x, y = (np.linspace(low[k], high[k], GRID) for k in (0, 1))
        points = in_plane(np.stack(np.meshgrid(x, y, indexing="ij"), axis=-1).reshape(-1, 2))
        reached, q = self.solve(points)
        found = self.arm.manipulability(q)
        whole = found.measure if self.orientation is not None else _moving(found.linear_radii)
        measure = np.where(reached, whole, np.nan)
        return ArmSlice((first, second), place, region, x, y, measure.reshape(GRID, GRID))

    def _tolerance(self, d: int) -> float:
        return 2 * self.radius / CELLS[d] if self.tolerance is None else self.tolerance


def _moving(radii: Array) -> Array:
    """The product of the semi-axes of the ellipsoid in which a tip moves, flat ones left out."""
    return np.asarray(np.where(radii > MOVES * radii.max(), radii, 1.0).prod(axis=-1))


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
        raise InputError(f"orientation has shape {angles.shape}; allowed are roll, pitch, yaw.")
    return ArmWorkspace(arm, angles, tolerance)
