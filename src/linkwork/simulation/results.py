"""What simulations leave: arrays over time or over a batch of loops, files, a plot."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from linkwork.control.base import ByOwnNames
from linkwork.core.earlier_names import with_earlier_names
from linkwork.core.errors import InputError, LinkworkError
from linkwork.core.input_files import opened
from linkwork.core.labeled import Labeled, LabeledTable, Tabular, axes_of
from linkwork.core.table_files import Columns, ending_of, write_table
from linkwork.robot.coordinates import Coordinates
from linkwork.robot.limits import quantity
from linkwork.robot.robot import Array
from linkwork.simulation.digital_loop import PRESETS, DigitalLoop

if TYPE_CHECKING:
    from matplotlib.figure import Figure

IDEAL = PRESETS["ideal"]
ENDINGS = (".npz", ".parquet")
RECORDED = ("position", "velocity")  # (records, batch, ...) in memory, (batch, records, ...) in a table
GROUPS = ("effort", "position", "velocity", "error")  # of components with names of their own
INPUT, OBSERVED = "input_", "observed_"
TEXTS = ("robot", "loop", "labels")  # the same for all loops


class SimulationError(LinkworkError):
    """A simulation that had to stop; `result` holds everything up to `time`."""

    def __init__(self, message: str, time: float, result: Simulation) -> None:
        self.message, self.time, self.result = message, time, result
        self.reason = f"t = {time:.6g} s: {message}"
        super().__init__(f"{self.reason} The results so far are in the error's `result`.")

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.message, self.time, self.result)


@dataclass(frozen=True, eq=False)
class Simulation(ByOwnNames, Tabular):
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
    load: Array | None = None  # ten parameters (N, 10) of what the tool carries
    observed: Mapping[str, Array] = field(default_factory=dict)  # what observers tell (N, ...), by name
    observed_names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # of their columns

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
    def payload(self) -> Array | None:
        """The mass [kg] that the tool carries (N,), None without a load."""
        return None if self.load is None else self.load[:, 0]

    @property
    def carries_point(self) -> bool:
        """Whether what the tool carries is a mass at its origin, or nothing."""
        return self.load is None or not self.load[:, 1:].any()

    @property
    def energy(self) -> Array:
        """Kinetic plus potential energy [J]."""
        return self.kinetic + self.potential

    def names(self) -> dict[str, tuple[str, ...]]:
        """Names of the columns of every array."""
        position, velocity = self.coordinates.names, self.velocities.names
        groups = {"position": position, "velocity": velocity, "effort": self.efforts.names}
        return {**groups, "reference": position, "error": self.coordinates.differences}

    def table(self) -> LabeledTable:
        """Every array over time."""
        units = {
            "position": self.coordinates.units,
            "velocity": self.velocities.units,
            "effort": self.efforts.units,
            "reference": self.coordinates.units,
            "error": self.coordinates.by_angles.units,
        }
        groups = {**self.names(), **self.observed_names}
        values = {group: getattr(self, group) for group in self.names()} | dict(self.observed)
        arrays = {"time": Labeled(self.time, ("time",), units="s")}
        for group, axis in axes_of({"effort": self.efforts.names, **groups}).items():
            if values[group] is not None:
                dims = ("time", axis)
                arrays[group] = Labeled(values[group], dims, groups[group], units.get(group, ""))
        arrays["kinetic"] = Labeled(self.kinetic, ("time",), units="J")
        arrays["potential"] = Labeled(self.potential, ("time",), units="J")
        return LabeledTable("time", arrays, {"robot": self.robot})

    def arrays(self) -> dict[str, Array]:
        """Every array by name, with the names of the joints or legs, as an .npz holds them."""
        groups = ("time", *self.names(), "kinetic", "potential")
        found = {name: getattr(self, name) for name in groups if getattr(self, name) is not None}
        found |= self.observed
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
        from linkwork.drawing.style import legend_beside, new_figure, style
        from linkwork.drawing.time_plots import draw_channels, draw_energy

        what, where = "position error", self.error
        units = [unit.removesuffix("/s") for unit in self.velocities.units]
        if where is None:
            what, where, units = "position", self.position, [*self.coordinates.units]
        names = self.names()["position" if self.error is None else "error"]
        quantities = (
            quantity("effort", self.labels, self.efforts.units, self.effort),
            quantity(what, names, units, where),
        )
        figure = new_figure(7.4)
        with style():
            axes = figure.subplots(3, 1, sharex=True)
            for ax, drawn in zip(axes[:2], quantities, strict=True):
                draw_channels(ax, self.time, drawn)
                ax.set_ylabel(drawn.label)
                legend_beside(ax)
            draw_energy(axes[2], self.time, self.kinetic, self.potential)
            axes[2].set_xlabel("time [s]")
            figure.align_ylabels()
            figure.suptitle(f"{self.robot}: simulation")
        return figure


@with_earlier_names
@dataclass(frozen=True, eq=False)
class Rollouts(Tabular):
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
    diverged: NDArray[np.bool_]  # (batch,): loops that ended in numbers that are not finite
    inputs: Mapping[str, Array] = field(default_factory=dict)
    loop: DigitalLoop = PRESETS["ideal"]  # between the robots and their controllers
    # What observers tell, by name: `final_` and `largest_` of every loop, and where states are recorded
    # also over time (records, batch, ...).
    observed: Mapping[str, Array] = field(default_factory=dict)
    # Names and units of the components of position, velocity, effort and error.
    labels: Mapping[str, Sequence[Sequence[str]]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.diverged)

    def __repr__(self) -> str:
        recorded = f", {len(self.time)} states of each recorded" if len(self.time) else ""
        diverged = int(self.diverged.sum())
        return (
            f"<Rollouts of {self.robot}: {len(self)} loops, {diverged} diverged{recorded}; "
            f"inputs {', '.join(self.inputs) or 'not kept'}>"
        )

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Every array by name; inputs as `input_` and their name."""
        own = {
            each.name: getattr(self, each.name)
            for each in fields(self)
            if each.name not in ("inputs", "loop", "observed", "labels")
        }
        own["robot"] = np.array(self.robot)
        own["loop"] = np.array(json.dumps(asdict(self.loop)))
        own["labels"] = np.array(json.dumps(self.labels))
        own |= {f"{INPUT}{name}": values for name, values in self.inputs.items()}
        return own | {f"{OBSERVED}{name}": values for name, values in self.observed.items()}

    def table(self) -> LabeledTable:
        """A row per loop; recorded states are arrays over time and loop."""
        count, texts = len(self), (*TEXTS, "time")
        arrays = {"loop": Labeled(np.arange(count), ("loop",))}
        if len(self.time):
            arrays["time"] = Labeled(self.time, ("time",), units="s")
        axes = axes_of({group: self.labels[group][0] for group in GROUPS if group in self.labels})
        for name, values in self.arrays().items():
            if name in texts or not values.size:
                continue
            dims = ("time", "loop") if _is_recorded(name) else ("loop",)
            group = next((each for each in GROUPS if name.endswith(each) and each in axes), None)
            names, units = self.labels[group] if group else ((), "")
            for size in values.shape[len(dims) :]:
                fits = group and size == len(names) and len(dims) == values.ndim - 1
                dims = (*dims, axes[group] if fits and group else f"{name}_{len(dims)}")
            if len(dims) > 1 and dims[-1] not in axes.values() and not _is_recorded(name):
                names, units = [str(k) for k in range(values.shape[-1])], ""
            arrays[name] = Labeled(values, dims, names, units)
        return LabeledTable("loop", arrays, {"robot": self.robot})

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write .npz (the arrays by name) or .parquet (a row per loop), whole or not at all."""
        if ending_of(path, ENDINGS) == ".npz":
            write_table(path, {}, self.arrays())
        else:
            write_table(path, self._stored())

    def _stored(self) -> Columns:
        """One row per loop; recorded states are lists."""
        arrays = self.arrays()
        columns: dict[str, Any] = {name: [str(arrays[name])] * len(self) for name in TEXTS}
        columns["time"] = [self.time] * len(self)
        for name, values in arrays.items():
            if name in (*TEXTS, "time"):
                continue
            table = np.swapaxes(values, 0, 1) if _is_recorded(name) else np.asarray(values)
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
        with opened(path) as file:
            try:
                found = _read_npz(file) if ending == ".npz" else _read_parquet(file)
                inputs, observed = (_taken(found, prefix) for prefix in (INPUT, OBSERVED))
                settings = json.loads(str(found.pop("loop", "{}")))
                labels = json.loads(str(found.pop("labels", "{}")))
                found = {**found, "robot": str(found["robot"]), "loop": DigitalLoop(**settings)}
                return cls(**found, inputs=inputs, observed=observed, labels=labels)
            except Exception as error:  # a file of another kind fails in the ways of its reader
                what = f"{path} holds no rollouts: {type(error).__name__}: {error}"
                raise InputError(what) from error


def _read_npz(file: BinaryIO) -> dict[str, Any]:
    with np.load(file, allow_pickle=False) as stored:
        return dict(stored)


def _read_parquet(file: BinaryIO) -> dict[str, Any]:
    import pyarrow.parquet

    table = pyarrow.parquet.read_table(file)
    count = table.num_rows
    found: dict[str, Any] = {}
    for column in table.column_names:
        name, _, shape = column.partition(":")
        values = table[column].to_pylist()
        if name in (*TEXTS, "time"):
            found[name] = values[0] if name in TEXTS else np.array(values[0], dtype=np.float64)
            continue
        sizes = tuple(int(size) for size in shape.split("x")) if shape else ()
        dtype = np.bool_ if name == "diverged" else np.float64
        array = np.array(values, dtype=dtype).reshape(count, *sizes)
        found[name] = np.swapaxes(array, 0, 1) if _is_recorded(name) else array
    return found


def _is_recorded(name: str) -> bool:
    """Whether an array has a row for every record."""
    if name.startswith(OBSERVED):
        return not name.removeprefix(OBSERVED).startswith(("final_", "largest_"))
    return name in RECORDED


def _taken(found: dict[str, Any], prefix: str) -> dict[str, Any]:
    """Take out what has a prefix, without it."""
    names = [name for name in found if name.startswith(prefix)]
    return {name.removeprefix(prefix): found.pop(name) for name in names}
