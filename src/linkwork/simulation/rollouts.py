"""What a batch of closed loops leaves: arrays, with the inputs that made them, and files."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkwork.errors import InputError
from linkwork.interface.robot import Array
from linkwork.simulation.digital_loop import PRESETS, DigitalLoop
from linkwork.tables import ending_of, write_table

ENDINGS = (".npz", ".parquet")
RECORDED = ("position", "velocity")  # (records, batch, ...) in memory, (batch, records, ...) in a table
INPUT = "input_"
TEXTS = ("robot", "loop")  # the same for all loops


@dataclass(frozen=True, eq=False)
class Rollouts:
    """A batch of closed loops: their ends, their worst moments and, if recorded, their ways.

    `inputs` holds what differed or could have: start_position, start_velocity, kp, kv and the
    variations, one row per loop.
    """

    robot: str
    time: Array  # of the recorded states
    position: Array  # (records, batch, ...)
    velocity: Array
    final_position: Array
    final_velocity: Array
    largest_error: Array  # (batch, n): of the position, at control samples; of a platform's
    # orientation twice the sine of half the angle, by axis
    rms_error: Array
    largest_effort: Array
    lost: NDArray[np.bool_]  # (batch,): loops that ended in numbers that are not finite
    inputs: Mapping[str, Array] = field(default_factory=dict)
    loop: DigitalLoop = PRESETS["ideal"]  # between the robots and their controllers

    def __len__(self) -> int:
        return len(self.lost)

    def __repr__(self) -> str:
        recorded = f", {len(self.time)} states of each recorded" if len(self.time) else ""
        lost = int(self.lost.sum())
        return (
            f"<Rollouts of {self.robot}: {len(self)} loops, {lost} lost{recorded}; "
            f"inputs {', '.join(self.inputs) or 'not kept'}>"
        )

    def arrays(self) -> dict[str, Any]:
        """Every array by name; inputs as `input_` and their name."""
        own = {
            each.name: getattr(self, each.name)
            for each in fields(self)
            if each.name not in ("inputs", "loop")
        }
        own["robot"] = np.array(self.robot)
        own["loop"] = np.array(json.dumps(asdict(self.loop)))
        return {**own, **{f"{INPUT}{name}": values for name, values in self.inputs.items()}}

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write .npz (the arrays by name) or .parquet (a row per loop), whole or not at all."""
        if ending_of(path, ENDINGS) == ".npz":
            write_table(path, {}, self.arrays())
        else:
            write_table(path, self._columns())

    def _columns(self) -> dict[str, Any]:
        """One row per loop; recorded states are lists."""
        arrays = self.arrays()
        columns: dict[str, Any] = {name: [str(arrays[name])] * len(self) for name in TEXTS}
        columns["time"] = [self.time] * len(self)
        for name, values in arrays.items():
            if name in (*TEXTS, "time"):
                continue
            table = np.swapaxes(values, 0, 1) if name in RECORDED else np.asarray(values)
            if table.ndim == 1:
                columns[name] = table
            else:
                shape = "x".join(map(str, table.shape[1:]))
                columns[f"{name}:{shape}"] = list(table.reshape(len(self), -1))
        return columns

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Rollouts:
        """Read what `save` has written."""
        ending = ending_of(path, ENDINGS)
        try:
            found = _read_npz(path) if ending == ".npz" else _read_parquet(path)
            names = [name for name in found if name.startswith(INPUT)]
            inputs = {name.removeprefix(INPUT): found.pop(name) for name in names}
            settings = json.loads(str(found.pop("loop", "{}")))
            found = {**found, "robot": str(found["robot"]), "loop": DigitalLoop(**settings)}
            return cls(**found, inputs=inputs)
        except FileNotFoundError:
            raise InputError(f"{path}: there is no such file.") from None
        except Exception as error:  # a file of another kind fails in the ways of its reader
            raise InputError(f"{path} holds no rollouts: {type(error).__name__}: {error}") from error


def _read_npz(path: str | os.PathLike[str]) -> dict[str, Any]:
    with np.load(path, allow_pickle=False) as stored:
        return dict(stored)


def _read_parquet(path: str | os.PathLike[str]) -> dict[str, Any]:
    import pyarrow.parquet

    table = pyarrow.parquet.read_table(path)
    count = table.num_rows
    found: dict[str, Any] = {}
    for column in table.column_names:
        name, _, shape = column.partition(":")
        values = table[column].to_pylist()
        if name in (*TEXTS, "time"):
            found[name] = values[0] if name in TEXTS else np.array(values[0], dtype=np.float64)
            continue
        sizes = tuple(int(size) for size in shape.split("x")) if shape else ()
        dtype = np.bool_ if name == "lost" else np.float64
        array = np.array(values, dtype=dtype).reshape(count, *sizes)
        found[name] = np.swapaxes(array, 0, 1) if name in RECORDED else array
    return found
