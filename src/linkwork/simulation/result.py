"""What a simulation leaves: arrays over time, files, a plot."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from linkwork.errors import InputError, LinkworkError
from linkwork.robot import Array

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ENDINGS = (".npz", ".csv", ".parquet")


class SimulationError(LinkworkError):
    """A simulation that had to stop; `result` holds everything up to `time`."""

    def __init__(self, message: str, time: float, result: Simulation) -> None:
        self.time = time
        self.result = result
        super().__init__(f"t = {time:.6g} s: {message} The results so far are in the error's `result`.")


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

    def _names(self) -> dict[str, tuple[str, ...]]:
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
        for group, names in self._names().items():
            values = getattr(self, group)
            if values is not None:
                for k, name in enumerate(names):
                    table[f"{group}_{name}"] = values[:, k]
        return {**table, "kinetic": self.kinetic, "potential": self.potential}

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write .npz, .csv or .parquet, whole or not at all."""
        target = Path(path)
        writers = {".npz": self._write_npz, ".csv": self._write_csv, ".parquet": self._write_parquet}
        if target.suffix not in writers:
            raise InputError(f"{target}: allowed endings are {', '.join(ENDINGS)}.")
        write_whole(target, writers[target.suffix])

    def _write_npz(self, file: BinaryIO) -> None:
        parts: dict[str, Any] = {
            name: getattr(self, name)
            for name in (
                "time",
                "position",
                "velocity",
                "effort",
                "kinetic",
                "potential",
                "reference",
                "error",
            )
            if getattr(self, name) is not None
        }
        np.savez(file, labels=np.array(self.labels), robot=np.array(self.robot), **parts)

    def _write_csv(self, file: BinaryIO) -> None:
        table = self.columns()
        file.write((",".join(table) + "\n").encode())
        np.savetxt(file, np.column_stack(list(table.values())), delimiter=",", fmt="%.17g")

    def _write_parquet(self, file: BinaryIO) -> None:
        try:
            import pyarrow
            import pyarrow.parquet
        except ImportError:
            raise LinkworkError("writing Parquet needs pyarrow: pip install pyarrow") from None
        pyarrow.parquet.write_table(pyarrow.table(self.columns()), file)

    def plot(self) -> Figure:
        """Efforts, position (or its error) and energy over time."""
        from linkwork.simulation.plot import simulation_figure

        return simulation_figure(self)


def write_whole(target: Path, write: Callable[[BinaryIO], None]) -> None:
    """Let `write` fill a temporary file beside the target, then put it in the target's place."""
    try:
        with tempfile.NamedTemporaryFile(
            dir=target.parent, prefix=f".{target.name}-", delete=False
        ) as file:
            temporary = Path(file.name)
            try:
                write(file)  # type: ignore[arg-type]
            except BaseException:
                temporary.unlink(missing_ok=True)
                raise
        os.replace(temporary, target)
    except OSError as error:
        raise LinkworkError(f"{target} cannot be written: {error.strerror or error}.") from error
