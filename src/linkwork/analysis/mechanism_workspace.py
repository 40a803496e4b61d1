"""What a mechanism reaches: loops that close, limits of joints and efforts, and its singularities."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from linkwork.analysis.reach_bound import reach_bound
from linkwork.analysis.workspace import OF_MECHANISMS, TURNS, Workspace
from linkwork.errors import InputError
from linkwork.formatting import number
from linkwork.interface.mechanism_names import only_body
from linkwork.interface.results import ParallelMargins
from linkwork.interface.robot import Array, Mechanism
from linkwork.robots.mechanism import POSE, Coordinate
from linkwork.robots.mechanism_elements import tool_frame

SAMPLES = 20_000  # positions that tell where the tool goes


@dataclass(frozen=True, eq=False)
class MechanismWorkspace(Workspace):
    """In the robot's own coordinates, rotations by angles."""

    robot: Mechanism

    @staticmethod
    def at(
        robot: Mechanism, position: Array | None, clearance: float, tolerance: float | None
    ) -> MechanismWorkspace:
        """About a position, or home."""
        coordinates = robot.coordinates
        start = robot.home if position is None else position
        if start.shape not in ((len(coordinates),), (robot.freedoms,)):
            names = ", ".join(coordinates.by_angles.names)
            raise InputError(f"pose has shape {start.shape}; coordinates of {robot.name} are {names}.")
        if len(start) != robot.freedoms:
            start = coordinates.to_angles(start)
        return MechanismWorkspace(robot, clearance, tolerance, start)

    @cached_property
    def axes(self) -> tuple[str, ...]:
        return self.robot.coordinates.by_angles.names

    @cached_property
    def units(self) -> tuple[str, ...]:
        return self.robot.coordinates.by_angles.units

    @property
    def kinds(self) -> tuple[str, ...]:
        return OF_MECHANISMS

    @property
    def conditions(self) -> tuple[str, ...]:
        limits = self.robot.limits
        asked = (
            "all loops closed on their home branches",
            "positions of the joints, as far as the robot file bounds them",
            "efforts that hold the pose at rest" if np.isfinite(limits.effort).any() else "",
            f"a reciprocal condition number of Jx above {number(self.clearance)} and levers of the"
            f" actuators above {number(self.clearance)} of those at home, on home's side of every"
            " singularity",
        )
        return tuple(filter(None, asked))

    def margins(self, poses: Array) -> ParallelMargins:
        return self.robot.margins(poses, clearance=self.clearance)

    def _range(self, axis: str) -> tuple[float, float]:
        k = self.axes.index(axis)
        coordinate, start = self.robot.mechanism.coordinates[k], self.start(axis)
        if coordinate.pose in POSE[3:]:
            far = TURNS[POSE.index(coordinate.pose) - 3]
            return start - far, start + far
        if coordinate.pose is not None:
            low, high = self._reach(coordinate)
        else:
            limits = {each.name: each.limits.position for each in self.robot.elements}
            bounds = limits.get(coordinate.of)
            if bounds is None and self.units[k] == "rad":
                return -np.pi, np.pi
            low, high = bounds or (-np.inf, np.inf)
        if not np.isfinite([low, high]).all():
            raise InputError(
                f"{self.robot.name} slides without limits, so its workspace has no end; add limits:"
                " {position: [lowest, highest]} to its P joints and cylinders."
            )
        # A little more, unevenly: planes of symmetry, often singular ones, are then none of the lattice.
        return low - 0.0113 * (high - low), high + 0.0067 * (high - low)

    def _reach(self, coordinate: Coordinate) -> tuple[float, float]:
        part, k = self.robot.mechanism.part(coordinate.of), POSE.index(coordinate.pose or "")
        low, high = reach_bound(self.robot.mechanism, part.name, part.frame.p, coordinate.relative_to)
        if coordinate.relative_to in self.robot.bodies:
            origin = self.robot.mechanism.part(coordinate.relative_to).frame
            # The box of a frame that is turned holds the box: half of its diagonal about its middle.
            middle, half = origin.R.T @ ((low + high) / 2 - origin.p), np.linalg.norm(high - low) / 2
            low, high = middle - half, middle + half
        return float(low[k]), float(high[k])

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
