"""Motions that a reader can move along, sample by sample."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from linkwork.analysis.study import Study
from linkwork.interface.robot import Array, Robot
from linkwork.simulation import Simulation

MOST = 601  # samples on a page; the reader moves from one to the next


@dataclass(frozen=True, eq=False)
class LiveMotion:
    """Samples (N, ...) of a motion. `key` names it on the page, without spaces."""

    key: str
    name: str
    time: Array
    position: Array
    velocity: Array
    acceleration: Array
    wrench: Array | None = None

    def thinned(self) -> LiveMotion:
        """At most MOST samples, the first and the last among them."""
        if len(self.time) <= MOST:
            return self
        kept = np.unique(np.linspace(0, len(self.time) - 1, MOST).astype(int))
        return replace(
            self,
            time=self.time[kept],
            position=self.position[kept],
            velocity=self.velocity[kept],
            acceleration=self.acceleration[kept],
            wrench=None if self.wrench is None else self.wrench[kept],
        )


def of_study(found: Study, key: str = "motion") -> LiveMotion:
    """The motion of a study."""
    wrench = found.wrench
    if wrench is not None:
        wrench = np.ascontiguousarray(np.broadcast_to(wrench, (len(found.time), 6)))
    state = (found.position, found.velocity, found.acceleration)
    return LiveMotion(key, found.motion_name, found.time, *state, wrench)


def of_simulation(
    robot: Robot, run: Simulation, key: str = "motion", friction: bool = True
) -> LiveMotion:
    """The motion of a simulation (of one without friction too) and what its efforts accelerate."""
    state = (run.position, run.velocity, run.effort)
    acceleration = robot.forward_dynamics(*state, friction=friction, errors="nan")
    return LiveMotion(key, "simulation", run.time, run.position, run.velocity, acceleration)
