"""Robots that are evaluated without machine code, for designs that change while one looks.

A kernel takes a good part of a second to compile and stays in the cache; a design that is being dragged
lives for a tenth of it. CasADi's own evaluation starts at once and takes a third of a millisecond.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from linkwork.interface.loading import view_of
from linkwork.interface.robot import Robot
from linkwork.kernels import Kernel, Recipe
from linkwork.kernels.kernel import as_rows
from linkwork.kernels.recipes import Expression
from linkwork.robots.files import Model


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


def interpreted(model: Model) -> Robot:
    """A robot that answers at once, for one state at a time."""

    def make_kernel(recipe: Recipe) -> Kernel:
        return cast(Kernel, Interpreter(recipe.traced()))

    return view_of(model)(model, make_kernel)
