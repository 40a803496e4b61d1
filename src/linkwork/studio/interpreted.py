"""Robots that are evaluated without machine code, for designs that change while one looks.

A kernel takes a good part of a second to compile and stays in the cache; a design that is being dragged
lives for a tenth of it. CasADi's own evaluation starts at once and takes a third of a millisecond.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np

from linkwork.interface.arm import Arm
from linkwork.interface.parallel import ParallelRobot
from linkwork.interface.platform import Platform
from linkwork.interface.robot import Mechanism, Robot
from linkwork.interface.robot import Robot as Shown
from linkwork.kernels import Kernel, Recipe
from linkwork.kernels.kernel import as_rows
from linkwork.kernels.recipes import Expression
from linkwork.robots.arm import ArmModel
from linkwork.robots.files import Model
from linkwork.robots.mechanism import MechanismModel
from linkwork.robots.parallel import ParallelModel
from linkwork.robots.platform import PlatformModel


class Interpreter:
    """Stands in for a kernel: the same inputs, outputs and answers, row by row."""

    def __init__(self, expression: Expression) -> None:
        self.function, shapes = expression
        self.name = self.function.name()
        self.inputs = {
            self.function.name_in(k): self.function.size1_in(k) for k in range(self.function.n_in())
        }
        self.outputs = {self.function.name_out(k): shape for k, shape in enumerate(shapes)}

    def fast(self, *arrays: Any) -> None:
        """There is no quicker way for any arrays: None sends the caller to `evaluate`."""

    fill = fast

    def evaluate(self, arrays: tuple[Any, ...], out: None = None) -> tuple[Any, bool]:
        prepared = [
            as_rows(array, name, size)
            for array, (name, size) in zip(arrays, self.inputs.items(), strict=True)
        ]
        batch = np.broadcast_shapes(*(array.shape[:-1] for array in prepared))
        rows = [np.broadcast_to(a, (*batch, a.shape[-1])).reshape(-1, a.shape[-1]) for a in prepared]
        found = [self._row([table[k] for table in rows]) for k in range(len(rows[0]))]
        results = tuple(
            np.array([row[k] for row in found]).reshape(*batch, *shape)
            for k, shape in enumerate(self.outputs.values())
        )
        nonfinite = not all(np.isfinite(array).all() for array in (*prepared, *results))
        return (results[0] if len(results) == 1 else results), nonfinite

    def _row(self, inputs: list[Any]) -> list[Any]:
        values = self.function.call(inputs)
        return [
            np.asarray(value.full()).reshape(shape)
            for value, shape in zip(values, self.outputs.values(), strict=True)
        ]


class Interpreted(Robot):
    """A robot whose methods run without compilation."""

    def make_kernel(self, recipe: Recipe) -> Kernel:
        return cast(Kernel, Interpreter(recipe.traced()))


class InterpretedArm(Interpreted, Arm):
    """An arm whose methods run without compilation."""


class InterpretedPlatform(Interpreted, Platform):
    """A platform whose methods run without compilation."""


class InterpretedParallel(Interpreted, ParallelRobot):
    """A parallel robot whose methods run without compilation."""


class InterpretedMechanism(Interpreted, Mechanism):
    """A mechanism whose methods run without compilation."""


KINDS: dict[type, Callable[[Any], Shown]] = {
    ArmModel: InterpretedArm,
    PlatformModel: InterpretedPlatform,
    ParallelModel: InterpretedParallel,
    MechanismModel: InterpretedMechanism,
}


def interpreted(model: Model) -> Shown:
    """A robot that answers at once, for one state at a time."""
    return KINDS[type(model)](model)
