"""What a Stewart platform reaches under the limits of its legs and joints."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from linkwork.analysis.workspace import AXES, OF_PLATFORMS, TURNS, Workspace
from linkwork.errors import InputError
from linkwork.formatting import number
from linkwork.interface.platform import Platform
from linkwork.interface.results import Margins
from linkwork.interface.robot import Array
from linkwork.rotations import rotation_rpy

NAMES = ("surge", "sway", "heave", "roll", "pitch", "yaw")


@dataclass(frozen=True, eq=False)
class PlatformWorkspace(Workspace):
    """What a Stewart platform reaches."""

    robot: Platform
    leg_diameter: float = 0.0

    @property
    def axes(self) -> tuple[str, ...]:
        return AXES

    @property
    def units(self) -> tuple[str, ...]:
        return ("m",) * 3 + ("rad",) * 3

    def named(self, axis: str) -> str:
        return NAMES[AXES.index(axis)]

    @property
    def kinds(self) -> tuple[str, ...]:
        return OF_PLATFORMS

    @property
    def conditions(self) -> tuple[str, ...]:
        limits = self.robot.limits
        asked = (
            "leg lengths" if np.isfinite(limits.position).any() else "",
            "forces that hold the pose at rest" if np.isfinite(limits.effort).any() else "",
            "angles of the joints, as far as the robot file bounds them",
            f"a least singular value of the Jacobian above {number(self.clearance)}, on home's side of "
            "every singularity",
            f"legs of {number(1e3 * self.leg_diameter)} mm do not touch" if self.leg_diameter else "",
        )
        return tuple(filter(None, asked))

    def margins(self, poses: Array) -> Margins:
        """Of poses (N, 6), NaN where a pose is singular."""
        return self.robot.margins(
            poses, clearance=self.clearance, leg_diameter=self.leg_diameter, errors="nan"
        )

    def _stiffness(self, poses: Array) -> tuple[Array, Array] | None:
        if any(leg.stiffness is None for leg in self.robot.model.legs):
            return None
        return self.robot.stiffness(poses), self.robot.mass_matrix(poses)

    def _range(self, axis: str) -> tuple[float, float]:
        k = AXES.index(axis)
        if k < 3:
            low, high = self._box
            return float(low[k]), float(high[k])
        return float(self.pose[k] - TURNS[k - 3]), float(self.pose[k] + TURNS[k - 3])

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
