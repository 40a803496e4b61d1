"""What a loop can know of a robot's surroundings from its motion and efforts, sample by sample.

An observer has settings, which are frozen, and a memory, which the caller keeps: a vector of zeros
before the first sample, then what the last sample gave back. The same block is a kernel in Python, part
of the compiled loop of a rollout, and a routine of exports.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, NamedTuple

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from linkwork.control.base import State
from linkwork.control.laws import JOINTS, POSES, Names
from linkwork.core.arguments import flag, positive, rows, whole
from linkwork.core.checked import checked
from linkwork.core.errors import InputError
from linkwork.kernels import Kernel
from linkwork.kernels.recipes import Expression
from linkwork.mechanics.expressions import SX, named_function, row_major
from linkwork.mechanics.momentum import (
    Layout,
    kept_sizes,
    sample,
    tool_wrench,
    wrench_columns,
)
from linkwork.mechanics.plant import Plant
from linkwork.robot.compiled import recipe_of
from linkwork.robot.robot import Array, Robot

HIGHEST_ORDER = 8
WRENCH = ("fx", "fy", "fz", "mx", "my", "mz")
STARTED = "started"  # 0 before the first sample, which has nothing to compare with

Settings = dict[str, SX]


class Block(ABC):
    """An observer as expressions; frozen data, so that kernels can be named by it."""

    settings: ClassVar[tuple[str, ...]]

    @abstractmethod
    def result_sizes(self, plant: Plant) -> dict[str, int]:
        """Of the results, by name."""

    @abstractmethod
    def sizes(self, plant: Plant) -> dict[str, int]:
        """Of what is kept from sample to sample, by name."""

    @abstractmethod
    def step(
        self, plant: Plant, x: SX, effort: SX, before: dict[str, SX], given: Settings
    ) -> tuple[dict[str, SX], dict[str, SX]]:
        """What is kept, and the results."""

    def layout(self, plant: Plant) -> Layout:
        return Layout({STARTED: 1, **self.sizes(plant)})

    def advanced(
        self, plant: Plant, x: SX, effort: SX, memory: SX, given: Settings
    ) -> tuple[SX, dict[str, SX]]:
        """The memory after a sample, and the results."""
        layout = self.layout(plant)
        kept, results = self.step(plant, x, effort, layout.split(memory), given)
        return layout.joined({STARTED: SX(1), **kept}), results

    def expression(self, plant: Plant, names: Names) -> Expression:
        """Position, velocity, effort since the last sample, settings, memory -> memory, results."""
        q, qd = SX.sym("q", plant.position_size), SX.sym("qd", plant.velocity_size)
        effort, memory = SX.sym("effort", plant.effort_size), SX.sym("memory", self.layout(plant).size)
        given = {name: SX.sym(name) for name in self.settings}
        following, results = self.advanced(plant, ca.vertcat(q, qd), effort, memory, given)
        inputs = {**dict(zip((*names.state, names.effort), (q, qd, effort), strict=True)), **given}
        outputs = {"memory_next": following, **results}
        function = named_function("observer", {**inputs, "memory": memory}, outputs)
        return function, tuple((part.numel(),) for part in outputs.values())


def block_kernel(block: Block, plant: Plant, names: Names) -> Kernel:
    """An observer, compiled."""
    recipe = recipe_of(("observer", block, plant, names), lambda: block.expression(plant, names))
    return Kernel.from_recipe(recipe)


def names_of(robot: Robot) -> Names:
    """What the kernel calls state and effort."""
    return POSES if robot.coordinates.quaternions else JOINTS


def pole(bandwidth: SX, period: SX, order: int = 1) -> SX:
    """Of each of `order` equal stages that together are 3 dB down at the bandwidth [Hz]."""
    each = 2 * np.pi / np.sqrt(2 ** (1 / order) - 1)
    return ca.exp(-each * bandwidth * period)


@dataclass(frozen=True)
class Watch:
    """A block with its robot and numbers, as the compiled loop of a rollout has it."""

    block: Block
    plant: Plant
    settings: tuple[float, ...]

    @property
    def size(self) -> int:
        """Of the memory."""
        return self.block.layout(self.plant).size

    @property
    def results(self) -> dict[str, int]:
        """Names and sizes of the results."""
        return self.block.result_sizes(self.plant)

    def advanced(self, x: SX, effort: SX, memory: SX) -> tuple[SX, dict[str, SX]]:
        """The memory after a sample, and the results."""
        given = {name: SX(value) for name, value in zip(self.block.settings, self.settings, strict=True)}
        return self.block.advanced(self.plant, x, effort, memory, given)


class Observer(ABC):
    """Settings of an observer for a robot; `update` goes from sample to sample."""

    robot: Robot
    period: float
    friction: bool
    rotors: bool

    @property
    @abstractmethod
    def block(self) -> Block:
        """Its expressions."""

    @property
    @abstractmethod
    def labels(self) -> dict[str, tuple[str, ...]]:
        """Names of the elements of every result."""

    @property
    def plant(self) -> Plant:
        """The robot as the observer believes it to be."""
        return self.robot.plant(friction=self.friction, rotors=self.rotors)

    @property
    def watch(self) -> Watch:
        """What a compiled loop takes of it."""
        return Watch(self.block, self.plant, tuple(float(each[0]) for each in self.settings))

    @cached_property
    def kernel(self) -> Kernel:
        """Position, velocity, effort, settings, memory -> memory, results; compiled."""
        return block_kernel(self.block, self.plant, names_of(self.robot))

    @cached_property
    def settings(self) -> tuple[Array, ...]:
        """Numbers that the kernel takes after the effort, (1,) each."""
        return tuple(np.array([float(getattr(self, name))]) for name in self.block.settings)

    def start(self) -> Array:
        """The memory before the first sample."""
        return np.zeros(self.block.layout(self.plant).size)

    def advance(
        self, memory: ArrayLike, position: ArrayLike, velocity: ArrayLike, effort: ArrayLike
    ) -> tuple[Array, tuple[Array, ...]]:
        """The memory after a sample and the results; any batch of loops at once."""
        arrays = (position, velocity, effort, *self.settings, memory)
        (following, *results), nonfinite = self.kernel.evaluate(arrays)
        if nonfinite:  # let the robot say what is wrong with the state
            self.robot.inverse_dynamics(position, velocity, np.zeros(len(self.robot.velocities)))
            raise InputError(f"observer of {self.robot.name}: efforts or memory are not finite.")
        return following, tuple(results)

    def results_over(
        self, position: ArrayLike, velocity: ArrayLike, effort: ArrayLike
    ) -> tuple[Array, ...]:
        """Results (N, ...) of samples one after the other."""
        given = {"position": position, "velocity": velocity, "effort": effort}
        sizes = self.plant.position_size, self.plant.velocity_size, self.plant.effort_size
        tables = [rows(given[name], name, size) for name, size in zip(given, sizes, strict=True)]
        if len({len(table) for table in tables}) > 1 or not len(tables[0]):
            counts = ", ".join(
                f"{len(table)} of {name}" for name, table in zip(given, tables, strict=True)
            )
            raise InputError(f"rows: {counts}; expected as many of each, one or more.")
        memory, found = self.start(), []
        for each in zip(*tables, strict=True):
            memory, results = self.advance(memory, *each)
            found.append(results)
        return tuple(np.array(part) for part in zip(*found, strict=True))


class Observing:
    """An observer in a loop: its memory, and what it tells from sample to sample."""

    def __init__(self, observer: Observer) -> None:
        self.observer = observer
        self.memory = observer.start()
        self.acted: Array = np.zeros(observer.robot.n)  # the effort since the last sample
        self.told = {name: np.zeros(len(labels)) for name, labels in observer.labels.items()}

    def sample(self, state: State) -> dict[str, Array]:
        """What it tells after a state as the computer knows it."""
        self.memory, results = self.observer.advance(self.memory, *state[:2], self.acted)
        self.told = dict(zip(self.told, results, strict=True))
        return self.told


class Disturbance(NamedTuple):
    """What acts beside the actuators: on the coordinates, and as a wrench on the robot at its tool.

    `residual` (..., d) is in N m or N of each coordinate; `wrench` (..., 6) is a force, then a moment,
    in the axes of the tool at its origin.
    """

    residual: Array
    wrench: Array


@dataclass(frozen=True)
class MomentumBlock(Block):
    """The mean of f since the last sample, through `order` equal low-passes of first order."""

    order: int
    moments: bool
    length: float

    settings = ("period", "bandwidth")

    def result_sizes(self, plant: Plant) -> dict[str, int]:
        return {"residual": plant.velocity_size, "external_wrench": 6}

    def sizes(self, plant: Plant) -> dict[str, int]:
        return {**kept_sizes(plant), "stages": self.order * plant.velocity_size}

    def step(
        self, plant: Plant, x: SX, effort: SX, before: dict[str, SX], given: Settings
    ) -> tuple[dict[str, SX], dict[str, SX]]:
        d, share = plant.velocity_size, 1 - pole(given["bandwidth"], given["period"], self.order)
        now = sample(plant, x, effort, before, given["period"])
        residual, stages = before[STARTED] * now.force, []
        for k in range(self.order):
            earlier = before["stages"][k * d : (k + 1) * d]
            residual = earlier + share * (residual - earlier)
            stages.append(residual)
        wrench = tool_wrench(plant, x, residual, self.moments, self.length)
        kept = {**now.kept, "stages": ca.vertcat(*stages)}
        return kept, {"residual": residual, "external_wrench": wrench}


@checked
@dataclass(frozen=True, eq=False)
class MomentumObserver(Observer):
    """Forces from outside, found from motion and efforts without acceleration or force sensor.

    Args:
        robot: the model that is believed; what it lacks (a load, friction) is taken for a force.
        period: from sample to sample [s].
        bandwidth: at which the residual is 3 dB down [Hz]; higher is faster and passes more noise.
        order: of the low-pass, 1 to 8; higher orders take away more noise above the bandwidth, at more
            delay below.
        moments: whether the tool may feel a moment; without, the wrench is a force at its origin.
        friction, rotors: whether the model contains them.
    """

    robot: Robot
    period: float = 0.001
    bandwidth: float = 10.0
    order: int = 1
    moments: bool = True
    friction: bool = True
    rotors: bool = True

    def __post_init__(self) -> None:
        Robot.expect(self.robot, "MomentumObserver")
        positive(self.period, "period", "s")
        positive(self.bandwidth, "bandwidth", "Hz")
        whole(self.order, "order", 1, HIGHEST_ORDER)
        for name in ("moments", "friction", "rotors"):
            flag(getattr(self, name), name)

    @property
    def labels(self) -> dict[str, tuple[str, ...]]:
        return {"residual": self.robot.velocities.names, "external_wrench": WRENCH}

    @property
    def block(self) -> MomentumBlock:
        return MomentumBlock(self.order, self.moments, float(self.robot.size))

    def update(
        self, memory: ArrayLike, position: ArrayLike, velocity: ArrayLike, effort: ArrayLike
    ) -> tuple[Array, Disturbance]:
        """The memory after a sample, and what acts.

        Args:
            memory: as `start` or the last update gave it.
            effort: that acted since the last sample: what was held, or the mean of measured ones.
        """
        following, results = self.advance(memory, position, velocity, effort)
        return following, Disturbance(*results)

    def over(self, position: ArrayLike, velocity: ArrayLike, effort: ArrayLike) -> Disturbance:
        """Over samples (N, ...) at even times, one after the other; efforts are those since the sample
        before."""
        return Disturbance(*self.results_over(position, velocity, effort))


def push_columns(observer: MomentumObserver, position: ArrayLike) -> Array:
    """What a wrench on the tool, in its axes, does to the coordinates, (..., d, 6)."""
    plant = observer.plant

    def express() -> Expression:
        c = SX.sym("position", plant.position_size)
        still = ca.vertcat(c, SX.zeros(plant.velocity_size))
        columns = row_major(wrench_columns(plant, still, moments=True))
        return named_function("push", {"position": c}, {"columns": columns}), ((plant.velocity_size, 6),)

    recipe = recipe_of(("push columns", plant), express)
    return np.asarray(Kernel.from_recipe(recipe)(position))
