"""What a simulation leaves: arrays over time, files, a plot."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from linkwork.errors import LinkworkError
from linkwork.interface.robot import Array
from linkwork.tables import write_table

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class SimulationError(LinkworkError):
    """A simulation that had to stop; `result` holds everything up to `time`."""

    def __init__(self, message: str, time: float, result: Simulation) -> None:
        self.time = time
        self.result = result
        self.reason = f"t = {time:.6g} s: {message}"
        super().__init__(f"{self.reason} The results so far are in the error's `result`.")


@dataclass(frozen=True)
class Simulation:
    """States of a robot over time. For an arm, position is q and velocity qd; for a platform, pose
    (x y z and quaternion w x y z) and twist. Row k of `effort` acts from time[k] on."""

    robot: str
    labels: tuple[str, ...]  # of joints or legs
    time: Array
    position: Array
    velocity: Array
    effort: Array
    kinetic: Array
    potential: Array
    reference: Array | None = None
    error: Array | None = None  # of the position; of a platform: linear, then rotation vector

    @property
    def is_arm(self) -> bool:
        return self.position.shape[1] == self.effort.shape[1] == len(self.labels)

    @property
    def q(self) -> Array:
        return self.position

    @property
    def qd(self) -> Array:
        return self.velocity

    @property
    def pose(self) -> Array:
        return self.position

    @property
    def twist(self) -> Array:
        return self.velocity

    @property
    def energy(self) -> Array:
        """Kinetic plus potential energy [J]."""
        return self.kinetic + self.potential

    def names(self) -> dict[str, tuple[str, ...]]:
        """Names of the columns of every array."""
        if self.is_arm:
            pose = twist = wrong = self.labels
        else:
            pose = ("x", "y", "z", "qw", "qx", "qy", "qz")
            twist = ("vx", "vy", "vz", "wx", "wy", "wz")
            wrong = ("x", "y", "z", "rx", "ry", "rz")
        groups = {"position": pose, "velocity": twist, "effort": self.labels}
        return {**groups, "reference": pose, "error": wrong}

    def columns(self) -> dict[str, Array]:
        """Every column by name, for tables."""
        table = {"time": self.time}
        for group, names in self.names().items():
            values = getattr(self, group)
            if values is not None:
                for k, name in enumerate(names):
                    table[f"{group}_{name}"] = values[:, k]
        return {**table, "kinetic": self.kinetic, "potential": self.potential}

    def arrays(self) -> dict[str, Array]:
        """Every array by name, with the names of the joints or legs, as an .npz holds them."""
        groups = ("time", *self.names(), "kinetic", "potential")
        found = {name: getattr(self, name) for name in groups if getattr(self, name) is not None}
        return {"labels": np.array(self.labels), "robot": np.array(self.robot), **found}

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write .csv, .parquet, .npz or .json, whole or not at all; .npz holds the arrays by name."""
        write_table(path, self.columns(), self.arrays())

    def plot(self) -> Figure:
        """Efforts, position (or its error) and energy over time."""
        from linkwork.simulation.plot import simulation_figure

        return simulation_figure(self)
