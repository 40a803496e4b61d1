"""Rows that are stepped until each is done, with lanes that refill."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

from linkwork.kernels import Recipe
from linkwork.kernels.queue import Queue

VALUE, STATUS, COUNT, INDEX, WIDTH = range(5)


def halving() -> tuple[ca.Function, tuple[tuple[int, ...], ...]]:
    """Halve a number until it is below a threshold, and count."""
    row, least = ca.SX.sym("row", WIDTH), ca.SX.sym("least")
    half = row[VALUE] / 2
    result = ca.vertcat(half, ca.if_else(half < least, 1, 0), row[COUNT] + 1, row[INDEX])
    return ca.Function("halving", [row, least], [result], ["row", "least"], ["next"]), ((WIDTH,),)


@pytest.mark.parametrize("count", [1, 3, 8, 9, 100])
def test_every_row_is_stepped_until_it_is_done(count) -> None:
    values = 2.0 ** np.random.default_rng(0).integers(0, 30, count)
    rows = np.zeros((count, WIDTH))
    rows[:, VALUE], rows[:, INDEX] = values, np.arange(count)
    queue = Queue(Recipe(("halving",), halving), WIDTH, STATUS)
    queue.run(rows, np.array([1.0]))
    rows = rows[np.argsort(rows[:, INDEX])]
    np.testing.assert_array_equal(rows[:, INDEX], np.arange(count))
    np.testing.assert_array_equal(rows[:, COUNT], np.log2(values) + 1)
    np.testing.assert_array_equal(rows[:, VALUE], 0.5)
    assert (rows[:, STATUS] == 1).all()


def test_only_dense_arrays_are_taken() -> None:
    queue = Queue(Recipe(("halving",), halving), WIDTH, STATUS)
    with pytest.raises(TypeError, match="dense arrays"):
        queue.run(np.zeros((4, 2 * WIDTH))[:, ::2], np.array([1.0]))
