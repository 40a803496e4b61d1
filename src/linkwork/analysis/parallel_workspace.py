"""What a parallel robot reaches: legs, limits of joints and efforts, and its three singularities."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from linkwork.analysis.workspace import OF_PARALLEL_ROBOTS, Workspace, pose_angles
from linkwork.errors import InputError
from linkwork.formatting import number
from linkwork.interface.parallel import ParallelRobot
from linkwork.interface.results import ParallelMargins
from linkwork.interface.robot import Array


@dataclass(frozen=True, eq=False)
class ParallelWorkspace(Workspace):
    """In the robot's own coordinates."""

    robot: ParallelRobot

    @staticmethod
    def at(
        robot: ParallelRobot, pose: Array | None, clearance: float, tolerance: float | None
    ) -> ParallelWorkspace:
        """About a pose, or the coordinates of a robot with fewer freedoms than six; home if None."""
        six, model = robot.model.home.copy(), robot.model
        if pose is not None and robot.freedoms == 6:
            six = pose_angles(pose)
        elif pose is not None:
            if pose.shape != (robot.freedoms,):
                names = ", ".join(model.coordinates)
                raise InputError(
                    f"pose has shape {pose.shape}; coordinates of {robot.name} are {names}."
                )
            six[list(model.independent)] = pose
        return ParallelWorkspace(robot, clearance, tolerance, six)

    @property
    def axes(self) -> tuple[str, ...]:
        return self.robot.model.coordinates

    @property
    def kinds(self) -> tuple[str, ...]:
        return OF_PARALLEL_ROBOTS

    @property
    def conditions(self) -> tuple[str, ...]:
        limits = self.robot.limits
        asked = (
            "the reach of every leg on its home branch",
            "positions of the joints, as far as the robot file bounds them",
            "efforts that hold the pose at rest" if np.isfinite(limits.effort).any() else "",
            f"a reciprocal condition number of Jx above {number(self.clearance)} and levers of the"
            f" actuators above {number(self.clearance)} of those at home, on home's side of every"
            " singularity",
        )
        return tuple(filter(None, asked))

    def margins(self, poses: Array) -> ParallelMargins:
        c = poses if self.robot.freedoms == 6 else poses[:, list(self.robot.model.independent)]
        return self.robot.margins(c, clearance=self.clearance)

    @cached_property
    def _box(self) -> tuple[Array, Array]:
        """No leg is longer than its links in a line and what its slides add."""
        low, high = np.full(3, -np.inf), np.full(3, np.inf)
        for leg in self.robot.model.legs:
            points = np.array([*[joint.at for joint in leg.joints], leg.end.at])
            reach = float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum())
            for joint in leg.joints:
                if not joint.is_revolute:
                    reach += max(map(abs, joint.limits.position or (np.inf, np.inf)))
            reach += float(np.linalg.norm(leg.end.at - self.robot.model.home[:3]))
            low, high = np.maximum(low, points[0] - reach), np.minimum(high, points[0] + reach)
        if not np.isfinite([low, high]).all():
            raise InputError(
                f"{self.robot.name} slides without limits, so its workspace has no end; add limits:"
                " {position: [lowest, highest]} to its P joints."
            )
        # A little more, unevenly: planes of symmetry, often singular ones, are then none of the lattice.
        room = high - low
        return low - 0.0113 * room, high + 0.0067 * room
