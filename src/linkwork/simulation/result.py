"""What a simulation leaves: arrays over time, files, a plot."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.errors import LinkworkError
from linkwork.interface.coordinates import Coordinates
from linkwork.interface.robot import Array
from linkwork.simulation.digital_loop import PRESETS, DigitalLoop
from linkwork.tables import write_table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

IDEAL = PRESETS["ideal"]


class SimulationError(LinkworkError):
    """A simulation that had to stop; `result` holds everything up to `time`."""

    def __init__(self, message: str, time: float, result: Simulation) -> None:
        self.message, self.time, self.result = message, time, result
        self.reason = f"t = {time:.6g} s: {message}"
        super().__init__(f"{self.reason} The results so far are in the error's `result`.")

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.message, self.time, self.result)


@dataclass(frozen=True, eq=False)
class Simulation:
    """States of a robot over time. For an arm, position is q and velocity qd; for a platform, pose
    (x y z and quaternion w x y z) and twist. Row k of `effort` acts from time[k] on."""

    robot: str
    coordinates: Coordinates
    velocities: Coordinates
    efforts: Coordinates
    time: Array
    position: Array
    velocity: Array
    effort: Array
    kinetic: Array
    potential: Array
    reference: Array | None = None
    error: Array | None = None  # of the position; of a pose: linear, then rotation vector
    loop: DigitalLoop = IDEAL  # between the robot and its controller
    period: float | None = None  # of the controller

    def __repr__(self) -> str:
        end = f"{self.time[-1]:g} s" if len(self.time) else "nothing"
        tracked = "" if self.error is None else ", tracked"
        return f"<Simulation of {self.robot}: {end}, {len(self.time)} samples{tracked}>"

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of the joints or legs."""
        return self.efforts.names

    @property
    def is_arm(self) -> bool:
        """Whether the positions are those of joints."""
        return self.coordinates.names == self.efforts.names

    @property
    def q(self) -> Array:
        """The position, of an arm."""
        return self.position

    @property
    def qd(self) -> Array:
        """The velocity, of an arm."""
        return self.velocity

    @property
    def pose(self) -> Array:
        """The position, of a platform."""
        return self.position

    @property
    def twist(self) -> Array:
        """The velocity, of a platform."""
        return self.velocity

    @property
    def energy(self) -> Array:
        """Kinetic plus potential energy [J]."""
        return self.kinetic + self.potential

    def names(self) -> dict[str, tuple[str, ...]]:
        """Names of the columns of every array."""
        position, velocity = self.coordinates.names, self.velocities.names
        groups = {"position": position, "velocity": velocity, "effort": self.efforts.names}
        return {**groups, "reference": position, "error": self.coordinates.differences}

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

    def assumptions(self) -> dict[str, str]:
        """How the loop between robot and controller was closed, in words, and where it is ideal."""
        sampled = "at all times (ideal)" if self.period is None else f"every {self.period:g} s"
        return {"the controller acts": sampled, **self.loop.assumptions()}

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write .csv, .parquet, .npz or .json, whole or not at all; .npz holds the arrays by name."""
        write_table(path, self.columns(), self.arrays())

    def plot(self) -> Figure:
        """Efforts, position (or its error) and energy over time."""
        from linkwork.simulation.plot import simulation_figure

        return simulation_figure(self)
